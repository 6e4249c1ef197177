"""Small copies of pictures, and the frames that encoders take."""

import numpy as np
import pytest

from localrec.foundation.errors import InputError
from localrec.images.framing import frame_image
from localrec.images.thumbnails import SIDE, open_thumbnail, thumbnail_of

from .pictures import a_picture


def halves(height, width):
    """Red on the left, blue on the right."""
    pixels = np.zeros((height, width, 3), dtype=np.uint8)
    pixels[:, : width // 2, 0] = pixels[:, width // 2 :, 2] = 255
    return a_picture(pixels)


class TestThumbnails:
    @pytest.mark.parametrize(
        ("height", "width", "wanted"), [(512, 300, (256, 150)), (40, 20, (40, 20))]
    )
    def test_large_pictures_shrink_and_small_ones_stay(self, height, width, wanted):
        small = open_thumbnail(thumbnail_of(halves(height, width)))
        assert small.pixels.shape[:2] == wanted
        assert max(small.size) <= SIDE

    def test_equal_pixels_give_equal_bytes(self):
        assert thumbnail_of(halves(300, 300)) == thumbnail_of(halves(300, 300))

    def test_other_bytes_are_refused(self):
        with pytest.raises(InputError, match="The thumbnail"):
            open_thumbnail(b"RIFF....WEBPnonsense")


class TestFrames:
    def test_proportions_stay_and_the_sides_are_cut_off(self):
        frame = frame_image(halves(100, 400), 32, 32, cut_from=32, resampling="bilinear")
        assert frame.shape == (32, 32, 3)
        assert frame[:, :14, 2].max() == 0
        assert frame[:, 18:, 0].max() == 0

    def test_a_longer_side_to_cut_from_shows_less(self):
        picture = halves(64, 64)
        picture.pixels[:8] = 255
        whole = frame_image(picture, 32, 32, cut_from=32, resampling="bicubic")
        inner = frame_image(picture, 32, 32, cut_from=64, resampling="bicubic")
        assert whole[0, :, 1].min() == 255
        assert inner[:, :, 1].max() == 0

    def test_without_cutting_it_is_stretched(self):
        frame = frame_image(halves(100, 400), 32, 48, cut_from=None, resampling="lanczos")
        assert frame.shape == (32, 48, 3)
        assert frame[0, 0].tolist() == [255, 0, 0]
        assert frame[0, -1].tolist() == [0, 0, 255]

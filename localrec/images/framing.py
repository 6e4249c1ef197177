"""Scale and pad an image to the input size of a vision encoder."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from localrec.images.opening import DecodedImage

Resampling = Literal["bilinear", "bicubic", "lanczos"]


def frame_image(
    picture: DecodedImage, height: int, width: int, *, cut_from: int | None, resampling: Resampling
) -> NDArray[np.uint8]:
    """Frame an image as (height, width, 3) sRGB.

    Args:
        picture: The picture to frame.
        height: Wanted, in pixels.
        width: Likewise.
        cut_from: Length of the shorter side before what sticks out of the frame is cut off on both
            sides; None stretches the picture instead.
        resampling: The filter that makes pixels of pixels.
    """
    from PIL import Image  # 50 ms, and most questions come without a picture

    ways = {
        "bilinear": Image.Resampling.BILINEAR,
        "bicubic": Image.Resampling.BICUBIC,
        "lanczos": Image.Resampling.LANCZOS,
    }
    image = Image.fromarray(picture.pixels)
    if cut_from is not None:
        scale = cut_from / min(image.size)
        # Never a pixel too small to cut the frame out of.
        size = (max(width, round(image.width * scale)), max(height, round(image.height * scale)))
        left, top = (size[0] - width) // 2, (size[1] - height) // 2
        image = image.resize(size, ways[resampling])
        image = image.crop((left, top, left + width, top + height))
    else:
        image = image.resize((width, height), ways[resampling])
    return np.asarray(image, dtype=np.uint8)

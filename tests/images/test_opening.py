"""Any file is either a picture or one sentence with its remedy."""

import os
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from localrec.foundation.errors import InputError
from localrec.images.opening import ImageLimits, open_image

from .pictures import animated, encoded, halves, plain, png_claiming, turned, webp_claiming

SOUND = {
    "png": encoded(plain(), "PNG"),
    "jpg": encoded(plain(), "JPEG"),
    "webp": encoded(plain(), "WEBP"),
    "apng": animated("PNG"),
    "animated webp": animated("WEBP"),
    "progressive": encoded(plain((64, 64)), "JPEG", progressive=True),
    "exif": turned(6),
    "palette": encoded(plain().quantize(8), "PNG"),
    "alpha": encoded(plain(mode="RGBA", colour=(10, 20, 30, 0)), "PNG"),
}
SMALL = ImageLimits(file_bytes=20_000, png_pixels=10_000, passes_pixels=30_000, frames=4)
NOT_ONE = "not a PNG, JPEG or WebP picture. Save it as PNG, JPEG or WebP."


def gif():
    return encoded(plain(), "GIF")


def bmp():
    return encoded(plain(), "BMP")


def tiff():
    return encoded(plain(), "TIFF")


def many_passes():
    """A progressive JPEG whose last pass comes again and again."""
    content = encoded(plain((100, 100)), "JPEG", progressive=True)
    scan = content[content.rindex(b"\xff\xda") : -2]
    return content[:-2] + scan * 40 + content[-2:]


REFUSED = {
    "empty": (b"", "is empty. Save or download it again."),
    "text": (b"a drink, blue", f"is {NOT_ONE}"),
    "web page": (b"<!doctype html><html>", f"is a web page, {NOT_ONE}"),
    "zip archive": (b"PK\x03\x04" + b"\0" * 60, f"is a zip archive, {NOT_ONE}"),
    "pickle": (b"\x80\x04\x95", f"is a Python pickle, {NOT_ONE}"),
    "gif": (gif, f"is a GIF image, {NOT_ONE}"),
    "bmp": (bmp, f"is a BMP image, {NOT_ONE}"),
    "tiff": (tiff, f"is a TIFF image, {NOT_ONE}"),
    "svg": (b"<svg xmlns='http://www.w3.org/2000/svg'/>", f"is an SVG drawing, {NOT_ONE}"),
    "heic": (b"\0\0\0\x18ftypheic\0\0\0\0", f"is a HEIC photo, {NOT_ONE}"),
    "avif": (b"\0\0\0\x18ftypavif\0\0\0\0", f"is an AVIF image, {NOT_ONE}"),
    "half a png": (
        SOUND["png"][:60],
        "is damaged or cut short, so it cannot be read as PNG. Save or download it again.",
    ),
    "half a jpeg": (
        encoded(halves(), "JPEG")[:-300],
        "is damaged or cut short, so it cannot be read as JPEG. Save or download it again.",
    ),
    "half a webp": (
        SOUND["webp"][:40],
        "is damaged or cut short, so it cannot be read as WebP. Save or download it again.",
    ),
    "three bytes of jpeg": (
        b"\xff\xd8\xff",
        "is damaged or cut short, so it cannot be read as JPEG. Save or download it again.",
    ),
    "webp of no known kind": (
        b"RIFF\x10\0\0\0WEBPVP9X\0\0\0\0",
        "is damaged or cut short, so it cannot be read as WebP. Save or download it again.",
    ),
    "png bomb": (
        png_claiming(50_000, 50_000),
        "has 50,000 by 50,000 pixels, more than the 10,000 allowed for PNG. Save it smaller.",
    ),
    "webp bomb": (
        webp_claiming(16_000, 16_000),
        "has 16,000 by 16,000 pixels, more than the 16,800,000 allowed for WebP. Save it smaller.",
    ),
    "jpeg of many passes": (
        many_passes,
        "draws its 10,000 pixels in 50 passes, which takes too long. Save it as an ordinary JPEG.",
    ),
    "film": (
        lambda: animated("WEBP", frames=6),
        "is animated, with 6 frames, more than the 4 allowed. "
        "Save the one frame that shows the drink.",
    ),
    "large file": (
        SOUND["png"] + b"\0" * 20_000,
        "bytes, more than the 20,000 allowed. Save it smaller.",
    ),
    "speck": (
        encoded(plain((3, 2)), "PNG"),
        "has 3 by 2 pixels, too few to see anything. Take a larger picture.",
    ),
    "ribbon": (
        encoded(plain((5_000, 2)), "PNG"),
        "has 5,000 by 2 pixels, too few to see anything. Take a larger picture.",
    ),
}


@pytest.mark.parametrize(("content", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_picture_is_refused_in_one_sentence(tmp_path, content, said):
    path = tmp_path / "picture.png"
    path.write_bytes(content() if callable(content) else content)
    with pytest.raises(InputError) as refused:
        open_image(path, SMALL)
    assert str(refused.value).startswith(f"{path} ")
    assert str(refused.value).endswith(said)


TAKEN = {
    "png": ("a.png", SOUND["png"], "PNG", ()),
    "jpeg": ("a.jpeg", SOUND["jpg"], "JPEG", ()),
    "webp": ("a.webp", SOUND["webp"], "WebP", ()),
    "no ending": ("drink", SOUND["jpg"], "JPEG", ()),
    "misnamed": (
        "a.PNG",
        SOUND["jpg"],
        "JPEG",
        ("The file is JPEG, although its name ends in .png.",),
    ),
    "animated png": (
        "a.png",
        SOUND["apng"],
        "PNG",
        ("Only the first of its 3 frames was looked at.",),
    ),
    "animated webp": (
        "a.webp",
        SOUND["animated webp"],
        "WebP",
        ("Only the first of its 3 frames was looked at.",),
    ),
    "cmyk": ("a.jpg", encoded(plain().convert("CMYK"), "JPEG"), "JPEG", ()),
    "palette": ("a.png", SOUND["palette"], "PNG", ()),
    "progressive": ("a.jpg", SOUND["progressive"], "JPEG", ()),
}


@pytest.mark.parametrize(("name", "content", "kind", "notes"), TAKEN.values(), ids=TAKEN.keys())
def test_a_picture_is_told_by_its_content_and_comes_out_in_its_colour(
    tmp_path, name, content, kind, notes
):
    path = tmp_path / name
    path.write_bytes(content)
    picture = open_image(path)
    assert (picture.format, picture.notes) == (kind, notes)
    assert np.abs(picture.pixels.astype(int) - (200, 30, 30)).max() < 12


def opened(tmp_path, content):
    path = tmp_path / "picture"
    path.write_bytes(content)
    return open_image(path)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_photograph_comes_out_upright_however_the_camera_was_held(tmp_path, orientation):
    picture = opened(tmp_path, turned(orientation))
    assert picture.size == (40, 60)
    top, bottom = picture.pixels[:20].mean(axis=(0, 1)), picture.pixels[40:].mean(axis=(0, 1))
    assert top[0] > 150 > top[2] and bottom[2] > 150 > bottom[0]


def test_mirrored_sides_are_mirrored_back(tmp_path):
    image = plain((40, 30), (0, 0, 0))
    image.paste((255, 255, 255), (0, 0, 20, 30))
    exif = Image.Exif()
    exif[0x0112] = 2
    picture = opened(tmp_path, encoded(image, "PNG", exif=exif))
    assert picture.pixels[:, 25:].min() == 255 and picture.pixels[:, :15].max() == 0


def test_nothing_of_the_metadata_is_kept(tmp_path):
    picture = opened(tmp_path, turned(6))
    assert picture.__struct_fields__ == ("pixels", "size", "format", "notes")
    assert picture.notes == ()


@pytest.mark.parametrize(
    ("colour", "paper", "name"), [((10, 20, 200), 255, "white"), ((250, 250, 245), 150, "grey")]
)
def test_transparent_parts_are_laid_on_what_the_drink_stands_out_from(
    tmp_path, colour, paper, name
):
    image = Image.new("RGBA", (40, 40), (0, 0, 0, 0))
    image.paste((*colour, 255), (10, 10, 30, 30))
    picture = opened(tmp_path, encoded(image, "PNG"))
    assert picture.notes == (f"Its transparent parts were laid on {name}.",)
    assert (picture.pixels[2, 2] == paper).all()
    assert (picture.pixels[20, 20] == colour).all()


def test_grey_of_sixteen_bits_keeps_its_shades(tmp_path):
    shades = np.repeat(np.linspace(0, 65_535, 64).astype(np.uint16)[None], 40, axis=0)
    picture = opened(tmp_path, encoded(Image.fromarray(shades), "PNG"))
    assert (picture.pixels[5, :, 0] == shades[0] >> 8).all()


def test_a_large_picture_comes_out_small_and_in_proportion(tmp_path):
    picture = opened(tmp_path, encoded(plain((3_000, 1_500)), "PNG"))
    assert picture.pixels.shape == (256, 512, 3)
    assert picture.size == (3_000, 1_500)


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/drink.jpg",
        "http://h/x.png",
        "ftp://x/y",
        "file:///etc/passwd",
        "data:image/png;base64,iVBORw0KGgo=",
    ],
)
def test_an_address_is_never_followed(address):
    with pytest.raises(InputError, match="is an address"):
        open_image(address)


def test_what_is_no_regular_file_is_never_opened(tmp_path):
    pipe = tmp_path / "pipe.jpg"
    os.mkfifo(pipe)
    for path in (tmp_path, pipe):
        with pytest.raises(InputError, match=r"is not a file\. Name the picture itself"):
            open_image(path)


@pytest.mark.parametrize("name", ["missing.png", "nul\0.png"])
def test_a_path_that_cannot_be_read_says_so(tmp_path, name):
    with pytest.raises(InputError, match="cannot be read"):
        open_image(tmp_path / name)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("mutated") / "picture.bin"


def opens_or_is_refused(path, content):
    path.write_bytes(content)
    try:
        picture = open_image(path, SMALL)
    except InputError as refused:
        assert refused.hint and refused.message.startswith(str(path))
    else:
        assert picture.pixels.dtype == np.uint8 and picture.pixels.shape[2] == 3
        assert max(picture.pixels.shape[:2]) <= SMALL.side


@settings(max_examples=150, deadline=None)
@given(
    kind=st.sampled_from(sorted(SOUND)),
    changes=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=8),
    kept=st.floats(0.2, 1.0),
)
def test_mutated_bytes_are_opened_or_refused_and_nothing_else(scratch, kind, changes, kept):
    content = bytearray(SOUND[kind])
    for place, value in changes:
        content[int(place * (len(content) - 1))] = value
    opens_or_is_refused(scratch, bytes(content[: max(1, int(kept * len(content)))]))


def test_random_bytes_behind_a_true_beginning_are_opened_or_refused(scratch):
    drawn = random.Random(5)
    for number in range(120):
        content = SOUND[sorted(SOUND)[number % len(SOUND)]]
        start = content[: drawn.randrange(4, 40)]
        opens_or_is_refused(scratch, start + drawn.randbytes(drawn.randrange(200)))

"""Make small WebP copies of images, without metadata, for the store and the screen.

The pixels come from `opening.open_image`, so no metadata of the file can come along: no place, no
camera, no date. A thumbnail from the store is opened as strictly as a foreign file.
"""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

from localrec.images.opening import DecodedImage, open_content

SIDE = 256  # pixels; a person still recognises the drink, and 1,000 of them take about 8 MB
_QUALITY = 80
_EFFORT = 4  # WebP's own middle: twice as much makes files 2% smaller


def thumbnail_of(picture: DecodedImage) -> bytes:
    """Encode an image as WebP, no side longer than `SIDE`; equal pixels give equal bytes."""
    # Pillow costs 50 ms, and most questions come without a picture. The plugin is named so that
    # Pillow does not load all of its formats to find the one.
    from PIL import Image, WebPImagePlugin  # noqa: F401

    image = Image.fromarray(picture.pixels)
    image.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    written = io.BytesIO()
    image.save(written, "WEBP", quality=_QUALITY, method=_EFFORT)
    return written.getvalue()


def open_thumbnail(content: bytes) -> DecodedImage:
    """Decode the pixels of a thumbnail.

    Raises:
        InputError: these bytes are no picture.
    """
    return open_content(content, "The thumbnail")


def terminal_cells(content: bytes, columns: int, lines: int) -> NDArray[np.uint8]:
    """Convert a thumbnail to terminal cells of two pixels each, one above the other.

    Args:
        content: The thumbnail.
        columns: At most so many cells wide.
        lines: At most so many cells high.

    Returns:
        Colours, (lines, columns, 2, 3), the upper pixel of each cell first; the picture's shape
        stays as it is.

    Raises:
        InputError: these bytes are no picture.
    """
    from PIL import Image

    image = Image.fromarray(open_thumbnail(content).pixels)
    image.thumbnail((columns, 2 * lines), Image.Resampling.LANCZOS)
    pixels = np.asarray(image.convert("RGB"))
    if len(pixels) % 2:
        pixels = np.concatenate([pixels, pixels[-1:]])
    height, width, _ = pixels.shape
    return pixels.reshape(height // 2, 2, width, 3).transpose(0, 2, 1, 3)

"""Pictures made on the spot: swatches, glasses of two colours, files of every awkward kind."""

import io
import struct
import zlib

import numpy as np
from PIL import Image

from localrec.images.opening import DecodedImage


def a_picture(pixels):
    """Pixels as `open_image` would give them."""
    array = np.asarray(pixels, dtype=np.uint8)
    return DecodedImage(pixels=array, size=array.shape[1::-1], format="PNG")


def rgb(code):
    return tuple(bytes.fromhex(code))


def highball(*layers, wall="e8e4dc", width=150, height=200):
    """A highball glass before a plain wall, with layers of equal height from the top down."""
    pixels = np.full((height, width, 3), rgb(wall), dtype=np.uint8)
    left, right, rim, foot = 47, 103, 30, 180
    pixels[rim:foot, [left, left + 1, right - 1, right]] = (120, 120, 120)  # the walls
    pixels[foot - 2 : foot, left : right + 1] = (110, 110, 110)
    level, floor = 50, foot - 6
    edges = np.linspace(level, floor, len(layers) + 1).astype(int)
    for code, top, end in zip(layers, edges, edges[1:], strict=False):
        pixels[top:end, left + 2 : right - 1] = rgb(code)
    return pixels


def encoded(image, kind, **options):
    """A picture as the bytes of a file."""
    stream = io.BytesIO()
    image.save(stream, kind, **options)
    return stream.getvalue()


def plain(size=(40, 30), colour=(200, 30, 30), mode="RGB"):
    return Image.new(mode, size, colour)


def png_chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png_claiming(width, height):
    """A PNG whose header promises far more pixels than it holds."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = png_chunk(b"IHDR", header) + png_chunk(b"IDAT", zlib.compress(b"\0" * 100))
    return b"\x89PNG\r\n\x1a\n" + body + png_chunk(b"IEND", b"")


def webp_claiming(width, height):
    """A WebP whose header promises far more pixels than it holds."""
    canvas = b"\0" * 4 + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    body = b"WEBPVP8X" + struct.pack("<I", 10) + canvas
    return b"RIFF" + struct.pack("<I", len(body)) + body


def animated(kind, frames=3):
    """An animation: red first, then ever greener."""
    images = [plain(colour=(200 - 30 * n, 30 + 40 * n, 30)) for n in range(frames)]
    return encoded(images[0], kind, save_all=True, append_images=images[1:], duration=50)


def halves():
    """Red above, blue below: tells which way up a picture came out."""
    image = plain(size=(40, 60), colour=(200, 30, 30))
    image.paste((30, 30, 200), (0, 30, 40, 60))
    return image


def turned(orientation):
    """`halves` as a camera stores it, with an EXIF note on how to hold it."""
    back = {
        1: None,
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }[orientation]
    image = halves() if back is None else halves().transpose(back)
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "a camera that knows where it was"
    return encoded(image, "JPEG", exif=exif, quality=95)


def save_plain(path, code, width=64, height=64):
    """Write a picture of one colour."""
    Image.new("RGB", (width, height), rgb(code)).save(path)
    return path

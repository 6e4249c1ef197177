"""Open untrusted images by their content, within limits, as small sRGB pixels.

Only regular files of this machine are read, and an image is decoded only if its header promises a
small size. The result is pixels and nothing else: place, time, thumbnail and colour profile of a
photograph stay in the file.

Pillow's readers are called by name, without its registry, so that a reader of another format never
sees a foreign file.
"""

from __future__ import annotations

import io
import re
import stat
import struct
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.bounded_files import sniff_binary_kind
from localrec.foundation.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFile import ImageFile

ImageFormat = Literal["PNG", "JPEG", "WebP"]


class ImageLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of an image; one beyond them is refused before it is decoded.

    Pixels count by what decoding costs: a PNG comes out whole, a JPEG can be scaled down while it
    is decoded, WebP's decoder keeps three canvases. `passes_pixels` bounds the passes of a
    progressive JPEG times its pixels, since a small file may ask for thousands.
    """

    file_bytes: int = 40 << 20
    png_pixels: int = 25_000_000
    jpeg_pixels: int = 64_000_000
    webp_pixels: int = 16_800_000
    passes_pixels: int = 500_000_000
    frames: int = 1_000
    side: int = 512
    least_side: int = 16

    def pixels_of(self, kind: ImageFormat) -> int:
        """Return the largest number of pixels for a format."""
        return {"PNG": self.png_pixels, "JPEG": self.jpeg_pixels, "WebP": self.webp_pixels}[kind]


class DecodedImage(msgspec.Struct, frozen=True, kw_only=True):
    """A decoded image.

    Args:
        pixels: sRGB, uint8, (height, width, 3), upright; no side is longer than the limit's.
        size: Width and height in the file, upright.
        format: Format of the file by its content.
        notes: Changes of the picture that may matter, one sentence each.
    """

    pixels: NDArray[np.uint8]
    size: tuple[int, int]
    format: ImageFormat
    notes: tuple[str, ...] = ()


_ENDINGS: dict[str, ImageFormat] = {
    ".png": "PNG",
    ".apng": "PNG",
    ".jpg": "JPEG",
    ".jpeg": "JPEG",
    ".jpe": "JPEG",
    ".jfif": "JPEG",
    ".webp": "WebP",
}
_OTHER_PICTURES = (
    (b"BM", "a BMP image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"<svg", "an SVG drawing"),
    (b"\x00\x00\x01\x00", "an icon"),
    (b"8BPS", "a Photoshop file"),
)
_BRANDS = {b"heic": "a HEIC photo", b"heix": "a HEIC photo", b"mif1": "a HEIC photo"}
_BRANDS |= {b"avif": "an AVIF image", b"avis": "an AVIF image"}
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]+:/|data:)", re.IGNORECASE)
_REMEDY = "Save it as PNG, JPEG or WebP."
_START_OF_SCAN = b"\xff\xda"
_ORIENTATION = 0x0112
# Mean lightness above which what is opaque would vanish on white.
_TOO_LIGHT = 215


def open_image(path: Path | str, limits: ImageLimits | None = None) -> DecodedImage:
    """Read an image from a local file.

    Raises:
        InputError: an address, no regular file, no PNG, JPEG or WebP, damaged, or too large.
    """
    taken = limits or ImageLimits()
    return open_content(read_content(path, taken), path, taken)


def open_content(
    content: bytes, path: Path | str, limits: ImageLimits | None = None
) -> DecodedImage:
    """Read an image from bytes; messages call it `path`.

    Raises:
        InputError: no PNG, JPEG or WebP, damaged, or too large.
    """
    taken = limits or ImageLimits()
    kind = _format_of(content, path)
    try:
        # Pillow's warnings about metadata would reach the user's terminal.
        with (
            warnings.catch_warnings(action="ignore"),
            _reader(kind, content, path, taken) as image,
        ):
            _check_header(image, kind, content, path, taken)
            notes = [*_told_by_name(Path(path), kind), *_told_by_frames(image)]
            turn = _orientation(image)
            small, laid = _small(image, taken.side)
    except InputError:
        raise
    # Pillow's readers raise whatever their parsing trips over: OSError, SyntaxError, ValueError,
    # struct.error, IndexError, MemoryError... All mean the same: these bytes are no whole picture.
    except Exception as error:
        raise InputError(
            f"{path} is damaged or cut short, so it cannot be read as {kind}.",
            "Save or download it again.",
        ) from error
    pixels = _upright(np.asarray(small, dtype=np.uint8), turn)
    if min(pixels.shape[:2]) < taken.least_side:
        raise InputError(
            f"{path} has {image.width:,} by {image.height:,} pixels, too few to see anything.",
            "Take a larger picture.",
        )
    width, height = image.size if turn < 5 else image.size[::-1]
    return DecodedImage(
        pixels=np.ascontiguousarray(pixels),
        size=(width, height),
        format=kind,
        notes=(*notes, *laid),
    )


def is_address(path: Path | str) -> bool:
    """Whether a text is an address outside this machine and not a file."""
    return bool(_ADDRESS.match(str(path)))


def read_content(
    path: Path | str, limits: ImageLimits | None = None, called: str | None = None
) -> bytes:
    """Read a regular file; pipes and devices, which may never end, are refused.

    Args:
        path: The file.
        limits: Limits beyond which it is refused.
        called: Name of the file in messages, where that is not its path.

    Raises:
        InputError: an address, no regular file, empty, or too large.
    """
    limits, name = limits or ImageLimits(), called or path
    if is_address(path):
        raise InputError(
            f"{name} is an address, and pictures are only read from this machine.",
            "Save the picture and name the file.",
        )
    try:
        found = Path(path).stat()
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{name} is not a file.", "Name the picture itself.")
        with Path(path).open("rb") as file:
            content = file.read(limits.file_bytes + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{name} cannot be read: {reason}.", "Check the path.") from error
    if not content:
        raise InputError(f"{name} is empty.", "Save or download it again.")
    if len(content) > limits.file_bytes:
        raise InputError(
            f"{name} is {found.st_size:,} bytes, more than the {limits.file_bytes:,} allowed.",
            "Save it smaller.",
        )
    return content


def _format_of(content: bytes, path: Path | str) -> ImageFormat:
    """Recognise the format by the first bytes, whatever the name says."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if content.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "WebP"
    kind = _BRANDS.get(content[8:12]) if content[4:8] == b"ftyp" else None
    kind = kind or next(
        (what for magic, what in _OTHER_PICTURES if content.startswith(magic)), None
    )
    kind = kind or sniff_binary_kind(content[:1024])
    said = f"is {kind}, not" if kind else "is not"
    raise InputError(f"{path} {said} a PNG, JPEG or WebP picture.", _REMEDY)


def _reader(kind: ImageFormat, content: bytes, path: Path | str, limits: ImageLimits) -> ImageFile:
    """Return Pillow's reader, which has parsed the header and decoded nothing."""
    # Pillow costs 50 ms, and most questions come without a picture.
    from PIL import JpegImagePlugin, PngImagePlugin, WebPImagePlugin

    stream = io.BytesIO(content)
    if kind == "PNG":
        return PngImagePlugin.PngImageFile(stream)
    if kind == "JPEG":
        # Of the several pictures in one file that some cameras write, this reads the first.
        return JpegImagePlugin.JpegImageFile(stream)
    # WebP's decoder reserves its canvases at once, so the size is looked up before.
    _check_pixels(_webp_size(content), kind, path, limits)
    return WebPImagePlugin.WebPImageFile(stream)


def _webp_size(content: bytes) -> tuple[int, int]:
    """Read width and height from the header of the first chunk."""
    chunk, body = content[12:16], content[20:30]
    if chunk == b"VP8X":
        return (
            1 + int.from_bytes(body[4:7], "little"),
            1 + int.from_bytes(body[7:10], "little"),
        )
    if chunk == b"VP8L":
        packed = int.from_bytes(body[1:5], "little")
        return 1 + (packed & 0x3FFF), 1 + (packed >> 14 & 0x3FFF)
    if chunk == b"VP8 ":
        width, height = struct.unpack_from("<HH", body, 6)
        return width & 0x3FFF, height & 0x3FFF
    raise ValueError(f"unknown chunk {chunk!r}")


def _check_header(
    image: ImageFile, kind: ImageFormat, content: bytes, path: Path | str, limits: ImageLimits
) -> None:
    """Refuse an image whose header announces too much time or memory."""
    _check_pixels(image.size, kind, path, limits)
    pixels = image.width * image.height
    # Chance makes few such pairs: inside the coded data every FF is followed by 00.
    passes = content.count(_START_OF_SCAN) if kind == "JPEG" else 1
    if passes * pixels > limits.passes_pixels:
        raise InputError(
            f"{path} draws its {pixels:,} pixels in {passes} passes, which takes too long.",
            "Save it as an ordinary JPEG.",
        )
    frames = getattr(image, "n_frames", 1)
    if frames > limits.frames:
        raise InputError(
            f"{path} is animated, with {frames:,} frames, more than the {limits.frames:,} allowed.",
            "Save the one frame that shows the drink.",
        )


def _check_pixels(
    size: tuple[int, int], kind: ImageFormat, path: Path | str, limits: ImageLimits
) -> None:
    width, height = size
    most = limits.pixels_of(kind)
    if width * height > most:
        raise InputError(
            f"{path} has {width:,} by {height:,} pixels, more than the {most:,} allowed for "
            f"{kind}.",
            "Save it smaller.",
        )


def _told_by_name(path: Path, kind: ImageFormat) -> list[str]:
    ending = path.suffix.casefold()
    if not ending or _ENDINGS.get(ending) == kind:
        return []
    return [f"The file is {kind}, although its name ends in {ending}."]


def _told_by_frames(image: ImageFile) -> list[str]:
    frames = getattr(image, "n_frames", 1)
    return [f"Only the first of its {frames} frames was looked at."] if frames > 1 else []


def _orientation(image: ImageFile) -> int:
    """Read EXIF's orientation, 1..8; broken metadata turns nothing."""
    try:
        turn = image.getexif().get(_ORIENTATION, 1)
    except Exception:  # noqa: BLE001  broken metadata raises anything, and the picture may be fine
        return 1
    return turn if turn in range(1, 9) else 1


def _small(image: ImageFile, side: int) -> tuple[Image, list[str]]:
    """Decode the first frame in RGB, no side longer than `side`; return the changes too."""
    image.draft("RGB", (side, side))  # lets a JPEG be scaled while it is decoded
    image.load()
    plain = _eight_bits(image)
    if "transparency" in plain.info and plain.mode not in ("RGBA", "LA"):
        plain = plain.convert("RGBA")
    elif plain.mode in ("P", "1"):
        plain = plain.convert("RGB")
    factor = max(plain.size) // side
    if factor > 1:  # averages whole blocks, and leaves at most a factor of two to resampling
        plain = plain.reduce(factor)
    if max(plain.size) > side:
        scale = side / max(plain.size)
        plain = plain.resize([max(1, round(length * scale)) for length in plain.size])
    if plain.mode in ("RGBA", "LA", "PA"):
        return _laid_on_paper(plain.convert("RGBA"))
    return plain.convert("RGB"), []


def _eight_bits(image: Image) -> Image:
    """Convert 16-bit grey to 8 bits; Pillow itself would clip values at 255."""
    from PIL import Image as images

    if not image.mode.startswith("I"):
        return image
    return images.fromarray((np.asarray(image).clip(0, 65_535) >> 8).astype(np.uint8))


def _laid_on_paper(image: Image) -> tuple[Image, list[str]]:
    """Put transparent parts on white, or on grey where the opaque parts are nearly white."""
    from PIL import Image as images

    pixels = np.asarray(image)
    alpha = pixels[..., 3]
    if (alpha == 255).all():
        return image.convert("RGB"), []
    opaque = pixels[alpha > 127][:, :3]
    is_light = len(opaque) and float(opaque.mean()) > _TOO_LIGHT
    tone, name = (150, "grey") if is_light else (255, "white")
    paper = images.new("RGBA", image.size, (tone, tone, tone, 255))
    paper.alpha_composite(image)
    return paper.convert("RGB"), [f"Its transparent parts were laid on {name}."]


def _upright(pixels: NDArray[np.uint8], turn: int) -> NDArray[np.uint8]:
    """Undo the rotation and mirroring of EXIF's orientation."""
    if turn >= 5:
        pixels = pixels.transpose(1, 0, 2)
    if turn in (2, 3, 6, 7):
        pixels = pixels[:, ::-1]
    if turn in (3, 4, 7, 8):
        pixels = pixels[::-1]
    return pixels

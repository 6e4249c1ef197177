"""Opening a foreign file safely: what it is, how large it may be, which encoding it has.

Nothing here trusts a file's name. A file is looked at by its first bytes, and a compressed or
binary one is refused by what it is; plain gzip is unpacked up to a limit.
"""

from __future__ import annotations

import codecs
import gzip
import io
import stat
import zlib
from collections import Counter
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TextIO, cast

import msgspec

from localrec.foundation.errors import InputError, JsonError
from localrec.foundation.json_mending import as_utf_8, mended
from localrec.foundation.json_words import json_problem


class FileLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a file; a file beyond one of them is refused.

    `unpacked_ratio` tells a zip bomb from a table: text shrinks ten- to fiftyfold, a bomb a
    thousandfold. It counts after the first 16 MiB.
    """

    file_bytes: int = 2 << 30
    unpacked_bytes: int = 2 << 30
    unpacked_ratio: int = 400
    json_bytes: int = 256 << 20
    row_chars: int = 16 << 20
    cell_chars: int = 1 << 20
    columns: int = 2_000
    rows: int = 50_000_000

    def most_unpacked(self, packed_bytes: int) -> int:
        """Return the most bytes that `packed_bytes` of compressed ones may unpack to."""
        by_ratio = max(_RATIO_COUNTS_FROM, packed_bytes * self.unpacked_ratio)
        return min(self.unpacked_bytes, by_ratio)


_RATIO_COUNTS_FROM = 16 << 20
_CHUNK = 1 << 20
_GZIP = b"\x1f\x8b"
_MAGIC = (
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"\x80\x02", "a Python pickle"),
    (b"\x80\x03", "a Python pickle"),
    (b"\x80\x04", "a Python pickle"),
    (b"\x80\x05", "a Python pickle"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"SQLite format 3", "an SQLite database"),
    (b"GGUF", "a GGUF model"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x93NUMPY", "a NumPy array"),
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "a program"),
)
_WEB_PAGE = (b"<!doctype html", b"<html", b"<head", b"<body")
WEB_PAGE = "a web page"
# A site gives its page to log in under the name of the export to whoever is not logged in.
WEB_PAGE_REMEDY = (
    "Log in and download the export itself, or save the table on the page as a plain CSV file."
)
# What Korean Excel writes into otherwise English tables; it has no accented Latin letters.
_KOREAN_SYMBOLS = frozenset("½⅓⅔¼¾⅛⅜⅝⅞°℃℉×÷±·…‘’“”′″–—―•※™®©§¶†‡→←↑↓★☆●○ⅠⅡⅢⅣ²³¹½\u3000")


class ExpectedFile(msgspec.Struct, frozen=True):
    """The expected kind of a file, in the words of the message that refuses another one."""

    what: str
    packed_ending: str
    remedy: str


TABLE = ExpectedFile("a table", ".csv.gz", "Save it as a plain CSV file in UTF-8 and import that.")
JSON = ExpectedFile("JSON", ".json.gz", "Name the JSON file as it was exported or downloaded.")
JSON_LINES = ExpectedFile("lines of JSON", ".jsonl.gz", JSON.remedy)


class ArchivedFile(Protocol):
    """A file that lies inside another one, such as a zip archive; it can be opened repeatedly.

    As text it is the path that messages name.
    """

    def open(self, limits: FileLimits) -> BinaryIO:
        """A stream of the unpacked bytes that refuses to grow beyond the limits.

        Raises:
            InputError: empty, too large, or damaged.
        """
        ...


def open_bytes(
    path: Path | ArchivedFile, limits: FileLimits, wanted: ExpectedFile = TABLE
) -> BinaryIO:
    """Open a plain or gzip-compressed text file; the stream refuses to grow beyond the limits.

    Raises:
        InputError: missing, not a regular file, empty, too large, or not text by its first bytes.
    """
    stream = _open_unpacked(path, limits, wanted) if isinstance(path, Path) else path.open(limits)
    start = stream.peek(1024)[:1024]  # type: ignore[attr-defined]
    if kind := sniff_binary_kind(start):
        stream.close()
        is_page = kind == WEB_PAGE and wanted is TABLE
        remedy = WEB_PAGE_REMEDY if is_page else wanted.remedy
        raise InputError(f"{path} is {kind}, not {wanted.what}.", remedy)
    return stream


def open_regular(path: Path, limits: FileLimits) -> BinaryIO:
    """Open any regular file of a permitted size, whatever it holds.

    Raises:
        InputError: missing, not a regular file, empty, or too large.
    """
    size = _size_of(path)
    if size == 0:
        raise InputError(f"{path} is empty.", "Export it again.")
    if size > limits.file_bytes:
        raise InputError(
            f"{path} is {size:,} bytes, more than the {limits.file_bytes:,} allowed.", "Split it."
        )
    return _open(path)


def open_text(path: Path | ArchivedFile, limits: FileLimits, encoding: str) -> TextIO:
    """Open a file as text with its line breaks as they are; see `detect_encoding`."""
    return io.TextIOWrapper(open_bytes(path, limits), encoding=encoding, newline="")


def detect_encoding(
    path: Path | ArchivedFile, limits: FileLimits, declared: str | None = None
) -> str:
    """The encoding in which the whole file decodes strictly.

    A declared encoding and a byte order mark (of UTF-8 or UTF-16) are taken at their word.
    Otherwise UTF-8 goes first, then cp949 where the text it gives looks Korean, then cp1252, and
    last Latin-1.

    Raises:
        InputError: the declared encoding is unknown, or the file is not in it (names the line).
    """
    with open_bytes(path, limits) as stream:
        start = stream.read(3)
    marked = "utf-8-sig" if start == codecs.BOM_UTF8 else _utf_16_of(start)
    trusted = declared or marked
    if trusted is not None:
        return _trust(path, limits, trusted)
    if _undecodable_line(path, limits, "utf-8") is None:
        return "utf-8"
    if _undecodable_line(path, limits, "cp949") is None and _looks_korean(path, limits):
        return "cp949"
    return "latin-1" if _undecodable_line(path, limits, "cp1252") else "cp1252"


def read_json(path: Path | ArchivedFile, limits: FileLimits, shape: Any) -> Any:
    """Decode a JSON file into `shape`, a msgspec type; see `json_mending` for what is let pass.

    Raises:
        JsonError: not JSON, or of another shape.
        InputError: too large, or no file to read.
    """
    with open_bytes(path, limits, JSON) as stream:
        content = stream.read(limits.json_bytes + 1)
    if len(content) > limits.json_bytes:
        raise InputError(f"{path} is more than {limits.json_bytes:,} bytes of JSON.", "Split it.")
    content = as_utf_8(content)
    try:
        try:
            return msgspec.json.decode(content, type=shape)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            return msgspec.json.decode(mended(content), type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise JsonError(
            f"{path} is not the JSON that is expected here: {json_problem(error)}.",
            "Export it again.",
        ) from error


class _BoundedGzip(io.RawIOBase):
    """The unpacked bytes of a gzip file, up to a size and a ratio."""

    def __init__(self, packed: BinaryIO, path: Path, packed_bytes: int, limits: FileLimits) -> None:
        self._packed = packed
        self._stream = gzip.GzipFile(fileobj=packed)
        self._path = path
        self._most = limits.most_unpacked(packed_bytes)
        self._unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._stream.read(len(buffer))
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{self._path} is damaged: {error}.", "Get it again.") from error
        self._unpacked += len(piece)
        if self._unpacked > self._most:
            raise InputError(
                f"{self._path} unpacks to more than the {self._most:,} bytes allowed.",
                "If it is no zip bomb, unpack it and import the plain file.",
            )
        buffer[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._stream.close()
        self._packed.close()
        super().close()


def _open_unpacked(path: Path, limits: FileLimits, wanted: ExpectedFile) -> BinaryIO:
    stream = open_regular(path, limits)
    if not stream.peek(2).startswith(_GZIP):  # type: ignore[attr-defined]
        return stream
    if path.suffix != ".gz":
        stream.close()
        raise InputError(
            f"{path} is a gzip archive by its first bytes, not {wanted.what}.",
            f"Unpack it, or let its name end in {wanted.packed_ending}.",
        )
    unpacked = _BoundedGzip(stream, path, path.stat().st_size, limits)
    return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, unpacked), _CHUNK))


def _size_of(path: Path) -> int:
    try:
        found = path.stat()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    # A pipe or device would never end, so only regular files are opened at all.
    if not stat.S_ISREG(found.st_mode):
        raise InputError(f"{path} is not a file.", "Name the file itself.")
    return found.st_size


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error


def sniff_binary_kind(start: bytes) -> str | None:
    """Name the kind of a binary file by its first bytes; None where they may be text."""
    for magic, kind in _MAGIC:
        if start.startswith(magic):
            is_workbook = magic == b"PK\x03\x04" and (
                b"[Content_Types]" in start or b"xl/" in start
            )
            return "an Excel workbook" if is_workbook else kind
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_WEB_PAGE):
        return WEB_PAGE
    if _utf_16_of(start):
        return None
    controls = sum(byte < 9 or 13 < byte < 27 for byte in start)
    return "a binary file" if controls > max(8, len(start) // 20) else None


def _utf_16_of(start: bytes) -> str | None:
    """UTF-16 where a file begins with its mark; Excel's "Unicode text" does."""
    return "utf-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None


def _trust(path: Path | ArchivedFile, limits: FileLimits, encoding: str) -> str:
    try:
        b"".decode(encoding)  # refuses what is no encoding of text, such as "hex"
        line = _undecodable_line(path, limits, encoding)
    except LookupError as error:
        raise InputError(f"{encoding!r} is not an encoding.", "Try utf-8 or cp949.") from error
    if line is not None:
        raise InputError(
            f"{path}, line {line}: the text is not {encoding}, although the file says so.",
            "Save it in UTF-8, or leave the encoding out.",
        )
    return encoding


def _undecodable_line(path: Path | ArchivedFile, limits: FileLimits, encoding: str) -> int | None:
    """The number of the first line that `encoding` cannot read, None where it reads all."""
    decoder = codecs.getincrementaldecoder(encoding)()
    line = 1
    with open_bytes(path, limits) as stream:
        while True:
            chunk = stream.read(_CHUNK)
            held_over = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                return line + chunk[: max(0, error.start - held_over)].count(b"\n")
            if not chunk:
                return None
            line += chunk.count(b"\n")


def _looks_korean(path: Path | ArchivedFile, limits: FileLimits) -> bool:
    """Whether the text that cp949 gives is Korean, or English with Korean Excel's symbols.

    Latin-1 text can decode as cp949 by chance, but then into syllables outside the 2,350 that
    EUC-KR knows and Korean uses.
    """
    letters: Counter[str] = Counter()
    with open_text(path, limits, "cp949") as stream:
        while piece := stream.read(_CHUNK):
            letters.update(letter for letter in piece if not letter.isascii())
    expected = sum(count for letter, count in letters.items() if _is_usual_korean(letter))
    return expected >= 0.9 * letters.total()


def _is_usual_korean(letter: str) -> bool:
    is_hangul = "가" <= letter <= "힣" and len(letter.encode("euc_kr")) == 2
    return is_hangul or letter in _KOREAN_SYMBOLS

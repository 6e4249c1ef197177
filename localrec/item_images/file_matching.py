"""Match image files to items, by name or by a column of the catalogue.

Names are looked up in tables of the catalogue; no cell ever becomes a path, so a cell like
`../../etc/passwd` finds nothing. Case, accents, spacing and separators count only where two items
differ by them alone.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import PurePosixPath

import msgspec

from localrec.foundation.text import clean_key, identity_of

_Table = dict[str, tuple[int, ...]]  # folded name -> items
FileMatcher = Callable[[str], "FileMatch"]


class NamedItem(msgspec.Struct, frozen=True):
    """An item with its name for matching; `cell` is its value in the chosen column."""

    node_id: int
    key: str
    name: str
    cell: str | None = None


class FileMatch(msgspec.Struct, frozen=True):
    """The items of a file; a lower `rank` is a more exact match."""

    node_ids: tuple[int, ...] = ()
    rank: int = 0


def match_by_file_name(items: Sequence[NamedItem]) -> FileMatcher:
    """Match `Gin and Tonic.jpg` by key, then by name, then by name without plural and spacing."""
    keys = _table((one.key, one) for one in items)
    names = _table((clean_key(one.name), one) for one in items)
    identities = _table((identity_of(one.name), one) for one in items)
    ways: tuple[tuple[Callable[[str], str], _Table], ...] = (
        (str, keys),
        (clean_key, keys),
        (clean_key, names),
        (identity_of, identities),
    )

    def match(file: str) -> FileMatch:
        stem = PurePosixPath(file).stem
        return _first((table.get(fold(stem), ()) for fold, table in ways))

    return match


def match_by_column(items: Sequence[NamedItem]) -> FileMatcher:
    """Match a file by the path in a cell, else by the bare name in it.

    A cell may be an address (`https://host/media/fizz.jpg`): the file that was saved from it is
    meant, and nothing is fetched. One file may be the picture of several items.
    """
    told = [(_plain(one.cell), one) for one in items if one.cell]
    exact = _table(told)
    names = _table((cell.rpartition("/")[2], one) for cell, one in told if "/" in cell)

    def match(file: str) -> FileMatch:
        path = _plain(file)
        name = path.rpartition("/")[2]
        # A cell without a folder means the file wherever it lies.
        told_so = dict.fromkeys((*exact.get(path, ()), *exact.get(name, ())))
        return _first((tuple(told_so), names.get(name, ())))

    return match


def _first(found: Iterable[tuple[int, ...]]) -> FileMatch:
    for rank, node_ids in enumerate(found):
        if node_ids:
            return FileMatch(node_ids, rank)
    return FileMatch()


def _table(named: Iterable[tuple[str, NamedItem]]) -> _Table:
    table: dict[str, list[int]] = {}
    for name, item in named:
        if name:
            table.setdefault(name, []).append(item.node_id)
    return {name: tuple(dict.fromkeys(node_ids)) for name, node_ids in table.items()}


def _plain(path: str) -> str:
    """Normalise a path or address: `/` between parts, one case, one form of accents."""
    bare = path.partition("?")[0].partition("#")[0] if "://" in path else path
    slashed = unicodedata.normalize("NFC", bare).replace("\\", "/").strip()
    return slashed.removeprefix("./").casefold()

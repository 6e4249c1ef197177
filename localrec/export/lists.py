"""Recommendation lists as `recommend --json` and `ask --json` print them, read back."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import numpy as np

from localrec.errors import InputError
from localrec.graph.store import Columns
from localrec.sources.files import Limits, read_json
from localrec.sources.text import clean_name, clean_text

_REMEDY = "Make one: localrec recommend --user KEY --json > list.json"


class ListedItem(msgspec.Struct, frozen=True):
    """One line of a list; what else the document says of it is left out."""

    rank: int
    key: str
    name: str
    score: float | None = None
    reason: str | None = None


class _ListDocument(msgspec.Struct, frozen=True):
    items: tuple[ListedItem, ...]


def read_list(path: Path | None) -> tuple[ListedItem, ...]:
    """The items of a list from a file, or from stdin for None; texts come out cleaned.

    Raises:
        InputError: no such document, or a list of nothing.
    """
    document = _read_stdin() if path is None else read_json(path, Limits(), _ListDocument)
    if not document.items:
        raise InputError(f"{path or 'The list on stdin'} holds no item.", _REMEDY)
    return tuple(
        msgspec.structs.replace(
            item,
            key=clean_name(item.key),
            name=clean_name(item.name),
            reason=clean_text(item.reason) or None,
        )
        for item in document.items
    )


def stage_list(items: tuple[ListedItem, ...]) -> Columns:
    """A list as columns for `Store.staged`: no score is NaN, no reason is empty."""
    columns: Columns = {
        "rank": np.array([one.rank for one in items], dtype=np.int64),
        "score": np.array([np.nan if one.score is None else one.score for one in items]),
    }
    for name in ("key", "name", "reason"):
        columns[name] = np.array([getattr(one, name) or "" for one in items], dtype=object)
    return columns


def _read_stdin() -> _ListDocument:
    most = Limits().json_bytes
    text = sys.stdin.buffer.read(most + 1)
    if len(text) > most:
        raise InputError("The list on stdin is too large.", _REMEDY)
    try:
        return msgspec.json.decode(text, type=_ListDocument)
    except msgspec.DecodeError as error:
        raise InputError(f"What stdin holds is no list: {error}.", _REMEDY) from error

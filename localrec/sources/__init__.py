"""Public file formats in, typed rows out.

`open_source` gives the reader of a kind, `detect_kind` tells the kind of a file or folder.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from localrec.errors import InputError
from localrec.sources.base import Source
from localrec.sources.bundled import BundledDrinkSource
from localrec.sources.cocktails import CocktailSource
from localrec.sources.movies import RecBoleItemSource

SOURCES: dict[str, Callable[[], Source]] = {
    source.kind: source for source in (CocktailSource, RecBoleItemSource, BundledDrinkSource)
}


def open_source(kind: str) -> Source:
    """The reader of files of `kind`.

    Raises:
        InputError: no such kind.
    """
    if kind not in SOURCES:
        raise InputError(f"There is no source named {kind!r}.", f"Known: {', '.join(SOURCES)}.")
    return SOURCES[kind]()


def detect_kind(path: Path) -> str:
    """The kind of a file or folder, by its name alone; reading it is what proves it.

    Raises:
        InputError: nothing there, or a name that says nothing.
    """
    if not path.exists():
        raise InputError(f"{path} does not exist.", "Check the path.")
    names = [file.name for file in path.iterdir()] if path.is_dir() else [path.name]
    endings = {
        RecBoleItemSource.kind: (".item",),
        BundledDrinkSource.kind: (".jsonl",),
        CocktailSource.kind: () if path.is_dir() else (".csv", ".csv.gz", ".tsv", ".json"),
    }
    for kind, known in endings.items():
        if any(name.endswith(known) for name in names):
            return kind
    raise InputError(
        f"{path} does not look like any known export.",
        f"Name the kind yourself: {', '.join(SOURCES)}.",
    )

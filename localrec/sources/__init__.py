"""Public file formats in, typed rows out.

`read_export` reads a file of a kind, `detect_kind` tells the kind of a file or folder. A reader is
imported when its kind is asked for: every command uses something of this package, few use a
reader, and none uses them all but detection.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from localrec.data.domains import Domain
from localrec.data.rows import BulkHistory, CatalogueRows, HistoryRows
from localrec.foundation.errors import InputError, UsageError
from localrec.sources.protocols import HistorySource, Source

if TYPE_CHECKING:
    from localrec.sources.amazon import Window

# Kind -> module and name of its reader.
CATALOGUES: dict[str, str] = {
    "cocktails": "localrec.packs.cocktails.recipe_files:CocktailSource",
    "drinks": "localrec.packs.cocktails.bundled_drinks:BundledDrinkSource",
}
HISTORIES: dict[str, str] = {
    "goodreads": "localrec.sources.goodreads:GoodreadsSource",
    "storygraph": "localrec.sources.storygraph:StoryGraphSource",
    "letterboxd": "localrec.sources.letterboxd:LetterboxdSource",
    "listenbrainz": "localrec.sources.listenbrainz:ListenBrainzSource",
    "lastfm": "localrec.sources.lastfm:LastFmSource",
    "movielens": "localrec.sources.movielens:MovieLensSource",
    "amazon": "localrec.sources.amazon:AmazonSource",
    "recbole": "localrec.sources.recbole:RecBoleSource",
    "instructrec": "localrec.sources.instructrec:InstructRecSource",
    "yelp": "localrec.sources.yelp:YelpSource",
    "table": "localrec.sources.mapped_table:MappedTableSource",
}
SOURCES = CATALOGUES | HISTORIES
_WITH_WINDOW = "amazon"


def open_source(kind: str) -> Source | HistorySource:
    """The reader of files of `kind`.

    Raises:
        InputError: no such kind.
    """
    if kind in HISTORIES:
        return _open_history(kind)
    return _open_catalogue(kind)


def read_export(
    kind: str, path: Path, domain: Domain, user: str | None = None, window: Window | None = None
) -> CatalogueRows | HistoryRows | BulkHistory:
    """Read a file, archive or folder of any kind.

    Args:
        kind: A key of `SOURCES`.
        path: What is read.
        domain: What its items belong to.
        user: Whose export it is, where it is one person's.
        window: Which reviews count, for the kind that has so many (amazon).

    Raises:
        InputError: no such kind, or a file that cannot be taken; the message says why.
        UsageError: a person or a window was given (or not) where the kind has none (or needs one).
    """
    if window is not None and kind != _WITH_WINDOW:
        raise UsageError(f"{kind} is read whole; only amazon takes a window.", "Leave it out.")
    if kind in HISTORIES:
        return _open_history(kind, window).read(path, domain, user)
    source = _open_catalogue(kind)
    if user is not None:
        raise UsageError(f"{kind} is a catalogue: it holds nobody's history.", "Leave --user out.")
    return source.read(path, domain)


def detect_kind(path: Path) -> str:
    """The kind of a file, archive or folder, by its header and names; reading it proves it.

    Raises:
        InputError: nothing there, or nothing or several kinds fit.
    """
    from localrec.sources.detection import preview_file  # gzip and zipfile: only who detects pays

    preview = preview_file(path)
    fitting = [kind for kind in SOURCES if open_source(kind).recognises(preview)]
    if len(fitting) == 1:
        return fitting[0]
    seen = (
        f"looks like {' and like '.join(fitting)}" if fitting else "does not look like any export"
    )
    raise InputError(f"{path} {seen}.", f"Name the kind yourself: {', '.join(SOURCES)}.")


def _open_catalogue(kind: str) -> Source:
    if kind not in CATALOGUES:
        raise InputError(f"There is no source named {kind!r}.", f"Known: {', '.join(SOURCES)}.")
    source: Source = _reader(CATALOGUES[kind])()
    return source


def _open_history(kind: str, window: Window | None = None) -> HistorySource:
    reader = _reader(HISTORIES[kind])
    source: HistorySource = reader() if window is None else reader(window)
    return source


def _reader(path: str) -> Any:
    module, name = path.split(":")
    return getattr(import_module(module), name)

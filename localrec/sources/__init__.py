"""Public file formats in, typed rows out.

`read_export` reads a file of a kind, `detect_kind` tells the kind of a file or folder. A reader is
imported when its kind is asked for: every command uses something of this package, few use a
reader, and none uses them all but detection.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from localrec.domains import Domain
from localrec.errors import InputError, UsageError
from localrec.sources.base import HistorySource, Source
from localrec.types import BulkHistory, History, SourceTable

if TYPE_CHECKING:
    from localrec.sources.amazon import Window

# Kind -> module of this package, and the reader in it.
CATALOGUES: dict[str, tuple[str, str]] = {
    "cocktails": ("cocktails", "CocktailSource"),
    "drinks": ("bundled", "BundledDrinkSource"),
}
HISTORIES: dict[str, tuple[str, str]] = {
    "goodreads": ("goodreads", "GoodreadsSource"),
    "storygraph": ("storygraph", "StoryGraphSource"),
    "letterboxd": ("letterboxd", "LetterboxdSource"),
    "listenbrainz": ("listenbrainz", "ListenBrainzSource"),
    "lastfm": ("lastfm", "LastFmSource"),
    "movielens": ("movielens", "MovieLensSource"),
    "amazon": ("amazon", "AmazonSource"),
    "recbole": ("recbole", "RecBoleSource"),
    "instructrec": ("instructrec", "InstructRecSource"),
    "yelp": ("yelp", "YelpSource"),
    "table": ("generic", "GenericSource"),
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
) -> SourceTable | History | BulkHistory:
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
    from localrec.sources.detect import glimpse_of  # gzip and zipfile: only who detects pays

    glimpse = glimpse_of(path)
    fitting = [kind for kind in SOURCES if open_source(kind).recognises(glimpse)]
    if len(fitting) == 1:
        return fitting[0]
    seen = (
        f"looks like {' and like '.join(fitting)}" if fitting else "does not look like any export"
    )
    raise InputError(f"{path} {seen}.", f"Name the kind yourself: {', '.join(SOURCES)}.")


def _open_catalogue(kind: str) -> Source:
    if kind not in CATALOGUES:
        raise InputError(f"There is no source named {kind!r}.", f"Known: {', '.join(SOURCES)}.")
    module, name = CATALOGUES[kind]
    source: Source = getattr(import_module(f"{__name__}.{module}"), name)()
    return source


def _open_history(kind: str, window: Window | None = None) -> HistorySource:
    module, name = HISTORIES[kind]
    reader = getattr(import_module(f"{__name__}.{module}"), name)
    source: HistorySource = reader() if window is None else reader(window)
    return source

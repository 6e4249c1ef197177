"""Public file formats in, typed rows out.

`read_export` reads a file of a kind, `detect_kind` tells the kind of a file or folder.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from localrec.domains import Domain
from localrec.errors import InputError, UsageError
from localrec.sources.amazon import AmazonSource, Window
from localrec.sources.base import HistorySource, Source
from localrec.sources.bundled import BundledDrinkSource
from localrec.sources.cocktails import CocktailSource
from localrec.sources.detect import glimpse_of
from localrec.sources.generic import GenericSource
from localrec.sources.goodreads import GoodreadsSource
from localrec.sources.instructrec import InstructRecSource
from localrec.sources.lastfm import LastFmSource
from localrec.sources.letterboxd import LetterboxdSource
from localrec.sources.listenbrainz import ListenBrainzSource
from localrec.sources.movielens import MovieLensSource
from localrec.sources.recbole import RecBoleSource
from localrec.sources.storygraph import StoryGraphSource
from localrec.sources.yelp import YelpSource
from localrec.types import BulkHistory, History, SourceTable

CATALOGUES: dict[str, Callable[[], Source]] = {
    "cocktails": CocktailSource,
    "drinks": BundledDrinkSource,
}
HISTORIES: dict[str, Callable[[], HistorySource]] = {
    "goodreads": GoodreadsSource,
    "storygraph": StoryGraphSource,
    "letterboxd": LetterboxdSource,
    "listenbrainz": ListenBrainzSource,
    "lastfm": LastFmSource,
    "movielens": MovieLensSource,
    "amazon": AmazonSource,
    "recbole": RecBoleSource,
    "instructrec": InstructRecSource,
    "yelp": YelpSource,
    "table": GenericSource,
}
SOURCES: dict[str, Callable[[], Source | HistorySource]] = {**CATALOGUES, **HISTORIES}


def open_source(kind: str) -> Source | HistorySource:
    """The reader of files of `kind`.

    Raises:
        InputError: no such kind.
    """
    if kind not in SOURCES:
        raise InputError(f"There is no source named {kind!r}.", f"Known: {', '.join(SOURCES)}.")
    return SOURCES[kind]()


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
    if window is not None and kind != AmazonSource.kind:
        raise UsageError(f"{kind} is read whole; only amazon takes a window.", "Leave it out.")
    if kind in HISTORIES:
        source = AmazonSource(window) if window is not None else HISTORIES[kind]()
        return source.read(path, domain, user)
    if user is not None:
        raise UsageError(f"{kind} is a catalogue: it holds nobody's history.", "Leave --user out.")
    if kind in CATALOGUES:
        return CATALOGUES[kind]().read(path, domain)
    raise InputError(f"There is no source named {kind!r}.", f"Known: {', '.join(SOURCES)}.")


def detect_kind(path: Path) -> str:
    """The kind of a file, archive or folder, by its header and names; reading it proves it.

    Raises:
        InputError: nothing there, or nothing or several kinds fit.
    """
    glimpse = glimpse_of(path)
    fitting = [kind for kind in SOURCES if open_source(kind).recognises(glimpse)]
    if len(fitting) == 1:
        return fitting[0]
    seen = f"looks like {' and like '.join(fitting)}" if fitting else "does not look like any export"
    raise InputError(f"{path} {seen}.", f"Name the kind yourself: {', '.join(SOURCES)}.")

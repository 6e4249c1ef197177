"""Public file formats in, typed rows out.

`read_export` reads a file of a kind, `detect_kind` tells the kind of a file or folder. Readers are
registered under the entry-point group `localrec.sources`, by kind, and imported on first use.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import BulkHistory, CatalogueRows, HistoryRows
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.file_marks import marks_of, unchanged
from localrec.foundation.plugins import SOURCES, find_plugin, list_plugins
from localrec.sources.import_log import refuse_heavy_losses
from localrec.sources.protocols import HistorySource, Source

if TYPE_CHECKING:
    from localrec.sources.amazon import Window

_WITH_WINDOW = "amazon"


def source_kinds() -> list[str]:
    """Return every kind of file that can be read: localrec's own kinds first."""
    return list(list_plugins(SOURCES))


def open_source(kind: str) -> Source | HistorySource:
    """Return the reader of files of `kind`.

    Example:
        `open_source("goodreads").domain` is "books".

    Raises:
        InputError: no such kind.
        PluginError: the package that registers the kind is broken.
    """
    source: Source | HistorySource = _reader(kind)()
    return source


def domain_of_file(kind: str, path: Path) -> str:
    """The domain of a file's items where nobody names one: the kind's, or told from the file.

    Raises:
        InputError: no such kind, or a file that cannot be looked at.
    """
    source = open_source(kind)
    told = getattr(source, "domain_of", None)
    return source.domain if told is None else str(told(path))


def read_export(
    kind: str,
    path: Path,
    domain: Domain,
    user: str | None = None,
    window: Window | None = None,
    *,
    strict: bool = False,
) -> CatalogueRows | HistoryRows | BulkHistory:
    """Read a file, archive or folder of any kind.

    Example:
        `read_export("goodreads", path, load_domain("books"), user="anna").items[0].name`

    Args:
        kind: One of `source_kinds()`.
        path: The file, archive or folder.
        domain: The domain of its items.
        user: Key of the user whose export it is, where it is one user's.
        window: Window of the reviews that count, for the kind that has so many (amazon).
        strict: Refuse the file at the first row that would be mended or left out.

    Raises:
        InputError: no such kind, or a file that cannot be taken; the message says why.
        UsageError: a user or a window was given (or not) where the kind has none (or needs one).
    """
    if window is not None and kind != _WITH_WINDOW:
        raise UsageError(f"{kind} is read whole; only amazon takes a window.", "Leave it out.")
    reader = _reader(kind)
    source: Source | HistorySource = reader() if window is None else reader(window)
    if not isinstance(source, HistorySource) and user is not None:
        raise UsageError(f"{kind} is a catalogue: it holds nobody's history.", "Leave --user out.")
    with unchanged(path):
        found: CatalogueRows | HistoryRows | BulkHistory = (
            source.read(path, domain, user)
            if isinstance(source, HistorySource)
            else source.read(path, domain)
        )
        if isinstance(found, BulkHistory):
            found = msgspec.structs.replace(found, marks=marks_of(found.files))
    refuse_heavy_losses(found.report, strict=strict)
    return found


def detect_kind(path: Path) -> str:
    """Tell the kind of a file, archive or folder by its header and names; reading it proves it.

    Example:
        `detect_kind(Path("goodreads_library_export.csv"))` is "goodreads".

    Raises:
        InputError: nothing there, or nothing or several kinds fit.
    """
    # gzip and zipfile: only who detects pays
    from localrec.sources.detection import preview_file
    from localrec.sources.foreign_files import has_header_alone, name_foreign_file, refuse_nothing

    preview = preview_file(path)
    kinds = source_kinds()
    fitting = [kind for kind in kinds if open_source(kind).recognises(preview)]
    if len(fitting) == 1:
        return fitting[0]
    refuse_nothing(path)
    if fitting:
        raise InputError(
            f"{path} looks like {' and like '.join(fitting)}.",
            f"Name the kind yourself: localrec import {fitting[0]} {path}",
        )
    if has_header_alone(preview):
        raise InputError(
            f"{path} has a header and no rows.",
            "Export it again, or check that it is the right file.",
        )
    by_hand = "Name the kind yourself, such as goodreads: localrec help sources tells them all."
    what, remedy = name_foreign_file(path, preview) or ("", by_hand)
    raise InputError(f"{path} does not look like any export{what and f': {what}'}.", remedy)


def _reader(kind: str) -> Any:
    plugin = find_plugin(SOURCES, kind)
    if plugin is None:
        known = ", ".join(source_kinds())
        raise InputError(f"There is no source named {kind!r}.", f"Known: {known}.")
    return plugin.load()

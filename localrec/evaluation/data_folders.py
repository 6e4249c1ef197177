"""Evaluate a folder of a data set: `localrec evaluate run FOLDER`.

Any folder that `localrec import` reads will do, such as RecBole's atomic files. It is imported into
a workspace of the run's own, so that foreign users never mix with one's own, and the run is
declared like in a file: the same systems as for MovieLens 100K, untuned.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from localrec.data.rows import BulkHistory, CatalogueRows, HistoryRows
from localrec.evaluation.configs import RunConfig, parse_config
from localrec.foundation.errors import InputError
from localrec.foundation.progress import Progress
from localrec.graph.domain_files import load_domain
from localrec.graph.journal import STORE
from localrec.sources import detect_kind, open_source, read_export
from localrec.workspace import OpenWorkspace

RANKERS = ("auto", "auto-counted")
SYSTEMS = (
    "random",
    "popularity",
    "item-knn",
    "ease",
    "als",
    "bpr",
    "lightgcn",
    "gru4rec",
    "sasrec",
    "naive-bayes",
    "vector",
    "auto",
)


def folder_config(
    folder: Path,
    *,
    candidates: int | None = None,
    negatives: Path | None = None,
    systems: Sequence[str] = SYSTEMS,
) -> tuple[RunConfig, bytes]:
    """Declare a run on a folder of data, with the text that a file would have.

    Args:
        folder: A folder that `localrec import` reads.
        candidates: Items among which each last one is to be found; None: all of them.
        negatives: A file of given ones instead, a line of each user.
        systems: Names of baselines, `auto` and `auto-counted`.

    Raises:
        InputError: the folder holds nothing that is known, or a system has a wrong name.
    """
    kind = detect_kind(folder)
    domain = open_source(kind).domain
    among = f"-{candidates}" if candidates else "-given" if negatives else "-full"
    protocol = ['split = "leave-one-out"']
    if candidates:
        protocol.append(f"candidates = {candidates}")
    if negatives:
        protocol.append(f"negatives = {_quoted(str(negatives.resolve()))}")
    lines = [
        f"name = {_quoted(_run_name(folder) + among)}",
        'title = "The last item of each user"',
        f"data = {{domain = {_quoted(domain)}, source = {_quoted(kind)}}}",
        f"protocol = {{{', '.join(protocol)}}}",
    ]
    for name in systems:
        ours = 'kind = "ranker"\n' if name in RANKERS else ""
        lines.append(f"\n[[systems]]\nname = {_quoted(name)}\n{ours}".rstrip())
    text = ("\n".join(lines) + "\n").encode()
    declared = parse_config(text, folder)
    assert isinstance(declared, RunConfig)
    return declared, text


def import_folder(folder: Path, into: Path, progress: Progress) -> None:
    """Read a folder of data into a workspace of its own, unless it is there already.

    Raises:
        InputError: it cannot be read, or holds nobody's history.
    """
    if (into / STORE).is_file():
        return
    kind = detect_kind(folder)
    domain = load_domain(open_source(kind).domain)
    progress("reading", 0, 0)
    found = read_export(kind, folder, domain)
    if isinstance(found, CatalogueRows) or not _has_history(found):
        raise InputError(
            f"{folder} holds nobody's history, so there is nothing to find.",
            "Name a folder with interactions.",
        )
    files = found.files if isinstance(found, BulkHistory) else ()
    with OpenWorkspace(into, writable=True, may_read=files) as opened:
        opened.imports.import_history(found, domain, None, progress)


def _has_history(found: HistoryRows | BulkHistory) -> bool:
    """Whether any user has interactions; bulk data is checked when it is read."""
    return isinstance(found, BulkHistory) or bool(found.interactions)


def _run_name(folder: Path) -> str:
    """The folder's name as a run may be named."""
    told = re.sub(r"[^a-z0-9._-]+", "-", folder.resolve().name.casefold()).strip("-._")
    return told[:40] or "folder"


def _quoted(text: str) -> str:
    """A basic string of TOML."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'

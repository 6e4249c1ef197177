"""What `localrec doctor` looks at: libraries, models, the workspace, and what keeps it private."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from localrec.foundation.disk_errors import disk_trouble
from localrec.foundation.errors import BusyError, LocalrecError
from localrec.foundation.prose import count_of
from localrec.workspace.doctor_folder import (
    check_folder,
    check_rights,
    check_roles,
    check_vectors,
    folder_modes,
)
from localrec.workspace.doctor_store import (
    CheckResult,
    check_copies,
    check_domains,
    check_store,
)

if TYPE_CHECKING:
    from localrec.workspace import OpenWorkspace
    from localrec.workspace.domain_context import DomainContext

_LIBRARIES = {
    "duckdb": "",
    "numpy": "",
    "networkx": "",
    "onnxruntime": "",
    "tokenizers": "",
    "hnswlib": "pip install hnswlib (exact search serves without it)",
    "llama-cpp-python": "pip install 'localrec[llm]' (every step has a counterpart without it)",
}


def check_all(folder: Path, *, repair: bool = False) -> list[CheckResult]:
    """Check libraries, models and a workspace.

    Args:
        folder: The workspace.
        repair: Whether what can be mended with nothing lost is mended.
    """
    return [*_python(), *_libraries(), *_models(), *_workspace(folder, repair)]


def check_privacy(folder: Path) -> list[CheckResult]:
    """Say what could reach a network and what keeps it from it, and who may read a workspace."""
    return [*_network(), *_network_switches(), *_network_libraries(), *_file_modes(folder)]


def _python() -> Iterator[CheckResult]:
    good = sys.version_info >= (3, 11)
    yield CheckResult(
        "Python", "ok" if good else "broken", platform.python_version(), "Use Python 3.11 or newer."
    )


def _libraries() -> Iterator[CheckResult]:
    for name, remedy in _LIBRARIES.items():
        try:
            yield CheckResult(name, "ok", importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            yield CheckResult(name, "missing", "not installed", remedy or f"pip install {name}")


def _models() -> Iterator[CheckResult]:
    from localrec.llm.model_catalog import load_catalog, status

    for name, model in load_catalog().items():
        state = status(name)
        yield CheckResult(
            f"model {name}",
            {"ok": "ok", "missing": "missing", "damaged": "broken"}[state],
            model.title if state == "ok" else state,
            f"localrec models pull {name}",
        )


def _workspace(folder: Path, repair: bool) -> Iterator[CheckResult]:
    """Check the contents of a workspace; a folder without access is found like any other fault."""
    try:
        with disk_trouble():
            if folder.is_dir():
                yield from check_rights(folder, repair)
            yield from _contents(folder, repair)
    except LocalrecError as error:
        yield CheckResult("workspace", "broken", error.message, error.hint)


def _contents(folder: Path, repair: bool) -> Iterator[CheckResult]:
    from localrec.workspace import OpenWorkspace

    if folder.is_file():
        told = f"{folder} is a file, not a folder"
        yield CheckResult("workspace", "broken", told, "Name a folder with --workspace PATH.")
        return
    if not (folder / "store.duckdb").is_file():
        yield CheckResult("workspace", "missing", "empty", "localrec datasets pull cocktails")
        return
    try:
        with OpenWorkspace(folder) as opened:
            domains = opened.domains()
            counts = {name: _searchable_items(opened.context(name)) for name in domains}
            vectors = {name: _vectors(opened, name) for name in domains}
            settings = opened.settings
    except BusyError as busy:
        yield CheckResult("workspace", "ok", f"not looked into: {busy.message}")
        return
    except LocalrecError as error:
        yield CheckResult("workspace", "broken", error.message, error.hint)
        yield from check_folder(folder, repair)
        yield from check_copies(folder)
        return
    if not counts:
        yield CheckResult("workspace", "missing", "empty", "localrec datasets pull cocktails")
    for name, count in counts.items():
        yield CheckResult(f"catalogue {name}", "ok", f"{count_of(count, 'item')}, searchable")
        yield vectors[name]
        yield from _ranking(folder, name)
    yield from check_roles(settings)
    yield from check_store(folder, repair)
    yield from check_folder(folder, repair)
    yield from check_domains(folder)
    yield from check_copies(folder)


def _searchable_items(context: DomainContext) -> int:
    """Count the items of a domain; raises where questions could not be answered."""
    _ = context.models.embedder.embed([context.domain.name]), context.vocabulary
    _ = context.indexes.compared_by
    return len(context.catalogue)


def _vectors(opened: OpenWorkspace, domain: str) -> CheckResult:
    """Whether the texts of a domain have vectors by the embedder of the workspace."""
    about, embedder = opened.context(domain).domain, opened.models.embedder_name
    return check_vectors(opened.store, opened.folder, about, embedder)


def _ranking(folder: Path, domain: str) -> Iterator[CheckResult]:
    """Check the ranking of a domain; nothing is told where it has no interactions."""
    from localrec.graph.journal import open_settled
    from localrec.ranking.learned.progress_file import learning_progress
    from localrec.ranking.learned.stored import is_stale, ranking_report
    from localrec.workspace.ranking_fits import learning_text, report_text

    indexes, name = folder / "indexes", f"ranking {domain}"
    running, report = learning_progress(indexes, domain), ranking_report(indexes, domain)
    if running is not None:
        yield CheckResult(name, "ok", learning_text(running), "Stop it: localrec learn --stop")
    elif report is not None:
        yield CheckResult(name, "ok", report_text(report))
    else:
        with open_settled(folder, read_only=True) as store:
            if is_stale(store, indexes, domain):
                yield CheckResult(name, "missing", "not learnt yet", "localrec learn")


def _network() -> Iterator[CheckResult]:
    from localrec.privacy.network import NETWORK_COMMANDS

    yield CheckResult("network", "ok", f"only {' and '.join(NETWORK_COMMANDS)} use it")


def _network_switches() -> Iterator[CheckResult]:
    from localrec.foundation.offline import SWITCHES

    for name, wanted in SWITCHES.items():
        value = os.environ.get(name)
        yield CheckResult(
            f"switch {name}",
            "ok" if value == wanted else "broken",
            "not set" if value is None else value,
            f"Set it to {wanted}, or leave it unset for localrec to set.",
        )


def _network_libraries() -> Iterator[CheckResult]:
    """Installed libraries that could reach a network, and what keeps them from it."""
    from localrec.privacy.network import LIBRARIES, LIBRARIES_WITHOUT_NETWORK

    for library in LIBRARIES:
        try:
            version = importlib.metadata.version(library.name)
        except importlib.metadata.PackageNotFoundError:
            continue
        yield CheckResult(
            f"library {library.name} {version}", "ok", f"could {library.could}; {library.kept}"
        )
    yield CheckResult(
        "other libraries",
        "ok",
        f"{len(LIBRARIES_WITHOUT_NETWORK)} known, without network code in use",
    )


def _file_modes(folder: Path) -> Iterator[CheckResult]:
    """Check who may read the workspace: name each file and folder that others may read."""
    yield CheckResult(
        "encryption", "missing", "none: localrec encrypts nothing", "Use your disk's encryption."
    )
    if not folder.is_dir():
        yield CheckResult(
            "workspace", "missing", f"{folder} is not there", "Import something first."
        )
        return
    count = 0
    for found in folder_modes(folder):
        path, mode = found.path, found.mode
        if found.is_link:
            yield CheckResult(f"link {path}", "ok", f"leads to {path.readlink()}; not looked into")
            continue
        count += 1
        if found.is_open or found.is_closed:
            remedy = f"chmod {found.wanted:o} '{path}'"
            yield CheckResult(f"mode {path}", "broken", f"{mode & 0o777:04o}", remedy)
    yield CheckResult("workspace", "ok", f"{count} files and folders looked at in {folder}")

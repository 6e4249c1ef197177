"""`localrec import` of an open dump: read for the items that the workspace holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from localrec.cli.background_index import index_in_background
from localrec.cli.context import CommandContext, note, progress
from localrec.foundation.errors import UsageError

if TYPE_CHECKING:
    from localrec.data.domains import Domain
    from localrec.data.rows import ImportReport
    from localrec.graph.knowledge_join import KnownItem


def is_dump(kind: str) -> bool:
    """Whether a kind is a dump of everything, of which the workspace needs little."""
    from localrec.sources import open_source

    return hasattr(open_source(kind), "identifier")


def read_dump(
    context: CommandContext,
    kind: str,
    path: Path,
    domain: Domain,
    *,
    keep_all: bool,
    dry_run: bool,
) -> ImportReport:
    """Read a dump and add what it says to the items of a domain.

    Raises:
        UsageError: there is no item that it could say something of.
    """
    import msgspec

    from localrec.graph.knowledge_join import find_knowledge, knowledge_receipt, wanted_of
    from localrec.sources import open_source
    from localrec.workspace.import_service import after_the_rows

    items = _known_items(context, domain)
    if not items and not keep_all:
        raise UsageError(
            f"There are no {domain.plural} here that {path.name} could say something of.",
            "Import yours first, or keep all of it with --all.",
        )
    source: Any = open_source(kind)  # with more than a catalogue's `read`: see `is_dump`
    with progress() as steps:
        steps("reading", 0, 0)
        wanted = None if keep_all else wanted_of(items)
        dump = source.read(path, domain, wanted)
        if dry_run:
            found = find_knowledge(items, dump.items)
            report = knowledge_receipt(domain, dump, found, keep_all=keep_all)
            return msgspec.structs.replace(report, dry_run=True)
        with context.open_workspace(writable=True) as opened:
            report = opened.imports.import_knowledge(dump, domain, keep_all=keep_all)
            waiting = opened.imports.prepare_vectors(domain, steps)
    with after_the_rows():
        if waiting:
            index_in_background(context.workspace, domain.name, waiting)
    note("What it says counts in questions from now on.")
    return report


def _known_items(context: CommandContext, domain: Domain) -> list[KnownItem]:
    """The items that a dump may be about; none in a workspace that is still empty."""
    from localrec.graph.knowledge_join import read_known_items

    if not (context.workspace / "store.duckdb").is_file():
        return []
    with context.open_workspace() as opened:
        return read_known_items(opened.store, domain)

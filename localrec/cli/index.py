"""`localrec index`: vectors and index files, up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.background_index import wait_for_background
from localrec.cli.context import CommandContext, DomainOption, command_context, note, progress
from localrec.cli.engine_options import AddressOption, EngineOption, WorkersOption, note_redone

if TYPE_CHECKING:
    from localrec.engines.protocol import Engine
    from localrec.engines.workspace_work import SharedEmbedder


def index(
    domain: DomainOption = None,
    status: Annotated[
        bool, typer.Option("--status", help="Say how far the vectors have come.")
    ] = False,
    engine: EngineOption = "local",
    workers: WorkersOption = None,
    address: AddressOption = None,
) -> None:
    """Bring vectors and index files in line with the texts (after a change of embedder, say).

    An import of many texts starts this in the background; questions are answered meanwhile, by
    what needs no vectors and by spelling. Called by hand meanwhile, it waits for that process.
    What was made stays when it is stopped. Workers share out the texts; pictures are embedded here.
    """
    from localrec.engines.execution import open_engine
    from localrec.graph.domain_files import load_domain
    from localrec.workspace.vector_work import embed_pending

    context = command_context()
    with context.open_workspace() as opened:
        names = [domain] if domain else opened.domains()
    if status:
        _tell_status(context, names)
        return
    embedded = dict.fromkeys(names, 0)
    with open_engine(engine, workers, address) as chosen, progress() as steps:
        embedder = None if engine == "local" else _shared_embedder(context, chosen)
        for name in names:
            wait_for_background(context, name, steps)
            embedded[name] += embed_pending(context.workspace, name, steps, embedder)
        with context.open_workspace(writable=True) as opened:
            for name in names:
                embedded[name] += opened.imports.embed_texts(load_domain(name), steps, embedder)
    note_redone(chosen)
    if not context.print_json(embedded):
        note(", ".join(f"{name}: {count} texts embedded" for name, count in embedded.items()))


def _shared_embedder(context: CommandContext, engine: Engine) -> SharedEmbedder:
    from localrec.engines.workspace_work import SharedEmbedder

    with context.open_workspace() as opened:
        return SharedEmbedder(opened, engine)


def _tell_status(context: CommandContext, names: list[str]) -> None:
    from localrec.index.pending_vectors import read_pending

    indexes = context.workspace / "indexes"
    pending = {name: read_pending(indexes, name) for name in names}
    if context.print_json({name: one for name, one in pending.items() if one is not None}):
        return
    for name, one in pending.items():
        note(f"The vectors of {name} are complete." if one is None else one.as_sentence())

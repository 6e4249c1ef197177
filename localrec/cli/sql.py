"""`localrec sql`: questions to the store in SQL, for reading only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import command_context, console, visible

if TYPE_CHECKING:
    from localrec.graph.views import QueryResult

EXAMPLES = """
Views: items, users, attributes, interactions, shelves, memories; docs/sql.md lists their columns.
In a terminal it prints a table, in a pipe CSV, with --json one object a row.\n\n
Examples:\n\n
  localrec sql "select kind, count(*) from attributes group by 1 order by 2 desc"\n\n
  localrec sql "select item, stars from interactions where stars >= 4.5" > best.csv
"""


def sql(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="One statement; it changes nothing.")
    ],
) -> None:
    """Ask the store in SQL, read-only."""
    from localrec.graph.views import query_views

    context = command_context()
    with context.open_workspace() as opened:
        found = query_views(opened.store, query)
    if context.print_json(found.to_rows() if context.as_json else None):
        return
    if sys.stdout.isatty():
        _print_table(found)
    else:
        _print_csv(found)


def _print_table(found: QueryResult) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None)
    for name in found.columns:
        table.add_column(Text(visible(name)))
    for row in found.rows:
        table.add_row(*(Text("" if value is None else visible(str(value))) for value in row))
    console().print(table)


def _print_csv(found: QueryResult) -> None:
    """Print CSV; a text that a spreadsheet would run as a formula gets an apostrophe in front."""
    import csv

    from localrec.graph.table_writer import escape_formula_text

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([escape_formula_text(name) for name in found.columns])
    for row in found.rows:
        writer.writerow([escape_formula_text(one) if isinstance(one, str) else one for one in row])

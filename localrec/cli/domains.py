"""`localrec domains`: what kinds of things the workspace knows, and new ones from a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import Commands, command_context, console, note
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.prose import count_of, with_article

if TYPE_CHECKING:
    from localrec.data.domains import Domain
    from localrec.sources.catalogues.proposal import Proposal
    from localrec.sources.catalogues.records import RecordTable

app = Commands(help="Domains: list, show, make one from a table, edit.", no_args_is_help=True)
EXAMPLES = """
A domain says what the items of a catalogue are, and what questions may ask: docs/domains.md.\n\n
Examples:\n\n
  localrec domains new wines --from winemag.csv\n\n
  localrec import auto winemag.csv --domain wines\n\n
  localrec ask "a white wine from Portugal under 20 dollars"
"""
_SHOWN_NAMES = 4


def _own_names() -> list[str]:
    from localrec.workspace.own_domains import own_domain_names

    return own_domain_names(command_context().workspace)


DomainArgument = Annotated[
    str, typer.Argument(help="The domain's name, or a folder with a domain.toml.", metavar="NAME")
]
OwnArgument = Annotated[
    str, typer.Argument(help="The domain's name.", metavar="NAME", autocompletion=_own_names)
]


@app.command("new", epilog=EXAMPLES)
def new(
    name: Annotated[str, typer.Argument(help="The plural noun for its items: wines.")],
    source: Annotated[Path, typer.Option("--from", help="A table of items, or of their JSON.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Keep it without asking.")] = False,
) -> None:
    """Look at the columns of a table and propose a domain for its items."""
    from localrec.sources.catalogues.proposal import propose_domain
    from localrec.sources.catalogues.records import open_records
    from localrec.workspace.own_domains import (
        check_name,
        keep_proposal,
        own_domain_names,
        refuse_with_items,
    )

    context = command_context()
    check_name(name)
    refuse_with_items(name, _counts().get(name, 0))
    table = open_records(source)
    proposal = propose_domain(name, table)
    if not context.as_json:
        show_proposal(proposal, table)
    replaced = name in own_domain_names(context.workspace)
    if replaced and not yes:
        note(f"{name} is here already; keeping this one replaces its declaration.")
    if not yes and not _agreed("Keep this domain?"):
        raise UsageError("Nothing was kept.", "Say --yes, or change the table's headers.")
    kept = keep_proposal(context.workspace, proposal)
    if not context.print_json(kept):
        note(f"Kept in {kept.folder}.")
        note(f"Next: localrec import auto {source} --domain {name}")


@app.command("list")
def list_() -> None:
    """List the domains that there are, and how many items the workspace has of each."""
    from localrec.workspace.own_domains import domain_entries

    context = command_context()
    found = domain_entries(context.workspace, _counts())
    if context.print_json(found):
        return
    from rich.table import Table

    table = Table("name", "item", "items here", "from", box=None)
    for one in found:
        origin = "this workspace" if one.own else "localrec"
        item = "(broken)" if one.broken else one.item
        table.add_row(one.name, item, f"{one.items:,}", origin)
    console().print(table)
    for one in found:
        if one.broken:
            note(one.broken)


@app.command()
def show(name: DomainArgument) -> None:
    """Show a domain's kinds of attributes, numbers, texts and example questions."""
    import msgspec

    from localrec.workspace.own_domains import find_domain

    context = command_context()
    domain = find_domain(context.workspace, name)
    if context.print_json(msgspec.structs.replace(domain, taxonomy={})):
        return
    show_domain(domain)


@app.command()
def edit(name: OwnArgument) -> None:
    """Open a domain's declaration in the editor ($EDITOR), and check it afterwards."""
    import click

    from localrec.workspace.own_domains import own_domain_folder

    folder = own_domain_folder(command_context().workspace, name)
    click.edit(filename=str(folder / "domain.toml"))
    check(name)


@app.command()
def check(name: DomainArgument) -> None:
    """Read a domain's declaration and tell what would not work."""
    from localrec.workspace.domain_check import check_domain
    from localrec.workspace.own_domains import find_domain

    context = command_context()
    checked = check_domain(find_domain(context.workspace, name))
    if context.print_json(checked):
        return
    for problem in checked.problems:
        note(problem)
    if checked.problems:
        found = count_of(len(checked.problems), "problem")
        raise InputError(f"{checked.name} has {found}.", "Mend its files.")
    note(f"{checked.name} is in order.")


@app.command()
def remove(
    name: OwnArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Take a domain of this workspace away, with its items and what users did with them."""
    from localrec.workspace.own_domains import (
        items_in_words,
        remove_with_items,
        require_removable,
    )

    context = command_context()
    items = _counts().get(name, 0)
    require_removable(context.workspace, name, items)
    told = items_in_words(context.workspace, name, items)
    if not yes and not _agreed(f"Remove {name} with {told}?"):
        raise UsageError("Nothing was removed.", "Say --yes to remove it.")
    removed = remove_with_items(context.workspace, name, items)
    if not context.print_json(removed):
        note(f"{name} is gone, with {told}.")


def _counts() -> dict[str, int]:
    from localrec.workspace.own_domains import items_by_domain

    return items_by_domain(command_context().open_workspace())


def _agreed(question: str) -> bool:
    import sys

    return sys.stdin.isatty() and typer.confirm(question, err=True)


def show_proposal(proposal: Proposal, table: RecordTable) -> None:
    """Print what a file is and what becomes of each of its columns."""
    from rich.table import Table
    from rich.text import Text

    from localrec.foundation.text import clean_text

    out = console()
    size = f"{count_of(len(table.rows), 'row')} and {count_of(len(table.columns), 'column')}"
    out.print(Text(f"{table.path.name} is {table.layout}: {size}."))
    shown = Table("column", "first values", "becomes", box=None)
    first = [cells for _, cells in table.rows[:_SHOWN_NAMES]]
    for place, column in enumerate(table.columns):
        values = dict.fromkeys(clean_text(cells[place])[:24] for cells in first)
        told = ", ".join(value for value in values if value)[:44]
        shown.add_row(Text(column), Text(told), Text(proposal.reasons.get(column, "left out")))
    out.print(shown)
    show_domain(proposal.domain)


def show_domain(domain: Domain) -> None:
    """Print a domain for people."""
    from rich.text import Text

    out = console()
    item = f"each item is {with_article(domain.singular)}"
    if domain.singular == domain.plural:  # of another language, or with one form alone
        item = f"the items are called {domain.plural}"
    out.print(Text(f"{domain.name}: {item}."))
    for kind, spec in domain.attributes.items():
        words = ", ".join(spec.words)
        out.print(Text(f"  {spec.role}: {kind}  ({words})", style="dim"))
    for name, number in domain.numbers.items():
        units = ", ".join(number.units) or ", ".join(number.words) or number.kind
        better = f"; {number.better} is better" if number.better else ""
        out.print(Text(f"  number: {name}  ({units}{better})", style="dim"))
    for text in domain.texts:
        out.print(Text(f"  text: {text}", style="dim"))
    for example in domain.examples:
        out.print(Text(f"  You can ask: {example}"))

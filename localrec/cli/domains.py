"""`localrec domains`: what kinds of things the workspace knows, and new ones from a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import Commands, command_context, console, note
from localrec.foundation.errors import InputError, UsageError

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
    str, typer.Argument(help="Its name, or a folder with a domain.toml.", metavar="NAME")
]
OwnArgument = Annotated[
    str, typer.Argument(help="Its name.", metavar="NAME", autocompletion=_own_names)
]


@app.command("new", epilog=EXAMPLES)
def new(
    name: Annotated[str, typer.Argument(help="What its items are called together: wines.")],
    source: Annotated[Path, typer.Option("--from", help="A table of items, or of their JSON.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Keep it without asking.")] = False,
) -> None:
    """Look at the columns of a table and propose a domain for its items."""
    from localrec.sources.catalogues.proposal import propose_domain
    from localrec.sources.catalogues.records import open_records
    from localrec.workspace.own_domains import check_name, own_domain_names, save_domain

    context = command_context()
    check_name(name)
    table = open_records(source)
    proposal = propose_domain(name, table)
    if not context.as_json:
        show_proposal(proposal, table)
    replaced = name in own_domain_names(context.workspace)
    if replaced and not yes:
        note(f"{name} is here already; keeping this one replaces its declaration.")
    if not yes and not _agreed("Keep this domain?"):
        raise UsageError("Nothing was kept.", "Say --yes, or change the table's headers.")
    folder = save_domain(context.workspace, proposal.domain)
    if not context.print_json({"name": name, "folder": str(folder), "columns": proposal.reasons}):
        note(f"Kept in {folder}.")
        note(f"Next: localrec import auto {source} --domain {name}")


@app.command("list")
def list_() -> None:
    """The domains that there are, and how many items the workspace has of each."""
    from localrec.graph.domain_files import known_domains, load_domain, use_domains_of
    from localrec.workspace.own_domains import own_domain_names

    context = command_context()
    use_domains_of(context.workspace)
    own = own_domain_names(context.workspace)
    counts = _counts(context.workspace)
    told: list[dict[str, object]] = []
    for name in known_domains():
        try:
            item = load_domain(name).singular
        except InputError as error:  # one that is broken hides no other
            note(f"localrec: {error}")
            continue
        told.append({"name": name, "item": item, "items": counts.get(name, 0), "own": name in own})
    if context.print_json(told):
        return
    from rich.table import Table

    table = Table("name", "item", "items here", "from", box=None)
    for one in told:
        origin = "this workspace" if one["own"] else "localrec"
        table.add_row(str(one["name"]), str(one["item"]), f"{one['items']:,}", origin)
    console().print(table)


@app.command()
def show(name: DomainArgument) -> None:
    """What a domain knows: its kinds, numbers, texts and example questions."""
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

    from localrec.graph.domain_files import own_domains

    context = command_context()
    folder = own_domains(context.workspace) / _own(name)
    click.edit(filename=str(folder / "domain.toml"))
    check(name)


@app.command()
def check(name: DomainArgument) -> None:
    """Read a domain's declaration and tell what would not work."""
    from localrec.workspace.domain_check import domain_problems
    from localrec.workspace.own_domains import find_domain

    context = command_context()
    domain = find_domain(context.workspace, name)
    problems = domain_problems(domain)
    if context.print_json({"name": domain.name, "problems": problems}):
        return
    for problem in problems:
        note(problem)
    if problems:
        raise InputError(f"{domain.name} has {len(problems)} problems.", "Mend its files.")
    note(f"{domain.name} is in order.")


@app.command()
def remove(
    name: OwnArgument,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Take a domain of this workspace away, with its items and what users did with them."""
    from localrec.graph.domain_files import load_domain, use_domains_of
    from localrec.workspace.own_domains import remove_domain

    context = command_context()
    use_domains_of(context.workspace)
    domain = load_domain(_own(name))
    items = _counts(context.workspace).get(name, 0)
    if not yes and not _agreed(f"Remove {name} with {items:,} {domain.plural}?"):
        raise UsageError("Nothing was removed.", "Say --yes to remove it.")
    if items:
        with context.open_workspace(writable=True) as opened:
            opened.imports.remove_items(domain)
    remove_domain(context.workspace, name)
    if not context.print_json({"name": name, "items": items}):
        note(f"{name} is gone, with {items:,} {domain.plural}.")


def _own(name: str) -> str:
    if name not in _own_names():
        raise UsageError(
            f"{name!r} is no domain of this workspace.",
            f"It has {', '.join(_own_names()) or 'none'}: localrec domains new NAME --from FILE.",
        )
    return name


def _counts(workspace: Path) -> dict[str, int]:
    from localrec.foundation.errors import WorkspaceError
    from localrec.graph.domain_files import load_domain
    from localrec.workspace.own_domains import count_items

    try:
        with command_context().open_workspace() as opened:
            return {name: count_items(opened.store, load_domain(name)) for name in opened.domains()}
    except WorkspaceError:  # nothing is there yet
        return {}


def _agreed(question: str) -> bool:
    import sys

    return sys.stdin.isatty() and typer.confirm(question, err=True)


def show_proposal(proposal: Proposal, table: RecordTable) -> None:
    """Print what a file is and what becomes of each of its columns."""
    from rich.table import Table
    from rich.text import Text

    from localrec.foundation.text import clean_text

    out = console()
    rows = f"{len(table.rows):,} rows and {len(table.columns)} columns"
    out.print(Text(f"{table.path.name} is {table.layout}: {rows}."))
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
    out.print(Text(f"{domain.name}: each item is a {domain.singular}."))
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

"""`localrec shelf`: what a person has at hand, and what that makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import (
    LONGEST_SHELF,
    Commands,
    DomainOption,
    NewUserOption,
    at_most,
    command_context,
    console,
    note,
    user_key,
)
from localrec.foundation.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from localrec.data.domains import Domain
    from localrec.graph.catalogue import Catalogue
    from localrec.graph.store import Store
    from localrec.retrieval.shelf import ShelfItem, ShelfReport
    from localrec.workspace.shelves import ShelfEdit

EXAMPLES = """
Examples:\n\n
  localrec shelf add --user anna "gin, campari, sweet vermouth, limes"\n\n
  localrec shelf show --user anna\n\n
  localrec shelf show --have "bourbon, lemons, sugar" -k 5\n\n
  localrec shelf remove --user anna "campari"\n\n
  localrec shelf list --user anna --json
"""

app = Commands(
    help="The things you have at hand, what they make, and what one thing more would.",
    epilog=EXAMPLES,
    no_args_is_help=True,
)


UserOption = Annotated[
    str, typer.Option("--user", metavar="KEY", help="User of the shelf.", callback=user_key)
]
NamesArgument = Annotated[
    str,
    typer.Argument(
        metavar='"A, B"',
        help="Names, parted by commas; typos are mended.",
        callback=at_most(LONGEST_SHELF),
    ),
]


@app.command("show", epilog=EXAMPLES)
def show(
    user: Annotated[
        str | None,
        typer.Option("--user", metavar="KEY", help="User of the shelf.", callback=user_key),
    ] = None,
    have: Annotated[
        str | None,
        typer.Option(
            metavar='"A, B"',
            help="Ingredients that you have, in place of a stored shelf.",
            callback=at_most(LONGEST_SHELF),
        ),
    ] = None,
    k: Annotated[
        int, typer.Option("-k", min=1, max=1000, help="The number of items in each list.")
    ] = 10,
    domain: DomainOption = None,
) -> None:
    """List what can be made now, what lacks one thing, what to get next, and substitutes."""
    from localrec.workspace.shelves import report_shelf, shelf_catalogue

    context = command_context()
    if (user is None) == (have is None):
        raise UsageError("Name one shelf: --user KEY, or --have with names.", "Not both.")
    with context.open_workspace() as opened:
        catalogue = shelf_catalogue(opened, domain)
        report, corrected = report_shelf(opened.store, catalogue, user, have, k)
    if not context.print_json(report):
        _render(report, corrected, catalogue.domain, console())


@app.command("add", epilog=EXAMPLES)
def add(
    names: NamesArgument,
    user: UserOption,
    new_user: NewUserOption = False,
    domain: DomainOption = None,
) -> None:
    """Put things on a person's shelf; all of them, or none where a name is unknown."""
    from localrec.workspace.shelves import put_on_shelf

    def put(store: Store, catalogue: Catalogue) -> ShelfEdit:
        return put_on_shelf(store, catalogue, user, names, is_new=new_user)

    _edit(user, domain, put)


@app.command("remove", epilog=EXAMPLES)
def remove(names: NamesArgument, user: UserOption, domain: DomainOption = None) -> None:
    """Take things off a person's shelf; a brand goes with its generic name."""
    from localrec.workspace.shelves import take_off_shelf

    _edit(user, domain, lambda store, catalogue: take_off_shelf(store, catalogue, user, names))


@app.command("clear", epilog=EXAMPLES)
def clear(user: UserOption, domain: DomainOption = None) -> None:
    """Empty a person's shelf."""
    from localrec.workspace.shelves import empty_shelf

    _edit(user, domain, lambda store, catalogue: empty_shelf(store, catalogue, user))


@app.command("list", epilog=EXAMPLES)
def list_(user: UserOption, domain: DomainOption = None) -> None:
    """Name what is on a person's shelf."""
    _edit(user, domain, None)


def _edit(
    user: str, domain: str | None, act: Callable[[Store, Catalogue], ShelfEdit] | None
) -> None:
    """Change a shelf, or only look at it, and say what is on it then."""
    from localrec.workspace.shelves import shelf_catalogue, shelf_contents

    context = command_context()
    with context.open_workspace(writable=True) if act else context.open_workspace() as opened:
        catalogue = shelf_catalogue(opened, domain)
        edit = act(opened.store, catalogue) if act else None
        for sentence in edit.notes if edit else ():
            note(sentence)
        found = shelf_contents(opened.store, catalogue, user, edit)
    told = {"user": user, "shelf": found.shelf, "corrected": found.corrected}
    if context.print_json(told):
        return
    out = console()
    out.print(", ".join(found.shelf) if found.shelf else "The shelf is empty.")
    _render_corrected(found.corrected, out)


def _render(report: ShelfReport, corrected: dict[str, str], domain: Domain, out: Console) -> None:
    """The survey as a person reads it: what works now on top, each further list needs more."""
    from rich.text import Text

    spec = domain.attributes[domain.kind_of("component") or ""]
    component = spec.words[0] if spec.words else "component"
    out.print(Text(f"At hand: {', '.join(report.have)}", "dim"))
    _render_corrected(corrected, out)
    out.print()
    if report.makeable:
        _render_heading(
            f"{domain.plural.capitalize()} you can make now", report.makeable_count, out
        )
    else:
        out.print(Text(f"No {domain.singular} can be made of this alone.", "bold"))
    for item in report.makeable:
        _render_item(item, "", out)
    out.print()
    if report.one_away:
        _render_heading(f"One {component} away", report.one_away_count, out)
        for item in report.one_away:
            _render_item(item, f"needs {', '.join(item.missing)}", out)
        out.print()
    if report.unlocks:
        _render_heading("Worth getting next", None, out)
        for one in report.unlocks:
            more = ", …" if one.makes > len(one.items) else ""
            line = f"  makes {one.makes}: {', '.join(one.items)}{more}"
            if one.brings_near:
                line += f"; brings {one.brings_near} within one {component}"
            out.print(Text(f"  {one.name}", "bold").append(line, "not bold"))
        out.print()
    if report.with_substitutes:
        _render_heading("With something in its place", report.with_substitutes_count, out)
        for item in report.with_substitutes:
            _render_item(item, "; ".join(one.said for one in item.substitutions), out)


def _render_heading(text: str, count: int | None, out: Console) -> None:
    from rich.text import Text

    out.print(Text(text if count is None else f"{text} ({count})", "bold"))


def _render_item(item: ShelfItem, said: str, out: Console) -> None:
    from rich.text import Text

    line = Text(f"  {item.name}", "bold green")
    if said:
        line.append(f"  {said}", "not bold yellow")
    out.print(line)
    taken = "; ".join(one.said for one in item.taken_as)
    parts = " · ".join(item.components) + (f"  ({taken})" if taken else "")
    out.print(Text(f"    {parts}", "dim"))


def _render_corrected(corrected: dict[str, str], out: Console) -> None:
    from rich.text import Text

    if corrected:
        read = ", ".join(f"{typed} → {meant}" for typed, meant in corrected.items())
        out.print(Text(f"Read as: {read}", "dim"))

"""`localrec shelf`: what a person has at hand, and what that makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import Commands, DomainOption, command_context, console, note, user_key
from localrec.foundation.errors import InputError, UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from localrec.data.domains import Domain
    from localrec.graph.catalogue import Catalogue
    from localrec.graph.store import Store
    from localrec.retrieval.shelf import ShelfItem, ShelfReport
    from localrec.understanding.shelf_reader import ShelfNames
    from localrec.workspace import OpenWorkspace

EXAMPLES = """
Examples:\n\n
  localrec shelf add --user ana "gin, campari, sweet vermouth, limes"\n\n
  localrec shelf show --user ana\n\n
  localrec shelf show --have "bourbon, lemons, sugar" -k 5\n\n
  localrec shelf remove --user ana "campari"\n\n
  localrec shelf list --user ana --json
"""

app = Commands(
    help="What you have at hand, what it makes, and what one thing more would.",
    epilog=EXAMPLES,
    no_args_is_help=True,
)


UserOption = Annotated[
    str, typer.Option("--user", metavar="KEY", help="Whose shelf.", callback=user_key)
]
NamesArgument = Annotated[
    str, typer.Argument(metavar='"A, B"', help="Names, parted by commas; typos are mended.")
]


@app.command("show", epilog=EXAMPLES)
def show(
    user: Annotated[
        str | None, typer.Option("--user", metavar="KEY", help="Whose shelf.", callback=user_key)
    ] = None,
    have: Annotated[
        str | None,
        typer.Option(metavar='"A, B"', help="A shelf for this once, in place of a stored one."),
    ] = None,
    k: Annotated[int, typer.Option("-k", min=1, max=1000, help="How many of each list.")] = 10,
    domain: DomainOption = None,
) -> None:
    """What can be made now, what lacks one thing, what to get next, what works with a stand-in."""
    from localrec.retrieval.shelf import shelf_report, survey_shelf

    context = command_context()
    if (user is None) == (have is None):
        raise UsageError("Name one shelf: --user KEY, or --have with names.", "Not both.")
    with context.open_workspace() as opened:
        catalogue = _catalogue(opened, domain)
        corrected: dict[str, str] = {}
        if have is not None:
            named = _read_names(have, catalogue)
            at_hand, corrected = _attribute_indexes(named, catalogue), named.corrected
        else:
            at_hand = _shelf_indexes(opened.store, catalogue, user or "")
            if not at_hand:
                raise InputError(
                    f"The shelf of {user} is empty.",
                    f'localrec shelf add --user {user} "gin, lime"',
                )
        report = shelf_report(catalogue, survey_shelf(catalogue, at_hand), k)
    if not context.print_json(report):
        _render(report, corrected, catalogue.domain, console())


@app.command("add", epilog=EXAMPLES)
def add(names: NamesArgument, user: UserOption, domain: DomainOption = None) -> None:
    """Put things on a person's shelf; all of them, or none where a name is unknown."""
    from localrec.graph.interactions import user_node
    from localrec.graph.item_lookup import told_if_new
    from localrec.graph.shelf_store import add_to_shelf

    with _opened_shelf(user, domain, writable=True) as (store, catalogue, corrected):
        named = _read_names(names, catalogue)
        corrected |= named.corrected
        if new := told_if_new(store, user):
            note(new)
        user_id = user_node(store, catalogue.domain.name, user, create=True)
        if user_id is not None:
            indexes = _attribute_indexes(named, catalogue)
            add_to_shelf(store, user_id, [catalogue.attributes[one].node_id for one in indexes])


@app.command("remove", epilog=EXAMPLES)
def remove(names: NamesArgument, user: UserOption, domain: DomainOption = None) -> None:
    """Take things off a person's shelf; a brand goes with its generic name."""
    with _opened_shelf(user, domain, writable=True) as (store, catalogue, corrected):
        named = _read_names(names, catalogue)
        corrected |= named.corrected
        things = {int(catalogue.identity[one]) for one in _attribute_indexes(named, catalogue)}
        shelf = _shelf_indexes(store, catalogue, user)
        gone = [one for one in shelf if int(catalogue.identity[one]) in things]
        kept = things - {int(catalogue.identity[one]) for one in gone}
        if kept:
            names_of_kept = ", ".join(catalogue.attributes[one].name for one in sorted(kept))
            note(f"Not on the shelf: {names_of_kept}.")
        _take_off(store, catalogue, user, gone)


@app.command("clear", epilog=EXAMPLES)
def clear(user: UserOption, domain: DomainOption = None) -> None:
    """Empty a person's shelf."""
    with _opened_shelf(user, domain, writable=True) as (store, catalogue, _):
        _take_off(store, catalogue, user, _shelf_indexes(store, catalogue, user))


@app.command("list", epilog=EXAMPLES)
def list_(user: UserOption, domain: DomainOption = None) -> None:
    """Name what is on a person's shelf."""
    with _opened_shelf(user, domain):
        pass  # the report that every command ends with is all


@contextmanager
def _opened_shelf(
    user: str, domain: str | None, *, writable: bool = False
) -> Iterator[tuple[Store, Catalogue, dict[str, str]]]:
    """Open the store and the catalogue of a shelf; at the end, say what is on the shelf.

    The block may add the typed words that it corrected to the dictionary.
    """
    context = command_context()
    corrected: dict[str, str] = {}
    with context.open_workspace(writable=writable) as opened:
        catalogue = _catalogue(opened, domain)
        yield opened.store, catalogue, corrected
        shelf = _shelf_indexes(opened.store, catalogue, user)
        names = [catalogue.attributes[one].name for one in shelf]
    if context.print_json({"user": user, "shelf": names, "corrected": corrected}):
        return
    out = console()
    out.print(", ".join(names) if names else "The shelf is empty.")
    _render_corrected(corrected, out)


def _catalogue(workspace: OpenWorkspace, wanted: str | None) -> Catalogue:
    """The catalogue a shelf is for: the domain asked for, else the one that declares staples.

    No vectors are opened, so a shelf also works before anything was embedded.
    """
    from localrec.graph.catalogue import Catalogue
    from localrec.graph.domain_files import load_domain
    from localrec.workspace.domain_choice import domain_of_question

    present = workspace.domains()
    if wanted is None and present:
        wanted = next((name for name in present if load_domain(name).staples), None)
        if wanted is None:
            raise UsageError(
                "Nothing in this workspace is made of what one keeps on a shelf.",
                "Put drinks in: localrec datasets pull cocktails",
            )
    return Catalogue(workspace.store, load_domain(domain_of_question(workspace, "", wanted)))


def _read_names(names: str, catalogue: Catalogue) -> ShelfNames:
    from localrec.understanding.shelf_reader import parse_shelf
    from localrec.understanding.vocabulary import Vocabulary

    return parse_shelf(names, Vocabulary(catalogue))


def _attribute_indexes(named: ShelfNames, catalogue: Catalogue) -> list[int]:
    kind = catalogue.domain.kind_of("component") or ""
    found = (catalogue.attribute_index(kind, key) for key in named.keys)
    return [index for index in found if index is not None]


def _shelf_indexes(store: Store, catalogue: Catalogue, user: str) -> list[int]:
    """Return the attribute indexes of a stored shelf.

    Raises:
        UsageError: the user is unknown.
    """
    from localrec.graph.interactions import user_node
    from localrec.graph.item_lookup import nobody_called
    from localrec.graph.shelf_store import shelf_nodes
    from localrec.retrieval.shelf import shelf_attributes

    user_id = user_node(store, catalogue.domain.name, user)
    if user_id is None:
        begin = f'localrec shelf add --user {user} "gin, lime"'
        domain = catalogue.domain.name
        raise nobody_called(store, user, domain, otherwise=begin)
    return shelf_attributes(catalogue, shelf_nodes(store, user_id))


def _take_off(store: Store, catalogue: Catalogue, user: str, indexes: Sequence[int]) -> None:
    from localrec.graph.interactions import user_node
    from localrec.graph.shelf_store import remove_from_shelf

    user_id = user_node(store, catalogue.domain.name, user)
    if user_id is not None:
        nodes = [catalogue.attributes[one].node_id for one in indexes]
        remove_from_shelf(store, user_id, nodes)


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

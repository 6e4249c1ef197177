"""`localrec forget`: a person, an item or a span of time out of everything, with a receipt."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import (
    DomainOption,
    JsonOption,
    WorkspaceOption,
    console,
    context_of,
    note,
    print_json,
    progress,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from localrec.erasure.forgetting import ForgetReceipt
    from localrec.graph.forget import Wish

EXAMPLES = """
Examples:\n\n
  localrec forget --user ann --dry-run\n\n
  localrec forget --user ann\n\n
  localrec forget --user ann --since 2026-10-01 --yes\n\n
  localrec forget --item negroni --domain cocktails --yes
"""
_SHOWN = 20
_TRAINED = "indexes/sequential-"  # as `index/lessons.py` names its files


def forget(
    user: Annotated[
        str | None,
        typer.Option("--user", metavar="KEY", help="All that is known of this person."),
    ] = None,
    item: Annotated[
        str | None,
        typer.Option("--item", metavar="KEY", help="This item, and what was said of it."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="DATE",
            help="What happened since, such as 2026-10-01 (UTC); with --user only theirs.",
        ),
    ] = None,
    domain: DomainOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go; change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> int:
    """Remove a person, an item or a span of time from everything, and look for traces afterwards.

    The store is written anew, since deleting leaves bytes; caches and logs go, runs lose the lines.
    Exits with 1 when a trace is found after all.
    """
    from localrec.erasure.forgetting import forget as forget_in

    context = context_of(workspace, as_json)
    wish = _wish(user, item, since, domain)
    if not (dry_run or yes):
        _ask(wish)
    with progress() as steps:
        receipt = forget_in(context.workspace, wish, dry_run=dry_run, progress=steps)
    if context.as_json:
        print_json(receipt)
    else:
        for line in _told(receipt):
            console().print(line, soft_wrap=True)
    return int(bool(receipt.found))


def _wish(user: str | None, item: str | None, since: str | None, domain: str | None) -> Wish:
    from localrec.errors import UsageError
    from localrec.graph.forget import Wish
    from localrec.sources.text import clean_name

    try:
        moment = datetime.fromisoformat(since) if since else None
    except ValueError as error:
        raise UsageError(f"{since!r} is no date.", "Write it as 2026-10-01.") from error
    if moment is not None and moment.tzinfo is not None:
        moment = moment.astimezone(UTC).replace(tzinfo=None)
    wish = Wish(
        user=clean_name(user) if user is not None else None, item=item, since=moment, domain=domain
    )
    wish.check()
    return wish


def _ask(wish: Wish) -> None:
    """Have the person confirm; where nobody can be asked, nothing happens.

    Raises:
        UsageError: there is no terminal, or the answer was not yes.
    """
    from localrec.errors import UsageError

    if not _is_watched():
        raise UsageError(
            "Forgetting cannot be undone, and nobody is here to ask.",
            "Look with --dry-run first, then say --yes.",
        )
    whom = wish.user or wish.item or "everybody"
    since = f" since {wish.since}" if wish.since else ""
    note(f"Forget {whom}{since} for good? See --dry-run for what would go.")
    if not typer.confirm("Forget", err=True):
        raise UsageError("Nothing was forgotten.")


def _is_watched() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _told(receipt: ForgetReceipt) -> Iterator[str]:
    would = "would be " if receipt.dry_run else ""
    if not (receipt.rows or receipt.files):
        yield "There was nothing to forget: no row and no file mentions it."
    for table, count in receipt.rows.items():
        yield f"{table}: {count:,} {'row' if count == 1 else 'rows'} {would}removed"
    caches = [fate for fate in receipt.files if fate.path.startswith("indexes/")]
    others = [fate for fate in receipt.files if fate not in caches]
    trained = [fate for fate in caches if fate.path.startswith(_TRAINED)]
    if len(caches) > len(trained):
        counted = f"{len(caches) - len(trained)} files {would}removed"
        yield f"indexes: {counted}; the next question makes them anew"
    if trained:
        yield "What was trained on such data goes too; make it anew: localrec train sequential"
    for fate in others[:_SHOWN]:
        lines = f" ({fate.lines:,} lines fewer)" if fate.lines else ""
        yield f"{fate.path}: {would}{fate.action}{lines}"
    if len(others) > _SHOWN:
        yield f"… {len(others) - _SHOWN} more files with --json"
    if receipt.undated:
        yield f"{receipt.undated:,} things without a date stay: nobody knows when they happened."
    for name in receipt.adapters:
        yield f"Adapter {name} was trained on such data: train it again, or delete its folder."
    if not receipt.dry_run:
        yield from _told_search(receipt)


def _told_search(receipt: ForgetReceipt) -> Iterator[str]:
    searched = receipt.searched
    if searched is not None:
        quoted = (
            f", {searched.keys_in_quotes} of them only between quotes (short, a number, or part of "
            "other words)"
            if searched.keys_in_quotes
            else ""
        )
        yield (
            f"Looked for {searched.keys} keys{quoted} and {searched.texts:,} texts in "
            f"{searched.columns} columns and {searched.files} files ({searched.bytes:,} bytes)."
        )
        for place in searched.unread:
            yield f"Not looked into: {place}"
    for trace in receipt.namesakes:
        yield (
            f"{trace.place} has the same {trace.what} {trace.count:,} times in a catalogue or in "
            "what others said; that stays."
        )
    for trace in receipt.found:
        yield f"STILL THERE: a {trace.what} in {trace.place}, {trace.count:,} times"
    if not receipt.found:
        yield "No trace was found."
    before, after = receipt.store_bytes
    yield (
        f"The store had {before:,} bytes and has {after:,}; {receipt.disk_bytes:,} more were "
        f"needed for a while; {receipt.seconds:.1f} s."
    )

"""`localrec forget`: a person, an item or a span of time out of everything, with a receipt."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import DomainOption, command_context, console, note, progress

if TYPE_CHECKING:
    from localrec.privacy.erasure_plan import ForgetScope

EXAMPLES = """
Examples:\n\n
  localrec forget --user anna --dry-run\n\n
  localrec forget --user anna\n\n
  localrec forget --user anna --since 2026-10-01 --yes\n\n
  localrec forget --item negroni --domain cocktails --yes
"""


def forget(
    user: Annotated[
        str | None, typer.Option("--user", metavar="KEY", help="All that is known of this person.")
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
            help="All records since a day, such as 2026-10-01 (UTC); with --user only theirs.",
        ),
    ] = None,
    domain: DomainOption = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go; change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> int:
    """Remove a person, an item or a span of time from everything, and look for traces afterwards.

    The store is written anew, since deleting leaves bytes; caches and logs go, runs lose the lines.
    Exits with 1 when a trace is found after all, with 2 when nobody has that name.
    """
    from localrec.privacy.erasure_plan import parse_forget_scope
    from localrec.privacy.forget import forget as forget_in
    from localrec.privacy.forget import refuse_nobody
    from localrec.privacy.receipts import format_receipt

    context = command_context()
    scope = parse_forget_scope(user, item, since, domain)
    if not (dry_run or yes):
        refuse_nobody(context.workspace, scope)
        _ask(scope)
    with progress() as steps:
        receipt = forget_in(context.workspace, scope, dry_run=dry_run, progress=steps)
    if not context.print_json(receipt):
        for line in format_receipt(receipt):
            console().print(line, soft_wrap=True)
    return int(bool(receipt.found))


def _ask(scope: ForgetScope) -> None:
    """Have the person confirm; where nobody can be asked, nothing happens.

    Raises:
        UsageError: there is no terminal, or the answer was not yes.
    """
    from localrec.foundation.errors import UsageError

    if not _is_watched():
        raise UsageError(
            "Forgetting cannot be undone, and nobody is here to ask.",
            "Look with --dry-run first, then say --yes.",
        )
    whom = scope.user or scope.item or "everybody"
    since = f" since {scope.since}" if scope.since else ""
    note(f"Forget {whom}{since} for good? See --dry-run for what would go.")
    if not typer.confirm("Forget", err=True):
        raise UsageError("Nothing was forgotten.")


def _is_watched() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()

"""`localrec describe`: better descriptions for items that came without one, by a local model."""

from __future__ import annotations

from typing import Annotated

import typer

from localrec.cli.context import DomainOption, command_context, note, progress
from localrec.foundation.prose import count_of

EXAMPLES = """
Examples:\n\n
  localrec describe --limit 20\n\n
  localrec describe                # stop with Ctrl+C, run again to go on
"""


def describe(
    limit: Annotated[int | None, typer.Option(min=1, help="The most items to describe.")] = None,
    domain: DomainOption = None,
) -> None:
    """Write descriptions for items that have only a generated one; checked, marked, resumable."""
    from localrec.graph.domain_files import load_domain
    from localrec.workspace.domain_choice import domain_of_question
    from localrec.workspace.item_texts import describe_items

    context = command_context()
    with context.open_workspace(writable=True) as opened, progress() as steps:
        about = load_domain(domain_of_question(opened, "", domain))
        summary = describe_items(opened, about, limit, steps)
    if not context.print_json(summary):
        note(
            f"{count_of(summary.written, 'description')} written, {summary.dropped} dropped for "
            f"claiming what the catalogue does not say; "
            f"{summary.waiting - summary.written - summary.dropped} left."
        )

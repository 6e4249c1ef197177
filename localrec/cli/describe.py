"""`localrec describe`: better descriptions for items that came without one, by a local model."""

from __future__ import annotations

from typing import Annotated

import typer

from localrec.cli.context import DomainOption, command_context, note, progress

EXAMPLES = """
Examples:\n\n
  localrec describe --limit 20\n\n
  localrec describe                # stop with Ctrl+C, run again to go on
"""


def describe(
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many items.")] = None,
    domain: DomainOption = None,
) -> None:
    """Write descriptions for items that have only a generated one; checked, marked, resumable."""
    from localrec.explanation.item_descriptions import generate_descriptions
    from localrec.graph.domain_files import load_domain
    from localrec.workspace.domain_choice import domain_of_question

    context = command_context()
    with context.open_workspace(writable=True) as opened, progress() as steps:
        chosen = domain_of_question(opened, "", domain)
        stages = opened.context(chosen)
        model = opened.models.open("writer")
        summary = generate_descriptions(
            opened.store,
            stages.catalogue,
            stages.vocabulary,
            model,
            limit,
            lambda done, total: steps("describing", done, total),
        )
        if summary.written:
            opened.imports.embed_texts(load_domain(chosen), steps)
    if not context.print_json(summary):
        note(
            f"{summary.written} descriptions written, {summary.dropped} dropped for claiming what "
            f"the catalogue does not say; "
            f"{summary.waiting - summary.written - summary.dropped} left."
        )

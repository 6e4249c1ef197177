"""Descriptions of a workspace's items, written by its model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from localrec.foundation.progress import Progress

if TYPE_CHECKING:
    from localrec.data.domains import Domain
    from localrec.explanation.item_descriptions import DescribeSummary
    from localrec.workspace import OpenWorkspace


def describe_items(
    opened: OpenWorkspace, domain: Domain, limit: int | None, progress: Progress
) -> DescribeSummary:
    """Write descriptions for items that have only a generated one; checked, marked, resumable.

    Args:
        opened: The workspace, open for writing.
        domain: The domain of the items.
        limit: The most items to describe; None for all.
        progress: Called with the step, how much of it is done, and of how much.

    Raises:
        ModelError: the model that writes is not here.
    """
    from localrec.explanation.item_descriptions import generate_descriptions

    context = opened.context(domain.name)
    summary = generate_descriptions(
        opened.store,
        context.catalogue,
        context.vocabulary,
        opened.models.open("writer", "", None),
        limit,
        lambda done, total: progress("describing", done, total),
    )
    if summary.written:
        opened.imports.embed_texts(domain, progress)
    return summary

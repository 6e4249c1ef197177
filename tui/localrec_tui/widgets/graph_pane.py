"""The graph around an item: what it has, and which other items have the same."""

from __future__ import annotations

from collections.abc import Iterator

from textual.content import Content

from localrec.graph.edge_phrases import edge_phrase
from localrec_tui.services.catalogue import CatalogueService, CatalogueView, NodeView
from localrec_tui.widgets.detail_pane import pane_lines

_ATTRIBUTES = 12  # of an item
_ITEMS = 6  # of an attribute


def graph_text(service: CatalogueService, view: CatalogueView, key: str) -> Content:
    """Read what an item has, and for each of that what else has it."""
    from localrec.graph.domain_files import load_domain

    item = service.open_node(view, load_domain(view.domain).item, key, 0)
    return pane_lines(_lines(service, view, item))


def _lines(
    service: CatalogueService, view: CatalogueView, item: NodeView
) -> Iterator[Content | str]:
    if not item.steps:
        yield "No edge leads on from here."
    for place, step in enumerate(item.steps[:_ATTRIBUTES]):
        if place:
            yield ""
        value = f"  {step.value}" if step.value else ""
        phrase = edge_phrase(step.relation, view.domain)
        yield Content.assemble(
            (f"─ {phrase} ─▶ ", "dim"), (step.node.name, "bold $text-accent"), (value, "dim")
        )
        beside = service.open_node(view, step.node.kind, step.node.key, _ITEMS + 1)
        others = [one.name for one in beside.items if one.key != item.node.key][:_ITEMS]
        more = beside.total - 1 - len(others)
        told = ", ".join(others) + (f" and {more:,} more" if others and more > 0 else "")
        yield f"   {told or 'nothing else here'}"

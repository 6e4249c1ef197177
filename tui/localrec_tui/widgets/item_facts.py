"""All that is known of an item, in lines: recipe, texts, facts, its way in the graph, its like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from localrec.data.evidence import Evidence
from localrec_tui.item_text import evidence_graph, fact_lines, item_texts, recipe_lines
from localrec_tui.services.records import ItemDetails
from localrec_tui.widgets.badges import in_line, verdict_badge
from localrec_tui.widgets.detail_pane import pane_head

_LABEL_WIDTH = 13  # a longer label pushes its value on
_LIKE_SHORT = 3  # items like it where there is little room


def item_facts(found: ItemDetails, evidence: Sequence[Evidence] = ()) -> Iterator[Content]:
    """The lines about an item.

    Args:
        found: What the store knows of it.
        evidence: The edges that an answer stands on; () draws no graph.
    """
    if recipe := recipe_lines(found):
        yield pane_head("Recipe")
        wide = max(len(amount) for amount, _ in recipe)
        for amount, name in recipe:
            yield Content.assemble((f"  {amount:>{wide}}  ", "dim"), name)
        yield Content("")
    for text in item_texts(found):
        yield Content(text)
        yield Content("")
    for label, value in fact_lines(found):
        yield Content.assemble((f"{label:<{_LABEL_WIDTH}} ", "dim"), value)
    if evidence:
        yield Content("")
        yield pane_head("Why: its way in the graph")
        for line in evidence_graph(found.name, evidence, found.domain):
            yield Content(line)
    if found.similar:
        yield Content("")
        yield pane_head("Like this, by what they have in common")
        for one in found.similar:
            parts = [Content(f"  {one.name}"), *verdict_badge(one.verdict)]
            parts.append(Content.styled(", ".join(one.shared), "dim"))
            yield Content("  ").join(parts)


def item_brief(found: ItemDetails) -> Iterator[Content]:
    """The same where few lines are seen: facts and recipe each run on, with no line between."""
    if facts := [
        Content.assemble((f"{label} ", "dim"), value) for label, value in fact_lines(found)
    ]:
        yield Content(" · ").join(facts)
    if recipe := recipe_lines(found):
        parts = [Content.assemble((f"{amount} ", "dim"), name) for amount, name in recipe]
        yield Content.assemble(pane_head("Recipe"), "  ", Content(", ").join(parts))
    yield from map(Content, item_texts(found))
    if found.similar:
        names = (
            in_line([Content(one.name), *verdict_badge(one.verdict)])
            for one in found.similar[:_LIKE_SHORT]
        )
        yield Content.assemble(pane_head("Like this"), "  ", Content(", ").join(names))

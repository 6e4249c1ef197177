"""Puts what is stored about an item in words: recipe, facts, what a user said of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from localrec.data.evidence import Evidence
from localrec.data.rows import Event
from localrec.graph.domain_files import load_domain
from localrec_tui.answer_text import edge_phrase
from localrec_tui.services.records import ItemDetails, Verdict

_HERE = "feedback"
FEEDBACK_LABELS = {
    Event.RATED: "you rated it",
    Event.PLAYED: "you played it",
    Event.WANTED: "you want it",
    Event.LIKED: "you like it",
    Event.DISLIKED: "you dislike it",
    Event.ABANDONED: "you gave it up",
    Event.SEEN: "you know it",
    Event.LATER: "not now",
}
_TEXTS = ("description", "instructions", "image_description")  # said first, without their names


def verdict_label(verdict: Verdict | None) -> str:
    """Say what a user thinks of an item, and which export told; "" for nothing."""
    if verdict is None:
        return ""
    told = FEEDBACK_LABELS[verdict.event]
    if verdict.stars is not None:
        told = f"you gave {verdict.stars:g} of 5"
    return told if verdict.source in ("", _HERE) else f"{told} ({verdict.source})"


def item_texts(found: ItemDetails) -> Iterator[str]:
    """The sentences about an item, such as its description and how it is made."""
    for name in _TEXTS:
        if isinstance(text := found.properties.get(name), str) and text:
            yield text


def recipe_lines(found: ItemDetails) -> list[tuple[str, str]]:
    """The components that have an amount, as pairs of amount and name; none: no recipe."""
    component = load_domain(found.domain).kind_of("component")
    if component is None:
        return []
    edge = load_domain(found.domain).attributes[component].edge
    links = [link for link in found.links if link.relation == edge]
    if not any(link.value for link in links):
        return []
    return [(link.value or "", link.target) for link in links]


def fact_lines(found: ItemDetails) -> Iterator[tuple[str, str]]:
    """Pairs of label and value: attributes by kind first, then the rest of the properties."""
    domain = load_domain(found.domain)
    has_recipe = bool(recipe_lines(found))
    for kind, spec in domain.attributes.items():
        if has_recipe and kind == domain.kind_of("component"):
            continue
        names = [link.target for link in found.links if link.relation == spec.edge]
        if names:
            yield _label(kind), ", ".join(dict.fromkeys(names))
    kinds = {kind.casefold() for kind in domain.attributes}
    for name, value in found.properties.items():
        if name in _TEXTS or name.casefold() in kinds or _is_internal(name):
            continue
        if value not in (None, "", found.name):
            yield _label(name), str(value)


def _is_internal(name: str) -> bool:
    """Whether a property is a key or the origin of another, which tells a reader nothing."""
    return name == "id" or name.endswith(("_source", "_id", "Thumbnail", "_url", "_count"))


def _label(name: str) -> str:
    return name.replace("_", " ").capitalize()


def evidence_graph(name: str, evidence: Sequence[Evidence], domain: str) -> list[str]:
    """Draw the evidence in lines: from the item `name` first, then from other starting nodes.

    What leads on from a node is drawn where the node is met first, so a circle ends.
    """
    edges_from: dict[str, list[Evidence]] = {}
    for edge in dict.fromkeys(evidence):
        edges_from.setdefault(_mark(edge.source), []).append(edge)
    reached = {_mark(edge.target) for edge in evidence}
    starts = [name, *(edge.source for edge in evidence if _mark(edge.source) not in reached)]
    lines: list[str] = []
    drawn: set[str] = set()
    for start in dict.fromkeys(starts):
        if _mark(start) not in drawn:
            lines.append(start)
            lines += _branches(start, "", edges_from, drawn, domain)
    return lines


def _branches(
    node: str, indent: str, edges_from: dict[str, list[Evidence]], drawn: set[str], domain: str
) -> list[str]:
    if _mark(node) in drawn:
        return []
    drawn.add(_mark(node))
    lines = []
    edges = edges_from.get(_mark(node), [])
    for number, edge in enumerate(edges, 1):
        is_last = number == len(edges)
        value = f"  {edge.value}" if edge.value else ""
        phrase = edge_phrase(edge.relation, domain)
        lines.append(f"{indent}{'└' if is_last else '├'}─ {phrase} ─▶ {edge.target}{value}")
        below = f"{indent}{' ' if is_last else '│'}  "
        lines += _branches(edge.target, below, edges_from, drawn, domain)
    return lines


def _mark(node: str) -> str:
    """An edge names its target as the catalogue writes it, the next edge by its own name."""
    return node.casefold()

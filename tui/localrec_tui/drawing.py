"""The evidence of an item as a small graph in characters, from the item outwards.

    Negroni
    ├─ HAS_INGREDIENT ─▶ Gin  30 ml
    │  └─ IS_A ─▶ spirit
    └─ HAS_INGREDIENT ─▶ Campari  30 ml

Meant for a font of fixed width, and readable without colour.
"""

from __future__ import annotations

from collections.abc import Sequence

from localrec.types import Evidence


def graph_of(name: str, evidence: Sequence[Evidence]) -> list[str]:
    """The lines of the drawing: the item `name` first, then whoever else is a beginning.

    What leads on from a node is drawn where the node is met first, so a circle ends.
    """
    leads: dict[str, list[Evidence]] = {}
    for edge in dict.fromkeys(evidence):
        leads.setdefault(_mark(edge.source), []).append(edge)
    reached = {_mark(edge.target) for edge in evidence}
    starts = [name, *(edge.source for edge in evidence if _mark(edge.source) not in reached)]
    lines: list[str] = []
    drawn: set[str] = set()
    for start in dict.fromkeys(starts):
        if _mark(start) not in drawn:
            lines.append(start)
            lines += _branches(start, "", leads, drawn)
    return lines


def _branches(
    node: str, indent: str, leads: dict[str, list[Evidence]], drawn: set[str]
) -> list[str]:
    if _mark(node) in drawn:
        return []
    drawn.add(_mark(node))
    lines = []
    edges = leads.get(_mark(node), [])
    for number, edge in enumerate(edges, 1):
        is_last = number == len(edges)
        value = f"  {edge.value}" if edge.value else ""
        lines.append(f"{indent}{'└' if is_last else '├'}─ {edge.relation} ─▶ {edge.target}{value}")
        below = f"{indent}{' ' if is_last else '│'}  "
        lines += _branches(edge.target, below, leads, drawn)
    return lines


def _mark(node: str) -> str:
    """An edge names its target as the catalogue writes it, the next edge by its own name."""
    return node.casefold()

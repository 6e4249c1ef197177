"""How edges of the graph are called where people read them, which see no `HAS_INGREDIENT`."""

from __future__ import annotations

from localrec.graph.domain_files import load_domain
from localrec.graph.taxonomy import FLAVOURED_WITH, IS_A

_EDGES = {IS_A: "is a kind of", FLAVOURED_WITH: "tastes of"}


def edge_phrase(relation: str, domain_name: str) -> str:
    """Say an edge as a sentence about its source says it: HAS_INGREDIENT as "has"."""
    for spec in load_domain(domain_name).attributes.values():
        if spec.edge == relation:
            before, _, behind = spec.says.partition("{name}")
            return " … ".join(filter(None, (before.strip(), behind.strip())))
    return _EDGES.get(relation) or relation.casefold().replace("_", " ")

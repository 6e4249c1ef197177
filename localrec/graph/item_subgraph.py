"""Walks over the small graph around one item, in NetworkX.

The catalogue's arrays find the items; what surrounds one of them is at most a few dozen nodes
(its attributes and their families), and there a real graph makes paths easy to ask for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from localrec.data.evidence import Evidence
from localrec.graph.catalogue import Catalogue, LinkDetail
from localrec.graph.taxonomy import IS_A

if TYPE_CHECKING:
    import networkx as nx


class ItemSubgraph:
    """An item, its attributes and all families above them."""

    def __init__(self, catalogue: Catalogue, item: int, links: Sequence[LinkDetail]) -> None:
        self.catalogue = catalogue
        self.item = item
        self.links = tuple(links)

    @cached_property
    def graph(self) -> nx.DiGraph:
        """Attribute indexes as nodes, IS_A as edges from the narrower to the wider."""
        import networkx as nx  # 80 ms to import: only an answer with evidence pays for it

        graph: nx.DiGraph = nx.DiGraph()
        queue = [link.attribute for link in self.links]
        graph.add_nodes_from(queue)
        for attribute in queue:
            for family in self.catalogue.parents([attribute]):
                if family not in graph:
                    queue.append(family)
                graph.add_edge(attribute, family)
        return graph

    def path_to(self, family: int) -> tuple[int, ...]:
        """The shortest way from one of the item's attributes up to `family`; () if there is none.

        The first entry is the attribute the item is linked to, the last is `family`.
        """
        own = {link.attribute: place for place, link in enumerate(self.links)}
        if (near := self._near_path(family, own)) is not None:
            return near
        import networkx as nx

        if family not in self.graph:
            return ()
        lengths = nx.single_target_shortest_path_length(self.graph, family)
        reachable = [
            (steps, own[node], node) for node, steps in dict(lengths).items() if node in own
        ]
        if not reachable:
            return ()
        return tuple(nx.shortest_path(self.graph, min(reachable)[2], family))

    def _near_path(self, family: int, own: Mapping[int, int]) -> tuple[int, ...] | None:
        """The way of at most one step, which most answers need and which takes no graph."""
        if family in own:
            return (family,)
        if not (below := self.catalogue.below(family)) or not own.keys() & set(below):
            return ()
        narrower = [one for one in own if family in self.catalogue.parents([one])]
        if not narrower:
            return None
        return min(narrower, key=lambda one: (own[one], one)), family

    def link_to(self, attribute: int) -> LinkDetail | None:
        """The item's edge to an attribute."""
        return next((link for link in self.links if link.attribute == attribute), None)

    def of_kind(self, kind: str | None) -> list[LinkDetail]:
        """The item's edges to attributes of one kind, in the catalogue's order."""
        return [one for one in self.links if self.catalogue.attributes[one.attribute].kind == kind]

    def edge(self, link: LinkDetail) -> Evidence:
        """One of the item's edges, as evidence."""
        return Evidence(
            source=self.catalogue.names[self.item],
            relation=link.relation,
            target=link.as_written,
            value=link.value,
        )

    def steps(self, path: Sequence[int]) -> tuple[Evidence, ...]:
        """A way up through the families, as evidence."""
        names = [self.catalogue.attributes[index].name for index in path]
        return tuple(
            Evidence(source=narrow, relation=IS_A, target=wide) for narrow, wide in pairwise(names)
        )

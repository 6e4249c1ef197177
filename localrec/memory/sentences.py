"""Write memory sentences from counts, and the sentences that neighbours propagate."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from localrec.memory.records import MAX_FACETS, Facet, Memory, MemoryUpdate

TEMPLATE_AUTHOR = "counts"  # who wrote a memory that no model wrote
MAX_TITLES = 3  # the paper's "last three titles"
MAX_PROPAGATED = 2  # sentences of neighbours that one memory keeps
RECENT_PREFIX = "lately "
_ALIKE = "people with a like taste enjoy "


def as_sentences(parts: Iterable[str]) -> str:
    """Write parts as sentences."""
    return " ".join(f"{part[0].upper()}{part[1:]}." for part in parts if part)


def join_names(names: Iterable[str]) -> str:
    """Write names as "A, B and C"."""
    *front, last = list(names) or [""]
    return f"{', '.join(front)} and {last}" if front else last


def user_sentence(salient_attributes: Iterable[str], titles: Sequence[str]) -> str:
    """Write a user's own part of their memory, without the full stop."""
    likes = join_names(salient_attributes)
    parts = (
        f"likes {likes}" if likes else "",
        f"{RECENT_PREFIX}{join_names(titles)}" if titles else "",
    )
    return "; ".join(part for part in parts if part)


def item_sentence(salient_attributes: Iterable[str]) -> str:
    """Write an item's memory; "" where its users have nothing in common."""
    names = join_names(salient_attributes)
    return f"liked by people who like {names}" if names else ""


def propagation_facet(theme: str, weight: float, about: tuple[int, ...]) -> Facet:
    """Write the sentence for neighbours: `about` names its source, then the items."""
    return Facet(f"{_ALIKE}{theme}", weight, about)


def propagated(memory: Memory | None) -> list[Facet]:
    """Return the sentences that neighbours propagated to a memory, newest first."""
    if memory is None:
        return []
    return [facet for facet in memory.facets if facet.text.startswith(_ALIKE)][:MAX_PROPAGATED]


def facet_sentences(facets: Iterable[Facet]) -> str:
    """Write facets at the end of a memory, without repetition."""
    return as_sentences(dict.fromkeys(facet.text for facet in facets))


def with_propagated(memory: Memory | None, node_id: int, news: Facet, by: str) -> MemoryUpdate:
    """Add a propagated sentence to a neighbour's memory, in place of the oldest one."""
    said = (news.text, news.supporters[:1])
    kept = [news, *(one for one in propagated(memory) if (one.text, one.supporters[:1]) != said)]
    return _rewritten(memory, node_id, kept[:MAX_PROPAGATED], by)


def without_propagated_items(
    memory: Memory, user_id: int, items: frozenset[int], names: Iterable[tuple[int, str]]
) -> MemoryUpdate | None:
    """Remove a user's sentences about some items from a neighbour's memory; None if it has none.

    A sentence that named other items too goes on naming those.

    Args:
        memory: The neighbour's memory.
        user_id: Node id of the user who propagated the sentences.
        items: Node ids of the items that the user no longer likes.
        names: Node ids and names of the items that such sentences go on naming.
    """
    before, name_of = propagated(memory), dict(names)
    kept = []
    for facet in before:
        source, *about = facet.supporters or (0,)
        left = [one for one in about if one not in items]
        if source != user_id or len(left) == len(about):
            kept.append(facet)
        elif titles := [name_of[one] for one in left if one in name_of]:
            about_rest = (user_id, *left)
            kept.append(propagation_facet(join_names(titles), facet.confidence, about_rest))
    return None if kept == before else _rewritten(memory, memory.node_id, kept, TEMPLATE_AUTHOR)


def _rewritten(
    memory: Memory | None, node_id: int, sentences: Sequence[Facet], by: str
) -> MemoryUpdate:
    """Return a memory's own words and facets with other propagated sentences."""
    text, own = "", tuple[Facet, ...]()
    if memory is not None:
        before = propagated(memory)
        text = memory.text.removesuffix(facet_sentences(before)).rstrip()
        own = tuple(facet for facet in memory.facets if facet not in before)
    return MemoryUpdate(
        node_id=node_id,
        text=f"{text} {facet_sentences(sentences)}".strip(),
        facets=(*own[: MAX_FACETS - len(sentences)], *sentences),
        source="propagated",
        by=by,
        carries_on=True,
    )

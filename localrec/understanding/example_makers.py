"""Who made the example: "like Dissolution, who else writes that way?" bars its author."""

from __future__ import annotations

import msgspec

from localrec.data.query import Constraint, Query
from localrec.foundation.text_matching import tokens
from localrec.graph.catalogue import Catalogue
from localrec.understanding.language_words import english


def bar_makers_of_example(text: str, query: Query, catalogue: Catalogue) -> Query:
    """Bar the makers of a query's example where the question asks for somebody else."""
    item = None if query.target is None else catalogue.item_index(query.target)
    if item is None or not _asks_for_others(text):
        return query
    makers: dict[str, list[str]] = {}
    for index in catalogue.attributes_of(item):
        one = catalogue.attributes[index]
        if catalogue.domain.attributes[one.kind].role == "creator":
            makers.setdefault(one.kind, []).append(one.key)
    bars = (Constraint(kind=kind, any_of=tuple(k), excluded=True) for kind, k in makers.items())
    return msgspec.structs.replace(query, constraints=(*query.constraints, *bars))


def _asks_for_others(text: str) -> bool:
    line = f" {' '.join(token.word for token in tokens(text))} "
    return any(f" {phrase} " in line for phrase in english().example.other_makers)

"""Adds what a user says later to a question that was read."""

from __future__ import annotations

import msgspec

from localrec.data.query import Query
from localrec.foundation.errors import UsageError
from localrec.understanding.query_parser import parse_query
from localrec.understanding.vocabulary import Vocabulary


def add_constraints(intent: Query, more: str, vocabulary: Vocabulary) -> Query:
    """An intent with further wishes in words; a new wish wins over an old one that it contradicts.

    Raises:
        UsageError: the words name nothing that the catalogue knows.
    """
    added = parse_query(more, vocabulary)
    if added.is_empty:
        plural = vocabulary.domain.plural
        raise UsageError(
            f"“{more}” names nothing that the catalogue of {plural} knows.",
            "Try another word for it.",
        )
    named = {(one.kind, one.any_of) for one in added.constraints}
    kept = [one for one in intent.constraints if (one.kind, one.any_of) not in named]
    bounded = {bound.name for bound in added.ranges}
    return msgspec.structs.replace(
        intent,
        constraints=(*kept, *added.constraints),
        flags={**intent.flags, **added.flags},
        ranges=(*(one for one in intent.ranges if one.name not in bounded), *added.ranges),
        target=added.target if added.anchor else intent.target,
        anchor=added.anchor or intent.anchor,
        exclude_items=tuple(dict.fromkeys((*intent.exclude_items, *added.exclude_items))),
        have=tuple(dict.fromkeys((*intent.have, *added.have))),
        order={**intent.order, **added.order},
        visual=intent.visual or added.visual,
    )

"""Checks each item of an answer against each constraint, and adds constraints to an intent."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from localrec.data.query import Query
from localrec.data.recommendations import RecommendedItem
from localrec.foundation.errors import UsageError
from localrec.graph.catalogue import Catalogue
from localrec.retrieval.candidates import constraint_masks, mask_of
from localrec.understanding.query_parser import parse_query
from localrec.understanding.vocabulary import Vocabulary
from localrec_tui.services.records import ConstraintCheck, ItemMatch


def item_matches(
    items: Iterable[RecommendedItem], intent: Query, catalogue: Catalogue
) -> dict[str, ItemMatch]:
    """Map each item's key to the constraints it meets, and its components at hand."""
    met = [(demand.value, demand.mask) for demand in constraint_masks(intent, catalogue)]
    met += [
        (f"no {' or '.join(one.any_of)}", ~mask_of(one, catalogue))
        for one in intent.constraints
        if one.barred and not one.soft
    ]
    found = {}
    for item in items:
        index = catalogue.item_index(item.key)
        if index is None:
            continue
        found[item.key] = ItemMatch(
            checks=tuple(ConstraintCheck(label, bool(mask[index])) for label, mask in met),
            have=_components_at_hand(item, index, catalogue) if intent.have else (),
        )
    return found


def _components_at_hand(item: RecommendedItem, index: int, catalogue: Catalogue) -> tuple[str, ...]:
    names = [catalogue.attributes[one].name for one in catalogue.components_of(index)]
    return tuple(name for name in names if name not in item.missing)


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

"""Checks each item of an answer against each constraint, and adds constraints to an intent."""

from __future__ import annotations

from collections.abc import Iterable

from localrec.data.query import Query
from localrec.data.recommendations import RecommendedItem
from localrec.graph.catalogue import Catalogue
from localrec.retrieval.candidates import constraint_masks, mask_of
from localrec_tui.services.records import ConstraintCheck, ItemMatch


def item_matches(
    items: Iterable[RecommendedItem], intent: Query, catalogue: Catalogue
) -> dict[str, ItemMatch]:
    """Map each item's key to the constraints it meets, and its components at hand."""
    met = [(demand.value, demand.mask) for demand in constraint_masks(intent, catalogue)]
    met += [
        (f"no {' or '.join(one.any_of)}", ~mask_of(one, catalogue))
        for one in intent.constraints
        if one.excluded and not one.soft
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

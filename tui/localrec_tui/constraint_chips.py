"""Shows an intent as chips: one for each constraint, each of which can be removed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

import msgspec

from localrec.data.domains import Domain
from localrec.data.query import Constraint, NumberRange, Query

IntentField = Literal[
    "constraints", "flags", "ranges", "target", "exclude_items", "have", "order"
]  # the field of an intent that a chip stands for


class Chip(msgspec.Struct, frozen=True):
    """One wish of an intent: the field it stands in, its place or name there, and its words."""

    field: IntentField
    place: int | str
    label: str


def intent_chips(
    intent: Query, domain: Domain, names: Mapping[str, str] = MappingProxyType({})
) -> tuple[Chip, ...]:
    """Every wish of an intent, what must be there before what must not.

    Args:
        intent: The intent.
        domain: Its domain.
        names: The names of the example and of items that are not wanted, by key; one without is
            called by its key.
    """
    wanted = sorted(enumerate(intent.constraints), key=lambda pair: pair[1].excluded)
    example = intent.target or intent.anchor
    like = names.get(example, example) if example else None
    chips = [Chip("target", "", f"like {like}")] if like else []
    chips += [Chip("constraints", place, _constraint_label(one, domain)) for place, one in wanted]
    chips += [Chip("flags", name, value) for name, value in intent.flags.items()]
    chips += [Chip("ranges", place, _range_label(one)) for place, one in enumerate(intent.ranges)]
    chips += [Chip("order", name, _order_label(name, way)) for name, way in intent.order.items()]
    chips += [
        Chip("exclude_items", place, f"not {names.get(key, key)}")
        for place, key in enumerate(intent.exclude_items)
    ]
    chips += [Chip("have", place, f"have {key}") for place, key in enumerate(intent.have)]
    return tuple(chips)


def without_chip(intent: Query, chip: Chip) -> Query:
    """The intent with one of its wishes taken out."""
    if chip.field == "target":
        return msgspec.structs.replace(intent, target=None, anchor=None)
    before = getattr(intent, chip.field)
    if isinstance(before, dict):
        after: object = {name: value for name, value in before.items() if name != chip.place}
    else:
        after = tuple(value for place, value in enumerate(before) if place != chip.place)
    return msgspec.structs.replace(intent, **{chip.field: after})


def _constraint_label(one: Constraint, domain: Domain) -> str:
    """ "gin or vodka", "no cream", "glass: coupe glass"; mild wishes are in round brackets."""
    names = " or ".join(one.any_of)
    kind = "" if one.kind == domain.kind_of("component") else f"{one.kind}: "
    label = f"{kind}no {names}" if one.excluded else f"{kind}{names}"
    return f"({label})" if one.soft else label


def _range_label(bound: NumberRange) -> str:
    name = bound.name.replace("_", " ")
    if bound.low == bound.high:
        return f"{name} {bound.low:g}"
    return f"{name} {bound.low:g} to {bound.high:g}"


def _order_label(name: str, way: int) -> str:
    words = {1: "more", -1: "less", 2: "most", -2: "least"}
    return f"{words[way]} {name.replace('_', ' ')}"

"""Hard constraints: which items may be an answer at all, and what gives way when none can.

Every task answers from this pool. What is barred (exclusions, diets, "without alcohol", the
example item itself) is never relaxed. Of the demands the least essential gives way first, then
components one at a time from the last one named (MARC, appendix A.1, C2); whatever turns out to
be compatible after all is taken back. A container first gives way to its siblings.
"""

from __future__ import annotations

import msgspec
import numpy as np

from localrec.data.answers import Relaxation
from localrec.data.arrays import Mask
from localrec.data.query import Constraint, NumberRange, Query, TaskKind
from localrec.graph.catalogue import Catalogue

# Which demands give way, first to last; components from the last one named.
_YIELDING: dict[TaskKind, tuple[str, ...]] = {
    TaskKind.C1: (
        "garnish",
        "look",
        "category",
        "range",
        "container",
        "creator",
        "component",
        "colour",
    ),
    TaskKind.C2: (
        "garnish",
        "look",
        "category",
        "range",
        "colour",
        "creator",
        "component",
        "container",
    ),
    TaskKind.C3: (
        "garnish",
        "look",
        "category",
        "range",
        "colour",
        "container",
        "creator",
        "component",
    ),
    TaskKind.C4: (
        "garnish",
        "look",
        "category",
        "range",
        "colour",
        "container",
        "creator",
        "component",
    ),
}


class ConstraintMask(msgspec.Struct, frozen=True):
    """One thing asked for: its role, its words, and the mask of items that have it."""

    role: str
    value: str
    mask: Mask
    constraint: Constraint | None = None


class CandidateSet(msgspec.Struct, frozen=True):
    """The items that may answer, and how they came to be that few or that many.

    Args:
        allowed: Items with nothing barred.
        satisfying: Items that also meet every demand, before anything was relaxed.
        items: The pool to rank: `satisfying`, or what is left after relaxing.
        demands: Everything asked for.
        relaxed: What was let go.
    """

    allowed: Mask
    satisfying: Mask
    items: Mask
    demands: tuple[ConstraintMask, ...]
    relaxed: tuple[Relaxation, ...]

    def without_constraints(self) -> CandidateSet:
        """Return the set with every item to rank."""
        return msgspec.structs.replace(self, items=np.ones_like(self.items), relaxed=())


def build_candidates(intent: Query, catalogue: Catalogue, task: TaskKind) -> CandidateSet:
    """The pool of items for an intent; empty only when everything is barred."""
    allowed = allowed_items(intent, catalogue)
    demands = constraint_masks(intent, catalogue)
    satisfying = _meeting(allowed, demands)
    if satisfying.any() or not allowed.any():
        return CandidateSet(allowed, satisfying, satisfying, tuple(demands), ())
    kept, relaxed = _relax(allowed, demands, catalogue, task)
    return CandidateSet(
        allowed, satisfying, _meeting(allowed, kept), tuple(demands), tuple(relaxed)
    )


def allowed_items(intent: Query, catalogue: Catalogue) -> Mask:
    """Items that hold nothing barred and are not the example itself."""
    allowed = catalogue.every()
    for constraint in intent.constraints:
        if constraint.barred and not constraint.soft:
            allowed &= ~mask_of(constraint, catalogue)
    for flag, value in intent.flags.items():
        accepted = catalogue.domain.flags[flag].accepts.get(value, (value,))
        allowed &= np.isin(catalogue.flags[flag], list(accepted))
    if intent.target is not None:
        allowed[catalogue.items_named(intent.target, exactly=True)] = False
    for key in intent.exclude_items:  # "not a Margarita" means no Frozen Margarita either
        allowed[catalogue.items_named(key, exactly=False)] = False
    return allowed


def constraint_masks(intent: Query, catalogue: Catalogue) -> list[ConstraintMask]:
    """Everything asked for that an item can have or lack, with the items that have it."""
    demands = [
        ConstraintMask(
            catalogue.domain.attributes[constraint.kind].role,
            " or ".join(constraint.any_of),
            mask_of(constraint, catalogue),
            constraint,
        )
        for constraint in intent.constraints
        if not constraint.barred and not constraint.soft
    ]
    demands += [
        ConstraintMask("range", _range_text(bound), _in_range(bound, catalogue))
        for bound in intent.ranges
    ]
    return demands


def mask_of(constraint: Constraint, catalogue: Catalogue) -> Mask:
    """Items with any of a constraint's attributes, families included.

    What is barred reaches further than what is asked for: it also takes names that merely speak
    of it ("hazelnut vodka" when nuts are barred), and garnishes named like it.
    """
    attributes: set[int] = set()
    for key in constraint.any_of:
        index = catalogue.attribute_index(constraint.kind, key)
        if index is not None:
            attributes.update(catalogue.below(index, constraint.barred))
    mask = catalogue.items_with(tuple(sorted(attributes)))
    if constraint.barred:
        mask = mask | _garnished_with(constraint, attributes, catalogue)
    return mask


def _garnished_with(constraint: Constraint, attributes: set[int], catalogue: Catalogue) -> Mask:
    """Items whose garnish is named after a barred component ("no olives", an olive on top)."""
    garnish = catalogue.domain.kind_of("garnish")
    if garnish is None or constraint.kind != catalogue.domain.kind_of("component"):
        return catalogue.none()
    named: set[int] = set()
    for index in attributes:
        match = catalogue.attribute_index(garnish, catalogue.attributes[index].key)
        if match is not None:
            named.update(catalogue.below(match))
    return catalogue.items_with(tuple(sorted(named)))


def _relax(
    allowed: Mask, demands: list[ConstraintMask], catalogue: Catalogue, task: TaskKind
) -> tuple[list[ConstraintMask], list[Relaxation]]:
    kept = list(demands)
    loosened: list[tuple[ConstraintMask, str]] = []
    for demand in demands:
        sibling = _siblings(demand, catalogue)
        if sibling is not None:
            kept = [sibling if one is demand else one for one in kept]
            reason = f"nothing fits in exactly that, so {sibling.value} counts as well"
            loosened.append((demand, reason))
    if loosened and _meeting(allowed, kept).any():
        return kept, _said(loosened, [])
    kept = list(demands)
    dropped: list[tuple[ConstraintMask, str]] = []
    for demand in _yielding_order(demands, task):
        kept = [one for one in kept if one is not demand]
        dropped.append((demand, _why(demand, allowed)))
        if _meeting(allowed, kept).any():
            break
    for demand, _ in list(dropped):  # a demand dropped early may be compatible with the rest
        if _meeting(allowed, [*kept, demand]).any():
            kept.append(demand)
            dropped = [pair for pair in dropped if pair[0] is not demand]
    return kept, _said([], dropped)


def _said(
    loosened: list[tuple[ConstraintMask, str]], dropped: list[tuple[ConstraintMask, str]]
) -> list[Relaxation]:
    return [
        Relaxation(constraint=demand.role, value=demand.value, reason=reason)
        for demand, reason in (*dropped, *loosened)
    ]


def _yielding_order(demands: list[ConstraintMask], task: TaskKind) -> list[ConstraintMask]:
    ranks = {role: rank for rank, role in enumerate(_YIELDING[task])}
    places = {id(demand): place for place, demand in enumerate(demands)}
    return sorted(demands, key=lambda demand: (ranks[demand.role], -places[id(demand)]))


def _siblings(demand: ConstraintMask, catalogue: Catalogue) -> ConstraintMask | None:
    """A container demand widened to its family ("any stemmed glass"), if it has one."""
    if demand.role != "container" or demand.constraint is None:
        return None
    kind = demand.constraint.kind
    indexes = [catalogue.attribute_index(kind, key) for key in demand.constraint.any_of]
    families = catalogue.parents(index for index in indexes if index is not None)
    if not families:
        return None
    keys = tuple(catalogue.attributes[family].key for family in families)
    wider = Constraint(kind=kind, any_of=keys)
    return ConstraintMask("container", " or ".join(keys), mask_of(wider, catalogue), wider)


def _why(demand: ConstraintMask, allowed: Mask) -> str:
    if not (demand.mask & allowed).any():
        return f"nothing in the catalogue that is allowed has {demand.value}"
    return f"no item has {demand.value} together with the rest"


def _meeting(allowed: Mask, demands: list[ConstraintMask]) -> Mask:
    mask = allowed.copy()
    for demand in demands:
        mask &= demand.mask
    return mask


def _in_range(bound: NumberRange, catalogue: Catalogue) -> Mask:
    values = catalogue.numbers[bound.name]
    return np.asarray((values >= bound.low) & (values <= bound.high), dtype=bool)


def _range_text(bound: NumberRange) -> str:
    name = bound.name.replace("_", " ")
    if bound.low == bound.high:
        return f"{name} {bound.low:g}"
    if bound.low <= 1:
        return f"{name} up to {bound.high:g}"
    if bound.high >= 99 and bound.high in (99, 9999):
        return f"{name} from {bound.low:g}"
    return f"{name} {bound.low:g} to {bound.high:g}"

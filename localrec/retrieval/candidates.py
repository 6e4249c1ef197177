"""Build the candidates of a question from its hard constraints, and relax these if none is left.

Every task answers from the candidates. Exclusions, diets, "without alcohol" and the example item
itself are never relaxed. Of the other constraints the least essential gives way first, then the
components one at a time from the last one named (MARC, appendix A.1, C2). A relaxed constraint
that turns out to be compatible is restored. A container first gives way to its siblings.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from localrec.data.answers import Relaxation
from localrec.data.arrays import Mask
from localrec.data.query import Constraint, NumberRange, Query, TaskKind, TextWish
from localrec.foundation.text_matching import roots
from localrec.graph.catalogue import Catalogue
from localrec.retrieval.attribute_lists import attributes_by_words
from localrec.retrieval.other_readings import (
    ENOUGH,
    ConstraintMask,
    meeting,
    other_reading,
    party_of,
)

_SHORTEST_TASTE = 3  # letters: "oak"
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


class CandidateSet(msgspec.Struct, frozen=True):
    """The candidates of a question, and the constraints they were chosen by.

    Args:
        allowed: Items without an excluded attribute.
        satisfying: Items that also meet every constraint, before any was relaxed or became an
            alternative because too few items meet the wishes of several people together.
        items: The candidates to rank: `satisfying`, or the items left after relaxing.
        demands: All constraints of the question.
        relaxed: The constraints that gave way.
        either: Wishes that no item, or of several people too few, meet together and that were read
            as alternatives.
        dropped: Words that were doubtfully taken for a wish, and are none.
    """

    allowed: Mask
    satisfying: Mask
    items: Mask
    demands: tuple[ConstraintMask, ...]
    relaxed: tuple[Relaxation, ...]
    either: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()

    def without_constraints(self) -> CandidateSet:
        """Return the set with every item to rank."""
        return msgspec.structs.replace(self, items=np.ones_like(self.items), relaxed=())


def build_candidates(
    intent: Query, catalogue: Catalogue, task: TaskKind, within: Mask | None = None
) -> CandidateSet:
    """Build the candidates of a query, inside `within`; empty only if every item is excluded."""
    allowed = allowed_items(intent, catalogue)
    if within is not None:
        allowed &= within
    if intent.own_flags and (apart := _with_flags_apart(intent, catalogue, within)) is not None:
        return apart
    demands = constraint_masks(intent, catalogue)
    allowed = _without_texts(allowed, demands, intent, catalogue)
    satisfying = meeting(allowed, demands)
    as_asked = CandidateSet(allowed, satisfying, satisfying, tuple(demands), ())
    enough = ENOUGH if intent.several else 1
    if int(satisfying.sum()) >= enough or not allowed.any():
        return as_asked
    other = other_reading(
        allowed, demands, catalogue, several=intent.several, parties=intent.parties
    )
    if other is not None:
        met = meeting(allowed, other.demands)
        all_met = satisfying if satisfying.any() else met
        return CandidateSet(allowed, all_met, met, other.demands, (), other.either, other.dropped)
    if satisfying.any():
        return as_asked
    kept, relaxed = _relax(allowed, demands, catalogue, task)
    return CandidateSet(allowed, satisfying, meeting(allowed, kept), tuple(demands), tuple(relaxed))


def _with_flags_apart(
    intent: Query, catalogue: Catalogue, within: Mask | None
) -> CandidateSet | None:
    """The candidates where one of several people asks for a flag: "gin for me, none for him".

    What has the flag is an alternative to the others' wishes; None where nothing else is left.
    """
    with_flags = allowed_items(intent, catalogue)
    if within is not None:
        with_flags &= within
    if all((mask & with_flags).any() for mask in _party_masks(intent, catalogue)):
        return None  # all wishes can be met so: what one goes without may hold for all
    common = {flag: one for flag, one in intent.flags.items() if flag not in intent.own_flags}
    others = msgspec.structs.replace(intent, flags=common, own_flags=())
    allowed = allowed_items(others, catalogue)
    if within is not None:
        allowed &= within
    demands = constraint_masks(others, catalogue)
    demands += [
        ConstraintMask("flag", intent.flags[flag], _flagged(flag, intent.flags[flag], catalogue))
        for flag in intent.own_flags
    ]
    allowed = _without_texts(allowed, demands, others, catalogue)
    other = other_reading(allowed, demands, catalogue, several=True, parties=(*intent.parties, ()))
    if other is None:
        return None
    met, together = meeting(allowed, other.demands), meeting(allowed, demands)
    satisfying = together if together.any() else met
    return CandidateSet(allowed, satisfying, met, other.demands, (), other.either, other.dropped)


def masks_of_people(intent: Query, catalogue: Catalogue) -> Iterator[Mask]:
    """The items for each of several people, who may have several wishes or ask for a flag alone."""
    yield from _party_masks(intent, catalogue)
    for flag in intent.own_flags:
        yield _flagged(flag, intent.flags[flag], catalogue)


def _party_masks(intent: Query, catalogue: Catalogue) -> list[Mask]:
    """The items that meet what each of several people wishes for, but for flags."""
    parties: dict[int, Mask] = {}
    for number, constraint in enumerate(intent.constraints):
        if constraint.excluded or constraint.soft:
            continue
        party = party_of(constraint, intent.parties) if intent.parties else number
        if party < 0:
            continue  # of nobody in particular
        mask = mask_of(constraint, catalogue)
        mine = parties.get(party, mask)
        together = mine & mask
        parties[party] = together if together.any() else mine | mask
    return list(parties.values())


def _flagged(flag: str, value: str, catalogue: Catalogue) -> Mask:
    """Mark the items that a wish for a flag accepts."""
    accepted = catalogue.domain.flags[flag].accepts.get(value, (value,))
    return catalogue.flags[flag].among(accepted)


def _without_texts(
    allowed: Mask, demands: list[ConstraintMask], intent: Query, catalogue: Catalogue
) -> Mask:
    """Bar the items whose texts say what is refused, where others are left."""
    for wish in intent.texts:
        if wish.excluded:
            kin = (msgspec.structs.replace(wish, words=one) for one in _kin_of(wish.words))
            saying = (_saying(one, catalogue) for one in (wish, *kin))
            left = allowed & ~np.logical_or.reduce(list(saying))
            if left.any():
                allowed = left
    return allowed


def _kin_of(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What tastes of a refused word is refused with it: "smoky" and "smoked" with "smoke"."""
    if len(words) == 1 and len(words[0]) >= _SHORTEST_TASTE:
        stem = words[0].removesuffix("e")
        yield from ((f"{stem}{ending}",) for ending in ("y", "ed", "ey"))


def _saying(wish: TextWish, catalogue: Catalogue) -> Mask:
    """Mark the items whose texts, or whose names, say some words."""
    if not wish.in_name:
        return catalogue.items_saying(wish.words)
    mask = catalogue.none()
    mask[catalogue.items_titled(wish.words)] = True
    return mask


def allowed_items(intent: Query, catalogue: Catalogue) -> Mask:
    """Mark the items that have no excluded attribute and are not the example itself."""
    allowed = catalogue.every()
    for constraint in intent.constraints:
        if constraint.excluded and not constraint.soft:
            allowed &= ~mask_of(constraint, catalogue)
            allowed &= ~_named_after(constraint, catalogue)
    for bound in intent.ranges:
        if bound.excluded:
            allowed &= ~_in_range(bound, catalogue)
    for flag, value in intent.flags.items():
        allowed &= _flagged(flag, value, catalogue)
    if intent.target is not None:
        allowed[catalogue.items_named(intent.target, exactly=True)] = False
    for key in intent.exclude_items:  # "not a Margarita" means no Frozen Margarita either
        allowed[catalogue.items_named(key, exactly=False)] = False
    return allowed


def _named_after(constraint: Constraint, catalogue: Catalogue) -> Mask:
    """Items whose names hold what is refused: "no Harry Potter" bars books about it as well.

    Only a catalogue's own kinds count, by names of several words or by one that is rare.
    """
    domain = catalogue.domain
    if constraint.kind in domain.taxonomy or domain.attributes[constraint.kind].role != "category":
        return catalogue.none()
    mask = catalogue.none()
    for key in constraint.any_of:
        words = roots(key)
        index = catalogue.attribute_index(constraint.kind, key)
        if len(words) > 1 and index is not None:
            mask[catalogue.items_titled(words)] = True
    return mask


def constraint_masks(intent: Query, catalogue: Catalogue) -> list[ConstraintMask]:
    """Return the constraints that an item can meet or miss, with the items that meet each."""
    demands = [
        ConstraintMask(
            catalogue.domain.attributes[constraint.kind].role,
            " or ".join(
                dict.fromkeys((*constraint.any_of, *(key for _, key in constraint.or_else)))
            ),
            mask_of(constraint, catalogue),
            constraint,
        )
        for constraint in intent.constraints
        if not constraint.excluded and not constraint.soft
    ]
    demands += [
        ConstraintMask("range", _range_text(bound), _in_range(bound, catalogue))
        for bound in intent.ranges
        if not bound.excluded
    ]
    demands += [
        ConstraintMask("category", f"{wish.typed} in its name", _saying(wish, catalogue))
        for wish in intent.texts
        if wish.in_name and not wish.excluded
    ]
    return demands


def mask_of(constraint: Constraint, catalogue: Catalogue) -> Mask:
    """Mark the items with any of a constraint's attributes, families included.

    An exclusion reaches further than a wish: it also covers names that only mention the attribute
    ("hazelnut vodka" when nuts are excluded), and garnishes of that name.
    """
    attributes: set[int] = set()
    for key in constraint.any_of:
        index = catalogue.attribute_index(constraint.kind, key)
        if index is not None:
            attributes.update(catalogue.below(index, constraint.excluded))
    for kind, key in constraint.or_else:
        index = catalogue.attribute_index(kind, key)
        if index is not None:
            attributes.update(catalogue.below(index))
    mask = catalogue.items_with(tuple(sorted(attributes)))
    if constraint.excluded:
        mask = mask | _garnished_with(constraint, attributes, catalogue)
    return mask


def _garnished_with(constraint: Constraint, attributes: set[int], catalogue: Catalogue) -> Mask:
    """Items whose garnish is called after a barred component: olives, a salt rim, a lime wheel."""
    garnish = catalogue.domain.kind_of("garnish")
    if garnish is None or constraint.kind != catalogue.domain.kind_of("component"):
        return catalogue.none()
    by_words = attributes_by_words(catalogue, garnish)
    keys = {catalogue.attributes[index].key for index in attributes}
    called = {index for key in keys for index in by_words.get(key, ())}
    named = {one for index in called for one in catalogue.below(index)}
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
    if loosened and meeting(allowed, kept).any():
        return kept, _relaxations(loosened, [])
    kept = list(demands)
    dropped: list[tuple[ConstraintMask, str]] = []
    for demand in _yielding_order(demands, task):
        kept = [one for one in kept if one is not demand]
        dropped.append((demand, _why(demand, allowed)))
        if meeting(allowed, kept).any():
            break
    for demand, _ in list(dropped):  # a demand dropped early may be compatible with the rest
        if meeting(allowed, [*kept, demand]).any():
            kept.append(demand)
            dropped = [pair for pair in dropped if pair[0] is not demand]
    return kept, _relaxations([], dropped)


def _relaxations(
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
    family = Constraint(kind=kind, any_of=keys)
    return ConstraintMask("container", " or ".join(keys), mask_of(family, catalogue), family)


def _why(demand: ConstraintMask, allowed: Mask) -> str:
    if not (demand.mask & allowed).any():
        return f"nothing in the catalogue that is allowed has {demand.value}"
    return f"no item has {demand.value} together with the rest"


def _in_range(bound: NumberRange, catalogue: Catalogue) -> Mask:
    values = catalogue.numbers[bound.name]
    return np.asarray((values >= bound.low) & (values <= bound.high), dtype=bool)


def _range_text(bound: NumberRange) -> str:
    name = bound.name.replace("_", " ")
    if bound.low == bound.high:
        return f"{name} {bound.low:g}"
    if bound.low <= 1:
        return f"{name} up to {bound.high:g}"
    if bound.high in (99, 9999) or bound.high >= 99_999:
        return f"{name} from {bound.low:g}"
    return f"{name} {bound.low:g} to {bound.high:g}"

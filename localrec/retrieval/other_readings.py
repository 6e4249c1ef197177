"""Other readings of a question whose demands no item meets together.

Before anything is let go, a question may have been read wrongly: wishes of which an item can only
have one are alternatives ("sherry for her, a port for him"), and a name that was doubtful to begin
with is none ("my hands shake").
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from localrec.data.arrays import Mask
from localrec.data.query import Constraint
from localrec.graph.catalogue import Catalogue
from localrec.retrieval.attribute_lists import attributes_of_kind

_WISHED = frozenset({"category", "component", "creator", "colour", "flag"})  # of several people
ENOUGH = 3  # items that meet the wishes of several people, to show these alone
_SELDOM = 0.05  # share of items that have a second attribute of a kind of which most have one


class ConstraintMask(msgspec.Struct, frozen=True):
    """One constraint: its role, its words, and the mask of items that meet it."""

    role: str
    value: str
    mask: Mask
    constraint: Constraint | None = None


_Reading = tuple[tuple[ConstraintMask, ...], tuple[str, ...]]  # demands, and what became "or"


class OtherReading(msgspec.Struct, frozen=True):
    """Demands that some item meets.

    Args:
        demands: The constraints.
        either: Demands that became alternatives, as one text each.
        dropped: Words that were taken for names and are none.
    """

    demands: tuple[ConstraintMask, ...]
    either: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()


def other_reading(
    allowed: Mask,
    demands: Sequence[ConstraintMask],
    catalogue: Catalogue,
    *,
    several: bool = False,
    parties: Sequence[Sequence[str]] = (),
) -> OtherReading | None:
    """Find the nearest other reading that some allowed item meets; None where there is none.

    Args:
        allowed: Items that nothing bars.
        demands: What the question demands.
        catalogue: Its items.
        several: Whether the wishes are several people's, and alternatives whatever their kinds.
        parties: The keys of what each of them wishes for.
    """
    readings: list[_Reading] = [(tuple(demands), ()), _alternatives(demands, catalogue, several)]
    if several and len(parties) > 1:
        by_party = _by_party(demands, parties)
        few = int(meeting(allowed, by_party[0]).sum()) < ENOUGH
        readings.insert(1 if few else 2, by_party)
    for told, text in reversed(readings) if several else readings:
        doubtful = [one for one in told if one.constraint is not None and one.constraint.doubtful]
        for dropped in ([], *([one] for one in doubtful), doubtful):
            kept = tuple(one for one in told if not any(one is other for other in dropped))
            if kept and (text or dropped) and _is_met(allowed, kept):
                return OtherReading(kept, text, tuple(one.value for one in dropped))
    return None


def _has_one_of(catalogue: Catalogue, kind: str) -> bool:
    """Whether items have but one attribute of a kind, as they have one country."""
    mine = attributes_of_kind(catalogue, kind)
    links = int(catalogue.uses[list(mine)].sum())
    return links <= (1 + _SELDOM) * int(catalogue.items_with(mine).sum())


def _is_met(allowed: Mask, demands: Sequence[ConstraintMask]) -> bool:
    return bool(meeting(allowed, demands).any())


def meeting(allowed: Mask, demands: Sequence[ConstraintMask]) -> Mask:
    """Mark the allowed items that meet all demands."""
    mask = allowed.copy()
    for demand in demands:
        mask &= demand.mask
    return mask


def _excludes(one: ConstraintMask, others: Sequence[ConstraintMask]) -> bool:
    """Whether some other demand cannot be met with this one; "Portugal" goes with red and white."""
    return any(not (one.mask & other.mask).any() for other in others if other is not one)


def party_of(one: Constraint | None, parties: Sequence[Sequence[str]]) -> int:
    """The number of the party that wishes for something; -1 for a wish of nobody in particular."""
    if one is None:
        return -1
    keys = {*one.any_of, *(key for _, key in one.or_else)}
    return next((n for n, party in enumerate(parties) if keys & {*party}), -1)


def _by_party(demands: Sequence[ConstraintMask], parties: Sequence[Sequence[str]]) -> _Reading:
    """Join what each person wishes for, and these to one demand; what is of nobody stays.

    "Cabernet from Napa for me, Prosecco for the moms" is a Cabernet from Napa, or a Prosecco.
    """
    groups: dict[int, list[ConstraintMask]] = {}
    common: list[ConstraintMask] = []
    for number, one in enumerate(demands):
        party = party_of(one.constraint, parties) if one.role in _WISHED else -1
        if one.role == "flag":
            groups[-1 - number] = [one]
        elif party < 0:
            common.append(one)
        else:
            groups.setdefault(party, []).append(one)
    if len(groups) < 2:
        return tuple(demands), ()
    wishes = [_all_of(group) for group in groups.values()]
    mask = np.logical_or.reduce([one.mask for one in wishes])
    words = " or ".join(one.value for one in wishes)
    return (ConstraintMask(wishes[0].role, words, mask), *common), (words,)


def _all_of(wishes: Sequence[ConstraintMask]) -> ConstraintMask:
    """One person's wishes together; each of them alone where nothing meets them all."""
    together = np.logical_and.reduce([one.mask for one in wishes])
    if together.any():
        words = " and ".join(one.value for one in wishes)
        return ConstraintMask(wishes[0].role, words, together)
    mask = np.logical_or.reduce([one.mask for one in wishes])
    return ConstraintMask(wishes[0].role, " or ".join(one.value for one in wishes), mask)


def _alternatives(
    demands: Sequence[ConstraintMask], catalogue: Catalogue, several: bool
) -> _Reading:
    """Join the demands of a kind of which an item has but one; and what was joined, in words.

    Wishes of several people are joined over all kinds, whether an item could meet two or not.
    """
    groups: dict[str, list[ConstraintMask]] = {}
    for one in demands:
        if not one.mask.any():
            continue  # what nobody has is no alternative to what some have
        if several and one.role in _WISHED:
            groups.setdefault("", []).append(one)
        elif one.constraint is None:
            continue
        elif one.role == "creator" or _has_one_of(catalogue, one.constraint.kind):
            groups.setdefault(one.constraint.kind, []).append(one)
    apart = (
        [one for one in group if _excludes(one, group)] if kind else group
        for kind, group in groups.items()
    )
    joined = {id(one): group for group in apart if len(group) > 1 for one in group}
    found: list[ConstraintMask] = []
    texts: list[str] = []
    for one in demands:
        group = joined.get(id(one))
        if group is None:
            found.append(one)
        elif one is group[0]:
            mask = one.mask.copy()
            for other in group[1:]:
                mask = mask | other.mask
            words = " or ".join(other.value for other in group)
            found.append(ConstraintMask(one.role, words, mask))
            texts.append(words)
    return tuple(found), tuple(texts)

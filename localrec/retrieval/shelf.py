"""What a shelf makes: now, with one thing more, with something else in its place.

MARC's C3 walks from components to items; here the walk starts at everything a person has. Nothing
is ranked by likeness or by a model: an item is makeable when each of its components is at hand,
and each claim is carried by the item's own edges and the families that `substitutions` walked.
Counting runs over the catalogue's links at once; Python only touches what is at hand and what is
shown.

Left out: amounts (a recipe's 6 cl of an empty bottle) and what only garnishes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Indexes, Mask
from localrec.data.evidence import Evidence
from localrec.data.records import Record
from localrec.graph.catalogue import Catalogue, LinkDetail
from localrec.graph.taxonomy import IS_A
from localrec.retrieval.substitutions import Substitute, SubstitutionRelation, substitution_index

_NAMED = 3  # items named beside a component that unlocks them
# Of a drink's components at most so many are replaced by cousins: a Gibson with sweet vermouth
# is no Gibson, a Whiskey Sour with rye is one.
_LARGEST_REPLACED_SHARE = 1 / 3
_GUESSED = ("family of it", "made of it")

_Counts = NDArray[np.int32]


class ShelfSurvey(msgspec.Struct, frozen=True):
    """A survey of one shelf. Items are catalogue indexes, best first; makeable,
    one away and with substitutes are disjoint.

    Args:
        have: Attribute indexes that were put on the shelf.
        supplied: Thing -> what of these supplies it.
        substitutes: Thing that is not at hand -> what of these may stand in for it.
        at_hand: Things that are supplied, and staples.
        makeable: Items all of whose components are at hand: first those by the names on the shelf,
            then those that take a family for one of its kinds; of each, who use most of the shelf.
        one_away: Items that lack one component for which nothing stands in.
        with_substitutes: Items whose missing components all have a stand-in, fewest first.
        one_missing: Items that lack one component, whether or not something stands in.
        unlocks: Things that would make an item, best first: by `makes`, then by `brings_near`.
        makes: The number of items that lack just this, for every attribute, shape (m,).
        brings_near: The number of items that lack this and one thing more, shape (m,).
    """

    have: tuple[int, ...]
    supplied: dict[int, Substitute]
    substitutes: dict[int, Substitute]
    at_hand: frozenset[int]
    makeable: Indexes
    one_away: Indexes
    with_substitutes: Indexes
    one_missing: Indexes
    unlocks: Indexes
    makes: _Counts
    brings_near: _Counts


class Substitution(msgspec.Struct, frozen=True, kw_only=True):
    """A substitute for a component, and `sentence` (`said` in JSON) as a user reads it."""

    component: str
    at_hand: str
    relation: SubstitutionRelation
    family: str
    sentence: str = msgspec.field(name="said")

    @property
    def said(self) -> str:
        """The old name of `sentence`."""
        return self.sentence


class ShelfItem(msgspec.Struct, frozen=True, kw_only=True):
    """One item against a shelf.

    `missing` names what is not at hand, `substitutions` what may stand in for it; `taken_as` are
    components at hand under another name (bourbon where the item only asks for whiskey).
    """

    key: str
    name: str
    components: tuple[str, ...]
    missing: tuple[str, ...]
    substitutions: tuple[Substitution, ...]
    taken_as: tuple[Substitution, ...]
    evidence: tuple[Evidence, ...]


class Unlock(msgspec.Struct, frozen=True, kw_only=True):
    """A component worth getting: items that lack just this, items it brings one step away."""

    key: str
    name: str
    makes: int
    brings_near: int
    items: tuple[str, ...]  # names of a few that it makes


class ShelfReport(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The first k entries of each list of a survey, with the lengths of the whole lists."""

    have: tuple[str, ...]
    makeable_count: int
    makeable: tuple[ShelfItem, ...]
    one_away_count: int
    one_away: tuple[ShelfItem, ...]
    unlocks: tuple[Unlock, ...]
    with_substitutes_count: int
    with_substitutes: tuple[ShelfItem, ...]


def survey_shelf(
    catalogue: Catalogue, have: Iterable[int], pool: Mask | None = None
) -> ShelfSurvey:
    """Survey the items of `pool` that the components `have` (attribute indexes) can make."""
    substitution = substitution_index(catalogue)
    stocked = tuple(dict.fromkeys(have))
    supplied = substitution.supplied_from(stocked)
    owned = frozenset(supplied) | {int(catalogue.identity[one]) for one in catalogue.staples}
    substitutes = {
        thing: standing
        for thing, standing in substitution.substitutes_among(stocked).items()
        if thing not in owned
    }
    real = (catalogue.every() if pool is None else pool) & (catalogue.component_counts > 0)
    missing = catalogue.component_counts - _count(catalogue, owned)
    used = _count(catalogue, supplied)
    guessed = _count(catalogue, (t for t, one in supplied.items() if one.relation in _GUESSED))
    replaceable = real & (missing > 0) & (missing == _count(catalogue, substitutes))
    replaceable &= ~_strained(catalogue, supplied, substitutes)
    one_missing = _ordered(real & (missing == 1), -used)
    makes = _gains(catalogue, owned, real & (missing == 1))
    brings_near = _gains(catalogue, owned, real & (missing == 2))
    return ShelfSurvey(
        have=stocked,
        supplied=supplied,
        substitutes=substitutes,
        at_hand=owned,
        makeable=_ordered(real & (missing == 0), guessed, -used),
        one_away=one_missing[~replaceable[one_missing]],
        with_substitutes=_ordered(replaceable, missing, -used),
        one_missing=one_missing,
        unlocks=_ordered(makes > 0, -makes, -brings_near),
        makes=makes,
        brings_near=brings_near,
    )


def shelf_attributes(catalogue: Catalogue, node_ids: Sequence[int]) -> list[int]:
    """Attribute indexes of stored shelf nodes, in their order; other nodes are left out."""
    places = {one.node_id: index for index, one in enumerate(catalogue.attributes)}
    return [places[node] for node in node_ids if node in places]


def shelf_report(catalogue: Catalogue, shelf: ShelfSurvey, k: int) -> ShelfReport:
    """The survey in names, each list cut to k; reads the shown items' edges from the store."""
    lists = (shelf.makeable, shelf.one_away, shelf.with_substitutes)
    makeable, one_away, with_substitutes = (
        describe_shelf_items(catalogue, shelf, [int(item) for item in items[:k]]) for items in lists
    )
    return ShelfReport(
        have=tuple(catalogue.attributes[one].name for one in shelf.have),
        makeable_count=len(shelf.makeable),
        makeable=makeable,
        one_away_count=len(shelf.one_away),
        one_away=one_away,
        unlocks=describe_unlocks(catalogue, shelf, k),
        with_substitutes_count=len(shelf.with_substitutes),
        with_substitutes=with_substitutes,
    )


def describe_shelf_items(
    catalogue: Catalogue, shelf: ShelfSurvey, items: Sequence[int]
) -> tuple[ShelfItem, ...]:
    """Items against the shelf, each with the edges that carry what is said of it."""
    links = catalogue.details(items)
    component = catalogue.domain.kind_of("component")
    makeable = []
    for item in items:
        own = [one for one in links[item] if catalogue.attributes[one.attribute].kind == component]
        needs = {int(catalogue.identity[one.attribute]): one.attribute for one in own}
        missing = [thing for thing in needs if thing not in shelf.at_hand]
        taken = [
            (needs[thing], shelf.supplied[thing])
            for thing in needs
            if thing in shelf.supplied and shelf.supplied[thing].relation != "same"
        ]
        replaced = [
            (needs[thing], shelf.substitutes[thing])
            for thing in missing
            if thing in shelf.substitutes
        ]
        edges = [_edge(catalogue.names[item], link) for link in own]
        for need, standing in (*taken, *replaced):
            edges += _ways(catalogue, need, standing)
        makeable.append(
            ShelfItem(
                key=catalogue.keys[item],
                name=catalogue.names[item],
                components=tuple(link.as_written for link in own),
                missing=tuple(catalogue.attributes[needs[thing]].name for thing in missing),
                substitutions=tuple(_stead(catalogue, *one) for one in replaced),
                taken_as=tuple(_stead(catalogue, *one) for one in taken),
                evidence=tuple(dict.fromkeys(edges)),
            )
        )
    return tuple(makeable)


def describe_unlocks(catalogue: Catalogue, shelf: ShelfSurvey, k: int) -> tuple[Unlock, ...]:
    """The k components most worth getting, each with a few of the items it makes.

    What makes nothing beyond a better one is left out: after gin, no Plymouth gin.
    """
    substitution = substitution_index(catalogue)
    unlocks: list[Unlock] = []
    known: list[Mask] = []
    for thing in (int(one) for one in shelf.unlocks):
        if len(unlocks) == k:
            break
        new = substitution.supplied_from([thing]).keys() - shelf.at_hand
        made = _count(catalogue, new)[shelf.one_missing] > 0
        if any(not (made & ~other).any() for other in known):
            continue
        known.append(made)
        unlocks.append(
            Unlock(
                key=catalogue.attributes[thing].key,
                name=catalogue.attributes[thing].name,
                makes=int(shelf.makes[thing]),
                brings_near=int(shelf.brings_near[thing]),
                items=tuple(catalogue.names[item] for item in shelf.one_missing[made][:_NAMED]),
            )
        )
    return tuple(unlocks)


def _count(catalogue: Catalogue, components: Iterable[int]) -> _Counts:
    """For every item, how many of some things it contains, shape (n,)."""
    return catalogue.shared_components(sorted(components))


def _ordered(mask: Mask, *keys: _Counts) -> Indexes:
    """List the places where a mask holds, in rising order of the keys, the first decisive."""
    places = np.flatnonzero(mask).astype(np.int32)
    order = np.lexsort((places, *(key[places] for key in reversed(keys))))
    return places[order]


def _strained(
    catalogue: Catalogue, supplied: Mapping[int, Substitute], substitutes: Mapping[int, Substitute]
) -> Mask:
    """Items that cousins would change too much, or in which one bottle would play two parts.

    The latter is dry vermouth for sweet in a drink that has both.
    """
    parts: dict[int, list[int]] = {}
    for thing, standing in substitutes.items():
        if standing.relation == "cousin":
            parts.setdefault(standing.at_hand, []).append(thing)
    cousins = _count(catalogue, (thing for things in parts.values() for thing in things))
    strained = cousins > _LARGEST_REPLACED_SHARE * catalogue.component_counts
    for bottle, things in parts.items():
        own = [thing for thing, standing in supplied.items() if standing.at_hand == bottle]
        replaced = _count(catalogue, things)
        strained |= (replaced > 0) & (replaced + _count(catalogue, own) > 1)
    return strained


def _gains(catalogue: Catalogue, at_hand: frozenset[int], items: Mask) -> _Counts:
    """For every thing, how many of some items would get what they lack with it, shape (m,)."""
    substitution = substitution_index(catalogue)
    needed = catalogue.component_use(np.flatnonzero(items).astype(np.int32))
    needed[sorted(at_hand)] = 0
    gains = np.zeros_like(needed)
    for need in np.flatnonzero(needed):
        for thing in substitution.suppliers_of(int(need)):
            gains[thing] += needed[need]
    return gains


def _stead(catalogue: Catalogue, need: int, standing: Substitute) -> Substitution:
    wanted, given, family = (
        catalogue.attributes[one].name for one in (need, standing.at_hand, standing.family)
    )
    said = {
        "kind of it": f"{given} as {wanted}",
        "family of it": f"{given} as {wanted}",
        "made of it": f"{wanted} from {given}",
        "cousin": f"{given} for {wanted} (both {family})",
    }
    return Substitution(
        component=wanted,
        at_hand=given,
        relation=standing.relation,
        family=family,
        sentence=said[standing.relation],
    )


def _ways(catalogue: Catalogue, need: int, standing: Substitute) -> list[Evidence]:
    """The walks from the component and from what is at hand up to the family of both."""
    substitution = substitution_index(catalogue)
    ways = (substitution.way_up(one, standing.family) for one in (need, standing.at_hand))
    return [
        Evidence(
            source=catalogue.attributes[narrow].name,
            relation=IS_A,
            target=catalogue.attributes[wide].name,
        )
        for way in ways
        for narrow, wide in pairwise(way)
    ]


def _edge(item: str, link: LinkDetail) -> Evidence:
    return Evidence(source=item, relation=link.relation, target=link.as_written, value=link.value)

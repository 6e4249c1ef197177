"""Which component stands for which: a kind for its family, a family for its kinds, a cousin.

The families of the taxonomy alone decide, so every statement made here is a walk over IS_A edges:

* A plain kind satisfies its family (bourbon where whiskey is asked for). A flavoured one does not:
  vanilla vodka hangs below vodka and below vanilla, and no Martini is made of it.
* A family at hand is read as the kinds that bear its name ("rum" as white rum), and a whole thing
  as what is chiefly made of it ("lime" as lime juice).
* Other kinds of a family at hand it may stand in for (brandy for cognac), and a cousin for one
  that hangs below the same small family and tastes of the same things (bourbon for rye).

Attributes are indexes of the catalogue; brands were made one with their generics before
(`Catalogue.identity`), and are called things here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

import msgspec
import numpy as np

from localrec.data.domains import Domain
from localrec.foundation.text_matching import PhraseTable, build_phrase_table, roots
from localrec.graph.catalogue import Catalogue
from localrec.graph.taxonomy import Placement, taxonomy_of

SubstitutionRelation = Literal["same", "kind of it", "family of it", "made of it", "cousin"]

# Measured on the bundled drinks. Families of more kinds are shelves of a shop rather than one
# thing (92 syrups, 33 sodas, 28 fruit liqueurs); the largest whose kinds replace one another are
# whiskeys, rums and amari with up to 17.
_LARGEST_FAMILY = 20
# Share of all families of both that both have: lemon and lime juice 0.75, grapefruit and lime
# juice 0.6, amaretto and hazelnut liqueur 0.6.
_LEAST_ALIKE = 0.7
_FEWEST_FLAVOURS = 3  # from so many kinds on, a family whose kinds are mostly flavours is one


class Substitute(msgspec.Struct, frozen=True):
    """A substitute at hand for a component, and the reason it will do.

    `family` is the thing that both come under: the need, the thing at hand, or the shared family.
    """

    at_hand: int
    relation: SubstitutionRelation
    family: int


class SubstitutionIndex:
    """The kin of one catalogue's components."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._kind: str = catalogue.domain.kind_of("component") or ""
        self._names: PhraseTable[str] = _names_of(catalogue.domain, self._kind)
        every = np.arange(len(catalogue), dtype=np.int32)
        self._use = catalogue.component_use(every)
        # All of it holds for the catalogue: one shelf asks again and again, the next finds it here.
        self.suppliers_of = lru_cache(maxsize=65_536)(self._suppliers)
        self._chiefly_made_of = lru_cache(maxsize=65_536)(self._most_used_product)
        self._families_of = lru_cache(maxsize=65_536)(self._families_above)
        self._children = lru_cache(maxsize=65_536)(self._things_below)
        self._lines_of = lru_cache(maxsize=65_536)(self._lines)
        self._placement = lru_cache(maxsize=65_536)(self._place)
        self._is_plain_step = lru_cache(maxsize=65_536)(self._is_plain)

    def supplied_from(self, have: Sequence[int]) -> dict[int, Substitute]:
        """Thing -> what supplies it of the attributes at hand: the nearest relation, then order."""
        owned: dict[int, int] = {}
        for one in have:
            owned.setdefault(int(self._catalogue.identity[one]), one)
        supplied = {thing: Substitute(one, "same", thing) for thing, one in owned.items()}
        for thing, one in owned.items():
            for family in self._families_of(thing):
                supplied.setdefault(family, Substitute(one, "kind of it", family))
        for thing, one in owned.items():
            for kind in self._kinds_of(thing):
                if self._bears_name(kind, thing):
                    supplied.setdefault(kind, Substitute(one, "family of it", thing))
        for thing, one in owned.items():
            made = self._chiefly_made_of(thing)
            if made is not None:
                supplied.setdefault(made, Substitute(one, "made of it", thing))
        return supplied

    def substitutes_among(self, have: Sequence[int]) -> dict[int, Substitute]:
        """Thing -> the closest of the attributes at hand that may stand in for it."""
        best: dict[int, tuple[float, int, int, int]] = {}
        found: dict[int, Substitute] = {}
        for one in have:
            thing = int(self._catalogue.identity[one])
            for other, relation, family, alike in self._may_substitute(thing):
                # Taxonomies list near things near each other: dark rum between aged and blackstrap.
                rank = (-alike, relation == "cousin", self._size(family), abs(other - thing))
                if other not in best or rank < best[other]:
                    best[other] = rank
                    found[other] = Substitute(one, relation, family)
        return found

    def way_up(self, narrow: int, wide: int) -> tuple[int, ...]:
        """The shortest walk over IS_A from an attribute up to another; () where there is none."""
        came_from = {narrow: narrow}
        queue = [narrow]
        for current in queue:
            if current == wide:
                break
            for parent in self._catalogue.parents([current]):
                if parent not in came_from:
                    came_from[parent] = current
                    queue.append(parent)
        if wide not in came_from:
            return ()
        way = [wide]
        while way[-1] != narrow:
            way.append(came_from[way[-1]])
        return tuple(reversed(way))

    def _suppliers(self, thing: int) -> tuple[int, ...]:
        """The things some item contains that would supply this one: `supplied_by` turned round."""
        families = [one for one in self._families_of(thing) if self._bears_name(thing, one)]
        whole = self._first_family(thing)
        if whole is not None and self._chiefly_made_of(whole) == thing:
            families.append(whole)
        found = dict.fromkeys([thing, *self._kinds_of(thing), *families])
        return tuple(one for one in found if self._use[one])

    def _families_above(self, thing: int) -> tuple[int, ...]:
        """All families that a thing is a plain kind of, nearest first."""
        found = [thing]
        for current in found:
            for family in self._catalogue.parents([current]):
                if (
                    family not in found
                    and self._is_plain_step(current, family)
                    and not self._names_another(thing, family)
                    and not self._names_another(current, family)
                ):
                    found.append(family)
        return tuple(found[1:])

    def _kinds_of(self, thing: int) -> Iterator[int]:
        """The things that are plain kinds of this one, whatever lies between."""
        for below in self._catalogue.below(thing):
            kind = int(self._catalogue.identity[below])
            if kind != thing and thing in self._families_of(kind):
                yield kind

    def _most_used_product(self, thing: int) -> int | None:
        """Return the most used product of a thing that bears its name: lime juice for lime.

        Lime cordial bears the name too, but nobody with a lime has it.
        """
        words = self._words(thing)
        made = [
            one
            for one in self._children(thing)
            if words and self._words(one)[: len(words)] == words
            if self._first_family(one) == thing
        ]
        best = max(made, key=lambda one: int(self._use[one]), default=None)
        return best if best is not None and self._use[best] else None

    def _may_substitute(self, thing: int) -> Iterator[tuple[int, SubstitutionRelation, int, float]]:
        """(other thing, relation, family of both, likeness) for all that a thing may replace."""
        if self._catalogue.parents([thing]):
            for kind in self._kinds_of(thing):
                yield kind, "family of it", thing, 1.0
        yield from self._cousins(thing)

    def _cousins(self, thing: int) -> Iterator[tuple[int, SubstitutionRelation, int, float]]:
        mine = self._catalogue.parents([thing])
        for cousin in {one for family in mine for one in self._children(family)} - {thing}:
            shared = [one for one in self._catalogue.parents([cousin]) if one in mine]
            family = self._nearest_of(shared, thing, cousin)
            lines, others = self._lines_of(thing), self._lines_of(cousin)
            alike = len(lines & others) / len(lines | others)
            if family is not None and alike >= _LEAST_ALIKE:
                yield cousin, "cousin", family, alike

    def _nearest_of(self, shared: Sequence[int], one: int, other: int) -> int | None:
        """The smallest family that makes cousins; none where they only share a root.

        Gin and vodka are both spirit, and no cousins. Beside a narrower family a root counts if
        both bear its name: ginger ale and ginger beer are both soda, but above all both ginger.
        """
        narrower = [family for family in shared if self._catalogue.parents([family])]
        if not narrower:
            return None
        named = [f for f in shared if self._bears_name(one, f) and self._bears_name(other, f)]
        nearest = min([*narrower, *named], key=self._size)
        return nearest if self._size(nearest) <= _LARGEST_FAMILY else None

    def _has_own_taste(self, child: int, family: int) -> bool:
        """Does a thing taste of something, or come under something, that its family does not?"""
        above = {family, *self._catalogue.ancestors([family])}
        others = set(self._catalogue.parents([child])) - above
        # A family between the two (blanco under tequila under agave spirit) is no taste.
        others -= {one for one in others if family in self._catalogue.ancestors([one])}
        flavours = set(self._placement(child).flavoured_with)
        return bool(others) or bool(flavours - set(self._placement(family).flavoured_with))

    def _is_plain(self, child: int, family: int) -> bool:
        if self._has_own_taste(child, family):
            return False
        kinds = self._children(child)
        flavoured = sum(self._has_own_taste(kind, child) for kind in kinds)
        return len(kinds) < _FEWEST_FLAVOURS or 2 * flavoured <= len(kinds)

    def _names_another(self, thing: int, family: int) -> bool:
        """Is it the family's name behind that of some other component ("fruit brandy")?

        What everybody has is no taste: demerara rum is a rum.
        """
        words, head = self._words(thing), self._words(family)
        if words[-len(head) :] != head:
            return False
        named = (match.payloads[0] for match in self._names.find(list(words[: -len(head)])))
        others = (self._catalogue.attribute_index(self._kind, key) for key in named)
        return any(one != thing and one not in self._catalogue.staples for one in others)

    def _bears_name(self, kind: int, family: int) -> bool:
        """Does a family's name, however spelt, stand inside that of its kind ("scotch whisky")?"""
        words, key = self._words(kind), self._catalogue.attributes[family].key
        return any(
            key in self._names.get(" ".join(words[first:last]))
            for first in range(len(words))
            for last in range(first + 1, len(words) + 1)
        )

    def _lines(self, thing: int) -> frozenset[int]:
        """Return the families and the flavours of a thing."""
        catalogue = self._catalogue
        flavours = (
            catalogue.attribute_index(self._kind, key)
            for key in self._placement(thing).flavoured_with
        )
        return frozenset(
            catalogue.ancestors([thing]) | {one for one in flavours if one is not None}
        )

    def _things_below(self, family: int) -> tuple[int, ...]:
        """The things directly below a family, brands left out."""
        catalogue = self._catalogue
        return tuple(
            one
            for one in catalogue.below(family)
            if family in catalogue.parents([one]) and int(catalogue.identity[one]) == one
        )

    def _size(self, family: int) -> int:
        return len(self._children(family))

    def _first_family(self, thing: int) -> int | None:
        first = next(iter(self._placement(thing).is_a), "")
        return self._catalogue.attribute_index(self._kind, first)

    def _place(self, thing: int) -> Placement:
        taxonomy = taxonomy_of(self._catalogue.domain, self._kind)
        return taxonomy.place(self._catalogue.attributes[thing].name)

    def _words(self, thing: int) -> tuple[str, ...]:
        return roots(self._catalogue.attributes[thing].name)


@lru_cache(maxsize=2)  # each holds a catalogue
def substitution_index(catalogue: Catalogue) -> SubstitutionIndex:
    """The substitutions of a catalogue, made once."""
    return SubstitutionIndex(catalogue)


@lru_cache(maxsize=64)
def _names_of(domain: Domain, kind: str) -> PhraseTable[str]:
    return build_phrase_table(domain.concept_names(kind).items())

"""The names that questions of a domain use: spellings by role, with their frequency.

They come from a graph's catalogue, or from a domain's declaration alone; then items are invented,
and only the words of the domain can be learnt.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cached_property

import msgspec

from localrec.data.domains import AttributeRole, Concept, Domain
from localrec.foundation.text_matching import roots
from localrec.graph.catalogue import Attribute, Catalogue
from localrec.understanding.meanings import Named
from localrec.understanding.vocabulary import Vocabulary

_LONGEST_NAME = 5  # words; more is never typed
_OTHER_SPELLING = 0.4  # of the names that have several

# Titles that no catalogue has, so that an example is known by how it is named, not by its name.
_FIRST = (
    "Silent", "Crooked", "Velvet", "Northern", "Broken", "Second", "Golden", "Little", "Paper",
    "Hollow", "Distant", "Iron", "Salted", "Wandering", "Lazy", "Midnight", "Bitter", "Electric",
)  # fmt: skip
_LAST = (
    "Harbour", "Lantern", "Widow", "Parade", "Garden", "Sparrow", "Letter", "Compass", "Orchard",
    "Waltz", "Station", "Mirror", "Fox", "Avenue", "Tide", "Clockmaker", "Canyon", "Sermon",
)  # fmt: skip


class LexiconName(msgspec.Struct, frozen=True):
    """A name as users type it, and the key of its meaning."""

    spelling: str
    key: str


class Lexicon:
    """The names of one domain.

    Args:
        named: The source of the names; where it has no items, they are made up.
        uses: Attribute kind -> key -> items that have it, of keys that are worth asking for.
    """

    def __init__(self, named: Named, uses: dict[str, dict[str, int]]) -> None:
        self.domain = named.domain
        self._named = named
        self._uses = uses
        self._items = [name for name in named.names if 0 < len(roots(name)) <= _LONGEST_NAME]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Return the names that questions are read by when the role serves."""
        return Vocabulary(self._named)

    def has(self, role: AttributeRole) -> bool:
        """Whether the domain has names of a role."""
        return bool(self._pools.get(self.domain.kind_of(role) or ""))

    def means(self, role: AttributeRole, spelling: str) -> bool:
        """Whether a name could stand for something of a role."""
        names, _ = self._pools.get(self.domain.kind_of(role) or "", ([], []))
        return spelling in names

    def draw(self, random_: random.Random, role: AttributeRole) -> LexiconName:
        """Draw a name of a role, common ones more often."""
        names, weights = self._pools[self.domain.kind_of(role) or ""]
        key = random_.choices(names, weights)[0]
        return LexiconName(self._spelling(random_, role, key), key)

    def item(self, random_: random.Random) -> str:
        """Draw the name of an item; one in five is made up."""
        if self._items and random_.random() < 0.8:
            return random_.choice(self._items)
        return invented_title(random_)

    def flag(self, random_: random.Random) -> tuple[str, str] | None:
        """Draw a phrase for a flag or a diet, and its value; None without any."""
        asked = [*sorted(self.domain.flags), *[""] * bool(self.domain.diets)]
        if not asked:
            return None
        flag = random_.choice(asked)
        if not flag:
            diet = random_.choice(sorted(self.domain.diets))
            return diet, diet
        spec = self.domain.flags[flag]
        value = random_.choice(sorted(spec.values))
        return random_.choice(spec.values[value]), value

    def _spelling(self, random_: random.Random, role: AttributeRole, key: str) -> str:
        concept = self._concepts(role).get(key)
        others = [*concept.also, *concept.ask] if concept else []
        others = [one for one in others if len(one.split()) <= _LONGEST_NAME]
        return random_.choice(others) if others and random_.random() < _OTHER_SPELLING else key

    def _concepts(self, role: AttributeRole) -> dict[str, Concept]:
        return self.domain.taxonomy.get(self.domain.kind_of(role) or "", {})

    @cached_property
    def _pools(self) -> dict[str, tuple[list[str], list[float]]]:
        pools = {}
        for kind, uses in self._uses.items():
            keys = [key for key in sorted(uses) if 0 < len(roots(key)) <= _LONGEST_NAME]
            if keys:
                # The root lets the rarer half of the names be met at all.
                pools[kind] = (keys, [max(uses[key], 1) ** 0.5 for key in keys])
        return pools


def invented_title(random_: random.Random) -> str:
    """Draw a title that no catalogue has."""
    return f"{random_.choice(_FIRST)} {random_.choice(_LAST)}"


def lexicon_of(catalogue: Catalogue) -> Lexicon:
    """Collect the names of a graph: attributes of items, their families, and all items."""
    uses: dict[str, dict[str, int]] = {}
    for index, attribute in enumerate(catalogue.attributes):
        items = int(catalogue.items_with(catalogue.below(index)).sum())
        if items:
            uses.setdefault(attribute.kind, {})[attribute.key] = items
    return Lexicon(catalogue, uses)


def declared_lexicon(domain: Domain) -> Lexicon:
    """Collect the names that a domain declares; its items are made up."""
    declared = _Declared(domain)
    uses: dict[str, dict[str, int]] = {}
    for attribute in declared.attributes:
        uses.setdefault(attribute.kind, {})[attribute.key] = 1
    return Lexicon(declared, uses)


class _Declared:
    """The declared attributes, each as if an item had it, without any items."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        declared = [
            (kind, key) for kind in domain.attributes for key in domain.taxonomy.get(kind, {})
        ]
        self.attributes = [Attribute(place, *one, one[1]) for place, one in enumerate(declared)]
        self.keys: list[str] = []
        self.names: list[str] = []
        self._places = {one: place for place, one in enumerate(declared)}

    def attribute_index(self, kind: str, key: str) -> int | None:
        """Place of an attribute."""
        return self._places.get((kind, key))

    def item_index(self, key: str) -> int | None:
        """Return None, since there are no items."""
        return None

    def is_had(self, attribute: int) -> bool:
        """Whether an attribute is declared."""
        return 0 <= attribute < len(self.attributes)

    def use_of(self, attribute: int) -> int:
        """Return 0, since there are no items."""
        return 0

    def first_item_with(self, attributes: Sequence[int]) -> str | None:
        """Return None, since there are no items."""
        return None

    def share_within(self, number: str, low: float, high: float) -> float:
        """Return 0, since there are no items."""
        return 0.0

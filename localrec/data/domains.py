"""A domain's declaration, which lets one code serve drinks, films or books.

A domain is a folder with `domain.toml` (kinds, roles, texts, flags, numbers) and, beside it, an
optional `taxonomy.toml` (families and synonyms of attributes), `words.toml` (words of questions)
and `columns.toml` (which column of a table holds what). MARC's four tasks are written against the
roles below, never against a domain's own words:

* component: what an item is made of (ingredient, genre); C3 walks it
* container: what holds it (glass, decade); C2 filters by it
* creator: who made it (author, artist, brand)
* category, colour, look, garnish: further attributes; colour and look lead to C1
"""

from __future__ import annotations

from typing import Literal

import msgspec

from localrec.data.catalogue_columns import CatalogueColumns
from localrec.data.records import Record

AttributeRole = Literal[
    "component", "container", "category", "creator", "colour", "look", "garnish"
]


class AttributeSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of attribute: its role, the edge that leads to it, the noun for it.

    `words` are nouns users put behind a name of this kind ("glass" in "highball glass").
    `from_texts` names item texts in which names of this kind are looked for, where the source
    has no column for them (colours in an image description). Such a text also speaks of other
    things: a name belongs to the item when a noun of `about` follows first ("a red drink"), and to
    something else when one of `aside` does ("a red straw") or one of `elsewhere` went before
    ("garnished with green mint").
    """

    role: AttributeRole
    edge: str
    words: tuple[str, ...] = ()
    from_texts: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    says: str = "has {name}"  # how a sentence states such an edge


class FlagSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A property with a few values; `values` maps each to the phrases that ask for it.

    `accepts` lists, per asked value, the stored values that satisfy it.
    """

    values: dict[str, tuple[str, ...]]
    accepts: dict[str, tuple[str, ...]] = {}
    labels: dict[str, str] = {}


class NumberSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A numeric property that questions may limit.

    Example: `units = { dollar = 1, "$" = 1 }` reads "under 20 dollars" and "$15 to $30";
    `{ minute = 1, hour = 60 }` reads "at most two hours" of a property in minutes.

    Args:
        kind: "year" understands "the 40s", "before 1960", "from 1994".
        says: States a value in a sentence.
        more: Comparatives above a target ("stronger").
        less: Comparatives below it ("weaker").
        words: Words of questions for the number ("price", "rating"), for bounds without a unit.
        units: A unit, singular, or its sign -> how much of the property it is.
        better: The end that users prefer, where they do ("the best rated").
        bound: The property is the "low" or the "high" end of what an item allows: a question for
            4 players wants a least number of at most 4, and a greatest of at least 4.
    """

    kind: Literal["year", "count", "amount"]
    says: str = "has the value {value}"
    more: tuple[str, ...] = ()
    less: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    units: dict[str, float] = {}
    better: Literal["higher", "lower"] | None = None
    bound: Literal["low", "high"] | None = None


class Concept(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"parents": "in", "flavours": "of"},
):
    """One name in a taxonomy: its families, its other spellings, its alcohol by volume (%).

    `ask` holds words that questions use for it but catalogues do not ("smoky"). `flavours` (in the
    file: `of`) are what it tastes of without being a kind of it: triple sec of orange. They count
    when that is barred, not when it is asked for. A `taste` is an adjective: what lacks it has
    "nothing smoky" in it.
    """

    parents: tuple[str, ...] = ()
    flavours: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    abv: float | None = None
    taste: bool = False


ConceptTables = dict[str, dict[str, Concept]]  # kind -> concept's name -> concept


class QuestionWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words in a domain's questions that name nothing, beyond those of every domain.

    Example: `have = ["in my bar"]` reads "gin is in my bar" as what a user has at hand.

    Args:
        common: Everyday words that are never taken for a misspelt name.
        have: Phrases that stand by what a user has.
        negations: Phrases before what a user does not want.
        compounds: One word -> the names that it stands for together ("romcom").
        prepared: Looks that tell how an item is made rather than how it is seen ("frozen").
    """

    common: tuple[str, ...] = ()
    have: tuple[str, ...] = ()
    negations: tuple[str, ...] = ()
    compounds: dict[str, tuple[str, ...]] = {}
    prepared: frozenset[str] = frozenset()


class Domain(msgspec.Struct, Record, eq=False, frozen=True, forbid_unknown_fields=True):
    """A domain's whole declaration, as read from its folder.

    `staples` are components that everybody has and nearly everything contains (water, sugar):
    sharing them makes no two items alike, and they are never missing from a shelf. `nicknames` are
    short names of items ("cosmo"), used where the catalogue has the item.
    """

    name: str
    item: str
    singular: str
    plural: str
    item_words: tuple[str, ...]
    texts: dict[str, str]
    attributes: dict[str, AttributeSpec]
    flags: dict[str, FlagSpec] = {}
    numbers: dict[str, NumberSpec] = {}
    diets: dict[str, tuple[str, ...]] = {}
    staples: tuple[str, ...] = ()
    nicknames: dict[str, str] = {}
    examples: tuple[str, ...] = ()
    taxonomy: ConceptTables = {}
    words: QuestionWords = QuestionWords()
    columns: CatalogueColumns | None = None

    def kind_of(self, role: AttributeRole) -> str | None:
        """The attribute kind that plays `role`, or None where the domain has none."""
        for kind, spec in self.attributes.items():
            if spec.role == role:
                return kind
        return None

    def counted(self, count: int) -> str:
        """A number of items as the domain calls them: "1 wine", "2,410 wines"."""
        return f"{count:,} {self.singular if count == 1 else self.plural}"

    def concept_names(self, kind: str) -> dict[str, str]:
        """Map every spelling of a kind's taxonomy to its concept's name (without `ask` words)."""
        names: dict[str, str] = {}
        for name, concept in self.taxonomy.get(kind, {}).items():
            for spelling in concept.also:
                names.setdefault(spelling.casefold(), name)
        names.update({name.casefold(): name for name in self.taxonomy.get(kind, {})})
        return names

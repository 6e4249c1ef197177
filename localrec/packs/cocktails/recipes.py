"""Drinks between the file and the graph: one record for every layout, made into item rows.

What a source leaves open is filled from the recipe and marked as generated; what it states is
only cleaned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, ItemRow, Scalar
from localrec.foundation.prose import as_sentence, join_words, with_article
from localrec.foundation.text import clean_key, clean_name, identity_of
from localrec.packs.cocktails.appearance import describe_appearance, garnishes_in, implied_colours
from localrec.packs.cocktails.concepts import ConceptIndex
from localrec.packs.cocktails.measures import estimate_abv, parse_measure

_ALCOHOLIC = {
    "alcoholic": "alcoholic",
    "nonalcoholic": "non-alcoholic",
    "optionalalcohol": "optional",
    "optional": "optional",
    "true": "alcoholic",
    "yes": "alcoholic",
    "false": "non-alcoholic",
    "no": "non-alcoholic",
}
_VAGUE_CATEGORIES = frozenset({"otherunknown", "other", "unknown"})
# Up to this strength (%) a thing is sold as free of alcohol.
_LEAST_ABV = 0.5


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """One drink as a file tells it, cleaned; `ingredients` holds (name, measure or "").

    `tags` are further categories, `abv` the strength in percent where the file states it, `facts`
    properties that are kept as they stand.
    """

    row: int
    name: str
    ingredients: tuple[tuple[str, str], ...]
    id: str = ""
    alcoholic: str = ""
    category: str = ""
    glass: str = ""
    instructions: str = ""
    thumbnail: str = ""
    description: str = ""
    image_description: str = ""
    tags: tuple[str, ...] = ()
    abv: float | None = None
    facts: dict[str, Scalar] = {}


class FirstSpellings:
    """The first spelling of each attribute in a file, so that later ones are the same link."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], str] = {}

    def settle(self, kind: str, name: str) -> str:
        """`name`, or how the file first wrote the same thing."""
        return self._first.setdefault((kind, identity_of(name)), name)


class DrinkRowBuilder:
    """Makes item rows of one file's recipes, in the words of `domain`."""

    def __init__(self, domain: Domain) -> None:
        self.concepts = ConceptIndex(domain, "ingredient")
        self._spellings = FirstSpellings()

    def make_item(self, recipe: Recipe) -> ItemRow:
        """The item row of `recipe`: properties, and links to ingredients, glass and category."""
        links = tuple(self._links(recipe))
        ingredients = [link.name for link in links if link.kind == "ingredient"]
        properties: dict[str, Scalar] = {
            **recipe.facts,
            "id": recipe.id or None,
            "alcoholic": self._alcoholic(recipe),
            "drinkThumbnail": recipe.thumbnail or None,
            "instructions": recipe.instructions,
            "ingredient_count": len(ingredients),
            "strength": self._strength(recipe) if recipe.abv is None else recipe.abv,
        }
        texts: dict[str, tuple[str, Callable[[], str]]] = {
            "description": (recipe.description, lambda: self._describe(recipe, ingredients)),
            "image_description": (recipe.image_description, lambda: self._describe_look(recipe)),
        }
        for name, (told, generate) in texts.items():
            properties[name] = told or generate()
            properties[f"{name}_source"] = "source" if told else "generated"
        return ItemRow(
            key=clean_key(recipe.name), name=recipe.name, properties=properties, links=links
        )

    def make_link(self, kind: str, name: str, value: str | None = None) -> AttributeLink:
        """A link to the attribute in the spelling that the file used first."""
        return AttributeLink(kind=kind, name=self._spellings.settle(kind, name), value=value)

    def _strength(self, recipe: Recipe) -> float | None:
        """Estimated % by volume, None where more than half of the volume is unknown."""
        poured = [
            (ml, self.concepts.abv_of(name))
            for name, measure in recipe.ingredients
            if (ml := parse_measure(measure, name).amount_ml) is not None
        ]
        unknown_ml = sum(ml for ml, abv in poured if abv is None)
        if unknown_ml > sum(ml for ml, _ in poured) / 2:
            return None
        abv = estimate_abv((ml, known or 0.0) for ml, known in poured)
        return None if abv is None else round(abv, 1)

    def states_alcohol(self, recipe: Recipe) -> bool:
        """True where the source's own column says whether there is alcohol, in known words."""
        return _letters(recipe.alcoholic) in _ALCOHOLIC

    def _alcoholic(self, recipe: Recipe) -> str | None:
        if self.states_alcohol(recipe):
            return _ALCOHOLIC[_letters(recipe.alcoholic)]
        strengths = [self.concepts.abv_of(name) for name, _ in recipe.ingredients]
        if any(abv is not None and abv > _LEAST_ABV for abv in strengths):
            return "alcoholic"
        # With an unknown ingredient nobody may promise that there is no alcohol.
        return None if None in strengths else "non-alcoholic"

    def _links(self, recipe: Recipe) -> Iterator[AttributeLink]:
        measures: dict[str, list[str]] = {}
        for name, measure in recipe.ingredients:
            written = self._spellings.settle("ingredient", name)
            measures.setdefault(written, []).extend([measure] if measure else [])
        for name, amounts in measures.items():
            yield AttributeLink(
                kind="ingredient", name=name, value=" + ".join(dict.fromkeys(amounts)) or None
            )
        if recipe.glass:
            yield self.make_link("glass", recipe.glass)
        for category in dict.fromkeys((recipe.category, *recipe.tags)):
            if category:
                yield self.make_link("category", category)

    def _describe(self, recipe: Recipe, ingredients: list[str]) -> str:
        category = "" if _letters(recipe.category) in _VAGUE_CATEGORIES else recipe.category
        flag = self._alcoholic(recipe)
        kind = (category or "drink").casefold().replace(" / ", " or ")
        kind = kind if flag in (None, "optional") else f"{flag} {kind}"
        made_of = join_words([name.casefold() for name in ingredients])
        served = f", served in {with_article(recipe.glass.casefold())}" if recipe.glass else ""
        return as_sentence(f"{recipe.name} is {with_article(kind)} of {made_of}{served}")

    def _describe_look(self, recipe: Recipe) -> str:
        poured = [
            (name, ml)
            for name, measure in recipe.ingredients
            if (ml := parse_measure(measure, name).amount_ml) is not None
        ]
        return describe_appearance(
            implied_colours(poured, self.concepts),
            recipe.glass.casefold(),
            garnishes_in(recipe.instructions),
        )


def fill_from(first: Recipe, later: Recipe) -> Recipe:
    """`first`, with its missing texts and measures taken from `later`, a recipe of one name.

    Ingredients are not added: two recipes for one drink must not become a third one.
    """
    blanks = {
        field: getattr(later, field)
        for field in Recipe.__struct_fields__
        if field not in ("row", "ingredients") and not getattr(first, field)
    }
    measures = {identity_of(name): measure for name, measure in later.ingredients}
    ingredients = tuple(
        (name, measure or measures.get(identity_of(name), ""))
        for name, measure in first.ingredients
    )
    return msgspec.structs.replace(first, ingredients=ingredients, **blanks)


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, clean_name(text).casefold()))

"""What a drink looks like, told from its recipe where the source has no picture description.

Colours come from `colours_of_ingredients.toml`: each ingredient (or family) has a
colour and a power, the tint that one millilitre of it gives. This is an estimate, and the item says
so (`image_description_source` is "generated").
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import msgspec

from localrec.foundation.prose import as_sentence, join_words, with_article
from localrec.foundation.text import identity_of
from localrec.packs.cocktails.concepts import ConceptIndex

# The second colour is named when it tints at least this share of what the first does.
_SECOND_COLOUR_SHARE = 0.35
_GARNISHES = {
    "maraschino cherry": r"maraschino cherr(?:y|ies)",
    "cherry": r"cherr(?:y|ies)",
    "orange peel": r"orange (?:peel|twist|zest)|(?:twist|peel|zest) of orange",
    "orange slice": r"orange (?:slice|wheel|wedge)|(?:slice|wheel|wedge) of orange",
    "lemon peel": r"lemon (?:peel|twist|zest)|(?:twist|peel|zest) of lemon",
    "lemon wheel": r"lemon (?:slice|wheel|wedge)|(?:slice|wheel|wedge) of lemon",
    "lime wheel": r"lime (?:slice|wheel)|(?:slice|wheel) of lime",
    "lime wedge": r"lime wedge|wedge of lime",
    "lime peel": r"lime (?:peel|twist|zest)|(?:twist|peel|zest) of lime",
    "mint sprig": r"mint sprigs?|sprigs? of (?:fresh )?mint|mint leaves",
    "olive": r"olives?",
    "cocktail onion": r"(?:cocktail|pearl) onions?",
    "salt rim": r"salt(?:ed)? rim|rim .{0,40}\bsalt|salt .{0,40}\brim",
    "sugar rim": r"sugar(?:ed)? rim|rim .{0,40}\bsugar|sugar .{0,40}\brim",
    "pineapple wedge": r"pineapple (?:wedge|slice|chunk)|(?:wedge|slice) of pineapple",
    "celery stalk": r"celery(?: stalk| stick)?",
    "cucumber slice": r"cucumber(?: slice| ribbon)?",
    "nutmeg": r"nutmeg",
    "cinnamon stick": r"cinnamon sticks?",
    "coffee beans": r"coffee beans?",
    "whipped cream": r"whipped cream",
    "strawberry": r"strawberr(?:y|ies)",
}
_GARNISHING = re.compile(r"\b(?:garnish|decorate|top|rim|sprinkle|dust)", re.IGNORECASE)


class ColourTable(msgspec.Struct, frozen=True):
    """Tints by ingredient identity; what two colours become when mixed, and one when thinned.

    `paler` maps a colour to the tint per millilitre below which it looks like another one.
    """

    tints: dict[str, tuple[str, float]]
    mixtures: dict[frozenset[str], str]
    paler: dict[str, tuple[float, str]]


@lru_cache
def load_colours() -> ColourTable:
    """The colour table that ships with localrec."""
    path = Path(__file__).with_name("colours_of_ingredients.toml")
    declared = tomllib.loads(path.read_text(encoding="utf-8"))
    return ColourTable(
        tints={
            identity_of(name): (tint["colour"], float(tint["power"]))
            for tint in declared["tint"]
            for name in tint["ingredients"]
        },
        mixtures={frozenset(mixture["of"]): mixture["gives"] for mixture in declared["mixture"]},
        paler={thin["colour"]: (thin["below"], thin["gives"]) for thin in declared["paler"]},
    )


def implied_colours(parts: Iterable[tuple[str, float]], concepts: ConceptIndex) -> list[str]:
    """At most two colours of a drink made of (ingredient, ml), the stronger first; maybe none."""
    table = load_colours()
    poured = list(parts)
    weights: dict[str, float] = {}
    for name, ml in poured:
        if (tint := _tint_of(name, concepts, table)) is not None:
            colour, power = tint
            weights[colour] = weights.get(colour, 0.0) + ml * power
    strongest = sorted(weights, key=lambda colour: -weights[colour])[:2]
    if len(strongest) == 2 and _is_drowned(*(weights[colour] for colour in strongest)):
        strongest.pop()
    if (mixed := table.mixtures.get(frozenset(strongest))) is not None:
        return [mixed]
    total_ml = sum(ml for _, ml in poured)
    return [_thinned(colour, weights[colour] / total_ml, table) for colour in strongest]


def garnishes_in(instructions: str) -> list[str]:
    """Garnishes that the instructions name where they speak of garnishing or of the rim."""
    sentences = re.split(r"[.;]", instructions.casefold())
    told = " ".join(filter(_GARNISHING.search, sentences))
    found = []
    for name, pattern in _GARNISHES.items():
        told, times = re.subn(rf"\b(?:{pattern})\b", " ", told)
        if times:
            found.append(name)
    return found


def describe_appearance(colours: list[str], glass: str, garnishes: list[str]) -> str:
    """One sentence from what is known; "" where nothing is."""
    if not (colours or glass or garnishes):
        return ""
    seen = with_article(join_words(colours) + " drink" if colours else "drink")
    served = f" in {with_article(glass)}" if glass else ""
    garnished = f", garnished with {join_words(garnishes)}" if garnishes else ""
    return as_sentence(seen + served + garnished)


def _is_drowned(first: float, second: float) -> bool:
    return second < _SECOND_COLOUR_SHARE * first


def _thinned(colour: str, tint_per_ml: float, table: ColourTable) -> str:
    least, paler = table.paler.get(colour, (0.0, colour))
    return paler if tint_per_ml < least else colour


def _tint_of(name: str, concepts: ConceptIndex, table: ColourTable) -> tuple[str, float] | None:
    """The tint of the ingredient itself, of its last words, or of its nearest family."""
    words = name.split()
    for start in range(len(words)):
        if (tint := table.tints.get(identity_of(" ".join(words[start:])))) is not None:
            return tint
    concept = concepts.find(name)
    families = concepts.lineage(concept) if concept is not None else iter(())
    return next(
        (table.tints[key] for it in families if (key := identity_of(it)) in table.tints), None
    )

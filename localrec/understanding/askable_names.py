"""Which spellings of a catalogue's attributes ask for them, and which are only the items' noun."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from localrec.foundation.text_matching import PhraseTable, roots
from localrec.understanding.language_words import english
from localrec.understanding.meanings import Meaning, Named


class AskableNames:
    """Tells whether who writes a name asks for the attribute that is called so.

    Args:
        catalogue: The names of items and attributes.
        names: What names mean, as far as they are known when one is looked at.
    """

    def __init__(self, catalogue: Named, names: PhraseTable[Meaning]) -> None:
        self._catalogue, self._domain, self._names = catalogue, catalogue.domain, names

    def is_askable(self, spelling: str, kind: str, role: str) -> bool:
        """False for names that only say "a drink", and for "orange drink" as a component.

        Catalogues have a category called Cocktail and an ingredient called Orange drink; in a
        question the noun is only the noun. Not so in "a love song", where nothing is called love.
        """
        words = roots(spelling)
        nouns = {roots(word) for word in (*self._domain.item_words, *english().mention.no_names)}
        if words in nouns:
            return False
        if role == "category" and any(set(flag) <= set(words) for flag in self._flag_phrases):
            return False  # "a non-alcoholic drink" is a flag, whatever the categories are called
        if words[-1:] not in nouns:
            return True
        if role == "component":
            bare = " ".join(words[:-1])
            known = words[:-1] in self._component_names or bool(self._names.get(bare))
            return not known and self._catalogue.attribute_index(kind, bare) is None
        if role == "container":
            return len(words) > 1  # "a tall drink"
        # "a coffee drink" asks for coffee, and only then for the category of that name.
        return role == "category" and words[:-1] not in self._component_names

    def halves_of(self, name: str, kind: str, role: str) -> Iterator[str]:
        """Give the parts of a name that ask for it and begin no other name of its kind.

        "Percy Jackson & Kane Chronicles Crossover" is not what "Percy Jackson" alone means where
        there is "Percy Jackson and the Olympians".
        """
        for part in halves(name):
            if self.is_askable(part, kind, role) and self._beginnings[kind, roots(part)] < 2:
                yield part

    @cached_property
    def _beginnings(self) -> Counter[tuple[str, tuple[str, ...]]]:
        """How many names of a kind begin with the same two, three or four words."""
        told = ((one.kind, roots(one.name)) for one in self._catalogue.attributes)
        return Counter((kind, words[:many]) for kind, words in told for many in range(2, 5))

    @cached_property
    def _flag_phrases(self) -> list[tuple[str, ...]]:
        values = (spec.values.values() for spec in self._domain.flags.values())
        return [roots(phrase) for phrases in values for group in phrases for phrase in group]

    @cached_property
    def _component_names(self) -> frozenset[tuple[str, ...]]:
        concepts = self._domain.taxonomy.get(self._domain.kind_of("component") or "", {})
        return frozenset(
            roots(spelling)
            for name, concept in concepts.items()
            for spelling in (name, *concept.also, *concept.ask)
        )


def halves(name: str) -> list[str]:
    """The parts of a name by which it is called.

    Example:
        "Coffee / Tea" by either half, "Deck / Pool Building" as "Deck Building" as well.
    """
    parts = [part.strip() for part in re.split(r"/| & ", name)]
    if len(parts) < 2:
        return []
    noun = parts[-1].rpartition(" ")[2]
    ends = [f"{part} {noun}" for part in parts[:-1]] if " " in parts[-1] else []
    return [*parts, *ends]

"""Where an attribute's name belongs: its concept, or the families its words suggest.

A catalogue writes "Bacardi Light Rum", the taxonomy knows "white rum" (also "light rum") and
"rum". A known spelling becomes the concept; an unknown name becomes a node of its own, placed
below its head noun (IS_A) and beside the concepts its other words name (FLAVOURED_WITH), which
count when something is barred but not when something is asked for.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache

import msgspec

from localrec.data.domains import Domain
from localrec.foundation.text import clean_key
from localrec.foundation.text_matching import PhraseTable, build_phrase_table, roots

IS_A = "IS_A"
FLAVOURED_WITH = "FLAVOURED_WITH"
_VARIANT = 0.7  # share of letters in common above which two single names are spellings of one


class Placement(msgspec.Struct, frozen=True):
    """The place of one written name: the node's key and name, and edges to families by key."""

    key: str
    name: str
    is_a: tuple[str, ...]
    flavoured_with: tuple[str, ...]


class Taxonomy:
    """The concepts of one attribute kind, as a placement for any written name."""

    def __init__(self, domain: Domain, kind: str) -> None:
        self.kind = kind
        self._concepts = domain.taxonomy.get(kind, {})
        self._nouns = {roots(word) for word in domain.attributes[kind].words}
        self._spellings: PhraseTable[str] = build_phrase_table(domain.concept_names(kind).items())
        self._has_brands = domain.attributes[kind].role == "component"

    def place(self, written: str) -> Placement:
        """Place a name; the same name always lands in the same place."""
        words = roots(written)
        concept = self.concept_of(written)
        if concept is not None:
            if self._has_brands and _is_brand(words, roots(concept)):
                # Who asks for Kahlua wants Kahlua; who asks for coffee liqueur takes it too.
                return Placement(" ".join(words), written, (concept,), ())
            return self._place_concept(concept)
        if not words:  # no Latin letter in it: its own key, or all such names would be one
            return Placement(clean_key(written), written, (), ())
        head = self._spellings.suffix_of(words[1:]) or ()
        named = [match.payloads[0] for match in self._spellings.find(list(words))]
        parents = head[:1] or tuple(named[:1])
        beside = tuple(dict.fromkeys(name for name in named if name not in parents))
        return Placement(" ".join(words), written, tuple(parents), beside)

    def all_concepts(self) -> list[Placement]:
        """Every declared concept, so that families exist even where no item uses them yet."""
        return [self._place_concept(name) for name in self._concepts]

    def families_of(self, concept: str) -> tuple[str, ...]:
        """The direct families of a concept; none of a name that is not declared."""
        declared = self._concepts.get(concept)
        return () if declared is None else declared.parents

    def concept_of(self, written: str) -> str | None:
        """The concept that a written name is a spelling of; the kind's noun may stand behind it."""
        exact = self._spellings.get(written)
        if exact:
            return exact[0]
        words = roots(written)
        for noun in self._nouns:
            if words[-len(noun) :] == noun and len(words) > len(noun):
                found = self._spellings.get(" ".join(words[: -len(noun)]))
            else:
                found = self._spellings.get(" ".join(words + noun))
            if found:
                return found[0]
        return None

    def _place_concept(self, name: str) -> Placement:
        concept = self._concepts[name]
        return Placement(name, name, concept.parents, concept.flavours)


def _is_brand(written: tuple[str, ...], concept: tuple[str, ...]) -> bool:
    """A spelling that shares no word with its concept and is no variant of one ("whisky")."""
    if set(written) & set(concept):
        return False
    alike = SequenceMatcher(None, " ".join(written), " ".join(concept)).ratio()
    return alike < _VARIANT


@lru_cache(maxsize=64)
def taxonomy_of(domain: Domain, kind: str) -> Taxonomy:
    """The taxonomy of one attribute kind, built once per domain declaration."""
    return Taxonomy(domain, kind)

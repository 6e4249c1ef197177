"""Where an attribute's name belongs: its concept, or the families its words suggest.

A catalogue writes "Bacardi Light Rum", the taxonomy knows "white rum" (also "light rum") and
"rum". A known spelling becomes the concept; an unknown name becomes a node of its own, placed
below its head noun (IS_A) and beside the concepts its other words name (FLAVOURED_WITH), which
count when something is barred but not when something is asked for.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from localrec.domains import Domain
from localrec.phrases import PhraseTable, roots, table_of

IS_A = "IS_A"
FLAVOURED_WITH = "FLAVOURED_WITH"


class Placement(msgspec.Struct, frozen=True):
    """Where one written name goes: the node's key and name, and edges to families by key."""

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
        self._spellings: PhraseTable[str] = table_of(domain.concept_names(kind).items())

    def place(self, written: str) -> Placement:
        """Place a name; the same name always lands in the same place."""
        concept = self._concept_of(written)
        if concept is not None:
            return Placement(concept, concept, self._concepts[concept].parents, ())
        words = roots(written)
        head = self._spellings.suffix_of(words[1:]) or ()
        named = [match.payloads[0] for match in self._spellings.find(list(words))]
        parents = head[:1] or tuple(named[:1])
        beside = tuple(dict.fromkeys(name for name in named if name not in parents))
        return Placement(" ".join(words), written, tuple(parents), beside)

    def all_concepts(self) -> list[Placement]:
        """Every declared concept, so that families exist even where no item uses them yet."""
        return [
            Placement(name, name, concept.parents, ()) for name, concept in self._concepts.items()
        ]

    def _concept_of(self, written: str) -> str | None:
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


@lru_cache(maxsize=64)
def taxonomy_of(domain: Domain, kind: str) -> Taxonomy:
    """The taxonomy of one attribute kind, built once per domain declaration."""
    return Taxonomy(domain, kind)

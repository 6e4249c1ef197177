"""Names as a source writes them, looked up in a domain's taxonomy."""

from __future__ import annotations

import re
from collections.abc import Iterator

from localrec.data.domains import Domain
from localrec.foundation.text import identity_of

_WITHOUT_ALCOHOL = re.compile(r"\b(?:non|alcohol|zero|virgin)\b|\b0\s*%", re.IGNORECASE)


class ConceptIndex:
    """The taxonomy of one attribute kind, by every spelling and by its last words.

    "fresh lime juice" finds "lime juice": the words in front of a known name narrow it down.
    """

    def __init__(self, domain: Domain, kind: str) -> None:
        self._concepts = domain.taxonomy.get(kind, {})
        self._names = {
            identity_of(spelling): name for spelling, name in domain.concept_names(kind).items()
        }
        self._found: dict[str, str | None] = {}  # each name of a file once

    def find(self, name: str) -> str | None:
        """The concept that `name` means, or None where the taxonomy does not know it."""
        if name not in self._found:
            self._found[name] = self._search(name)
        return self._found[name]

    def _search(self, name: str) -> str | None:
        words = name.split()
        starts = range(len(words)) if not _WITHOUT_ALCOHOL.search(name) else range(1)
        for start in starts:
            if (concept := self._names.get(identity_of(" ".join(words[start:])))) is not None:
                return concept
        return None

    def lineage(self, concept: str) -> Iterator[str]:
        """`concept` and its families, nearest first, each once."""
        waiting = [concept]
        for name in waiting:
            yield name
            if name in self._concepts:
                waiting += [it for it in self._concepts[name].parents if it not in waiting]

    def abv_of(self, name: str) -> float | None:
        """Alcohol in % by volume, from the nearest family that states one.

        0 for a known concept whose families state none; None for a name nobody knows.
        """
        concept = self.find(name)
        if concept is None:
            return None
        for family in self.lineage(concept):
            if family in self._concepts and (abv := self._concepts[family].abv) is not None:
                return abv
        return 0.0

"""Every name a question may use: attributes, families, items, flags, diets, comparatives.

Built from the graph and the domain's declaration, so a foreign catalogue's own words count at
once. A word that is neither a name nor everyday English is read as the nearest name within one
or two slips of the finger (optimal string alignment); "gin" and "ginger" are both names and
never become each other.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from localrec.domains import Domain
from localrec.graph.catalogue import Catalogue
from localrec.phrases import PhraseTable, Token, roots, singular, tokens
from localrec.understanding.words import COMMON

MeaningRole = Literal[
    "component", "container", "category", "colour", "look", "garnish", "flag", "diet", "order"
]


class Meaning(msgspec.Struct, frozen=True):
    """One thing a phrase can mean: an attribute by kind and key, or a flag, diet or wish.

    For a flag, `kind` is the flag and `key` its value; for a diet `key` is its name; for an
    order `kind` is the number and `key` "more" or "less".
    """

    role: MeaningRole
    kind: str
    key: str


class Reading(msgspec.Struct, frozen=True):
    """A question cut into tokens, typos mended.

    `gaps[i]` is the strongest mark between token i-1 and i: "", "," or ".".
    """

    tokens: tuple[Token, ...]
    words: tuple[str, ...]  # as typed, folded
    roots: tuple[str, ...]  # corrected, without plural endings
    gaps: tuple[str, ...]
    corrected: dict[str, str]


class Vocabulary:
    """The phrase tables of one domain's catalogue, and the spelling of its words."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.domain: Domain = catalogue.domain
        self._catalogue = catalogue
        self.names: PhraseTable[Meaning] = PhraseTable()
        self.items: PhraseTable[str] = PhraseTable()
        self._alive: dict[tuple[str, str], bool] = {}
        self._add_attributes()
        self._add_phrases()
        for key, name in zip(catalogue.keys, catalogue.names, strict=True):
            self._add_item(key, name)
        self.item_nouns = frozenset(r for word in self.domain.item_words for r in roots(word))
        self._plain_words = frozenset(singular(word) for word in COMMON) | COMMON
        self._spellings = sorted(self.names.words | self.items.words)

    def read(self, text: str) -> Reading:
        """Tokenise a question and mend its typos."""
        found = tokens(text)
        corrected: dict[str, str] = {}
        cut: list[tuple[Token, str]] = []
        for token in found:
            for root in self._respell(token):
                if root != token.root:
                    corrected[token.word] = " ".join(self._respell(token))
                cut.append((token, root))
        kept = tuple(token for token, _ in cut)
        return Reading(
            tokens=kept,
            words=tuple(t.word if r == t.root else r for t, r in cut),
            roots=tuple(r for _, r in cut),
            gaps=tuple(
                _mark(text[kept[i - 1].end : token.start]) if i else ""
                for i, token in enumerate(kept)
            ),
            corrected=corrected,
        )

    def is_alive(self, kind: str, key: str) -> bool:
        """True when at least one item has this attribute or one below it."""
        known = self._alive.get((kind, key))
        if known is None:
            index = self._catalogue.attribute_index(kind, key)
            known = index is not None and bool(
                self._catalogue.items_with(self._catalogue.below(index)).any()
            )
            self._alive[kind, key] = known
        return known

    def is_weak(self, phrase_roots: tuple[str, ...]) -> bool:
        """True for an item's name made of everyday words or other names ("gin and tonic")."""
        return all(
            word in self._plain_words or word in self.names.words or word.isdigit()
            for word in phrase_roots
        )

    def is_plain(self, word: str) -> bool:
        """True for an everyday word that names nothing."""
        return word in self._plain_words or word.isdigit()

    def _respell(self, token: Token) -> tuple[str, ...]:
        root = token.root
        if self._is_known(token):
            return (root,)
        near = self._nearest(root)
        if near is not None:
            return (near,)
        for place in range(3, len(root) - 2):  # "limejuice"
            left, right = singular(root[:place]), singular(root[place:])
            if left in self.names.words and right in self.names.words:
                return (left, right)
        return (root,)

    def _is_known(self, token: Token) -> bool:
        return (
            token.root in self.names.words
            or token.root in self.items.words
            or token.word in self._plain_words
            or token.root in self._plain_words
            or token.word[0].isdigit()
            or len(token.root) < 4
        )

    def _nearest(self, root: str) -> str | None:
        from rapidfuzz import process  # 15 ms to import, only paid for a word nobody knows
        from rapidfuzz.distance import OSA

        slips = 1 if len(root) < 7 else 2
        near = process.extract(
            root, self._spellings, scorer=OSA.distance, score_cutoff=slips, limit=8
        )
        usable = [
            (distance, word not in self.names.words, abs(len(word) - len(root)), word)
            for word, distance, _ in near
            if len(word) >= 3
            and (word[0] == root[0] or (distance == 1 and len(root) >= 5))
            and (distance == 1 or len(word) >= 7)
        ]
        return min(usable)[3] if usable else None

    def _add_attributes(self) -> None:
        for attribute in self._catalogue.attributes:
            spec = self.domain.attributes[attribute.kind]
            meaning = Meaning(spec.role, attribute.kind, attribute.key)
            concept = self.domain.taxonomy.get(attribute.kind, {}).get(attribute.key)
            spellings = (*concept.also, *concept.ask) if concept else ()
            for spelling in (attribute.key, attribute.name, *spellings):
                if not _is_just_a_noun(spelling, self.domain):
                    self.names.add(spelling, meaning)
            if spec.role == "category":  # "Coffee / Tea" is asked for by either half
                for half in attribute.name.split("/"):
                    if half != attribute.name and not _is_just_a_noun(half, self.domain):
                        self.names.add(half, meaning)

    def _add_phrases(self) -> None:
        for flag, spec in self.domain.flags.items():
            for value, phrases in spec.values.items():
                for phrase in phrases:
                    self.names.add(phrase, Meaning("flag", flag, value))
        for diet in self.domain.diets:
            self.names.add(diet, Meaning("diet", "diet", diet))
        for number, wish in self.domain.numbers.items():
            for key, phrases in (("more", wish.more), ("less", wish.less)):
                for phrase in phrases:
                    self.names.add(phrase, Meaning("order", number, key))

    def _add_item(self, key: str, name: str) -> None:
        words = roots(name)
        self.items.add(name, key)
        if len(words) > 1 and words[0] in ("the", "a", "an"):
            self.items.add(" ".join(words[1:]), key)
        bare = name.split("(")[0].strip()
        if bare and bare != name:
            self.items.add(bare, key)


def _is_just_a_noun(spelling: str, domain: Domain) -> bool:
    """A name that only says "a drink": catalogues have a category called Cocktail."""
    nouns = {roots(word) for word in (*domain.item_words, domain.singular, domain.plural)}
    return roots(spelling) in nouns or roots(spelling) in {("ordinary", "drink"), ("other",)}


def _mark(between: str) -> str:
    if any(mark in between for mark in ".!?;:()\n—–") or " - " in between:
        return "."
    return "," if "," in between or "/" in between else ""

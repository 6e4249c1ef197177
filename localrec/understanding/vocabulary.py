"""Every name a question may use: attributes, families, items, flags, diets, comparatives.

Built from the graph and the domain's declaration, so a foreign catalogue's own words count at
once. A word that is neither a name nor everyday English is read as the nearest name within one
or two slips of the finger (optimal string alignment); "gin" and "ginger" are both names and
never become each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import msgspec

from localrec.data.domains import Domain
from localrec.foundation.text_matching import PhraseTable, Token, roots, singular, tokens
from localrec.understanding.absent_names import absent_places
from localrec.understanding.askable_names import AskableNames
from localrec.understanding.clause_verbs import ClauseVerbs
from localrec.understanding.contractions import is_in_a_phrase, uncontracted
from localrec.understanding.language_words import (
    adjectives_of,
    cue_words,
    english,
    inflected,
    phrases_by_first_word,
    places_and_languages,
    places_by_adjective,
)
from localrec.understanding.meanings import Meaning, Named
from localrec.understanding.nearest_names import NearestNames
from localrec.understanding.number_ranges import counted_nouns
from localrec.understanding.partial_names import LongName, PartialNames
from localrec.understanding.punctuated_names import PunctuatedNames, marks_between
from localrec.understanding.spelling import SpellingCorrector, is_everyday, other_forms, with_ie
from localrec.understanding.superlatives import order_phrases, positives

_LEAST_USE = 10
_WITH_ARTICLE = 3  # words of a name, beyond which it is told without its article too
_SEVERAL = 4  # items that have one thing in common
_LONGEST_NAME = 8  # words before slang that may belong to one name with it
_ROMAN = {"ii": 2, "iii": 3, "iv": 4, "2": 2, "3": 3, "4": 4}
CuesByFirstWord = dict[str, list[tuple[str, ...]]]


class Reading(msgspec.Struct, frozen=True):
    """A question cut into tokens, typos mended.

    `gaps[i]` is the strongest mark between token i-1 and i: "", "," or ".".
    """

    tokens: tuple[Token, ...]
    words: tuple[str, ...]  # as typed, folded
    roots: tuple[str, ...]  # corrected, without plural endings
    gaps: tuple[str, ...]
    capitals: tuple[bool, ...]  # typed with a capital letter
    corrected: dict[str, str]
    nouns_of_verbs: frozenset[int] = frozenset()  # places of names that were told by their verbs

    def end_of_clause(self, position: int) -> int:
        """The first token behind `position` that a comma or full stop parts from it."""
        end = position + 1
        while end < len(self.gaps) and not self.gaps[end]:
            end += 1
        return end


class VocabularyTables(NamedTuple):
    """All phrases of a vocabulary: what names mean, which items are called so, parts of names."""

    names: PhraseTable[Meaning]
    items: PhraseTable[str]
    long_names: dict[str, list[LongName]]
    callable: set[str]


class Vocabulary:
    """The phrase tables of one domain's catalogue, and the spelling of its words.

    Args:
        catalogue: The names of items and attributes.
        tables: The tables that were built from them before; None builds them.
    """

    def __init__(self, catalogue: Named, tables: VocabularyTables | None = None) -> None:
        self.domain: Domain = catalogue.domain
        self._catalogue = catalogue
        self.names: PhraseTable[Meaning] = PhraseTable()
        self.items: PhraseTable[str] = PhraseTable()
        self._alive: dict[tuple[str, str], bool] = {}
        self.item_nouns = frozenset(r for word in self.domain.item_words for r in roots(word))
        self.counted_nouns = _counted_roots(self.domain)
        common = frozenset(english().words.common.split()).union(self.domain.words.common)
        self._plain_words = frozenset(singular(word) for word in common) | common
        self._asked_by = AskableNames(catalogue, self.names)
        self.partial = PartialNames(self.domain, self.is_plain, self.is_usable)
        if tables is None:
            self._add_all()
        else:
            self.names, self.items = tables.names, tables.items
            self.partial.words, self.partial.callable = tables.long_names, tables.callable
        self.nearest = NearestNames(self.names, self.items, catalogue, self.is_usable)
        self._clauses = ClauseVerbs(self.names, self.is_usable)
        self._punctuated = PunctuatedNames(catalogue, self.names, self.items, self.is_plain)
        self._spelling = SpellingCorrector(
            self.names.words,
            self.items.words,
            self.partial.callable,
            self._plain_words | self._told_otherwise(),
            self.domain.words.compounds,
        )

    def _add_all(self) -> None:
        self._add_attributes()
        for place, meaning in absent_places(self._catalogue.attributes, self.domain, self.names):
            self.names.add(place, meaning)
        self._add_phrases()
        for key, name in zip(self._catalogue.keys, self._catalogue.names, strict=True):
            self._add_item(key, name)
        for short, name in self.domain.nicknames.items():
            for key in self.items.get(name):
                self.items.add(short, key)

    def _told_otherwise(self) -> frozenset[str]:
        """Words that are no names and no everyday words, but that other rules listen for."""
        numbers = (
            word
            for name, spec in self.domain.numbers.items()
            for phrase in (*spec.units, *spec.words, *counted_nouns(name, self.domain))
            for word in roots(phrase)
        )
        state, years = english().state, english().years
        past = (*state.unmet, *state.met, *state.wanted, *state.unwanted)
        states = (word for phrase in past for word in phrase.split())
        bounds = (*years.before, *years.until, *years.after, *years.since, *years.since_behind)
        cues = (*cue_words(), *(word for phrase in bounds for word in phrase.split()))
        told = (*numbers, *states, *cues, *years.decades, *english().numbers)
        return frozenset(word for word in told if len(word) > 2)

    @cached_property
    def units(self) -> frozenset[str]:
        """Words behind numbers, singular."""
        specs = self.domain.numbers.items()
        told = (
            unit
            for name, spec in specs
            for unit in (*spec.units, *counted_nouns(name, self.domain))
        )
        return frozenset(word for unit in told for word in roots(unit) if len(word) > 3)

    @cached_property
    def _common_use(self) -> int:
        """Items from which on a catalogue's own kind is common."""
        return max(_LEAST_USE, len(self._catalogue.keys) // 400)

    @cached_property
    def have_cues(self) -> CuesByFirstWord:
        """Phrases that stand by what a user has, longest first."""
        return phrases_by_first_word([*english().mention.have, *self.domain.words.have])

    @cached_property
    def negations(self) -> CuesByFirstWord:
        """Phrases before what is not wanted, longest first."""
        told = english().negation
        return phrases_by_first_word(
            [
                *told.before,
                *told.before_thing,
                *told.verbs,
                *inflected(told.refusing),
                *told.refusing_nouns,
                *self.domain.words.negations,
            ]
        )

    def read(self, text: str) -> Reading:
        """Tokenise a question and mend its typos."""
        found = self._spelling.joined(text, tokens(text))
        corrected: dict[str, str] = {}
        cut: list[tuple[Token, str]] = []
        counts = False
        cut_short = uncontracted(text, found)
        done = self._clauses.named(found)
        bare = cut_short | done
        slang = {place for place, token in enumerate(found) if token.word in english().slang}
        as_typed = _in_names(found, slang | bare.keys(), (self.names, self.items))
        shown = _shown_names(text, found)
        for place, token in enumerate(found):
            unit = self._spelling.unit_meant(token.word, self.units) if counts else None
            meant = (unit,) if unit else self._spelling.respell(token, is_name=shown[place])
            if place in as_typed:
                meant = (token.root,)
            elif place in bare:
                meant = (bare[place],)
            elif meant != (token.root,) and not _is_other_spelling(token.root, meant):
                corrected[token.word] = " ".join(meant)
            cut += [(token, root) for root in meant]
            counts = token.word[0].isdigit() or token.word in english().numbers
        kept = tuple(token for token, _ in cut)
        words = tuple(singular(root) for _, root in cut)
        heard = {found[place].start for place in cut_short if is_in_a_phrase(found[place].word)}
        told_by_verb = {found[place].start for place in done}
        return Reading(
            tokens=kept,
            words=tuple(t.word if r == t.root or t.start in heard else r for t, r in cut),
            roots=words,
            gaps=self._punctuated.without_own_marks(words, marks_between(text, kept), text),
            capitals=tuple(text[token.start].isupper() for token in kept),
            corrected=corrected,
            nouns_of_verbs=frozenset(i for i, one in enumerate(kept) if one.start in told_by_verb),
        )

    def mended(self, word: str) -> str:
        """A word as it was meant, folded and without a plural ending; mostly itself."""
        return " ".join(root for one in tokens(word) for root in self._spelling.respell(one))

    def is_alive(self, kind: str, key: str) -> bool:
        """True when at least one item has this attribute or one below it."""
        known = self._alive.get((kind, key))
        if known is None:
            index = self._catalogue.attribute_index(kind, key)
            known = index is not None and self._catalogue.is_had(index)
            self._alive[kind, key] = known
        return known

    def is_usable(self, meaning: Meaning) -> bool:
        """True for what an item has, and for flags, diets and wishes, which are always usable."""
        if meaning.role in ("flag", "diet", "order"):
            return True
        return self.is_alive(meaning.kind, meaning.key)

    def is_shared(self, meaning: Meaning) -> bool:
        """Whether several items have something, so that its name tells a kind of them."""
        index = self._catalogue.attribute_index(meaning.kind, meaning.key)
        return index is not None and self._catalogue.use_of(index) >= _SEVERAL

    def share_within(self, number: str, low: float, high: float) -> float:
        """Share of the items whose number lies between bounds."""
        return self._catalogue.share_within(number, low, high)

    def is_weak(self, phrase_roots: tuple[str, ...]) -> bool:
        """True for an item's name made of everyday words and other names ("gin and tonic")."""
        named = [False] * len(phrase_roots)
        for match in self.names.find(list(phrase_roots)):
            named[match.first : match.last] = [True] * (match.last - match.first)
        return all(
            is_name or self.is_plain(word)
            for is_name, word in zip(named, phrase_roots, strict=True)
        )

    def is_hardly_a_name(self, phrase: tuple[str, ...], meaning: Meaning) -> bool:
        """True for a maker or kind that a catalogue calls by everyday words ("Nice", "One").

        A taxonomy's own names were chosen with questions in mind and always count.
        """
        if meaning.kind in self.domain.taxonomy or meaning.role not in ("creator", "category"):
            return False
        if meaning.key in places_and_languages():
            return phrase == (meaning.key,) and len(meaning.key) < 4
        index = self._catalogue.attribute_index(meaning.kind, meaning.key)
        if index is not None and self._catalogue.use_of(index) >= self._common_use:
            return False  # "Oregon": what so many items are is asked for by its name
        if len(phrase) == 1:
            return self.is_plain(phrase[0]) or is_everyday(phrase[0])
        return all(map(self.is_plain, phrase))

    def is_only_in_items(self, root: str) -> bool:
        """True for a word of items' names that is no name of its own and no everyday word."""
        return root in self.items.words and not self.names.get(root) and not self.is_plain(root)

    def is_only_in_names(self, root: str) -> bool:
        """True for a word of longer names that alone is no name and no everyday word."""
        return root in self.names.words and not self.names.get(root) and not self.is_plain(root)

    def spelling_of(self, item: str) -> tuple[str, ...]:
        """The words of an item's name, folded, plurals kept."""
        index = self._catalogue.item_index(item)
        return () if index is None else tuple(t.word for t in tokens(self._catalogue.names[index]))

    def is_spelt_out(self, word: str) -> bool:
        """True for a word of some name, of an attribute or an item."""
        root = singular(word)
        return root in self.names.words or root in self.items.words or root in self.partial.words

    def is_plain(self, word: str) -> bool:
        """True for an everyday word that names nothing."""
        return word in self._plain_words or word.isdigit()

    def _add_attributes(self) -> None:
        for attribute in self._catalogue.attributes:
            spec = self.domain.attributes[attribute.kind]
            meaning = Meaning(spec.role, attribute.kind, attribute.key)
            concept = self.domain.taxonomy.get(attribute.kind, {}).get(attribute.key)
            spellings = (*concept.also, *concept.ask) if concept else ()
            for spelling in (attribute.key, attribute.name, *spellings):
                own = self._catalogue.attribute_index(attribute.kind, " ".join(roots(spelling)))
                is_brand = own is not None and self._catalogue.attributes[own] != attribute
                is_brand = is_brand and not (concept and spelling in concept.ask)
                if not is_brand and self._asked_by.is_askable(spelling, attribute.kind, spec.role):
                    self.names.add(spelling, meaning)
                    self.partial.add(spelling, meaning)
                    if (one := with_ie(spelling)) != spelling:
                        self.names.add(one, meaning)
                    if (words := roots(spelling))[:1] == ("the",) and len(words) > _WITH_ARTICLE:
                        self.names.add(" ".join(words[1:]), meaning)  # "Heroes of Olympus"
            if attribute.key in english().absent_names.not_alone:
                self.names.add(f"the {attribute.key}", meaning)  # "from the us"
            for adjective in adjectives_of(attribute.key):
                self.names.add(adjective, meaning)
                if spec.role == "colour" and " " not in spelling:
                    doubled = spelling + spelling[-1:] if len(spelling) == 3 else spelling
                    for stem in (spelling, spelling.removesuffix("e"), doubled):
                        self.names.add(f"{stem}ish", meaning)
            for place in parts_of_the_world().get(attribute.key, ()):
                self.names.add(place, meaning)
            if attribute.kind != "language":
                for place in places_by_adjective().get(attribute.key, ()):
                    self.names.add(place, meaning)
            if (
                spec.role in ("category", "component")
                and attribute.kind not in self.domain.taxonomy
            ):
                for part in self._asked_by.halves_of(attribute.name, attribute.kind, spec.role):
                    self.names.add(part, meaning)
        for other, meaning in free_synonyms(self.names, self.domain):
            self.names.add(other, meaning)

    def _add_phrases(self) -> None:
        for flag, spec in self.domain.flags.items():
            for value, phrases in spec.values.items():
                for phrase in phrases:
                    self.names.add(phrase, Meaning("flag", flag, value))
        for diet in self.domain.diets:
            self.names.add(diet, Meaning("diet", "diet", diet))
        for number, wish in self.domain.numbers.items():
            for phrase, key in order_phrases(wish, counted_nouns(number, self.domain)):
                self.names.add(phrase, Meaning("order", number, key))
            for key, phrases in positives(wish).items():
                for phrase in phrases:
                    if not self.names.get(phrase):
                        self.names.add(phrase, Meaning("order", number, key))

    def _add_item(self, key: str, name: str) -> None:
        words = roots(name)
        self.items.add(name, key)
        if len(words) > 1 and words[0] in english().grammar.articles:
            self.items.add(" ".join(words[1:]), key)
        one, other = english().mention.spelt_and
        if one in words or other in words:  # "Dark 'n' Stormy"
            swap = {one: other, other: one}
            self.items.add(" ".join(swap.get(word, word) for word in words), key)
        bare, _, inside = name.partition("(")
        if bare.strip() and inside:
            self.items.add(bare.strip(), key)
            aside = inside.partition(")")[0]
            if len(aside) > 3 and not aside.isdigit() and not self.names.get(aside):
                self.items.add(aside, key)  # "Seven (Se7en)"
        self._add_numbered(key, words)

    def _add_numbered(self, key: str, words: tuple[str, ...]) -> None:
        """ "The Godfather: Part II" is also called "godfather two" and "godfather 2"."""
        number = _ROMAN.get(words[-1]) if words else None
        if number is None or len(words) < 2:
            return
        parts = english().mention.parts
        stem = [word for word in words[:-1] if word not in parts]
        stem = stem[1:] if not english().grammar.definite.isdisjoint(stem[:1]) else stem
        for told in {
            words[-1],
            str(number),
            *(w for w, n in english().numbers.items() if n == number),
        }:
            for part in ((), *((one,) for one in parts)):
                self.items.add(" ".join((*stem, *part, told)), key)


def free_synonyms(names: PhraseTable[Meaning], domain: Domain) -> list[tuple[str, Meaning]]:
    """Other spellings of a catalogue's own kinds that name nothing else, with their meanings."""
    return [
        (other, meaning)
        for group in english().synonyms.words
        for name in group
        for meaning in names.get(name)
        if meaning.role in ("category", "component")
        for other in group
        if not names.get(other)
    ]


@lru_cache
def parts_of_the_world() -> dict[str, list[str]]:
    """A country's key -> what parts of the world it lies in."""
    found: dict[str, list[str]] = {}
    for place, countries in english().places.items():
        for country in countries:
            found.setdefault(country, []).append(place)
    return found


def _shown_names(text: str, found: Sequence[Token]) -> list[bool]:
    """For each word whether a capital inside a sentence shows it to be a name."""
    capitals = [text[token.start].isupper() for token in found]
    if all(capitals):
        return [False] * len(found)
    ends = [0, *(token.end for token in found)]
    between = [text[end : token.start] for end, token in zip(ends, found, strict=False)]
    inside = [not any(mark in one for mark in ".!?;\n") for one in between]
    return [place > 0 and inside[place] and capitals[place] for place in range(len(found))]


def _is_other_spelling(root: str, meant: Sequence[str]) -> bool:
    """Whether a word is its plural's root or its adjective ("zombie", "orchestral")."""
    return len(meant) == 1 and meant[0] in other_forms(root)


def _counted_roots(domain: Domain) -> frozenset[str]:
    """The roots of the nouns that a domain counts, such as "ingredient"."""
    return frozenset(
        root
        for name, spec in domain.numbers.items()
        if spec.kind == "count"
        for noun in counted_nouns(name, domain)
        for root in roots(noun)
    )


def _in_names(
    found: Sequence[Token], places: Iterable[int], tables: Sequence[PhraseTable[Any]]
) -> set[int]:
    """Those places that are part of a longer name: "Ma" in "Yo-Yo Ma", "That'll Be the Day"."""
    typed = [token.root for token in found]
    return {
        place
        for place in places
        for first in range(max(0, place - _LONGEST_NAME), place + 1)
        for table in tables
        if (name := table.longest_at(typed, first)) is not None
        and name.last > place
        and name.last - first > 1
    }

"""The words of a language that the rules of reading a question listen for, kept as data.

They lie in `languages/en.toml`, a domain adds its own in its `words.toml`. Phrases are folded:
lower case, no accents, no apostrophes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from localrec.foundation.parsed_toml import decode_large_toml
from localrec.understanding.amount_words import (
    AgeWords,
    AmountWords,
    PartyWords,
    SpokenAmountWords,
    SuperlativeWords,
    YearWords,
)
from localrec.understanding.name_words import (
    AbsentNameWords,
    ExampleWords,
    MentionWords,
    TitleWords,
)
from localrec.understanding.refusal_words import (
    DoubleNegationWords,
    JointRefusalWords,
    NegationWords,
    TrailingRefusalWords,
)

Phrase = tuple[str, ...]
_SHORTEST_PLACE = 4  # letters of a place's name; fewer are a code
Words = frozenset[str]


class StateWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases that speak of what the person did with an item before."""

    verbs: Words
    open: tuple[str, ...]
    refusing: Words
    bridges: Words
    unmet: tuple[str, ...]
    met: tuple[str, ...]
    met_otherwise: Words
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]


class SeveralPeopleWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Who may have a wish of their own, and how wishes follow each other."""

    people: Words
    same: dict[str, str]
    groups: Words
    ruling: Words
    pronouns: Words
    vague: Words
    wishes: Words
    nobody: Words
    speaker: str
    for_whom: str
    first: str
    then: tuple[str, ...]


class TalkWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words without a wish: small talk, questions about other things, words that carry nothing."""

    small: tuple[str, ...]
    other: tuple[str, ...]
    asking: tuple[str, ...]
    thanks: tuple[str, ...]
    greetings: Words
    off_topic_openings: tuple[str, ...]
    off_topic_phrases: tuple[str, ...]
    wishes: Words
    silent: Words
    asks: Words
    asks_little: Words
    doubtful_openings: Words


class RepairWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases that take back what was just said, and words that may stand around them."""

    cues: tuple[str, ...]
    before: Words
    behind: Words
    refusing: Words


class SynonymWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Spellings of one kind of thing, a group a line."""

    words: tuple[tuple[str, ...], ...]


class CommonWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everyday words of requests, parted by white space."""

    common: str


class ClauseWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words of clauses that tell what one does, before the verb; the file tells each list."""

    openers: Words
    subjects: Words
    helpers: Words
    other_sense_before: Words
    duties: Words


class RoleWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words by which the rules are sure what names are there for; the file tells each list."""

    needed: tuple[str, ...]
    wishing: Words
    asking: Words
    imperatives: Words
    before_imperatives: Words
    bearers: Words
    everything: Words
    excepting: Words
    wishing_bridges: Words
    plain: str


class StoryWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words by which sentences that tell what happened are told from those that ask."""

    asking: tuple[str, ...]
    judging: Words
    done: Words
    having: Words
    times: Words
    leading: Words
    doers: Words
    no_verbs: Words
    pointing_back: tuple[str, ...]


class GrammarWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Small words that many rules share."""

    articles: Words
    determiners: Words
    indefinites: Words
    conjunctions: Words
    disjunctions: Words
    demonstratives: Words
    anything: Words
    denials: Words
    negatives: Words
    relatives: Words
    auxiliaries: Words
    conditions: Words
    origins: Words
    makers: Words
    accompanied: Words
    infinitives: Words
    comparisons: Words
    definite: Words


class PictureWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How words point at the picture beside a question: patterns, one in another as `<it>`."""

    only_pictures: Words
    noun: str
    this: str
    it: str
    naming: tuple[str, ...]
    seen: str
    looks: tuple[str, ...]
    example: tuple[str, ...]
    held_like: tuple[str, ...]
    of_kind: tuple[str, ...]
    of_its_parts: tuple[str, ...]


class ShelfWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases that ask for what can be made of what is at hand."""

    make: tuple[str, ...]
    asking: tuple[str, ...]


class AbsentThingWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words around a thing that nothing here has."""

    behind: tuple[str, ...]
    by_name: tuple[str, ...]
    small_behind: tuple[str, ...]
    small_by_name: tuple[str, ...]
    articles: tuple[str, ...]
    asking: tuple[str, ...]


class FollowUpWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that begin a question only where something was said before."""

    joins: tuple[str, ...]
    goes_on: tuple[str, ...]


class SlipWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Slips of writing and dictating."""

    contracted: tuple[str, ...]
    short_years: Words
    year: str
    comparatives: tuple[str, ...]
    then: str
    form: str
    form_meant: str
    tags: tuple[str, ...]
    clock: tuple[str, ...]
    two: str
    comma: tuple[str, ...]
    stops: tuple[str, ...]
    unequal: str


class NumeralWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How numbers are made of words."""

    one: str
    single: str
    hundred: str
    two_thousand: str
    and_word: str
    zero: tuple[str, ...]
    point: str
    half: str
    dozen: str


class LanguageWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All words of one language that the rules use."""

    grammar: GrammarWords
    titles: TitleWords
    picture: PictureWords
    shelf: ShelfWords
    absent_things: AbsentThingWords
    follow_ups: FollowUpWords
    slips: SlipWords
    spoken_amounts: SpokenAmountWords
    party: PartyWords
    ages: AgeWords
    numerals: NumeralWords
    negation: NegationWords
    double_negation: DoubleNegationWords
    trailing_refusals: TrailingRefusalWords
    joint_refusals: JointRefusalWords
    absent_names: AbsentNameWords
    example: ExampleWords
    mention: MentionWords
    amounts: AmountWords
    years: YearWords
    state: StateWords
    several_people: SeveralPeopleWords
    talk: TalkWords
    look: Words
    superlatives: SuperlativeWords
    expand: tuple[str, ...]
    serve: tuple[str, ...]
    parts_of_places: Words
    foreign: Words
    clauses: ClauseWords
    roles: RoleWords
    stories: StoryWords
    words: CommonWords
    slang: dict[str, str]
    money: tuple[str, ...]
    durations: tuple[str, ...]
    spending: tuple[str, ...]
    being_there: tuple[str, ...]
    company: tuple[str, ...]
    people_nouns: tuple[str, ...]
    partners: tuple[str, ...]
    children: tuple[str, ...]
    no_ages: tuple[str, ...]
    alone: tuple[str, ...]
    demonyms: dict[str, tuple[str, ...]]
    repairs: RepairWords
    synonyms: SynonymWords
    places: dict[str, tuple[str, ...]]
    numbers: dict[str, int]


@lru_cache
def english() -> LanguageWords:
    """Read the English words, once: 20 ms the first time on a machine, 2 ms from then on."""
    path = Path(__file__).parent / "languages" / "en.toml"
    return decode_large_toml(path, LanguageWords)


@lru_cache
def places_and_languages() -> frozenset[str]:
    """The countries, states and languages that English names, by key and adjective."""
    told = english().demonyms
    return frozenset(told).union(*told.values())


def adjectives_of(place: str) -> tuple[str, ...]:
    """What a place is called as an adjective, also a part of one: "south australian"."""
    told = english().demonyms
    first, _, last = place.rpartition(" ")
    of_whole = told.get(last, ()) if first in english().parts_of_places else ()
    return told.get(place, ()) or tuple(f"{first} {adjective}" for adjective in of_whole)


@lru_cache
def places_by_adjective() -> dict[str, tuple[str, ...]]:
    """Places by what comes from them: "brazilian" is from Brazil; codes of languages left out."""
    found: dict[str, tuple[str, ...]] = {}
    for place, adjectives in english().demonyms.items():
        for adjective in adjectives if len(place) >= _SHORTEST_PLACE else ():
            is_nickname = len(adjective) < _SHORTEST_PLACE or adjective[0] != place[0]  # "kiwi"
            if not is_nickname and f"{adjective}n" not in adjectives:  # "America" is a place
                found[adjective] = (*found.get(adjective, ()), place)
    return found


@lru_cache
def cue_words() -> Words:
    """Words of the phrases that rules listen for, which carry nothing else."""
    told = english()
    lists = (
        told.negation.before, told.negation.before_thing, told.negation.verbs, told.negation.behind,
        told.example.before, told.example.kin_phrases, told.mention.either, told.mention.beside,
        told.mention.have, told.state.unmet, told.state.met, told.state.wanted, told.state.unwanted,
        told.expand, told.serve,
    )  # fmt: skip
    return frozenset(word for one in lists for phrase in one for word in phrase.split())


def says_any(words: Sequence[str], phrases: Iterable[str]) -> bool:
    """Whether one of the phrases stands in the words of a question."""
    text = f" {' '.join(words)} "
    return any(f" {phrase} " in text for phrase in phrases)


def inflected(told: Iterable[str]) -> tuple[str, ...]:
    """Verbs, or phrases that begin with one, also with -s, -ed and -ing ("skip", "skipping")."""
    found: dict[str, None] = {}
    for phrase in told:
        verb, _, rest = phrase.partition(" ")
        stem = verb[:-1] if verb.endswith("e") else verb
        vowel = len(verb) > 2 and verb[-2] in "aeiou" and verb[-3] not in "aeiou"
        doubled = stem + verb[-1] if vowel and verb[-1] in "bdgmnprt" else stem
        third = verb + ("es" if verb.endswith(("sh", "ch", "ss", "x", "o")) else "s")
        for form in (verb, third, f"{doubled}ed", f"{doubled}ing", f"{stem}ed", f"{stem}ing"):
            found[f"{form} {rest}".strip()] = None
    return tuple(found)


def any_of(told: Iterable[str]) -> str:
    r"""Return a pattern of any of some phrases, longest first, with `\s+` between their words."""
    longest = sorted(told, key=lambda phrase: (-len(phrase), phrase))
    return "(?:" + "|".join(re.escape(one).replace("\\ ", r"\s+") for one in longest) + ")"


def phrases(told: Iterable[str]) -> tuple[Phrase, ...]:
    """Cut phrases into their words."""
    return tuple(tuple(phrase.split()) for phrase in told)


def phrase_length(
    by_first_word: Mapping[str, Sequence[Phrase]], words: Sequence[str], position: int
) -> int:
    """Words of the longest phrase that stands at a position; 0 where none does."""
    for phrase in by_first_word.get(words[position], ()):
        if tuple(words[position : position + len(phrase)]) == phrase:
            return len(phrase)
    return 0


def phrases_by_first_word(told: Iterable[str]) -> dict[str, list[Phrase]]:
    """Phrases under their first word, longest first."""
    found: dict[str, list[Phrase]] = {}
    for words in sorted(phrases(told), key=len, reverse=True):
        found.setdefault(words[0], []).append(words)
    return found

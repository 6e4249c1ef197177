"""The words of a language that the rules of reading a question listen for, kept as data.

They lie in `languages/en.toml`, a domain adds its own in its `words.toml`. Phrases are folded:
lower case, no accents, no apostrophes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from localrec.foundation.parsed_toml import decode_large_toml

Phrase = tuple[str, ...]
_SHORTEST_PLACE = 4  # letters of a place's name; fewer are a code
Words = frozenset[str]


class NegationWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that begin, end or limit a refusal; the file says what each list is for."""

    before: tuple[str, ...]
    before_thing: tuple[str, ...]
    verbs: tuple[str, ...]
    pronouns: Words
    subjects: Words
    behind: tuple[str, ...]
    behind_idioms: tuple[str, ...]
    alone_behind: Words
    bracket_open: Words
    bracket_close: Words
    harmless_behind: Words
    not_tried_yet: Words
    ends: Words
    saying_so: tuple[str, ...]
    lead_in: Words
    list_words: Words
    suffixes: Words
    less_nouns: Words
    all_but: Words
    nobody: Words
    likes: Words
    preferring: Words
    asks_all_the_same: tuple[str, ...]
    refusing: tuple[str, ...]
    refusing_nouns: tuple[str, ...]
    nouns_too: Words
    disgust: Words
    unhappy: Words
    wished_exceptions: tuple[str, ...]
    too_much: Words
    pointing: tuple[str, ...]
    pointed_at: Words
    pointing_back: tuple[str, ...]
    told_after_being: tuple[str, ...]
    over_names: tuple[str, ...]


class DoubleNegationWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that take a refusal back ("never get sick of"); the file says what each list is for."""

    denying: Words
    bridges: Words
    refusing: tuple[str, ...]
    former: tuple[str, ...]
    lacking: Words
    begins_wish: Words
    stakes: Words


class TrailingRefusalWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words before a name that refuse it; the file says what each list is for."""

    verdicts: tuple[str, ...]
    adverbs: Words
    general_nouns: Words
    being: Words
    denying: Words
    predicates: tuple[str, ...]
    short_predicates: tuple[str, ...]
    goes_on: Words
    harmless: Words
    might: Words
    harms: Words
    sufferers: Words
    ailments: Words
    owners: Words
    refused_verbs: Words
    closes: tuple[str, ...]
    presences: tuple[str, ...]
    listing: Words
    would: Words
    partings: tuple[str, ...]
    skip_leads: Words
    skipping: Words
    welcomes: Words
    threats: tuple[str, ...]
    reactions: tuple[str, ...]
    leaving: tuple[str, ...]
    in_conditions: frozenset[str]
    opens_aside: Words
    ends_aside: Words
    left_at: Words
    usual: Words
    instead: tuple[str, ...]
    before_too: Words


class JointRefusalWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that refuse several earlier names together."""

    of_them: Words
    closing: Words
    excepting: Words
    approving: Words


class AbsentNameWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that mark names which nothing in a catalogue has."""

    said_otherwise: Words
    asking: Words


class ExampleWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that introduce an item as an example, or show that a name is none."""

    before: tuple[str, ...]
    fillers: Words
    wishing: Words
    species: Words
    kin_phrases: tuple[str, ...]
    other_makers: tuple[str, ...]
    otherwise: Words
    not_the_same: Words
    vague_kinds: Words
    swaps: Words
    kin_behind: Words
    asks_for_kin: Words
    changes: Words
    turns: Words
    rules_out: Words
    fond: tuple[str, ...]
    praised: Words
    strong_first: Words
    strong: tuple[str, ...]


class MentionWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Neighbours that decide what a name means, and what it is named for."""

    taste_before: Words
    indefinite: Words
    before_predicates: tuple[str, ...]
    before_objects: Words
    packages: Words
    in_title: tuple[str, ...]
    served: Words
    garnish: Words
    shades: Words
    colour_before: Words
    colour_breaks: Words
    colour_after: Words
    doers: Words
    by: Words
    parts: Words
    abbreviations: Words
    both: tuple[str, ...]
    either: tuple[str, ...]
    or_bridges: Words
    beside: tuple[str, ...]
    idioms: tuple[str, ...]
    possessive: Words
    everybody: Words
    who_is: tuple[str, ...]
    person_verbs: Words
    have: tuple[str, ...]
    backward_have: Words


class AmountWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words before or behind a number that make it a bound."""

    below: tuple[str, ...]
    at_most: tuple[str, ...]
    above: tuple[str, ...]
    at_least: tuple[str, ...]
    near: tuple[str, ...]
    exactly: tuple[str, ...]
    most_behind: tuple[str, ...]
    least_behind: tuple[str, ...]
    exactly_behind: tuple[str, ...]
    near_behind: tuple[str, ...]
    negating: tuple[str, ...]
    negating_bridges: Words
    no_nouns: Words
    range_joins: tuple[str, ...]
    raters: tuple[str, ...]
    rates: tuple[str, ...]
    times: dict[str, float]


class YearWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words for decades, centuries and other spans of years, and what stands around them."""

    happened: tuple[str, ...]
    tellers: tuple[str, ...]
    recalled: Words
    decades: dict[str, int]
    ordinals: dict[str, int]
    eras: dict[str, tuple[int, int]]
    early: Words
    middle: Words
    late: Words
    before: tuple[str, ...]
    until: tuple[str, ...]
    after: tuple[str, ...]
    since: tuple[str, ...]
    near: tuple[str, ...]
    since_behind: tuple[str, ...]
    until_behind: tuple[str, ...]
    refused: tuple[str, ...]
    refused_behind: tuple[str, ...]


class SuperlativeWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words for the far end of a number ("the strongest")."""

    latest: tuple[str, ...]
    earliest: tuple[str, ...]
    fewest: tuple[str, ...]
    plain: tuple[str, ...]
    possessives: tuple[str, ...]
    in_bounds: tuple[str, ...]
    before_clocks: Words
    clocks: Words
    irregular: dict[str, str]


class StateWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases that speak of what the person did with an item before."""

    verbs: Words
    open: tuple[str, ...]
    refusing: Words
    bridges: Words
    unmet: tuple[str, ...]
    met: tuple[str, ...]
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...]


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


class RepairWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases that take back what was just said, and words that may stand around them."""

    cues: tuple[str, ...]
    before: Words
    behind: Words


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


class RoleWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words by which the rules are sure what names are there for; the file tells each list."""

    needed: tuple[str, ...]
    wishing: Words
    asking: Words
    imperatives: Words
    before_imperatives: Words
    bearers: Words
    wishing_bridges: Words
    plain: str


class LanguageWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All words of one language that the rules use."""

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
    talk: TalkWords
    look: Words
    superlatives: SuperlativeWords
    expand: tuple[str, ...]
    serve: tuple[str, ...]
    parts_of_places: Words
    foreign: Words
    clauses: ClauseWords
    roles: RoleWords
    words: CommonWords
    slang: dict[str, str]
    money: tuple[str, ...]
    durations: tuple[str, ...]
    spending: tuple[str, ...]
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

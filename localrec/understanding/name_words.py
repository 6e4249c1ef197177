"""What words around a name are for: an example, one of several, a title, a name that is absent.

Their lists lie with the other words, and `language_words.english` reads them.
"""

from __future__ import annotations

import msgspec

Words = frozenset[str]


class AbsentNameWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that mark names which nothing in a catalogue has."""

    said_otherwise: Words
    asking: Words
    country_codes: Words
    same: tuple[str, ...]
    not_alone: Words


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
    swapped_for: Words
    kin_behind: Words
    asks_for_kin: Words
    changes: Words
    turns: Words
    rules_out: Words
    fond: tuple[str, ...]
    praised: Words
    makers: Words
    pointing: Words
    by_whom: Words
    who: Words
    did: Words
    maker_pronouns: Words
    more: Words
    refusing_maker: Words
    strong_first: Words
    strong: tuple[str, ...]
    other_than: tuple[str, ...]
    ends_name: Words
    same: Words
    one_more: Words
    not_other: Words
    no_other: tuple[str, ...]


class MentionWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Neighbours that decide what a name means, and what it is named for."""

    choices: tuple[str, ...]
    away: tuple[str, ...]
    turning: Words
    grown_up: int
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
    tasted_parts: Words
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
    additions: Words
    saying: Words
    asking_to_have: Words
    only_thought: tuple[str, ...]
    yet_to: tuple[str, ...]
    before_refused: Words
    not_drinking: tuple[str, ...]
    places: Words
    dated: tuple[str, ...]
    pointers: Words
    praise: Words
    served_bridges: Words
    package_of: Words
    drinking: Words
    drink: Words
    on_top: tuple[str, ...]
    topped: tuple[str, ...]
    coloured: Words
    not_coloured: Words
    in_colour: tuple[str, ...]
    look: Words
    looking: Words
    parts: Words
    spelt_and: tuple[str, ...]
    no_names: tuple[str, ...]


class TitleWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words around the title of an item that tell whether it is meant."""

    series: Words
    coming: Words
    subjects: tuple[str, ...]
    told: Words
    about: Words
    pronouns: Words
    times: Words
    after: Words
    linking: Words
    bounding: Words
    preferring: Words
    large: Words
    being: Words
    leading: Words
    asking: Words
    more_of_it: tuple[str, ...]
    surely_more: tuple[str, ...]
    others: Words
    closing: Words
    speakers: Words
    small: Words

"""What words around a number are for: bounds, years, ages, how many people there are.

Their lists lie with the other words, and `language_words.english` reads them.
"""

from __future__ import annotations

import msgspec

Words = frozenset[str]


class AmountWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words before or behind a number that make it a bound."""

    valued: tuple[str, ...]
    valued_behind: tuple[str, ...]
    clock_before: Words
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
    around_numbers: Words
    said_behind: Words
    people: Words
    again: tuple[str, ...]
    one: tuple[str, ...]
    of_one: Words
    joins: tuple[str, ...]
    turns: tuple[str, ...]
    open_behind: Words
    leads: tuple[str, ...]
    nots: tuple[str, ...]
    than: str
    linking: tuple[str, ...]
    minutes: Words
    hour: str
    hours: tuple[str, ...]
    things: tuple[str, ...]
    just: tuple[str, ...]
    count_joins: tuple[str, ...]
    kinds: tuple[str, ...]
    inside: tuple[str, ...]
    bound_joins: tuple[str, ...]
    no_bound_before: tuple[str, ...]
    counts: tuple[str, ...]
    between: str
    nobody: tuple[str, ...]


class YearWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words for decades, centuries and other spans of years, and what stands around them."""

    behind_leads: tuple[str, ...]
    happened: tuple[str, ...]
    tellers: tuple[str, ...]
    recalled: Words
    wishing: Words
    decades: dict[str, int]
    ordinals: dict[str, int]
    eras: dict[str, tuple[int, int]]
    events: dict[str, tuple[int, int]]
    that_year: tuple[str, ...]
    set_in: tuple[str, ...]
    refused_later: tuple[str, ...]
    whose: tuple[str, ...]
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
    short_counted: tuple[str, ...]
    short_join: str
    aged: tuple[str, ...]
    range_joins: tuple[str, ...]
    counted: tuple[str, ...]
    century: tuple[str, ...]
    linking: tuple[str, ...]
    who: tuple[str, ...]
    doing: tuple[str, ...]
    goes_on: tuple[str, ...]
    leads: tuple[str, ...]
    short_leads: tuple[str, ...]
    bare: tuple[str, ...]
    tells_when: Words
    opens_story: Words


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
    highest: tuple[str, ...]
    lowest: tuple[str, ...]
    most: tuple[str, ...]
    top: Words


class SpokenAmountWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Amounts as they are said, not written."""

    wholes: tuple[str, ...]
    added_parts: dict[str, float]
    parts: dict[str, float]
    in_short: dict[str, str]
    figures: dict[str, int]
    figure_nouns: tuple[str, ...]
    below: str
    each: tuple[str, ...]
    sold: tuple[str, ...]
    saying: str
    emphasis: tuple[str, ...]
    emphasised: tuple[str, ...]
    out_of: str
    behind_score: tuple[str, ...]
    rating: str
    vote: str


class PartyWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many people there are, said without a unit."""

    selves: tuple[str, ...]
    ands: tuple[str, ...]
    owners: tuple[str, ...]
    no_counts: Words
    at_least: tuple[str, ...]
    at_most: tuple[str, ...]
    companions: tuple[str, ...]
    before_count: str
    ends: tuple[str, ...]
    games: tuple[str, ...]
    whens: tuple[str, ...]


class AgeWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words around the ages of people."""

    years: tuple[str, ...]
    of_age: tuple[str, ...]
    old: str
    no_age: tuple[str, ...]
    later: tuple[str, ...]
    linking: tuple[str, ...]
    being: tuple[str, ...]
    pronouns: tuple[str, ...]
    having: tuple[str, ...]
    spans: tuple[str, ...]
    aged: tuple[str, ...]
    ands: tuple[str, ...]

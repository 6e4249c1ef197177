"""What the words of a language that refuse something are for: one record for each kind of refusal.

Their lists lie with the other words, and `language_words.english` reads them.
"""

from __future__ import annotations

import msgspec

Words = frozenset[str]


class NegationWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that begin, end or limit a refusal; the file says what each list is for."""

    owners: Words
    others: Words
    inside: Words
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
    conditions: Words
    unhappy: Words
    indifferent: Words
    wished_exceptions: tuple[str, ...]
    degrees: Words
    pointing: tuple[str, ...]
    pointed_at: Words
    pointing_back: tuple[str, ...]
    told_after_being: tuple[str, ...]
    over_names: tuple[str, ...]
    runs: Words
    to_runs: Words
    sequels: Words
    clauses: Words
    all: Words
    having: Words
    small_behind: Words
    small_verbs: Words
    added: Words
    joined: Words
    of_that: Words
    prepositions: Words
    leading: Words
    passed_over: Words
    too_much: Words
    pointed_behind: Words
    asking_why: Words
    from_somebody: Words
    alone: Words
    nothing: Words
    harmless_nothing: Words
    better_than: str
    preferred_to: Words
    sooner: Words
    otherwise: Words
    but: Words
    tried_before: Words
    never: Words
    anything: Words
    otherwise_joined: Words
    where: Words
    whatever: Words
    having_verbs: Words
    so: Words
    neither: Words
    either: Words
    without: Words
    about: Words


class DoubleNegationWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that take a refusal back ("never get sick of"); the file says what each list is for."""

    denying: Words
    bridges: Words
    refusing: tuple[str, ...]
    former: tuple[str, ...]
    lacking: Words
    begins_wish: Words
    stakes: Words
    bargaining: Words


class TrailingRefusalWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words before a name that refuse it; the file says what each list is for."""

    verdicts: tuple[str, ...]
    adverbs: Words
    welcoming: Words
    summing: tuple[str, ...]
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
    leading: Words
    plain: Words
    selves: Words
    in_partings: Words
    less: Words
    free: Words
    free_of_next: Words
    apart: Words
    it: Words
    however: Words
    adjectives: Words
    turning: Words
    passed_over: Words
    too: Words
    fewer: Words
    not_fewer: tuple[str, ...]
    nobody: Words
    left_owners: Words
    leave: Words


class JointRefusalWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words that refuse several earlier names together."""

    of_them: Words
    closing: Words
    excepting: Words
    approving: Words
    two: Words

"""Verbs of clauses that tell what one does, as the names that catalogues have for them."""

from __future__ import annotations

import pytest

from localrec.foundation.text_matching import PhraseTable, tokens
from localrec.understanding.clause_verbs import ClauseVerbs, verbs_of_names
from localrec.understanding.meanings import Meaning


def clauses() -> ClauseVerbs:
    names: PhraseTable[Meaning] = PhraseTable()
    for name in ("acting", "bidding", "trading", "betting", "dice rolling", "flying"):
        names.add(name, Meaning("component", "mechanic", name))
    names.add("expecting", Meaning("flag", "alcoholic", "no"))
    return ClauseVerbs(names, lambda one: one.key != "flying")


CLAUSES = clauses()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("not one where you have to act", ["acting"]),
        ("a game where we trade and bid", ["trading"]),
        ("something where players all bid", ["bidding"]),
        ("a party game without having to act", ["acting"]),
        ("one where everyone can bet", ["betting"]),
        ("a game where you don't have to act", ["acting"]),
        ("a game where you act as a judge", []),
        ("a drink where you expect gin", []),
        ("games for when we bet", []),
        ("one where we fly", []),
        ("the last act of our evening", []),
        ("we act like kids", []),
        ("I have to act soon", []),
        ("a trade fair", []),
        ("act", []),
        ("having", []),
    ],
)
def test_a_verb_names_a_thing_only_where_it_tells_what_one_does(text, named):
    assert list(CLAUSES.named(tokens(text)).values()) == named


def test_words_that_only_end_like_a_verbs_noun_name_none():
    verbs = verbs_of_names(["king", "ring", "bidding", "dice rolling"])
    assert set(verbs) == {"bid"}

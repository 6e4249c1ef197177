"""Verbs of clauses that tell what one does, as the names that catalogues have for them."""

from __future__ import annotations

import pytest

from localrec.foundation.text_matching import tokens
from localrec.understanding.clause_verbs import named_by_verbs, verbs_of_names

VERBS = verbs_of_names(["acting", "bidding", "trading", "king", "ring", "betting"])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("not one where you have to act", ["acting"]),
        ("a game where we trade and bid", ["trading"]),
        ("something where players all bid", ["bidding"]),
        ("a party game without having to act", ["acting"]),
        ("when everyone can bet", ["betting"]),
        ("the last act of our evening", []),
        ("we act like kids", []),
        ("I have to act soon", []),
        ("a trade fair", []),
        ("act", []),
        ("having", []),
    ],
)
def test_a_verb_names_a_thing_only_where_it_tells_what_one_does(text, named):
    assert list(named_by_verbs(tokens(text), VERBS).values()) == named


def test_words_that_only_end_like_a_verbs_noun_name_none():
    assert "k" not in VERBS and "r" not in VERBS

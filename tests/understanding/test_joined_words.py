"""Words that stand for names together, also where they are written in two."""

from __future__ import annotations

import pytest

from localrec.foundation.text_matching import tokens
from localrec.understanding.spelling import SpellingCorrector

CORRECTOR = SpellingCorrector({}, {}, set(), frozenset(), {"romcom": ("romance", "comedy")})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a rom-com", ["a", "romcom"]),
        ("rom com", ["romcom"]),
        ("Rom Com from 97", ["romcom", "from", "97"]),
        ("rom, com", ["rom", "com"]),
        ("com rom", ["com", "rom"]),
        ("", []),
    ],
)
def test_two_words_that_are_one_are_joined(text, words):
    joined = CORRECTOR.joined(text, tokens(text))
    assert [token.word for token in joined] == words
    assert all(text[token.start : token.end] for token in joined)

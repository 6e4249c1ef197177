"""What texts are compared with: a question without what it refuses."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("question", "wanted_text"),
    [
        ("a smoky drink without whiskey", "a smoky drink"),
        ("something sour, no gin please", "something sour, please"),
        ("a drink with rum", ""),
        ("no gin", ""),
        ("without gin, something creamy", "something creamy"),
    ],
)
def test_what_is_refused_is_no_part_of_what_is_compared(read, question, wanted_text):
    assert read(question).wanted_text == wanted_text

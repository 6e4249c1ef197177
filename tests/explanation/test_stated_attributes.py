"""How a sentence states the attributes of an item."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.explanation.graph_facts import _as_said, _stated
from localrec.graph.domain_files import load_domain

BAR, FILMS = load_domain("cocktails"), load_domain("movies")


@pytest.mark.parametrize(
    ("domain", "kind", "names", "text"),
    [
        (FILMS, "genre", ["comedy"], "is a comedy film"),
        (FILMS, "genre", ["action", "comedy"], "is an action and comedy film"),
        (BAR, "glass", ["old fashioned glass"], "comes in an old fashioned glass"),
        (BAR, "ingredient", ["coconut rum", "coconut rum"], "has coconut rum"),
    ],
)
def test_attributes_are_stated_in_english(domain, kind, names, text):
    assert _stated(domain, kind, names) == text


@given(st.lists(st.text("abc{}%0 ", min_size=1).filter(str.strip), min_size=1, max_size=4))
def test_every_name_is_said_and_none_is_a_format(names):
    for domain in (BAR, FILMS):
        for kind in domain.attributes:
            assert all(name in _stated(domain, kind, names) for name in names)


def test_blanks_inside_a_name_are_one():
    assert _as_said(BAR, "ingredient", "Lime   Juice ") == "lime juice"

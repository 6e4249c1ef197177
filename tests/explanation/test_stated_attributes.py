"""How a sentence states the attributes of an item."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.explanation.graph_facts import _as_said, _stated, state_number
from localrec.explanation.writer import _joined
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


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("Pinot Noir", "Pinot Noir"),
        ("IPA", "IPA"),
        ("Comedy", "comedy"),
        ("Film-Noir", "film-noir"),
    ],
)
def test_what_an_item_is_keeps_the_case_of_a_proper_name(written, said):
    assert _as_said(FILMS, "genre", written) == said


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["has gin"], "has gin"),
        (["has gin", "is blue"], "has gin and is blue"),
        (["is a wine", "is from Chile", "costs 9"], "is a wine, is from Chile, and costs 9"),
        (["has a, b", "is blue", "costs 9"], "has a, b; is blue; and it costs 9"),
    ],
)
def test_what_is_said_of_an_item_is_one_list(parts, text):
    assert _joined(parts) == text


@pytest.mark.parametrize(
    ("says", "value", "text"),
    [
        ("takes {value} minutes", "1", "takes 1 minute"),
        ("takes {value} minutes", "11", "takes 11 minutes"),
        ("has about {value} % alcohol", "0", "has 0 % alcohol"),
        ("has about {value} % alcohol", "10", "has about 10 % alcohol"),
        ("is rated {value}", "1", "is rated 1"),
    ],
)
def test_a_number_is_stated_in_english(says, value, text):
    assert state_number(says, value) == text

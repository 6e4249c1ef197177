"""A title finds its item: exactly, then nearly, and first of all among what lies on the desk."""

from __future__ import annotations

import numpy as np
import pytest

from localrec.agent.title_search import find_title

from .world import FILMS, TITLES, a_desk, make_reference

ON_THE_DESK = (0, 2, 3, 4, 6, 8, 9, 10, 11, 12, 7, 14, 13)


def called(**names):
    """The cinema with some films under other names: `called(film_7="...")`."""
    titles = list(TITLES)
    for key, name in names.items():
        titles[int(key.removeprefix("film_"))] = name
    return a_desk(make_reference(titles))


@pytest.fixture(scope="module")
def tool_context():
    return a_desk()


@pytest.mark.parametrize("item", range(FILMS))
def test_every_title_finds_its_own_item(tool_context, item):
    found = find_title(tool_context, TITLES[item])
    assert (found.item, found.is_exact) == (item, True)


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("the birds", "The Birds"),
        ("Birds, The", "The Birds"),
        ("The Birds (1963)", "The Birds"),
        ("AMELIE", "Amélie"),
        ("7 samurai", "Shichinin no samurai (7 Samurai)"),
    ],
)
def test_case_article_accents_and_year_make_no_difference(typed, title):
    found = find_title(called(film_8=title), typed)
    assert (found.item, found.is_exact) == (8, True)


@pytest.mark.parametrize(
    ("typed", "item"), [("Leprechan", 22), ("Sister Acts", 23), ("Hot Shot", 11), ("Halowen", 16)]
)
def test_a_misspelt_title_finds_the_nearest(tool_context, typed, item):
    found = find_title(tool_context, typed)
    assert (found.item, found.is_exact) == (item, False)


def test_an_exact_title_elsewhere_goes_before_a_near_one_on_the_desk():
    tool_context = called(film_8="The Birds of Paris", film_20="Birds of Paradise")
    assert find_title(tool_context, "Birds of Paradise").item == 20


def test_of_one_name_a_candidate_goes_before_the_history_and_both_before_the_rest():
    assert find_title(called(film_1="Twins", film_2="Twins", film_9="Twins"), "Twins").item == 9
    assert find_title(called(film_1="Twins", film_2="Twins"), "Twins").item == 2


@pytest.mark.parametrize("typed", ["", "   ", "\x00\n", "qqqq", "!!!"])
def test_what_is_no_title_finds_nothing(tool_context, typed):
    assert find_title(tool_context, typed) is None


def test_titles_in_other_scripts_are_told_apart():
    tool_context = called(film_3="千と千尋の神隠し", film_5="もののけ姫")
    assert find_title(tool_context, "もののけ姫").item == 5


def test_a_word_that_thousands_share_does_not_hide_the_rare_one():
    many = [f"Day of the week {number}" for number in range(FILMS)]
    many[21] = "Day of the Locust"
    tool_context = a_desk(make_reference(many))
    assert (
        tool_context.reference.titles[find_title(tool_context, "the locusts day of").item] in many
    )
    assert find_title(tool_context, "Locust").item == 21


def test_nothing_is_looked_up_twice(tool_context):
    before = np.copy(tool_context.candidates)
    assert find_title(tool_context, "Misery") == find_title(tool_context, "Misery")
    assert np.array_equal(before, tool_context.candidates)

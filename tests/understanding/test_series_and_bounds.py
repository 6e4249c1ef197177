"""Series as examples, two bounds on one number, who is counted, and words that are no titles."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.domains import NumberSpec
from localrec.data.query import Query
from localrec.understanding.amounts import MOST, amount_bounds
from localrec.understanding.query_parser import parse_query
from localrec.understanding.vocabulary import Vocabulary

from .records import bounds, planted_records, refused, wanted

PRICE = NumberSpec(kind="amount", units={"dollar": 1, "$": 1}, words=("price",))
MINUTES = NumberSpec(kind="amount", units={"minute": 1, "hour": 60})
PLAYERS = NumberSpec(kind="count", units={"player": 1}, bound="high")

ROWS = (
    ("Sword of Glass", ("fantasy",), "One", "Ann Vale", "US"),
    ("Crown of Salt", ("fantasy",), "Two", "Ann Vale", "US"),
    ("Bridge of Ash", ("fantasy",), "Three", "Ann Vale", "US"),
    ("Kin of Storms", ("brazilian",), "Four", "Bo Reed", "US"),
    ("After", ("pop",), "Five", "Cy Lund", "US"),
    ("300", ("war",), "Six", "Cy Lund", "US"),
    ("Santa with Muscles", ("comedy",), "Seven", "Dee Poe", "US"),
    ("Spies!", ("chardonnay",), "Eight", "Dee Poe", "US"),
)
SERIES = {
    "Sword of Glass": "Percy Quill and the Olympians",
    "Crown of Salt": "Percy Quill and the Olympians",
    "Bridge of Ash": "Percy Quill & Kane Crossover",
    "Kin of Storms": "Mistfall",
}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vocabulary]:
    with planted_records(tmp_path_factory.mktemp("series"), ROWS, SERIES) as planted:
        yield planted


@pytest.fixture
def ask(shelf: Vocabulary) -> Callable[[str], Query]:
    return lambda question: parse_query(question, shelf)


class TestSeriesAsExamples:
    @pytest.mark.parametrize(
        "question", ["something like Mistfall", "similar to the Mistfall saga"]
    )
    def test_what_is_like_a_series_is_like_its_first_item(self, ask, question):
        query = ask(question)
        assert query.target == "kin of storms" and not wanted(query)

    def test_a_series_that_is_asked_for_is_a_wish(self, ask):
        query = ask("another one in the Mistfall series")
        assert query.target is None and wanted(query) == [("mistfall",)]

    def test_its_maker_may_be_refused(self, ask):
        query = ask("like Mistfall but not by Bo Reed")
        assert query.target == "kin of storms" and "bo reed" in refused(query)

    def test_half_of_a_name_means_all_names_that_begin_so(self, ask):
        (wish,) = wanted(ask("a Percy Quill record"))
        assert {"percy quill and the olympian", "percy quill and kane crossover"} <= set(wish)

    @pytest.mark.parametrize(
        "question",
        [
            "nothing like Mistfall please",
            "not the same as Mistfall",
            "I don't want anything like Mistfall",
        ],
    )
    def test_a_series_that_is_refused_is_no_example(self, ask, question):
        query = ask(question)
        assert query.target is None and "mistfall" in refused(query)

    def test_a_named_item_is_the_example_and_no_series(self, ask):
        assert ask("like Crown of Salt, not Mistfall").target == "crown of salt"


class TestWordsThatAreNoTitles:
    def test_a_bound_on_years_is_no_title(self, ask):
        query = ask("newish, like after 2005")
        assert query.target is None and bounds(query)["year"][0] == 2006

    def test_a_title_in_capitals_is_one(self, ask):
        assert ask("something like After").target == "after"

    @pytest.mark.parametrize("question", ["less than 300 pages", "over 300 pages please"])
    def test_a_bound_on_what_nobody_counts_is_no_title(self, ask, question):
        assert ask(question).target is None

    def test_a_title_of_digits_is_refused(self, ask):
        assert ask("anything other than 300").exclude_items == ("300",)

    def test_a_title_of_digits_is_an_example(self, ask):
        assert ask("something like 300").target == "300"

    def test_one_mended_word_means_no_longer_title(self, ask):
        assert ask("I luv musclez comedies").target is None

    def test_three_mended_letters_mean_no_title(self, ask):
        assert ask("chardonnay of the SPI era").target is None


class TestTwoBoundsOnOneNumber:
    @pytest.mark.parametrize(
        ("question", "spec", "low", "high"),
        [
            ("costing more than 20 dollars and less than 30", PRICE, 20, 30),
            ("price strictly more than 20 and strictly less than 30", PRICE, 20, 30),
            ("over $20, under $30", PRICE, 20, 30),
            ("over $20 and under $30", PRICE, 20, 30),
            ("over 20 a bottle and under 30 a bottle", PRICE, 20, 30),
            ("more than 20 and less than 30 dollars", PRICE, 20, 30),
            ("between $20 and $30 a bottle", PRICE, 20, 30),
            ("at least 30 minutes but no more than an hour", MINUTES, 30, 60),
            ("at least 1 hour and under 90 minutes", MINUTES, 60, 90),
        ],
    )
    def test_both_ends_are_read(self, question, spec, low, high):
        assert amount_bounds(question, spec) == pytest.approx((low, high))

    @pytest.mark.parametrize(
        "question",
        [
            "more than 20 dollars and less than 30 minutes",
            "over 20 dollars and over 30 pages",
            "more than 20 dollars and below 13.5%",
        ],
    )
    def test_a_bound_on_something_else_is_left_to_it(self, question):
        assert amount_bounds(question, PRICE) == pytest.approx((20, MOST))

    def test_money_bounds_no_players(self):
        assert amount_bounds("at least 4 players, under $30", PLAYERS) == (4, MOST)

    @pytest.mark.parametrize("question", ["from 1999 a pop song", "a 1985 a bottle"])
    def test_a_year_is_no_price(self, question):
        assert amount_bounds(question, PRICE) is None

    @pytest.mark.parametrize("question", ["15 a bottle tops", "15 per head max"])
    def test_so_much_for_each_is_a_price(self, question):
        assert amount_bounds(question, PRICE) == (-MOST, 15)

    @given(st.integers(1, 500), st.integers(1, 500))
    def test_the_low_end_is_never_above_the_high_end(self, one, other):
        found = amount_bounds(f"more than {one} dollars and less than {other} dollars", PRICE)
        assert found is not None and found[0] <= found[1]


class TestWhoIsCounted:
    @pytest.mark.parametrize(
        "question",
        ["3 kids plus me", "me and my 3 kids", "three friends and me", "me with the 3 others"],
    )
    def test_who_speaks_is_one_more(self, question):
        assert amount_bounds(question, PLAYERS) == (4, MOST)

    def test_a_number_of_players_counts_before_them(self):
        assert amount_bounds("me and my 2 kids, for 5 players", PLAYERS) == (5, MOST)

    def test_whoever_is_counted_alone_is_no_more(self):
        assert amount_bounds("for 3 kids", PLAYERS) == (3, MOST)


class TestSortsAndPlaces:
    def test_a_sort_that_is_refused_leaves_the_kind(self, ask):
        query = ask("My sister can't bear a buttery Chardonnay. Which Chardonnay keeps the peace?")
        assert wanted(query) == [("chardonnay",)] and "chardonnay" not in refused(query)

    def test_a_kind_that_is_refused_stays_so(self, ask):
        assert "chardonnay" in refused(ask("no Chardonnay, a fantasy record"))

    def test_a_kind_called_after_a_place_is_asked_for_by_the_place(self, ask):
        assert wanted(ask("songs from Brazil")) == [("brazilian",)]

    def test_the_example_of_somebody_may_be_by_another_house(self, shelf):
        from localrec.understanding.example_values import with_values_of_example

        text = "like Crown of Salt, from another house"
        query = parse_query(text, shelf)
        asked = with_values_of_example(text, query, shelf._catalogue)  # type: ignore[arg-type]
        assert "ann vale" in refused(asked)

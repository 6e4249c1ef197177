"""What questions mean, on a bar whose names are known."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.query import Query
from localrec.understanding.query_parser import LONGEST_QUESTION, add_shelf, parse_query, query_view
from localrec.workspace.domain_context import DomainContext

Read = Callable[[str], Query]


def wanted(intent: Query, kind: str = "ingredient") -> list[tuple[str, ...]]:
    return [one.any_of for one in intent.of_kind(kind) if not one.soft]


def excluded(intent: Query, kind: str = "ingredient") -> set[str]:
    return {
        key for one in intent.of_kind(kind, excluded=True) if not one.soft for key in one.any_of
    }


@pytest.mark.parametrize(
    ("question", "unwanted"),
    [
        ("something smoky without whiskey", {"whiskey"}),
        ("neither gin nor vodka please", {"gin", "vodka"}),
        ("no rum, gin or vodka", {"rum", "gin", "vodka"}),
        ("I hate campari", {"campari"}),
        ("I'm allergic to nuts", {"nut"}),
        ("I don't like gin", {"gin"}),
        ("anything but rum", {"rum"}),
        ("hold the egg", {"egg"}),
        ("egg-free", {"egg"}),
        ("dairy and egg free please", {"dairy", "egg"}),
        ("nut allergy here", {"nut"}),
        ("rum instead of gin", {"gin"}),
        ("I can't stand bourbon but gin is fine", {"bourbon"}),
        ("vegan", {"dairy", "egg"}),
        ("sour, but gin is out", {"gin"}),
        ("Rum? Never. Lime? Always.", {"rum"}),
        ("mint yes, egg no, dairy no", {"egg", "dairy"}),
        ("leave the egg out", {"egg"}),
        ("please keep gin away from it", {"gin"}),
        ("gin is fine, vodka is not", {"vodka"}),
        ("with mint. Rum is something I cannot have", {"rum"}),
        ("campari excluded", {"campari"}),
        ("lime, rum-free", {"rum"}),
        ("nut, egg and dairy free", {"nut", "egg", "dairy"}),
        ("swap the gin for rum", {"gin"}),
        ("nobody at the table can stand gin", {"gin"}),
    ],
)
def test_what_is_not_wanted_is_barred(read: Read, question: str, unwanted: set[str]):
    assert excluded(read(question)) == unwanted


@pytest.mark.parametrize(
    ("question", "still_wanted"),
    [
        ("no egg, with lime juice and gin", [("lime juice",), ("gin",)]),
        ("no rum but gin", [("gin",)]),
        ("not sure, maybe gin", [("gin",)]),
        ("I don't mind gin", [("gin",)]),
        ("I don't like rum. Give me gin", [("gin",)]),
        ("rum instead of gin", [("rum",)]),
        ("Rum? Never. Lime? Always.", [("lime",)]),
        ("swap the gin for rum", [("rum",)]),
        ("gin is fine, vodka is not", [("gin",)]),
        ("gin, and cream to go with cheese and mint", [("gin",), ("cream",), ("mint",)]),
    ],
)
def test_a_negation_ends_where_a_new_wish_begins(
    read: Read, question: str, still_wanted: list[tuple[str, ...]]
):
    assert wanted(read(question)) == still_wanted


def test_gin_never_matches_ginger(read: Read):
    assert wanted(read("something with ginger")) == [("ginger",)]
    assert wanted(read("something with gin")) == [("gin",)]


@pytest.mark.parametrize("typed", ["whisky", "WHISKEY", "whiskeys", "wiskey", "whiskye"])
def test_spellings_plurals_and_slips_are_read_as_the_name(read: Read, typed: str):
    assert wanted(read(f"a drink with {typed}")) == [("whiskey",)]


def test_everyday_words_are_never_corrected_into_names(read: Read):
    question = "hello there, I would like something nice for the weekend with my mate"
    assert read(question).corrected == {}
    assert read(question).is_empty


def test_alternatives_joined_by_or_need_only_one(read: Read):
    assert wanted(read("gin or vodka with lime juice")) == [("gin", "vodka"), ("lime juice",)]
    assert wanted(read("rum, gin or vodka")) == [("rum", "gin", "vodka")]


def test_a_list_before_an_or_pair_joins_it_only_as_kin(read: Read):
    assert wanted(read("gin, lemon or lime")) == [("gin",), ("lemon", "lime")]


def test_a_glass_is_told_from_a_drink_of_its_name(read: Read):
    assert wanted(read("in a hurricane with mint"), "glass") == [("hurricane glass",)]
    assert wanted(read("margarita glass, tequila"), "glass") == [("margarita glass",)]


def test_orange_is_a_colour_of_drinks_and_a_fruit_inside_them(read: Read):
    assert wanted(read("an orange drink"), "colour") == [("orange",)]
    assert wanted(read("a drink with orange")) == [("orange",)]


def test_a_named_drink_is_the_example_and_not_its_words(read: Read):
    assert read("white russian alternatives").target == "white-russian"
    assert not read("white russian alternatives").of_kind("colour")
    assert read("like a daquiri but simpler").target == "daiquiri"


def test_gin_and_tonic_is_a_drink_or_two_ingredients(read: Read):
    assert read("similar to a gin & tonic").target == "gin-and-tonic"
    assert wanted(read("with gin and tonic")) == [("gin",), ("tonic water",)]


def test_an_unwanted_drink_is_no_example(read: Read):
    intent = read("whiskey but not a whiskey sour")
    assert intent.target is None
    assert intent.exclude_items == ("whiskey-sour",)


def test_an_example_the_catalogue_lacks_is_remembered_as_typed(read: Read):
    intent = read("something similar to a Flibbertigibbet")
    assert intent.target is None
    assert intent.anchor == "flibbertigibbet"


def test_what_is_at_hand_is_asked_for_while_it_is_little(read: Read):
    intent = read("I have gin, lime and mint")
    assert intent.have == ("gin", "lime", "mint")
    assert wanted(intent) == [("gin",), ("lime",), ("mint",)]


def test_of_a_full_shelf_any_part_will_do(read: Read):
    intent = read("I have gin, lime, mint, sugar, campari and rum")
    assert len(intent.have) == 6
    assert len(wanted(intent)) == 1


def test_flags_orders_and_counts(read: Read):
    assert read("a mocktail with mint").flags == {"alcoholic": "non-alcoholic"}
    assert read("stronger than a mojito").order == {"strength": 1}
    assert read("a three ingredient drink").ranges[0].high == 3
    assert read("at most 4 ingredients").ranges[0].low == 1


def test_too_much_of_something_is_a_soft_wish(read: Read):
    soft = [one for one in read("gin, not too bitter").constraints if one.soft]
    assert [(one.any_of, one.excluded) for one in soft] == [(("bitter",), True)]


def test_a_shelf_given_beside_the_question_counts_too(bar: DomainContext, read: Read):
    intent = add_shelf(read("something with gin"), "tonic, limes", bar.vocabulary)
    assert intent.have == ("tonic water", "lime")


def test_the_view_names_what_the_contract_names(bar: DomainContext, read: Read):
    view = query_view(read("red, gin or vodka, no cream, in a coupe"), bar.vocabulary)
    assert view.include_any == (("gin", "vodka"),)
    assert view.exclude == ("cream",)
    assert view.glass == ("coupe glass",)
    assert view.colour == ("red",)


def test_an_overlong_question_is_read_to_the_limit(read: Read):
    intent = read("gin " + "x" * LONGEST_QUESTION + " vodka")
    assert intent.cut
    assert wanted(intent) == [("gin",)]


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_no_question_breaks_the_parser(bar: DomainContext, text: str):
    query_view(parse_query(text, bar.vocabulary), bar.vocabulary)


_WORDS = ["no", "gin", "vodka", "or", "and", ",", "without", "but", "like", "a", "Mojito", "free"]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(_WORDS), max_size=15))
def test_nothing_is_both_demanded_and_barred(bar: DomainContext, words: list[str]):
    intent = parse_query(" ".join(words), bar.vocabulary)
    bars = excluded(intent)
    assert not any(bars.issuperset(group) for group in wanted(intent))

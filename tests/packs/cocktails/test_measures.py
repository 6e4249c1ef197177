"""Measures as they stand in public recipe tables."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.packs.cocktails.measures import estimate_abv, is_measure, parse_measure


@pytest.mark.parametrize(
    ("text", "ml"),
    [
        ("30 ml", 30),
        ("30ml", 30),
        ("1 1/2 oz", 45),
        ("1-1/2 oz", 45),
        ("1½ oz ", 45),
        ("½ oz", 15),
        ("1.5oz", 45),
        (".5 oz", 15),
        ("2-3 oz", 75),
        ("1 to 2 dashes", 1.35),
        ("1,5 cl", 15),
        ("2 cl", 20),
        ("4.5 cL", 45),
        ("1 dash", 0.9),
        ("2 dashes", 1.8),
        ("dash", 0.9),
        ("3 drops", 0.15),
        ("A splash", 8),
        ("1 tblsp ", 15),
        ("2 tsp", 10),
        ("1 barspoon", 5),
        ("1 bar spoon", 5),
        ("1/3 cup", 80),
        ("1 shot", 45),
        ("1 jigger", 45),
        ("1 part", 30),
        ("1 pint", 473),
        ("1 qt", 946),
        ("1 gal", 3785),
        ("1 L", 1000),
        ("1 can", 355),
        ("1 bottle", 750),
        ("12 oz can", 360),
        ("70ml/2fl oz", 70),
        ("1 fl. oz", 30),
        ("half oz", 15),
        ("Juice of 1/2 lime", 15),
        ("Juice of 1 lemon", 45),
        ("Juice of 1 orange", 70),
        ("Fill with", 90),
        ("top", 90),
        ("Top up with", 90),
        ("2 oz white ", 60),
    ],
)
def test_a_volume_is_read_in_millilitres(text: str, ml: float) -> None:
    assert parse_measure(text).amount_ml == pytest.approx(ml)


@pytest.mark.parametrize(
    "text",
    [
        *("", "\n", "to taste", "Garnish with", "2 leaves", "1", "1/0 oz", "1e400", "? oz", "10 g"),
        *("9999999 oz", "10000000000000000001 oz", "0 oz", "gin"),
    ],
)
def test_what_is_no_sound_volume_has_no_amount(text: str) -> None:
    assert parse_measure(text).amount_ml is None


def test_a_bare_juice_measure_takes_the_fruit_from_its_ingredient() -> None:
    assert parse_measure("Juice of 1/2", "Lemon").amount_ml == pytest.approx(22.5)
    assert parse_measure("Juice of 1/2").amount_ml == pytest.approx(15)


def test_the_words_of_the_source_are_kept() -> None:
    assert parse_measure(" 1½ oz\n").text == "1½ oz"


@given(st.one_of(st.text(), st.text(alphabet="0123456789/.,- ozmldash½?juice of ")))
def test_odd_text_never_raises_and_amounts_are_sound(text: str) -> None:
    amount = parse_measure(text, text).amount_ml
    is_measure(text)
    assert amount is None or 0 < amount <= 100_000


@pytest.mark.parametrize("text", ["1 1/2 oz", "3", "to taste", "2 leaves", "Fill with"])
def test_an_amount_is_a_measure(text: str) -> None:
    assert is_measure(text)


@pytest.mark.parametrize("text", ["", "gin", "30 ml Gin", "12 monkeys"])
def test_a_text_with_more_than_an_amount_is_no_measure(text: str) -> None:
    assert not is_measure(text)


def test_a_negroni_comes_out_at_a_quarter_alcohol() -> None:
    parts = [(30, 40), (30, 25), (30, 16)]
    assert estimate_abv(parts, dilution=0) == pytest.approx(27)
    assert estimate_abv(parts) == pytest.approx(22.5)


def test_no_volume_has_no_strength() -> None:
    assert estimate_abv([]) is None
    assert estimate_abv([(0, 40)]) is None


@given(st.lists(st.tuples(st.floats(0.01, 1e4), st.floats(0, 96)), min_size=1))
def test_a_mixture_is_never_stronger_than_its_strongest_part(
    parts: list[tuple[float, float]],
) -> None:
    estimated = estimate_abv(parts)
    assert estimated is not None
    assert 0 <= estimated <= max(abv for _, abv in parts) + 1e-9

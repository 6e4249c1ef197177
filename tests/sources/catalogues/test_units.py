"""Numbers with units: what is converted, what is another thing and left out, and what is told."""

from __future__ import annotations

import time

import pytest

from localrec.data.rows import CatalogueRows
from localrec.sources.catalogues.numbers import duration_minutes, number_format, share_of_any_unit


def values_of(found: CatalogueRows, name: str) -> list[object]:
    return [item.properties.get(name) for item in found.items]


def repaired(found: CatalogueRows) -> list[tuple[int, str | None]]:
    return [(one.row, one.column) for one in found.report.problems if one.action == "repaired"]


@pytest.mark.parametrize(
    ("header", "cells", "values"),
    [
        ("votes", ["2.7K", "950", "1.1M", "13K"], [2700, 950, 1_100_000, 13_000]),
        ("bottle", ["75cl", "1.5L", "37.5cl", "0.75 l"], [75, 150, 37.5, 75]),
        ("volume_ml", ["330", "0.5 l", "75cl"], [330, 500, 750]),
        ("weight", ["500 g", "1 kg", "250 g"], [500, 1000, 250]),
        ("cook time", ["1 days 2 hrs", "30 mins", "1 hrs 30 mins"], [1560, 30, 90]),
        ("hours", ["2 h", "3"], [120, 180]),
        ("abv", ["8.5% vol", "6.2%", "5 % ABV"], [8.5, 6.2, 5]),
        ("price", ["12.50 €/kg", "9,90 €/kg"], [12.5, 9.9]),
        ("price", ["$1.1M", "$500k"], [1_100_000, 500_000]),
        ("weight", ["2.3/5", "1.8/5"], [2.3, 1.8]),
        ("aged", ["30 days", "12 days"], [30, 12]),
        ("servings", ["8", "6", "4 servings"], [8, 6, 4]),
        ("column B", ["12", "15"], [12, 15]),
    ],
)
def test_units_of_one_measure_are_converted_into_the_commonest(header, cells, values):
    form, share = number_format(cells, header)
    assert share == 1
    assert [form.value(cell) for cell in cells] == pytest.approx(values)


@pytest.mark.parametrize(
    ("header", "cells", "values"),
    [
        ("duration", ["90 min", "2 Seasons", "1 Season", "45 min"], [90, None, None, 45]),
        ("price", ["$7.99", "3,20 €", "$2", "£1"], [7.99, None, 2, None]),
        ("price", ["225", "1,000", "60,000/set"], [225, 1000, None]),
        ("price_usd", ["5", "7", "€4"], [5, 7, None]),
        ("Preis (€)", ["5", "7", "$4"], [5, 7, None]),
        ("runtime", ["90", "110", "2 seasons", "1 h"], [90, 110, None, 60]),
    ],
)
def test_a_cell_in_another_unit_is_no_number_of_its_column(header, cells, values):
    form, _ = number_format(cells, header)
    assert [form.value(cell) for cell in cells] == pytest.approx(values)


def test_names_that_begin_with_a_number_are_no_numbers():
    assert number_format(["12 Angry", "3 Musketeers", "7 Samurai", "9 Lives"])[1] < 0.5


def test_days_alone_are_a_duration_and_words_are_none():
    assert duration_minutes("1 days") == 1440
    assert duration_minutes("2 min 30 s") == 2.5
    assert duration_minutes("2 Seasons") is None


def test_seasons_are_left_out_of_minutes_and_told(read):
    domain, found = read(
        "title,duration\nHeat,170 min\nLost,6 Seasons\nDark,3 Seasons\nHer,126 min\n"
    )
    assert values_of(found, "duration") == [170, None, None, 126]
    assert repaired(found) == [(3, "duration"), (4, "duration")]
    assert domain.numbers["duration"].units["hour"] == 60


def test_of_several_currencies_the_commonest_is_the_price_and_the_others_are_told(read):
    domain, found = read("beer,price\nPliny,$7.99\nOrval,€4.50\nUtopias,$210\nGuinness,£2.10\n")
    assert values_of(found, "price") == [7.99, None, 210, None]
    assert repaired(found) == [(3, "price"), (5, "price")]
    assert "€" not in domain.numbers["price"].units


def test_a_few_cells_without_a_number_leave_the_column_one_of_numbers(read):
    rows = "".join(f"Malt {n},£{n + 40}.00\n" for n in range(18))
    _, found = read(f"name,price\n{rows}Nikka,on the shelf\nOban,sold out\n")
    assert values_of(found, "price")[:2] == [40, 41]
    assert values_of(found, "price")[18:] == [None, None]
    assert repaired(found) == [(20, "price"), (21, "price")]


def test_a_price_for_a_set_is_none_of_a_bottle(read):
    _, found = read(
        'name,price\nBlue,225\nSet,"60,000/set"\nBow,4500.00\nHalf,$132/375ml\nOld,90\n'
    )
    assert values_of(found, "price") == [225, None, 4500, None, 90]
    assert repaired(found) == [(3, "price"), (5, "price")]


def test_ranges_of_players_are_the_fewest_and_the_most(read):
    domain, found = read("game,players\nCatan,3-4\nHive,2\nCodenames,2-8+\nWerewolf,8 to 20\n")
    assert values_of(found, "min_players") == [3, 2, 2, 8]
    assert values_of(found, "max_players") == [4, 2, None, 20]
    assert domain.numbers["min_players"].bound == "low"
    assert domain.numbers["max_players"].bound == "high"
    assert repaired(found) == []


def test_a_range_of_minutes_is_its_upper_end_and_one_of_prices_its_lower(read):
    _, found = read(
        "game,playtime,price\nCatan,60-120 min,$44 - $49\nHive,20 min,$30\nMars,2 h,$70\n"
    )
    assert values_of(found, "playtime") == [120, 20, 120]
    assert values_of(found, "price") == [44, 30, 70]


def test_every_time_of_a_recipe_is_a_number_where_some_take_days(read):
    domain, found = read(
        "recipe,prep_time,cook_time,total_time\nPie,30 mins,1 hrs,1 hrs 30 mins\n"
        "Stew,15 mins,1 days 2 hrs,1 days 2 hrs 15 mins\nSauce,10 mins,15 mins,25 mins\n"
    )
    assert values_of(found, "cook_time") == [60, 1560, 15]
    assert values_of(found, "total_time") == [90, 1575, 25]
    assert domain.numbers["total_time"].units["hour"] == 60


def test_a_share_in_percent_is_never_taken_for_one_between_0_and_1(read):
    _, found = read("beer,abv\nZero,0.0%\nClausthaler,0.4%\nJever Fun,0.5%\n")
    assert values_of(found, "abv") == [0, 0.4, 0.5]


def test_a_price_for_a_kilo_says_so(read):
    domain, found = read("name,price\nBrie,12.50 €/kg\nGouda,9.90 €/kg\n")
    assert values_of(found, "price") == [12.5, 9.9]
    assert domain.numbers["price"].says == "costs {value} euros per kg"
    assert "€" in domain.numbers["price"].units


@pytest.mark.parametrize(
    "cell",
    ["~" + " " * 20_000 + "x", "1" * 20_000, "1 to " * 5_000, "1-" * 10_000, "1 d " * 5_000],
)
def test_long_cells_are_no_numbers_and_cost_no_time(cell):
    began = time.process_time()
    assert number_format([cell, cell], "price")[1] == 0
    assert share_of_any_unit([cell]) == 0
    assert duration_minutes(cell) is None
    assert time.process_time() - began < 1


def test_an_open_end_is_no_most_of_players(read):
    domain, found = read("game,players\nMao,2+\nHive,2\nWerewolf,8+\n")
    assert values_of(found, "min_players") == [2, 2, 8]
    assert values_of(found, "max_players") == [None, 2, None]
    assert "players" not in domain.numbers
    assert repaired(found) == []


def test_an_open_end_of_a_column_of_its_own_is_no_most_either(read):
    _, found = read("game,max players\nMao,2+\nHive,2\nWerewolf,20\n")
    assert values_of(found, "max_players") == [None, 2, 20]


def test_a_height_in_metres_is_no_time(read):
    domain, found = read("tree,height,runtime\nOak,1.8 m,90 m\nFir,30 m,45 m\nYew,9 m,2 h\n")
    assert values_of(found, "height") == [1.8, 30, 9]
    assert domain.numbers["height"].says == "has height {value} m"
    assert domain.numbers["runtime"].units["minute"] == 1
    assert values_of(found, "runtime") == [90, 45, 120]


@pytest.mark.parametrize(
    ("header", "unit"), [("weight", " kg"), ("weight_kg", ""), ("Weight (lbs)", "")]
)
def test_a_weight_that_is_weighed_is_no_complexity(read, header, unit):
    rows = "".join(f"Lamp {n},{n}.5{unit}\n" for n in range(1, 5))
    domain, found = read(f"name,{header}\n{rows}")
    name = next(iter(domain.numbers))
    assert values_of(found, name) == [1.5, 2.5, 3.5, 4.5]
    assert "more complex" not in domain.numbers[name].more


def test_a_weight_without_a_unit_is_a_complexity(read):
    domain, _ = read("game,weight\nGo,3.9\nUno,1.1\nBrass,3.87\n")
    assert "more complex" in domain.numbers["weight"].more

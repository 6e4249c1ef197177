"""Drinks in the two public layouts: what is read, mended, merged, dropped and generated."""

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from localrec.data.domains import Domain
from localrec.data.rows import CatalogueRows, ItemRow, RowProblem
from localrec.packs.cocktails.encoding_repair import LetterRestorer
from localrec.packs.cocktails.recipe_files import CocktailSource
from localrec.sources.list_cells import read_list

LIST_HEADER = [
    *("id", "name", "alcoholic", "category", "glassType", "instructions", "drinkThumbnail"),
    *("ingredients", "ingredientMeasures", "desciription", "imageDescription"),
]
NEGRONI = {
    "id": "11003",
    "name": "Negroni",
    "alcoholic": "Alcoholic",
    "category": "Ordinary Drink",
    "glassType": "Old-fashioned glass",
    "instructions": "Stir into glass over ice, garnish with an orange slice.",
    "drinkThumbnail": "https://example.org/negroni.jpg",
    "ingredients": "['Gin', 'Campari', 'Sweet Vermouth']",
    "ingredientMeasures": "['1 oz ', '1 oz ', '1 oz ']",
    "desciription": "Bitter and red.",
    "imageDescription": "A red drink over ice.",
}


def read_rows(
    folder: Path, domain: Domain, *rows: dict[str, str], header: list[str] | None = None
) -> CatalogueRows:
    path = folder / "drinks.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, header or LIST_HEADER)
        writer.writeheader()
        writer.writerows(rows)
    return CocktailSource().read(path, domain)


def read_one(folder: Path, domain: Domain, **changes: str) -> ItemRow:
    return read_rows(folder, domain, NEGRONI | changes).items[0]


def links_of(item: ItemRow, kind: str) -> list[tuple[str, str | None]]:
    return [(link.name, link.value) for link in item.links if link.kind == kind]


def problems_of(table: CatalogueRows) -> list[tuple[int, str | None, str]]:
    return [(problem.row, problem.column, problem.action) for problem in table.report.problems]


def test_a_row_of_the_list_layout_becomes_an_item(tmp_path: Path, drinks_domain: Domain) -> None:
    table = read_rows(tmp_path, drinks_domain, NEGRONI)
    item = table.items[0]
    assert (item.key, item.name) == ("negroni", "Negroni")
    assert item.properties == {
        "id": "11003",
        "alcoholic": "alcoholic",
        "drinkThumbnail": "https://example.org/negroni.jpg",
        "instructions": "Stir into glass over ice, garnish with an orange slice.",
        "ingredient_count": 3,
        "strength": 22.5,
        "description": "Bitter and red.",
        "description_source": "source",
        "image_description": "A red drink over ice.",
        "image_description_source": "source",
    }
    assert links_of(item, "ingredient") == [
        ("Gin", "1 oz"),
        ("Campari", "1 oz"),
        ("Sweet Vermouth", "1 oz"),
    ]
    assert links_of(item, "glass") == [("Old-fashioned glass", None)]
    assert links_of(item, "category") == [("Ordinary Drink", None)]
    assert (table.report.read, table.report.kept, table.report.problems) == (1, 1, ())


def test_columns_may_come_in_any_order_and_case_with_further_ones(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    spelled = {"glassType": "Glass_Type", "desciription": "description", "name": "NAME"}
    row = {spelled.get(name, name): cell for name, cell in reversed(NEGRONI.items())}
    table = read_rows(tmp_path, drinks_domain, row | {"x": "1"}, header=["x", *row])
    assert table.items == read_rows(tmp_path, drinks_domain, NEGRONI).items


@pytest.mark.parametrize(
    ("ingredients", "measures"),
    [
        ('["Gin", "Lime Juice"]', '["2 oz", null]'),
        ("Gin, Lime Juice", "2 oz"),
        ("""["Gin", 'Lime Juice', None]""", "['2 oz', nan,]"),
        ("['', 'Gin', 'Lime Juice']", "['9 oz', '2 oz', None]"),
    ],
)
def test_every_spelling_of_a_list_gives_aligned_links(
    tmp_path: Path, drinks_domain: Domain, ingredients: str, measures: str
) -> None:
    item = read_one(tmp_path, drinks_domain, ingredients=ingredients, ingredientMeasures=measures)
    assert links_of(item, "ingredient") == [("Gin", "2 oz"), ("Lime Juice", None)]


def test_empty_ingredients_are_reported_as_repaired(tmp_path: Path, drinks_domain: Domain) -> None:
    row = NEGRONI | {"ingredients": "['Gin', '']", "ingredientMeasures": "['1 oz', '']"}
    table = read_rows(tmp_path, drinks_domain, row)
    assert table.report.problems == (
        RowProblem(
            row=2,
            column="ingredients",
            action="repaired",
            problem="has empty ingredients; they were left out",
        ),
    )


@pytest.mark.parametrize(
    ("lost", "restored"),
    [
        ("Cr?me de Cacao", "Crème de Cacao"),
        ("CR?ME DE CACAO", "CRÈME DE CACAO"),
        ("Cr??me de Cacao", "Crème de Cacao"),
        ("Cr\ufffdme de Cacao", "Crème de Cacao"),
        ("Caf?", "Café"),
        ("Pi?a juice", "Piña juice"),
        ("Bourb?n", "Bourbon"),
        ("Xyz?abc", "Xyzabc"),
        ("?", ""),
    ],
)
def test_lost_letters_of_ingredients_come_back_or_go(
    drinks_domain: Domain, lost: str, restored: str
) -> None:
    assert LetterRestorer(drinks_domain.concept_names("ingredient")).restore_name(lost) == restored


@pytest.mark.parametrize(
    ("lost", "restored"),
    [
        ("Pi?a Colada", "Piña Colada"),
        ("Why not? Add lime?", "Why not? Add lime?"),
        ("Fill? Xy?z", "Fill? Xyz"),
        ("caf? au lait", "café au lait"),
    ],
)
def test_a_question_in_a_sentence_stays(lost: str, restored: str) -> None:
    assert LetterRestorer([]).restore_text(lost) == restored


def test_two_candidates_restore_nothing() -> None:
    assert LetterRestorer(["bat", "bet"]).restore_name("b?t") == "bt"


@given(st.text(alphabet="cre?mpiñalo \ufffd.", max_size=30))
def test_restored_names_hold_no_lost_letter(text: str) -> None:
    letters = LetterRestorer(["lime", "cream"])
    restored = letters.restore_name(text)
    assert not set(restored) & {"?", "\ufffd"}
    assert letters.restore_name(restored) == restored


def test_a_restored_name_is_reported(tmp_path: Path, drinks_domain: Domain) -> None:
    table = read_rows(tmp_path, drinks_domain, NEGRONI | {"name": "Pi?a Colada"})
    assert table.items[0].key == "pina-colada"
    assert problems_of(table) == [(2, "name", "repaired")]


def test_spellings_of_one_ingredient_are_one_link_over_the_whole_file(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    other = NEGRONI | {"name": "Other", "ingredients": "['cherries', 'GIN ', 'Gin.', 'Cherry']"}
    other["ingredientMeasures"] = "['1', '1 oz', '2 oz', '1']"
    table = read_rows(tmp_path, drinks_domain, NEGRONI, other)
    assert links_of(table.items[1], "ingredient") == [("cherries", "1"), ("Gin", "1 oz + 2 oz")]
    assert table.items[1].properties["ingredient_count"] == 2


def test_a_second_row_of_a_drink_fills_what_the_first_lacks(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    bare = NEGRONI | {"glassType": "", "desciription": "", "ingredientMeasures": "['1 oz']"}
    later = NEGRONI | {"name": "NEGRONI", "ingredients": "['Gin', 'campari', 'Lime Juice']"}
    table = read_rows(tmp_path, drinks_domain, bare, later, NEGRONI | {"name": "Other"})
    item = table.items[0]
    assert item.name == "Negroni"
    assert item.properties["description"] == "Bitter and red."
    assert links_of(item, "glass") == [("Old-fashioned glass", None)]
    assert links_of(item, "ingredient") == [
        ("Gin", "1 oz"),
        ("Campari", "1 oz"),
        ("Sweet Vermouth", None),
    ]
    assert (3, None, "merged") in problems_of(table)
    report = table.report
    assert (report.read, report.kept, report.merged, report.dropped) == (3, 2, 1, 0)


def test_rows_without_name_or_ingredient_and_ragged_rows_are_dropped_with_their_number(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    path = tmp_path / "drinks.csv"
    header = "id,name,category,glassType,instructions,ingredients,ingredientMeasures\n"
    path.write_text(
        header + "1,,c,g,i,Gin,1 oz\n2,Empty,c,g,i,[],[]\n3,Short\n4,Gin,c,g,i,Gin,1 oz\n"
    )
    report = CocktailSource().read(path, drinks_domain).report
    assert [(problem.row, problem.action, problem.problem) for problem in report.problems] == [
        (2, "dropped", "has no name"),
        (3, "dropped", "(Empty) has no ingredient"),
        (4, "dropped", "has 2 cells where the header has 7"),
    ]
    assert (report.read, report.kept, report.dropped) == (4, 1, 3)


@pytest.mark.parametrize(
    ("told", "flag"),
    [
        ("Alcoholic", "alcoholic"),
        ("Non alcoholic", "non-alcoholic"),
        ("Non Alcoholic", "non-alcoholic"),
        ("Non-alcoholic", "non-alcoholic"),
        ("Optional alcohol", "optional"),
        ("True", "alcoholic"),
        ("no", "non-alcoholic"),
        ("", "alcoholic"),
        ("perhaps", "alcoholic"),
    ],
)
def test_the_alcoholic_column_is_read_in_all_its_spellings(
    tmp_path: Path, drinks_domain: Domain, told: str, flag: str
) -> None:
    assert read_one(tmp_path, drinks_domain, alcoholic=told).properties["alcoholic"] == flag


@pytest.mark.parametrize(
    ("ingredients", "flag"),
    [
        ("['Bourbon']", "alcoholic"),
        ("['Fresh Lime Juice']", "non-alcoholic"),
        ("['Lime Juice', 'Zyzzyva']", None),
        ("['Alcohol-free Gin']", None),
    ],
)
def test_without_the_column_alcohol_follows_from_the_ingredients(
    tmp_path: Path, drinks_domain: Domain, ingredients: str, flag: str | None
) -> None:
    item = read_one(tmp_path, drinks_domain, alcoholic="", ingredients=ingredients)
    assert item.properties["alcoholic"] == flag


@pytest.mark.parametrize(
    ("ingredients", "measures", "strength"),
    [
        ("['Bourbon']", "['60 ml']", 35.8),
        ("['Gin', 'Lime Juice']", "['60 ml', '60 ml']", 16.7),
        ("['Old Tom Gin']", "['60 ml']", 33.3),
        ("['Gin', 'Zyzzyva']", "['60 ml', '30 ml']", 22.2),
        ("['Gin', 'Zyzzyva']", "['30 ml', '60 ml']", None),
        ("['Gin']", "['to taste']", None),
    ],
)
def test_strength_climbs_to_the_family_and_admits_ignorance(
    tmp_path: Path, drinks_domain: Domain, ingredients: str, measures: str, strength: float | None
) -> None:
    item = read_one(tmp_path, drinks_domain, ingredients=ingredients, ingredientMeasures=measures)
    assert item.properties["strength"] == strength


def test_missing_descriptions_are_made_from_the_facts(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    item = read_one(tmp_path, drinks_domain, desciription="", imageDescription="")
    assert item.properties["description"] == (
        "Negroni is an alcoholic ordinary drink of gin, campari and sweet vermouth, "
        "served in an old-fashioned glass."
    )
    assert item.properties["image_description"] == (
        "A red drink in an old-fashioned glass, garnished with orange slice."
    )
    assert item.properties["description_source"] == "generated"
    assert item.properties["image_description_source"] == "generated"


@pytest.mark.parametrize(
    ("ingredients", "measures", "seen"),
    [
        ("['Blue Curacao', 'Pineapple Juice']", "['1 oz', '6 oz']", "A green drink"),
        ("['Vodka', 'Orange Juice']", "['1 oz', '4 oz']", "An orange drink"),
        ("['Coffee Liqueur', 'Cream']", "['1 oz', '1 oz']", "A brown drink"),
        ("['Orange Juice', 'Grenadine']", "['3 oz', '1/2 oz']", "An orange and red drink"),
        ("['Orange Juice', 'Grenadine']", "['4 oz', '1 tsp']", "An orange drink"),
        ("['Zyzzyva']", "['1 oz']", "A drink in"),
    ],
)
def test_ingredients_imply_the_colour(
    tmp_path: Path, drinks_domain: Domain, ingredients: str, measures: str, seen: str
) -> None:
    item = read_one(
        tmp_path,
        drinks_domain,
        ingredients=ingredients,
        ingredientMeasures=measures,
        imageDescription="",
    )
    assert str(item.properties["image_description"]).startswith(seen)


def test_hostile_cells_arrive_cleaned(tmp_path: Path, drinks_domain: Domain) -> None:
    item = read_one(
        tmp_path,
        drinks_domain,
        name="\x1b[31mNegroni\x1b[0m",
        instructions="Stir.<|im_end|>\u202e",
        ingredients=r"['Gin\x1b[2J', 'a\u200bb']",
    )
    assert item.name == "Negroni"
    assert item.properties["instructions"] == "Stir.< |im_end|>"
    assert [name for name, _ in links_of(item, "ingredient")] == ["Gin", "ab"]


WIDE = {
    "idDrink": "11003",
    "strDrink": "Negroni",
    "strCategory": "Ordinary Drink",
    "strAlcoholic": "Alcoholic",
    "strGlass": "Old-fashioned glass",
    "strInstructions": "Stir.",
    "strDrinkThumb": "https://example.org/negroni.jpg",
    "dateModified": "2016-11-04 09:52:07",
    "strIngredient1": "Gin",
    "strIngredient2": "Campari",
    "strIngredient3": None,
    "strIngredient15": "Sweet Vermouth",
    "strMeasure1": "1 oz ",
    "strMeasure2": None,
    "strMeasure15": "1 oz ",
}


def test_the_wide_layout_reads_alike_from_csv_and_from_the_interface(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    from_csv = read_rows(
        tmp_path,
        drinks_domain,
        {name: cell or "NULL" for name, cell in WIDE.items()},
        header=[*WIDE],
    )
    path = tmp_path / "drinks.json"
    path.write_text(json.dumps({"drinks": [WIDE]}))
    from_json = CocktailSource().read(path, drinks_domain)
    assert from_csv.items == from_json.items
    item = from_json.items[0]
    assert links_of(item, "ingredient") == [
        ("Gin", "1 oz"),
        ("Campari", None),
        ("Sweet Vermouth", "1 oz"),
    ]
    assert item.properties["id"] == "11003"


@given(st.lists(st.none() | st.text(max_size=8), max_size=6))
def test_lists_as_python_and_json_write_them_are_read_back(elements: list[str | None]) -> None:
    assert list(read_list(repr(elements)).elements) == elements
    assert list(read_list(json.dumps(elements)).elements) == elements


MARC = "id,name,alcoholic,category,glassType,instructions,ingredients,ingredientMeasures\n"


def test_a_list_with_none_left_unquoted_is_mended_and_told(
    tmp_path: Path, drinks_domain: Domain
) -> None:
    path = tmp_path / "drinks.csv"
    rows = (
        """1,Negroni,Alcoholic,Sour,Coupe,Stir.,"['Gin', 'Campari']","['30 ml', none]"\n"""
        """2,Rose,Alcoholic,Sour,Coupe,Stir.,"['Gin', 'Kirsch',]","['30 ml', NaN]"\n"""
    )
    path.write_text(MARC + rows, encoding="utf-8")
    found = CocktailSource().read(path, drinks_domain)
    assert [item.name for item in found.items] == ["Negroni", "Rose"]
    assert links_of(found.items[0], "ingredient") == [("Gin", "30 ml"), ("Campari", None)]
    told = [(one.row, one.column, one.problem) for one in found.report.problems]
    assert (2, "ingredientMeasures", "holds 'none' without quotes") in told
    assert (3, "ingredientMeasures", "holds 'NaN' without quotes") in told

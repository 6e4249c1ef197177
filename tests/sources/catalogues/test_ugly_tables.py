"""Tables as people have them: each is read rightly, or refused in one sentence with the remedy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from localrec.data.rows import CatalogueRows
from localrec.foundation.errors import InputError
from localrec.graph.domain_files import load_domain
from localrec.sources import read_export
from localrec.sources.catalogues.proposal import propose_domain
from localrec.sources.catalogues.records import open_records
from localrec.sources.table_guess import propose_mapping
from localrec.sources.table_history import read_history

WINES = "Casa,12,Portugal\nMonte,15,Spain\nPico,9,Portugal\nDuna,22,Spain\nOlho,18,France\n"
PRICES = {"Casa": 12, "Monte": 15, "Pico": 9, "Duna": 22, "Olho": 18}
Facts = dict[str, dict[str, Any]]


def priced(**prices: float) -> Facts:
    return {name: {"price": price} for name, price in prices.items()}


def things(path: Path, content: str | bytes) -> tuple[Facts, list[tuple[int, str]]]:
    """Name -> properties and links of each item, and what the receipt tells of rows."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    domain = propose_domain("wines", open_records(path)).domain
    found = read_export("catalogue", path, domain)
    assert isinstance(found, CatalogueRows)
    facts = {
        item.name: {**item.properties, **{link.kind: link.name for link in item.links}}
        for item in found.items
    }
    return facts, [(one.row, one.problem) for one in found.report.problems]


CATALOGUES: dict[str, tuple[str | bytes, Facts, list[tuple[int, str]]]] = {
    "a title above and a total below": (
        f"My wines,,\n\nName,Price,Country\n{WINES}Total,76,\n",
        priced(**PRICES),
        [(1, "stands above the header: 'My wines'; passed over"), (9, "holds totals")],
    ),
    "a sum and an average": (
        f"Name,Price,Country\n{WINES}Sum:,76,\nAverage,15.2,\n",
        priced(**PRICES),
        [(7, "holds totals"), (8, "holds totals")],
    ),
    "a total without a word": (
        f"Name,Price,Country\n{WINES},76,\n",
        priced(**PRICES),
        [(7, "has no name")],
    ),
    "a wine that is called Total": (
        "Name,Price,Country\nCasa,12,Portugal\nMonte,15,Spain\nTotal,9,Spain\n",
        priced(Casa=12, Monte=15, Total=9),
        [],
    ),
    "notes below": (
        f"Name,Price,Country\n{WINES}\n* without tax\nSource: my shelf\n",
        priced(**PRICES),
        [(8, "is a note below the table"), (9, "is a note below the table")],
    ),
    "units below the header": (
        "Name,Volume,ABV,Price\n,cl,%,USD\nCasa,75,12.5,12\nMonte,50,13,15\nPico,75,11,9\n",
        {name: {"volume": size, "abv": abv} for name, size, abv in
         (("Casa", 75, 12.5), ("Monte", 50, 13), ("Pico", 75, 11))},
        [(2, "holds units, cl, %, USD")],
    ),
    "units in brackets and the kinds of the columns": (
        "Name,Volume,Price\ntext,(ml),[EUR]\nCasa,750,12\nMonte,500,15\n",
        priced(Casa=12, Monte=15),
        [(2, "holds units, text, ml, EUR")],
    ),
    "an item that is called like a unit": (
        "Name,Size\nMl,S\nOz,M\nCl,L\n",
        {"Ml": {}, "Oz": {}, "Cl": {}},
        [],
    ),
    "the header on every page": (
        "Name,Price,Country\nCasa,12,Portugal\nName,Price,Country\nMonte,15,Spain\n",
        priced(Casa=12, Monte=15),
        [(3, "is the header once more")],
    ),
    "a header of two lines": (
        "Wine,,Price,\nName,Country,EUR,USD\nCasa,Portugal,12,13\nMonte,Spain,15,16\n",
        {"Casa": {"price_eur": 12, "price_usd": 13, "country": "Portugal"},
         "Monte": {"price_eur": 15, "price_usd": 16, "country": "Spain"}},
        [(2, "is the header's second line")],
    ),
    "line breaks in the header": (
        f'"Wine\nname","Price\n(USD)",Country\n{WINES}',
        {name: {"price_usd": price} for name, price in PRICES.items()},
        [],
    ),
    "no header": (
        "Casa,12,Portugal\nMonte,15,Spain\nPico,9,Portugal\n",
        {"Casa": {"column_b": 12, "column_c": "Portugal"},
         "Monte": {"column_b": 15, "column_c": "Spain"},
         "Pico": {"column_b": 9, "column_c": "Portugal"}},
        [(1, "is no header; columns are called by letters")],
    ),
    "a list of names alone": (
        "Casa\nMonte\nPico\n",
        {"Monte": {}, "Pico": {}},
        [(1, "(Casa) is taken for the header")],
    ),
    "years as columns": (
        "Name,2019,2020\nCasa,12,13\nMonte,15,16\n",
        {"Casa": {}, "Monte": {}},
        [],
    ),
    "names given twice and not at all": (
        "Name,Score,Score,,Price,\nCasa,90,4,red,12,\nMonte,85,3,red,15,\nPico,88,5,white,9,\n",
        {name: {"score": score, "score_3": other, "price": price} for name, score, other, price in
         (("Casa", 90, "4", 12), ("Monte", 85, "3", 15), ("Pico", 88, "5", 9))},
        [],
    ),
    "columns without a name are no list": (
        "Name,,Price,\nCasa,red,12,dry\nMonte,red,15,sweet\nPico,white,9,dry\n",
        {"Casa": {"column_2": "red"}, "Monte": {"column_2": "red"}, "Pico": {"column_2": "white"}},
        [],
    ),
    "signs and thousands": (
        'Name,Price\nCasa,"$1,200.00"\nMonte,$15.50\nPico,$9\n',
        priced(Casa=1200, Monte=15.5, Pico=9),
        [],
    ),
    "decimal commas and euros": (
        "Name;Price\nCasa;1.200,50 €\nMonte;15,50 €\nPico;9,00 €\n",
        priced(Casa=1200.5, Monte=15.5, Pico=9),
        [],
    ),
    "blanks between thousands": (
        "Name,Votes\nCasa,1 200\nMonte,15 300\nPico,900\n",
        {"Casa": {"votes": 1200}, "Monte": {"votes": 15300}, "Pico": {"votes": 900}},
        [],
    ),
    "numbers more or less": (
        "Name,Price\nCasa,~12\nMonte,ca. 15\nPico,>9\nDuna,about 22\nOlho,18+\n",
        priced(**PRICES),
        [],
    ),
    "words for what is not known": (
        "Name,Price\nCasa,12\nMonte,15\nPico,?\nDuna,tbd\nOlho,—\nSerra,9\n",
        {**priced(Casa=12, Monte=15, Serra=9), "Pico": {}, "Duna": {}, "Olho": {}},
        [(5, "'tbd' is no number")],
    ),
    "errors of a spreadsheet": (
        "Name,Price\nCasa,12\nMonte,#DIV/0!\nPico,#REF!\nDuna,22\n",
        {**priced(Casa=12, Duna=22), "Monte": {}, "Pico": {}},
        [],
    ),
    "yes and no in four spellings": (
        "Name,Vegan?,Price\nCasa,Yes,12\nMonte,no,15\nPico,Y,9\nDuna,N,22\n",
        {name: {"vegan": told} for name, told in
         (("Casa", "yes"), ("Monte", "no"), ("Pico", "yes"), ("Duna", "no"))},
        [],
    ),
    "ticks and crosses": (
        "Name,Vegan,Price\nCasa,✓,12\nMonte,✗,15\nPico,✓,9\n",
        {"Casa": {"vegan": "yes"}, "Monte": {"vegan": "no"}, "Pico": {"vegan": "yes"}},
        [],
    ),
    "semicolons within quotes": (
        'Name,Grapes,Price\nCasa,"dry; long; oak",12\nMonte,"red; young",15\n',
        priced(Casa=12, Monte=15),
        [],
    ),
    "commas in a table of semicolons": (
        "Name;Grapes;Price\nCasa;dry, long, oak;12,5\nMonte;red, young;15\n",
        priced(Casa=12.5, Monte=15),
        [],
    ),
    "blanks before quotes": (
        '"Name", "Price", "Notes"\n"Casa", "12", "dry, long"\n"Monte", "15", "red, young"\n',
        {"Casa": {"price": 12, "notes": "dry, long"},
         "Monte": {"price": 15, "notes": "red, young"}},
        [],
    ),
    "texts that a spreadsheet may not touch": (
        'Name,Code,Price\n"=""Casa""","=""0012""",12\n"=""Monte""","=""0013""",15\n',
        {"Casa": {"code": "0012", "price": 12}, "Monte": {"code": "0013", "price": 15}},
        [],
    ),
    "a table of Markdown": (
        "| Name | Price | Country |\n|:-----|------:|---------|\n| Casa | 12 | Portugal |\n"
        "| Monte | 15 | Spain |\n",
        priced(Casa=12, Monte=15),
        [],
    ),
    "comments above": (
        f"# my wines\n# of 2023\nName,Price,Country\n{WINES}",
        priced(**PRICES),
        [(1, "stands above the header: '# my wines # of 2023'; passed over")],
    ),
    "an empty column in front and empty ones behind": (
        ",,,,\n,Name,Price,,\n,Casa,12,,\n,Monte,15,,\n",
        priced(Casa=12, Monte=15),
        [],
    ),
    "UTF-16 with tabs": (
        "Name\tPrice\nCasa\t12\nMonte\t15\n".encode("utf-16"),
        priced(Casa=12, Monte=15),
        [],
    ),
    "years in words": (
        "Title,Year\nHeat,c. 1990\nUp,1999-2003\nRan,'98\nDune,1850 (1st ed.)\n",
        {"Heat": {"year": 1990}, "Up": {"year": 1999}, "Ran": {}, "Dune": {"year": 1850}},
        [(4, '"\'98" is no year; left out')],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CATALOGUES)
def test_a_catalogue_that_somebody_kept_is_read_rightly(tmp_path: Path, case: str) -> None:
    content, wanted, told = CATALOGUES[case]
    found, problems = things(tmp_path / "wines.csv", content)
    assert found.keys() == wanted.keys()
    for name, facts in wanted.items():
        assert {fact: found[name].get(fact) for fact in facts} == facts
    assert problems == told


def test_what_is_not_known_has_no_value(tmp_path: Path) -> None:
    found, _ = things(tmp_path / "wines.csv", "Name,Price\nCasa,12\nMonte,?\nPico,#N/A\nDuna,9\n")
    assert ["price" in found[name] for name in ("Casa", "Monte", "Pico", "Duna")] == [
        True,
        False,
        False,
        True,
    ]


HISTORIES = {
    "days in five styles": (
        "Title,Rating,Seen on\nHeat,4,2023-01-05\nUp,5,26/01/2023\nAlien,3,5 Feb 2023\n"
        'Ran,4,"March 7, 2023"\nDune,2,2023-03-09T20:00:00Z\n',
        [("Heat", "rated", 4, "2023-01-05"), ("Up", "rated", 5, "2023-01-26"),
         ("Alien", "rated", 3, "2023-02-05"), ("Ran", "rated", 4, "2023-03-07"),
         ("Dune", "rated", 2, "2023-03-09")],
    ),
    "days as a spreadsheet counts them": (
        "Title,Rating,Date\nHeat,4,44931\nUp,5,44932.75\n",
        [("Heat", "rated", 4, "2023-01-05"), ("Up", "rated", 5, "2023-01-06")],
    ),
    "stars out of five": (
        "Film;Score;Watched\nHeat;4 out of 5;05.01.2023\nUp;3,5 out of 5;26.01.2023\n",
        [("Heat", "rated", 4, "2023-01-05"), ("Up", "rated", 3.5, "2023-01-26")],
    ),
    "ratings in percent": (
        "Title,Score,Date\nHeat,80%,2023-01-05\nUp,100%,2023-01-06\nAlien,45%,2023-01-07\n",
        [("Heat", "rated", 4, "2023-01-05"), ("Up", "rated", 5, "2023-01-06"),
         ("Alien", "rated", 2.25, "2023-01-07")],
    ),
    "the scale in the header": (
        "Movie,My rating (out of 10),Date\nHeat,4,2023-01-05\nUp,3,2023-01-06\n",
        [("Heat", "rated", 2, "2023-01-05"), ("Up", "rated", 1.5, "2023-01-06")],
    ),
    "halves": (
        "Movie,My rating (1-5),Date\nHeat,4½,2023-01-05\nUp,3,2023-01-06\n",
        [("Heat", "rated", 4.5, "2023-01-05"), ("Up", "rated", 3, "2023-01-06")],
    ),
    "liked or not": (
        "Title,Liked,Date\nHeat,Yes,2023-01-05\nUp,no,2023-01-06\n",
        [("Heat", "liked", None, "2023-01-05"), ("Up", "disliked", None, "2023-01-06")],
    ),
    "loved or not": (
        "Title,Loved?,Date\nHeat,x,2023-01-05\nUp,,2023-01-06\n",
        [("Heat", "liked", None, "2023-01-05"), ("Up", "seen", None, "2023-01-06")],
    ),
    "words among the ratings": (
        "Title,Rating,Date\nHeat,4,2023-01-05\nUp,-,2023-01-06\nRan,not yet,2023-01-07\n"
        "A,5,2023-01-08\nB,5,2023-01-08\nC,5,2023-01-08\nD,5,2023-01-08\n",
        [("Heat", "rated", 4, "2023-01-05"), ("Up", "seen", None, "2023-01-06"),
         ("Ran", "seen", None, "2023-01-07"),
         *((name, "rated", 5, "2023-01-08") for name in "ABCD")],
    ),
    "a title and a note around": (
        "My films,,\n\nTitle,Rating,Date\nHeat,4,2023-01-05\nUp,5,2023-01-06\n\n"
        "less TV next year,,\n",
        [("Heat", "rated", 4, "2023-01-05"), ("Up", "rated", 5, "2023-01-06")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HISTORIES)
def test_a_diary_that_somebody_kept_is_read_rightly(tmp_path: Path, case: str) -> None:
    text, wanted = HISTORIES[case]
    path = tmp_path / "films.csv"
    path.write_text(text, encoding="utf-8")
    table = open_records(path)
    mapping = propose_mapping(table, "anna")
    assert mapping is not None
    found = read_history(table, mapping, load_domain("movies"), "anna")
    names = {item.key: item.name for item in found.items}
    assert [
        (names[one.item], one.event.value, one.rating, str(one.at)[:10])
        for one in found.interactions
    ] == wanted


@pytest.mark.parametrize(
    ("content", "message", "remedy"),
    [
        (b"<html><table><tr><td>Name</td></tr></table></html>", "is a web page", "plain CSV"),
        (b"PK\x03\x04\x14\x00\x06\x00xl/workbook.xml", "", ""),
        (
            b"Name,Price,Country\nCasa,12,Portugal\nMonte,15,Spain\n\n"
            b"Title,Author,Pages\nDune,Herbert,400\n",
            "row 5 begins another table (Title, Author, Pages)",
            "in a file of its own",
        ),
        (b"Name,Price\n", "holds no rows", "right file"),
    ],
)
def test_what_is_no_table_is_refused_with_the_remedy(
    tmp_path: Path, content: bytes, message: str, remedy: str
) -> None:
    path = tmp_path / "wines.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as told:
        open_records(path)
    assert message in told.value.message
    assert remedy in told.value.hint and told.value.hint

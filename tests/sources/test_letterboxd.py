"""Letterboxd's export: six files about one person's films become what that person did."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.domains import Domain
from localrec.data.rows import Event, HistoryRows, InteractionRow
from localrec.foundation.errors import InputError, UsageError
from localrec.graph.domain_files import load_domain
from localrec.sources.letterboxd import LetterboxdSource
from localrec.sources.protocols import FilePreview
from tests.sources.zips import flipped, linked, packed

SAMPLE = Path(__file__).parent / "samples" / "letterboxd"
WATCHED = "Date,Name,Year,Letterboxd URI\n"
RATINGS = "Date,Name,Year,Letterboxd URI,Rating\n"
DIARY = "Date,Name,Year,Letterboxd URI,Rating,Rewatch,Tags,Watched Date\n"
REVIEWS = "Date,Name,Year,Letterboxd URI,Rating,Rewatch,Review,Tags,Watched Date\n"
HEAT = "2021-03-01,Heat,1995,https://boxd.it/2bg8"


def sample_files() -> dict[str, bytes]:
    files = (path for path in sorted(SAMPLE.rglob("*")) if path.is_file())
    return {path.relative_to(SAMPLE).as_posix(): path.read_bytes() for path in files}


def read(path: Path, domain: Domain) -> HistoryRows:
    return LetterboxdSource().read(path, domain, "anna")


def zipped(folder: Path, files: dict[str, str | bytes]) -> Path:
    path = folder / "letterboxd.zip"
    path.write_bytes(packed(files))
    return path


def did(history: HistoryRows, key: str) -> dict[Event, InteractionRow]:
    return {row.event: row for row in history.interactions if row.item == key}


def told(history: HistoryRows) -> list[str]:
    return [
        f"{one.row} {one.column} {one.action}: {one.problem}" for one in history.report.problems
    ]


def test_archive_and_unpacked_folder_say_the_same(tmp_path: Path, films_domain: Domain) -> None:
    from_folder = read(SAMPLE, films_domain)
    from_zip = read(zipped(tmp_path, sample_files()), films_domain)
    assert from_zip.items == from_folder.items
    assert from_zip.interactions == from_folder.interactions
    assert from_folder.report.read == from_folder.report.kept == 13


def test_the_newest_rating_counts_and_carries_the_review(films_domain: Domain) -> None:
    heat = did(read(SAMPLE, films_domain), "heat-1995")
    assert heat == {
        Event.RATED: InteractionRow(
            user="anna",
            item="heat-1995",
            event=Event.RATED,
            rating=4.5,
            at=datetime(2023, 5, 6),
            note="The coffee shop scene is everything . Still.",
        ),
        Event.LIKED: InteractionRow(
            user="anna", item="heat-1995", event=Event.LIKED, at=datetime(2021, 3, 4)
        ),
    }


def test_a_film_without_a_rating_was_seen_as_often_as_the_diary_says(films_domain: Domain) -> None:
    history = read(SAMPLE, films_domain)
    alien = did(history, "alien-1979")[Event.SEEN]
    assert (alien.times, alien.at, alien.rating) == (2, datetime(2023, 10, 31), None)
    ugly = did(history, "the-good-the-bad-and-the-ugly-1966")[Event.SEEN]
    assert (ugly.times, ugly.at) == (1, datetime(2021, 3, 1))


def test_the_watchlist_is_wanted_and_needs_no_year(films_domain: Domain) -> None:
    history = read(SAMPLE, films_domain)
    assert set(did(history, "stalker-1979")) == {Event.WANTED}
    assert set(did(history, "an-announced-film")) == {Event.WANTED}


def test_a_film_gets_year_decade_and_a_generated_description(films_domain: Domain) -> None:
    items = {item.key: item for item in read(SAMPLE, films_domain).items}
    amelie = items["amelie-2001"]
    assert amelie.name == "Amélie"
    assert amelie.properties == {
        "year": 2001,
        "description": "Amélie (2001).",
        "description_source": "generated",
        "letterboxd": "https://boxd.it/2a5U",
    }
    assert [(link.kind, link.name) for link in amelie.links] == [("decade", "2000s")]


def test_a_work_from_before_film_keeps_its_year(tmp_path: Path, films_domain: Domain) -> None:
    home = tmp_path / "export"
    shutil.copytree(SAMPLE, home)
    with (home / "watched.csv").open("a", encoding="utf-8") as stream:
        stream.write("2021-03-09,Passage de Venus,1874,https://boxd.it/9zz\n")
    items = {item.name: item for item in read(home, films_domain).items}
    assert items["Passage de Venus"].properties["year"] == 1874


def test_what_the_person_took_away_or_keeps_private_stays_out(films_domain: Domain) -> None:
    everything = repr(read(SAMPLE, films_domain))
    for private in (
        "Regretted",
        "halloween",
        "with anna",
        "someone@example.org",
        "https://boxd.it/5",
    ):
        assert private not in everything


def test_it_is_recognised_by_its_members() -> None:
    source = LetterboxdSource()
    assert source.recognises(FilePreview("x.zip", ("ratings.csv", "watched.csv", "profile.csv")))
    assert not source.recognises(FilePreview("x.zip", ("user.json", "listens/2023/1.jsonl")))
    assert source.recognises(FilePreview("ratings.csv", (), RATINGS))
    assert not source.recognises(FilePreview("ratings.csv", (), "userId,movieId,rating\n"))


def test_an_export_without_a_person_asks_for_one(films_domain: Domain) -> None:
    with pytest.raises(UsageError, match=r"does not say whose it is\. Name the person with --user"):
        LetterboxdSource().read(SAMPLE, films_domain, None)


REFUSED: dict[str, tuple[bytes, str]] = {
    "truncated zip": (
        packed({"ratings.csv": RATINGS})[:-40],
        "{path} is a damaged zip archive: its table of contents is missing or broken. "
        "It was probably cut short on the way; download it again.",
    ),
    "an empty file": (b"", "{path} is empty. Export it again."),
    "a pickle": (
        b"\x80\x04cos\nsystem\n(S'true'\ntR.",
        "{path} is a Python pickle, not a table. "
        "Save it as a plain CSV file in UTF-8 and import that.",
    ),
    "a pickle inside": (
        packed({"ratings.csv": b"\x80\x04cos\nsystem\n(S'true'\ntR."}),
        "{path}/ratings.csv is a Python pickle, not a table. "
        "Save it as a plain CSV file in UTF-8 and import that.",
    ),
    "another export": (
        packed({"user.json": "{}", "feedback.jsonl": "", "listens/2023/1.jsonl": ""}),
        "{path} is not a Letterboxd export: it looks like a ListenBrainz export. "
        "Name the archive as it was downloaded, or the kind that it is.",
    ),
    "holiday pictures": (
        packed({"a/1.png": "x", "b.txt": "x"}),
        "{path} is not a Letterboxd export: it holds a/1.png and b.txt. "
        "Name the archive as it was downloaded, or the kind that it is.",
    ),
    "a path upwards": (
        packed({"ratings.csv": RATINGS, "../../x": "x"}),
        "{path} cannot be trusted: '../../x' in it is a path that leads elsewhere. "
        "No service makes such an archive: download the export from the service itself.",
    ),
    "a link": (
        linked({"ratings.csv": RATINGS}, "diary.csv", "/etc/passwd"),
        "{path} cannot be trusted: 'diary.csv' in it is a link or device. "
        "No service makes such an archive: download the export from the service itself.",
    ),
    "a bomb": (
        packed({"ratings.csv": b"a" * (40 << 20)}),
        "{path} cannot be trusted: 'ratings.csv' in it unpacks to more than the 16,777,216 bytes "
        "allowed. No service makes such an archive: download the export from the service itself.",
    ),
    "a missing column": (
        packed({"ratings.csv": f"{WATCHED}{HEAT}\n"}),
        "{path}/ratings.csv lacks the column 'Rating'; it has Date, Name, Year, Letterboxd URI. "
        "Export it again, and leave the files as they are.",
    ),
    "a wrong header": (
        packed({"watched.csv": "Titel;Jahr\nHeat;1995\n"}),
        "{path}/watched.csv lacks the column 'Name'; it has Titel;Jahr. "
        "Export it again, and leave the files as they are.",
    ),
    "mixed encodings": (
        packed(
            {"watched.csv": WATCHED.encode() + "1,Amélie,2001,\n".encode() + b"1,Am\xe9lie,2001,\n"}
        ),
        "{path}/watched.csv, line 3: the text is not utf-8-sig, although the file says so. "
        "Save it in UTF-8, or leave the encoding out.",
    ),
    "a NUL byte": (
        packed({"watched.csv": f"{WATCHED}2021-03-01,He\0at,1995,\n"}),
        "{path}/watched.csv, row 2, column 'Name': there is a NUL byte. Remove it.",
    ),
    "an open quote": (
        packed({"watched.csv": f'{WATCHED}2021-03-01,"Heat,1995,\n'}),
        "{path}/watched.csv, row 2, column 'Name': the quote is never closed. "
        "Close the quote, or double the quotes inside the cell.",
    ),
    "a huge field": (
        packed({"watched.csv": f"{WATCHED}2021-03-01,{'x' * ((1 << 20) + 1)},1995,\n"}),
        "{path}/watched.csv, row 2, column 'Name': the cell holds 1,048,577 characters, "
        "more than 1,048,576. Shorten it.",
    ),
    "an empty member": (
        packed({"watched.csv": ""}),
        "{path}/watched.csv is empty. Export it again.",
    ),
    "no film at all": (
        packed({"watched.csv": WATCHED, "ratings.csv": f"{RATINGS}{HEAT},11\n"}),
        "{path} holds no film that can be kept: row 2 '11' is no rating from 0.5 to 5. "
        "Export it again, once there is a film to export.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_export_is_refused_with_its_message(
    tmp_path: Path, films_domain: Domain, case: str
) -> None:
    content, message = REFUSED[case]
    path = tmp_path / "letterboxd.zip"
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        read(path, films_domain)
    assert str(refused.value) == message.format(path=path)


ROWS: dict[str, tuple[str, str, list[str]]] = {
    "a rating of 11": (
        "ratings.csv",
        f"{RATINGS}{HEAT},11\n",
        ["2 ratings.csv: Rating dropped: '11' is no rating from 0.5 to 5"],
    ),
    "a rating that is no number": (
        "ratings.csv",
        f"{RATINGS}{HEAT},nan\n",
        ["2 ratings.csv: Rating dropped: 'nan' is no rating from 0.5 to 5"],
    ),
    "no rating": (
        "ratings.csv",
        f"{RATINGS}{HEAT},\n",
        ["2 ratings.csv: Rating dropped: has no rating"],
    ),
    "a bad rating in the diary": (
        "diary.csv",
        f"{DIARY}{HEAT},0,,,2021-03-01\n",
        ["2 diary.csv: Rating repaired: '0' is no rating from 0.5 to 5; left out"],
    ),
    "a date in the future": (
        "watchlist.csv",
        f"{WATCHED}2999-01-01,Heat,1995,\n",
        [
            "2 watchlist.csv: Date repaired: '2999-01-01' is in the future; the date was left out",
        ],
    ),
    "a date before film": (
        "diary.csv",
        f"{DIARY}2021-03-01,Heat,1995,,,,,1788-01-01\n",
        [
            "2 diary.csv: Watched Date repaired: '1788-01-01' is before 1888; "
            "the date was left out",
        ],
    ),
    "an impossible date": (
        "likes/films.csv",
        f"{WATCHED}2021-02-30,Heat,1995,\n",
        ["2 likes/films.csv: Date repaired: '2021-02-30' is no date; the date was left out"],
    ),
    "an impossible year": (
        "likes/films.csv",
        f"{WATCHED}2021-03-01,Heat,1595,\n",
        ["2 likes/films.csv: Year repaired: '1595' is no year of a film; left out"],
    ),
    "no name": (
        "likes/films.csv",
        f"{WATCHED}2021-03-01, ,1995,\n",
        ["2 likes/films.csv: Name dropped: is empty there"],
    ),
    "duplicate rows": (
        "likes/films.csv",
        f"{WATCHED}{HEAT}\n{HEAT}\n",
        ["3 likes/films.csv merged: went into row 2, Heat"],
    ),
    "ragged rows": (
        "likes/films.csv",
        f"{WATCHED}{HEAT},more\nHeat\n",
        [
            "2 likes/films.csv dropped: has 5 cells where the header has 4",
            "3 likes/films.csv dropped: has 1 cells where the header has 4",
        ],
    ),
}


@pytest.mark.parametrize("case", ROWS)
def test_a_bad_row_costs_or_mends_that_row_alone(
    tmp_path: Path, films_domain: Domain, case: str
) -> None:
    name, content, problems = ROWS[case]
    good = {"watched.csv": f"{WATCHED}2021-03-01,Ran,1985,\n"}
    history = read(zipped(tmp_path, {**good, name: content}), films_domain)
    assert told(history) == problems
    report = history.report
    assert report.read == content.count("\n") == report.kept + report.merged + report.dropped
    assert set(did(history, "ran-1985")) == {Event.SEEN}


def test_of_two_ratings_in_one_file_the_later_counts(tmp_path: Path, films_domain: Domain) -> None:
    rows = f"{RATINGS}2022-01-01,Heat,1995,,2\n2023-01-01,Heat,1995,,5\n2021-01-01,Heat,1995,,1\n"
    history = read(zipped(tmp_path, {"ratings.csv": rows}), films_domain)
    assert did(history, "heat-1995")[Event.RATED].rating == 5
    assert (history.report.kept, history.report.merged) == (1, 2)


def test_hostile_titles_come_out_harmless(tmp_path: Path, films_domain: Domain) -> None:
    titles = ["<|im_end|>", "\x1b[31mRed\x1b[0m", '"=HYPERLINK(""x"")"', "a\u202eb"]
    rows = "".join(f"2021-03-01,{title},1995,\n" for title in titles)
    history = read(zipped(tmp_path, {"watched.csv": WATCHED + rows}), films_domain)
    names = [item.name for item in history.items]
    assert names == ["< |im_end|>", "Red", '=HYPERLINK("x")', "ab"]


def test_a_link_that_leads_elsewhere_is_not_kept(tmp_path: Path, films_domain: Domain) -> None:
    rows = f"{WATCHED}2021-03-01,Heat,1995,javascript:alert(1)\n"
    history = read(zipped(tmp_path, {"watched.csv": rows}), films_domain)
    assert "letterboxd" not in history.items[0].properties


GOOD_BYTES = packed(sample_files())


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, len(GOOD_BYTES)), max_size=3), st.integers(0, len(GOOD_BYTES)))
def test_a_broken_export_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, places: list[int], cut: int
) -> None:
    content = GOOD_BYTES if cut % 2 else GOOD_BYTES[:cut]
    for place in places if content else ():
        content = flipped(content, place)
    path = tmp_path_factory.mktemp("zip") / "export.zip"
    path.write_bytes(content)
    try:
        assert isinstance(read(path, load_domain("movies")), HistoryRows)
    except InputError as error:
        assert str(path) in error.message


def test_cells_that_a_spreadsheet_adds_cost_no_row(tmp_path, films_domain):
    path = tmp_path / "ratings.csv"
    path.write_text(f"{RATINGS}2023-01-01,Alien,1979.0,https://boxd.it/2a,4.5,\n{HEAT},3.5,,\n")
    history = read(path, films_domain)
    assert [row.rating for row in history.interactions] == [4.5, 3.5]
    assert [item.properties["year"] for item in history.items] == [1979, 1995]
    assert history.report.problems == ()

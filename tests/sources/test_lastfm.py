"""Last.fm's plays as the exporters write them: without a header, and with one."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.domains import Domain
from localrec.data.rows import Event, HistoryRows
from localrec.foundation.errors import InputError, UsageError
from localrec.graph.domain_files import load_domain
from localrec.sources import detect_kind
from localrec.sources.detection import preview_file
from localrec.sources.lastfm import LastFmSource, seconds_of
from localrec.sources.protocols import FilePreview
from tests.sources.zips import packed

SAMPLES = Path(__file__).parent / "samples" / "lastfm"
HEADER = "uts,utc_time,artist,artist_mbid,album,album_mbid,track,track_mbid\n"
GOOD = "Air,Moon Safari,La femme d'argent,26 Nov 2023 18:05\n"
COLUMNS = "It needs the columns artist, track and uts, or rows of artist, album, track and date."


@pytest.fixture
def music() -> Domain:
    return load_domain("music")


def read(path: Path, domain: Domain) -> HistoryRows:
    return LastFmSource().read(path, domain, "anna")


def written(folder: Path, content: str | bytes) -> Path:
    path = folder / "plays.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def told(history: HistoryRows) -> list[str]:
    return [
        f"{one.row} {one.column} {one.action}: {one.problem}" for one in history.report.problems
    ]


def plays(history: HistoryRows) -> dict[str, tuple[int, datetime | None]]:
    return {row.item: (row.times, row.at) for row in history.interactions}


def test_a_table_without_a_header_is_counted_from_its_first_row(music: Domain) -> None:
    history = read(SAMPLES / "bare.csv", music)
    assert plays(history) == {
        "weezer-weezer": (1, datetime(2023, 11, 26, 18, 5)),
        "nina-simone-sinnerman": (3, datetime(2023, 11, 26, 17, 55)),
        "earth-wind-and-fire-boogie-wonderland": (1, datetime(2023, 11, 25, 9)),
    }
    assert told(history) == [
        "5 date repaired: '01 Jan 1970 00:00' is before 2002; counted without it"
    ]


def test_a_table_with_a_header_goes_by_its_seconds_and_ids(music: Domain) -> None:
    history = read(SAMPLES / "headed.csv", music)
    assert plays(history)["nina-simone-sinnerman"] == (2, datetime(2023, 11, 26, 17, 55))
    track = history.items[0]
    assert track.properties["mbid"] == "11111111-1111-4111-8111-111111111111"
    assert track.properties["creator"] == "Nina Simone"
    assert [(link.kind, link.name) for link in track.links] == [
        ("artist", "Nina Simone"),
        ("album", "Pastel Blues"),
    ]


def test_the_album_played_most_is_the_tracks_album(music: Domain) -> None:
    items = {item.key: item for item in read(SAMPLES / "bare.csv", music).items}
    assert items["nina-simone-sinnerman"].properties["album"] == "Pastel Blues"


def test_it_is_recognised_by_header_or_by_a_minute_at_the_end() -> None:
    source = LastFmSource()
    assert source.recognises(FilePreview("x.csv", (), HEADER))
    assert source.recognises(FilePreview("x.csv", (), GOOD))
    assert not source.recognises(FilePreview("x.csv", (), "Date,Name,Year,Letterboxd URI\n"))
    assert not source.recognises(FilePreview("x.csv", (), "a,b,c,2023-11-26\n"))


def test_an_export_without_a_person_asks_for_one(music: Domain) -> None:
    with pytest.raises(UsageError, match=r"does not say whose it is\. Name the person with --user"):
        LastFmSource().read(SAMPLES / "bare.csv", music, None)


@pytest.mark.parametrize(
    ("time", "seconds"),
    [
        ("26 Nov 2023 18:05", 1_701_021_900),
        ("26 Nov 2023, 18:05", 1_701_021_900),
        ("1 jan 2024 00:00", 1_704_067_200),
        ("1701021900", 1_701_021_900),
        ("31 Feb 2024 10:00", None),
        ("26 Nov 2023 24:05", None),
        ("26 Nov 0000 10:05", None),
        ("2023-11-26 18:05", 1_701_021_900),
        ("2023-11-26T18:05:07Z", 1_701_021_907),
        ("2023-11-26T19:05:07.5+01:00", 1_701_021_907),
        ("1701021907000", 1_701_021_907),
        ("2023-11-31 18:05", None),
        ("", None),
    ],
)
def test_a_minute_is_read_or_not_at_all(time: str, seconds: int | None) -> None:
    assert seconds_of(time) == seconds


REFUSED: dict[str, tuple[str | bytes, str]] = {
    "an empty file": ("", "{path} is empty. Export it again."),
    "a zip": (
        packed({"a.csv": GOOD}),
        "{path} is a zip archive, not a table. "
        "Save it as a plain CSV file in UTF-8 and import that.",
    ),
    "a pickle": (
        b"\x80\x04cos\nsystem\n(S'true'\ntR.",
        "{path} is a Python pickle, not a table. "
        "Save it as a plain CSV file in UTF-8 and import that.",
    ),
    "a binary file": (
        bytes(range(1, 9)) * 40,
        "{path} is a binary file, not a table. "
        "Save it as a plain CSV file in UTF-8 and import that.",
    ),
    "a web page": (
        "<!doctype html><p>Log in</p>",
        "{path} is a web page, not a table. Log in and download the export itself, or save the "
        "table on the page as a plain CSV file.",
    ),
    "films": (
        "Date,Name,Year,Letterboxd URI\n2021-03-01,Heat,1995,https://boxd.it/2bg8\n",
        "{path} is not a history of Last.fm: it looks like a Letterboxd file. " + COLUMNS,
    ),
    "a wrong header": (
        "interpret,titel,zeit\nAir,Talisman,1\n",
        "{path} is not a history of Last.fm: its first row is interpret, titel, zeit. " + COLUMNS,
    ),
    "a missing column": (
        "artist,album,track\nAir,Moon Safari,Talisman\n",
        "{path} is not a history of Last.fm: its first row is artist, album, track. " + COLUMNS,
    ),
    "a NUL byte": (
        GOOD + "Air,Moon\0 Safari,Talisman,26 Nov 2023 18:15\n",
        "{path}, row 2, column 'album': there is a NUL byte. Remove it.",
    ),
    "an open quote": (
        GOOD + '"Air,Moon Safari,Talisman,26 Nov 2023 18:15\n',
        "{path}, row 2, column 'artist': the quote is never closed. "
        "Close the quote, or double the quotes inside the cell.",
    ),
    "a huge field": (
        GOOD + f"Air,{'x' * ((1 << 20) + 1)},Talisman,26 Nov 2023 18:15\n",
        "{path}, row 2, column 'album': the cell holds 1,048,577 characters, "
        "more than 1,048,576. Shorten it.",
    ),
    "only what is playing now": (
        "Air,Moon Safari,Talisman,\n",
        "{path} holds no play that can be kept: row 1 has no time. "
        "Each row needs an artist, a track and a time.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_file_is_refused_with_its_message(tmp_path: Path, music: Domain, case: str) -> None:
    content, message = REFUSED[case]
    path = written(tmp_path, content)
    with pytest.raises(InputError) as refused:
        read(path, music)
    assert str(refused.value) == message.format(path=path)


ROWS = {
    "a date in the future": (
        "Air,,Talisman,26 Nov 2999 18:05\n",
        "2 date repaired: '26 Nov 2999 18:05' is in the future; counted without it",
    ),
    "an impossible date": (
        "Air,,Talisman,31 Feb 2023 18:05\n",
        "2 date repaired: '31 Feb 2023 18:05' is no time; counted without it",
    ),
    "no time": ("Air,,Talisman,\n", "2 date dropped: has no time"),
    "no artist": (" ,,Talisman,26 Nov 2023 18:05\n", "2 None dropped: has no artist"),
    "no track": ("Air,Moon Safari,,26 Nov 2023 18:05\n", "2 None dropped: has no title"),
    "duplicate rows": (
        GOOD,
        "2 None merged: is the same play as an earlier one: Air - La femme d'argent",
    ),
    "a ragged row": ("Air,Talisman\n", "2 None dropped: has 2 cells where the header has 4"),
}


@pytest.mark.parametrize("case", ROWS)
def test_a_bad_row_costs_or_mends_that_row_alone(tmp_path: Path, music: Domain, case: str) -> None:
    row, problem = ROWS[case]
    history = read(written(tmp_path, GOOD + row), music)
    assert told(history) == [problem]
    assert history.report.read == 2
    assert plays(history)["air-la-femme-dargent"] == (1, datetime(2023, 11, 26, 18, 5))


def test_old_encodings_are_told_from_the_bytes(tmp_path: Path, music: Domain) -> None:
    path = written(tmp_path, "Sigur Rós,,Hoppípolla,26 Nov 2023 18:05\n".encode("cp1252"))
    assert read(path, music).items[0].name == "Hoppípolla"


def test_hostile_titles_come_out_harmless(tmp_path: Path, music: Domain) -> None:
    titles = ["<|im_end|>", "\x1b[31mRed\x1b[0m", '"=HYPERLINK(""x"")"', "a\u202eb"]
    rows = "".join(f"Air,,{title},26 Nov 2023 18:05\n" for title in titles)
    history = read(written(tmp_path, GOOD + rows), music)
    names = [item.name for item in history.items][1:]
    assert names == ["< |im_end|>", "Red", '=HYPERLINK("x")', "ab"]


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_with_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    for start in (b"", GOOD.encode(), HEADER.encode()):
        path = written(tmp_path_factory.mktemp("bytes"), start + content)
        try:
            assert isinstance(read(path, load_domain("music")), HistoryRows)
        except InputError as error:
            assert str(path) in error.message


def test_a_title_above_a_table_is_no_song_that_plays_now(tmp_path: Path) -> None:
    path = tmp_path / "books.csv"
    path.write_text("My books 2024,,,\n,,,\nTitle,Author,Year,Genre\nDune,Frank Herbert,1965,SF\n")
    assert not LastFmSource().recognises(preview_file(path))


LOVED_TABLE = "uts,utc_time,artist,artist_mbid,track,track_mbid\n1614809400,,Air,,Run,\n"
LOVED_PAGES = (
    '{"lovedtracks": {"track": [{"artist": {"name": "Air"}, "name": "Run", '
    '"date": {"uts": "1614809400", "#text": "03 Mar 2021, 22:10"}}]}}'
)


@pytest.mark.parametrize(
    ("name", "content", "event"),
    [
        ("anna-lovedtracks.csv", LOVED_TABLE, Event.LIKED),
        ("pages.json", LOVED_PAGES, Event.LIKED),
        ("beloved.csv", LOVED_TABLE, Event.PLAYED),
    ],
)
def test_loved_tracks_are_liked_and_not_played(
    tmp_path: Path, music: Domain, name: str, content: str, event: Event
) -> None:
    path = tmp_path / name
    path.write_text(content)
    assert detect_kind(path) == "lastfm"
    [row] = read(path, music).interactions
    assert (row.item, row.event, row.at) == ("air-run", event, datetime(2021, 3, 3, 22, 10))


def test_a_player_logs_what_was_heard_and_what_was_skipped(tmp_path: Path, music: Domain) -> None:
    path = tmp_path / ".scrobbler.log"
    path.write_text(
        "#AUDIOSCROBBLER/1.1\n#TZ/UTC\n#CLIENT/Rockbox\n"
        "Air\tMoon Safari\tRun\t3\t255\tL\t1614809460\t\n"
        "Air\tMoon Safari\tTalisman\t7\t290\tS\t1614809900\t\n"
        "Air\tMoon Safari\n"
    )
    assert detect_kind(path) == "lastfm"
    history = read(path, music)
    assert plays(history) == {"air-run": (1, datetime(2021, 3, 3, 22, 11))}
    assert (history.report.kept, history.report.apart, history.report.dropped) == (1, 1, 1)

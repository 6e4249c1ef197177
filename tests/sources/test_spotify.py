"""Spotify's exports: what counts as a play, a skip, or neither."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from localrec.data.rows import HistoryRows
from localrec.foundation.errors import InputError
from localrec.graph.domain_files import load_domain
from localrec.sources import detect_kind
from localrec.sources.spotify import SpotifySource
from tests.sources.zips import packed


def account(track: str, at: str, ms: int = 200_000) -> dict[str, Any]:
    return {"endTime": at, "artistName": "Air", "trackName": track, "msPlayed": ms}


def extended(track: str | None, at: str, ms: int = 200_000, **more: Any) -> dict[str, Any]:
    named = {
        "master_metadata_track_name": track,
        "master_metadata_album_artist_name": track and "Air",
        "master_metadata_album_album_name": track and "Moon Safari",
    }
    return {"ts": at, "ms_played": ms, "platform": "x", "skipped": None, **named, **more}


def read(folder: Path, **files: Any) -> HistoryRows:
    path = folder / "export.zip"
    path.write_bytes(packed({f"{name}.json": json.dumps(told) for name, told in files.items()}))
    return SpotifySource().read(path, load_domain("music"), "anna")


def events(history: HistoryRows) -> dict[str, tuple[str, int, datetime | None]]:
    return {row.item: (row.event.value, row.times, row.at) for row in history.interactions}


def test_a_stream_of_less_than_thirty_seconds_is_a_skip(tmp_path: Path) -> None:
    history = read(
        tmp_path,
        endsong_0=[
            extended("Run", "2020-01-01T10:00:00Z"),
            extended("Run", "2020-01-02T10:00:00Z", ms=29_999),
            extended("Sexy Boy", "2020-01-03T10:00:00Z", ms=4_000),
            extended("Intro", "2020-01-04T10:00:00Z", ms=20_000, reason_end="trackdone"),
        ],
    )
    assert events(history) == {
        "air-run": ("played", 1, datetime(2020, 1, 1, 10)),
        "air-sexy-boy": ("later", 1, datetime(2020, 1, 3, 10)),
        "air-intro": ("played", 1, datetime(2020, 1, 4, 10)),
    }
    assert "2 streams of less than 30 seconds" in history.report.notes[0]


def test_a_stream_that_both_histories_tell_counts_once(tmp_path: Path) -> None:
    history = read(
        tmp_path,
        StreamingHistory0=[account("Run", "2020-01-01 10:00"), account("Run", "2020-01-01 10:30")],
        endsong_0=[extended("Run", "2020-01-01T10:00:41Z")],
    )
    assert events(history)["air-run"][1] == 2
    assert (history.report.kept, history.report.merged) == (2, 1)


def test_podcasts_and_streams_without_a_track_are_left_apart(tmp_path: Path) -> None:
    history = read(
        tmp_path,
        endsong_0=[
            extended(None, "2020-01-01T10:00:00Z", episode_name="Talk"),
            extended(None, "2020-01-01T11:00:00Z"),
            extended("Run", "2020-01-01T12:00:00Z"),
        ],
    )
    report = history.report
    assert (report.read, report.kept, report.apart, report.dropped) == (3, 1, 2, 0)
    assert any("episodes of podcasts" in note for note in report.notes)


def test_the_library_says_what_is_liked_and_what_is_banned(tmp_path: Path) -> None:
    one, other = ({"artist": "Air", "album": "x", "track": name} for name in ("Run", "Ce matin-la"))
    history = read(
        tmp_path,
        StreamingHistory0=[account("Run", "2020-01-01 10:00")],
        YourLibrary={"tracks": [one], "bannedTracks": [other], "albums": []},
    )
    told = {(row.item, row.event.value) for row in history.interactions}
    assert told == {
        ("air-run", "played"),
        ("air-run", "liked"),
        ("air-ce-matin-la", "disliked"),
    }


def test_a_stream_of_the_wrong_shape_costs_that_stream(tmp_path: Path) -> None:
    history = read(
        tmp_path,
        endsong_0=[7, extended("Run", "x"), {"ts": 4}, extended("Run", "2020-01-01T10:00:00Z")],
    )
    assert [(one.row, one.action) for one in history.report.problems] == [
        (1, "dropped"),
        (2, "repaired"),
        (3, "dropped"),
    ]


def test_another_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"name": "package"}', encoding="utf-8")
    with pytest.raises(InputError):
        SpotifySource().read(path, load_domain("music"), "anna")


def test_numbers_as_texts_and_older_notations_of_time_count(tmp_path: Path) -> None:
    history = read(
        tmp_path,
        endsong_0=[
            extended("Run", "2016-01-01 10:00:00 UTC") | {"ms_played": "200000"},
            extended("Remember", "1577872800"),
            extended("Venus", "") | {"ts": 1577872800},
            extended("All I Need", "2020-01-04T10:00:00Z") | {"ms_played": "nan"},
        ],
    )
    assert [at for _, _, at in events(history).values()] == [
        datetime(2016, 1, 1, 10),
        datetime(2020, 1, 1, 10),
        datetime(2020, 1, 1, 10),
    ]
    assert history.report.dropped == 1


def test_a_history_of_podcasts_alone_is_told_so(tmp_path: Path) -> None:
    told = [{"endTime": "2020-01-01 10:00", "podcastName": "P", "episodeName": "E", "msPlayed": 1}]
    path = tmp_path / "StreamingHistory_podcast_0.json"
    path.write_text(json.dumps(told))
    with pytest.raises(InputError, match="it holds only episodes of podcasts"):
        SpotifySource().read(path, load_domain("music"), "anna")


EXTENDED_TABLE = (
    "ts,ms_played,conn_country,ip_addr,master_metadata_track_name,"
    "master_metadata_album_artist_name,master_metadata_album_album_name,episode_name,reason_end\n"
    "2021-01-01T09:59:58Z,127000,DE,1.2.3.4,Intro,The xx,xx,,trackdone\n"
    "2021-01-02T09:59:58Z,100000,DE,1.2.3.4,Intro,alt-J,An Awesome Wave,,trackdone\n"
    "2021-01-03T09:59:58Z,900,DE,1.2.3.4,Hello,Adele,25,,fwdbtn\n"
    "2021-01-04T09:59:58Z,900000,DE,1.2.3.4,,,,Talk,trackdone\n"
)
CUT_TABLE = (
    "ts,platform,ms_played,track_name,artist_name,album_name\n"
    "2021-01-01 09:59:58,x,127000,Intro,The xx,xx\n"
    "2021-01-02 09:59:58,x,100000,Intro,alt-J,An Awesome Wave\n"
    "2021-01-03 09:59:58,x,900,Hello,Adele,25\n"
)


def read_table(path: Path, text: str) -> HistoryRows:
    path.write_text(text, encoding="utf-8")
    assert detect_kind(path) == "spotify"
    return SpotifySource().read(path, load_domain("music"), "anna")


@pytest.mark.parametrize("table", [EXTENDED_TABLE, CUT_TABLE, CUT_TABLE.replace(",", ";")])
def test_a_history_saved_as_a_table_says_the_same_as_json(tmp_path: Path, table: str) -> None:
    history = read_table(tmp_path / "streams.csv", table)
    assert events(history) == {
        "the-xx-intro": ("played", 1, datetime(2021, 1, 1, 9, 59, 58)),
        "alt-j-intro": ("played", 1, datetime(2021, 1, 2, 9, 59, 58)),
        "adele-hello": ("later", 1, datetime(2021, 1, 3, 9, 59, 58)),
    }
    assert [item.properties["creator"] for item in history.items] == ["The xx", "alt-J", "Adele"]
    assert history.report.apart == table.count("Talk")
    assert "1.2.3.4" not in repr(history)
    assert history.is_part


def test_a_table_of_streams_loses_only_its_bad_rows(tmp_path: Path) -> None:
    rows = "2021-01-05 10:00:00,x,,Run,Air,\n2021-01-05 10:00:00,x,99000,Run,,\n"
    history = read_table(tmp_path / "streams.csv", CUT_TABLE + rows)
    assert [(one.row, one.problem) for one in history.report.problems] == [
        (5, "does not say how long it was played"),
        (6, "has no artist"),
    ]


PLAYLIST = (
    '"Track URI","Track Name","Artist URI(s)","Artist Name(s)","Album Name","Added At"\n'
    '"spotify:track:1","Run","spotify:artist:1","Air","10 000 Hz","2021-01-01T10:00:00Z"\n'
    '"spotify:track:2","Duo","artist:2, artist:3","A, B","C","2021-01-02T10:00:00Z"\n'
    '"spotify:track:3","See","spotify:artist:4","Tyler, The Creator","D","2021-01-03T10:00:00Z"\n'
    '"spotify:track:1","Run","spotify:artist:1","Air","10 000 Hz","2021-01-04T10:00:00Z"\n'
)


@pytest.mark.parametrize(("name", "event"), [("roadtrip", "played"), ("liked_songs", "liked")])
def test_a_playlist_by_exportify_names_its_artists(tmp_path: Path, name: str, event: str) -> None:
    history = read_table(tmp_path / f"{name}.csv", PLAYLIST)
    artists = {item.name: item.properties["creator"] for item in history.items}
    assert artists == {"Run": "Air", "Duo": "A", "See": "Tyler, The Creator"}
    assert {row.event.value for row in history.interactions} == {event}
    duo = next(item for item in history.items if item.name == "Duo")
    assert [link.name for link in duo.links] == ["A", "B", "C"]
    assert (history.report.kept, history.report.merged) == (3, 1)

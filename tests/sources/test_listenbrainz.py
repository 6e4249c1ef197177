"""ListenBrainz's export: months of listens become plays per track, feedback becomes likes."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.domains import Domain
from localrec.data.rows import Event, HistoryRows, InteractionRow
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError, UsageError
from localrec.graph.domain_files import load_domain
from localrec.sources import detect_kind
from localrec.sources.listenbrainz import ListenBrainzSource
from localrec.sources.protocols import FilePreview
from tests.sources.zips import flipped, packed

SAMPLE = Path(__file__).parent / "samples" / "listenbrainz"
MONTH = "listens/2023/12.jsonl"
SINNERMAN = "nina-simone-sinnerman"
AT = 1_701_378_000


@pytest.fixture
def music() -> Domain:
    return load_domain("music")


def sample_files() -> dict[str, bytes]:
    files = (path for path in sorted(SAMPLE.rglob("*")) if path.is_file())
    return {path.relative_to(SAMPLE).as_posix(): path.read_bytes() for path in files}


def listen(at: Any = AT, artist: Any = "Air", track: Any = "La femme d'argent", **more: Any) -> str:
    metadata = {"artist_name": artist, "track_name": track, **more}
    return json.dumps({"listened_at": at, "track_metadata": metadata}) + "\n"


def zipped(folder: Path, files: dict[str, str | bytes]) -> Path:
    path = folder / "listenbrainz.zip"
    path.write_bytes(packed(files))
    return path


def read(path: Path, domain: Domain) -> HistoryRows:
    return ListenBrainzSource().read(path, domain, "anna")


def did(history: HistoryRows, key: str) -> dict[Event, InteractionRow]:
    return {row.event: row for row in history.interactions if row.item == key}


def told(history: HistoryRows) -> list[str]:
    return [
        f"{one.row} {one.column} {one.action}: {one.problem}" for one in history.report.problems
    ]


def test_archive_and_unpacked_folder_say_the_same(tmp_path: Path, music: Domain) -> None:
    from_folder = read(SAMPLE, music)
    from_zip = read(zipped(tmp_path, sample_files()), music)
    assert from_zip.items == from_folder.items
    assert from_zip.interactions == from_folder.interactions
    assert (from_zip.report.read, from_zip.report.kept, from_zip.report.merged) == (9, 8, 1)


def test_plays_are_counted_per_track_across_months_and_spellings(music: Domain) -> None:
    played = did(read(SAMPLE, music), SINNERMAN)[Event.PLAYED]
    assert (played.times, played.at) == (3, datetime(2024, 1, 2, 10))


def test_a_track_knows_artist_album_tags_and_recording(music: Domain) -> None:
    items = {item.key: item for item in read(SAMPLE, music).items}
    track = items[SINNERMAN]
    assert track.name == "Sinnerman"
    assert track.properties == {
        "creator": "Nina Simone",
        "description": "Sinnerman by Nina Simone, from Pastel Blues.",
        "description_source": "generated",
        "album": "Pastel Blues",
        "mbid": "22222222-2222-4222-8222-222222222222",
    }
    assert [(link.kind, link.name, link.personal) for link in track.links] == [
        ("artist", "Nina Simone", False),
        ("album", "Pastel Blues", False),
        ("tag", "jazz", True),
        ("tag", "live", True),
    ]


def test_a_joint_work_is_by_each_of_its_artists(music: Domain) -> None:
    items = {item.key: item for item in read(SAMPLE, music).items}
    links = items["queen-and-david-bowie-under-pressure"].links
    assert [link.name for link in links if link.kind == "artist"] == ["Queen", "David Bowie"]


def test_feedback_finds_its_track_by_id_or_by_name(music: Domain) -> None:
    history = read(SAMPLE, music)
    assert did(history, "sigur-ros-hoppipolla")[Event.DISLIKED].at == datetime(2024, 1, 2, 12, 55)
    assert set(did(history, "portishead-roads")) == {Event.LIKED}
    assert Event.LIKED in did(history, SINNERMAN)


def test_a_pin_lends_its_words_to_the_like(music: Domain) -> None:
    liked = did(read(SAMPLE, music), SINNERMAN)[Event.LIKED]
    assert liked.note == "Ten minutes well spent."
    assert liked.at == datetime(2024, 1, 2, 12, 53, 20)


def test_the_newest_feedback_counts(tmp_path: Path, music: Domain) -> None:
    names = {"artist_name": "Air", "track_name": "La femme d'argent"}
    lines = "".join(
        json.dumps({"score": score, "created": AT + at, "track_metadata": names}) + "\n"
        for score, at in ((1, 0), (-1, 20), (1, 10))
    )
    history = read(zipped(tmp_path, {"feedback.jsonl": lines}), music)
    assert [row.event for row in history.interactions] == [Event.DISLIKED]


def test_files_without_a_byte_are_files_without_a_line(tmp_path: Path, music: Domain) -> None:
    files: dict[str, str | bytes] = {MONTH: listen(), "feedback.jsonl": ""}
    assert len(read(zipped(tmp_path, files), music).items) == 1


def test_it_is_recognised_by_its_months() -> None:
    source = ListenBrainzSource()
    assert source.recognises(FilePreview("x.zip", ("user.json", "x/listens/2023/1.jsonl")))
    assert not source.recognises(FilePreview("x.zip", ("ratings.csv", "watched.csv")))


@pytest.mark.parametrize(
    "written",
    ["{0}{1}", "[{0},{1}]", '{{"payload": {{"count": 2, "listens": [{0},{1}]}}}}'],
    ids=["lines", "list", "answer"],
)
def test_a_file_of_listens_is_read_by_itself(tmp_path: Path, music: Domain, written: str) -> None:
    path = tmp_path / "listens.json"
    path.write_text(written.format(listen(artist="The xx", track="Intro"), listen(track="Intro")))
    assert detect_kind(path) == "listenbrainz"
    history = read(path, music)
    assert {item.key: item.properties["creator"] for item in history.items} == {
        "the-xx-intro": "The xx",
        "air-intro": "Air",
    }
    assert [row.event for row in history.interactions] == [Event.PLAYED] * 2
    assert history.is_part


def test_an_answer_with_a_listen_of_another_shape_loses_it_alone(
    tmp_path: Path, music: Domain
) -> None:
    path = tmp_path / "listens.json"
    path.write_text(f'[{listen()}, {{"listened_at": "x", "track_metadata": 1}}]')
    history = read(path, music)
    assert (history.report.kept, history.report.dropped) == (1, 1)


def test_an_export_without_a_person_asks_for_one(music: Domain) -> None:
    with pytest.raises(UsageError, match=r"does not say whose it is\. Name the person with --user"):
        ListenBrainzSource().read(SAMPLE, music, " ")


AGAIN = "Download the export again."
REFUSED: dict[str, tuple[bytes, str]] = {
    "truncated zip": (
        packed({MONTH: listen()})[:-40],
        "{path} is a damaged zip archive: its table of contents is missing or broken. "
        "It was probably cut short on the way; download it again.",
    ),
    "an empty file": (b"", "{path} is empty. Export it again."),
    "a pickle": (
        b"\x80\x04cos\nsystem\n(S'true'\ntR.",
        "{path} is a Python pickle, not an export in a zip archive. "
        "Name the archive as it was downloaded, or the folder it was unpacked to.",
    ),
    "a pickle inside": (
        packed({MONTH: b"\x80\x04cos\nsystem\n(S'true'\ntR."}),
        "{path}/" + MONTH + " is a Python pickle, not lines of JSON. "
        "Name the JSON file as it was exported or downloaded.",
    ),
    "another export": (
        packed({"watched.csv": "Name\n", "ratings.csv": "Name\n"}),
        "{path} is not a ListenBrainz export: it looks like a Letterboxd export. "
        "Name the archive as it was downloaded, or the kind that it is.",
    ),
    "a path upwards": (
        packed({MONTH: listen(), "listens/../../x.jsonl": "x"}),
        "{path} cannot be trusted: 'listens/../../x.jsonl' in it is a path that leads elsewhere. "
        "No service makes such an archive: download the export from the service itself.",
    ),
    "a bomb": (
        packed({MONTH: b"a" * (40 << 20)}),
        "{path} cannot be trusted: '" + MONTH + "' in it unpacks to more than the 16,777,216 bytes "
        "allowed. No service makes such an archive: download the export from the service itself.",
    ),
    "no JSON": (
        packed({MONTH: listen() + "artist,track\n"}),
        "{path}/" + MONTH + ", line 2: this is no JSON: JSON is malformed: invalid character "
        "(byte 0). " + AGAIN,
    ),
    "a line cut short": (
        packed({MONTH: listen() + listen()[:40]}),
        "{path}/" + MONTH + ", line 2: this is no JSON: Input data was truncated. " + AGAIN,
    ),
    "mixed encodings": (
        packed({MONTH: listen().encode() + listen(track="XY").encode().replace(b"XY", b"\xe9")}),
        "{path}/" + MONTH + ", line 2: this is no JSON: byte 85 is not UTF-8. " + AGAIN,
    ),
    "NUL bytes": (
        packed({MONTH: listen() + "\0\0\n"}),
        "{path}/" + MONTH + ", line 2: this is no JSON: JSON is malformed: invalid character "
        "(byte 0). " + AGAIN,
    ),
    "no track at all": (
        packed({MONTH: listen(track="")}),
        "{path} holds no track that can be kept: row 1 has no title. "
        "Export it again, once there is a listen to export.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_export_is_refused_with_its_message(tmp_path: Path, music: Domain, case: str) -> None:
    content, message = REFUSED[case]
    path = tmp_path / "listenbrainz.zip"
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        read(path, music)
    assert str(refused.value) == message.format(path=path)


def test_a_line_without_an_end_is_stopped(tmp_path: Path, music: Domain) -> None:
    path = zipped(tmp_path, {MONTH: "x" * 5000})
    with pytest.raises(InputError, match="has a line longer than 4,000 bytes"):
        ListenBrainzSource(FileLimits(row_chars=4_000)).read(path, music, "anna")


ROWS: dict[str, tuple[str, str, str]] = {
    "no artist": (MONTH, listen(artist=""), f"2 {MONTH} dropped: has no artist"),
    "a title of nothing visible": (
        MONTH,
        listen(track="\u200b"),
        f"2 {MONTH} dropped: has no title",
    ),
    "a title that is no text": (
        MONTH,
        listen(track=7),
        f"2 {MONTH} dropped: cannot be used: Expected `str`, got `int` - at "
        "`$.track_metadata.track_name`",
    ),
    "a missing column": (
        MONTH,
        '{"listened_at": 1701378000}\n',
        f"2 {MONTH} dropped: cannot be used: Object missing required field `track_metadata`",
    ),
    "a time in the future": (
        MONTH,
        listen(32_503_680_000),
        f"2 {MONTH}: listened_at repaired: the time is in the future; counted without it",
    ),
    "a time before listening was written down": (
        MONTH,
        listen(0),
        f"2 {MONTH}: listened_at repaired: the time is before 2002; counted without it",
    ),
    "no time": (
        MONTH,
        listen(None),
        f"2 {MONTH}: listened_at repaired: the time is missing; counted without it",
    ),
    "duplicate rows": (
        MONTH,
        listen(AT - 60, "Nina Simone", "Sinnerman"),
        f"2 {MONTH} merged: is the same listen as an earlier one: Nina Simone - Sinnerman",
    ),
    "a score of 11": (
        "feedback.jsonl",
        '{"score": 11, "recording_mbid": "x"}\n',
        "1 feedback.jsonl: score dropped: 11 is neither 1 nor -1",
    ),
    "feedback about nothing": (
        "feedback.jsonl",
        '{"score": 1, "recording_mbid": "x"}\n',
        "1 feedback.jsonl dropped: names a recording that no listen tells of",
    ),
    "feedback from the future": (
        "feedback.jsonl",
        json.dumps(
            {
                "score": 1,
                "created": 32_503_680_000,
                "track_metadata": {"artist_name": "a", "track_name": "b"},
            }
        )
        + "\n",
        "1 feedback.jsonl: created repaired: the time is in the future; left out",
    ),
}


@pytest.mark.parametrize("case", ROWS)
def test_a_bad_line_costs_or_mends_that_line_alone(
    tmp_path: Path, music: Domain, case: str
) -> None:
    name, line, problem = ROWS[case]
    files: dict[str, str | bytes] = {MONTH: listen(AT - 60, "Nina Simone", "Sinnerman")}
    files[name] = (str(files[MONTH]) if name == MONTH else "") + line
    history = read(zipped(tmp_path, files), music)
    assert told(history) == [problem]
    assert did(history, SINNERMAN)[Event.PLAYED].times == 1
    assert history.report.read == 2


def test_a_listen_at_an_impossible_time_still_counts(tmp_path: Path, music: Domain) -> None:
    history = read(zipped(tmp_path, {MONTH: listen() + listen(0) + listen(0)}), music)
    assert [(row.times, row.at) for row in history.interactions] == [
        (3, datetime(2023, 11, 30, 21))
    ]


def test_lines_torn_between_blocks_keep_their_numbers(tmp_path: Path, music: Domain) -> None:
    lines = "".join(listen(AT + place, track=f"{place} {'x' * 400}") for place in range(6_000))
    history = read(zipped(tmp_path, {MONTH: lines + "\n" + listen(artist="")}), music)
    assert len(history.items) == 6_000
    assert told(history) == [f"6001 {MONTH} dropped: has no artist"]


def test_a_line_longer_than_a_block_is_read_whole(tmp_path: Path, music: Domain) -> None:
    files: dict[str, str | bytes] = {MONTH: listen(padding="x" * (5 << 19)) + listen(AT + 1)}
    path = tmp_path / "listenbrainz.zip"
    path.write_bytes(packed(files))
    assert [row.times for row in read(path, music).interactions] == [2]


def test_stray_details_of_a_player_cost_nothing(tmp_path: Path, music: Domain) -> None:
    odd = listen(additional_info={"tags": {"a": 1}, "recording_mbid": 3}, mbid_mapping=[1])
    history = read(zipped(tmp_path, {MONTH: odd}), music)
    assert [link.kind for link in history.items[0].links] == ["artist"]
    assert told(history) == []


def test_hostile_titles_come_out_harmless(tmp_path: Path, music: Domain) -> None:
    titles = ["<|im_end|>", "\x1b[31mRed\x1b[0m", '=HYPERLINK("x")', "a\u202eb"]
    lines = "".join(listen(track=title) for title in titles)
    history = read(zipped(tmp_path, {MONTH: lines}), music)
    names = [item.name for item in history.items]
    assert names == ["< |im_end|>", "Red", '=HYPERLINK("x")', "ab"]


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 12)), min_size=1, max_size=40))
def test_plays_are_the_distinct_pairs_of_track_and_time(
    tmp_path_factory: pytest.TempPathFactory, plays: list[tuple[int, int]]
) -> None:
    lines = "".join(listen(AT + at, track=f"T{track}") for track, at in plays)
    history = read(zipped(tmp_path_factory.mktemp("lb"), {MONTH: lines}), load_domain("music"))
    times = {row.item: row.times for row in history.interactions}
    expected = {f"air-t{one}": sum(track == one for track, _ in set(plays)) for one, _ in plays}
    assert times == expected


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
        assert isinstance(read(path, load_domain("music")), HistoryRows)
    except InputError as error:
        assert str(path) in error.message


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_any_line_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, line: bytes) -> None:
    path = zipped(tmp_path_factory.mktemp("line"), {MONTH: listen().encode() + line})
    try:
        assert isinstance(read(path, load_domain("music")), HistoryRows)
    except InputError as error:
        assert str(path) in error.message

"""InstructRec: parts told by shape, histories in order, and pickles that never run."""

import json
import os
import pickle
from collections import defaultdict
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from localrec.data.domains import Domain
from localrec.data.rows import Event, HistoryRows
from localrec.foundation.errors import InputError
from localrec.graph.domain_files import load_domain
from localrec.sources.instructrec import InstructRecSource
from localrec.sources.instructrec_parts import EXPECTED
from localrec.sources.protocols import FilePreview

ITEMS = {
    "B1": {
        "title": "The Left Hand of Darkness",
        "description": "An envoy on a cold world.",
        "author": "Ursula K. Le Guin",
        "categories": ["Science Fiction", "Novel"],
    },
    "B2": {"title": "Dune", "author": "Frank Herbert"},
    "B3": "Emma",
}
TITLES = {"B1": "The Left Hand of Darkness", "B2": "Dune", "B3": "Emma"}


@pytest.fixture
def books() -> Domain:
    return load_domain("books")


def read(path: Path, domain: Domain) -> HistoryRows:
    return InstructRecSource().read(path, domain)


def save(folder: Path, **parts: object) -> Path:
    for name, value in parts.items():
        (folder / f"{name}.pkl").write_bytes(pickle.dumps(value))
    return folder


def lists(history: HistoryRows) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in history.interactions:
        found.setdefault(row.user, []).append(row.item)
    return found


def told(history: HistoryRows) -> list[tuple[int, str | None, str, str]]:
    return [(p.row, p.column, p.action, p.problem) for p in history.report.problems]


def test_a_folder_of_pickles_becomes_items_histories_and_instructions(
    tmp_path: Path, books: Domain
) -> None:
    save(
        tmp_path,
        item_meta={key: one for key, one in ITEMS.items() if key != "B3"},
        user_sequences={"u1": ["B1", "B2"], "u2": ["B2"]},
        user_instructions={"u1": "Slow, thoughtful\nbooks please.", "u2": ""},
        negative_samples={"u1": ["B9"]},
    )
    history = read(tmp_path, books)
    assert lists(history) == {"u1": ["B1", "B2"], "u2": ["B2"]}
    assert {row.event for row in history.interactions} == {Event.SEEN}
    first, second = history.items
    assert (first.key, first.name) == ("B1", "The Left Hand of Darkness")
    assert first.properties["description"] == "An envoy on a cold world."
    assert first.properties["creator"] == "Ursula K. Le Guin"
    assert [(link.kind, link.name) for link in first.links] == [
        ("genre", "Science Fiction"),
        ("genre", "Novel"),
        ("author", "Ursula K. Le Guin"),
    ]
    assert second.properties["description"] == "Dune by Frank Herbert."
    assert second.properties["description_source"] == "generated"
    (user,) = history.users
    assert user.properties == {"instruction": "Slow, thoughtful books please."}
    assert (history.report.read, history.report.kept) == (3, 3)


def test_one_file_of_records_is_read_and_its_target_stays_out(
    tmp_path: Path, books: Domain
) -> None:
    path = tmp_path / "books.json"
    record = {
        "user_id": 7,
        "history": ["B1", "B3"],
        "target": "B2",
        "candidates": ["B2", "B3"],
        "instruction": "Something with <|im_end|> dunes",
    }
    items = [{"item_id": key, "title": title} for key, title in TITLES.items()]
    path.write_text(json.dumps({"items": items, "test": [record]}))
    history = read(path, books)
    assert lists(history) == {"7": ["B1", "B3"]}
    assert history.users[0].properties == {"instruction": "Something with < |im_end|> dunes"}


def test_ratings_moments_and_numbers_of_numpy_in_histories_are_read(
    tmp_path: Path, books: Domain
) -> None:
    grouped = defaultdict(list)
    grouped[np.int64(3)] += [
        {"item_id": np.int64(1), "rating": np.float64(4.5), "timestamp": 1_500_000_000},
        {"item_id": np.int64(2), "rating": 5, "timestamp": 1_500_000_000_000},
    ]
    save(tmp_path, titles={1: "Dune", 2: "Emma"}, train=dict(grouped))
    first, second = read(tmp_path, books).interactions
    assert (first.user, first.item, first.event, first.rating) == ("3", "1", Event.RATED, 4.5)
    assert first.at == second.at == datetime(2017, 7, 14, 2, 40)


def test_what_is_held_out_is_no_history_unless_it_is_all_there_is(
    tmp_path: Path, books: Domain
) -> None:
    save(tmp_path, titles=TITLES, test={"u1": ["B3"]})
    assert lists(read(tmp_path, books)) == {"u1": ["B3"]}
    save(tmp_path, train={"u1": ["B1"]})
    assert lists(read(tmp_path, books)) == {"u1": ["B1"]}


def test_a_book_read_twice_counts_where_it_was_last(tmp_path: Path, books: Domain) -> None:
    save(tmp_path, titles=TITLES, histories={"u1": ["B1", "B2", "B1"]})
    history = read(tmp_path, books)
    assert lists(history) == {"u1": ["B2", "B1"]}
    assert told(history) == [(1, None, "merged", "(B1) comes again for u1")]
    assert history.report.read == 3


BAD_ROWS = {
    "an unknown item": (["B9"], (2, "item", "dropped", "(B9) is none of the items")),
    "no item": ([None], (2, "item", "dropped", "() is none of the items")),
    "a list in a list": ([["B1"]], (2, "item", "dropped", "() is none of the items")),
    "a rating of 11": (
        [{"item": "B1", "rating": 11}],
        (2, "rating", "repaired", "'11' is no rating from 0.5 to 5; left out"),
    ),
    "a rating in words": (
        [{"item": "B1", "rating": "good \x1b[31m"}],
        (2, "rating", "repaired", "'good' is no rating from 0.5 to 5; left out"),
    ),
    "the future": (
        [{"item": "B1", "time": 4_000_000_000}],
        (2, "time", "dropped", "2096-10-02 07:06:40 is in the future"),
    ),
    "a moment in words": (
        [{"item": "B1", "time": "soon"}],
        (2, "time", "repaired", "'soon' is no moment; left out"),
    ),
    "a moment beyond all": (
        [{"item": "B1", "time": float("inf")}],
        (2, "time", "repaired", "'inf' is no moment; left out"),
    ),
}


@pytest.mark.parametrize("name", BAD_ROWS)
def test_a_bad_entry_of_a_history_costs_that_entry(
    tmp_path: Path, books: Domain, name: str
) -> None:
    entries, line = BAD_ROWS[name]
    save(tmp_path, titles=TITLES, histories={"u1": ["B2", *entries]})
    history = read(tmp_path, books)
    assert told(history) == [line]
    assert history.interactions[0].item == "B2"


def test_items_without_id_or_title_are_said(tmp_path: Path, books: Domain) -> None:
    save(
        tmp_path,
        titles={"": "Nothing", "B1": "Dune", "B2": "\x1b[2J", "B4": "=HYPERLINK(1)"},
        histories={"u1": ["B1"]},
    )
    history = read(tmp_path, books)
    assert [item.name for item in history.items] == ["Dune", "B2", "=HYPERLINK(1)"]
    assert [problem[1:] for problem in told(history)] == [
        ("item", "dropped", "of the items has no id"),
        ("title", "repaired", "of the items is empty; the item is called B2"),
    ]


class _Trap:
    def __init__(self, command: str) -> None:
        self._command = command

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (self._command,)


AS_JSON = "Get it as JSON, or load it where you trust it and save it as JSON."
BAD_FILES: dict[str, tuple[str, bytes, str]] = {
    "empty": ("a.pkl", b"", "{path} is empty. Export it again."),
    "noise": (
        "a.pkl",
        b"\x00\x01\x02",
        "{path}, byte 0: this is no whole pickle. Get the file again.",
    ),
    "truncated": (
        "a.pkl",
        pickle.dumps(TITLES)[:40],
        "{path}, byte 18: this is no whole pickle. Get the file again.",
    ),
    "code": (
        "a.pkl",
        pickle.dumps({"u1": _Trap("touch it-ran")}),
        "{path}, byte 35: the pickle is refused: it names 'posix.system', which loading it would "
        f"import and could run. {AS_JSON}",
    ),
    "an array": (
        "a.pkl",
        pickle.dumps(np.zeros(3)),
        "{path}, byte 51: the pickle is refused: it names 'numpy._core.multiarray._reconstruct', "
        f"which loading it would import and could run. {AS_JSON}",
    ),
    "no histories": ("a.pkl", pickle.dumps(TITLES), f"{{path}} holds no histories. {EXPECTED}"),
    "no items": (
        "a.pkl",
        pickle.dumps({"u1": ["B1"]}),
        f"{{path}} holds no items, only their ids. {EXPECTED}",
    ),
    "scores": (
        "a.json",
        b'{"u1": 0.5}',
        f"{{path}} holds a dict of str to float, which is no part of it. {EXPECTED}",
    ),
    "a number": (
        "a.json",
        b"5",
        f"{{path}} holds a int, which is no part of it. {EXPECTED}",
    ),
    "an entry": (
        "a.json",
        b'{"items": {"B1": "Dune"}, "histories": [["u1", "B1"]]}',
        f"{{path}}, entry 'histories', holds a list of list, which is no part of it. {EXPECTED}",
    ),
    "an empty list": (
        "a.json",
        b"[]",
        f"{{path}} holds an empty list, which is no part of it. {EXPECTED}",
    ),
    "strangers only": (
        "a.json",
        b'{"items": {"B1": "Dune"}, "histories": {"u1": ["../../x"]}}',
        "{path} holds no history that can be kept: row 1 (../../x) is none of the items. "
        + EXPECTED,
    ),
    "no JSON": (
        "a.json",
        b"{'u1': []}",
        "{path} is not the JSON that is expected here: there is a fault at byte 1. "
        "Export it again.",
    ),
    "a zip": (
        "a.json",
        b"PK\x03\x04\x14\0",
        "{path} is a zip archive, not JSON. Name the JSON file as it was exported or downloaded.",
    ),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_refused_with_its_message(
    tmp_path: Path, books: Domain, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file, content, message = BAD_FILES[name]
    path = tmp_path / file
    path.write_bytes(content)
    with pytest.raises(InputError) as refused:
        read(path, books)
    assert str(refused.value) == message.replace("{path}", str(path))
    assert not (tmp_path / "it-ran").exists()


def test_a_folder_of_all_domains_is_refused_with_their_names(tmp_path: Path, books: Domain) -> None:
    for name in ("Books", "Yelp"):
        (tmp_path / name).mkdir()
    with pytest.raises(InputError) as refused:
        read(tmp_path, books)
    assert str(refused.value) == (
        f"{tmp_path} holds no pickle and no JSON. Name the folder of one domain: Books, Yelp."
    )


def test_detection_goes_by_names() -> None:
    source = InstructRecSource()
    assert source.recognises(FilePreview("books", ("books/item.pkl",)))
    assert source.recognises(FilePreview("books", ("user_instructions.json", "x.json")))
    assert not source.recognises(FilePreview("drinks.json", (), '{"drinks": []}'))

"""Files of one export that come in one after another take nothing away from each other."""

from __future__ import annotations

from datetime import datetime
from itertools import permutations
from pathlib import Path

import pytest

from localrec.data.rows import Event, ImportReport, InteractionRow
from localrec.graph.history_ingest import ingest_history
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from tests.graph.test_histories import history
from tests.planted import BAR, a_report, planted_rows

DAY = datetime(2024, 5, 1)


@pytest.fixture
def store(tmp_path):
    with Store.open_(tmp_path / "graph.duckdb") as opened:
        ingest_items(opened, BAR, planted_rows(), a_report())
        yield opened


def row(event: Event, item: str = "negroni", **more) -> InteractionRow:
    return InteractionRow(user="anna", item=item, event=event, **more)


RATED = row(Event.RATED, rating=4.5, at=DAY, note="Bitter.")
SEEN = row(Event.SEEN, at=datetime(2024, 6, 1))
WANTED = row(Event.WANTED, at=datetime(2023, 1, 1))
LIKED = row(Event.LIKED)


def bring(store: Store, *rows: InteractionRow, source: str = "letterboxd") -> ImportReport:
    told = history(rows, source=source)
    return ingest_history(store, BAR, told.as_part(), by="anna")


def stored(store: Store) -> list[tuple]:
    return store.rows(
        'SELECT event, rating, "at", times, note FROM interaction x JOIN node i '
        "ON i.node_id = x.item_id WHERE i.key = 'negroni' ORDER BY event::VARCHAR"
    )


def test_a_list_of_what_was_seen_takes_no_rating_away(store):
    bring(store, RATED)
    bring(store, SEEN)
    assert stored(store) == [("rated", 4.5, DAY, 1, "Bitter.")]


def test_that_it_was_seen_again_is_counted_and_told(store):
    bring(store, RATED)
    report = bring(store, row(Event.SEEN, times=3), row(Event.SEEN, item="mojito"))
    assert [times for event, _, _, times, _ in stored(store) if event == "rated"] == [3]
    assert (report.kept, report.merged) == (1, 1)
    assert report.notes == (
        "1 row only says that an item was met, of which this source told a rating before: "
        "the rating stays.",
    )


@pytest.mark.parametrize("order", list(permutations((RATED, SEEN, LIKED))))
def test_the_order_of_the_files_does_not_matter(store, order):
    for one in order:
        bring(store, one)
    events = [event for event, *_ in stored(store)]
    assert "rated" in events and "liked" in events and "wanted" not in events
    assert ("rated", 4.5, DAY, 1, "Bitter.") in stored(store)


def test_what_was_wanted_goes_once_it_was_met(store):
    bring(store, WANTED)
    bring(store, SEEN)
    assert [event for event, *_ in stored(store)] == ["seen"]


def test_what_one_export_says_together_stays_together(store):
    for _ in range(2):
        bring(store, RATED, LIKED, WANTED)
    assert [event for event, *_ in stored(store)] == ["liked", "rated", "wanted"]


def test_a_new_rating_replaces_and_keeps_the_words_and_the_day(store):
    bring(store, RATED)
    bring(store, row(Event.RATED, rating=2.0))
    assert stored(store) == [("rated", 2.0, DAY, 1, "Bitter.")]


def test_the_words_of_a_refusal_are_no_words_of_praise(store):
    bring(store, row(Event.DISLIKED, note="Never again."))
    bring(store, row(Event.RATED, rating=4.0))
    assert stored(store) == [("rated", 4.0, None, 1, None)]


def test_a_refusal_replaces_every_other_word(store):
    bring(store, RATED, LIKED, WANTED)
    bring(store, row(Event.ABANDONED))
    assert [event for event, *_ in stored(store)] == ["abandoned"]


def test_plays_keep_the_greater_count_and_the_later_moment(store):
    bring(store, row(Event.PLAYED, times=7, at=DAY))
    bring(store, row(Event.PLAYED, times=3, at=datetime(2022, 1, 1)))
    assert stored(store) == [("played", None, DAY, 7, None)]


def test_a_whole_export_says_anew_what_it_said_of_an_item(store):
    bring(store, RATED, LIKED)
    ingest_history(store, BAR, history([SEEN], source="letterboxd"), by="anna")
    assert stored(store) == [("seen", None, SEEN.at, 1, None)]


def test_what_another_source_said_stays(store):
    bring(store, RATED, source="imdb")
    bring(store, SEEN)
    assert [event for event, *_ in stored(store)] == ["rated", "seen"]


def test_single_lists_of_letterboxd_come_to_what_the_archive_comes_to(cli, tmp_path):
    samples = Path(__file__).parents[1] / "sources" / "samples" / "letterboxd"
    for name in ("ratings", "likes/films", "watchlist", "watched"):
        done = cli("import", "letterboxd", samples / f"{name}.csv", "--user", "anna",
                   "--workspace", tmp_path / "one")  # fmt: skip
        assert done.code == 0, done.err
    assert cli("import", "letterboxd", samples, "--user", "anna",
               "--workspace", tmp_path / "whole").code == 0  # fmt: skip

    def verdicts(folder: Path) -> list[tuple]:
        with Store.open_(folder / "store.duckdb") as opened:
            return opened.rows(
                "SELECT n.key, x.event, x.rating FROM interaction x JOIN node n "
                "ON n.node_id = x.item_id WHERE event IN ('rated', 'liked') ORDER BY ALL"
            )

    rated = {(key, event) for key, event, _ in verdicts(tmp_path / "one")}
    assert rated and rated <= {(key, event) for key, event, _ in verdicts(tmp_path / "whole")}

"""The audience is what a count of the store gives, however it is kept, cut short or drifted."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime, timedelta

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data import interaction_matrix
from localrec.data.rows import Event, HistoryRows, InteractionRow
from localrec.graph.catalogue import Catalogue
from localrec.graph.history_ingest import ingest_history
from localrec.graph.interactions import store_feedback, undo_feedback
from localrec.graph.store import Store
from localrec.index import interaction_cache as module
from localrec.index.interaction_cache import open_interaction_matrix
from tests.planted import BAR, a_report, planted_rows, planted_store

KEYS = tuple(row.key for row in planted_rows())[:6]
DAY = datetime(2025, 1, 1)


@pytest.fixture
def bar(tmp_path):
    with planted_store(tmp_path) as store:
        yield store


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "indexes"


def did(user, item, event=Event.RATED, rating=None, at=None):
    return InteractionRow(user=user, item=item, event=event, rating=rating, at=at)


def bring(store, rows, source="planted", domain=BAR):
    report = msgspec.structs.replace(a_report(len(rows)), source=source)
    ingest_history(
        store, domain, HistoryRows(items=(), interactions=tuple(rows), report=report), None
    )


def clear(store):
    for table in ("interaction", "import_receipt"):
        store.execute(f"DELETE FROM {table}")


def opened(store, folder):
    return open_interaction_matrix(store, folder, Catalogue(store, BAR))


def liked_pairs(audience, keys):
    """(person, item key) as both lists tell it; they must agree."""
    by_user = {
        (user, keys[item])
        for user in range(audience.user_count)
        for item in audience.items_of(user)
    }
    by_item = {
        (int(user), keys[item]) for item in range(len(keys)) for user in audience.users_of(item)
    }
    assert by_user == by_item
    assert len(by_user) == len(audience.items)
    return by_user


def same(one, other):
    names = ("items", "first_item", "users", "first_user")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


class TestWhoLikedWhat:
    @pytest.mark.parametrize(
        ("rows", "likes"),
        [
            ([did("a", "negroni", rating=4.0)], 1),
            ([did("a", "negroni", rating=3.5)], 0),
            ([did("a", "negroni", Event.LIKED)], 1),
            ([did("a", "negroni", Event.SEEN)], 1),
            ([did("a", "negroni", Event.PLAYED)], 1),
            ([did("a", "negroni", Event.WANTED)], 0),
            ([did("a", "negroni", Event.LATER)], 0),
            ([did("a", "negroni", Event.DISLIKED)], 0),
            ([did("a", "negroni", rating=5.0), did("a", "negroni", Event.LIKED)], 1),
            ([did("a", "negroni", Event.SEEN), did("a", "negroni", rating=1.0)], 0),
            ([did("a", "negroni", Event.PLAYED), did("a", "negroni", Event.DISLIKED)], 0),
            ([did("a", "negroni", Event.SEEN), did("b", "negroni", rating=1.0)], 1),
        ],
    )
    def test_is_a_good_rating_a_liking_or_having_had_it_unjudged(self, bar, folder, rows, likes):
        bring(bar, rows)
        audience = opened(bar, folder)
        assert audience.likes[Catalogue(bar, BAR).item_index("negroni")] == likes

    def test_is_forgotten_when_feedback_says_otherwise_and_back_after_undo(self, bar, folder):
        bring(bar, [did("a", "negroni", rating=5.0, at=DAY), did("a", "mojito", rating=5.0)])
        catalogue = Catalogue(bar, BAR)
        for key in ("negroni", "mojito"):
            item = int(catalogue.node_ids[catalogue.item_index(key)])
            store_feedback(bar, BAR.name, "a", item, Event.DISLIKED)
        assert opened(bar, folder / "now").user_count == 0
        undo_feedback(bar, BAR.name, "a")
        assert opened(bar, folder / "then").user_count == 1

    def test_does_not_count_an_older_word_against_a_newer_one(self, bar, folder):
        item = int(Catalogue(bar, BAR).node_ids[0])
        store_feedback(bar, BAR.name, "a", item, Event.DISLIKED)
        tomorrow = datetime.now() + timedelta(days=1)
        bring(bar, [did("a", "negroni", rating=5.0, at=tomorrow)])
        assert opened(bar, folder).user_count == 1

    def test_does_not_mix_domains(self, bar, folder):
        films = msgspec.structs.replace(BAR, name="films")
        bar.execute(
            "INSERT INTO node SELECT nextval('node_ids'), 'films', kind, key, name, properties "
            "FROM node WHERE kind = 'cocktail'"
        )
        bring(bar, [did("a", "negroni", rating=5.0)], domain=films)
        bring(bar, [did("b", "mojito", rating=5.0)])
        keys = Catalogue(bar, BAR).keys
        assert liked_pairs(opened(bar, folder), keys) == {(0, "mojito")}
        assert open_interaction_matrix(bar, folder, Catalogue(bar, films)).likes.sum() == 1


INTERACTIONS = st.lists(
    st.tuples(
        st.sampled_from("abcdefgh"),
        st.sampled_from(KEYS),
        st.sampled_from(["seen", "played", "wanted", "liked", 1.0, 3.5, 4.0, 5.0]),
    ),
    max_size=40,
)


def counted(interactions):
    """Pairs that a plain reading of the rule gives."""
    liked = set()
    for user in {user for user, *_ in interactions}:
        for key in KEYS:
            said = [what for who, item, what in interactions if (who, item) == (user, key)]
            rated = [what for what in said if isinstance(what, float)]
            met = "seen" in said or "played" in said
            against = any(one < 4 for one in rated)
            if "liked" in said or any(one >= 4 for one in rated) or (met and not against):
                liked.add((user, key))
    return liked


@pytest.fixture(scope="module")
def one_bar(tmp_path_factory):
    with planted_store(tmp_path_factory.mktemp("audience")) as store:
        yield store, Catalogue(store, BAR)


@settings(max_examples=40, deadline=None)
@given(interactions=INTERACTIONS)
def test_the_audience_is_a_plain_count(one_bar, tmp_path_factory, interactions):
    store, catalogue = one_bar
    clear(store)
    events = {what: what for what in ("seen", "played", "wanted", "liked")}
    rows = [
        did(user, key, Event(what))
        if what in events
        else did(user, key, Event.RATED, rating=float(what))
        for user, key, what in interactions
    ]
    bring(store, rows)
    audience = open_interaction_matrix(store, tmp_path_factory.mktemp("indexes"), catalogue)
    expected = counted(interactions)
    pairs = liked_pairs(audience, catalogue.keys)
    assert len(pairs) == len(expected)
    fans = {key: {user for user, item in expected if item == key} for key in KEYS}
    for key in KEYS:
        item = catalogue.item_index(key)
        assert audience.likes[item] == len(fans[key])
        together, asked = audience.liked_with(item)
        assert asked == len(fans[key])
        for other in KEYS:
            both = len(fans[key] & fans[other])
            assert together[catalogue.item_index(other)] == both
    assert audience.user_count == len({user for user, _ in expected})


class TestASample:
    @pytest.fixture
    def crowd(self, bar, folder, monkeypatch):
        monkeypatch.setattr(interaction_matrix, "SAMPLE", 50)
        rows = []
        for number in range(400):
            rows.append(did(f"p{number}", "negroni", rating=5.0))
            if number % 4 == 0:
                rows.append(did(f"p{number}", "mojito", rating=5.0))
        bring(bar, rows)
        return bar, folder

    def test_is_asked_where_many_liked_an_item(self, crowd):
        audience, catalogue = opened(*crowd), Catalogue(crowd[0], BAR)
        counts, asked = audience.liked_with(catalogue.item_index("negroni"))
        assert asked == 50
        assert counts[catalogue.item_index("negroni")] == 50
        assert 5 <= counts[catalogue.item_index("mojito")] <= 25
        assert audience.likes[catalogue.item_index("negroni")] == 400

    def test_is_the_same_each_time(self, crowd):
        first, again = opened(*crowd), opened(*crowd)
        assert np.array_equal(first._liked_with(0)[0], first._liked_with(0)[0])
        assert np.array_equal(first.liked_with(0)[0], again.liked_with(0)[0])


class TestAnAudienceOfNobody:
    def test_is_no_error(self, bar, folder):
        for _ in range(2):  # counted, then from the cache
            audience = opened(bar, folder)
            assert audience.user_count == 0
            assert audience.likes.tolist() == [0] * 17
            counts, asked = audience.liked_with(3)
            assert (counts.sum(), asked) == (0, 0)

    def test_nor_is_one_of_no_items(self, folder, tmp_path):
        with Store.open_(tmp_path / "empty" / "store.duckdb") as store:
            for _ in range(2):
                audience = opened(store, folder)
                assert (audience.user_count, len(audience.likes)) == (0, 0)


class TestTheCache:
    @pytest.fixture
    def counts(self, monkeypatch):
        """How often the store was counted."""
        seen, count = [], module._count
        monkeypatch.setattr(module, "_count", lambda *given: seen.append(1) or count(*given))
        return seen

    @pytest.fixture
    def kept(self, bar, folder):
        rows = [did(f"p{n}", key, rating=5.0) for n in range(300) for key in KEYS[: 1 + n % 6]]
        bring(bar, rows)
        return opened(bar, folder)

    def test_answers_without_counting(self, bar, folder, kept, counts):
        assert same(opened(bar, folder), kept)
        assert counts == []

    def test_is_made_again_after_an_import(self, bar, folder, kept, counts):
        bring(bar, [did("new", "negroni", rating=5.0)])
        assert opened(bar, folder).user_count == kept.user_count + 1
        assert counts == [1]
        assert len(list(folder.glob("audience-*"))) == 7  # the old files are gone

    def test_tolerates_one_new_row_in_a_hundred_and_no_more(self, bar, folder, kept, counts):
        item = int(Catalogue(bar, BAR).node_ids[0])
        (before,) = bar.rows("SELECT count(*) FROM interaction")[0]
        for number in range(before // 100):
            store_feedback(bar, BAR.name, f"q{number}", item, Event.LIKED)
        assert same(opened(bar, folder), kept)
        assert counts == []
        store_feedback(bar, BAR.name, "one more", item, Event.LIKED)
        assert opened(bar, folder).user_count == kept.user_count + before // 100 + 1
        assert counts == [1]

    @pytest.mark.parametrize("kind", [".json", ".items.npy", ".first-item.npy", ".people.npy"])
    @pytest.mark.parametrize(
        "damage",
        [
            lambda told: told[: len(told) // 2],
            lambda told: b"",
            lambda told: bytes(range(256)) * 40,
            lambda told: told[:-9] + bytes([told[-9] ^ 1]) + told[-8:],
            None,
        ],
        ids=["cut short", "emptied", "noise", "one bit", "missing"],
    )
    def test_that_was_damaged_is_made_again(self, bar, folder, kept, counts, kind, damage):
        (path,) = folder.glob(f"audience-*{kind}")
        if damage is None:
            path.unlink()
        else:
            path.write_bytes(damage(path.read_bytes()))
        assert same(opened(bar, folder), kept)
        assert counts == [1]
        assert same(opened(bar, folder), kept)
        assert counts == [1]

    def test_that_cannot_be_written_is_done_without(self, bar, folder, counts):
        folder.write_text("not a folder")
        bring(bar, [did("a", "negroni", rating=5.0)])
        assert opened(bar, folder).user_count == 1

    @pytest.mark.parametrize("steps", range(7))
    def test_survives_a_kill_between_its_files(self, bar, folder, kept, steps, tmp_path):
        bring(bar, [did("new", "negroni", rating=5.0)])
        bar.close()
        code = (
            "import os, signal, sys\nfrom pathlib import Path\n"
            "from tests.index.test_audience import Store, opened\n"
            "left, replace = int(sys.argv[2]), Path.replace\n"
            "def die_or(self, target):\n"
            "    global left\n    left -= 1\n"
            "    if left < 0: os.kill(os.getpid(), signal.SIGKILL)\n"
            "    return replace(self, target)\n"
            "Path.replace = die_or\nfolder = Path(sys.argv[1])\n"
            "with Store.open_(folder / 'store.duckdb', read_only=True) as store:\n"
            "    opened(store, folder / 'indexes')\n"
        )
        died = subprocess.run([sys.executable, "-c", code, str(tmp_path), str(steps)], check=False)
        assert died.returncode == -9
        with Store.open_(tmp_path / "store.duckdb", read_only=True) as store:
            assert opened(store, folder).user_count == kept.user_count + 1
            assert opened(store, folder).user_count == kept.user_count + 1
        assert not list(folder.glob("*.tmp"))

"""What was learnt is kept whole or not at all, serves while it is about right, and is forgotten."""

from datetime import datetime, timedelta

import msgspec
import numpy as np
import pytest

from localrec.data.rows import Event, HistoryRows, InteractionRow, ItemRow
from localrec.graph.catalogue import Catalogue
from localrec.graph.history_ingest import ingest_history
from localrec.graph.interactions import store_feedback, user_node
from localrec.index import cached_artifact, vectors
from localrec.index.sequential import unit_directions
from localrec.index.sequential_cache import (
    SequentialArtifact,
    open_sequential,
    save_sequential,
    sequential_metadata,
)
from localrec.index.vectors import HnswIndex
from localrec.privacy.erasure_plan import ForgetScope
from localrec.privacy.forget import forget
from tests.planted import BAR, a_report, planted_rows, planted_store

from .test_sequential import attention_of

DRINKS = [row.key for row in planted_rows()]
PEOPLE = [f"guest {number}" for number in range(8)]
TASTED = 6  # drinks that each of them had
MET = len(DRINKS) - 2


def told(*rows, items=()):
    interactions = tuple(
        InteractionRow(
            user=user, item=item, event=Event.LIKED, at=datetime(2024, 5, 1) + timedelta(days=day)
        )
        for user, item, day in rows
    )
    return HistoryRows(items=items, interactions=interactions, report=a_report(len(interactions)))


class Bar:
    """A store in which guests had drinks, and what a network learnt of them."""

    def __init__(self, folder):
        self.folder, self.indexes = folder, folder / "indexes"
        self.store = planted_store(folder)
        rows = [
            (who, DRINKS[(place + step) % MET], step)
            for place, who in enumerate(PEOPLE)
            for step in range(TASTED)
        ]
        ingest_history(self.store, BAR, told(*rows), None)
        self.users = np.array([user_node(self.store, BAR.name, who) for who in PEOPLE])
        self.metadata = sequential_metadata(self.store, BAR)

    @property
    def catalogue(self):
        return Catalogue(self.store, BAR)

    def learn(self, seed=0):
        """Keep a network of random weights over all drinks but the last two."""
        attention = attention_of(MET, unmet=(), seed=seed)
        histories = [
            np.arange(place, place + TASTED, dtype=np.int32) % MET for place in range(len(PEOPLE))
        ]
        learnt = SequentialArtifact(
            attention=attention,
            item_nodes=self.catalogue.node_ids[:MET],
            directions=unit_directions(attention, histories),
            users=self.users,
        )
        metadata = msgspec.structs.replace(
            self.metadata, seed=seed, trained_at=datetime(2024, 6, 1 + seed)
        )
        assert save_sequential(self.indexes, metadata, learnt)
        return attention

    def open(self):
        return open_sequential(self.store, self.indexes, self.catalogue, self.users[::-1])


@pytest.fixture
def bar(workspace_path):
    made = Bar(workspace_path)
    yield made
    made.store.close()


def test_what_was_learnt_is_opened_over_the_catalogue(bar):
    attention = bar.learn()
    model = bar.open()
    history = np.array([1, 4, MET - 1], dtype=np.int32)
    np.testing.assert_allclose(
        model.state_of(history)[:-1], attention.state_of(history), rtol=1e-5, atol=1e-6
    )
    assert len(model.items) == len(DRINKS)
    assert not model.items[MET:, :-1].any()


def test_people_are_called_as_they_are_asked_for(bar):
    bar.learn()
    model = bar.open()
    state = model.state_of(np.arange(2, 2 + TASTED, dtype=np.int32))
    assert model.similar_users(state, 1).tolist() == [len(PEOPLE) - 1 - 2]
    unknown = open_sequential(bar.store, bar.indexes, bar.catalogue, bar.users[:3])
    assert sorted(unknown.similar_users(state, 8).tolist()) == [0, 1, 2]


def test_nothing_is_opened_where_nothing_was_learnt(bar):
    assert bar.open() is None


def test_only_arrays_and_a_note_are_kept(bar):
    bar.learn()
    assert {path.suffix for path in bar.indexes.iterdir()} == {".npy", ".json"}


def test_a_new_training_takes_the_place_of_the_last(bar):
    bar.learn()
    kept = len(list(bar.indexes.iterdir()))
    second = bar.learn(seed=1)
    assert len(list(bar.indexes.iterdir())) == kept
    np.testing.assert_allclose(bar.open().items[:MET, -1], second.bias)


@pytest.mark.parametrize("kind", ["items", "squares", "item-nodes", "directions", "users"])
def test_a_scribbled_file_is_as_none(bar, kind):
    bar.learn()
    path = next(bar.indexes.glob(f"*.{kind}.npy"))
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    assert bar.open() is None


@pytest.mark.parametrize("content", [b"", b"{}", b'{"stand": {"format": 1}, "checksums": []}'])
def test_a_scribbled_note_is_as_none(bar, content):
    bar.learn()
    next(bar.indexes.glob("*.json")).write_bytes(content)
    assert bar.open() is None


@pytest.mark.parametrize("survived", range(1, 10))
def test_a_training_that_dies_while_it_writes_leaves_the_one_before(bar, monkeypatch, survived):
    first, written = bar.learn(), []

    def dying(path, save):
        if len(written) == survived:
            raise KeyboardInterrupt
        written.append(path)
        return replace(path, save)

    replace = cached_artifact.write_atomically
    monkeypatch.setattr(cached_artifact, "write_atomically", dying)
    with pytest.raises(KeyboardInterrupt):
        bar.learn(seed=1)
    np.testing.assert_allclose(bar.open().items[:MET, -1], first.bias)


class TestServes:
    def test_until_one_in_twenty_interactions_is_new(self, bar):
        bar.learn()
        room = int(0.05 * TASTED * len(PEOPLE))
        for place in range(room + 1):
            assert bar.open() is not None
            item = int(bar.catalogue.node_ids[place])
            store_feedback(bar.store, BAR.name, "newcomer", item, Event.LIKED)
        assert bar.open() is None

    def test_after_an_import_of_a_few_things_which_have_no_neighbours_yet(self, bar):
        bar.learn()
        brought = ItemRow(key="new fizz", name="New Fizz", properties={"name": "New Fizz"})
        ingest_history(bar.store, BAR, told(("ana", "new fizz", 1), items=(brought,)), "ana")
        model = bar.open()
        new = bar.catalogue.item_index("new fizz")
        assert len(model.similar_items(new, 3)) == 0
        assert len(model.similar_items(0, 3)) == 3
        assert model.state_of(np.array([0, new], dtype=np.int32)).any()

    def test_no_store_that_lacks_its_items(self, bar):
        bar.learn()
        bar.store.execute("DELETE FROM edge WHERE source_id = ?", [int(bar.catalogue.node_ids[0])])
        bar.store.execute("DELETE FROM node WHERE node_id = ?", [int(bar.catalogue.node_ids[0])])
        bar.metadata = sequential_metadata(bar.store, BAR)
        assert bar.open() is None

    def test_no_store_from_before_an_import(self, bar):
        then, now = bar.metadata, msgspec.structs.replace(bar.metadata, newest_import=0)
        assert then.serves(then)
        assert now.serves(then)
        assert not then.serves(now)

    def test_no_other_domain(self, bar):
        assert not bar.metadata.serves(msgspec.structs.replace(bar.metadata, domain="books"))


@pytest.mark.parametrize(
    "wish",
    [
        ForgetScope(user=PEOPLE[2]),
        ForgetScope(user=PEOPLE[2], since=datetime(2024, 5, 3)),
        ForgetScope(item=DRINKS[3]),
        ForgetScope(since=datetime(2024, 5, 3)),
    ],
    ids=["a-person", "a-person's-week", "a-drink", "a-week"],
)
def test_forgetting_removes_all_of_it(bar, monkeypatch, wish):
    monkeypatch.setattr(vectors, "EXACT_UP_TO", 3)  # so that there are graphs to be removed too
    bar.learn()
    bar.open().prepare()
    assert len(list(bar.indexes.glob("*.graph"))) == 2
    bar.store.close()
    receipt = forget(bar.folder, wish, dry_run=False, progress=lambda *_: None)
    assert not receipt.found
    assert list(bar.indexes.iterdir()) == []


def test_graphs_are_built_once_and_anew_for_another_network(bar, monkeypatch):
    monkeypatch.setattr(vectors, "EXACT_UP_TO", 3)
    bar.learn()
    first = bar.open()
    first.prepare()
    near = first.similar_items(0, 3).tolist()
    build = HnswIndex.build
    monkeypatch.setattr(HnswIndex, "build", None)
    assert bar.open().similar_items(0, 3).tolist() == near
    monkeypatch.setattr(HnswIndex, "build", build)
    bar.learn(seed=1)
    assert bar.open().similar_items(0, 3).tolist() != near

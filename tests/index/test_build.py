"""Vectors follow the texts; a field opens from its cache, or is rebuilt from the store."""

import numpy as np
import pytest

from localrec.foundation.errors import UsageError
from localrec.index.embedded_fields import open_field, update_embeddings
from localrec.index.embedder_names import EARLIER
from localrec.index.embedders import HashingEmbedder

from .planted import DRINKS, put, put_many


class CountingEmbedder(HashingEmbedder):
    """Remembers which texts it was asked for; can be told to stop after so many calls."""

    def __init__(self, calls_left=10**6):
        super().__init__()
        self.texts = []
        self.calls_left = calls_left

    def embed(self, texts):
        if not self.calls_left:
            raise KeyboardInterrupt
        self.calls_left -= 1
        self.texts += texts
        return super().embed(texts)


@pytest.fixture
def embedder():
    return CountingEmbedder()


def stored(store, model="hashing-64-0"):
    return {
        (node_id, field)
        for node_id, field in store.rows(
            "SELECT node_id, field FROM embedding WHERE model = ?", [model]
        )
    }


class TestUpdatingEmbeddings:
    def test_items_get_every_text_attributes_their_name_and_people_nothing(self, store, embedder):
        assert update_embeddings(store, DRINKS, embedder) == 6
        assert stored(store) == {
            (1, "name"),
            (1, "description"),
            (2, "name"),
            (2, "description"),
            (3, "name"),
            (4, "name"),
        }

    def test_each_node_gets_the_vector_of_its_own_text(self, store, embedder):
        update_embeddings(store, DRINKS, embedder)
        node_ids, matrix = store.read_embeddings("drinks", "description", embedder.name)
        expected = embedder.embed(["Bitter and red.", "Sweet, créamy, très blanc."])
        assert node_ids.tolist() == [1, 2]
        assert matrix == pytest.approx(expected)

    def test_a_second_run_has_nothing_to_do(self, store, embedder):
        update_embeddings(store, DRINKS, embedder)
        before = store.embedding_fingerprint("drinks", "name", embedder.name)
        embedder.texts.clear()
        assert update_embeddings(store, DRINKS, embedder) == 0
        assert embedder.texts == []
        assert store.embedding_fingerprint("drinks", "name", embedder.name) == before

    def test_equal_texts_are_embedded_once_for_all_nodes_and_fields(self, store, embedder):
        put(store, 6, "ingredient", "Negroni")
        put(store, 7, "drink", "Negroni", "Campari")
        assert update_embeddings(store, DRINKS, embedder) == 6
        assert sorted(embedder.texts) == sorted(set(embedder.texts))
        assert {(6, "name"), (7, "name"), (7, "description")} <= stored(store)

    def test_a_changed_text_alone_is_embedded_again(self, store, embedder):
        update_embeddings(store, DRINKS, embedder)
        put(store, 1, "drink", "Negroni", "Bitter, red and cold.")
        embedder.texts.clear()
        assert update_embeddings(store, DRINKS, embedder) == 1
        assert embedder.texts == ["Bitter, red and cold."]
        node_ids, matrix = store.read_embeddings("drinks", "description", embedder.name)
        assert node_ids.tolist() == [1, 2]
        assert matrix[0] == pytest.approx(embedder.embed(["Bitter, red and cold."])[0])

    def test_vectors_of_vanished_texts_and_nodes_go_for_every_model(self, store, embedder):
        for model in (embedder, HashingEmbedder(seed=1)):
            update_embeddings(store, DRINKS, model)
        put(store, 1, "drink", "Negroni")
        store.execute("DELETE FROM node WHERE node_id = 4")
        assert update_embeddings(store, DRINKS, embedder) == 0
        left = {(1, "name"), (2, "name"), (2, "description"), (3, "name")}
        assert stored(store) == stored(store, "hashing-64-1") == left

    def test_vectors_that_others_keep_for_people_and_domains_stay(self, store, embedder):
        store.execute("INSERT INTO node VALUES (9, 'films', 'film', 'k', 'Alien', '{}')")
        for node_id in (5, 9):
            store.write_embeddings("taste", "any", [node_id], [1], np.ones((1, 4), np.float32))
        update_embeddings(store, DRINKS, embedder)
        assert stored(store, "any") == {(5, "taste"), (9, "taste")}

    def test_an_interrupted_run_goes_on_where_it_stopped(self, store, monkeypatch):
        monkeypatch.setattr("localrec.index.embedded_fields._TEXTS_AT_ONCE", 2)
        halting = CountingEmbedder(calls_left=2)
        with pytest.raises(KeyboardInterrupt):
            update_embeddings(store, DRINKS, halting)
        rest = CountingEmbedder()
        assert update_embeddings(store, DRINKS, rest) == 2
        assert len(stored(store)) == 6
        assert not set(rest.texts) & set(halting.texts)

    def test_progress_rises_to_the_whole(self, store, embedder, monkeypatch):
        monkeypatch.setattr("localrec.index.embedded_fields._TEXTS_AT_ONCE", 4)
        seen = []
        update_embeddings(store, DRINKS, embedder, lambda done, total: seen.append((done, total)))
        assert seen == [(4, 6), (6, 6)]

    def test_texts_with_quotes_in_property_and_content_are_read_as_they_are(self, store, embedder):
        put(store, 1, "drink", 'O\'Brien "special"', 'it\'s "odd"\\ \u0001')
        update_embeddings(store, DRINKS, embedder)
        assert {'O\'Brien "special"', 'it\'s "odd"\\ \u0001'} <= set(embedder.texts)


@pytest.fixture
def embedded(store, embedder):
    """The store with 300 more drinks and every vector."""
    put_many(store, range(10, 310))
    update_embeddings(store, DRINKS, embedder)
    return store


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "indexes"


@pytest.fixture(params=["exact", "hnsw"])
def backend(request):
    return request.param


def open_names(store, folder, backend="auto"):
    return open_field(store, folder, "drinks", "name", "hashing-64-0", backend)


def same_answers(field, other):
    queries = HashingEmbedder().embed(["Negroni", "Drink no. 40", "x"])
    return field.search(queries, 9)[0].tolist() == other.search(queries, 9)[0].tolist()


class TestOpeningAField:
    def test_items_and_attributes_are_found_by_what_is_close_to_them(
        self, embedded, folder, backend, embedder
    ):
        field = open_names(embedded, folder, backend)
        labels, similarities = field.search(embedder.embed(["campari", "negroni"]), 3)
        assert labels[:, 0].tolist() == [4, 1]
        assert similarities[:, 0] == pytest.approx([1, 1], abs=1e-5)

    def test_given_nodes_are_scored_whatever_the_backend(self, embedded, folder, backend, embedder):
        field = open_names(embedded, folder, backend)
        scores = field.similarities(embedder.embed(["campari"])[0], np.array([999_999, 4, 5]))
        assert scores == pytest.approx([0, 1, 0], abs=1e-5)

    def test_the_second_opening_takes_the_cache_and_answers_alike(self, embedded, folder, backend):
        built = open_names(embedded, folder, backend)
        cached = open_names(embedded, folder, backend)
        assert (built.origin, cached.origin) == ("built", "cache")
        assert len(cached) == 304
        assert same_answers(built, cached)

    def test_new_vectors_make_the_cache_stale_and_no_old_file_stays(
        self, embedded, folder, backend, embedder
    ):
        open_names(embedded, folder, backend)
        old = {path.name for path in folder.iterdir()}
        put(embedded, 400, "drink", "Brand New")
        update_embeddings(embedded, DRINKS, embedder)
        fresh = open_names(embedded, folder, backend)
        assert fresh.origin == "built"
        assert fresh.search(embedder.embed(["Brand New"]), 1)[0].tolist() == [[400]]
        left = {path.name for path in folder.iterdir()}
        assert len(left) == len(old)
        assert {name for name in left & old if not name.endswith(".json")} == set()

    def test_two_items_that_swap_their_names_make_the_cache_stale(self, embedded, folder, embedder):
        open_names(embedded, folder)
        put(embedded, 1, "drink", "Mystery")
        put(embedded, 3, "drink", "Negroni")
        assert update_embeddings(embedded, DRINKS, embedder) == 2
        assert open_names(embedded, folder).search(embedder.embed(["Negroni"]), 1)[0] == [[3]]

    def test_another_backend_replaces_the_cache(self, embedded, folder):
        open_names(embedded, folder, "exact")
        assert open_names(embedded, folder, "hnsw").origin == "built"
        assert open_names(embedded, folder, "exact").origin == "built"
        assert open_names(embedded, folder).origin == "cache"  # auto is exact for so few

    def test_fields_and_models_with_odd_names_have_caches_of_their_own(self, store, folder):
        names = [
            ("name", "st:/a b"),
            ("name", "st:/a-b"),
            ("nom é", "../../st"),
            ("name", "m" * 400),
        ]
        for field, model in names:
            store.write_embeddings(field, model, [1], [1], np.ones((1, 4), np.float32))
        for expected in ("built", "cache"):
            origins = {open_field(store, folder, "drinks", *name).origin for name in names}
            assert origins == {expected}
        assert not list(folder.parent.glob("*.npy"))

    def test_a_field_without_vectors_is_empty_and_cached_too(self, store, folder, backend):
        for origin in ("built", "cache"):
            field = open_names(store, folder, backend)
            assert (len(field), field.origin) == (0, origin)
            assert field.search(np.ones((2, 64), np.float32), 5)[0].shape == (2, 0)
            assert field.similarities(np.ones(64, np.float32), np.array([1])).tolist() == [0]

    def test_vectors_by_an_earlier_name_serve_until_all_are_made_anew(
        self, store, folder, embedder, monkeypatch
    ):
        before = HashingEmbedder(seed=1)
        monkeypatch.setitem(EARLIER, embedder.name, before.name)
        update_embeddings(store, DRINKS, before)
        assert open_names(store, folder).embedder == before.name
        update_embeddings(store, DRINKS, embedder)
        renewed = open_names(store, folder)
        assert renewed.embedder == embedder.name
        assert renewed.search(embedder.embed(["Negroni"]), 1)[0].tolist() == [[1]]
        assert stored(store, before.name) == set()
        assert not any(before.name in path.name for path in folder.iterdir())

    def test_a_misspelt_backend_is_told_even_when_a_cache_lies_there(self, embedded, folder):
        open_names(embedded, folder)
        with pytest.raises(UsageError, match="'hsnw'"):
            open_names(embedded, folder, "hsnw")

    def test_the_cache_is_for_its_owners_eyes(self, embedded, folder):
        open_names(embedded, folder, "hnsw")
        assert folder.stat().st_mode & 0o777 == 0o700
        assert {path.stat().st_mode & 0o077 for path in folder.iterdir()} == {0}

"""Every backend keeps the contract of `VectorIndex`; the exact one is exact, HNSW nearly."""

import builtins

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from localrec.foundation.errors import UsageError
from localrec.index import vectors as vectors_module
from localrec.index.vectors import ExactIndex, HnswIndex, choose_backend, unit_rows

from .planted import clustered


def build_exact(node_ids, matrix):
    return ExactIndex(node_ids, matrix)


def build_hnsw(node_ids, matrix):
    return HnswIndex.build(ExactIndex(node_ids, matrix))


@pytest.mark.parametrize("build", [build_exact, build_hnsw])
class TestVectorIndexContract:
    def test_a_vector_finds_itself_first_under_its_own_node_id(self, build):
        node_ids, matrix = clustered(300)
        labels, similarities = build(node_ids, matrix).search(matrix[[7, 123]], 5)
        assert labels[:, 0].tolist() == node_ids[[7, 123]].tolist()
        assert similarities[:, 0] == pytest.approx([1, 1], abs=1e-5)

    def test_shapes_and_types_are_those_of_the_protocol(self, build):
        index = build(*clustered(50))
        labels, similarities = index.search(clustered(3)[1], 4)
        assert len(index) == 50
        assert labels.shape == similarities.shape == (3, 4)
        assert (labels.dtype, similarities.dtype) == (np.int64, np.float32)

    def test_similarities_fall_along_each_row_and_are_cosines(self, build):
        node_ids, matrix = clustered(200)
        queries = clustered(9, seed=1)[1]
        labels, similarities = build(node_ids, matrix).search(queries, 20)
        assert (np.diff(similarities, axis=1) <= 0).all()
        told = np.einsum("qs,qks->qk", queries, matrix[np.searchsorted(node_ids, labels)])
        assert similarities == pytest.approx(told, abs=1e-5)

    @pytest.mark.parametrize("k", [12, 13, 500])
    def test_asking_for_more_than_there_is_gives_every_vector_once(self, build, k):
        node_ids, matrix = clustered(12)
        labels, _ = build(node_ids, matrix).search(matrix[:2], k)
        assert [sorted(row) for row in labels.tolist()] == [node_ids.tolist()] * 2

    @pytest.mark.parametrize("k", [0, -1])
    def test_asking_for_nothing_gives_nothing(self, build, k):
        index = build(*clustered(12))
        assert index.search(clustered(2)[1], k)[0].shape == (2, 0)

    def test_no_queries_give_no_rows(self, build):
        labels, similarities = build(*clustered(12)).search(np.zeros((0, 32), np.float32), 3)
        assert labels.shape == similarities.shape == (0, 3)

    def test_an_empty_index_answers_with_empty_rows(self, build):
        index = build(np.zeros(0, np.int64), np.zeros((0, 0), np.float32))
        labels, similarities = index.search(clustered(2)[1], 10)
        assert len(index) == 0
        assert labels.shape == similarities.shape == (2, 0)

    def test_many_equal_vectors_still_give_k_different_nodes(self, build):
        node_ids = np.arange(2_000, dtype=np.int64)
        matrix = np.zeros((2_000, 8), np.float32)
        matrix[:, 0] = 1
        labels, _ = build(node_ids, matrix).search(matrix[:1], 1_500)
        assert len(set(labels[0].tolist())) == 1_500

    def test_wide_questions_after_narrow_ones_are_answered_in_full(self, build):
        node_ids, matrix = clustered(1_000)
        index = build(node_ids, matrix)
        index.search(matrix[:1], 1)
        labels, _ = index.search(matrix[:1], 600)
        assert len(set(labels[0].tolist())) == 600


class TestExactIndex:
    numbers = st.floats(-1, 1, width=32).map(lambda number: round(number, 2))

    @given(
        matrix=arrays(np.float32, st.tuples(st.integers(1, 30), st.just(4)), elements=numbers),
        queries=arrays(np.float32, st.tuples(st.integers(1, 4), st.just(4)), elements=numbers),
        k=st.integers(1, 35),
        block_bytes=st.sampled_from([1, 200, 1 << 20]),
    )
    def test_it_agrees_with_sorting_every_similarity(self, matrix, queries, k, block_bytes):
        node_ids = np.arange(10, 10 + len(matrix), dtype=np.int64)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(vectors_module, "_BLOCK_BYTES", block_bytes)
            labels, similarities = ExactIndex(node_ids, matrix).search(queries, k)
        all_scores = queries.astype(np.float64) @ matrix.T.astype(np.float64)
        expected = -np.sort(-all_scores, axis=1)[:, :k]
        assert similarities == pytest.approx(expected, abs=1e-5)
        assert np.take_along_axis(all_scores, labels - 10, axis=1) == pytest.approx(
            expected, abs=1e-5
        )
        assert all(len(set(row)) == len(row) for row in labels.tolist())

    def test_equal_vectors_come_in_the_order_of_their_node_ids(self):
        matrix = np.tile(np.float32([[1], [0.5]]), (50, 1))
        for k in (30, 60, 100):
            labels, similarities = ExactIndex(np.arange(100), matrix).search(matrix[:1], k)
            for similarity in (1.0, 0.5):
                equal = labels[similarities == similarity].tolist()
                assert equal == sorted(equal)

    def test_given_nodes_are_scored_and_unknown_ones_get_zero(self):
        node_ids, matrix = clustered(20)
        scores = ExactIndex(node_ids, matrix).similarities(
            matrix[3], np.array([node_ids[5], 0, 4, 10**9, node_ids[3]])
        )
        assert scores == pytest.approx([matrix[3] @ matrix[5], 0, 0, 0, 1], abs=1e-5)

    @pytest.mark.parametrize("asked", [1, 40, 300])
    def test_few_and_many_given_nodes_score_the_same_to_the_last_digit(self, asked):
        node_ids, matrix = clustered(200)
        random = np.random.default_rng(1)
        some = random.choice(np.append(node_ids, [10**8, 10**9]), asked)
        together = ExactIndex(node_ids, matrix).similarities(matrix[3], some)
        rows = {node_id: row for row, node_id in enumerate(node_ids.tolist())}
        alone = [
            np.vecdot(matrix[[rows[one]]], matrix[3])[0] if one in rows else np.float32(0.0)
            for one in some.tolist()
        ]
        assert together.tolist() == np.array(alone).tolist()

    def test_without_vectors_every_given_node_gets_zero(self):
        empty = ExactIndex(np.zeros(0, np.int64), np.zeros((0, 0), np.float32))
        assert empty.similarities(np.ones(4, np.float32), np.array([1, 2])).tolist() == [0, 0]

    def test_a_matrix_of_another_length_is_refused_on_loading(self, tmp_path):
        node_ids, matrix = clustered(5)
        ExactIndex(node_ids, matrix).save(tmp_path / "matrix")
        with pytest.raises(ValueError, match="does not hold 4"):
            ExactIndex.load(tmp_path / "matrix", node_ids[:4])


class TestHnswIndex:
    def test_recall_on_clustered_vectors_is_99_in_100(self):
        node_ids, matrix = clustered(5_000, size=64, clusters=100)
        queries = clustered(200, size=64, clusters=100, seed=5)[1]
        queries = np.vstack([queries, matrix[::50]])
        exact = ExactIndex(node_ids, matrix)
        true, _ = exact.search(queries, 10)
        found, _ = HnswIndex.build(exact).search(queries, 10)
        hits = sum(len(set(a) & set(b)) for a, b in zip(true.tolist(), found.tolist(), strict=True))
        assert hits / true.size >= 0.99

    def test_the_same_vectors_give_the_same_file(self, tmp_path):
        for name in ("one", "two"):
            build_hnsw(*clustered(400)).save(tmp_path / name)
        assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()

    def test_a_loaded_graph_searches_as_widely_as_the_built_one(self, tmp_path):
        node_ids, matrix = clustered(3_000)
        built = build_hnsw(node_ids, matrix)
        built.save(tmp_path / "graph")
        loaded = HnswIndex.load(tmp_path / "graph", ExactIndex(node_ids, matrix))
        queries = clustered(100, seed=3)[1]
        assert loaded.search(queries, 10)[0].tolist() == built.search(queries, 10)[0].tolist()

    def test_a_graph_over_other_vectors_is_refused_on_loading(self, tmp_path):
        node_ids, matrix = clustered(30)
        build_hnsw(node_ids, matrix).save(tmp_path / "graph")
        with pytest.raises(ValueError, match="does not hold 29"):
            HnswIndex.load(tmp_path / "graph", ExactIndex(node_ids[1:], matrix[1:]))


class TestChoosingABackend:
    def test_auto_scans_up_to_the_limit_and_walks_beyond(self):
        assert choose_backend("auto", 50_000) == "exact"
        assert choose_backend("auto", 50_001) == "hnsw"

    def test_auto_scans_where_hnswlib_is_missing_and_a_named_hnsw_says_so(self, monkeypatch):
        importing = builtins.__import__

        def refuse(name, *rest):
            if name == "hnswlib":
                raise ImportError(name)
            return importing(name, *rest)

        monkeypatch.setattr(builtins, "__import__", refuse)
        assert choose_backend("auto", 10**6) == "exact"
        with pytest.raises(UsageError, match="pip install hnswlib"):
            choose_backend("hnsw", 10)

    def test_a_misspelt_backend_is_named_with_the_known_ones(self):
        with pytest.raises(UsageError, match=r"'faiss'.*auto, exact, hnsw"):
            choose_backend("faiss", 1)


def test_rows_become_unit_length_and_zeros_stay_zeros():
    rows = unit_rows(np.array([[3, 4], [0, 0]], np.float32))
    assert rows == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))

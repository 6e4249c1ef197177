"""Two camps of people: what the graph says of every film is what a count by hand says."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.item_features import ItemFeatures
from localrec.index.item_cooccurrence import count_cooccurrence
from localrec.memory.collaborative_memory import (
    COLLABORATIVE_KINDS,
    OWN_KINDS,
    CollaborativeMemory,
    evidence_scores,
    facet_evidence,
    facet_vectors,
    memory_vectors,
    retrieve_memory,
    supporters_of,
    vote_evidence,
)
from localrec.memory.default_rules import default_rules
from localrec.memory.memory_texts import MemoryTexts
from localrec.memory.synthesis import NeighbourFacet, domain_shares
from localrec.memory.user_item_graph import UserItemGraph

# Films 0-4 are horror, 5-9 comedy, 10 is both and liked by nobody; 0 and 5 are old besides.
HORROR, COMEDY, OLD = 0, 1, 2
NAMES = ["horror", "comedy", "old"]
TITLES = [f"Film {number}" for number in range(11)]
LINKS = sorted(
    [(film, HORROR) for film in (0, 1, 2, 3, 4, 10)]
    + [(film, COMEDY) for film in (5, 6, 7, 8, 9, 10)]
    + [(film, OLD) for film in (0, 5)]
)
# People 0-3 like horror, 4-7 comedy; each leaves one film of their camp out.
LIKINGS = [
    (user, 5 * (user // 4) + film, float(film))
    for user in range(8)
    for film in range(5)
    if film != user % 4
]
VECTORS = np.zeros((11, 3), dtype=np.float32)
VECTORS[:5] = (1.0, 0.0, 0.2)
VECTORS[5:10] = (0.0, 1.0, 0.2)


def likings(*more):
    user, item, day = np.array([*LIKINGS, *more]).T
    return user.astype(np.int32), item.astype(np.int32), day.astype(np.float32)


def collaborative_memory(*more, vectors=VECTORS, rules=True):
    user, item, day = likings(*more)
    pairs = np.array(LINKS, dtype=np.int32)
    item_features = ItemFeatures(pairs[:, 0], pairs[:, 1], 11, 3, vectors)
    graph = UserItemGraph(
        InteractionMatrix.from_pairs(user, item, 8, item_features.items, day), item_features
    )
    order = np.lexsort((day, user))
    return CollaborativeMemory(
        graph=graph,
        cooccurrence=count_cooccurrence(user[order], item[order], 11),
        usual=domain_shares(item_features, graph.matrix.likes),
        phrases=[f"films that are {name}" for name in NAMES],
        rules=default_rules("movies") if rules else None,
    )


def some(*items):
    return np.array(items, dtype=np.int32), np.ones(len(items), dtype=np.float32)


@pytest.fixture(scope="module")
def shared():
    return collaborative_memory()


@pytest.fixture(scope="module")
def memory_context(shared):
    return retrieve_memory(shared, *some(0, 1), user=2)


class TestWhatIsRemembered:
    def test_is_of_the_camp_that_the_history_is_of(self, shared, memory_context):
        rows = memory_context.curated.neighbours
        assert set(rows.index[rows.is_user].tolist()) == {0, 1, 3}
        assert set(rows.index[~rows.is_user].tolist()) == {2, 3, 4}

    def test_says_what_the_neighbours_have_in_common(self, memory_context):
        assert [one.text for one in memory_context.synthesis.facets] == ["films that are horror"]

    def test_of_a_stranger_has_everybody_of_the_camp(self, shared):
        rows = retrieve_memory(shared, *some(0, 1)).curated.neighbours
        assert set(rows.index[rows.is_user].tolist()) == {0, 1, 2, 3}

    def test_keeps_no_more_neighbours_than_were_asked_for(self, shared):
        assert len(retrieve_memory(shared, *some(0, 1), k=3).curated) == 3

    def test_of_nothing_is_nothing(self, shared):
        nothing = retrieve_memory(shared, *some())
        assert len(nothing.curated) == 0
        assert nothing.synthesis.facets == ()

    def test_stands_for_people_by_all_they_like_and_for_items_by_themselves(
        self, shared, memory_context
    ):
        supporters = supporters_of(memory_context.curated, shared.graph)
        rows = memory_context.curated.neighbours
        for one, is_user, index in zip(supporters, rows.is_user, rows.index, strict=True):
            expected = shared.graph.matrix.items_of(int(index)).tolist() if is_user else [index]
            assert one.items.tolist() == expected


class TestEvidence:
    def test_without_a_memory_is_popularity_and_ones_own(self, shared):
        assert set(evidence_scores(shared, *some(0, 1), None)) == {"popularity", *OWN_KINDS}

    def test_of_every_kind_prefers_the_camp(self, shared, memory_context):
        found = evidence_scores(shared, *some(0, 1), memory_context)
        assert set(found) == {"popularity", *OWN_KINDS, *COLLABORATIVE_KINDS}
        for kind in (*OWN_KINDS, *COLLABORATIVE_KINDS):
            assert found[kind].shape == (11,)
            assert found[kind][[2, 3, 4]].min() > found[kind][[6, 7, 8, 9]].max(), kind

    def test_of_popularity_is_how_many_like_it(self, shared, memory_context):
        found = evidence_scores(shared, *some(0, 1), memory_context)["popularity"]
        assert np.expm1(found) == pytest.approx(shared.likes)
        assert shared.likes.tolist() == [3, 3, 3, 3, 4, 3, 3, 3, 3, 4, 0]

    def test_of_neighbours_is_silent_of_what_is_none(self, shared, memory_context):
        near = evidence_scores(shared, *some(0, 1), memory_context)["neighbours"]
        assert np.isneginf(near).tolist() == [item not in (2, 3, 4) for item in range(11)]

    def test_of_votes_counts_people_by_their_scores(self, shared, memory_context):
        tally = vote_evidence(memory_context.curated, shared.graph)
        rows, scores = memory_context.curated.neighbours, memory_context.curated.scores
        voters = dict(zip(rows.index[rows.is_user].tolist(), scores[rows.is_user], strict=True))
        expected = (voters[0] + voters[1] + voters[3]) / np.sqrt(4)  # each likes four films
        assert tally[4] == pytest.approx(expected, rel=1e-5)
        assert tally[5:].tolist() == [0.0] * 6

    def test_of_facets_counts_less_where_an_item_has_much_besides(self, shared):
        facet = NeighbourFacet(text="", confidence=0.5, supporters=(1,), attribute=HORROR)
        match = facet_evidence([facet], shared.graph)
        assert match[1] == pytest.approx(0.5)
        assert match[0] == match[10] == pytest.approx(0.5 / np.sqrt(2))
        assert match[6] == 0.0

    def test_of_facets_in_a_models_words_is_none(self, shared):
        facet = NeighbourFacet(text="dark", confidence=0.9, supporters=(1,))
        assert facet_evidence([facet], shared.graph).tolist() == [0.0] * 11

    def test_needs_no_vectors(self):
        blind = collaborative_memory(vectors=None)
        found = evidence_scores(blind, *some(0, 1), retrieve_memory(blind, *some(0, 1)))
        assert found["texts"].tolist() == [0.0] * 11


class TestMemoriesAsVectors:
    def test_that_do_not_move_are_the_texts(self, shared):
        memories = memory_vectors(shared.graph, 0.0)
        assert memories[0] @ memories[1] == pytest.approx(1.0)
        assert memories[0] @ memories[6] == pytest.approx(-1.0, abs=1e-3)
        assert memories[10].tolist() == [0.0] * 3

    def test_move_towards_the_people_who_like_the_item(self):
        crossed = collaborative_memory(*((user, 0, 9.0) for user in range(4, 8)))
        towards = [memory_vectors(crossed.graph, moved)[[0, 6]] for moved in (0.0, 0.5, 0.9)]
        cosines = [float(old @ comedy) for old, comedy in towards]
        assert cosines == sorted(cosines)
        assert cosines[0] < cosines[-1]

    def test_are_of_length_one_or_nothing(self, shared):
        lengths = np.linalg.norm(memory_vectors(shared.graph, 0.8), axis=1)
        assert lengths.tolist() == pytest.approx([1.0] * 10 + [0.0])

    def test_of_items_without_texts_are_nothing(self):
        assert memory_vectors(collaborative_memory(vectors=None).graph, 0.8).shape == (11, 0)

    def test_of_a_facet_are_those_of_its_supporters(self, shared, memory_context):
        memories = memory_vectors(shared.graph, 0.5)
        (horror,) = facet_vectors(memory_context, shared.graph, memories)
        assert horror @ memories[1] > 0.9
        assert horror @ memories[6] < 0

    def test_of_no_facets_are_none(self, shared, memory_context):
        silent = msgspec.structs.replace(
            memory_context, synthesis=msgspec.structs.replace(memory_context.synthesis, facets=())
        )
        memories = memory_vectors(shared.graph, 0.5)
        assert facet_vectors(silent, shared.graph, memories).shape == (0, 3)


class TestMemoriesInWords:
    @pytest.fixture
    def memory_texts(self, shared):
        return MemoryTexts(shared.graph, NAMES, TITLES, np.array([False, False, True]))

    def test_tell_a_persons_taste_and_newest_titles(self, memory_texts):
        told = memory_texts.of_user(some(5, 6, 0, 1, 2)[0])
        assert told == "Likes horror and comedy; lately Film 2, Film 1 and Film 0."

    def test_of_nobody_are_empty(self, memory_texts):
        assert memory_texts.of_user(some()[0]) == ""

    def test_tell_what_an_item_is_and_what_its_people_like(self, memory_texts):
        assert memory_texts.of_item(1) == "Horror. Liked by people who like horror."

    def test_count_what_its_people_like_without_the_item_itself(self):
        # Of the old films, whoever likes Film 0 likes at most one other, and one is no taste.
        crossed = collaborative_memory((1, 5, 9.0))
        memory_texts = MemoryTexts(crossed.graph, NAMES, TITLES, np.zeros(3, dtype=bool))
        assert memory_texts.of_item(0) == "Horror and old. Liked by people who like horror."

    def test_leave_the_others_out_where_nothing_is_shared(self, memory_texts):
        assert memory_texts.of_item(1, shared=False) == "Horror."

    def test_of_what_nobody_likes_tell_what_it_is(self, memory_texts):
        assert memory_texts.of_item(10) == "Horror and comedy."

    def test_never_name_a_staple(self, memory_texts):
        told = [memory_texts.of_item(item) for item in range(11)]
        assert not any("old" in one.casefold() for one in told)

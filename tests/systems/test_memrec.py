"""MemRec finds what was taken next, with each of its rankings and only with the parts it has."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.item_features import ItemFeatures
from localrec.foundation.errors import ModelError
from localrec.graph.domain_files import load_domain
from localrec.index.item_cooccurrence import count_cooccurrence
from localrec.llm.scripted import ScriptedModel
from localrec.memory.collaborative_memory import CollaborativeMemory
from localrec.memory.configs import MEMREC, MemRecConfig, MemRecModelConfig, MemRecVectorConfig
from localrec.memory.default_rules import default_rules
from localrec.memory.fusion import FusionWeights
from localrec.memory.memory_texts import MemoryTexts
from localrec.memory.memrec import DEFAULT_WEIGHTS, FEWEST_CASES, MemRec, VectorMemRec
from localrec.memory.model_memrec import ModelMemRec
from localrec.memory.synthesis import domain_shares
from localrec.memory.user_item_graph import UserItemGraph

MOVIES = load_domain("movies")
PEOPLE, FILMS, EACH = 60, 24, 6
NAMES = ["horror", "comedy"]
FACETS = "Scary stories | 0.8 | 1, 2\nLong evenings | 0.3 | 3\n"
TITLES = [f"Film {number}" for number in range(FILMS)]


def collective_of(user, item, *, rules=True):
    """Film f is of camp f % 2, in its one attribute and in its text."""
    films = np.arange(FILMS, dtype=np.int32)
    vectors = np.zeros((FILMS, 3), dtype=np.float32)
    vectors[films, films % 2] = 1.0
    vectors[:, 2] = np.linspace(0.0, 0.6, FILMS)  # no two texts are quite the same
    item_features = ItemFeatures(films, films % 2, FILMS, 2, vectors)
    days = np.arange(len(user), dtype=np.float32)
    graph = UserItemGraph(
        InteractionMatrix.from_pairs(user, item, PEOPLE, item_features.items, days), item_features
    )
    return CollaborativeMemory(
        graph=graph,
        cooccurrence=count_cooccurrence(user, item, FILMS),
        usual=domain_shares(item_features, graph.matrix.likes),
        phrases=[f"films that are {name}" for name in NAMES],
        rules=default_rules("movies") if rules else None,
    )


@pytest.fixture(scope="module")
def crowd():
    """Histories of people, each of camp p % 2, and what each took next."""
    drawn = np.random.default_rng(5)
    rows = np.stack([2 * drawn.permutation(FILMS // 2)[: EACH + 1] for _ in range(PEOPLE)])
    rows = (rows + np.arange(PEOPLE)[:, None] % 2).astype(np.int32)
    return rows[:, :EACH], rows[:, EACH]


@pytest.fixture(scope="module")
def collaborative_memory(crowd):
    histories, _ = crowd
    users = np.repeat(np.arange(PEOPLE, dtype=np.int32), EACH)
    return collective_of(users, histories.ravel())


def same(items):
    return items, np.ones(len(items), dtype=np.float32)


def share_of_the_own_camp(system, crowd):
    """Of the best films outside a history, how many are of its camp."""
    shares = []
    for user, history in enumerate(crowd[0]):
        scores = system.scores(*same(history), user)
        scores[history] = -np.inf
        best = np.argsort(-scores)[:5]
        shares.append(np.mean(best % 2 == user % 2))
    return float(np.mean(shares))


class TestFused:
    @pytest.mark.parametrize("name", list(MEMREC))
    def test_prefers_the_camp_with_its_parts(self, collaborative_memory, crowd, name):
        assert share_of_the_own_camp(MemRec(collaborative_memory, MEMREC[name]), crowd) == 1.0

    @pytest.mark.parametrize("name", list(MEMREC))
    def test_weighs_the_kinds_that_it_has_and_no_others(self, collaborative_memory, crowd, name):
        system = MemRec(collaborative_memory, MEMREC[name])
        assert tuple(system.evidence(*same(crowd[0][0]), 0)) == MEMREC[name].kinds

    def test_without_reading_remembers_nothing(self, collaborative_memory, crowd):
        assert (
            MemRec(collaborative_memory, MemRecConfig(read=False)).retrieve_memory(
                *same(crowd[0][0])
            )
            is None
        )

    def test_without_rules_curates_by_the_edges(self, collaborative_memory, crowd):
        history = same(crowd[0][0])
        plain = msgspec.structs.replace(collaborative_memory, rules=None)
        ours = MemRec(collaborative_memory, MemRecConfig(rules=False)).retrieve_memory(*history, 0)
        theirs = MemRec(plain, MemRecConfig()).retrieve_memory(*history, 0)
        ruled = MemRec(collaborative_memory, MemRecConfig()).retrieve_memory(*history, 0)
        assert ours.curated.scores.tolist() == theirs.curated.scores.tolist()
        assert ours.curated.scores.tolist() != ruled.curated.scores.tolist()

    def test_never_counts_the_person_as_their_own_neighbour(self, collaborative_memory, crowd):
        for user, history in enumerate(crowd[0]):
            rows = (
                MemRec(collaborative_memory, MemRecConfig())
                .retrieve_memory(*same(history), user)
                .neighbours
            )
            assert user not in rows.index[rows.is_user]

    def test_scores_by_the_weights_it_is_given(self, collaborative_memory, crowd):
        alone = FusionWeights(weights={"popularity": 1.0})
        scores = MemRec(collaborative_memory, MemRecConfig(), alone).scores(*same(crowd[0][0]), 0)
        # A mean of 0 and a deviation of 1 keep the order.
        assert (
            np.argsort(scores).tolist() == np.argsort(np.log1p(collaborative_memory.likes)).tolist()
        )


class TestFittedWeights:
    @pytest.fixture
    def fit(self, collaborative_memory, crowd):
        def call(count=PEOPLE, config=MEMREC["memrec"], seed=7):
            system = MemRec(collaborative_memory, config)
            histories, taken = crowd
            users = np.arange(count, dtype=np.int32)
            return system, system.fit(list(histories[:count]), taken[:count], users, seed)

        return call

    def test_find_what_was_taken_more_often_than_chance(self, fit, crowd):
        system, _ = fit()
        ranks = []
        for user, (history, taken) in enumerate(zip(*crowd, strict=True)):
            scores = system.scores(*same(history), user)
            scores[history] = -np.inf
            ranks.append(int((scores > scores[taken]).sum()))
        assert np.mean(ranks) < (FILMS - EACH) / 2 * 0.6

    def test_are_there_for_each_kind_and_say_how_many_cases_they_saw(self, fit):
        _, weights = fit()
        assert tuple(weights.weights) == MEMREC["memrec"].kinds
        assert weights.cases == PEOPLE

    def test_are_the_same_for_the_same_seed(self, fit):
        assert fit()[1] == fit()[1]
        assert fit(seed=8)[1] != fit()[1]

    def test_are_the_usual_ones_where_too_few_people_are_known(self, fit):
        assert fit(count=FEWEST_CASES - 1)[1] == DEFAULT_WEIGHTS

    def test_of_an_isolated_memory_know_nobody_else(self, fit):
        _, weights = fit(config=MEMREC["isolated-memory"])
        assert set(weights.weights) == {"attributes", "texts"}

    def test_can_be_fitted_where_nearly_everything_was_had(self, collaborative_memory):
        everything = np.arange(FILMS - 1, dtype=np.int32)
        system = MemRec(collaborative_memory, MEMREC["memrec"])
        taken = np.full(FEWEST_CASES, FILMS - 1, dtype=np.int32)
        users = np.arange(FEWEST_CASES, dtype=np.int32)
        weights = system.fit([everything] * FEWEST_CASES, taken, users, 7)
        assert all(np.isfinite(one) for one in weights.weights.values())


class TestVectors:
    MIXED = np.array([0, 2, 4, 1, 3, 5], dtype=np.int32)

    def test_prefer_the_camp(self, collaborative_memory, crowd):
        assert (
            share_of_the_own_camp(VectorMemRec(collaborative_memory, MemRecVectorConfig()), crowd)
            == 1.0
        )

    def test_score_between_0_and_1(self, collaborative_memory, crowd):
        scores = VectorMemRec(collaborative_memory, MemRecVectorConfig()).scores(
            *same(crowd[0][0]), 0
        )
        assert 0.0 <= scores.min() < scores.max() <= 1.0

    def test_follow_what_was_liked_last(self, collaborative_memory):
        scores = VectorMemRec(collaborative_memory, MemRecVectorConfig()).scores(*same(self.MIXED))
        assert scores[7::2].min() > scores[6::2].max()

    def test_let_facets_count_as_much_as_they_are_told_to(self, collaborative_memory):
        scores = [
            VectorMemRec(collaborative_memory, MemRecVectorConfig(facets_worth=worth)).scores(
                *same(self.MIXED)
            )
            for worth in (0.0, 0.5, 1.0)
        ]
        further, nearer = (float(np.abs(one - scores[0]).max()) for one in (scores[2], scores[1]))
        assert further > nearer > 1e-4

    def test_know_nothing_of_an_empty_history(self, collaborative_memory):
        nothing = np.zeros(0, dtype=np.int32)
        scores = VectorMemRec(collaborative_memory, MemRecVectorConfig()).scores(*same(nothing))
        assert scores.tolist() == [0.5] * FILMS


class TestAnAgent:
    """Histories are of camp 0, that is horror; the model says yes to whatever is horror."""

    HISTORY = np.array([0, 2, 4], dtype=np.int32)
    CANDIDATES = (7, 6, 9, 8)

    @pytest.fixture
    def ranked(self, collaborative_memory):
        def call(config, facets=FACETS, candidates=self.CANDIDATES):
            def script(messages):
                if "Name at most" in messages[-1].content:
                    return facets
                return "0.9 0.1" if ". Horror" in messages[-1].content else "0.2 0.8"

            memory_texts = MemoryTexts(
                collaborative_memory.graph, NAMES, TITLES, np.zeros(2, dtype=bool)
            )
            model = ScriptedModel(script)
            agent = ModelMemRec(model, model, collaborative_memory, memory_texts, MOVIES, config)
            return model, agent.rank(*same(self.HISTORY), candidates)

        return call

    def test_writes_facets_once_then_judges_each_candidate(self, ranked):
        model, found = ranked(MemRecModelConfig())
        assert found.calls == model.calls == 1 + len(self.CANDIDATES)
        assert np.argsort(-found.scores, kind="stable").tolist() == [1, 3, 0, 2]
        assert found.notes == ()
        assert found.new_tokens == len(FACETS.split())
        assert found.prompt_tokens > 100

    def test_is_told_its_own_facets_surest_first(self, ranked):
        model, _ = ranked(MemRecModelConfig())
        about = model.prompts[1][1].content
        assert about.startswith("About the person: Likes horror; lately Film 4, Film 2 and Film 0.")
        assert about.endswith("like:\n- Scary stories\n- Long evenings")

    def test_is_shown_curated_neighbours_within_the_budget(self, ranked):
        shown, few = (
            ranked(MemRecModelConfig(token_budget=budget))[0].prompts[0][1].content
            for budget in (1800, 64)
        )
        count = [sum(line[:1].isdigit() for line in one.splitlines()) for one in (shown, few)]
        assert 16 == count[0] > count[1] > 0

    def test_never_sees_candidates_when_it_writes_facets(self, ranked):
        first, second = (
            ranked(MemRecModelConfig(), candidates=some)[0].prompts[0]
            for some in ((13, 15), (6, 8))
        )
        assert first == second

    def test_counts_facets_where_it_is_told_to(self, ranked):
        model, found = ranked(MemRecModelConfig(synthesis="counted"))
        assert found.calls == model.calls == len(self.CANDIDATES)
        assert "- films that are horror" in model.prompts[0][1].content
        assert (found.notes, found.new_tokens) == ((), 0)

    @pytest.mark.parametrize("written", ["nonsense", "Dark stories | 0.4 | 99\n"])
    def test_falls_back_on_counted_facets_and_says_so(self, ranked, written):
        model, found = ranked(MemRecModelConfig(), written)
        assert "- films that are horror" in model.prompts[1][1].content
        (note,) = found.notes
        assert note.endswith("Counted facets stand in.")
        assert "where a facet was asked for" in note or "no facet" in note
        # What did not parse cost its call all the same.
        assert found.calls == 1 + len(self.CANDIDATES)
        assert found.new_tokens == len(written.split())

    def test_by_itself_knows_the_person_and_no_one_else(self, ranked):
        model, found = ranked(MemRecModelConfig(synthesis="none"))
        assert found.calls == len(self.CANDIDATES)
        told = "\n".join(message.content for asked in model.prompts for message in asked)
        assert "Likes horror" in told
        assert "similar taste" not in told
        assert "Liked by people" not in told

    def test_that_is_dead_is_no_answer(self, collaborative_memory):
        memory_texts = MemoryTexts(
            collaborative_memory.graph, NAMES, TITLES, np.zeros(2, dtype=bool)
        )
        dead = ScriptedModel([])
        agent = ModelMemRec(
            dead, dead, collaborative_memory, memory_texts, MOVIES, MemRecModelConfig()
        )
        with pytest.raises(ModelError, match="The script has 0 answers"):
            agent.rank(*same(self.HISTORY), self.CANDIDATES)

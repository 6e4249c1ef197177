"""Reflection: when it stops, what it widens, which round wins, and what its critics measure."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.arrays import Indexes, Mask
from localrec.data.chat_message import Message
from localrec.data.query import TaskKind
from localrec.foundation.errors import ModelError
from localrec.llm.scripted import ScriptedModel
from localrec.ranking.critics import Assessment, MeasuredCritic, ModelCritic, ScoringCritic
from localrec.ranking.reflection import ROUNDS, THRESHOLD, reflect
from localrec.retrieval.candidates import CandidateSet, build_candidates
from localrec.retrieval.retrievers import retriever_of
from localrec.retrieval.search_query import RankedItems, SearchParams, SearchQuery
from localrec.understanding.query_parser import parse_query
from localrec.workspace.domain_context import DomainContext

FIELDS = ("relevance", "diversity", "completeness", "coherence")


class ByRound(ScoringCritic):
    """A critic that gives every set of a round the same score, and remembers what it saw."""

    answered_by = "planted"
    tokens = 0

    def __init__(self, *scores: float) -> None:
        self._scores = scores
        self.round = 0
        self.seen: list[list[int]] = []

    def assess(self, query: SearchQuery, pool: CandidateSet, items: Indexes, k: int) -> Assessment:
        self.seen.append([int(item) for item in items])
        return Assessment(*[self._scores[self.round - 1]] * 4)


class Found:
    """A retriever that finds other items each round, and tells the critic which round it is."""

    def __init__(self, critic: ByRound, count: int = 3) -> None:
        self.critic = critic
        self.count = count
        self.settings: list[SearchParams] = []

    def __call__(self, query: SearchQuery, pool: Mask, setting: SearchParams) -> RankedItems:
        self.critic.round += 1
        self.settings.append(setting)
        items = (np.arange(self.count) + self.critic.round).astype(np.int32)
        return RankedItems(items, np.linspace(1, 0, self.count, dtype=np.float32))


def asked(
    bar: DomainContext, question: str, task: TaskKind = TaskKind.C3
) -> tuple[SearchQuery, CandidateSet]:
    query = bar.search_query(question, parse_query(question, bar.vocabulary))
    return query, build_candidates(query.intent, bar.catalogue, task)


def planted(
    bar: DomainContext, *scores: float, rounds: int = ROUNDS
) -> tuple[list[int], list[float], int, Found]:
    """The items that won, the overall score of each round, the round that won, the retriever."""
    query, pool = asked(bar, "gin")
    retriever = Found(ByRound(*scores))
    reflected = reflect(query, pool, retriever, retriever.critic, 3, rounds=rounds)
    overall = [one["overall"] for one in reflected.record.scores]
    chosen = [int(item) for item in reflected.chosen.items]
    assert reflected.record.rounds == len(overall)
    return chosen, overall, reflected.record.chosen, retriever


class TestRounds:
    @pytest.mark.parametrize("score", [THRESHOLD, THRESHOLD + 0.1, 100.0])
    def test_a_good_set_ends_them(self, bar, score):
        assert planted(bar, score)[:3] == ([1, 2, 3], [round(score, 1)], 1)

    def test_a_set_just_below_the_threshold_does_not(self, bar):
        assert planted(bar, THRESHOLD - 0.1, 90)[:3] == ([2, 3, 4], [79.9, 90.0], 2)

    def test_there_are_never_more_than_three(self, bar):
        _, overall, _, retriever = planted(bar, 1, 2, 3, 99)
        assert overall == [1, 2, 3]
        assert len(retriever.settings) == 3

    @pytest.mark.parametrize(
        ("scores", "best"), [((10, 30, 20), 2), ((30, 20, 10), 1), ((5, 6, 7), 3), ((5, 5, 5), 1)]
    )
    def test_the_best_one_wins_and_the_first_of_equals(self, bar, scores, best):
        items, _, chosen, _ = planted(bar, *scores)
        assert chosen == best
        assert items == [best, best + 1, best + 2]

    def test_each_is_wider_than_the_one_before(self, bar):
        *_, retriever = planted(bar, 1, 2, 3)
        assert [setting.k for setting in retriever.settings] == [3, 4, 5]
        for before, after in zip(retriever.settings, retriever.settings[1:], strict=False):
            assert after == before.relaxed()
            assert after.seeds > before.seeds
            assert after.colour_threshold < before.colour_threshold
            assert after.complexity > before.complexity

    def test_one_is_enough_without_reflection(self, bar):
        items, overall, chosen, retriever = planted(bar, 1, 99, rounds=1)
        assert (items, overall, chosen) == ([1, 2, 3], [1], 1)
        assert retriever.critic.seen == [[1, 2, 3]]

    @settings(max_examples=30, deadline=None)
    @given(st.lists(st.floats(0, 100), min_size=3, max_size=3))
    def test_no_round_that_was_seen_is_better_than_the_one_that_won(self, bar, scores):
        _, overall, chosen, _ = planted(bar, *scores)
        assert overall[chosen - 1] == max(overall)
        assert len(overall) == 3 or scores[len(overall) - 1] >= THRESHOLD


class TestProposals:
    def test_one_that_comes_again_is_not_judged_again(self, bar):
        query, pool = asked(bar, "gin")
        critic = ByRound(1)
        critic.round = 1
        found = RankedItems(np.arange(3, dtype=np.int32), np.ones(3, dtype=np.float32))
        record = reflect(query, pool, lambda *_: found, critic, 3).record
        assert record.rounds == 3
        assert critic.seen == [[0, 1, 2]]

    def test_variety_brings_in_what_is_unlike_the_first(self, bar):
        ranks = ("gimlet", "daiquiri", "smoke-signal", "white-russian", "mojito", "limeade")
        items = [bar.catalogue.item_index(key) for key in (*ranks, "orchard", "nutty", "blue-sky")]
        found = RankedItems(np.array(items, dtype=np.int32), np.linspace(1, 0, 9, dtype=np.float32))
        query, pool = asked(bar, "sugar")
        critic = ByRound(99)
        critic.round = 1
        reflect(query, pool, lambda *_: found, critic, 3)
        three_of_a_kind, with_a_russian = items[:3], [items[0], items[1], items[3]]
        assert critic.seen == [three_of_a_kind, with_a_russian]

    @pytest.mark.parametrize("count", [0, 1, 3])
    def test_there_is_only_one_where_nothing_is_left_over(self, bar, count):
        query, pool = asked(bar, "gin")
        critic = ByRound(99)
        chosen = reflect(query, pool, Found(critic, count), critic, 3).chosen
        assert len(critic.seen) == 1
        assert len(chosen.items) == len(chosen.scores) == count

    @pytest.mark.parametrize("task", list(TaskKind))
    @pytest.mark.parametrize("k", [1, 2, 3, 17, 40])
    def test_all_come_from_the_pool_each_once(self, bar, task, k):
        query, pool = asked(bar, "a green sour without gin", task)
        chosen = reflect(query, pool, retriever_of(task), MeasuredCritic(), k).chosen
        items = chosen.items.tolist()
        assert len(items) == len(set(items)) <= k
        assert pool.items[items].all()


class TestTheMeasuredCritic:
    @settings(deadline=None)
    @given(
        items=st.lists(st.integers(0, 16), unique=True, max_size=17),
        k=st.integers(1, 30),
        question=st.sampled_from(["", "gin", "a red drink", "like a negroni", "mint, no lime"]),
    )
    def test_stays_between_0_and_100(self, bar, items, k, question):
        query, pool = asked(bar, question)
        assessment = MeasuredCritic().assess(query, pool, np.array(items, dtype=np.int32), k)
        for name in FIELDS:
            assert 0 <= getattr(assessment, name) <= 100 + 1e-9
        assert 0 <= assessment.overall <= 100 + 1e-9

    def test_scores_the_same_set_the_same(self, bar):
        query, pool = asked(bar, "a red drink")
        items = np.array([0, 1, 2], dtype=np.int32)
        first, second = (MeasuredCritic().assess(query, pool, items, 3) for _ in range(2))
        assert first == second

    def test_gives_an_empty_set_nothing(self, bar):
        query, pool = asked(bar, "gin")
        empty = np.zeros(0, dtype=np.int32)
        assert MeasuredCritic().assess(query, pool, empty, 3).overall == 0

    def test_finds_a_set_more_relevant_the_more_demands_it_meets(self, bar):
        query, pool = asked(bar, "a red drink with campari in a highball glass")
        query.__dict__["vector"] = np.zeros((1, 128), dtype=np.float32)  # the texts say nothing
        relevance = [
            MeasuredCritic()
            .assess(query, pool, np.array([bar.catalogue.item_index(key)], dtype=np.int32), 1)
            .relevance
            for key in ("gimlet", "gin-buck", "negroni", "americano")
        ]
        assert relevance == sorted(relevance)
        assert len(set(relevance)) == 4

    def test_finds_twins_less_diverse_and_more_coherent_than_strangers(self, bar):
        query, pool = asked(bar, "")
        find = bar.catalogue.item_index
        twins = np.array([find("gimlet"), find("daiquiri")], dtype=np.int32)
        strangers = np.array([find("americano"), find("nutty")], dtype=np.int32)
        alike, unlike = (MeasuredCritic().assess(query, pool, i, 2) for i in (twins, strangers))
        assert alike.diversity < unlike.diversity == 100
        assert alike.coherence > unlike.coherence

    def test_finds_a_set_incomplete_that_could_be_larger(self, bar):
        query, pool = asked(bar, "gin")  # four drinks have it
        gins = np.flatnonzero(pool.items).astype(np.int32)
        complete = [MeasuredCritic().assess(query, pool, gins[:n], 4).completeness for n in (1, 4)]
        assert complete == [25, 100]
        assert MeasuredCritic().assess(query, pool, gins, 40).completeness == 100


class TestTheModelCritic:
    def model(self, **scores: int) -> ScriptedModel:
        return ScriptedModel([json.dumps({**dict.fromkeys(FIELDS, 50), **scores})])

    def assess(
        self, bar: DomainContext, script: ScriptedModel, question: str = "gin"
    ) -> tuple[Assessment, ModelCritic]:
        query, pool = asked(bar, question)
        critic = ModelCritic(script)
        items = np.flatnonzero(pool.items).astype(np.int32)
        return critic.assess(query, pool, items, 3), critic

    def test_takes_the_model_s_four_numbers(self, bar):
        assessment, critic = self.assess(bar, self.model(relevance=100, coherence=0))
        assert assessment == Assessment(100, 50, 50, 0)
        assert assessment.overall == 50
        assert critic.tokens > 0

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "Very good!",
            "[]",
            "{}",
            '{"relevance": 90}',
            '{"relevance": 101, "diversity": 1, "completeness": 1, "coherence": 1}',
            '{"relevance": -1, "diversity": 1, "completeness": 1, "coherence": 1}',
            '{"relevance": 9.5, "diversity": 1, "completeness": 1, "coherence": 1}',
            '{"relevance": true, "diversity": 1, "completeness": 1, "coherence": 1}',
            '{"relevance": "9", "diversity": 1, "completeness": 1, "coherence": 1}',
            '{"relevance": 1, "diversity": 1, "completeness": 1, "coherence": 1, "more": 1}',
        ],
    )
    def test_takes_nothing_else(self, bar, text):
        with pytest.raises(ModelError, match="The model wrote"):
            self.assess(bar, ScriptedModel([text]))

    def test_shows_the_question_and_what_was_found_without_more_than_is_needed(self, bar):
        model = self.model()
        self.assess(bar, model, "gin " * 400)
        shown = model.prompts[0][-1].content
        assert "Wanted: 3" in shown
        assert "campari" in shown
        assert len(shown) < 1500

    def test_passes_on_that_the_model_failed(self, bar):
        query, pool = asked(bar, "gin")
        with pytest.raises(ModelError):
            reflect(query, pool, retriever_of(TaskKind.C3), ModelCritic(ScriptedModel([])), 3)

    def test_ends_the_rounds_like_any_critic(self, bar):
        def say(score: int) -> Callable[[Sequence[Message]], str]:
            return lambda messages: json.dumps(dict.fromkeys(FIELDS, score))

        query, pool = asked(bar, "gin")
        for score, rounds in ((90, 1), (20, 3)):
            critic = ModelCritic(ScriptedModel(say(score)))
            record = reflect(query, pool, retriever_of(TaskKind.C3), critic, 3).record
            assert record.rounds == rounds

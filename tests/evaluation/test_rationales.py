"""Systems with a memory say why the first place stands there, beside what is measured of them."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from localrec.data.reasons import Reason, Reasons
from localrec.evaluation.explanations.explanation_records import (
    Rationale,
    explained_rationales,
    read_run_records,
)
from localrec.evaluation.explanations.rationales import write_rationales
from localrec.evaluation.questions.store_truth import StoreTruth
from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.evaluation.ranking.inference import CaseResult, InferenceContext
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.evaluation.ranking.system_factory import MEMORIES
from localrec.foundation.errors import ModelError
from localrec.graph.domain_files import load_domain
from localrec.workspace import OpenWorkspace

from .crowd import config, measure
from .test_prompted import asked, camp_judge, lines_of, scripted  # noqa: F401 - a fixture

MOVIES = load_domain("movies")
TEN = {"candidates": 10}
SOME = 8


@pytest.fixture(scope="module")
def measured(crowd, tmp_path_factory):
    """The folder of a run over all memories."""
    folder = tmp_path_factory.mktemp("run") / "r"
    systems = [{"name": name, "kind": "memory"} for name in MEMORIES]
    measure(crowd, folder, config("popularity", *systems, protocol=TEN, rationales=SOME))
    return folder


@pytest.fixture(scope="module")
def told(measured):
    return read_run_records(measured, "rationales", Rationale)


def tops(folder, name):
    return {one["id"]: one["top"][0] for one in lines_of(folder, name)}


class TestOfAMemory:
    def test_are_told_by_every_one_for_the_same_cases(self, told):
        assert set(told) == set(MEMORIES)
        ids = {tuple(one.id for one in said) for said in told.values()}
        assert len(ids) == 1
        assert len(ids.pop()) == SOME

    def test_are_about_the_first_place(self, told, measured):
        for name, said in told.items():
            first = tops(measured, name)
            assert {one.id: one.item for one in said} == {one.id: first[one.id] for one in said}

    def test_are_counted_without_a_model(self, told):
        for said in told.values():
            assert all((one.by, one.calls, one.error) == ("template", 0, "") for one in said)
            assert sum(bool(one.rationale) for one in said) > SOME / 2

    def test_tell_of_the_nearest_people_where_they_may_be_known(self, told):
        def social(name):
            return [one.rationale for one in told[name] if "people nearest" in one.rationale]

        assert social("memrec")
        assert social("memrec-vector")
        assert not social("isolated-memory")
        assert not social("memrec-no-read")

    def test_name_nobody(self, told, crowd):
        for said in told.values():
            for one in said:
                assert not any(f"p{number:02}" in one.rationale for number in range(40))

    def test_can_be_judged(self, told, crowd):
        with OpenWorkspace(crowd) as workspace:
            explained = explained_rationales(
                "memrec",
                told["memrec"],
                lambda user: ["f01"],
                StoreTruth(workspace.store, MOVIES),
            )
        assert explained
        assert all(one.recommended.startswith("Film ") for one in explained)

    def test_are_none_where_none_are_wanted(self, crowd, tmp_path):
        table = {"name": "memrec-vector", "kind": "memory"}
        measure(crowd, tmp_path / "run", config(table, protocol=TEN, rationales=0))
        assert read_run_records(tmp_path / "run", "rationales", Rationale) == {}


def judge_who_says(reason):
    def script(messages):
        if messages[-1].content.endswith("Sentence:"):
            return reason(messages[-1].content)
        return camp_judge()(messages)

    return script


class TestOfAModel:
    def test_are_its_own_words_where_facts_carry_them(self, crowd, tmp_path, scripted):  # noqa: F811
        def quote(shown):
            name, fact, *_ = shown.splitlines()
            return f"{name[:-1]} is fine, for {fact[3:]}."

        scripted(judge_who_says(quote))
        table = asked(entry="memrec-model", sample=10)
        measure(crowd, tmp_path / "run", config(table, protocol=TEN, probe=0, rationales=4))
        (said,) = read_run_records(tmp_path / "run", "rationales", Rationale).values()
        assert len(said) == 4
        for one in said:
            number = int(one.item[1:])
            assert one.rationale.startswith(f"Film {number} is fine, for ")
            assert one.by == "model"
            assert (one.calls, one.tokens > 50) == (2, True)  # the facets again, and the sentence

    def test_are_no_part_of_what_a_case_cost(self, crowd, tmp_path, scripted):  # noqa: F811
        scripted(judge_who_says(lambda shown: "No."))
        table = asked(entry="memrec-model", sample=3)
        measure(crowd, tmp_path / "run", config(table, protocol=TEN, probe=0))
        assert {one["calls"] for one in lines_of(tmp_path / "run")} == {1 + 10}
        (said,) = read_run_records(tmp_path / "run", "rationales", Rationale).values()
        assert [one.by for one in said] == ["template"] * 3

    def test_that_fails_there_leave_the_figures_as_they_are(
        self,
        crowd,
        tmp_path,
        scripted,  # noqa: F811
    ):
        def fail(shown):
            raise ModelError("It died.")

        scripted(judge_who_says(fail))
        table = asked(entry="memrec-model-counted", sample=3)
        (found,) = measure(crowd, tmp_path / "run", config(table, protocol=TEN, probe=0)).systems
        assert (found.failed, found.faults) == ("", {})
        (said,) = read_run_records(tmp_path / "run", "rationales", Rationale).values()
        for one in said:
            assert one.notes == ("The model failed while it wrote rationales: It died.",)
            assert one.by == "template"


class Teller:
    """Says which item stands first, and counts how often it is asked."""

    def __init__(self, fails_at=-1):
        self.asked, self.fails_at = 0, fails_at

    def explain(self, requests, row, item):
        self.asked += 1
        if self.asked == self.fails_at:
            raise RuntimeError("out of memory")
        return Reasons(reasons=(Reason(text=f"It is {item}."),))


class TestTelling:
    @pytest.fixture
    def tell(self, crowd, tmp_path):
        with OpenWorkspace(crowd) as workspace:
            keyed = read_interactions(workspace.store, MOVIES)
        cases = split_data(keyed.interactions, EvaluationProtocol(candidates=10)).test.take(
            np.arange(6)
        )
        asking = InferenceContext(
            user_keys=keyed.user_keys,
            item_keys=keyed.item_keys,
            keep_known=False,
            k=10,
            seed=7,
        )
        blank = CaseResult(
            id="", user="", targets=(), first=0, tied=1, hits=(), pool=10, top=(), ms=0.0
        )
        keys = [*keyed.item_keys[:4].tolist(), ""]
        outcomes = [  # the last case was not asked, the one before named no candidate first
            msgspec.structs.replace(blank, id=str(row), top=(key,))
            for row, key in zip(cases.row.tolist(), keys, strict=False)
        ]

        def call(system):
            path = tmp_path / "rationales-x.jsonl"
            write_rationales(system.explain, path, cases, outcomes, asking, lambda *_: None)
            return read_run_records(tmp_path, "rationales", Rationale)["x"]

        return call

    def test_asks_about_cases_that_have_a_first_place(self, tell):
        system = Teller()
        said = tell(system)
        assert system.asked == 4
        assert [one.rationale for one in said] == [f"It is {number}." for number in range(4)]

    def test_goes_on_where_it_was(self, tell):
        before = tell(Teller())
        system = Teller()
        assert tell(system) == before
        assert system.asked == 0

    def test_keeps_what_was_raised_and_goes_on(self, tell):
        said = tell(Teller(fails_at=2))
        assert [bool(one.rationale) for one in said] == [True, False, True, True]
        assert said[1].error == "RuntimeError: out of memory"

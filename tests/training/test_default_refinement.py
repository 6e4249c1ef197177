"""An agent of the default's order is refined on what it confuses, and judged by whole requests."""

import msgspec
import numpy as np
import pytest

from localrec.data.chat_message import Message
from localrec.foundation.errors import CutShortError, InputError, UsageError
from localrec.memory.first_place import PLACES
from localrec.memory.rerank_stage import RerankCandidate, RerankContext
from localrec.training.adapters.lora import WEIGHTS, AdapterConfig
from localrec.training.base_model.loading import load_base
from localrec.training.examples.example import Examples
from localrec.training.examples.reranker import RankedList, question_of
from localrec.training.jobs.device_presets import preset_for
from localrec.training.jobs.training_runs import create_run, runs_folder
from localrec.training.rl import from_default
from localrec.training.rl.default_refinement import (
    PAIRS,
    confused_pairs,
    pair_questions,
    refinement_on,
)
from localrec.training.rl.from_default import (
    VERIFIER,
    FromDefaultConfig,
    refine_config_from,
    train,
)
from localrec.training.rl.preference_refinement import HardPair
from localrec.training.sft import sft_trainer
from localrec.training.sft.sft_data import SupervisedConfig, tokenize_dataset
from localrec.training.sft.sft_run import SftRunContext
from localrec.training.sft.sft_trainer import ValidationScore

PRESET = msgspec.structs.replace(preset_for(None, 1), max_tokens=2000)
TITLES = ("Gimlet", "Negroni", "Daiquiri", "Mojito", "Sour", "Fizz")


def silent(what, done, total):
    pass


def list_of(choice, number):
    """A list of six drinks, of which the one at a place was chosen."""
    titles = TITLES[number % 6 :] + TITLES[: number % 6]
    return RankedList(
        context=RerankContext(memory=f"lately {titles[-1]}", facets=[], confidences=[]),
        candidates=[RerankCandidate(title=one, memory="") for one in titles],
        default=-0.5 * np.arange(6),
        choice=choice,
        singular="drink",
        split_keys=(f"person {number}",),
    )


LEARNT = [list_of(number % 3, number) for number in range(12)]
REQUESTS = Examples(
    role="reranker",
    train=tuple(map(question_of, LEARNT)),
    validation=tuple(question_of(list_of(number % 3, 100 + number)) for number in range(4)),
)


def config_of(**changes):
    usual = {
        "base": "tiny",
        "epochs": 2,
        "batch": 4,
        "checks": 1,
        "learning_rate": 0.02,
        "threads": 1,
        "temperature": 1.0,
        "adapter": AdapterConfig(rank=4, alpha=8),
    }
    return FromDefaultConfig(**{**usual, **changes})


@pytest.fixture
def base(tiny_llama):
    return load_base(tiny_llama.gguf)


def made_of(base, config, examples=REQUESTS):
    tokenized = tokenize_dataset(base, examples, PRESET)
    return SftRunContext(
        config=config, examples=examples, tokenized=tokenized, base=base, preset=PRESET
    )


@pytest.fixture
def trained(base, tmp_path):
    """A finished run in a workspace, and what it came to."""
    made = made_of(base, config_of(upper_layers=1))
    run = create_run(runs_folder(tmp_path), "first", made.config, made.data)
    return run, train(run, made, silent)[0]


def refinement(base, tmp_path, pairs=(), **changes):
    config = refine_config_from(tmp_path, "first", changes)
    run = from_default.open_run(runs_folder(tmp_path) / "first")
    return refinement_on(made_of(base, config), LEARNT, run, silent, pairs=pairs)


def begun(tmp_path, made, name="second"):
    return create_run(runs_folder(tmp_path), name, made.config, made.data)


class TestConfusedPairs:
    @staticmethod
    def pairs_of(answer, choice, seed=0):
        chances = np.eye(6)[[answer]]
        return confused_pairs([list_of(choice, 0)], chances, seed)

    def test_hold_the_choice_and_one_that_the_answer_puts_above_it(self):
        drawn = [pair for seed in range(60) for pair in self.pairs_of(4, 2, seed)]
        assert {pair.chosen for pair in drawn} == {3}  # numbers from 1
        assert {pair.rival for pair in drawn} == {5, 1, 2}

    def test_are_one_of_each_request_that_is_answered_wrongly(self):
        assert self.pairs_of(2, 2) == []
        assert self.pairs_of(0, 0) == []
        assert self.pairs_of(3, 0) == [HardPair(request=0, chosen=1, rival=4)]


class TestQuestionsAboutAPair:
    def test_are_two_in_both_orders_on_the_prompt_that_serves(self):
        pair = HardPair(request=3, chosen=1, rival=5)
        both = list(pair_questions(LEARNT, [pair]))
        titles = [LEARNT[3].candidates[place].title for place in (0, 4)]
        lines = [one.messages[-1].content.splitlines()[-2:] for one in both]
        assert lines[0] == [f"A. 88% {titles[0]}", f"B. 12% {titles[1]}"]
        assert lines[1] == [f"A. 12% {titles[1]}", f"B. 88% {titles[0]}"]
        assert [one.answer for one in both] == ["keep", "B"]
        whole = REQUESTS.train[3]
        for one in both:
            assert one.labels == PLACES[:2]
            assert one.messages[0] == whole.messages[0]
            assert one.split_keys == whole.split_keys
            assert isinstance(one.messages[1], Message)


class TestARefinement:
    def test_learns_pairs_from_the_adapter_and_is_judged_by_requests(self, base, tmp_path, trained):
        made = refinement(base, tmp_path, learning_rate=0.01)
        assert 0 < len(made.pairs) <= len(LEARNT)
        assert len(made.examples.train) == 2 * len(made.pairs)
        assert made.examples.validation == REQUESTS.validation
        run = begun(tmp_path, made)
        outcome, verifier = train(run, made, silent)
        assert outcome.before.loss == pytest.approx(trained[1].best.loss, abs=1e-5)
        assert outcome.best.loss <= outcome.before.loss
        assert verifier.cases == len(REQUESTS.validation)
        assert run.config(FromDefaultConfig).refine == "first"

    def test_keeps_the_run_as_it_was_where_requests_get_worse(
        self, base, tmp_path, trained, monkeypatch
    ):
        looked_at = []

        def validate(model, half, *more):
            looked_at.append(half)
            return ValidationScore(loss=float(len(looked_at)), accuracy=0.0)

        monkeypatch.setattr(sft_trainer, "validate", validate)
        made = refinement(base, tmp_path)
        run = begun(tmp_path, made)
        outcome, _ = train(run, made, silent)
        assert (outcome.best_step, len(looked_at)) == (0, 3)
        assert set(looked_at) == {tokenize_dataset(base, REQUESTS, PRESET).validation}
        ours, before = ((one.adapter / WEIGHTS).read_bytes() for one in (run, trained[0]))
        assert ours == before

    def test_that_is_stopped_goes_on_as_if_it_had_not_been(
        self, base, tmp_path, trained, monkeypatch
    ):
        made = refinement(base, tmp_path)
        whole = begun(tmp_path, made, "whole")
        train(whole, made, silent)

        def stop_at_the_third(what, done, total):
            if what.startswith("training") and done == 3:
                import signal

                signal.raise_signal(signal.SIGINT)

        with pytest.raises(CutShortError):
            train(begun(tmp_path, made, "stopped"), made, stop_at_the_third)
        searched = []

        def prepared(workspace, config, progress, distributed, pairs):
            searched.append(pairs)
            return refinement(base, workspace, pairs=pairs)

        monkeypatch.setattr(from_default, "prepared", prepared)
        stopped, again = from_default.resumed(tmp_path, "stopped", silent)
        assert searched == [list(made.pairs)]  # kept in the run, and not searched anew
        train(stopped, again, silent)
        values = [[one.values for one in run.records()] for run in (whole, stopped)]
        assert values[0] == values[1]
        for name in (VERIFIER, PAIRS):
            assert (whole.path / name).read_bytes() == (stopped.path / name).read_bytes()

    def test_belongs_to_the_adapter_that_it_began_with(self, base, tmp_path, trained):
        run, _ = trained
        made = refinement(base, tmp_path)
        begun(tmp_path, made)
        weights = run.adapter / WEIGHTS
        weights.write_bytes(weights.read_bytes()[:-4] + b"\0\0\0\1")
        other = refinement(base, tmp_path, pairs=made.pairs)
        with pytest.raises(InputError, match="another fingerprint"):
            from_default.continue_run(tmp_path, "second", other)


class TestWhatIsRefused:
    def test_is_an_agent_that_confuses_nothing(self, base, tmp_path, trained, monkeypatch):
        monkeypatch.setattr(
            "localrec.training.rl.default_refinement.answer_probabilities",
            lambda *_: np.eye(6)[[one.choice for one in LEARNT]],
        )
        with pytest.raises(InputError, match="first confused nothing in 12 requests"):
            refinement(base, tmp_path)

    def test_is_a_run_that_learnt_from_other_requests(self, base, tmp_path, trained):
        fewer = msgspec.structs.replace(REQUESTS, train=REQUESTS.train[1:])
        made = made_of(base, refine_config_from(tmp_path, "first", {}), fewer)
        with pytest.raises(InputError, match="first learnt from other requests"):
            refinement_on(made, LEARNT[1:], trained[0], silent)

    def test_is_a_run_that_is_not_finished_or_of_another_kind(self, base, tmp_path):
        made = made_of(base, config_of())
        create_run(runs_folder(tmp_path), "begun", made.config, made.data)
        other = SupervisedConfig(role="reranker", base="tiny")
        create_run(runs_folder(tmp_path), "other", other, made.data).finish()
        for name in ("begun", "other"):
            with pytest.raises(UsageError, match=f"{name} is no finished run of train from-de"):
                refine_config_from(tmp_path, name, {})
        with pytest.raises(InputError):
            refine_config_from(tmp_path, "nothing", {})

    def test_is_a_refinement_of_a_refinement(self, base, tmp_path):
        made = made_of(base, config_of(refine="first"))
        create_run(runs_folder(tmp_path), "second", made.config, made.data).finish()
        with pytest.raises(UsageError, match="second is a refinement of first already"):
            refine_config_from(tmp_path, "second", {})

    def test_is_a_setting_that_is_the_runs(self, tmp_path, trained):
        with pytest.raises(UsageError, match="takes base, train from first"):
            refine_config_from(tmp_path, "first", {"train": 5, "base": "b", "seed": 1})
        config = refine_config_from(tmp_path, "first", {"seed": 3, "epochs": 9})
        assert (config.seed, config.epochs, config.upper_layers) == (3, 9, 1)

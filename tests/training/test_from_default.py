"""GRPO from the default's order: gains are earned, and a change counts where it is sure."""

import json
from itertools import islice

import msgspec
import numpy as np
import pytest
import torch

from localrec.data.chat_message import Message
from localrec.evaluation.ranking.metrics import hits_of, ndcg
from localrec.foundation.errors import CutShortError, UsageError
from localrec.memory.first_place import PLACES, first_place_prompt
from localrec.training.adapters.lora import AdapterConfig, attach, detach, load_adapter
from localrec.training.base_model.loading import load_base
from localrec.training.base_model.upper_layers import UpperLayers
from localrec.training.examples.default_order import disagreements
from localrec.training.examples.example import Example, Examples
from localrec.training.examples.next_choices import drawn_order
from localrec.training.jobs.device_presets import preset_for
from localrec.training.jobs.training_runs import create_run
from localrec.training.rl.answer_scoring import (
    answer_probabilities,
    choices_of,
    gain_losses,
    gain_scoring,
)
from localrec.training.rl.change_verifier import ChangeVerifier, calibrated_verifier, gains_of
from localrec.training.rl.from_default import VERIFIER, FromDefaultConfig, requests_of, train
from localrec.training.rl.rewards import answer_gains, gain_reward
from localrec.training.sft.sft_data import tokenize_dataset
from localrec.training.sft.sft_loss import answer_scores
from localrec.training.sft.sft_run import SftRunContext
from localrec.training.sft.tokenized_examples import TokenizedExample, tokenize_example
from tests.training.test_reranker import NextChoices, counted, rows, tavern  # noqa: F401  # fixtures

PRESET = msgspec.structs.replace(preset_for(None, 1), max_tokens=120)
SHOWN = len(PLACES)


def silent(what, done, total):
    pass


@pytest.fixture
def base(tiny_llama):
    return load_base(tiny_llama.gguf)


class TestTheReward:
    def test_is_the_gain_in_the_evaluations_metric(self):
        for choice in range(SHOWN):
            for place, gain in enumerate(answer_gains(choice, SHOWN)):
                order = [place, *(one for one in range(SHOWN) if one != place)]
                before, after = (
                    ndcg(hits_of(one, (choice,)), 1, SHOWN) for one in (range(SHOWN), order)
                )
                assert gain == pytest.approx(after - before)

    def test_of_keeping_is_nothing_and_of_the_right_change_the_most(self):
        for choice in range(SHOWN):
            gains = answer_gains(choice, SHOWN)
            assert gains[0] == 0
            assert max(gains) == gains[choice]

    def test_of_a_wrong_change_is_a_loss_where_it_pushes_the_choice_down(self):
        gains = answer_gains(2, SHOWN)
        assert gains[1] == 0  # stood above it before
        assert gains[3] == gains[4] < 0

    def test_is_nothing_where_the_list_lacks_the_choice(self):
        assert gain_reward([2, 1], [1, 2], target=9, k=2).outcome == 0


class TestRequests:
    @pytest.fixture
    def lists(self, counted):  # noqa: F811
        return NextChoices(*counted, seed=0)

    def test_show_the_candidates_in_the_order_of_the_default_on_the_prompt_that_serves(self, lists):
        found = requests_of(lists, FromDefaultConfig(base="tiny", train=10**6))
        told = {
            first_place_prompt(one.context, one.candidates, one.default, one.singular)
            for half in ("train", "validation")
            for one in lists.examples(half)
        }
        assert {one.messages for one in (*found.train, *found.validation)} == told
        for one in islice(lists.examples("train"), 20):
            assert list(one.default) == sorted(one.default, reverse=True)

    def test_in_which_the_default_is_right_teach_to_keep_it_or_nothing(self, lists):
        kept, left = (
            requests_of(lists, FromDefaultConfig(base="tiny", train=10**6, only_gains=only_gains))
            for only_gains in (False, True)
        )
        assert "keep" in {one.answer for one in kept.train}
        assert left.train == tuple(one for one in kept.train if one.answer != "keep")
        assert left.validation == kept.validation  # what is measured stays as it is

    def test_are_ordered_by_lot_where_nothing_is_known_of_the_evidence(self, counted):  # noqa: F811
        alike = np.zeros(len(counted[0]))
        plain, drawn = (
            [one.choice for one in NextChoices(*counted, 0, weights).examples("train")]
            for weights in (None, alike)
        )
        assert sorted(plain) == sorted(drawn)


class TestTheCurriculum:
    CASES = np.arange(1000)
    DISPUTED = (CASES % 4 == 0).astype(float)

    def drawn(self, seed):
        return drawn_order(self.CASES, self.DISPUTED, np.random.default_rng(seed))

    def test_brings_what_the_evidence_disagrees_about_earlier_but_not_alone(self):
        early = self.DISPUTED[self.drawn(0)[:100]].mean()
        assert 0.6 < early < 0.95  # of a quarter

    def test_draws_each_request_once_and_the_same_again(self):
        assert sorted(self.drawn(3)) == self.CASES.tolist()
        assert (self.drawn(3) == self.drawn(3)).all()
        assert (self.drawn(3) != self.drawn(4)).any()

    def test_counts_the_voters_that_do_not_vote_for_the_defaults_first(self, counted):  # noqa: F811
        cases = counted[0].take(np.arange(2))

        class Ranker:
            """Two kinds of evidence, of which one agrees with the default in both cases."""

            def signals(self, histories):
                scores = np.zeros((2, 1 + int(cases.candidates.max())))
                agreeing, other = scores.copy(), scores.copy()
                for row in range(2):
                    agreeing[row, cases.candidates[row, 1]] = 1
                    other[row, cases.candidates[row, row + 1]] = 1
                return {"transitions": agreeing, "user-knn": other}

        shown = np.array([[1, 2, 0], [1, 2, 0]])
        assert disagreements(Ranker(), cases, shown).tolist() == [0.0, 0.5]


class TestTheGradient:
    def test_is_the_probability_times_the_advantage_of_each_answer(self):
        example = TokenizedExample((0,), (7,), (0,), (5, 6, 7))  # the third was chosen
        scores = torch.tensor([[9.0] * 5 + [0.3, -0.2, 0.1]], requires_grad=True)
        loss, right = gain_losses(scores, [example])
        loss.backward()
        p = scores[0, 5:].softmax(0).detach()
        gains = torch.tensor(answer_gains(2, 3))
        assert loss.item() == pytest.approx(-float(p @ gains))
        assert scores.grad[0, 5:].tolist() == pytest.approx((-p * (gains - p @ gains)).tolist())
        assert not scores.grad[0, :5].any()  # no answer is invalid
        assert right == 0

    def test_reaches_at_a_temperature_what_is_next_to_never_answered(self):
        example = TokenizedExample((0,), (0,), (0,), (0, 1, 2))  # keeping was right
        moved = []
        for temperature in (1.0, 4.0):
            scores = torch.tensor([[-12.0, 0.0, 0.0]], requires_grad=True)
            gain_losses(scores, [example], temperature=temperature)[0].backward()
            moved.append(-scores.grad[0, 0].item())
        assert 0 < moved[0] < 1e-5
        assert moved[1] > 1e-3

    def test_leads_to_chances_that_tell_what_an_answer_gains(self):
        example = TokenizedExample((0,), (1,), (0,), (0, 1, 2))  # the second was chosen
        scores = torch.tensor([[4.0, 0.0, -1.0]], requires_grad=True)
        optimiser = torch.optim.Adam([scores], lr=0.1)
        for _ in range(500):
            optimiser.zero_grad()
            gain_losses(scores, [example], entropy=0.2)[0].backward()
            optimiser.step()
        wanted = (torch.tensor(answer_gains(1, 3)) / 0.2).softmax(0)
        assert scores[0].softmax(0).tolist() == pytest.approx(wanted.tolist(), abs=1e-3)


class TestTheVerifier:
    #                             keep  B    C
    SURE_AND_RIGHT = (0.1, 0.8, 0.1), 1
    UNSURE_AND_WRONG = (0.4, 0.45, 0.15), 0
    KEEPS = (0.9, 0.05, 0.05), 0

    @staticmethod
    def of(*requests):
        return np.array([one for one, _ in requests]), np.array([two for _, two in requests])

    def test_keeps_the_default_where_the_agent_is_not_sure(self):
        told = self.of(self.SURE_AND_RIGHT, self.UNSURE_AND_WRONG, self.KEEPS)
        found = calibrated_verifier(*told)
        assert found.verified(told[0]).tolist() == [1, 0, 0]
        assert (found.cases, found.coverage) == (3, pytest.approx(1 / 3))
        assert found.gain == pytest.approx(answer_gains(1, 3)[1] / 3)
        assert found.alone < found.gain

    def test_keeps_it_everywhere_where_no_change_gained_anything(self):
        told = self.of(self.UNSURE_AND_WRONG, self.KEEPS)
        found = calibrated_verifier(*told)
        assert found.least_lead is None
        assert (found.coverage, found.gain) == (0, 0) and found.alone < 0
        assert found.verified(self.of(self.SURE_AND_RIGHT)[0]).tolist() == [0]
        assert "none is sure enough" in found.as_sentence()

    def test_never_counts_what_the_agent_itself_keeps(self):
        told = self.of(*[((0.5, 0.4, 0.1), 1)] * 5)
        assert calibrated_verifier(*told).verified(told[0]).tolist() == [0] * 5

    def test_counts_changes_of_equal_leads_all_or_not_at_all(self):
        right, wrong = ((0.1, 0.8, 0.1), 1), ((0.1, 0.8, 0.1), 0)
        assert calibrated_verifier(*self.of(right, wrong, wrong)).least_lead is None
        assert calibrated_verifier(*self.of(right, right, wrong)).coverage == 1

    def test_knows_that_nothing_is_won_or_lost_beyond_the_shown(self):
        assert gains_of(np.array([1, 1]), np.array([9, 1]), 3).tolist() == [
            0.0,
            answer_gains(1, 3)[1],
        ]

    def test_is_kept_as_a_record(self):
        never = ChangeVerifier(least_lead=None, cases=3)
        assert msgspec.json.decode(msgspec.json.encode(never), type=ChangeVerifier) == never


class TestUpperLayers:
    TOKENS = ((1, 2, 3, 4, 5), (6, 7, 8))

    def test_compute_what_the_whole_network_computes(self, base):
        model = attach(base, AdapterConfig(rank=2, alpha=4), seed=1)
        upper = UpperLayers(model, 1)
        for name, one in model.named_parameters():
            if "lora_B" in name and one.requires_grad:
                torch.nn.init.normal_(one)  # an adapter that was trained in the upper layer
        found = upper.hidden(self.TOKENS)
        network = model.get_base_model().model
        for row, tokens in enumerate(self.TOKENS):
            whole = network(input_ids=torch.tensor([tokens])).last_hidden_state[0]
            assert torch.allclose(found[row, : len(tokens)], whole, atol=1e-5)
        detach(model)

    def test_alone_are_trained_and_what_lies_below_is_read_once(self, base):
        model = attach(base, AdapterConfig(rank=2, alpha=4), seed=1)
        upper = UpperLayers(model, 1)
        trained = [name for name, one in model.named_parameters() if one.requires_grad]
        assert trained and all(".layers.1." in name for name in trained)
        read = []
        lowest = model.get_base_model().model.layers[0]
        lowest.register_forward_hook(lambda *_: read.append(1))
        first = upper.hidden(self.TOKENS)
        assert read
        read.clear()
        assert torch.equal(upper.hidden(self.TOKENS), first)
        assert not read
        detach(model)

    @pytest.mark.parametrize("count", [0, 2])
    def test_are_some_but_not_all(self, base, count):
        model = attach(base, AdapterConfig(rank=2, alpha=4))
        with pytest.raises(UsageError, match="cannot be trained alone"):
            UpperLayers(model, count)
        detach(model)


def asked(text, answer):
    return Example(messages=(Message("user", text),), answer=answer, labels=PLACES)


# Which one to put first is in the question.
EXAMPLES = Examples(
    role="reranker",
    train=tuple(
        asked(f"{lead}{word}", word) for lead in ("a ", "the ", "") for word in PLACES[:3] * 2
    ),
    validation=tuple(asked(f"an {word}", word) for word in PLACES[:3]),
)


def config_of(**changes):
    usual = {
        "base": "tiny",
        "epochs": 8,
        "batch": 6,
        "checks": 1,
        "patience": 50,
        "learning_rate": 0.03,
        "threads": 1,
        "entropy": 0.1,
        "temperature": 1.0,
        "adapter": AdapterConfig(rank=4, alpha=8),
    }
    return FromDefaultConfig(**{**usual, **changes})


def made_of(base, config):
    return SftRunContext(
        config=config,
        examples=EXAMPLES,
        tokenized=tokenize_dataset(base, EXAMPLES, PRESET),
        base=base,
        preset=PRESET,
    )


def begun(folder, made, name="run"):
    return create_run(folder, name, made.config, made.data)


@pytest.mark.parametrize("upper_layers", [0, 1])
class TestATraining:
    def test_gains_more_than_before_and_calibrates_its_verifier(self, base, tmp_path, upper_layers):
        made = made_of(base, config_of(upper_layers=upper_layers))
        run = begun(tmp_path, made)
        trained, verifier = train(run, made, silent)
        assert trained.best.loss < trained.before.loss - 0.02
        assert run.state.status == "finished"
        kept = json.loads((run.path / VERIFIER).read_bytes())
        assert kept["cases"] == verifier.cases == 3
        # The adapter is a plain one: without the upper layers by themselves it says the same.
        model = load_adapter(base, run.adapter)
        half = made.tokenized.validation
        chances = answer_probabilities(model, half, gain_scoring(model, 0, {}))
        expected = np.mean(
            [p @ answer_gains(c, SHOWN) for p, c in zip(chances, choices_of(half), strict=True)]
        )
        detach(model)
        softness = -0.1 * np.sum(chances * np.log(chances), axis=1).mean()
        assert expected + softness == pytest.approx(-trained.best.loss, abs=1e-4)

    def test_that_is_stopped_goes_on_as_if_it_had_not_been(self, base, tmp_path, upper_layers):
        made = made_of(base, config_of(upper_layers=upper_layers, epochs=4))
        whole = begun(tmp_path, made, "whole")
        train(whole, made, silent)

        def stop_at_the_fifth(what, done, total):
            if what.startswith("training") and done == 5:
                import signal

                signal.raise_signal(signal.SIGINT)

        stopped = begun(tmp_path, made, "stopped")
        with pytest.raises(CutShortError):
            train(stopped, made, stop_at_the_fifth)
        assert not (stopped.path / VERIFIER).exists()
        train(stopped, made, silent)
        values = [[one.values for one in run.records()] for run in (whole, stopped)]
        assert values[0] == values[1]
        assert (whole.path / VERIFIER).read_bytes() == (stopped.path / VERIFIER).read_bytes()


def test_the_answers_are_read_where_the_role_reads_them(base):
    tokenized = tokenize_example(base, EXAMPLES.train[0])
    model = attach(base, AdapterConfig(rank=2, alpha=4))
    found = answer_probabilities(model, [tokenized], gain_scoring(model, 0, {}))
    with torch.inference_mode():
        wanted = answer_scores(model, [tokenized])[0, list(tokenized.choices)].softmax(0)
    detach(model)
    assert found[0].tolist() == pytest.approx(wanted.tolist())

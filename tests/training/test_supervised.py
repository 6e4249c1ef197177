"""Supervised training: answers alone are learnt, the best state kept; a stop changes nothing."""

import json
import signal

import msgspec
import pytest
import torch

from localrec.data.chat_message import Message
from localrec.foundation.errors import BusyError, CutShortError, InputError, UsageError
from localrec.training.adapters.lora import (
    AdapterConfig,
    attach,
    detach,
    load_adapter,
    read_weights,
)
from localrec.training.base_model.loading import load_base, prompt_tokens
from localrec.training.examples.example import Example, Examples
from localrec.training.jobs.device_presets import preset_for
from localrec.training.jobs.optimizer_state import rate_at
from localrec.training.jobs.training_runs import continued_run, create_run, open_run
from localrec.training.sft.sft_data import SupervisedConfig, tokenize_dataset, training_data
from localrec.training.sft.sft_loss import (
    accumulate_gradients,
    answer_losses,
    answer_scores,
    evaluate_answers,
)
from localrec.training.sft.sft_trainer import stop_between_steps, train_adapter, validate
from localrec.training.sft.tokenized_examples import (
    TokenizedExample,
    batches_of,
    common_prefix_length,
    group_by_prompt,
    micro_batches,
    tokenize_example,
)

LABELS = ("gin", "rum")
EXERCISE = TokenizedExample(tokens=(0, 3), targets=(1,), places=(1,), choices=(1, 2))
PRESET = msgspec.structs.replace(preset_for(None, 1), max_tokens=120)


def choice(text, answer):
    return Example(messages=(Message("user", text),), answer=answer, labels=LABELS)


def written(text, answer):
    return Example(messages=(Message("user", text),), answer=answer)


# The answer is in the question, in other words in each half.
EXAMPLES = Examples(
    role="router",
    train=tuple(
        choice(f"{lead}{word}", word) for lead in ("a ", "the ", "my ", "") for word in LABELS * 2
    ),
    validation=tuple(choice(f"some {word}", word) for word in LABELS),
)


def config_of(**changes):
    usual = {
        "role": "router",
        "base": "tiny",
        "epochs": 6,
        "batch": 4,
        "checks": 2,
        "patience": 50,
        "learning_rate": 0.02,
        "threads": 1,
        "adapter": AdapterConfig(rank=4, alpha=8, dropout=0.1),
    }
    return SupervisedConfig(**{**usual, **changes})


@pytest.fixture
def base(tiny_llama):
    return load_base(tiny_llama.gguf)


def begun(base, folder, config, examples=EXAMPLES, name="run"):
    return create_run(folder, name, config, training_data(config, base, examples))


def trained(base, run, config, examples=EXAMPLES, progress=lambda what, done, of: None):
    return train_adapter(
        run, base, tokenize_dataset(base, examples, PRESET), config, PRESET, progress
    )


def assert_same_weights(one, other):
    ours, theirs = read_weights(one), read_weights(other)
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


class TestWhatIsLearnt:
    def test_of_a_choice_the_first_token_of_the_answer_alone(self, base):
        found = tokenize_example(base, choice("a gin", "gin"))
        prompt = prompt_tokens(base, [Message("user", "a gin")])
        assert list(found.tokens) == prompt
        assert found.places == (len(prompt) - 1,)
        assert len(found.targets) == 1 and found.targets[0] == found.choices[0]

    def test_of_what_is_written_every_token_and_the_end_of_the_turn(self, base):
        messages = [Message("user", "a gin")]
        found = tokenize_example(base, written("a gin", "gin"))
        whole = prompt_tokens(base, messages, "gin")
        assert list(found.tokens) == whole
        answer = whole[len(prompt_tokens(base, messages)) :]
        assert list(found.targets) == [*answer, base.tokenizer.eos_token_id]

    def test_of_a_conversation_all_that_the_model_says_and_nothing_it_is_told(self, base):
        said = (
            *(Message("system", "Sell."), Message("user", "a gin?")),
            *(Message("assistant", "gin now"), Message("user", "more")),
        )
        found = tokenize_example(
            base, Example(messages=said, answer="gin later", prompt_messages=2)
        )
        end = base.tokenizer.eos_token_id
        assert base.tokenizer.decode(found.targets).split() == [
            *("gin", "now<|im_end|>gin", "later<|im_end|>")
        ]
        assert found.targets.count(end) == 2
        for place, target in zip(found.places[:-1], found.targets[:-1], strict=True):
            assert found.tokens[place + 1] == target
        assert list(found.tokens) == prompt_tokens(base, said, "gin later")

    def test_a_control_token_in_a_question_stays_letters(self, base):
        found = tokenize_example(base, choice("gin<|im_end|>", "gin"))
        assert found.tokens.count(base.tokenizer.eos_token_id) == 1  # the template's own

    def test_the_scores_are_those_of_the_whole_network(self, base):
        exercises = [tokenize_example(base, written(text, "gin")) for text in ("a", "a longer one")]
        model = attach(base, AdapterConfig(rank=2, alpha=4))
        with torch.inference_mode():
            found = answer_scores(model.eval(), exercises)
            whole = [
                model(input_ids=torch.tensor([one.tokens])).logits[0, one.places]
                for one in exercises
            ]
        detach(model)
        assert torch.allclose(found, torch.cat(whole), atol=1e-4)

    def test_a_gradient_reaches_nothing_but_the_adapter(self, base):
        exercise = tokenize_example(base, choice("a gin", "gin"))
        model = attach(base, AdapterConfig(rank=2, alpha=4))
        answer_losses(answer_scores(model, [exercise]), [exercise])[0].backward()
        touched = {name for name, one in model.named_parameters() if one.grad is not None}
        detach(model)
        assert touched
        assert all("lora_" in name for name in touched)

    def test_an_answer_is_right_only_to_its_last_token(self):
        exercise = msgspec.structs.replace(EXERCISE, targets=(1, 2), choices=())
        scores = torch.tensor([[0.0, 9, 0, 0], [0.0, 0, 9, 0]])
        assert answer_losses(scores, [exercise])[1] == 1
        assert answer_losses(scores.flip(0), [exercise])[1] == 0

    def test_a_choice_is_right_when_its_label_leads_the_others(self):
        scores = torch.tensor([[9.0, 2, 1, 0]])  # the likeliest token is no label
        assert answer_losses(scores, [EXERCISE])[1] == 1


def beginning_alike(*rests):
    """Exercises of one opening of six tokens, the last of which something is said behind."""
    opening = (5, 9, 3, 7, 11, 4)
    return [TokenizedExample((*opening, *rest), (2, 6), (5, 5 + len(rest)), ()) for rest in rests]


class TestAnOpeningThatAllShare:
    ALIKE = beginning_alike((8,), (3, 3, 8), (8, 1), (2, 4, 9, 10))

    def test_ends_before_the_first_place_behind_which_something_is_said(self):
        assert common_prefix_length(self.ALIKE) == 5

    def test_ends_where_two_differ(self):
        other = msgspec.structs.replace(self.ALIKE[0], tokens=(5, 9, 3, 1, 11, 4, 8))
        assert common_prefix_length([*self.ALIKE, other]) == 3

    def test_is_left_where_it_spares_little(self):
        assert common_prefix_length(self.ALIKE[:1]) == 0
        longer = [one.behind(4) for one in self.ALIKE]
        assert common_prefix_length(longer) == 0

    @pytest.mark.parametrize("most_tokens", [1, 4096])
    def test_teaches_what_the_exercises_teach_one_by_one(self, base, most_tokens):
        model = attach(base, AdapterConfig(rank=4, alpha=8, dropout=0.0), seed=1)
        torch.manual_seed(2)
        for name, weight in model.named_parameters():
            if "lora_B" in name:  # a fresh adapter is silent
                weight.data.normal_(std=0.3)
        found = {}
        for share in (False, True):
            judged = accumulate_gradients(model, self.ALIKE, most_tokens, share=share)
            found[share] = (
                judged,
                [one.grad.clone() for one in model.parameters() if one.grad is not None],
            )
            model.zero_grad()
        read = evaluate_answers(model, self.ALIKE, most_tokens)
        detach(model)
        (alone, wanted), (together, gradients) = found[False], found[True]
        assert together == pytest.approx(alone, rel=1e-5) == read
        assert any(bool(one.abs().max() > 1e-3) for one in wanted)
        for one, other in zip(gradients, wanted, strict=True):
            assert torch.allclose(one, other, atol=1e-5)

    def test_is_computed_once(self, base, monkeypatch):
        model = attach(base, AdapterConfig(rank=2, alpha=4))
        network, read = model.get_base_model().model, []
        forward = network.forward

        def counted(*args, **named):
            read.append(tuple(named["input_ids"].shape))
            return forward(*args, **named)

        monkeypatch.setattr(network, "forward", counted)
        accumulate_gradients(model, self.ALIKE, 4096)
        detach(model)
        assert read == [(1, 5), (4, 5)]


class TestBatches:
    LENGTHS = [7, 30, 8, 29, 6, 31, 9, 28, 5, 27] * 4
    EXERCISES = tuple(
        TokenizedExample(tuple(range(at, at + length)), (1,), (length - 1,))
        for at, length in enumerate(LENGTHS)
    )

    def test_each_exercise_comes_once_in_a_pass(self):
        batches = batches_of(self.EXERCISES, 4, seed=1, epoch=0)
        assert len(batches) == 10
        learnt = [one.tokens for batch in batches for one in batch]
        assert sorted(learnt) == sorted(one.tokens for one in self.EXERCISES)

    def test_a_pass_has_an_order_of_its_own_that_can_be_had_again(self):
        first = batches_of(self.EXERCISES, 4, seed=1, epoch=0)
        assert first == batches_of(self.EXERCISES, 4, seed=1, epoch=0)
        assert first != batches_of(self.EXERCISES, 4, seed=1, epoch=1)

    def test_equal_lengths_go_together(self):
        batches = batches_of(self.EXERCISES, 4, seed=1, epoch=0)
        padded = sum(4 * max(len(one.tokens) for one in batch) for batch in batches)
        assert padded < 1.3 * sum(self.LENGTHS)

    def test_those_of_one_prompt_stay_together(self):
        families = [
            [TokenizedExample((*range(at, at + 9), said), (1,), (8,)) for said in range(3)]
            for at in range(6)
        ]
        exercises = [one for family in families for one in family]
        batches = batches_of(exercises, 6, seed=1, epoch=0)
        assert [len(batch) for batch in batches] == [6, 6, 6]
        assert all(len({one.prompt for one in batch}) == 2 for batch in batches)
        assert [len(family) for family in group_by_prompt(batches[0])] == [3, 3]
        assert group_by_prompt([exercises[0], exercises[3]]) == [[exercises[0], exercises[3]]]

    def test_a_batch_is_cut_where_a_machine_takes_no_more_tokens(self, base):
        exercises = [tokenize_example(base, one) for one in EXAMPLES.train]
        most = 3 * max(len(one.tokens) for one in exercises)
        pieces = micro_batches(exercises, most)
        assert sum(map(len, pieces)) == len(exercises)
        assert all(len(p) * max(len(one.tokens) for one in p) <= most for p in pieces)
        assert all(len(piece) == 1 for piece in micro_batches(exercises, 1))

    def test_an_opening_counts_for_each_that_attends_to_it(self):
        four = self.EXERCISES[:1] * 4
        assert [len(piece) for piece in micro_batches(four, 2 * (93 + 7), prefix_length=93)] == [
            2,
            2,
        ]


def test_the_learning_rate_rises_and_then_falls_to_nothing():
    rates = [rate_at(step, 20, 0.1, 0.2) for step in range(1, 21)]
    assert rates[:4] == pytest.approx([0.025, 0.05, 0.075, 0.1])
    assert rates[3:] == sorted(rates[3:], reverse=True)
    assert 0 < rates[-1] < 0.01


class TestATraining:
    def test_learns_what_the_validation_half_asks_in_other_words(self, base, tmp_path):
        config = config_of(epochs=12)
        run = begun(base, tmp_path, config)
        found = trained(base, run, config)
        assert found.best.accuracy == 1.0
        assert found.best.loss < found.before.loss
        assert found.tokens_per_second > 0
        assert run.state.status == "finished"
        assert not base.is_adapted

    def test_keeps_the_state_that_was_best(self, base, tmp_path):
        config = config_of()
        run = begun(base, tmp_path, config)
        found = trained(base, run, config)
        lesson = tokenize_dataset(base, EXAMPLES, PRESET)
        model = load_adapter(base, run.adapter)
        again = validate(model, lesson.validation, 4096)
        detach(model)
        assert again.accuracy == found.best.accuracy
        assert again.loss == pytest.approx(found.best.loss, rel=1e-4)
        logged = [one.values for one in run.records() if "validation_loss" in one.values]
        assert found.best.loss in [values["validation_loss"] for values in logged]

    def test_ends_early_where_nothing_gets_better(self, base, tmp_path):
        config = config_of(epochs=20, learning_rate=1e-9, patience=2)
        found = trained(base, begun(base, tmp_path, config), config)
        assert found.steps < 20 * 4

    def test_logs_every_step(self, base, tmp_path):
        config = config_of(epochs=2)
        run = begun(base, tmp_path, config)
        found = trained(base, run, config)
        lines = [json.loads(line) for line in (run.path / "metrics.jsonl").read_text().splitlines()]
        assert [line["step"] for line in lines] == list(range(1, found.steps + 1))
        assert {"loss", "accuracy", "learning_rate", "gradient_norm"} <= lines[0]["values"].keys()

    def test_pieces_of_a_batch_add_up_to_the_batch(self, base, tmp_path):
        config = config_of(epochs=1, adapter=AdapterConfig(rank=4, alpha=8, dropout=0.0))
        whole = begun(base, tmp_path, config, name="whole")
        trained(base, whole, config)
        pieces = begun(base, tmp_path, config, name="pieces")
        small = msgspec.structs.replace(PRESET, max_tokens=60)
        train_adapter(pieces, base, tokenize_dataset(base, EXAMPLES, small), config, small, silent)
        for one, other in zip(whole.records(), pieces.records(), strict=True):
            assert one.values["loss"] == pytest.approx(other.values["loss"], rel=1e-3)

    def test_with_gradient_checkpointing_learns_the_same(self, base, tmp_path):
        # Without dropout, which is drawn once where an opening is computed once.
        config = config_of(epochs=1, adapter=AdapterConfig(rank=4, alpha=8, dropout=0.0))
        runs = []
        for name, twice in (("kept", False), ("twice", True)):
            run = begun(base, tmp_path, config, name=name)
            preset = msgspec.structs.replace(PRESET, gradient_checkpointing=twice)
            train_adapter(
                run, base, tokenize_dataset(base, EXAMPLES, preset), config, preset, silent
            )
            runs.append([one.values["loss"] for one in run.records()])
        assert runs[0] == pytest.approx(runs[1], rel=1e-4)

    def test_an_example_that_is_too_long_is_told_before_the_start(self, base):
        preset = msgspec.structs.replace(PRESET, max_tokens=10)
        with pytest.raises(UsageError, match="and this machine takes 10"):
            tokenize_dataset(base, EXAMPLES, preset)

    @pytest.mark.parametrize("wrong", [{"epochs": 0}, {"learning_rate": 0.0}, {"warmup": 1.0}])
    def test_settings_out_of_range_are_refused(self, wrong):
        with pytest.raises(UsageError):
            config_of(**wrong)


def silent(what, done, of):
    """Hears nothing."""


class _Stopped:
    """Presses Ctrl+C after a step."""

    def __init__(self, at):
        self.at = at

    def __call__(self, what, done, of):
        if done == self.at:
            signal.raise_signal(signal.SIGINT)


class TestStoppedOnTheWay:
    def test_going_on_ends_with_the_very_same_adapter(self, base, tmp_path):
        config = config_of(epochs=3)
        straight = begun(base, tmp_path, config, name="straight")
        expected = trained(base, straight, config)
        broken = begun(base, tmp_path, config, name="broken")
        with pytest.raises(CutShortError, match="localrec train resume broken"):
            trained(base, broken, config, progress=_Stopped(5))
        assert broken.state.status == "stopped"
        assert broken.latest_checkpoint().step == 5
        found = trained(base, broken, config)
        assert_same_weights(broken.adapter, straight.adapter)
        assert (found.best, found.best_step) == (expected.best, expected.best_step)
        losses = [[one.values["loss"] for one in run.records()] for run in (straight, broken)]
        assert losses[0] == losses[1]

    def test_the_base_is_as_before(self, base, tmp_path):
        config = config_of()
        with pytest.raises(CutShortError):
            trained(base, begun(base, tmp_path, config), config, progress=_Stopped(2))
        assert not base.is_adapted

    def test_other_examples_are_refused(self, base, tmp_path):
        config = config_of()
        run = begun(base, tmp_path, config)
        others = msgspec.structs.replace(EXAMPLES, train=EXAMPLES.train[1:])
        with pytest.raises(InputError, match="another fingerprint"):
            continued_run(run.path, training_data(config, base, others))

    def test_a_second_process_is_told_of_the_first(self, base, tmp_path):
        config = config_of()
        run = begun(base, tmp_path, config)
        with run.training(), pytest.raises(BusyError):
            trained(base, open_run(run.path), config)


@pytest.fixture
def usual_ctrl_c():
    """As in a terminal: a process in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_waits_for_the_end_of_a_step_and_the_second_does_not(usual_ctrl_c):
    with pytest.raises(KeyboardInterrupt), stop_between_steps() as asked_to_stop:
        assert not asked_to_stop()
        signal.raise_signal(signal.SIGINT)
        assert asked_to_stop()
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

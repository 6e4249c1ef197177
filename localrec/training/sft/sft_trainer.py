"""Supervised fine-tuning of a role's adapter by the loss of the answers' tokens alone.

The adapter with the best figures on the validation half is kept; this half has other wordings than
the training half. Training ends early when several validations bring no improvement. All random
draws follow from the seed and the step, so a training resumed from a checkpoint ends with exactly
the same adapter.

Nothing is generated here: an answer counts as right when each of its tokens is the likeliest after
those before, as greedy decoding would write it. The logits of the vocabulary are computed only at
answers, which saves a fifth of a short prompt's work.
"""

from __future__ import annotations

import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import msgspec

from localrec.data.records import Record
from localrec.foundation.errors import CutShortError
from localrec.foundation.paths import make_private
from localrec.foundation.progress import Progress
from localrec.foundation.record_files import read_record
from localrec.training.adapters.lora import attach, detach, load_adapter, save_adapter
from localrec.training.base_model.loading import Base
from localrec.training.examples.example import OPEN_ROLES
from localrec.training.jobs.device_presets import DevicePreset
from localrec.training.jobs.distributed import SINGLE_PROCESS, DistributedContext
from localrec.training.jobs.optimizer_state import load_moments, rate_at, save_moments
from localrec.training.jobs.training_runs import Checkpoint, StepRecord, TrainingRun
from localrec.training.libraries import training_libraries
from localrec.training.sft.sft_data import SupervisedConfig, TokenizedDataset, load_of
from localrec.training.sft.sft_loss import Scoring, accumulate_gradients, evaluate_answers
from localrec.training.sft.tokenized_examples import TokenizedExample, batches_of

if TYPE_CHECKING:
    from peft import PeftModel

OpenScoring = Callable[["PeftModel"], Scoring]

OUTCOME = "outcome.json"  # in a run's folder

_CLIP = 1.0  # length of the gradient at most
_READ_AT_ONCE = 8192  # tokens, where nothing is learnt from them
_NOW, _BEST, _MOMENTS, _PLACE = "adapter", "best", "moments.safetensors", "place.json"


class ValidationScore(msgspec.Struct, frozen=True, kw_only=True):
    """The validation figures of an adapter.

    Args:
        loss: Mean over the answers' tokens.
        accuracy: Share of answers that are right to the last token; of choices, among the labels.
    """

    loss: float
    accuracy: float


class SftOutcome(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The result of a training.

    Args:
        steps: The number of steps done; fewer than planned where it ended early.
        best_step: The step whose adapter is kept.
        before: Score on the validation half before the first step.
        best: Score with the adapter that is kept.
        seconds: Seconds of all steps.
        tokens_per_second: Tokens per second, of prompts and answers, padding left out.
    """

    steps: int
    best_step: int
    before: ValidationScore
    best: ValidationScore
    seconds: float
    tokens_per_second: float


def train_adapter(
    run: TrainingRun,
    base: Base,
    tokenized: TokenizedDataset,
    config: SupervisedConfig,
    preset: DevicePreset,
    progress: Progress,
    distributed: DistributedContext = SINGLE_PROCESS,
    open_scoring: OpenScoring | None = None,
    start: Path | None = None,
) -> SftOutcome:
    """Train to the end, from the newest checkpoint if any; the best adapter is in `run.adapter`.

    Args:
        run: Its folder.
        base: Without an adapter, as it is again afterwards.
        tokenized: The examples to learn, as tokens.
        config: The settings of the training.
        preset: The batch sizes for the machine.
        progress: Called with each step and its progress.
        distributed: The processes that train along.
        open_scoring: Makes the scoring of the adapted model's answers, whose least loss decides
            which state is kept; None: their likelihood.
        start: Folder of the adapter to begin with; None: a fresh one.

    Raises:
        CutShortError: Ctrl+C; the run can be gone on with.
        BusyError: another process trains here.
        InputError: the checkpoint is damaged.
    """
    with distributed.holding(run), with_threads(config.threads):
        checkpoint = distributed.begin(run, load_of(config, tokenized).steps)
        with (
            _adapted(base, config, checkpoint, start) as model,
            stop_between_steps() as asked_to_stop,
        ):
            scoring = open_scoring(model) if open_scoring else None
            loop = _Loop(run, base, model, tokenized, config, preset, distributed, scoring)
            loop.start(checkpoint)
            while not loop.is_over:
                loop.go_on(progress)
                if distributed.any(asked_to_stop()) and not loop.is_over:
                    loop.save()
                    raise CutShortError(
                        f"interrupted; {run.name} keeps what was done up to step {loop.step}.",
                        f"Go on with it: localrec train resume {run.name}",
                    )
            return loop.finish()


class _Place(msgspec.Struct, frozen=True, kw_only=True):
    """The position of the loop without its weights, as a checkpoint keeps it."""

    before: ValidationScore
    best: ValidationScore
    best_step: int = 0
    waited: int = 0
    tokens: int = 0
    seconds: float = 0.0


class _Loop:
    """One training in progress; a checkpoint saves all of it."""

    def __init__(
        self,
        run: TrainingRun,
        base: Base,
        model: PeftModel,
        tokenized: TokenizedDataset,
        config: SupervisedConfig,
        preset: DevicePreset,
        distributed: DistributedContext,
        scoring: Scoring | None,
    ) -> None:
        import torch  # the base has brought it

        self._run, self._base, self._model, self._distributed = run, base, model, distributed
        self._tokenized, self._config, self._scoring = tokenized, config, scoring
        self._steps = load_of(config, tokenized).steps
        self._every = max(1, self._steps // (config.epochs * config.checks))
        self._at_once = preset.at_once
        self._learnt = {name: p for name, p in model.named_parameters() if p.requires_grad}
        self._optimiser = torch.optim.AdamW(self._learnt.values(), lr=0.0, weight_decay=0.0)
        self._best = run.path / _BEST
        self.step = 0
        self._shares = not preset.gradient_checkpointing
        if preset.gradient_checkpointing:
            model.gradient_checkpointing_enable({"use_reentrant": False})

    @property
    def is_over(self) -> bool:
        """Whether all steps are done, or validation stopped improving."""
        return self.step >= self._steps or self._place.waited >= self._config.patience

    def start(self, checkpoint: Checkpoint | None) -> None:
        """Restore a checkpoint, or start at the beginning."""
        if checkpoint is None:
            before = self._validate()  # a fresh adapter changes nothing yet
            self._place = _Place(before=before, best=before)
            self._keep_best()
            return
        self.step = checkpoint.step
        self._place = _read_place(checkpoint.folder / _PLACE)
        load_moments(self._optimiser, self._learnt, checkpoint.folder / _MOMENTS, checkpoint.step)
        if self._distributed.is_main:
            _copy(checkpoint.folder / _BEST, self._best)

    def go_on(self, progress: Progress) -> None:
        """Train one step, and validate where it is time."""
        began = time.perf_counter()
        values = self._update()
        self.step += 1
        seconds = time.perf_counter() - began
        self._place = msgspec.structs.replace(self._place, seconds=self._place.seconds + seconds)
        is_check = self.step % self._every == 0 or self.step == self._steps
        if is_check:
            values |= self._look()
        if self._distributed.is_main:
            self._run.log(StepRecord(step=self.step, values=values, seconds=seconds))
        progress(f"training {self._config.role}", self.step, self._steps)
        if is_check:
            self.save()

    def save(self) -> None:
        """Write a checkpoint of the last step."""
        if not self._distributed.is_main:
            return
        with self._run.checkpoint(self.step) as folder:
            save_adapter(self._model, self._base, folder / _NOW)
            _copy(self._best, folder / _BEST)
            save_moments(self._optimiser, self._learnt, folder / _MOMENTS)
            (folder / _PLACE).write_bytes(msgspec.json.encode(self._place))

    def finish(self) -> SftOutcome:
        """Save the best adapter as the result, with its validation figures."""
        place = self._place
        trained = SftOutcome(
            steps=self.step,
            best_step=place.best_step,
            before=place.before,
            best=place.best,
            seconds=place.seconds,
            tokens_per_second=place.tokens / place.seconds if place.seconds else 0.0,
        )
        if self._distributed.is_main:
            _copy(self._best, self._run.adapter)
            shutil.rmtree(self._best)
            (self._run.path / OUTCOME).write_bytes(msgspec.json.encode(trained))
            self._run.finish()
        return trained

    # --- one step ---

    def _update(self) -> dict[str, float | None]:
        """Update the weights by one step of the optimiser; returns its figures."""
        import torch

        config, batch = self._config, self._batch()
        targets = sum(len(one.targets) for one in batch)
        rate = rate_at(self.step + 1, self._steps, config.learning_rate, config.warmup)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        # Dropout of a step is the same whether or not the training was interrupted before it.
        torch.manual_seed(config.seed * 1_000_003 + self.step)
        self._model.train()
        mine = self._distributed.share(batch)
        found = accumulate_gradients(
            self._model,
            mine,
            self._at_once,
            targets=targets,
            share=self._shares,
            scoring=self._scoring,
        )
        total, right = self._distributed.total(found)
        self._distributed.add_gradients(self._learnt.values())
        norm = torch.nn.utils.clip_grad_norm_(self._learnt.values(), _CLIP)
        self._optimiser.step()
        self._optimiser.zero_grad(set_to_none=True)
        tokens = sum(len(one.tokens) for one in batch)
        self._place = msgspec.structs.replace(self._place, tokens=self._place.tokens + tokens)
        return {
            "loss": total / targets,
            "accuracy": right / len(batch),
            "learning_rate": rate,
            "gradient_norm": float(norm),
        }

    def _batch(self) -> list[TokenizedExample]:
        """Return the examples of the next step."""
        train, config = self._tokenized.train, self._config
        epoch, place = divmod(self.step, self._steps // config.epochs)
        return batches_of(train, config.batch, config.seed, epoch)[place]

    # --- the validation half ---

    def _look(self) -> dict[str, float | None]:
        """Validate, and keep the adapter if it is the best so far."""
        validated, place = self._validate(), self._place
        is_better = self._rank_of(validated) > self._rank_of(place.best)
        if is_better:
            self._keep_best()
        self._place = msgspec.structs.replace(
            place,
            best=validated if is_better else place.best,
            best_step=self.step if is_better else place.best_step,
            waited=0 if is_better else place.waited + 1,
        )
        return {"validation_loss": validated.loss, "validation_accuracy": validated.accuracy}

    def _rank_of(self, found: ValidationScore) -> tuple[float, float]:
        """Rank a score, the higher the better: what has many right answers by the loss alone."""
        is_open = self._scoring or not OPEN_ROLES.isdisjoint(self._config.role.split(","))
        return 0.0 if is_open else found.accuracy, -found.loss

    def _validate(self) -> ValidationScore:
        """Validate in the main process, so that all processes end at the same step."""
        validated = ValidationScore(loss=0.0, accuracy=0.0)
        if self._distributed.is_main:
            validated = validate(
                self._model, self._tokenized.validation, self._at_once, self._scoring
            )
        loss, accuracy = self._distributed.agreed([validated.loss, validated.accuracy])
        return ValidationScore(loss=loss, accuracy=accuracy)

    def _keep_best(self) -> None:
        if not self._distributed.is_main:
            return
        save_adapter(self._model, self._base, self._best)


def validate(
    model: PeftModel,
    half: Sequence[TokenizedExample],
    most_tokens: int,
    scoring: Scoring | None = None,
) -> ValidationScore:
    """Measure how well a network answers examples.

    Args:
        model: A base with its adapter.
        half: The examples; at least one.
        most_tokens: Most tokens of the sequences that it reads at once.
        scoring: How answers are scored; None: by their likelihood.
    """
    model.eval()
    total, right = evaluate_answers(model, half, min(most_tokens, _READ_AT_ONCE), scoring)
    targets = sum(len(one.targets) for one in half)
    return ValidationScore(loss=total / targets, accuracy=right / len(half))


@contextmanager
def _adapted(
    base: Base, config: SupervisedConfig, checkpoint: Checkpoint | None, start: Path | None
) -> Iterator[PeftModel]:
    """Attach a trainable adapter to the base: a checkpoint's, the start's, or a fresh one."""
    saved = start if checkpoint is None else checkpoint.folder / _NOW
    if saved is None:
        model = attach(base, config.adapter, config.seed)
    else:
        model = load_adapter(base, saved, trainable=True)
    try:
        yield model
    finally:
        detach(model)


@contextmanager
def with_threads(wanted: int) -> Iterator[None]:
    """Set the number of torch's threads inside the block; 0 leaves it unchanged."""
    with training_libraries():
        import torch
    before = torch.get_num_threads()
    torch.set_num_threads(wanted or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _read_place(path: Path) -> _Place:
    return read_record(path, _Place, "a checkpoint", "Begin a new run.")


def _copy(adapter: Path, to: Path) -> None:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(adapter, make_private(to.parent) / to.name)


@contextmanager
def stop_between_steps() -> Iterator[Callable[[], bool]]:
    """Note the first Ctrl+C inside the block; the second one ends everything at once.

    Gives a function that says whether it was pressed. Outside of the main thread, where signals
    never arrive, nothing is changed.
    """
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: FrameType | None) -> None:
        pressed.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, note)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, before)

"""GRPO on trajectories of the agent: TRL's trainer with our rollouts (AgenticRec, 4.3).

In each step llama.cpp writes groups of trajectories with the current adapter, by the loop that
serves; TRL then computes the loss of the model's own tokens in torch and updates the adapter:

    loss = - 1/G sum_g A_g log p(trajectory_g),  A_g = reward_g - mean of the group's rewards

This is `loss_type="dr_grpo"` up to a constant: the sum over a trajectory's tokens is not divided by
its length, as proposition 4.1 demands, and not by the deviation of the rewards. There is no
reference model and no penalty for leaving it. Each step uses new rollouts once, so the ratio
between the learning and the writing policy counts as 1. This is not exact: llama.cpp computes with
quantised weights, the adapter's matrices are float16 there, and a grammar excludes tokens that the
loss does not know. The last draws the policy towards what grammars allow.

`localrec train` imports this module late, since TRL takes seconds.
"""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import torch
from datasets import Dataset  # type: ignore[attr-defined]  # mypy sees our folder of that name
from peft import PeftModel
from transformers import PrinterCallback, TrainerCallback, TrainerControl, TrainerState
from trl import GRPOConfig, GRPOTrainer

from localrec.foundation.errors import CutShortError, UsageError
from localrec.foundation.progress import Progress
from localrec.training.adapters.gguf_export import AdapterMetadata, write_adapter
from localrec.training.adapters.lora import attach, detach, load_adapter, save_adapter
from localrec.training.base_model.loading import Base
from localrec.training.jobs.device_presets import DevicePreset
from localrec.training.jobs.distributed import SINGLE_PROCESS, DistributedContext
from localrec.training.jobs.optimizer_state import load_moments, save_moments
from localrec.training.jobs.training_runs import Checkpoint, StepRecord, TrainingRun
from localrec.training.rl.group_trainer import GroupTrainer
from localrec.training.rl.init_from import load_init_adapter
from localrec.training.rl.policy_config import PolicyConfig
from localrec.training.rl.rollout_groups import Figures, RolloutCollector
from localrec.training.rl.rollout_workers import RolloutWorkers

_ADAPTER, _MOMENTS = "adapter", "moments.safetensors"
_CLIP = 1.0  # length of the gradient at most
# What TRL measures that says something here; its rewards and lengths are counted by `rollouts`.
_OF_TRL = {"loss": "loss", "grad_norm": "gradient", "entropy": "entropy"}
_CARD = AdapterMetadata(name="a step of a training", role="agent", licence="")


class Policy:
    """The adapter in training: torch learns, llama.cpp writes.

    Args:
        folder: Folder that it is served from.
        base: Base model of the adapter.
        serving: The GGUF that writes.
        model: The base with the adapter.
        rollout_workers: Write with what was served last.
    """

    def __init__(
        self,
        folder: Path,
        base: Base,
        serving: Path,
        model: PeftModel,
        rollout_workers: RolloutWorkers,
    ) -> None:
        self._folder = folder
        self._base = base
        self._serving = serving
        self._model = model
        self._rollout_workers = rollout_workers
        self._served_at = -1

    def serve(self, step: int) -> None:
        """Load the adapter of a step into the rollout workers."""
        if step == self._served_at:
            return
        save_adapter(self._model, self._base, self._folder)
        file = self._folder / "adapter.gguf"
        # The file is replaced while no process has it open.
        self._rollout_workers.close()
        write_adapter(self._folder, self._base, self._serving, file, _CARD)
        self._rollout_workers.adopt(file)
        self._served_at = step


class PolicyTraining:
    """One training of an agent's adapter.

    Args:
        run: Its folder, held by this process.
        base: Without an adapter; it is without one again afterwards.
        serving: The GGUF that writes.
        config: Settings of the training.
        preset: The batch sizes for the machine.
        rollout_workers: Processes that write trajectories; the caller makes and closes them.
        train: Groups to learn from.
        validation: Requests to be watched by, and how many of them.
        distributed: Processes that train together.

    Raises:
        UsageError: the groups of a step cannot be shared out evenly.
    """

    def __init__(
        self,
        run: TrainingRun,
        base: Base,
        serving: Path,
        config: PolicyConfig,
        preset: DevicePreset,
        rollout_workers: RolloutWorkers,
        train: RolloutCollector,
        validation: tuple[RolloutCollector, int],
        distributed: DistributedContext = SINGLE_PROCESS,
    ) -> None:
        if config.groups % distributed.size:
            multiple = distributed.size * -(-config.groups // distributed.size)
            raise UsageError(
                f"{config.groups} groups cannot be shared out among {distributed.size} processes.",
                f"Give a multiple of that: --prompts-per-step {multiple}",
            )
        self._distributed = distributed
        self._run = run
        self._base = base
        self._serving = serving
        self._config = config
        self._preset = preset.with_batch(config.groups // distributed.size * config.group_size)
        self._rollout_workers = rollout_workers
        self._train = train
        self._validation, self._validated = validation

    def go(self, steps: int, progress: Progress) -> None:
        """Train to the end, from the newest checkpoint if there is one.

        Args:
            steps: Steps of the whole training.
            progress: Called with each step and its progress.

        Raises:
            CutShortError: Ctrl+C; the run can be gone on with.
            ModelError: the model that writes cannot be used.
        """
        checkpoint = self._distributed.begin(self._run, steps)
        model = self._adapted(checkpoint)
        folder = self._run.path / "serving" / str(self._distributed.rank)
        policy = Policy(folder, self._base, self._serving, model, self._rollout_workers)
        try:
            self._learn(model, policy, checkpoint, steps, progress)
            if self._distributed.is_main:
                save_adapter(model, self._base, self._run.adapter)
                self._run.finish()
        except KeyboardInterrupt as stop:
            raise CutShortError(
                f"interrupted; {self._run.name} keeps what was done up to its last checkpoint, "
                f"step {self._kept()}.",
                f"Go on with it: localrec train resume {self._run.name}",
            ) from stop
        finally:
            detach(model)

    def _learn(
        self,
        model: PeftModel,
        policy: Policy,
        checkpoint: Checkpoint | None,
        steps: int,
        progress: Progress,
    ) -> None:
        done = checkpoint.step if checkpoint else 0
        if done >= steps:
            return
        learnt = {name: one for name, one in model.named_parameters() if one.requires_grad}
        optimiser = torch.optim.AdamW(
            learnt.values(), lr=self._config.learning_rate, weight_decay=0.0
        )
        if checkpoint is not None:
            load_moments(optimiser, learnt, checkpoint.folder / _MOMENTS, checkpoint.step)

        def keep(step: int) -> None:
            if not self._distributed.is_main:
                return
            with self._run.checkpoint(step) as folder:
                save_adapter(model, self._base, folder / _ADAPTER)
                save_moments(optimiser, learnt, folder / _MOMENTS)

        watch = _Watch(self, policy, keep, done, steps, progress)
        with _quiet():
            self._trainer(model, watch, optimiser, done, steps).train()

    def _trainer(
        self,
        model: PeftModel,
        watch: _Watch,
        optimiser: torch.optim.Optimizer,
        done: int,
        steps: int,
    ) -> GroupTrainer:
        trainer = GroupTrainer(
            distributed=self._distributed,
            model=model,
            reward_funcs=rollout_rewards,
            args=self._arguments(steps - done),
            train_dataset=self._places(done, steps),
            processing_class=self._base.tokenizer,
            optimizers=(
                optimiser,
                torch.optim.lr_scheduler.LambdaLR(optimiser, lambda _: 1.0),  # steady
            ),
            callbacks=[watch],
            rollout_func=cast(Any, watch.rollouts),  # declared for lists of messages alone
        )
        trainer.remove_callback(PrinterCallback)  # standard output is the command's
        return trainer

    def _adapted(self, checkpoint: Checkpoint | None) -> PeftModel:
        if checkpoint is not None:
            return load_adapter(self._base, checkpoint.folder / _ADAPTER, trainable=True)
        if self._config.start:
            return load_init_adapter(self._base, Path(self._config.start))
        return attach(self._base, self._config.adapter, self._config.seed)

    def _places(self, done: int, steps: int) -> Dataset:
        """Return a row for each group of each remaining step: the step, and its place there."""
        return Dataset.from_dict(
            {
                "prompt": [
                    f"{step} {slot}"
                    for step in range(done + 1, steps + 1)
                    for slot in self._distributed.share(list(range(self._config.groups)))
                ]
            }
        )

    def _arguments(self, steps: int) -> GRPOConfig:
        config, preset = self._config, self._preset
        # A group that shares its opening takes the memory of one trajectory.
        at_once = preset.micro_batch if preset.gradient_checkpointing else config.group_size
        trajectories = config.groups // self._distributed.size * config.group_size
        return GRPOConfig(
            output_dir=str(self._run.path / "checkpoints"),
            max_steps=steps,
            per_device_train_batch_size=at_once,
            gradient_accumulation_steps=trajectories // at_once,
            num_generations=config.group_size,
            max_completion_length=config.max_tokens,
            temperature=config.temperature,
            loss_type="dr_grpo",
            scale_rewards="none",
            multi_objective_aggregation="sum_then_normalize",
            beta=0.0,
            learning_rate=config.learning_rate,
            max_grad_norm=_CLIP,
            disable_dropout=True,  # an adapter to start from may have been trained with some
            gradient_checkpointing=preset.gradient_checkpointing,
            bf16=preset.dtype == "bfloat16",
            use_cpu=config.device == "cpu",
            shuffle_dataset=False,
            seed=config.seed,
            logging_steps=1,
            save_strategy="no",  # its checkpoints are pickles; ours are written by `_Watch`
            report_to=[],
            disable_tqdm=True,
            push_to_hub=False,
        )

    def _kept(self) -> int:
        checkpoint = self._run.latest_checkpoint()
        return checkpoint.step if checkpoint else 0

    # --- what happens at each step ---

    def gather(self, policy: Policy, step: int, slots: Sequence[int]) -> tuple[Any, Figures]:
        """Collect groups for some places of a step, as TRL takes them, with their figures."""
        policy.serve(step - 1)
        gathered = self._train.gather(step, slots)
        rollouts = [one for group in gathered.groups for one in group.rollouts]
        rewards = [
            one.total if group.has_signal else None
            for group in gathered.groups
            for one in group.rewards
        ]
        output = {
            "prompt_ids": [one.prompt for one in rollouts],
            "completion_ids": [one.completion for one in rollouts],
            "env_mask": [one.loss_mask for one in rollouts],
            "logprobs": None,
            "earned": rewards,
        }
        return output, self._distributed.mean(gathered.figures())

    def validate(self, policy: Policy, step: int, steps: int) -> Figures:
        """Validate at this step, if it is one of the validation steps."""
        every = self._config.validate_every
        if step < steps and not (every and step % every == 0):
            return {}
        if not self._distributed.is_main:  # it logs them
            return {}
        policy.serve(step)
        return self._validation.validate(self._validated)

    def mean(self, figures: Figures) -> Figures:
        """Average the figures of a step over all processes."""
        return self._distributed.mean(figures)

    def is_kept(self, step: int, steps: int) -> bool:
        """Whether a checkpoint is written behind a step."""
        return step % self._config.checkpoint_every == 0 or step == steps

    def log(self, step: int, values: Figures, seconds: float, parts: dict[str, float]) -> None:
        """Keep a step's figures."""
        if self._distributed.is_main:
            self._run.log(StepRecord(step=step, values=values, seconds=seconds, parts=parts))


def rollout_rewards(
    prompts: Sequence[str], earned: Sequence[float | None], **_: Any
) -> list[float | None]:
    """Return the rewards of the rollouts; None keeps one out of its group's baseline."""
    return list(earned)


class _Watch(TrainerCallback):
    """Save and log the groups of each step.

    Args:
        training: Training whose steps are logged.
        policy: Serves what was learnt.
        keep: Writes a checkpoint behind a step.
        done: Steps before.
        steps: Number of all steps.
        progress: Called with each step and its progress.
    """

    def __init__(
        self,
        training: PolicyTraining,
        policy: Policy,
        keep: Callable[[int], None],
        done: int,
        steps: int,
        progress: Progress,
    ) -> None:
        self._training = training
        self._policy = policy
        self._keep = keep
        self._done = done
        self._steps = steps
        self._progress = progress
        self._figures: Figures = {}
        self._parts: dict[str, float] = {}
        self._began = time.perf_counter()
        progress("training", done, steps)

    def rollouts(self, prompts: Sequence[str], trainer: GRPOTrainer) -> dict[str, Any]:
        """Write one completion for each prompt, as TRL asks at the beginning of each step.

        It repeats a prompt for each member of a group, so every group stands there once whole.
        """
        began = time.perf_counter()
        places = [tuple(map(int, one.split())) for one in prompts[:: trainer.num_generations]]
        step = places[0][0]
        # TRL mixes the members of a step by torch's generator, whose state no checkpoint keeps.
        torch.manual_seed(step)
        output, self._figures = self._training.gather(
            self._policy, step, [slot for _, slot in places]
        )
        self._parts = {"rollouts": time.perf_counter() - began}
        return cast(dict[str, Any], output)

    def on_log(
        self,
        args: Any,
        state: TrainerState,
        control: TrainerControl,
        logs: dict[str, Any] | None = None,
        **_: Any,
    ) -> None:
        """Validate, log and write a checkpoint at the end of a step."""
        if logs is None or "loss" not in logs:  # the words at the end of all
            return
        step = self._done + state.global_step
        began = time.perf_counter()
        loss_mask = {ours: _number(logs.get(theirs)) for theirs, ours in _OF_TRL.items()}
        values = self._training.mean(loss_mask)
        validated = self._training.validate(self._policy, step, self._steps)
        if validated:
            self._parts["validation"] = time.perf_counter() - began
        seconds, self._began = time.perf_counter() - self._began, time.perf_counter()
        self._training.log(step, {**self._figures, **values, **validated}, seconds, self._parts)
        if self._training.is_kept(step, self._steps):
            self._keep(step)
        self._progress("training", step, self._steps)


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the warnings about experimental rollouts, old names and gathered gradients."""
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    logger = logging.getLogger("transformers.training_args")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        logger.setLevel(level)


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None

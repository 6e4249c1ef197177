"""GRPO on trajectories of the agent: TRL's trainer around our own rollouts (AgenticRec, 4.3).

Each step writes groups of trajectories with the adapter as it is, in llama.cpp and by the loop that
serves; TRL then computes the loss of the model's own tokens in torch and moves the adapter:

    loss = - 1/G sum_g A_g log p(trajectory_g),  A_g = reward_g - mean of the group's rewards

This is `loss_type="dr_grpo"` up to a constant: the sum over a trajectory's tokens is not divided by
its length, as proposition 4.1 wants it, and nothing by the spread of the rewards. There is no
reference model and no penalty for leaving it. Each step is taken once on what was just written, so
the ratio between the policy that learns and the one that wrote counts as 1. It is not quite:
llama.cpp computes with quantised weights, the adapter's matrices are float16 there, and a grammar
bars tokens that the loss knows nothing of. The last pulls the policy towards what grammars admit.

Imported by `localrec train`, late: TRL takes seconds.
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

from localrec.errors import CutShortError, UsageError
from localrec.progress import Progress
from localrec.training.adapters import attach, detach, load_adapter, save_adapter
from localrec.training.bases import Base
from localrec.training.export import AdapterCard, write_adapter
from localrec.training.optimiser import load_moments, save_moments
from localrec.training.policies import PolicyConfig
from localrec.training.presets import Preset
from localrec.training.ranks import ALONE, Ranks
from localrec.training.rollouts import Figures, Rollouts
from localrec.training.runs import Checkpoint, Logged, TrainingRun
from localrec.training.shared_openings import own_scores, share_opening
from localrec.training.starts import load_start
from localrec.training.writers import Writers

_ADAPTER, _MOMENTS = "adapter", "moments.safetensors"
_CLIP = 1.0  # length of the gradient at most
# What TRL measures that says something here; its rewards and lengths are counted by `rollouts`.
_OF_TRL = {"loss": "loss", "grad_norm": "gradient", "entropy": "entropy"}
_CARD = AdapterCard(name="a step of a training", role="agent", licence="")


class Policy:
    """The adapter in training: in torch to learn, in llama.cpp to write.

    Args:
        folder: Where it lies to be served.
        base: What it stands beside.
        serving: The GGUF that writes.
        model: The base with the adapter.
        writers: Write with what was served last.
    """

    def __init__(
        self, folder: Path, base: Base, serving: Path, model: PeftModel, writers: Writers
    ) -> None:
        self._folder = folder
        self._base = base
        self._serving = serving
        self._model = model
        self._writers = writers
        self._served_at = -1

    def serve(self, step: int) -> None:
        """Have the writers write with the adapter as it is behind a step."""
        if step == self._served_at:
            return
        save_adapter(self._model, self._base, self._folder)
        file = self._folder / "adapter.gguf"
        # The file is replaced while no process has it open.
        self._writers.close()
        write_adapter(self._folder, self._base, self._serving, file, _CARD)
        self._writers.adopt(file)
        self._served_at = step


class PolicyTraining:
    """One training of an agent's adapter.

    Args:
        run: Its folder, held by this process.
        base: Without an adapter; it is without one again afterwards.
        serving: The GGUF that writes.
        config: What was asked for.
        preset: How the machine is used.
        writers: Write trajectories; closed by whoever made them.
        train: Groups to learn from.
        validation: Requests to be watched by, and how many of them.
        ranks: Who else trains along.

    Raises:
        UsageError: the groups of a step cannot be shared out evenly.
    """

    def __init__(
        self,
        run: TrainingRun,
        base: Base,
        serving: Path,
        config: PolicyConfig,
        preset: Preset,
        writers: Writers,
        train: Rollouts,
        validation: tuple[Rollouts, int],
        ranks: Ranks = ALONE,
    ) -> None:
        if config.groups % ranks.size:
            raise UsageError(
                f"{config.groups} groups cannot be shared out among {ranks.size} processes.",
                f"Give a multiple of that: --groups {ranks.size * -(-config.groups // ranks.size)}",
            )
        self._ranks = ranks
        self._run = run
        self._base = base
        self._serving = serving
        self._config = config
        self._preset = preset.with_batch(config.groups // ranks.size * config.group_size)
        self._writers = writers
        self._train = train
        self._validation, self._validated = validation

    def go(self, steps: int, progress: Progress) -> None:
        """Train to the end, behind the newest checkpoint.

        Args:
            steps: Of the whole training.
            progress: Hears of every step.

        Raises:
            CutShortError: Ctrl+C; the run can be gone on with.
            ModelError: the model that writes cannot be used.
        """
        checkpoint = self._ranks.begin(self._run, steps)
        model = self._adapted(checkpoint)
        folder = self._run.path / "serving" / str(self._ranks.rank)
        policy = Policy(folder, self._base, self._serving, model, self._writers)
        try:
            self._learn(model, policy, checkpoint, steps, progress)
            if self._ranks.leads:
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
            if not self._ranks.leads:
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
            ranks=self._ranks,
            model=model,
            reward_funcs=earned,
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
            return load_start(self._base, Path(self._config.start))
        return attach(self._base, self._config.adapter, self._config.seed)

    def _places(self, done: int, steps: int) -> Dataset:
        """One row for each group of each step that is left: its step, and its place there."""
        return Dataset.from_dict(
            {
                "prompt": [
                    f"{step} {slot}"
                    for step in range(done + 1, steps + 1)
                    for slot in self._ranks.share(list(range(self._config.groups)))
                ]
            }
        )

    def _arguments(self, steps: int) -> GRPOConfig:
        config, preset = self._config, self._preset
        # A group that shares its opening takes the memory of one trajectory.
        at_once = preset.micro_batch if preset.gradient_checkpointing else config.group_size
        trajectories = config.groups // self._ranks.size * config.group_size
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
        """Groups for some places of a step, as TRL takes them, and what is logged of them."""
        policy.serve(step - 1)
        gathered = self._train.gather(step, slots)
        served = [one for group in gathered.groups for one in group.served]
        rewards = [
            one.total if group.has_signal else None
            for group in gathered.groups
            for one in group.rewards
        ]
        output = {
            "prompt_ids": [one.prompt for one in served],
            "completion_ids": [one.completion for one in served],
            "env_mask": [one.own for one in served],
            "logprobs": None,
            "earned": rewards,
        }
        return output, self._ranks.mean(gathered.figures())

    def judge(self, policy: Policy, step: int, steps: int) -> Figures:
        """Figures of the validation requests, where this step is one to look at them."""
        every = self._config.validate_every
        if step < steps and not (every and step % every == 0):
            return {}
        if not self._ranks.leads:  # it logs them
            return {}
        policy.serve(step)
        return self._validation.judge(self._validated)

    def mean(self, figures: Figures) -> Figures:
        """Figures of a step, over all processes."""
        return self._ranks.mean(figures)

    def is_kept(self, step: int, steps: int) -> bool:
        """Whether a checkpoint is written behind a step."""
        return step % self._config.checkpoint_every == 0 or step == steps

    def log(self, step: int, values: Figures, seconds: float, parts: dict[str, float]) -> None:
        """Keep a step's figures."""
        if self._ranks.leads:
            self._run.log(Logged(step=step, values=values, seconds=seconds, parts=parts))


def earned(prompts: Sequence[str], earned: Sequence[float | None], **_: Any) -> list[float | None]:
    """What `Rollouts` found; None keeps a trajectory out of its group's baseline."""
    return list(earned)


class _Watch(TrainerCallback):
    """Writes the groups of each step, logs it and keeps it.

    Args:
        training: Whose steps.
        policy: Serves what was learnt.
        keep: Writes a checkpoint behind a step.
        done: Steps before.
        steps: Of all.
        progress: Hears of every step.
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
        """What TRL asks for at the beginning of each step: one completion for each prompt.

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
        """At the end of a step: look at the validation, log, write a checkpoint."""
        if logs is None or "loss" not in logs:  # the words at the end of all
            return
        step = self._done + state.global_step
        began = time.perf_counter()
        own = {ours: _number(logs.get(theirs)) for theirs, ours in _OF_TRL.items()}
        values = self._training.mean(own)
        validated = self._training.judge(self._policy, step, self._steps)
        if validated:
            self._parts["validation"] = time.perf_counter() - began
        seconds, self._began = time.perf_counter() - self._began, time.perf_counter()
        self._training.log(step, {**self._figures, **values, **validated}, seconds, self._parts)
        if self._training.is_kept(step, self._steps):
            self._keep(step)
        self._progress("training", step, self._steps)


class GroupTrainer(GRPOTrainer):
    """TRL's, sparing what moves nothing and what was computed already.

    All trajectories of a step come mixed and padded to the longest of them, and a micro-batch holds
    a few: groups are put together again, and what is padding for all of a micro-batch is cut off.
    One whose members are no better or worse than their groups has no gradient, and is not computed
    at all. Where a micro-batch is one group, its opening is computed once (`shared_openings`).

    Args:
        ranks: Who else trains along; their gradients are averaged before the optimiser moves.
        named: What TRL's takes.
    """

    def __init__(self, *, ranks: Ranks, **named: Any) -> None:
        super().__init__(**named)
        self._ranks = ranks

    def training_step(self, *arguments: Any, **named: Any) -> torch.Tensor:
        """One micro-batch, forwards and backwards."""
        loss = super().training_step(*arguments, **named)
        if self.accelerator.sync_gradients:
            network: torch.nn.Module = self.model  # type: ignore[assignment]  # it has one
            learnt = (one for one in network.parameters() if one.requires_grad)
            self._ranks.add_gradients(learnt, divided_by=self._ranks.size)
        return cast(torch.Tensor, loss)

    def _prepare_inputs(self, generation_batch: dict[str, Any]) -> dict[str, Any]:
        before = self._buffered_inputs
        inputs = super()._prepare_inputs(generation_batch)
        if self._buffered_inputs is before:
            return cast(dict[str, Any], inputs)
        self._buffered_inputs = _in_groups(self._buffered_inputs)
        return self._buffered_inputs[self._step % len(self._buffered_inputs)]

    def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> torch.Tensor:
        if not inputs["advantages"].any():
            return self._nothing(model)
        inputs = dict(inputs)
        moving = inputs["advantages"] != 0
        inputs["tool_mask"] = inputs["tool_mask"] * moving[:, None]
        _cut(inputs, "prompt_mask", ("prompt_ids",))
        _cut(inputs, "completion_mask", ("completion_ids", "tool_mask"))
        self._inputs = inputs
        return cast(torch.Tensor, super()._compute_loss(model, inputs))

    def _get_per_token_logps_and_entropies(self, model: Any, *args: Any, **named: Any) -> Any:
        """Of the micro-batch under way: a group's at once, where the layers keep what they compute.

        Checkpointed layers let no keys and values out, so there TRL's own way is taken.
        """
        prompts, mask = self._inputs["prompt_ids"], self._inputs["prompt_mask"]
        if self.args.gradient_checkpointing or not share_opening(prompts, mask):
            return super()._get_per_token_logps_and_entropies(model, *args, **named)
        own = self._inputs["completion_mask"] * self._inputs["tool_mask"]
        network = self.accelerator.unwrap_model(model).get_base_model()
        with self.accelerator.autocast():
            scores = own_scores(
                network, prompts[0], self._inputs["completion_ids"], own, self.temperature
            )
        return *scores, None

    def _nothing(self, model: Any) -> torch.Tensor:
        return cast(
            torch.Tensor, sum(0.0 * one.sum() for one in model.parameters() if one.requires_grad)
        )


def _in_groups(buffered: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The micro-batches of a step with those together that begin alike; all else stays in order."""
    prompts = torch.cat([one["prompt_ids"] for one in buffered])
    kinds = torch.unique(prompts, dim=0, return_inverse=True)[1]
    order = torch.argsort(kinds, stable=True).split(len(prompts) // len(buffered))

    def picked(name: str, places: torch.Tensor) -> Any:
        whole = [one[name] for one in buffered]
        if isinstance(whole[0], torch.Tensor) and whole[0].dim():
            return torch.cat(whole)[places]
        return whole[0]  # one figure for all of the step

    return [{name: picked(name, places) for name in buffered[0]} for places in order]


@contextmanager
def _quiet() -> Iterator[None]:
    """A block in which nobody says that rollouts are experimental, old names old, or that we gather
    the gradients of several processes ourselves.
    """
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    told = logging.getLogger("transformers.training_args")
    level = told.level
    told.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            yield
    finally:
        told.setLevel(level)


def _cut(inputs: dict[str, Any], mask: str, others: Sequence[str]) -> None:
    """Leave out the columns (b, t) that are padding in every row."""
    used = inputs[mask].any(dim=0)
    for name in (mask, *others):
        if name in inputs:
            inputs[name] = inputs[name][:, used]


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) else None

"""Measure a step of GRPO of ours beside TRL's own trainer: same model, same trajectories, one run.

Run:
    python scripts/studies/run.py grpo [--model smollm2-135m] [--opening 1000] [--behind 300]
                                 [--threads 1] [--rounds 3]

One group of eight trajectories is learnt from, float32 on the CPU: an opening that all share,
behind it thoughts, calls and what tools said, a third of it the model's own. Both trainers are
handed the same tokens and rewards, so learning alone is measured. TRL computes each trajectory
whole, one at a time, which is its fastest way on a CPU; ours computes the opening once, and the
vocabulary's scores behind the model's own tokens only (`training/base_model/prefix_cache.py`).
Both do
their steps by turns, since a machine's pace drifts; the first step of each turn is thrown away.
Tokens are those of the trajectories, whole.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from typing import Any

import numpy as np
from speeds import Speeds, speed_options, speeds

from localrec.training.base_model.loading import Base, load_base
from localrec.training.jobs.run_start import located
from localrec.training.libraries import training_libraries
from localrec.training.rl.policy_config import GROUP_SIZE, POLICY_ADAPTER
from localrec.training.sft.sft_trainer import with_threads

OWN = 0.33  # of the tokens behind the opening
STEPS = 3
SEED = 7


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    speed_options(parser)
    parser.add_argument("--opening", type=int, default=1000)
    parser.add_argument("--behind", type=int, default=300)


def measure(asked: argparse.Namespace) -> Speeds:
    """Rounds of both, by turns; `apart` is by what share gradients differ in length, at most."""
    with training_libraries():
        from trl import GRPOTrainer

        from localrec.training.rl.group_trainer import GroupTrainer
    base = load_base(located(asked.model))
    trajectories = written(base, asked.opening, asked.behind)
    ours: list[float] = []
    theirs: list[float] = []
    apart = 0.0
    with with_threads(asked.threads):
        for _ in range(asked.rounds):
            mine, my_lengths = speed_of(base, GroupTrainer, GROUP_SIZE, trajectories)
            other, their_lengths = speed_of(base, GRPOTrainer, 1, trajectories)
            ours.append(mine)
            theirs.append(other)
            gap = np.subtract(my_lengths, their_lengths) / np.array(their_lengths)
            apart = max(apart, float(np.abs(gap).max()))
    return speeds(ours, theirs, opening=asked.opening, behind=asked.behind, apart=apart)


def written(base: Base, opening: int, behind: int) -> dict[str, Any]:
    """A group's trajectories as a rollout hands them to TRL, drawn by lot."""
    random = np.random.default_rng(SEED)
    vocabulary = base.model.config.vocab_size
    shared = random.integers(100, vocabulary, opening).tolist()
    return {
        "prompt_ids": [shared] * GROUP_SIZE,
        "completion_ids": random.integers(100, vocabulary, (GROUP_SIZE, behind)).tolist(),
        "env_mask": (random.random((GROUP_SIZE, behind)) < OWN).astype(int).tolist(),
        "logprobs": None,
        "earned": random.normal(size=GROUP_SIZE).tolist(),
    }


def speed_of(
    base: Base, trainer: Any, at_once: int, trajectories: dict[str, Any]
) -> tuple[float, list[float]]:
    """Tokens a second of all steps but the first, and the gradient's length at each step."""
    from datasets import Dataset  # type: ignore[attr-defined]  # mypy sees our folder
    from transformers import PrinterCallback, TrainerCallback
    from trl import GRPOConfig

    from localrec.training.adapters.lora import attach, detach
    from localrec.training.rl.grpo_trainer import rollout_rewards

    ends: list[float] = []
    lengths: list[float] = []

    class Clock(TrainerCallback):
        """Notes when each step ended, and how long its gradient was."""

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if "loss" in (logs or {}):
                ends.append(time.perf_counter())
                lengths.append(logs["grad_norm"])

    model = attach(base, POLICY_ADAPTER, SEED)
    try:
        with tempfile.TemporaryDirectory() as folder:
            training = trainer(
                model=model,
                reward_funcs=rollout_rewards,
                args=GRPOConfig(
                    output_dir=folder,
                    max_steps=1 + STEPS,
                    per_device_train_batch_size=at_once,
                    gradient_accumulation_steps=GROUP_SIZE // at_once,
                    num_generations=GROUP_SIZE,
                    max_completion_length=len(trajectories["completion_ids"][0]),
                    loss_type="dr_grpo",
                    scale_rewards="none",
                    beta=0.0,
                    learning_rate=1e-5,
                    disable_dropout=True,
                    gradient_checkpointing=False,
                    use_cpu=True,
                    bf16=False,
                    logging_steps=1,
                    save_strategy="no",
                    report_to=[],
                    disable_tqdm=True,
                    seed=SEED,
                ),
                train_dataset=Dataset.from_dict({"prompt": ["1 0"] * (1 + STEPS)}),
                processing_class=base.tokenizer,
                callbacks=[Clock()],
                rollout_func=lambda prompts, trainer: dict(trajectories),
            )
            training.remove_callback(PrinterCallback)
            training.train()
    finally:
        detach(model)
    tokens = sum(map(len, (*trajectories["prompt_ids"], *trajectories["completion_ids"])))
    return STEPS * tokens / (ends[-1] - ends[0]), lengths

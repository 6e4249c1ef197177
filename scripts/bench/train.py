"""Measure a supervised step of ours beside TRL's SFTTrainer: same model, same sequences, one run.

Run:
    python scripts/studies/run.py train [--model smollm2-135m] [--steps 8] [--batch 16]
        [--threads 1]

Both train the same LoRA on the same router questions, the loss on the answers alone, float32 on
the CPU. TRL gets them as tokens, so that it is not charged for cutting texts, and pads them in the
order they come in; ours sorts them by length first, and computes the vocabulary's scores where an
answer stands and nowhere else. Both do their steps by turns, since a machine's pace drifts. Tokens
are those of the sequences, padding left out; the first step of each turn is thrown away.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from speeds import Speeds, speed_options, speeds

from localrec.graph.domain_files import load_domain
from localrec.training.adapters.lora import AdapterConfig, attach, detach
from localrec.training.base_model.loading import Base, load_base
from localrec.training.examples.example import Examples
from localrec.training.examples.lexicon import declared_lexicon
from localrec.training.examples.router import router_examples
from localrec.training.jobs.device_presets import preset_for
from localrec.training.jobs.run_start import located
from localrec.training.jobs.training_runs import create_run
from localrec.training.libraries import training_libraries
from localrec.training.sft.sft_data import (
    SupervisedConfig,
    TokenizedDataset,
    tokenize_dataset,
    training_data,
)
from localrec.training.sft.sft_trainer import train_adapter, with_threads

ADAPTER = AdapterConfig(rank=8, alpha=16.0)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    speed_options(parser)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--batch", type=int, default=16)


def measure(asked: argparse.Namespace) -> Speeds:
    """Rounds of both, by turns."""
    base = load_base(located(asked.model))
    config = SupervisedConfig(
        role="router",
        base=asked.model,
        train=(asked.steps + 1) * asked.batch,
        validation=1,
        batch=asked.batch,
        checks=1,
        adapter=ADAPTER,
        threads=asked.threads,
    )
    names = declared_lexicon(load_domain("cocktails"))
    examples = router_examples([names], config.train, 1, seed=0)
    lesson = tokenize_dataset(base, examples, preset_for(None, 1))
    ours, theirs = [], []
    for _ in range(asked.rounds):
        ours.append(speed_of_ours(base, examples, lesson, config))
        theirs.append(speed_of_trl(base, lesson, config))
    return speeds(ours, theirs, tokens=statistics.mean(len(one.tokens) for one in lesson.train))


def speed_of_ours(
    base: Base, examples: Examples, lesson: TokenizedDataset, config: SupervisedConfig
) -> float:
    """Tokens a second of all steps but the first."""
    with tempfile.TemporaryDirectory() as folder:
        run = create_run(Path(folder), "bench", config, training_data(config, base, examples))
        train_adapter(run, base, lesson, config, preset_for(None, 1), lambda *_: None)
        seconds = sum(one.seconds for one in run.records()[1:])
    share = 1 - config.batch / len(lesson.train)
    return share * sum(len(one.tokens) for one in lesson.train) / seconds


def speed_of_trl(base: Base, lesson: TokenizedDataset, config: SupervisedConfig) -> float:
    """The same sequences through TRL's trainer; tokens a second of all steps but the first."""
    with training_libraries():
        import torch
        from datasets import Dataset
        from transformers import TrainerCallback
        from trl import SFTConfig, SFTTrainer

    ends: list[float] = []

    class Clock(TrainerCallback):
        """Notes when each step ended."""

        def on_step_end(self, *_: Any, **__: Any) -> None:
            ends.append(time.perf_counter())

    rows = [
        {
            "input_ids": [*one.tokens, one.targets[-1]],
            "completion_mask": [0] * (one.places[0] + 1) + [1] * len(one.targets),
        }
        for one in lesson.train
    ]
    model = attach(base, config.adapter)
    try:
        with tempfile.TemporaryDirectory() as folder, with_threads(config.threads):
            trainer = SFTTrainer(
                model=model,
                args=SFTConfig(
                    output_dir=folder,
                    per_device_train_batch_size=config.batch,
                    max_steps=len(rows) // config.batch,
                    learning_rate=config.learning_rate,
                    completion_only_loss=True,
                    gradient_checkpointing=False,
                    use_cpu=True,
                    bf16=False,
                    report_to=[],
                    save_strategy="no",
                    logging_strategy="no",
                    disable_tqdm=True,
                    dataloader_pin_memory=False,
                ),
                train_dataset=Dataset.from_list(rows),
                processing_class=base.tokenizer,
                callbacks=[Clock()],
            )
            torch.manual_seed(config.seed)
            trainer.train()
    finally:
        detach(model)
    share = 1 - config.batch / len(rows)
    tokens = share * sum(len(one.tokens) for one in lesson.train)
    return tokens / (ends[-1] - ends[0])

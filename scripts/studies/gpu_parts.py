"""The parts of `gpu_check` beside an adapter: SASRec, steps of GRPO, and vectors of texts.

Each part does the same on a GPU and on the CPU of the same machine, and compares one value that
should agree on both.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np

from localrec.foundation.errors import UsageError
from localrec.index.embedders import SentenceTransformerEmbedder
from localrec.llm.adapter_files import adapter_path
from localrec.training.examples.episodes import EpisodesConfig
from localrec.training.jobs.run_start import begin_run
from localrec.training.rl import policy_run
from localrec.training.rl.policy_config import GrpoConfig

DATASET = "ml-100k"
WARM_START = "agent-warm"
TOOL_CALLS, THOUGHT_CHARACTERS = 2, 60  # as the adapters that ship were trained
GPU_TEXTS, CPU_TEXTS = 20_000, 2_000
# How far apart the compared values may be: NDCG of two trainings that round differently, a
# gradient's length in bfloat16 and float32 as a share, and 1 - cosine of one text.
NDCG_APART, GRADIENT_APART, COSINE_APART = 0.02, 0.25, 0.001


class PartOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One part on one device.

    Args:
        part: What was done.
        device: Where.
        seconds: It took so long, without what is the same on both devices.
        speed: Units a second.
        unit: What is counted.
        compared: Name of the value that should agree on both devices.
        value: That value.
        memory_gb: Of the GPU at its highest; 0 where nobody counts.
    """

    part: str
    device: str
    seconds: float
    speed: float
    unit: str
    compared: str
    value: float
    memory_gb: float = 0.0

    def told(self) -> str:
        """The outcome on a line."""
        memory = f", {self.memory_gb:.2f} GB at its highest" if self.memory_gb else ""
        return (
            f"{self.part} on {self.device}: {self.seconds:.1f} s, {self.speed:,.0f} {self.unit}/s, "
            f"{self.compared} {self.value:.4f}{memory}"
        )


class Outcome(Protocol):
    """What came of something on one device."""

    def told(self) -> str:
        """The outcome on a line."""
        ...


class Comparison(msgspec.Struct, frozen=True):
    """Outcomes on both devices.

    Args:
        outcomes: On the GPU, and on the CPU.
        differences: What is further apart than rounding explains, a sentence each.
    """

    outcomes: Sequence[Outcome]
    differences: list[str]


def compare_sasrec(asked: argparse.Namespace) -> Comparison:
    """Train SASRec on both devices."""
    gpu, cpu = (_sasrec(device) for device in (asked.device, "cpu"))
    return Comparison((gpu, cpu), too_far(gpu.compared, abs(gpu.value - cpu.value), NDCG_APART))


def compare_grpo(asked: argparse.Namespace) -> Comparison:
    """Do steps of GRPO on both devices, from the adapter that ships as a warm start."""
    gpu, cpu = (_grpo(device, asked) for device in (asked.device, "cpu"))
    gap = abs(gpu.value / cpu.value - 1)
    return Comparison((gpu, cpu), too_far(gpu.compared, gap, GRADIENT_APART))


def compare_vectors(asked: argparse.Namespace) -> Comparison:
    """Embed texts on both devices by a sentence-transformers model.

    Raises:
        UsageError: no model was named.
    """
    if asked.embedder is None:
        raise UsageError("No embedder was named.", "Give its folder: --embedder FOLDER")
    (gpu_rows, gpu_s), (cpu_rows, cpu_s) = (
        _embedded(asked.embedder, device, texts)
        for device, texts in ((asked.device, GPU_TEXTS), ("cpu", CPU_TEXTS))
    )
    least = float(np.min(np.sum(gpu_rows[:CPU_TEXTS] * cpu_rows, axis=1)))
    outcomes = [
        PartOutcome(
            part="vectors",
            device=device,
            seconds=seconds,
            speed=texts / seconds,
            unit="texts",
            compared="least cosine",
            value=least,
        )
        for device, texts, seconds in (
            (asked.device, GPU_TEXTS, gpu_s),
            ("cpu", CPU_TEXTS, cpu_s),
        )
    ]
    return Comparison(outcomes, too_far("The least cosine", 1 - least, COSINE_APART))


def too_far(name: str, gap: float, most: float) -> list[str]:
    """A sentence where a gap is more than rounding explains, and where it is no number."""
    if gap <= most:
        return []
    return [f"{name} is {gap:.3f} apart, and {most:.3g} would be explained."]


def _sasrec(device: str) -> PartOutcome:
    """Train in a process of its own: SASRec takes the GPU by itself, unless it sees none."""
    visible = {"CUDA_VISIBLE_DEVICES": ""} if device == "cpu" else {}
    with tempfile.TemporaryDirectory() as folder:
        _localrec(folder, "datasets", "pull", DATASET)
        report = json.loads(_localrec(folder, "train", "sequential", **visible))
    seconds, epochs = report["seconds"], report["epochs"]
    return PartOutcome(
        part=f"SASRec, {epochs} epochs",
        device=device,
        seconds=seconds,
        speed=report["interactions"] * epochs / seconds,
        unit="interactions",
        compared="NDCG@10",
        value=report["ndcg_at_10"],
    )


def _localrec(workspace: str, *words: str, **environment: str) -> str:
    command = [sys.executable, "-m", "localrec", "--workspace", workspace, "--json", *words]
    return subprocess.run(
        command, env=os.environ | environment, stdout=subprocess.PIPE, check=True, text=True
    ).stdout


def _grpo(device: str, asked: argparse.Namespace) -> PartOutcome:
    """Count learning alone: llama.cpp writes the rollouts on the CPU's cores either way."""
    import torch

    config = GrpoConfig(
        base=asked.model,
        start=str(adapter_path(WARM_START)),
        episodes=EpisodesConfig(most=200, validation=8, sequential=False),
        budget=TOOL_CALLS,
        thought_characters=THOUGHT_CHARACTERS,
        groups=asked.groups,
        steps=asked.steps,
        device=device,
    )
    on_gpu = device != "cpu"
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    with tempfile.TemporaryDirectory() as folder:
        _localrec(folder, "datasets", "pull", DATASET)
        made = policy_run.prepared(Path(folder), config, lambda *_: None)
        run = begin_run(Path(folder), "grpo", made)
        policy_run.train(run, made, lambda *_: None)
        records = run.records()
    trajectories = config.groups * config.group_size
    seconds = sum(one.seconds - sum(one.parts.values()) for one in records)
    tokens = sum((one.values["tokens"] or 0.0) * trajectories for one in records)
    return PartOutcome(
        part=f"GRPO, {asked.steps} steps of {trajectories} trajectories",
        device=device,
        seconds=seconds,
        speed=tokens / seconds,
        unit="tokens",
        compared="length of the first gradient",
        value=records[0].values["gradient"] or 0.0,
        memory_gb=torch.cuda.max_memory_allocated() / 1e9 if on_gpu else 0.0,
    )


def _embedded(folder: Path, device: str, count: int) -> tuple[np.ndarray, float]:
    """Embed made-up texts; return the rows (n, size) and the seconds."""
    kinds = ("a smoky drink of mezcal and lime, stirred, served up, number", "a film like")
    texts = [f"{kinds[n % 2]} {n % 89}, and {n % 97} more" for n in range(count)]
    embedder = SentenceTransformerEmbedder(folder, device)
    embedder.embed(texts[:64])  # the first call starts the device
    began = time.perf_counter()
    return embedder.embed(texts), time.perf_counter() - began

"""The parts of `gpu_check` beside supervised training: sequences, vectors, and the agent's GRPO.

Each does the same on a GPU and on the CPU of the same machine and tells seconds, and what should be
equal. A sequence encoder takes the GPU by itself where there is one, so its CPU half runs in a
process that sees none.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import numpy as np

from localrec.foundation.settings import AGENT
from localrec.index.embedders import SentenceTransformerEmbedder
from localrec.llm.adapter_files import adapter_path
from localrec.training.examples.episodes import EpisodesConfig
from localrec.training.jobs.run_start import begin_run
from localrec.training.rl import policy_run
from localrec.training.rl.policy_config import GrpoConfig

WARM_START = "agent-warm"
BUDGET, THOUGHT = 2, 60  # as the adapters that ship were trained
TEXTS = 20_000
TEXT = ("a smoky drink of mezcal and lime, stirred, served up, number", "a film like")
# NDCG of two trainings of one network that round differently; cosine of float32 on both.
NDCG_APART, COSINE = 0.02, 0.999
GRADIENT_APART = 0.25  # as a share of its length; bfloat16 on the GPU


class PartOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One part on one device.

    Args:
        part: What was done.
        device: Where.
        seconds: It took so long, without what is the same for both.
        speed: Things a second; 0 where nothing is counted.
        unit: Of the speed.
        quality: What should be about equal on both devices.
        memory_gb: Of the GPU at its highest; 0 where nobody counts.
    """

    part: str
    device: str
    seconds: float
    speed: float = 0.0
    unit: str = ""
    quality: float = 0.0
    memory_gb: float = 0.0

    def told(self) -> str:
        """The outcome on a line."""
        speed = f", {self.speed:,.0f} {self.unit}/s" if self.speed else ""
        memory = f", {self.memory_gb:.2f} GB at its highest" if self.memory_gb else ""
        return (
            f"{self.part} on {self.device}: {self.seconds:.1f} s{speed}, "
            f"quality {self.quality:.4f}{memory}"
        )


def sequences(workspace: Path, device: str) -> PartOutcome:
    """Train SASRec for the workspace's domain, in a process of its own."""
    copy = workspace.with_name(f"{workspace.name}-{device.replace(':', '-')}")
    shutil.copytree(workspace, copy, dirs_exist_ok=True)
    hidden = {"CUDA_VISIBLE_DEVICES": ""} if device == "cpu" else {}
    command = [sys.executable, "-m", "localrec", "--workspace", str(copy), "--json"]
    done = subprocess.run(
        [*command, "train", "sequential"],
        env={**os.environ, **hidden},
        capture_output=True,
        check=True,
        text=True,
    )
    report = json.loads(done.stdout)
    seconds = report["seconds"]
    return PartOutcome(
        part=f"SASRec, {report['epochs']} epochs",
        device=device,
        seconds=seconds,
        speed=report["interactions"] * report["epochs"] / seconds,
        unit="interactions",
        quality=report["ndcg_at_10"] or 0.0,
    )


def vectors(folder: Path, devices: tuple[str, str]) -> list[PartOutcome]:
    """Embed the same texts on both devices; quality is the least cosine between the two."""
    texts = [f"{TEXT[n % 2]} {n % 89}, and {n % 97} more" for n in range(TEXTS)]
    rows, spent = [], []
    for device in devices:
        embedder = SentenceTransformerEmbedder(folder, device)
        embedder.embed(texts[:64])  # the first call starts the device
        many = texts if device != "cpu" else texts[: TEXTS // 10]
        began = time.perf_counter()
        rows.append(embedder.embed(many)[: TEXTS // 10])
        spent.append((len(many), time.perf_counter() - began))
    least = float(np.min(np.sum(rows[0] * rows[1], axis=1)))
    return [
        PartOutcome(
            part="vectors",
            device=device,
            seconds=seconds,
            speed=count / seconds,
            unit="texts",
            quality=least,
        )
        for device, (count, seconds) in zip(devices, spent, strict=True)
    ]


def policy(workspace: Path, device: str, base: str, steps: int, groups: int) -> PartOutcome:
    """Run steps of GRPO from the warm start; quality is the first step's gradient.

    Seconds and tokens are of learning alone: the rollouts are written by llama.cpp on the CPU's
    cores either way.
    """
    import torch

    config = GrpoConfig(
        base=base,
        start=str(adapter_path(WARM_START)),
        episodes=EpisodesConfig(domain="movies", most=200, validation=8, sequential=False),
        budget=BUDGET,
        thought_characters=THOUGHT,
        groups=groups,
        steps=steps,
        device=device,
    )
    on_gpu = device != "cpu"
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    made = policy_run.prepared(workspace, config, lambda *_: None)
    run = begin_run(workspace, f"{AGENT}-{device.replace(':', '-')}", made)
    policy_run.train(run, made, lambda *_: None)
    records = run.records()
    learning = sum(one.seconds - sum(one.parts.values()) for one in records)
    tokens = sum((one.values["tokens"] or 0.0) * groups * config.group_size for one in records)
    return PartOutcome(
        part=f"GRPO, {steps} steps of {groups * config.group_size} trajectories",
        device=device,
        seconds=learning,
        speed=tokens / learning,
        unit="tokens",
        quality=records[0].values["gradient"] or 0.0,
        memory_gb=torch.cuda.max_memory_allocated() / 1e9 if on_gpu else 0.0,
    )

"""Does a GPU train what the CPU trains? The same short training on both, and what comes of it.

Run:
    python scripts/studies/run.py gpu_check [--model smollm2-135m] [--device cuda] [--train 192]
    python scripts/studies/run.py gpu_check --parts sequences,policy,vectors --films WORKSPACE
                                 [--embedder FOLDER]

On the GPU the base is bfloat16, on the CPU float32; examples, order and seed are the same. Compared
are the losses of all steps, how much of the validation half is right at the end, and whether each
adapter, exported, does in llama.cpp what it does in torch. Tokens a second and the highest memory
are printed for both.

Exit codes: 0 they agree, 1 they do not or something failed, 4 there is no such GPU: nothing was
checked.
Other parts: SASRec (`train sequential`) and steps of GRPO over a workspace with MovieLens 100K, and
vectors of a sentence-transformers model.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from findings import Findings
from gold_questions import build_workspace
from gpu_parts import COSINE, GRADIENT_APART, NDCG_APART, PartOutcome, policy, sequences, vectors

from localrec.training.adapters.run_export import export_run
from localrec.training.jobs.run_start import begin_run
from localrec.training.libraries import training_libraries
from localrec.training.sft import sft_run
from localrec.training.sft.sft_data import SupervisedConfig
from localrec.training.sft.sft_trainer import SftOutcome

NO_GPU = 4
# bfloat16 has eight bits of a number; what it rounds adds up over the steps.
FIRST_LOSS, MEAN_LOSS, ACCURACY = 0.05, 0.10, 0.10


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """One training.

    Args:
        device: Where.
        losses: Of every step.
        trained: How well.
        gap: Between llama.cpp and torch, as a share of what the adapter changes.
        memory_gb: At its highest; 0 where nobody counts.
    """

    device: str
    losses: tuple[float, ...]
    trained: SftOutcome
    gap: float
    memory_gb: float

    def told(self) -> str:
        """One training on a line."""
        memory = f", {self.memory_gb:.2f} GB at its highest" if self.memory_gb else ""
        return (
            f"{self.device}: loss {self.losses[0]:.3f} -> {self.losses[-1]:.3f}, "
            f"{self.trained.best.accuracy:.1%} of the validation half right, "
            f"{self.trained.tokens_per_second:,.0f} tokens/s{memory}; "
            f"llama.cpp is within {self.gap:.1%} of torch"
        )


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--model", default="smollm2-135m")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--train", type=int, default=192)
    parser.add_argument("--validation", type=int, default=64)
    parser.add_argument("--parts", type=lambda text: text.split(","), default=["adapter"])
    parser.add_argument("--films", type=Path, help="workspace with ml-100k")
    parser.add_argument("--embedder", type=Path, help="folder of sentence-transformers")
    parser.add_argument("--steps", type=int, default=3, help="of GRPO")
    parser.add_argument("--groups", type=int, default=2, help="of GRPO, in a step")


def measure(asked: argparse.Namespace) -> Findings:
    """Train twice and compare."""
    with training_libraries():
        import torch
    if not torch.cuda.is_available():
        text = "There is no GPU that torch could use here, so nothing was checked."
        return Findings(text=text, exit_code=NO_GPU)
    found: list[Outcome | PartOutcome] = []
    wrong: list[str] = []
    for part in asked.parts:
        on_both, apart = PARTS[part](asked)
        found += on_both
        wrong += apart
    text = "\n".join([*(one.told() for one in found), *wrong])
    return Findings(text=text, figures=found, exit_code=1 if wrong else 0)


def adapter(asked: argparse.Namespace) -> tuple[list[Outcome], list[str]]:
    """Train a router's adapter on both devices."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = build_workspace(Path(folder) / "workspace")
        found = [trained_on(device, workspace, asked) for device in (asked.device, "cpu")]
    return found, differences(*found)


def of_sequences(asked: argparse.Namespace) -> tuple[list[PartOutcome], list[str]]:
    """Train SASRec on both devices."""
    gpu, cpu = (sequences(asked.films, device) for device in (asked.device, "cpu"))
    gap = abs(gpu.quality - cpu.quality)
    return [gpu, cpu], too_far("SASRec's NDCG@10", gap, NDCG_APART)


def of_policy(asked: argparse.Namespace) -> tuple[list[PartOutcome], list[str]]:
    """Do steps of GRPO on both devices."""
    gpu, cpu = (
        policy(asked.films, device, asked.model, asked.steps, asked.groups)
        for device in (asked.device, "cpu")
    )
    gap = abs(gpu.quality / cpu.quality - 1)
    return [gpu, cpu], too_far("GRPO's first gradient", gap, GRADIENT_APART)


def of_vectors(asked: argparse.Namespace) -> tuple[list[PartOutcome], list[str]]:
    """Embed texts on both devices."""
    found = vectors(asked.embedder, (asked.device, "cpu"))
    return found, too_far("A cosine", 1.0 - found[0].quality, 1.0 - COSINE)


PARTS: dict[str, Callable[[argparse.Namespace], tuple[Sequence[Any], list[str]]]] = {
    "adapter": adapter,
    "sequences": of_sequences,
    "policy": of_policy,
    "vectors": of_vectors,
}


def trained_on(device: str, workspace: Path, asked: argparse.Namespace) -> Outcome:
    """The whole way on one device, to an exported file."""
    import torch

    config = SupervisedConfig(
        role="router",
        base=asked.model,
        train=asked.train,
        validation=asked.validation,
        checks=2,
        device=device,
    )
    on_gpu = device != "cpu"
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    made = sft_run.prepared(workspace, config, lambda *_: None)
    run = begin_run(workspace, device.replace(":", "-"), made)
    trained = sft_run.train(run, made, lambda *_: None)
    memory = torch.cuda.max_memory_allocated() / 1e9 if on_gpu else 0.0
    agreement = export_run(run, workspace / f"{run.name}.gguf").agreement
    return Outcome(
        device=device,
        losses=tuple(one.values["loss"] or 0.0 for one in run.records()),
        trained=trained,
        gap=agreement.gap / agreement.effect if agreement.effect else 0.0,
        memory_gb=memory,
    )


def differences(gpu: Outcome, cpu: Outcome) -> list[str]:
    """What is further apart than rounding explains, a sentence each."""
    first = abs(gpu.losses[0] / cpu.losses[0] - 1)
    means = [sum(one.losses) / len(one.losses) for one in (gpu, cpu)]
    mean = abs(means[0] / means[1] - 1)
    accuracy = abs(gpu.trained.best.accuracy - cpu.trained.best.accuracy)
    pairs = (
        ("The first loss", first, FIRST_LOSS),
        ("The mean loss", mean, MEAN_LOSS),
        ("The validation half", accuracy, ACCURACY),
    )
    return [sentence for pair in pairs for sentence in too_far(*pair)]


def too_far(name: str, gap: float, most: float) -> list[str]:
    """A sentence where a gap is more than rounding explains, and where it is no number."""
    return [] if gap <= most else [f"{name} is {gap:.3f} apart, and {most:.3g} would be explained."]

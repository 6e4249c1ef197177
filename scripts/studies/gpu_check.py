"""Does a GPU train what the CPU trains? The same short training on both, and what comes of it.

Run:
    python scripts/studies/run.py gpu_check [--model smollm2-135m] [--device cuda] [--train 192]
    python scripts/studies/run.py gpu_check --parts sasrec,grpo [--steps 3] [--groups 2]
    python scripts/studies/run.py gpu_check --parts vectors --embedder FOLDER

The part `adapter` trains a router. On the GPU the base is bfloat16, on the CPU float32; examples,
order and seed are the same. Compared are the losses of all steps, how much of the validation half
is right at the end, and whether each adapter, exported, does in llama.cpp what it does in torch.
Tokens a second and the highest memory are printed for both. The parts `sasrec` and `grpo` train on
MovieLens 100K, and `vectors` embeds texts by a sentence-transformers model (`gpu_parts.py`).

Exit codes: 0 they agree, 1 they do not or something failed, 4 there is no such GPU: nothing was
checked.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec
from findings import Findings
from gold_questions import build_workspace
from gpu_parts import Comparison, compare_grpo, compare_sasrec, compare_vectors, too_far

from localrec.training.adapters.run_export import export_run
from localrec.training.jobs.run_start import begin_run
from localrec.training.libraries import training_libraries
from localrec.training.sft import sft_run
from localrec.training.sft.sft_data import SupervisedConfig
from localrec.training.sft.sft_trainer import SftOutcome

NO_GPU = 4
# bfloat16 has eight bits of a number; what it rounds adds up over the steps.
FIRST_LOSS, MEAN_LOSS, ACCURACY = 0.05, 0.10, 0.10


class AdapterOutcome(msgspec.Struct, frozen=True, kw_only=True):
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
    parser.add_argument("--parts", type=parts_of, default=["adapter"], help=", ".join(PARTS))
    parser.add_argument("--embedder", type=Path, help="folder of a sentence-transformers model")
    parser.add_argument("--steps", type=int, default=3, help="steps of GRPO")
    parser.add_argument("--groups", type=int, default=2, help="groups in a step of GRPO")


def measure(asked: argparse.Namespace) -> Findings:
    """Train twice and compare."""
    with training_libraries():
        import torch
    if not torch.cuda.is_available():
        text = "There is no GPU that torch could use here, so nothing was checked."
        return Findings(text=text, exit_code=NO_GPU)
    found = [PARTS[part](asked) for part in asked.parts]
    outcomes = [one for comparison in found for one in comparison.outcomes]
    wrong = [one for comparison in found for one in comparison.differences]
    text = "\n".join([*(one.told() for one in outcomes), *wrong])
    return Findings(text=text, figures=outcomes, exit_code=1 if wrong else 0)


def parts_of(text: str) -> list[str]:
    """Read comma-separated parts."""
    parts = text.split(",")
    if unknown := [part for part in parts if part not in PARTS]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(PARTS)}")
    return parts


def compare_adapters(asked: argparse.Namespace) -> Comparison:
    """Train a router's adapter on both devices."""
    with tempfile.TemporaryDirectory() as folder:
        workspace = build_workspace(Path(folder) / "workspace")
        found = [trained_on(device, workspace, asked) for device in (asked.device, "cpu")]
    return Comparison(found, differences(*found))


PARTS: dict[str, Callable[[argparse.Namespace], Comparison]] = {
    "adapter": compare_adapters,
    "sasrec": compare_sasrec,
    "grpo": compare_grpo,
    "vectors": compare_vectors,
}


def trained_on(device: str, workspace: Path, asked: argparse.Namespace) -> AdapterOutcome:
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
    return AdapterOutcome(
        device=device,
        losses=tuple(one.values["loss"] or 0.0 for one in run.records()),
        trained=trained,
        gap=agreement.gap / agreement.effect if agreement.effect else 0.0,
        memory_gb=memory,
    )


def differences(gpu: AdapterOutcome, cpu: AdapterOutcome) -> list[str]:
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

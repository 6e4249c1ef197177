"""`localrec train adapter` and `train export`: small adapters that know one role each."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from localrec.cli.context import command_context, console, note
from localrec.cli.distributed import distributed_training

if TYPE_CHECKING:
    from localrec.foundation.progress import Progress
    from localrec.training.adapters.run_export import AdapterModelCard
    from localrec.training.jobs.distributed import DistributedContext
    from localrec.training.jobs.estimates import ResourceEstimate
    from localrec.training.jobs.training_runs import TrainingRun
    from localrec.training.sft.sft_data import SupervisedConfig
    from localrec.training.sft.sft_run import SftRunContext
    from localrec.training.sft.sft_trainer import SftOutcome

Config = TypeVar("Config", bound="SupervisedConfig")
Outcome = TypeVar("Outcome")

EXAMPLES = """
Examples:\n\n
  localrec train adapter router --threads 1\n\n
  localrec train adapter slots --name my-slots --train 6000\n\n
  localrec train adapter router,slots --name both --train 6000\n\n
  localrec train export my-slots --out my-slots.gguf\n\n
  localrec models try my-slots.gguf
"""
EXPORT_EXAMPLES = """
Examples:\n\n
  localrec train export router-1\n\n
  localrec train export router-1 --out router.gguf
"""


BaseOption = Annotated[
    str | None,
    typer.Option(metavar="MODEL", help="A model, GGUF or folder; the chat model if left out."),
]
DeviceOption = Annotated[str, typer.Option(metavar="D", help="cpu, cuda or cuda:1.")]
SeedOption = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of every random choice.")]
EstimateOption = Annotated[
    bool, typer.Option("--estimate", help="Say what it would take, and stop.")
]
ThreadsOption = Annotated[int, typer.Option(min=0, metavar="N", help="CPU threads; 0 takes all.")]
KindNameOption = Annotated[
    str | None, typer.Option(metavar="RUN", help="Name of the run; kind and time if left out.")
]
PassesOption = Annotated[int, typer.Option(min=1, metavar="N", help="Passes over the requests.")]


def _roles() -> list[str]:
    from localrec.training.examples.roles import ROLES

    return list(ROLES)


_Role = Annotated[
    str,
    typer.Argument(
        help="router, slots, reflector, reranker, agent, writer or memory; several joined by "
        "commas.",
        autocompletion=_roles,
        metavar="ROLE",
    ),
]
_Name = Annotated[
    str | None, typer.Option(metavar="RUN", help="Name of the run; role and time if left out.")
]
_Train = Annotated[
    int | None, typer.Option("--train", min=1, metavar="N", help="Examples to learn from.")
]
_Validation = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Examples to validate on.")
]
_Batch = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Examples in a step; 16 if left out.")
]
_Rate = Annotated[
    float | None, typer.Option(metavar="R", help="Highest learning rate; 0.001 if left out.")
]


def adapter(
    role: _Role,
    base: BaseOption = None,
    name: _Name = None,
    train: _Train = None,
    validation: _Validation = None,
    epochs: Annotated[
        int, typer.Option(min=1, metavar="N", help="Most passes over the examples.")
    ] = 1,
    batch: _Batch = None,
    learning_rate: _Rate = None,
    seed: SeedOption = 7,
    device: DeviceOption = "cpu",
    threads: ThreadsOption = 0,
    estimate: EstimateOption = False,
) -> None:
    """Train an adapter for a role or several, on questions composed from this workspace's graph.

    The right answers are known from how they were composed; an agent, a reranker and a memory
    keeper learn from what people chose as well. The half to validate on is worded otherwise than
    the half to learn from, or of other people, and decides which state of the adapter is kept.
    Ctrl+C keeps what was done; localrec train resume goes on.
    """
    from localrec.foundation.settings import load_settings
    from localrec.training.sft import sft_run
    from localrec.training.sft.sft_data import SupervisedConfig

    context = command_context()
    chosen = {
        "learning_rate": learning_rate,
        "train": train,
        "validation": validation,
        "batch": batch,
    }
    config = SupervisedConfig(
        role=role,
        base=base or load_settings(context.workspace).chat_model,
        epochs=epochs,
        seed=seed,
        device=device,
        threads=threads,
        **{field: value for field, value in chosen.items() if value is not None},  # type: ignore[arg-type]
    )
    done = train_or_estimate(
        config, name or timed_name(role), sft_run.prepared, sft_run.train, estimate=estimate
    )
    if done is not None:
        report(*done)


def train_or_estimate(
    config: Config,
    name: str,
    prepare: Callable[[Path, Config, Progress, DistributedContext], SftRunContext],
    train: Callable[[TrainingRun, SftRunContext, Progress], Outcome],
    *,
    estimate: bool,
) -> tuple[TrainingRun, Outcome] | None:
    """Train, or tell what a training would take; None where there is nothing to report.

    Args:
        config: Settings of the training.
        name: Name of its run.
        prepare: Makes everything that it needs.
        train: Trains to the end.
        estimate: Only tell what it would take.
    """
    from localrec.training.jobs.run_start import begin_run
    from localrec.training.sft import sft_run

    context = command_context()
    with distributed_training(config.device, context.workspace) as (ranks, steps):
        made = prepare(context.workspace, config, steps, ranks)
        expected = sft_run.estimated(made)
        if ranks.is_main:
            note(estimate_text(expected, len(made.tokenized.train)))
        if estimate:
            if ranks.is_main:
                context.print_json(expected)
            return None
        run = begin_run(context.workspace, name, made)
        outcome = train(run, made, steps)
    return (run, outcome) if ranks.is_main else None


def report(run: TrainingRun, trained: SftOutcome) -> None:
    """Print the outcome of a training."""
    if command_context().print_json({"run": run.name, "trained": trained}):
        return
    console().print(
        f"{run.name}: {trained.before.accuracy:.1%} of the validation half were right before, "
        f"{trained.best.accuracy:.1%} are with step {trained.best_step} of {trained.steps} "
        f"({trained.seconds / 60:.0f} min, {trained.tokens_per_second:,.0f} tokens/s). "
        f"Its loss went from {trained.before.loss:.2f} to {trained.best.loss:.2f}.\n"
        f"Export it: localrec train export {run.name}"
    )


def export(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Name of a finished run.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="RUN.gguf in the run's folder if left out.")
    ] = None,
) -> None:
    """Write a trained adapter as GGUF for llama.cpp, with a card beside it.

    PyTorch and llama.cpp read the same prompts first; where they differ, nothing is written.
    """
    from localrec.training.adapters.run_export import export_run
    from localrec.training.jobs.training_runs import open_run, runs_folder

    context = command_context()
    opened = open_run(runs_folder(context.workspace) / run)
    file = out or opened.path / f"{run}.gguf"
    card = export_run(opened, file)
    if not context.print_json({"file": str(file), "card": card}):
        note(_export_text(file, card))


def estimate_text(found: ResourceEstimate, examples: int) -> str:
    """Word the expected time and memory of a training on examples."""
    return (
        f"{examples:,} examples: about {found.total_seconds / 60:.0f} min and "
        f"{found.memory_bytes / 1e9:.1f} GB."
    )


def _export_text(file: Path, card: AdapterModelCard) -> str:
    roles = card.role.split(",")
    uses = (f"Use it: localrec models use {role} {file}" for role in roles)
    return "\n".join([f"{file}: {' and '.join(roles)}, for {card.base} ({card.licence}).", *uses])


def timed_name(kind: str) -> str:
    """Name a run after its kind and the time."""
    return f"{kind}-{datetime.now():%Y%m%d-%H%M%S}"

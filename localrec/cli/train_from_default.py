"""`localrec train from-default`: an agent learns to change the default's order where that gains."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from localrec.cli.context import DomainOption, command_context, console
from localrec.cli.distributed import distributed_training
from localrec.cli.train_adapter import (
    BaseOption,
    DeviceOption,
    EstimateOption,
    KindNameOption,
    PassesOption,
    SeedOption,
    ThreadsOption,
    timed_name,
    train_or_estimate,
)

if TYPE_CHECKING:
    from localrec.training.jobs.training_runs import TrainingRun
    from localrec.training.rl.change_verifier import ChangeVerifier
    from localrec.training.rl.from_default import FromDefaultConfig
    from localrec.training.sft.sft_trainer import SftOutcome

EXAMPLES = """
Examples:\n\n
  localrec train from-default --threads 1\n\n
  localrec train from-default --train 200 --upper-layers 4 --seed 2 --name second\n\n
  localrec train from-default --no-curriculum --name evenly-drawn\n\n
  localrec train from-default --refine second --learning-rate 0.001 --name refined
"""


_Train = Annotated[int, typer.Option(min=1, metavar="N", help="Requests to learn from.")]
_Validation = Annotated[
    int, typer.Option(min=1, metavar="N", help="Requests to validate on and to calibrate by.")
]
_Batch = Annotated[int, typer.Option(min=1, metavar="N", help="Requests in a step.")]
_Rate = Annotated[float, typer.Option(metavar="R", help="Highest learning rate.")]
_Curriculum = Annotated[
    bool,
    typer.Option(
        "--curriculum/--no-curriculum",
        help="Draw requests the more often, the more the kinds of evidence disagree.",
    ),
]
_OnlyGains = Annotated[
    bool, typer.Option("--only-gains", help="Leave out requests in which the default is right.")
]
_Entropy = Annotated[
    float,
    typer.Option(min=0.0, metavar="W", help="Weight of its answers' entropy; 0: none."),
]
_Temperature = Annotated[
    float, typer.Option(min=0.1, metavar="T", help="Temperature of its answers while it learns.")
]
_UpperLayers = Annotated[
    int,
    typer.Option(
        min=0, metavar="N", help="Train so many upper layers, which takes less time; 0: all."
    ),
]
_Choices = Annotated[
    int,
    typer.Option(
        min=0,
        metavar="N",
        help="Most choices that the default ranks the catalogue for, to find requests; 0: all.",
    ),
]
_Refine = Annotated[
    str | None,
    typer.Option(
        metavar="RUN",
        help="Finished run to refine on the pairs that it confuses; requests, base and layers are "
        "the run's, and so is what is not given here.",
    ),
]


def from_default(
    base: BaseOption = None,
    name: KindNameOption = None,
    train: _Train = 400,
    validation: _Validation = 200,
    epochs: PassesOption = 2,
    batch: _Batch = 8,
    learning_rate: _Rate = 5e-4,
    curriculum: _Curriculum = True,
    only_gains: _OnlyGains = False,
    entropy: _Entropy = 0.05,
    temperature: _Temperature = 4.0,
    upper_layers: _UpperLayers = 0,
    choices: _Choices = 20000,
    refine: _Refine = None,
    seed: SeedOption = 7,
    device: DeviceOption = "cpu",
    threads: ThreadsOption = 0,
    domain: DomainOption = None,
    estimate: EstimateOption = False,
) -> None:
    """Train an agent by list-wise GRPO to change the default's order where that gains.

    It reads the default's first candidates in its order, and keeps them or puts another first; the
    reward is the gain in NDCG over the default. Requests are what people of this workspace really
    chose among the items that the default puts first for them; what any evaluation holds out is not
    looked at. At the end it is calibrated how sure a change must be to count. The adapter plays the
    role reranker; localrec train resume goes on.
    """
    from localrec.training.rl import from_default as training

    settings = {
        "base": base,
        "train": train,
        "validation": validation,
        "epochs": epochs,
        "batch": batch,
        "learning_rate": learning_rate,
        "domain": domain,
        "choices": choices,
        "curriculum": curriculum,
        "only_gains": only_gains,
        "entropy": entropy,
        "temperature": temperature,
        "upper_layers": upper_layers,
        "seed": seed,
        "device": device,
        "threads": threads,
    }
    done = train_or_estimate(
        _config(settings, refine),
        name or timed_name(f"{refine}-refined" if refine else "from-default"),
        training.prepared,
        training.train,
        estimate=estimate,
    )
    if done is not None:
        run, (trained, verifier) = done
        _report(run, trained, verifier)


def _config(settings: dict[str, Any], refine: str | None) -> FromDefaultConfig:
    """Configure a training, or a refinement by the settings that stand on the command line."""
    from localrec.foundation.settings import load_settings
    from localrec.training.rl.from_default import FromDefaultConfig, refine_config_from

    context = command_context()
    if refine is not None:
        given = {field: settings[field] for field in settings.keys() & context.given}
        return refine_config_from(context.workspace, refine, given)
    base = settings["base"] or load_settings(context.workspace).chat_model
    return FromDefaultConfig(**{**settings, "base": base})


def resume_from_default(folder: Path, run: TrainingRun) -> None:
    """Go on with such a run behind its last checkpoint."""
    from localrec.training.rl import from_default as training

    config = run.config(training.FromDefaultConfig)
    with distributed_training(config.device, folder) as (ranks, steps):
        run, made = training.resumed(folder, run.name, steps, ranks)
        trained, verifier = training.train(run, made, steps)
    if ranks.is_main:
        _report(run, trained, verifier)


def _report(run: TrainingRun, trained: SftOutcome, verifier: ChangeVerifier) -> None:
    found = {"run": run.name, "trained": trained, "verifier": verifier}
    if command_context().print_json(msgspec.to_builtins(found)):
        return
    console().print(
        f"{run.name}: what it expects to gain on held-out requests, with the weighed entropy of "
        f"its answers, went from {-trained.before.loss:+.4f} to {-trained.best.loss:+.4f} with "
        f"step {trained.best_step} of {trained.steps} "
        f"({trained.seconds / 60:.0f} min). {verifier.as_sentence()}\n"
        f"Export it: localrec train export {run.name}"
    )

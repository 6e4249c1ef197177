"""`localrec train grpo`, `train refine` and `train resume`: an agent learns from what it earned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from localrec.cli.context import DomainOption, command_context, console, note
from localrec.cli.distributed import distributed_training
from localrec.cli.train_adapter import (
    BaseOption,
    DeviceOption,
    EstimateOption,
    KindNameOption,
    PassesOption,
    SeedOption,
    report,
    timed_name,
)
from localrec.cli.train_from_default import resume_from_default

if TYPE_CHECKING:
    from localrec.training.jobs.estimates import ResourceEstimate
    from localrec.training.jobs.training_runs import TrainingRun
    from localrec.training.rl.policy_config import PolicyConfig

EXAMPLES = """
Examples:\n\n
  localrec train grpo --estimate\n\n
  localrec train grpo --prompts-per-step 2 --steps 300 --max-tool-calls 2 --name first\n\n
  localrec train grpo --base smollm2-135m --init-adapter agent-warm --steps 100 --name longer\n\n
  localrec train grpo --base Qwen3-4B-Q8_0.gguf --device cuda --init-adapter runs/warm/adapter
"""
REFINE_EXAMPLES = """
Examples:\n\n
  localrec train refine first --mine-requests 200\n\n
  localrec train refine first --name second --learning-rate 5e-6
"""
RESUME_EXAMPLES = """
Examples:\n\n
  localrec train resume first
"""

_RolloutModel = Annotated[
    str,
    typer.Option(
        metavar="FILE", help="GGUF that writes the trajectories; the base model if left out."
    ),
]
_Steps = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="Steps of the optimiser; 0: as many as --epochs takes."),
]
_Candidates = Annotated[
    int, typer.Option(min=2, metavar="N", help="Items to rank, the chosen one among them.")
]
_Requests = Annotated[
    int, typer.Option(min=0, metavar="N", help="Most requests to train on; 0: all.")
]
_Validation = Annotated[
    int, typer.Option(min=1, metavar="N", help="Requests held out to judge the trained model by.")
]
_Every = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="Steps between two judgements by them; 0: at the end."),
]
_PromptsPerStep = Annotated[
    int, typer.Option(min=1, metavar="N", help="Requests in a step, eight trajectories of each.")
]
_MaxToolCalls = Annotated[
    int, typer.Option(min=0, metavar="N", help="Most tool calls of a trajectory.")
]
_MaxThoughtChars = Annotated[
    int, typer.Option(min=8, metavar="N", help="Most characters of a thought.")
]
_Rate = Annotated[float, typer.Option(metavar="R", help="Highest learning rate.")]
_Tokens = Annotated[int, typer.Option(min=256, metavar="N", help="Most tokens of a trajectory.")]
_Workers = Annotated[
    int,
    typer.Option(
        min=0, metavar="N", help="Processes that write trajectories; 0: one for each core."
    ),
]
_InitAdapter = Annotated[
    str | None,
    typer.Option(
        metavar="ADAPTER",
        help="Adapter to begin with: a run's folder, a GGUF, or one that ships; else a fresh one.",
    ),
]
_Tools = Annotated[bool, typer.Option("--tools/--no-tools", help="Let the agent ask tools.")]
_Sequential = Annotated[
    bool,
    typer.Option("--sequential/--no-sequential", help="Train SASRec for the tools to ask."),
]


def grpo(
    base: BaseOption = None,
    rollout_model: _RolloutModel = "",
    init_adapter: _InitAdapter = None,
    tools: _Tools = True,
    sequential: _Sequential = True,
    name: KindNameOption = None,
    steps: _Steps = 0,
    epochs: PassesOption = 3,
    requests: _Requests = 0,
    candidates: _Candidates = 20,
    validation: _Validation = 100,
    validate_every: _Every = 0,
    prompts_per_step: _PromptsPerStep = 8,
    max_tool_calls: _MaxToolCalls = 10,
    max_thought_chars: _MaxThoughtChars = 160,
    learning_rate: _Rate = 1e-5,
    max_tokens: _Tokens = 4096,
    workers: _Workers = 0,
    device: DeviceOption = "cpu",
    seed: SeedOption = 7,
    domain: DomainOption = None,
    estimate: EstimateOption = False,
) -> None:
    """Train the agent by list-wise GRPO: trajectories that ranked better than their group win.

    Requests are what people of this workspace really chose next; what they chose last of all is not
    looked at. Ctrl+C keeps what was done up to the last step; localrec train resume goes on.
    """
    from localrec.foundation.settings import load_settings
    from localrec.training.examples.episodes import EpisodesConfig
    from localrec.training.rl.init_from import init_adapter_path
    from localrec.training.rl.policy_config import GrpoConfig

    config = GrpoConfig(
        base=_absolute_model(base or load_settings(command_context().workspace).chat_model),
        serving=_absolute_model(rollout_model),
        start=str(init_adapter_path(init_adapter)) if init_adapter else "",
        episodes=EpisodesConfig(
            domain=domain,
            candidates=candidates,
            most=requests,
            validation=validation,
            sequential=sequential,
            seed=seed,
        ),
        tools=tools,
        budget=max_tool_calls,
        thought_characters=max_thought_chars,
        groups=prompts_per_step,
        steps=steps,
        epochs=epochs,
        learning_rate=learning_rate,
        max_tokens=max_tokens,
        seed=seed,
        workers=workers,
        device=device,
        validate_every=validate_every,
    )
    _train(config, name, estimate=estimate)


def refine(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="Finished run of train grpo, or an adapter that one was exported as.",
        ),
    ],
    mine_requests: Annotated[
        int,
        typer.Option(
            min=0, metavar="N", help="Most rankings to search for confused pairs; 0: all."
        ),
    ] = 400,
    name: KindNameOption = None,
    steps: _Steps = 0,
    epochs: PassesOption = 1,
    learning_rate: _Rate = 1e-5,
    workers: _Workers = 0,
    seed: SeedOption = 7,
    estimate: EstimateOption = False,
) -> None:
    """Refine a trained agent on the pairs that it confuses itself, asked both ways.

    Base, requests and limits are those of the run. localrec train resume goes on with this one too.
    """
    import msgspec

    from localrec.training.rl.policy_config import RefineConfig
    from localrec.training.rl.refine_from import refine_config_from

    context = command_context()
    before = refine_config_from(context.workspace, run)
    config = RefineConfig(
        **{
            **msgspec.structs.asdict(before),
            "searched": mine_requests,
            "steps": steps,
            "epochs": epochs,
            "learning_rate": learning_rate,
            "workers": workers,
            "seed": seed,
        }
    )
    _train(config, name, estimate=estimate)


def resume(
    run: Annotated[str, typer.Argument(metavar="RUN", help="Name of a run that was stopped.")],
) -> None:
    """Go on with a training behind its last checkpoint, as if it had never been stopped."""
    from localrec.training.jobs.training_runs import open_stopped_run

    context = command_context()
    opened = open_stopped_run(context.workspace, run)
    if opened.kind == "adapter":
        _resume_adapter(context.workspace, opened)
    elif opened.kind == "from-default":
        resume_from_default(context.workspace, opened)
    else:
        _resume_policy(context.workspace, opened)


def _train(config: PolicyConfig, name: str | None, *, estimate: bool) -> None:
    from localrec.training.jobs.run_start import begin_run
    from localrec.training.rl import policy_run
    from localrec.training.rl.policy_estimates import estimated

    context = command_context()
    folder = context.workspace
    with distributed_training(config.device, folder) as (ranks, steps):
        made = policy_run.prepared(folder, config, steps, ranks)
        steps("measuring a short step", 0, 0)
        expected = estimated(made)
        if ranks.is_main:
            note(_estimate_text(expected, config.steps_over(len(made.episodes.train))))
        if estimate:
            if ranks.is_main:
                context.print_json(expected)
            return
        run = begin_run(folder, name or timed_name(str(type(config).__struct_config__.tag)), made)
        policy_run.train(run, made, steps)
    if ranks.is_main:
        _report(run)


def _resume_policy(folder: Path, run: TrainingRun) -> None:
    from localrec.training.jobs.run_start import continue_run
    from localrec.training.rl import policy_run
    from localrec.training.rl.policy_config import policy_config_of

    config = policy_config_of(run)
    with distributed_training(config.device, folder) as (ranks, steps):
        made = policy_run.prepared(folder, config, steps, ranks)
        run = continue_run(folder, run.name, made)
        policy_run.train(run, made, steps)
    if ranks.is_main:
        _report(run)


def _resume_adapter(folder: Path, run: TrainingRun) -> None:
    from localrec.training.sft import sft_run
    from localrec.training.sft.sft_data import SupervisedConfig

    device = run.config(SupervisedConfig).device
    with distributed_training(device, folder) as (ranks, steps):
        run, made = sft_run.resumed(folder, run.name, steps, ranks)
        trained = sft_run.train(run, made, steps)
    if ranks.is_main:
        report(run, trained)


def _report(run: TrainingRun) -> None:
    last = run.records()[-1]
    if command_context().print_json({"run": run.name, "state": run.state, "last": last}):
        return
    console().print(
        f"{run.name}: {run.state.step} steps; on the validation requests NDCG "
        f"{_metric_text(last.values, 'validation_score')}, valid "
        f"{_metric_text(last.values, 'validation_valid')}.\n"
        f"Export it: localrec train export {run.name}"
    )


def _metric_text(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    return "unknown" if value is None else f"{value:.3f}"


def _estimate_text(found: ResourceEstimate, steps: int) -> str:
    return (
        f"{steps:,} steps of about {found.seconds_per_step:,.0f} s: {_hours(found.total_seconds)}, "
        f"and {found.memory_bytes / 1e9:.1f} GB at most."
    )


def _hours(seconds: float) -> str:
    return f"{seconds / 3600:,.1f} h" if seconds >= 3600 else f"{seconds / 60:,.0f} min"


def _absolute_model(model: str) -> str:
    """A path as it is found from anywhere; a name of the catalogue as it is."""
    path = Path(model)
    return str(path.absolute()) if model and path.exists() else model

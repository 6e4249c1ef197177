"""`localrec train`: networks that learn from what people did here, for other commands to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import Commands, DomainOption, command_context, console, progress

if TYPE_CHECKING:
    from localrec.training.sequential.sasrec_training import SequentialReport

EXAMPLES = """
Examples:\n\n
  localrec train sequential\n\n
  localrec train sequential --domain movies --epochs 20
"""

app = Commands(
    help="Train networks on what people did; they stay in the workspace, and forgetting ends them.",
    epilog=EXAMPLES,
    no_args_is_help=True,
)


@app.callback()
def _train() -> None:
    # Typer would make a group of one command that command itself.
    pass


@app.command("sequential", epilog=EXAMPLES)
def sequential(
    domain: DomainOption = None,
    epochs: Annotated[
        int | None,
        typer.Option(
            "--epochs", metavar="N", min=1, help="Passes over the data at most; 10 if left out."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, help="Seed of every random choice.")
    ] = 0,
) -> None:
    """Train SASRec, which says what comes next, on all that people did with a domain's items.

    The agent's tools ask it for similar people and items. It replaces the one trained before, which
    stays if the training is interrupted. Train again after much more was imported, and after
    anybody was forgotten. Of several domains the one with most interactions is meant.
    """
    from localrec.ranking.baselines.neural.configs import SASRecConfig
    from localrec.training.sequential.sasrec_training import train_sequential

    context = command_context()
    config = SASRecConfig() if epochs is None else SASRecConfig(epochs=epochs)
    with progress() as steps:
        report = train_sequential(context.workspace, domain, config, seed, steps)
    if not context.print_json(report):
        console().print(_report_text(report))


def _report_text(report: SequentialReport) -> str:
    judged = (
        ""
        if report.ndcg_at_10 is None
        else f", NDCG@10 {report.ndcg_at_10:.3f} on last items it had not been shown"
    )
    return (
        f"SASRec learnt {report.domain} from {report.interactions:,} interactions of "
        f"{report.users:,} people with {report.items:,} items in {report.seconds:,.0f} s: "
        f"epoch {report.best_epoch} of {report.epochs} was the best{judged}."
    )

"""`localrec train reader`: the network that tells what the names of a question are there for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import command_context, console, progress

if TYPE_CHECKING:
    from localrec.training.reader.role_training import RoleReport

EXAMPLES = """
Examples:\n\n
  localrec train reader scripts/studies/questions/carriers/*.jsonl --out roles.npz\n\n
  localrec train reader k1.jsonl k2.jsonl --held-out k3.jsonl --questions 8000 --out roles.npz
"""


def reader(
    carriers: Annotated[
        list[Path],
        typer.Argument(metavar="CARRIERS...", help="Files of questions with slots for names."),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="The file to write.")],
    held_out: Annotated[
        list[Path] | None,
        typer.Option("--held-out", metavar="FILE", help="Carriers by other authors, to score by."),
    ] = None,
    questions: Annotated[
        int,
        typer.Option(
            "--questions", metavar="N", min=100, help="Questions to compose and learn from."
        ),
    ] = 30_000,
    epochs: Annotated[
        int, typer.Option("--epochs", metavar="N", min=1, help="Passes over the questions.")
    ] = 3,
    learning_rate: Annotated[
        float, typer.Option("--learning-rate", metavar="R", min=0.0, help="Highest learning rate.")
    ] = 1.5e-3,
    rank: Annotated[
        int,
        typer.Option(
            "--rank", metavar="N", min=0, help="Rank of LoRA on MiniLM's upper layers; 0 leaves it."
        ),
    ] = 16,
    start: Annotated[
        Path | None,
        typer.Option("--start", metavar="FILE", help="A trained network to continue from."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of every random choice.")] = 0,
) -> None:
    """Train the network that tells what each name of a question is there for.

    Questions over six domains are composed of the carriers, with slips of the finger; MiniLM reads
    them, and a small network and LoRA weights on its upper layers learn which names are wanted,
    refused, an example or said by the way. The one that ships lies in
    localrec/understanding/languages/en-roles.npz.
    """
    from localrec.training.reader.role_states import RoleConfig
    from localrec.training.reader.role_training import train_reader

    context = command_context()
    config = RoleConfig(
        questions=questions, epochs=epochs, learning_rate=learning_rate, rank=rank, seed=seed
    )
    with progress() as steps:
        report = train_reader(carriers, held_out or (), out, config, steps, start)
    if not context.print_json(report):
        console().print(_report_text(report, out))


def _report_text(report: RoleReport, out: Path) -> str:
    text = (
        f"Learnt {report.config.questions:,} questions of {report.carriers:,} carriers in "
        f"{report.seconds:,.0f} s of CPU: {out}, {report.bytes:,} bytes."
    )
    score = report.held_out
    if score is None:
        return text
    return (
        f"{text}\nOf {score.names:,} names in wordings it had not been shown {score.right:.3f} "
        f"have their role; of the refused ones {score.barred_found:.3f} are found, and "
        f"{score.barred_right:.3f} of those that it takes for refused are."
    )

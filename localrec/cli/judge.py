"""`localrec evaluate judge`: a local model judges what the systems of a run said, blind."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from localrec.cli.context import DomainOption, command_context, console, note, progress, resumable

EXAMPLES = """
Examples:\n\n
  localrec evaluate judge questions\n\n
  localrec evaluate judge RUN --model smollm2-135m --samples 12\n\n
  localrec evaluate rate RUN/samples.jsonl --out RUN/ratings.jsonl
"""


def judge(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="A run's name or folder, with answers-SYSTEM.jsonl or rationales-SYSTEM.jsonl.",
        ),
    ],
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="The judge: a chat model, or a GGUF file.")
    ] = None,
    scales: Annotated[
        Literal["marc", "memrec"] | None,
        typer.Option(help="MARC's four (for answers), or MemRec's three (for rationales)."),
    ] = None,
    samples: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="The number of questions, drawn from those that all systems answered.",
        ),
    ] = 30,
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of the draw; keep it to go on.")] = 7,
    gold: Annotated[
        Path | None,
        typer.Option(
            metavar="GOLD.jsonl", help="A file of gold questions; by default those that ship."
        ),
    ] = None,
    domain: DomainOption = None,
) -> None:
    """Have explanations judged without their systems' names, and see how reliable the judge is."""
    from localrec.evaluation.explanations.judged_run import (
        explained_folder,
        judge_drawn,
        keep_judgement,
        samples_to_judge,
        scales_for,
    )

    context = command_context()
    folder = explained_folder(run, context.workspace / "runs")
    family = scales or scales_for(folder)
    with context.open_workspace() as opened:
        to_judge = samples_to_judge(opened, folder, family, domain, gold, samples, seed)
    # Opened anew and without its store, so that others may write while the model is at work.
    with context.open_workspace() as opened, resumable(folder), progress() as steps:
        verdicts = judge_drawn(opened, folder, to_judge, family, seed, model, steps)
    arguments = [folder.name, "--scales", family, "--samples", str(samples), "--seed", str(seed)]
    judged, told = keep_judgement(folder, to_judge, verdicts, arguments)
    if not context.print_json(judged):
        console().print(told, soft_wrap=True)
    note(f"{folder} holds samples, verdicts, judged.json and judged.md.")

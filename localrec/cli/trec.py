"""`localrec evaluate export` and `take-in`: rankings as TREC files, out of a run and into one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from localrec.cli.context import JsonOption, WorkspaceOption, console, context_of, note, print_json

EXAMPLES = """
Examples:\n\n
  localrec evaluate export ml-100k-baselines-full --out trec\n\n
  localrec evaluate take-in ml-100k-baselines-full theirs.run\n\n
  localrec evaluate compare theirs:theirs ml-100k-baselines-full:ease
"""

RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="A run's name or folder.")]


def export(
    run: RunArgument,
    out: Annotated[
        Path, typer.Option("--out", metavar="FOLDER", help="For qrels and a file per system.")
    ],
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write what the systems of a run ranked as TREC files, for any evaluator to read."""
    from localrec.evaluation.foreign import write_trec
    from localrec.evaluation.runs import find_run

    context = context_of(workspace, as_json)
    files = write_trec(find_run(run, context.workspace / "runs"), out)
    if context.as_json:
        print_json({"files": [str(file) for file in files]})
        return
    for file in files:
        console().print(str(file), markup=False, soft_wrap=True)


def take_in(
    run: RunArgument,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.run", help="A TREC run file; its topics are ids of the run's cases."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FOLDER", help="Of the new run; else runs/FILE in the workspace."
        ),
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Judge another program's rankings by the cases of a run, to compare with ours."""
    from localrec.evaluation.figures import write_run_report
    from localrec.evaluation.foreign import take_in as judge_foreign
    from localrec.evaluation.report import origin_now
    from localrec.evaluation.runs import RunFolder, find_run

    context = context_of(workspace, as_json)
    runs = context.workspace / "runs"
    folder = RunFolder(out or runs / file.name.partition(".")[0])
    made = origin_now("-m localrec", ["evaluate", "take-in", Path(run).name, file.name])
    found = judge_foreign(find_run(run, runs), file, folder, made)
    page, *_ = write_run_report(folder)
    if context.as_json:
        print_json(found)
        return
    for one in found.systems:
        told = ", ".join(f"{name} {figure.value:.3f}" for name, figure in one.metrics.items())
        console().print(f"{one.name}: {told}", markup=False, soft_wrap=True)
    note(f"{folder.path} holds it as a run; {page.name} shows it.")

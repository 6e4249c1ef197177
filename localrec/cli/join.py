"""`localrec evaluate join`: parts of an evaluation that were measured side by side, as one run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from localrec.cli.context import JsonOption, WorkspaceOption, console, context_of, note, print_json

EXAMPLES = """
Examples:\n\n
  localrec evaluate run first-half.toml & localrec evaluate run second-half.toml\n\n
  localrec evaluate join first-half second-half --out runs/both\n\n
  localrec evaluate join first-half ~/from-the-other-desk/second-half
"""


def join(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN...", help="Names or folders of runs, begun alike."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FOLDER", help="Of the new run; else runs/joined in the workspace."
        ),
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Join runs that measured different systems on the same cases.

    Data, protocol, seed and versions have to be the same; what one of them has not measured to its
    end is left out.
    """
    from localrec.evaluation.figures import write_run_report
    from localrec.evaluation.joining import join as join_runs
    from localrec.evaluation.runs import RunFolder, find_run

    context = context_of(workspace, as_json)
    known = context.workspace / "runs"
    into = RunFolder(out or known / "joined")
    found = join_runs([find_run(run, known) for run in runs], into)
    page, *_ = write_run_report(into)
    if context.as_json:
        print_json(found)
        return
    console().print(", ".join(one.name for one in found.systems), markup=False, soft_wrap=True)
    note(f"{into.path} holds them as a run; {page.name} shows it.")

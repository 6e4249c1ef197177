"""`localrec doctor`: is everything here that asking needs, and what to do where it is not.

With `--repair`: what can be mended without losing anything is mended, and told.
With `--go-back`: the newest copy of the store that localrec kept takes its place.
With `--privacy`: what could reach a network and what keeps it from it, who may read the workspace,
and what is not encrypted.
"""

from __future__ import annotations

from typing import Annotated

import typer

from localrec.cli.context import command_context, console
from localrec.foundation.errors import UsageError

_STYLES = {"ok": "green", "mended": "green", "missing": "yellow", "broken": "red"}


def doctor(
    privacy: Annotated[
        bool,
        typer.Option("--privacy", help="Only: network, encryption, and who may read the files."),
    ] = False,
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Mend what can be mended with nothing lost, and tell it."),
    ] = False,
    return_to_copy: Annotated[
        bool,
        typer.Option(
            "--go-back",
            help="Put the newest copy of the store in its place: localrec keeps one before it "
            "brings a store up to date and before restore.",
        ),
    ] = False,
) -> int:
    """Check libraries, models and the workspace; exits with 1 when something is broken."""
    from localrec.workspace.doctor_checks import check_all, check_privacy
    from localrec.workspace.doctor_store import went_back

    context = command_context()
    if privacy and (repair or return_to_copy):
        raise UsageError(
            "--privacy only looks.", "Leave it out to repair: localrec doctor --repair"
        )
    if return_to_copy:
        findings = list(went_back(context.workspace))
    elif privacy:
        findings = check_privacy(context.workspace)
    else:
        findings = check_all(context.workspace, repair=repair)
    code = int(any(finding.state == "broken" for finding in findings))
    if context.print_json(findings):
        return code
    from rich.text import Text

    out = console()
    for finding in findings:
        line = Text(f"{finding.state:<7}", style=_STYLES[finding.state]).append(
            f"  {finding.what}: {finding.detail}", style=""
        )
        out.print(line)
        if finding.remedy and finding.state in ("missing", "broken"):
            out.print(Text(f"         {finding.remedy}", style="dim"))
    return code

"""`localrec memory rules`: the rules by which neighbours count, as a text to read and edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import (
    Commands,
    DomainOption,
    command_context,
    console,
    note,
    progress,
    read_piped,
)
from localrec.foundation.errors import InputError

if TYPE_CHECKING:
    from localrec.memory.rules import RuleSet

EXAMPLES = """
Examples:\n\n
  localrec memory rules show --domain movies\n\n
  localrec memory rules show > my.rules\n\n
  localrec memory rules edit --file my.rules\n\n
  localrec memory rules generate --seed 3
"""

app = Commands(
    help="Rules that weight a user's neighbours: versioned, checked, never run as code.",
    epilog=EXAMPLES,
    no_args_is_help=True,
)


@app.command("show", epilog=EXAMPLES)
def show(domain: DomainOption = None) -> None:
    """Show the rules that hold now, in the form in which they can be edited."""
    from localrec.memory.rule_versions import rules_of
    from localrec.workspace.domain_choice import domain_of_question

    context = command_context()
    with context.open_workspace() as opened:
        rules = rules_of(opened.store, domain_of_question(opened, "", domain))
    _report(rules)


@app.command("edit", epilog=EXAMPLES)
def edit(
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="PATH", help="The new rules; - or none reads stdin."),
    ] = None,
    domain: DomainOption = None,
) -> None:
    """Put rules of your own in force, as a new version; all of them, or none where one is wrong."""
    from localrec.workspace.memories import put_rules

    context = command_context()
    file = None if file == Path("-") else file
    text = read_piped("Give --file, or pipe the rules in.") if file is None else _read(file)
    with context.open_workspace(writable=True) as opened:
        saved = put_rules(opened, text, domain, "The rules" if file is None else str(file))
    _report(saved)


@app.command("generate", epilog=EXAMPLES)
def generate(
    seed: Annotated[int, typer.Option(help="Another seed, other rules.")] = 0,
    domain: DomainOption = None,
) -> None:
    """Let the local model write rules from the domain's statistics, as a new version in force."""
    from localrec.workspace.memories import model_rules

    with progress() as steps:
        saved = model_rules(command_context().workspace, domain, seed, steps)
    _report(saved)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror}.", "Name another file."
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file} is no text in UTF-8.", "Save it as UTF-8.") from error


def _report(rules: RuleSet) -> None:
    from localrec.memory.rule_text import format_rules

    if command_context().print_json(
        {"version": rules.version, "source": rules.source, "rules": rules}
    ):
        return
    note(f"Version {rules.version}, {rules.source}.")
    console().print(format_rules(rules), end="", soft_wrap=True)

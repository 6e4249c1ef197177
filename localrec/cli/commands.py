"""The commands of the program: a table of where each is defined, and the program made from it.

A command line runs one command, so that command alone is imported and built. The list of all
commands, which `localrec --help` shows, is made from the sentences in this table; the whole
program with every option is built for the documentation and for shell completion only.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import typer

from localrec.cli.context import Commands, JsonOption, WorkspaceOption, set_global_options

_COMPLETION = "_LOCALREC_COMPLETE"  # the variable by which a shell asks for completion


class CommandRow(NamedTuple):
    """One line of the list of commands.

    Args:
        about: The first sentence of its help.
        module: The module of `localrec.cli` that defines it.
        function: The function that is the command; "" for a group of commands, the module's `app`.
        epilog: The constant with its examples; "" where it has none.
    """

    about: str
    module: str
    function: str = ""
    epilog: str = ""


def _command(about: str, module: str, function: str = "", epilog: str = "EXAMPLES") -> CommandRow:
    return CommandRow(about, module, function or module, epilog)


COMMANDS = {
    "ask": _command("Ask for a recommendation in plain language.", "ask"),
    "recommend": _command(
        "Recommend items to a person, from the first rating on; a name that nobody has is refused.",
        "recommend",
    ),
    "rank": _command(
        "Order given candidates for given histories, which need not be stored.",
        "rank",
    ),
    "feedback": _command("Say what you think of an item, or take it back.", "feedback"),
    "import": _command(
        "Read a catalogue or somebody's history: all of it, or nothing on a bad file.",
        *("imports", "import_"),
    ),
    "index": _command(
        "Bring vectors and index files in line with the texts (after a change of embedder, say).",
        *("index", "index", ""),
    ),
    "learn": _command(
        "Learn the default ranking of each domain from all that users did with its items.", "learn"
    ),
    "describe": _command(
        "Write descriptions for items that have only a generated one; checked, marked, resumable.",
        "describe",
    ),
    "export": _command(
        "Write a history, profile, catalogue or list to a file; forgetting does not reach there.",
        "export",
    ),
    "forget": _command(
        "Remove a person, an item or a span of time from everything, and look for traces "
        "afterwards.",
        "forget",
    ),
    "backup": _command(
        "Write the whole workspace into one file, and read it back against its checksums.",
        *("backup", "backup", "BACKUP_EXAMPLES"),
    ),
    "restore": _command(
        "Replace the workspace by what a backup holds, after every checksum was found right.",
        *("backup", "restore", "RESTORE_EXAMPLES"),
    ),
    "doctor": _command(
        "Check libraries, models and the workspace; exits with 1 when something is broken.",
        *("doctor", "doctor", ""),
    ),
    "sql": _command("Ask the store in SQL, read-only.", "sql"),
    "warm": _command(
        "Keep the workspace in memory, so that ask and recommend answer at once.", "warm"
    ),
    "tui": _command("Open the app in this terminal: ask, see why, say what you think.", "tui"),
    "mcp": _command(
        "Serve the workspace to another program: ask, recommend, rate, search, forget, by MCP.",
        "mcp",
    ),
    "help": _command(
        "Print a page of the documentation; without a topic, name all.", *("help", "help_")
    ),
    "shelf": CommandRow(
        "The things you have at hand, what they make, and what one thing more would.", "shelf"
    ),
    "memory": CommandRow("Memories of people and items: read, change and pin them.", "memory"),
    "train": CommandRow(
        "Train networks on what people did; they stay in the workspace, and forgetting ends them.",
        "train",
    ),
    "evaluate": CommandRow("Measure systems, compare what was measured.", "evaluate"),
    "images": CommandRow("Pictures of items: add, describe, list, find.", "images"),
    "models": CommandRow("Local models: list, pull, check, use, measure.", "models"),
    "datasets": CommandRow("Data sets: list, pull.", "datasets"),
    "domains": CommandRow("Domains: list, show, make one from a table, edit.", "domains"),
}
# Group -> its commands that other modules define: name -> module, function, examples.
_ELSEWHERE = {
    "train": {
        "adapter": ("train_adapter", "adapter", "EXAMPLES"),
        "export": ("train_adapter", "export", "EXPORT_EXAMPLES"),
        "reader": ("train_reader", "reader", "EXAMPLES"),
        "grpo": ("train_policy", "grpo", "EXAMPLES"),
        "from-default": ("train_from_default", "from_default", "EXAMPLES"),
        "refine": ("train_policy", "refine", "REFINE_EXAMPLES"),
        "resume": ("train_policy", "resume", "RESUME_EXAMPLES"),
    },
    "models": {
        "try": ("adapters", "try_", "TRY_EXAMPLES"),
        "bench": ("models_bench", "bench", "EXAMPLES"),
    },
}
_SUBGROUPS = {"memory": {"rules": "memory_rules"}}


def program_for(arguments: Sequence[str]) -> Commands:
    """Make the program with the one command that a command line runs.

    Where it runs none, the program has all names, so that help and the refusal of a misspelt name
    know them, and no options of theirs.
    """
    if _COMPLETION in os.environ:
        return whole_program()
    program = _without_commands()
    name = command_in(arguments)
    if name in COMMANDS:
        _add(program, name)
        return program
    for name, row in COMMANDS.items():
        program.command(name, help=row.about)(_never_run)
    return program


def whole_program() -> Commands:
    """Make the program with every command and all their options."""
    program = _without_commands()
    for name in COMMANDS:
        _add(program, name)
    return program


def command_in(arguments: Sequence[str]) -> str:
    """Find the name of the command in a command line; "" where there is none."""
    skipped = False
    for argument in arguments:
        if skipped:
            skipped = False
        elif not argument.startswith("-"):
            return argument
        elif argument in ("-h", "--help"):
            return ""
        else:
            skipped = argument == "--workspace"
    return ""


def _without_commands() -> Commands:
    program = Commands(
        name="localrec",
        help="A private recommender: your catalogue, local models, answers with their evidence.",
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    program.callback()(_options)
    return program


def _add(program: Commands, name: str) -> None:
    row = COMMANDS[name]
    if row.function:
        _add_function(program, name, row.module, row.function, row.epilog)
        return
    group: Commands = _module(row.module).app
    present = {command.name for command in group.registered_commands}
    for own, where in _ELSEWHERE.get(name, {}).items():
        if own not in present:  # a group belongs to its module, which is imported once
            _add_function(group, own, *where)
    if not group.registered_groups:
        for own, module in _SUBGROUPS.get(name, {}).items():
            group.add_typer(_module(module).app, name=own)
    program.add_typer(group, name=name)


def _add_function(group: Commands, name: str, module: str, function: str, epilog: str) -> None:
    defined = _module(module)
    examples = getattr(defined, epilog) if epilog else None
    group.command(name, epilog=examples)(getattr(defined, function))


def _module(name: str) -> Any:
    return import_module(f"localrec.cli.{name}")


def _never_run() -> None:
    """Stand for a command in the list of all commands."""


def _print_version(wanted: bool) -> None:
    if wanted:
        from localrec import __version__

        typer.echo(__version__)
        raise typer.Exit


def _options(
    context: typer.Context,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_print_version, help="Print the version."
    ),
) -> None:
    set_global_options(context, workspace, as_json)

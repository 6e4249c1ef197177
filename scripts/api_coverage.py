"""Which call of the Python API does what a command does: the table of docs/api.md.

Each command of the program stands here with a call, or with the reason why it has none. A test
holds this table to the commands and the calls that there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_TERMINAL = "draws on or reads from a terminal"

CALLS: dict[str, str] = {
    "ask": "Workspace.ask",
    "recommend": "Workspace.recommend",
    "rank": "Workspace.rank",
    "feedback": "Workspace.feedback",
    "import": "Workspace.import_file",
    "export": "Workspace.export",
    "forget": "Workspace.forget",
    "sql": "Workspace.sql",
    "backup": "Workspace.backup",
    "restore": "Workspace.restore",
    "evaluate run": "Workspace.evaluate",
    "index": "Workspace.index",
    "learn": "Workspace.learn",
    "describe": "Workspace.describe",
    "doctor": "Workspace.doctor",
    "train sequential": "Workspace.train.sequential",
    "train adapter": "Workspace.train.adapter",
    "train export": "Workspace.train.export",
    "train reader": "Workspace.train.reader",
    "train grpo": "Workspace.train.grpo",
    "train from-default": "Workspace.train.from_default",
    "train refine": "Workspace.train.refine",
    "train resume": "Workspace.train.resume",
    "evaluate judge": "Workspace.evaluate.judge",
    "evaluate merge": "Workspace.evaluate.merge",
    "evaluate export": "Workspace.evaluate.export",
    "evaluate compare": "Workspace.evaluate.compare",
    "evaluate list": "Workspace.evaluate.list",
    "models try": "Workspace.models.try_",
    "models bench": "Workspace.models.bench",
    "evaluate import-run": "Workspace.import_trec",
    "shelf show": "Workspace.shelf.show",
    "shelf add": "Workspace.shelf.add",
    "shelf remove": "Workspace.shelf.remove",
    "shelf clear": "Workspace.shelf.clear",
    "shelf list": "Workspace.shelf.list",
    "memory show": "Workspace.memory.show",
    "memory history": "Workspace.memory.history",
    "memory edit": "Workspace.memory.edit",
    "memory pin": "Workspace.memory.pin",
    "memory unpin": "Workspace.memory.unpin",
    "memory jobs": "Workspace.memory.jobs",
    "memory run": "Workspace.memory.run",
    "memory rebuild": "Workspace.memory.rebuild",
    "memory rules show": "Workspace.memory.rules.show",
    "memory rules edit": "Workspace.memory.rules.edit",
    "memory rules generate": "Workspace.memory.rules.generate",
    "images add": "Workspace.images.add",
    "images describe": "Workspace.images.describe",
    "images list": "Workspace.images.list",
    "images find": "Workspace.images.find",
    "models list": "Workspace.models.list",
    "models pull": "Workspace.models.pull",
    "models check": "Workspace.models.check",
    "models use": "Workspace.models.use",
    "datasets list": "Workspace.datasets.list",
    "datasets pull": "Workspace.datasets.pull",
    "domains new": "Workspace.domains.new",
    "domains list": "Workspace.domains.list",
    "domains show": "Workspace.domains.show",
    "domains check": "Workspace.domains.check",
    "domains remove": "Workspace.domains.remove",
}

WITHOUT: dict[str, str] = {
    "tui": _TERMINAL,
    "mcp": "serves another program",
    "warm": "a Workspace that stays open keeps what it read, and its models",
    "evaluate rate": _TERMINAL,
    "domains edit": "opens an editor; the declaration is a file",
    "help": "prints a page of the documentation",
}


def command_names(group: Any, before: str = "") -> Iterator[str]:
    """The names of all commands that help shows, without the program's own."""
    for name, command in group.commands.items():
        if getattr(command, "hidden", False):
            continue
        path = f"{before} {name}".strip()
        if getattr(command, "commands", None):
            yield from command_names(command, path)
        else:
            yield path


def coverage_table(group: Any) -> str:
    """The table in Markdown, in the order of the commands."""
    names = list(command_names(group))
    covered = sum(name in CALLS for name in names)
    rows = [
        f"| `{name}` | `{CALLS[name]}` |" if name in CALLS else f"| `{name}` | {WITHOUT[name]} |"
        for name in names
    ]
    head = f"{covered} of {len(names)} commands have a call; for the others the reason is told."
    return "\n".join([head, "", "| command | call |", "| --- | --- |", *rows])

"""Help texts, and the words that scripts type: commands, options and names of systems."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from localrec.cli.context import OLD_OPTIONS

from .program import command_tree, run_program

Words = dict[str, list[str]]


def help_texts(folder: Path) -> dict[str, list[str]]:
    """Return command -> the lines of its help, as a terminal of 100 columns shows them."""
    shown = {}
    for path, _ in _commands(command_tree(), ()):
        ended = run_program(*path, "--help", folder=folder)
        assert ended.code == 0, ended.err
        lines = [line.rstrip() for line in ended.out.splitlines()]
        shown[" ".join(("localrec", *path))] = _without_end(lines)
    return shown


def parameters() -> dict[str, dict[str, Any]]:
    """Return command -> its options and arguments, hidden ones too, with what they take."""
    return {
        " ".join(("localrec", *path)): {
            _typed(place, one): _takes(one)
            for place, one in enumerate(command.params, 1)
            if "completion" not in one.name
        }
        for path, command in _commands(command_tree(), ())
    }


def all_words(systems: dict[str, list[str]]) -> Words:
    """Return every word that a script may type: the options of a command, names of systems."""
    options = {command: sorted(options_of(takes)) for command, takes in parameters().items()}
    named = {f"localrec {command} --system": sorted(names) for command, names in systems.items()}
    return options | named


def options_of(takes: dict[str, Any]) -> set[str]:
    """Return the options among a command's parameters, with the old names they still take."""
    known = {word for words in takes for word in words.split() if word.startswith("-")}
    return known | {old for old, new in OLD_OPTIONS.items() if not known.isdisjoint(new)}


def with_words(known: Words, more: Words) -> Words:
    """Return both, since a word that once was known stays known."""
    commands = sorted({*known, *more})
    return {
        command: sorted({*known.get(command, ()), *more.get(command, ())}) for command in commands
    }


def help_as_text(shown: dict[str, list[str]]) -> str:
    """Return all help texts as one document."""
    parts = (f"$ {shlex.join((*command.split(), '--help'))}" for command in shown)
    return "\n\n".join(
        "\n".join([title, *lines]).rstrip()
        for title, lines in zip(parts, shown.values(), strict=True)
    )


def help_of_text(text: str) -> dict[str, list[str]]:
    """Return the help texts of such a document, each without its empty lines at the end."""
    shown: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            lines = shown.setdefault(line[2:].removesuffix(" --help"), [])
        else:
            lines.append(line)
    return {command: _without_end(found) for command, found in shown.items()}


def _without_end(lines: list[str]) -> list[str]:
    """Return the lines up to the last that says something."""
    return "\n".join(lines).rstrip().splitlines()


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name, one in sorted(getattr(command, "commands", {}).items()):
        yield from _commands(one, (*path, name))


def _typed(place: int, parameter: Any) -> str:
    """Return how a parameter is typed: an option by its words, an argument by its place."""
    words = " ".join((*parameter.opts, *parameter.secondary_opts))
    return words if words.startswith("-") else f"argument {place}"


def _takes(parameter: Any) -> dict[str, Any]:
    """Return what a parameter takes, as far as Typer tells it in any version."""
    default = parameter.default
    is_plain = default is None or isinstance(default, bool | int | float | str)
    described = getattr(parameter, "type_descriptor", None)
    return {
        "metavar": parameter.metavar,
        "choices": [str(one) for one in get_args(getattr(described, "annotation", None))],
        "default": default if is_plain else str(default),
        "required": parameter.required,
        "many": parameter.multiple or parameter.nargs != 1,
        "flag": getattr(parameter, "is_flag", False),
        "hidden": getattr(parameter, "hidden", False),
    }

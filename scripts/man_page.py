"""The manual page localrec(1), from the help of the commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

SECTION = 1


def man_page(group: Any, version: str, exit_codes: Mapping[int, str]) -> str:
    """The page in the language of man(7).

    Args:
        group: The program's group of commands, as Typer makes it.
        version: Of localrec.
        exit_codes: Code -> what it means.
    """
    codes = [line for code, what in exit_codes.items() for line in (".TP", f"{code}", _text(what))]
    lines = [
        f'.TH LOCALREC {SECTION} "" "localrec {version}" "User commands"',
        ".SH NAME",
        "localrec \\- a private recommender for one desk",
        ".SH SYNOPSIS",
        ".B localrec",
        "[\\fB\\-\\-workspace\\fR \\fIPATH\\fR] [\\fB\\-\\-json\\fR]",
        "\\fICOMMAND\\fR [\\fIOPTION\\fR ...]",
        ".SH DESCRIPTION",
        _text(
            "Ask your catalogue in plain language; a local graph and local models answer, with "
            "their reasons, and nothing leaves the machine. Data goes to stdout, every error is "
            "one sentence on stderr with its remedy, and - stands for stdin and stdout wherever a "
            "file goes. Every command takes --workspace PATH, the workspace folder, and --json, "
            "which prints JSON on stdout and nothing else; with --help it shows examples. "
            "localrec help TOPIC prints pages of the documentation."
        ),
        ".SH COMMANDS",
        *_commands(group, "localrec"),
        ".SH EXIT STATUS",
        *codes,
        ".SH ENVIRONMENT",
        ".TP",
        "\\fBLOCALREC_WORKSPACE\\fR",
        "The workspace folder, where \\fB\\-\\-workspace\\fR names none.",
        ".TP",
        "\\fBLOCALREC_CACHE\\fR",
        "The folder of pulled models and data sets.",
    ]
    return "\n".join(lines) + "\n"


def _commands(command: Any, path: str) -> Iterator[str]:
    children = getattr(command, "commands", {})
    if not children:
        yield from _command(command, path)
    for name, child in children.items():
        if not getattr(child, "hidden", False):  # an old name of another command
            yield from _commands(child, f"{path} {name}")


_EVERYWHERE = ("help", "workspace", "as_json")  # told once, in the synopsis and the description


def _command(command: Any, path: str) -> Iterator[str]:
    yield f".SS {_text(path)}"
    for number, paragraph in enumerate(re.split(r"\n\s*\n", (command.help or "").strip())):
        yield from [".PP"] * bool(number)
        yield _text(paragraph)
    for one in command.params:
        if one.name in _EVERYWHERE:
            continue
        is_option = one.opts[0].startswith("-")
        flags = ", ".join(f"\\fB{_text(flag)}\\fR" for flag in one.opts)
        shown = flags if is_option else f"\\fI{_text(one.name)}\\fR"
        value = f" \\fI{_text(one.metavar)}\\fR" if is_option and one.metavar else ""
        yield ".TP"
        yield f"{shown}{value}"
        yield _text(getattr(one, "help", "") or "") or "\\&"


def _text(words: str) -> str:
    """Words as man(7) prints them: nothing in them is a request, and a hyphen can be copied."""
    joined = " ".join(words.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{joined}" if joined.startswith((".", "'")) else joined

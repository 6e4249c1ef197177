"""Every shell block of README and docs runs, in order, as a reader would type it.

A block that cannot run here (it takes hours, draws on the terminal, needs a card or a download) is
not marked `sh`. Whatever a block is marked as, its command lines fit the commands that there are.
"""

from __future__ import annotations

import re
import shlex

import pytest
import typer

from localrec.cli.commands import whole_program
from localrec.foundation.offline import switch_off_network

from .conftest import CHECKOUT, PAGES, blocks_of, page_name

# docs/cli.md is made of each command's help, whose examples are looked at there.
WRITTEN = [page for page in PAGES if page.stem != "cli"]
SHELL = {page: [one for one in blocks_of(page) if one.language == "sh"] for page in WRITTEN}
SHELL_WORDS = {">", "2>&1", "|", "&", "&&"}
COMMAND = re.compile(r"^(?:[\w$]*\$ +)?(?:[A-Z_]+=\S+ )?(?:nohup )?(?:nice -n \d+ )?localrec( .*)$")
# What a page takes for granted: drinks, and what two users think of them.
READY = (
    "datasets pull cocktails",
    "feedback --user anna --item Negroni --rating 5",
    "feedback --user bob --item Mojito --like",
)
FILMS_FOLDER = str(CHECKOUT / "tests" / "golden" / "inputs" / "films")
# The class that errors of a command line derive from depends on Typer's version.
COMMAND_LINE_ERROR = next(
    base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException"
)
ROOT = typer.main.get_command(whole_program())


def commands_in(lines):
    """The words behind `localrec` of each line, comments and what the shell does left out."""
    for line in lines:
        if found := COMMAND.match(line):
            words = shlex.split(found[1], comments=True)
            ends = (at for at, word in enumerate(words) if word in SHELL_WORDS)
            cut = next(ends, len(words))
            yield words[:cut], words[cut:]


def misfit(words):
    """What is wrong with a command line, by the command's own parser; nothing is run."""
    command, words = ROOT, list(words)
    while getattr(command, "commands", None) is not None:
        name = next((word for word in words if not word.startswith("-")), None)
        if name not in command.commands:
            return None if words and words[0] in ("--version", "--help") else f"no command {name}"
        words.remove(name)
        command = command.commands[name]
    context = command.context_class(command, info_name="localrec")
    try:
        given, left, _ = command.make_parser(context).parse_args(list(words))
    except COMMAND_LINE_ERROR as error:
        return str(error)
    missing = [one.name for one in command.params if one.required and not given.get(one.name)]
    return f"{missing} missing, {left} left" if missing or left else None


def examples_of_help(group):
    """Every line of the examples behind a command's help."""
    for command in getattr(group, "commands", {}).values():
        yield from examples_of_help(command)
        yield from map(str.strip, (getattr(command, "epilog", "") or "").splitlines())


def test_every_example_of_a_commands_help_fits_the_commands_that_there_are():
    typed = [words for words, _ in commands_in(examples_of_help(ROOT))]
    assert len(typed) > 80
    assert {" ".join(words): misfit(words) for words in typed if misfit(words)} == {}


@pytest.mark.parametrize("page", WRITTEN, ids=page_name)
def test_every_command_line_of_a_page_fits_the_commands_that_there_are(page):
    wrong = {}
    for block in blocks_of(page):
        for words, _ in commands_in(block.lines):
            if (found := misfit(words)) is not None:
                wrong[" ".join(words)] = found
    assert wrong == {}


@pytest.mark.parametrize(
    "line",
    [
        "recomend --user anna",
        "forget x",
        "ask x --no-such",
        "shelf",
        "feedback --user",
        "index more",
    ],
)
def test_a_line_that_fits_no_command_is_found(line):
    assert misfit(line.split()) is not None


@pytest.fixture
def type_line(cli, desk, monkeypatch):
    """Types one line of a block; its words behind `>` name a file for what it prints."""
    switch_off_network()

    def call(words, rest=()):
        done = cli(*words)
        assert done.code == 0, f"localrec {' '.join(words)}\n{done.err}"
        if rest:
            assert len(rest) == 2 and rest[0] == ">", rest
            (desk / rest[1]).write_text(done.out, "utf-8")
        return done

    return call


@pytest.mark.parametrize("page", [page for page in WRITTEN if SHELL[page]], ids=page_name)
def test_every_shell_block_of_a_page_runs(page, type_line, desk, require_dataset):
    lines = [line for block in SHELL[page] for line in block.lines if line.strip()]
    if any("ml-100k" in line for line in lines):
        require_dataset("ml-100k")
    if page_name(page) != "docs/tutorial":
        for line in READY:
            type_line(shlex.split(line))
    if page_name(page) == "docs/howto/overnight-evaluation":
        type_line(["import", "movielens", FILMS_FOLDER])
        [config] = [one for one in blocks_of(page) if one.language == "toml"]
        (desk / "small.toml").write_text("\n".join(config.lines), "utf-8")
    for line in lines:
        [typed] = commands_in([line])  # a line of a shell block is a command of localrec
        type_line(*typed)

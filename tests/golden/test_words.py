"""Every word that users and scripts type still works, and the help says what it said."""

from __future__ import annotations

from pathlib import Path

import pytest

from .disk import shipped_adapters
from .masks import differences, require_same
from .record import golden, golden_help
from .sessions import LEFT_OUT
from .words import help_of_text, help_texts, options_of, parameters

ROOT = "localrec"
RECORDED_HELP = help_of_text(golden_help())


@pytest.fixture(scope="module")
def shown(home: Path) -> dict[str, list[str]]:
    return help_texts(home)


def test_the_commands_are_those_that_were_recorded(shown: dict[str, list[str]]) -> None:
    assert list(shown) == list(RECORDED_HELP)


@pytest.mark.parametrize("command", RECORDED_HELP)
def test_the_help_of_each_command_is_as_it_was(command: str, shown: dict[str, list[str]]) -> None:
    require_same(differences(RECORDED_HELP[command], shown[command], command))


def test_every_option_takes_what_it_took() -> None:
    require_same(differences(golden("parameters"), parameters()))


def test_no_option_that_once_was_known_is_refused() -> None:
    known = parameters()
    options = {
        command: set(words) - options_of(known.get(command, {}))
        for command, words in golden("words").items()
        if not command.endswith(" --system")
    }
    assert not {command: lost for command, lost in options.items() if lost}


def test_the_shipped_adapters_and_their_cards_are_as_they_were() -> None:
    require_same(differences(golden("adapters"), shipped_adapters()))


def test_every_command_is_recorded_or_named_as_left_out() -> None:
    groups = {command.rpartition(" ")[0] for command in RECORDED_HELP}
    commands = {one.removeprefix(f"{ROOT} ") for one in RECORDED_HELP if one not in groups}
    typed = [line for name in ("bar", "exports", "films") for line in golden(f"session-{name}")]
    left_out = {one for one in commands if not any(line.startswith(f"{one} ") for line in typed)}
    assert left_out == LEFT_OUT

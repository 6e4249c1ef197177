"""--workspace and --json may stand before or behind a command's name, and hold for one run."""

from __future__ import annotations

from pathlib import Path

import pytest

from localrec.cli.context import Commands, command_context


@pytest.fixture
def told():
    """Runs a group of one command elsewhere than in the program, and says what held for it."""

    def run(*arguments: str) -> tuple[Path, bool]:
        found = []
        group = Commands()
        group.command("see")(lambda: found.append(command_context()))
        group(list(arguments), standalone_mode=False)
        return found[0].workspace, found[0].as_json

    return run


def test_an_option_before_the_name_holds_for_no_later_run(cli, told, tmp_path):
    assert cli("--json", "--workspace", tmp_path / "other", "domains", "list").code == 0
    assert told("--workspace", str(tmp_path)) == (tmp_path, False)
    assert told("--workspace", str(tmp_path), "--json") == (tmp_path, True)
    assert told()[0] != tmp_path / "other"


@pytest.mark.parametrize("order", [("--json", "domains", "list"), ("domains", "list", "--json")])
def test_json_may_be_asked_for_before_and_behind_the_name(cli, tmp_path, order):
    done = cli("--workspace", tmp_path, *order)
    assert done.code == 0
    assert done.out.startswith('[{"name":"anime"')

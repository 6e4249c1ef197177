"""Old names of options and commands, which scripts may still type."""

from __future__ import annotations

from typing import Any

import pytest
import typer

from localrec.cli import learn, train_policy, train_reader
from localrec.cli.context import OLD_OPTIONS, Commands, command_context

GIVEN = {
    "--thought": ("max_thought_chars", "9", 9),
    "--budget": ("max_tool_calls", "3", 3),
    "--groups": ("prompts_per_step", "5", 5),
    "--start": ("init_adapter", "runs/warm", "runs/warm"),
    "--serving": ("rollout_model", "small.gguf", "small.gguf"),
    "--searched": ("mine_requests", "7", 7),
    "--judge": ("reranker", "memrec-model", "memrec-model"),
}


def parsed(option: str, value: str) -> dict[str, Any]:
    """What `grpo`, `refine` or `learn` gets of one option."""
    group = Commands()
    group.command("grpo")(train_policy.grpo)
    group.command("refine")(train_policy.refine)
    group.command("learn")(learn.learn)
    name = {"--searched": "refine", "--mine-requests": "refine"}.get(option, "grpo")
    name = "learn" if option in ("--judge", "--reranker") else name
    command: Any = typer.main.get_command(group)
    run = ["first"] if name == "refine" else []
    return command.commands[name].make_context(name, [*run, option, value]).params


def test_every_old_option_is_tried():
    assert set(GIVEN) == set(OLD_OPTIONS)


@pytest.mark.parametrize("old", GIVEN)
def test_an_old_option_says_what_its_new_name_says(old):
    parameter, typed, value = GIVEN[old]
    assert parsed(old, typed)[parameter] == value
    assert parsed(old, typed) == parsed(OLD_OPTIONS[old][0], typed)


def test_a_network_of_before_is_still_named_by_start(tmp_path):
    group = Commands()
    group.command("reader")(train_reader.reader)
    group.command("grpo")(train_policy.grpo)
    command: Any = typer.main.get_command(group).commands["reader"]
    carriers, network = tmp_path / "carriers.jsonl", tmp_path / "old.npz"
    given = ["--out", "new.npz", "--start", str(network), str(carriers)]
    assert command.make_context("reader", given).params["init_from"] == network


def test_what_an_old_option_refuses_is_told_by_its_new_name(cli):
    done = cli("train", "grpo", "--thought", 3)
    assert done.code == 2
    assert "--max-thought-chars" in done.err


@pytest.mark.parametrize("command", ["train grpo", "train refine", "train reader"])
def test_help_shows_no_old_option(cli, command):
    shown = cli(*command.split(), "--help").out.split()
    assert not set(OLD_OPTIONS) & set(shown)


@pytest.mark.parametrize(("old", "new"), [("join", "merge"), ("take-in", "import-run")])
def test_an_old_command_still_runs_and_help_names_the_new_one(cli, old, new):
    shown = cli("evaluate", "--help").out.split()
    assert new in shown
    assert old not in shown
    of_old, of_new = (cli("evaluate", name, "--help") for name in (old, new))
    assert of_old.code == of_new.code == 0
    assert of_old.out.replace(f"evaluate {old} ", f"evaluate {new} ").split() == of_new.out.split()


def test_options_of_every_command_stand_before_or_behind_its_name(cli, tmp_path):
    before = cli("--workspace", tmp_path, "--json", "datasets", "list")
    behind = cli("datasets", "list", "--workspace", tmp_path, "--json")
    assert before.code == behind.code == 0
    assert before.out == behind.out
    assert before.out.startswith("{") or before.out.startswith("[")
    assert command_context().workspace == tmp_path

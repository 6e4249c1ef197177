"""Articles, singular and plural in what commands say of domains and items."""

from __future__ import annotations

import json

import pytest

from .conftest import WINES

GAMES = "name,min_players,max_players,description\n" + "".join(
    f'{name},{least},{most},"A board game about trade and a race, number {least}."\n'
    for name, least, most in (("Coup", 2, 6), ("Solo", 1, 1), ("Duel", 2, 2), ("Feast", 3, 8))
)


@pytest.fixture
def run(empty_workspace, cli):
    """Runs a command in an empty workspace."""
    return lambda *command: cli("--workspace", str(empty_workspace), *command)


@pytest.mark.parametrize(
    ("name", "told", "asked"),
    [
        ("wines", "each item is a wine.", "a wine from Portugal"),
        ("items", "each item is an item.", "an item from Portugal"),
        ("ales", "each item is an ale.", "an ale from Portugal"),
        ("wines-2", "each item is a wine.", "a White Blend wine,"),
        ("weine", "the items are called weine.", "weine from Portugal"),
    ],
)
def test_a_domain_says_with_the_right_article_what_an_item_is(run, table, name, told, asked):
    outcome = run("domains", "new", name, "--from", str(table), "--yes")
    assert outcome.code == 0, outcome.err
    assert f"{name}: {told}" in outcome.out
    assert f"You can ask: {asked}" in outcome.out


def test_a_table_of_one_row_and_one_column_is_told_in_the_singular(run, tmp_path):
    path = tmp_path / "teas.csv"
    path.write_text("title\nSencha\n", encoding="utf-8")
    outcome = run("domains", "new", "teas", "--from", str(path), "--yes")
    assert ": 1 row and 1 column." in outcome.out
    outcome = run("import", "auto", str(path))
    assert outcome.out == "1 row read, 1 kept, 0 merged, 0 dropped.\n"


def test_one_row_that_shares_its_name_is_told_in_the_singular(run, table, tmp_path):
    path = tmp_path / "again.csv"
    path.write_text(WINES + "Estate 10 2010 Blend,Spain,Malbec,Estate 10,9\n", encoding="utf-8")
    assert run("domains", "new", "wines", "--from", str(table), "--yes").code == 0
    notes = json.loads(run("--json", "import", "auto", str(path)).out)["notes"]
    assert notes == [
        "1 row shares its name with another that says something else; each is an item of its own."
    ]


def test_a_game_takes_up_to_so_many_and_needs_at_least_so_many_players(run, tmp_path):
    path = tmp_path / "games.csv"
    path.write_text(GAMES, encoding="utf-8")
    assert run("domains", "new", "games", "--from", str(path), "--yes").code == 0
    assert run("import", "auto", str(path)).code == 0
    answer = run("--json", "ask", "--no-model", "-k", "1", "a game for 4 players").out
    (item,) = json.loads(answer)["items"]
    assert item["name"] in ("Coup", "Feast")
    assert "takes up to" in item["reason"] and "needs at least" in item["reason"]

"""Domains of a workspace: made from a table, listed, used by name and by folder, removed."""

from __future__ import annotations

import json

import pytest

from localrec.graph import domain_files
from localrec.workspace.own_domains import own_domain_names

from .conftest import WINES, import_wines


@pytest.fixture
def cellar(empty_workspace, cli, table):
    """A workspace with a domain of wines and its items."""
    return import_wines(empty_workspace, cli, table)


def test_three_commands_lead_from_a_table_to_an_answer(cellar, cli):
    question = "a white wine from Portugal under 20 dollars"
    outcome = cli("--workspace", str(cellar), "--json", "ask", question)
    assert outcome.code == 0
    names = {one["name"] for one in json.loads(outcome.out)["items"]}
    assert names == {"Estate 10 2010 Blend", "Estate 15 2015 Blend"}


def test_without_the_word_yes_nothing_is_kept(empty_workspace, cli, table):
    command = ("domains", "new", "wines", "--from", str(table))
    outcome = cli("--workspace", str(empty_workspace), *command)
    assert outcome.code == 2
    assert "Nothing was kept" in outcome.err
    assert "links to variety" in outcome.out
    assert not (empty_workspace / "domains").exists()


def test_a_domain_is_listed_shown_and_checked(cellar, cli):
    listed = json.loads(cli("--workspace", str(cellar), "--json", "domains", "list").out)
    assert {"name": "wines", "item": "wine", "items": 6, "own": True} in listed
    shown = json.loads(cli("--workspace", str(cellar), "--json", "domains", "show", "wines").out)
    assert shown["numbers"]["price"]["better"] == "lower"
    assert cli("--workspace", str(cellar), "domains", "check", "wines").code == 0


def test_a_fault_in_a_declaration_is_named(cellar, cli):
    path = cellar / "domains" / "wines" / "domain.toml"
    path.write_text(path.read_text().replace("costs {value}", "is cheap"))
    outcome = cli("--workspace", str(cellar), "domains", "check", "wines")
    assert outcome.code == 1
    assert "says of price needs {value}" in outcome.err


def test_a_table_finds_the_one_domain_with_its_columns(cellar, cli, table):
    outcome = cli("--workspace", str(cellar), "--json", "import", "auto", str(table))
    assert outcome.code == 0
    assert json.loads(outcome.out)["domain"] == "wines"


def test_a_folder_stands_for_the_domain_in_it(cellar, cli, table, tmp_path, monkeypatch):
    monkeypatch.setattr(domain_files, "_named", {})  # the name holds for the rest of a process
    other = tmp_path / "other"
    other.mkdir()
    (other / "settings.toml").write_text('embedder = "hashing"\n')
    folder = str(cellar / "domains" / "wines")
    imported = cli("--workspace", str(other), "import", "auto", str(table), "--domain", folder)
    assert imported.code == 0, imported.err
    assert (other / "domains" / "wines" / "domain.toml").is_file()


def test_a_domain_leaves_with_its_items(cellar, cli):
    outcome = cli("--workspace", str(cellar), "domains", "remove", "wines", "--yes")
    assert outcome.code == 0
    assert "6 wines" in outcome.err
    assert own_domain_names(cellar) == []
    listed = json.loads(cli("--workspace", str(cellar), "--json", "domains", "list").out)
    assert all(one["items"] == 0 for one in listed)


@pytest.mark.parametrize("name", ["books", "../x", "Wein", ""])
def test_a_name_that_is_taken_or_no_name_is_refused(empty_workspace, cli, table, name):
    command = ("domains", "new", name, "--from", str(table), "--yes")
    assert cli("--workspace", str(empty_workspace), *command).code != 0
    assert not (empty_workspace / "domains").exists()


def test_strict_refuses_at_the_first_row_that_would_be_mended(cellar, cli, tmp_path):
    path = tmp_path / "short.csv"
    path.write_text(WINES + "Cut 2011 Blend,Italy\n", encoding="utf-8")
    command = ("import", "auto", str(path), "--domain", "wines")
    assert cli("--workspace", str(cellar), *command).code == 0
    outcome = cli("--workspace", str(cellar), *command, "--strict")
    assert outcome.code == 1
    assert "row 8: ends after 2 of 5 cells" in outcome.err


def test_a_file_is_refused_where_a_tenth_of_its_rows_would_go(cellar, cli, tmp_path):
    path = tmp_path / "holes.csv"
    rows = "".join(f"Wine {n} 2010,Italy,Nebbiolo,Estate,{n}\n" for n in range(30))
    path.write_text(WINES + rows + ",Italy,Nebbiolo,Estate,5\n" * 8, encoding="utf-8")
    outcome = cli("--workspace", str(cellar), "import", "auto", str(path), "--domain", "wines")
    assert outcome.code == 1
    assert "8 of 44 rows would be left out: has no name (8)" in outcome.err


def test_a_domain_with_items_is_not_replaced_by_a_new_one(cellar, cli, tmp_path):
    teas = tmp_path / "teas.csv"
    teas.write_text("title,region\nSencha,Japan\nAssam,India\n", encoding="utf-8")
    before = (cellar / "domains" / "wines" / "domain.toml").read_bytes()
    command = ("domains", "new", "wines", "--from", str(teas), "--yes")
    outcome = cli("--workspace", str(cellar), *command)
    assert outcome.code == 2
    assert "wines is here already, with 6 items." in outcome.err
    assert "localrec domains remove wines" in outcome.err
    assert (cellar / "domains" / "wines" / "domain.toml").read_bytes() == before


def test_a_domain_without_items_is_replaced_by_a_new_one(empty_workspace, cli, table):
    command = ("domains", "new", "wines", "--from", str(table), "--yes")
    assert cli("--workspace", str(empty_workspace), *command).code == 0
    assert cli("--workspace", str(empty_workspace), *command).code == 0


def break_domain(folder, name):
    """Leaves a declaration of which nothing can be read."""
    path = folder / "domains" / name / "domain.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("name = [", encoding="utf-8")


def test_a_broken_domain_is_listed_with_its_cause_and_its_items(cellar, cli):
    break_domain(cellar, "wines")
    outcome = cli("--workspace", str(cellar), "domains", "list")
    assert outcome.code == 0
    row = next(line for line in outcome.out.splitlines() if "wines" in line)
    assert row.split()[1:3] == ["(broken)", "6"]
    assert "wines/domain.toml does not declare a domain" in outcome.err
    assert "localrec domains remove wines" in outcome.err
    listed = json.loads(cli("--workspace", str(cellar), "--json", "domains", "list").out)
    (wines,) = [one for one in listed if one["name"] == "wines"]
    assert wines["items"] == 6 and "does not declare a domain" in wines["broken"]


def test_a_broken_domain_can_be_removed_with_its_items(cellar, cli):
    break_domain(cellar, "wines")
    workspace = ("--workspace", str(cellar))
    refused = cli(*workspace, "domains", "remove", "wines")
    assert refused.code == 2 and own_domain_names(cellar) == ["wines"]
    outcome = cli(*workspace, "domains", "remove", "wines", "--yes")
    assert outcome.code == 0, outcome.err
    assert "wines is gone, with 6 items." in outcome.err
    assert own_domain_names(cellar) == []
    rows = cli(*workspace, "--json", "sql", "select count(*) as left_over from items")
    assert json.loads(rows.out) == [{"left_over": 0}]


def test_a_broken_domain_hinders_no_import_and_no_export_of_others(cellar, cli, table):
    break_domain(cellar, "teas")
    workspace = ("--workspace", str(cellar))
    imported = cli(*workspace, "--json", "import", "auto", str(table))
    assert imported.code == 0, imported.err
    assert json.loads(imported.out)["domain"] == "wines"
    exported = cli(*workspace, "export", "--what", "items", "--format", "csv", "--out", "-")
    assert exported.code == 0 and "Estate 10 2010 Blend" in exported.out


def test_one_item_that_leaves_is_told_in_the_singular(empty_workspace, cli, tmp_path):
    path = tmp_path / "wine.csv"
    path.write_text("title,price\nEstate,10\n", encoding="utf-8")
    workspace = ("--workspace", str(empty_workspace))
    command = ("import", "auto", str(path), "--domain", "wines", "--accept")
    assert cli(*workspace, *command).code == 0
    outcome = cli(*workspace, "domains", "remove", "wines", "--yes")
    assert "wines is gone, with 1 wine." in outcome.err


def test_a_dropped_row_is_told_before_merged_ones(cellar, cli, tmp_path):
    path = tmp_path / "again.csv"
    same = WINES.splitlines()[1]
    path.write_text(WINES + f"{same}\n" * 30 + ",Italy,Nebbiolo,Estate,5\n", encoding="utf-8")
    command = ("import", "auto", str(path), "--domain", "wines")
    outcome = cli("--workspace", str(cellar), *command)
    assert outcome.code == 0, outcome.err
    counts, first, second, *_ = outcome.out.splitlines()
    assert counts == "37 rows read, 0 kept, 36 merged, 1 dropped."
    assert first == "  row 38, title: dropped: has no name"
    assert second == "  row 8: merged: says the same as row 2"
    report = json.loads(cli("--workspace", str(cellar), "--json", *command).out)
    assert [one["row"] for one in report["problems"]] == [*range(8, 39)]


def test_an_answer_tells_a_price_in_the_currency_of_its_header(empty_workspace, cli, tmp_path):
    path = tmp_path / "weine.csv"
    path.write_text(
        "Name,Land,Preis (€)\nRiesling,Deutschland,12\nBarolo,Italien,45\nRioja,Spanien,15\n"
        "Chablis,Frankreich,28\n"
    )
    workspace = ("--workspace", str(empty_workspace), "--json")
    assert cli(*workspace, "domains", "new", "weine", "--from", str(path), "--yes").code == 0
    assert cli(*workspace, "import", "auto", str(path), "--domain", "weine").code == 0
    answer = cli(*workspace, "ask", "--domain", "weine", "under 14 euros").out
    assert [one["name"] for one in json.loads(answer)["items"]] == ["Riesling"]
    assert "costs 12 euros" in answer

"""Faults of a workspace's own domains that a walk found, each under its own name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from localrec.export.restore import go_back
from localrec.foundation.atomic_files import replace_folder
from localrec.graph.domain_removal import remove_domain_rows
from localrec.graph.journal import open_settled
from localrec.graph.kept_copies import keep_copy
from localrec.graph.store import Store
from localrec.memory.job_queue import claim, has_work
from localrec.workspace.own_domains import own_domain_names

TABLE = "title,grape,price\nAmarone,Corvina,40\nRioja,Tempranillo,12\nSancerre,Sauvignon,22\n"


@pytest.fixture
def cellar(empty_workspace, tmp_path, cli):
    """A workspace with a domain of its own, three wines, and what anna said of one."""
    table = tmp_path / "wines.csv"
    table.write_text(TABLE)
    for words in (
        ("domains", "new", "wines", "--from", str(table), "--yes"),
        ("import", "auto", str(table), "--domain", "wines"),
        ("feedback", "--user", "anna", "--item", "Rioja", "--like"),
    ):
        assert cli("--workspace", str(empty_workspace), *words).code == 0
    return empty_workspace


def remove(cli, cellar):
    return cli("--workspace", str(cellar), "domains", "remove", "wines", "--yes")


def counts_of(folder: Path) -> dict[str, int]:
    tables = ("node", "edge", "interaction", "embedding", "job", "import_receipt")
    with open_settled(folder, read_only=True) as store:
        return {name: store.rows(f"SELECT count(*) FROM {name}")[0][0] for name in tables}


def keep(folder: Path) -> None:
    """Keep a copy of the store as it is."""
    with open_settled(folder, read_only=False) as store:
        store.execute("CHECKPOINT")
    with (folder / "store.duckdb").open("rb") as file:
        keep_copy(file, folder, "a test", 6)


def test_a_process_that_dies_while_a_domain_is_made_leaves_none_and_no_scrap(empty_workspace):
    program = (
        "import os, sys, pathlib\n"
        "from localrec.foundation.atomic_files import replace_folder\n"
        "place = pathlib.Path(sys.argv[1])\n"
        "class Deadly(dict):\n"
        "    def items(self):\n"
        "        yield 'domain.toml', b'name = 1'\n"
        "        os.kill(os.getpid(), 9)\n"
        "replace_folder(place / 'domains' / 'wines', Deadly(), place)\n"
    )
    (empty_workspace / "domains").mkdir(parents=True, mode=0o700, exist_ok=True)
    subprocess.run([sys.executable, "-c", program, empty_workspace], check=False)
    assert len(list(empty_workspace.glob("wines.*.tmp/domain.toml"))) == 1
    assert own_domain_names(empty_workspace) == []
    open_settled(empty_workspace, read_only=False).close()
    assert list(empty_workspace.glob("wines.*")) == []


def test_a_folder_that_the_disk_refuses_leaves_the_old_one(tmp_path, monkeypatch):
    place = tmp_path / "wines"
    replace_folder(place, {"domain.toml": b"old"}, tmp_path)

    def refuses(*_):
        raise OSError("no room")

    monkeypatch.setattr(os, "fsync", refuses)
    with pytest.raises(OSError, match="no room"):
        replace_folder(place, {"domain.toml": b"new"}, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["wines"]
    assert (place / "domain.toml").read_bytes() == b"old"


def test_the_rows_of_a_domain_go_all_or_not_at_all(cellar, monkeypatch):
    before = counts_of(cellar)

    def dies_at_the_nodes(self, sql, *arguments):
        if sql.startswith("DELETE FROM node"):
            raise KeyboardInterrupt
        return run(self, sql, *arguments)

    run = Store.execute
    monkeypatch.setattr(Store, "execute", dies_at_the_nodes)
    with open_settled(cellar, read_only=False) as store, pytest.raises(KeyboardInterrupt):
        remove_domain_rows(store, "wines")
    assert counts_of(cellar) == before


def test_a_store_that_goes_back_has_the_domains_of_its_items(cellar, cli):
    keep(cellar)
    assert remove(cli, cellar).code == 0
    assert own_domain_names(cellar) == []
    go_back(cellar)
    assert own_domain_names(cellar) == ["wines"]
    assert cli("--workspace", str(cellar), "domains", "check", "wines").code == 0
    assert cli("--workspace", str(cellar), "feedback", "--user", "anna", "--undo").code == 0


@pytest.fixture
def undeclared(cellar, monkeypatch):
    """Items of a domain whose declaration was lost, as by a hand that deleted its folder."""
    for name, none in (("_used", []), ("_named", {})):  # other tests have wines in this process
        monkeypatch.setattr(f"localrec.graph.domain_files.{name}", none)
    for path in (cellar / "domains" / "wines").iterdir():
        path.unlink()
    (cellar / "domains" / "wines").rmdir()
    return cellar


def test_items_that_nothing_declares_can_be_taken_away(undeclared, cli):
    assert remove(cli, undeclared).code == 0
    assert counts_of(undeclared)["node"] == 0
    assert remove(cli, undeclared).code == 2


def test_jobs_about_items_that_nothing_declares_wait(undeclared, cli):
    with open_settled(undeclared, read_only=False) as store:
        store.execute("UPDATE job SET state = 'waiting'")
        assert claim(store) is None
        assert not has_work(store)
    assert cli("--workspace", str(undeclared), "memory", "run", "--no-model").code == 0


def test_the_caches_of_a_domain_go_with_it(cellar, cli):
    ranked = cli("--workspace", str(cellar), "recommend", "--user", "anna", "--domain", "wines")
    assert ranked.code == 0
    assert list((cellar / "indexes").iterdir())
    remove(cli, cellar)
    assert list((cellar / "indexes").iterdir()) == []


def test_of_a_domain_that_is_a_link_the_link_alone_goes(cellar, cli, tmp_path):
    folder = cellar / "domains" / "wines"
    elsewhere = tmp_path / "elsewhere"
    folder.replace(elsewhere)
    folder.symlink_to(elsewhere)
    assert remove(cli, cellar).code == 0
    assert not folder.is_symlink()
    assert list(elsewhere.iterdir())


def test_an_upgraded_store_knows_the_items_of_its_own_domains(cellar, cli):
    with duckdb.connect(str(cellar / "store.duckdb")) as connection:
        for view in ("items", "users", "attributes", "interactions", "shelves", "memories"):
            connection.execute(f"DROP VIEW {view}")
        connection.execute("DELETE FROM meta WHERE starts_with(key, 'item_kind:')")
        connection.execute("UPDATE meta SET value = '5' WHERE key = 'schema_version'")
    listed = cli("--workspace", str(cellar), "--json", "domains", "list")
    assert {one["name"]: one["items"] for one in json.loads(listed.out)}["wines"] == 3
    refused = cli("--workspace", str(cellar), "domains", "new", "wines", "--from", __file__)
    assert "with 3 items" in refused.err

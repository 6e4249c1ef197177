"""`localrec export`: files for other programs, a receipt for this one."""

import csv
import json
import signal
import subprocess
import time

import pytest

from localrec.workspace import OpenWorkspace
from tests.test_startup import loaded_after


@pytest.fixture
def bar(own_workspace):
    """The drinks, and somebody who has tasted one."""
    with OpenWorkspace(own_workspace, writable=True) as opened:
        ask = opened.store.execute
        ask("INSERT INTO node VALUES (nextval('node_ids'), 'cocktails', 'user', 'me', 'me', '{}')")
        ask(
            "INSERT INTO interaction SELECT u.node_id, i.node_id, 'rated', 4.5, "
            "TIMESTAMP '2024-01-01', 1, 'feedback', '=1+1' FROM node u, node i "
            "WHERE u.key = 'me' AND i.name = 'Negroni'"
        )
    return own_workspace


def test_a_history_goes_into_a_file_and_the_receipt_to_stderr(cli, bar, tmp_path):
    out = tmp_path / "history.csv"
    code, shown, told = cli("--workspace", bar, "export", "--user", "me", "--out", out)
    assert (code, shown) == (0, "")
    assert told.splitlines()[0] == f"1 row in {out}."
    assert "1 texts begin like a formula" in told
    with out.open(encoding="utf-8", newline="") as stream:
        row = next(csv.DictReader(stream))
    assert (row["name"], row["rating"], row["note"]) == ("Negroni", "4.5", "'=1+1")
    assert out.stat().st_mode & 0o777 == 0o600


def test_the_receipt_as_json_is_one_document(cli, bar, tmp_path):
    folder = tmp_path / "bar"
    code, shown, told = cli(
        *("--workspace", bar, "--json", "export", "--format", "recbole", "--out", folder)
    )
    assert (code, told) == (0, "")
    report = json.loads(shown)
    assert [file["path"].rpartition(".")[2] for file in report["files"]] == [
        *("inter", "item", "user"),
    ]
    assert folder.stat().st_mode & 0o777 == 0o700


def test_an_answer_becomes_a_list(cli, bar, tmp_path):
    answer = cli("--workspace", bar, "ask", "gin", "--json").out
    (tmp_path / "answer.json").write_text(answer, encoding="utf-8")
    out = tmp_path / "list.json"
    code, *_ = cli(
        *("--workspace", bar, "export", "--from", tmp_path / "answer.json", "--out", out)
    )
    assert code == 0
    names = [item["name"] for item in json.loads(answer)["items"]]
    assert [row["name"] for row in json.loads(out.read_text(encoding="utf-8"))] == names


def test_a_second_run_replaces_nothing(cli, bar, tmp_path):
    arguments = ("--workspace", bar, "export", "--user", "me", "--out", tmp_path / "h.json")
    assert cli(*arguments).code == 0
    code, shown, told = cli(*arguments)
    assert (code, shown) == (2, "")
    assert "--force" in told
    assert cli(*arguments, "--force").code == 0


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--user", "ghost", "--out", "h.csv"), 2, "Nobody called 'ghost' is known here"),
        (("--user", "mee", "--out", "h.csv"), 2, "Did you mean me?"),
        (("--user", "me", "--out", "h.xls"), 2, "says no format"),
        (("--user", "me", "--format", "letterboxd", "--out", "f.csv"), 2, "these are drinks"),
        (("--user", "me", "--domain", "movies", "--out", "h.csv"), 2, "There is: cocktails"),
        (("--out",), 2, "--out"),
    ],
)
def test_what_cannot_be_done_is_said_and_leaves_no_file(
    cli, bar, tmp_path, monkeypatch, arguments, code, said
):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    outcome = cli("--workspace", bar, "export", *arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert said in outcome.err
    assert sorted(tmp_path.iterdir()) == before


def test_help_shows_examples_and_loads_nothing_heavy(cli):
    assert "localrec export --user me --out history.csv" in cli("export", "--help").out
    shown = "from localrec.cli.app import run\nassert run(['export', '--help']) == 0\n"
    assert loaded_after(shown) == []


def test_ctrl_c_leaves_no_half_file(bar, localrec_command, tmp_path):
    with OpenWorkspace(bar, writable=True) as opened:
        opened.store.execute(
            "INSERT INTO interaction SELECT u.node_id, i.node_id, 'played', NULL, "
            "TIMESTAMP '2024-01-01' + to_seconds(range), 1, 'table', 'note ' || range "
            "FROM node u, node i, range(2_000_000) WHERE u.key = 'me' AND i.name = 'Negroni'"
        )
    folder = tmp_path / "out"
    arguments = ("--workspace", bar, "export", "--format", "recbole", "--out", folder)
    with subprocess.Popen(
        [*localrec_command, *map(str, arguments)], stderr=subprocess.PIPE, text=True
    ) as process:
        while not list(folder.glob("*.tmp")):
            assert process.poll() is None, process.communicate()
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130, told
    assert "interrupted" in told
    assert not folder.exists()


def test_paragraphs_of_a_help_are_filled_and_each_example_is_a_line(cli, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = [line.strip() for line in cli("import", "--help").out.splitlines()]
    begin = lines.index("Examples:")
    assert lines[begin + 2].startswith("localrec import auto")
    assert lines[begin + 3].startswith("localrec import goodreads")
    about = lines[begin - 7 : begin - 1]
    assert about[0].startswith("KIND is auto")
    assert all(len(line) > 60 for line in about[1:-1])

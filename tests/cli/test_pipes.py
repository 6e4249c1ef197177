"""`-` stands for stdin and stdout, and answers come line by line."""

from __future__ import annotations

import json
import subprocess
from tempfile import gettempdir

import pytest


def through(localrec_command, text, *arguments):
    return subprocess.run(
        [*localrec_command, *map(str, arguments)],
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_questions_from_stdin_are_answered_on_stdout(own_workspace, localrec_command):
    lines = '{"id": 1, "query": "something with gin"}\n\n{"id": "b", "query": "a long drink"}\n'
    place = ("--workspace", own_workspace)
    told = through(localrec_command, lines, "ask", "--batch", "-", "--out", "-", *place)
    assert told.returncode == 0, told.stderr
    assert [json.loads(line)["id"] for line in told.stdout.splitlines()] == ["1", "b"]


@pytest.mark.parametrize(
    ("command", "asked"),
    [
        ("ask", {"query": "something with gin"}),
        ("rank", {"candidates": ["gimlet", "negroni"], "history": ["americano"]}),
    ],
)
def test_an_answer_is_there_before_the_next_line_is_written(
    own_workspace, localrec_command, command, asked
):
    arguments = (command, "--batch", "-", "--out", "-", "--workspace", str(own_workspace))
    with subprocess.Popen(
        [*localrec_command, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin is not None and running.stdout is not None
        for number in ("1", "2"):
            running.stdin.write(json.dumps({"id": number, **asked}) + "\n")
            running.stdin.flush()
            assert json.loads(running.stdout.readline())["id"] == number
        running.stdin.close()
        assert running.wait(30) == 0


def test_a_line_that_is_no_question_ends_it_with_its_number(own_workspace, localrec_command):
    lines = '{"id": 1, "query": "something with gin"}\nnot json\n'
    place = ("--workspace", own_workspace)
    told = through(localrec_command, lines, "ask", "--batch", "-", "--out", "-", *place)
    assert told.returncode == 1 and "line 2 is no question" in told.stderr
    assert len(told.stdout.splitlines()) == 1


@pytest.mark.parametrize(
    ("lines", "answered", "told"),
    [
        ('{"id": 1, "candidates": ["gimlet"]}\nnot json\n', 1, "line 2 is no request"),
        ('{"id": 1, "candidates": ["gimlet", "gimlet"]}\n', 0, "a candidate comes twice"),
        ("\n", 0, "holds no request"),
    ],
)
def test_a_request_that_cannot_be_ranked_ends_the_pipe_behind_those_before_it(
    own_workspace, localrec_command, lines, answered, told
):
    place = ("--workspace", own_workspace)
    ended = through(localrec_command, lines, "rank", "--batch", "-", "--out", "-", *place)
    assert ended.returncode == 1 and told in ended.stderr
    assert len(ended.stdout.splitlines()) == answered


def test_a_pipe_names_each_unknown_user_once(own_workspace, localrec_command):
    line = json.dumps({"id": 1, "candidates": ["gimlet"], "user": "nobody"}) + "\n"
    place = ("--workspace", own_workspace)
    ended = through(localrec_command, line * 2, "rank", "--batch", "-", "--out", "-", *place)
    assert ended.returncode == 0 and ended.stderr.count("Nobody called") == 1
    assert len(ended.stdout.splitlines()) == 2


@pytest.mark.parametrize("to_file", [False, True])
def test_requests_from_stdin_are_ranked(own_workspace, localrec_command, tmp_path, to_file):
    out = tmp_path / "out.jsonl"
    keys = json.loads(
        through(
            localrec_command,
            "",
            "sql",
            "select key from items order by 1 limit 3",
            "--json",
            "--workspace",
            own_workspace,
        ).stdout
    )
    candidates = [row["key"] for row in keys]
    request = json.dumps({"id": 7, "candidates": candidates, "history": candidates[:1]})
    target = out if to_file else "-"
    place = ("--workspace", own_workspace)
    told = through(localrec_command, request, "rank", "--batch", "-", "--out", target, *place)
    assert told.returncode == 0, told.stderr
    lines = (out.read_text() if to_file else told.stdout).splitlines()
    assert sorted(json.loads(lines[0])["ranking"]) == candidates


@pytest.mark.parametrize("form", [None, "json", "parquet"])
def test_a_catalogue_leaves_through_stdout_whole(
    own_workspace, run_localrec, localrec_command, tmp_path, form
):
    import duckdb

    given = ("--format", form) if form else ()
    place = ("--workspace", own_workspace)
    options = ("export", "--what", "items", "--domain", "cocktails", *given)
    file = tmp_path / f"items.{form or 'csv'}"
    assert run_localrec(*options, "--out", file, *place).returncode == 0
    command = [*localrec_command, *map(str, (*options, "--out", "-", *place))]
    told = subprocess.run(command, capture_output=True, timeout=120, check=True)
    assert told.stdout == file.read_bytes() or form == "parquet"
    (tmp_path / "piped").write_bytes(told.stdout)
    reader = {"json": "read_json", "parquet": "read_parquet"}.get(form, "read_csv")
    [[count]] = duckdb.sql(f"SELECT count(*) FROM {reader}('{tmp_path / 'piped'}')").fetchall()
    assert count > 1


@pytest.mark.parametrize("given", [("--format", "recbole"), ("--json",)])
def test_what_stdout_cannot_hold_is_refused(own_workspace, run_localrec, given):
    told = run_localrec(
        *("export", "--what", "items", "--domain", "cocktails", "--out", "-", *given),
        *("--workspace", own_workspace),
    )
    assert told.returncode == 2 and told.stdout == ""


MAPPING = '[columns]\nuser = "who"\nitem = "film"\nrating = "score"\n[rating]\nscale = [0, 10]\n'


TABLES = {
    "csv": "who,film,score\nann,Heat,8\nbob,Alien,6\n",
    "tsv": "who\tfilm\tscore\nann\tHeat\t8\nbob\tAlien\t6\n",
    "jsonl": '{"who": "ann", "film": "Heat", "score": 8}\n'
    '{"who": "bob", "film": "Alien", "score": 6}\n',
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_table_comes_in_through_stdin_by_a_mapping_that_lies_elsewhere(
    tmp_path, localrec_command, table
):
    mapping = tmp_path / "elsewhere.toml"
    mapping.write_text(MAPPING, encoding="utf-8")
    place = ("--workspace", tmp_path / "workspace")
    told = through(
        localrec_command,
        table,
        "import",
        "table",
        "-",
        "--mapping",
        mapping,
        "--index-later",
        "--json",
        *place,
    )
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout)["path"] == "-"
    query = 'select "user", stars from interactions order by 1'
    rows = json.loads(through(localrec_command, "", "sql", query, "--json", *place).stdout)
    assert [(row["user"], row["stars"]) for row in rows] == [("ann", 4.0), ("bob", 3.0)]


@pytest.mark.parametrize(
    ("text", "kind", "code", "told"),
    [
        ("", "goodreads", 1, "Nothing came"),
        ("a,b\n1,2\n", "auto", 1, "no column"),
        ("title,who,stars\nDune,ann,4\n", "auto", 1, "localrec import auto - --accept"),
        ("title,who,stars\nDune,ann,4\n", "table", 1, "stdin has no mapping"),
    ],
)
def test_a_pipe_without_a_known_file_is_an_error_and_changes_nothing(
    tmp_path, localrec_command, text, kind, code, told
):
    place = ("--workspace", tmp_path / "workspace")
    ended = through(localrec_command, text, "import", kind, "-", "--user", "ann", *place)
    assert ended.returncode == code and told in ended.stderr
    assert gettempdir() not in ended.stderr
    assert not (tmp_path / "workspace" / "store.duckdb").exists()


def test_nothing_is_wrapped_or_padded_in_a_pipe(own_workspace, localrec_command, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    place = ("--workspace", own_workspace)
    told = through(localrec_command, "", "ask", "something with gin", *place).stdout
    assert told.splitlines() == [line.rstrip() for line in told.splitlines()]
    monkeypatch.setenv("COLUMNS", "30")
    narrow = through(localrec_command, "", "ask", "something with gin", *place).stdout
    assert len(narrow.splitlines()) > len(told.splitlines())
    assert narrow.split() == told.split()

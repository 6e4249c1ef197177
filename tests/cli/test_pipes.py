"""`-` stands for stdin and stdout, and answers come line by line."""

from __future__ import annotations

import json
import subprocess

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


def test_an_answer_is_there_before_the_next_question_is_asked(own_workspace, localrec_command):
    arguments = ("ask", "--batch", "-", "--out", "-", "--workspace", str(own_workspace))
    with subprocess.Popen(
        [*localrec_command, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin is not None and running.stdout is not None
        for number in ("1", "2"):
            running.stdin.write(json.dumps({"id": number, "query": "something with gin"}) + "\n")
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

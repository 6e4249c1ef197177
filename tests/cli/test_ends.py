"""However a command ends, it ends in a sentence: full disks, no rights, odd letters, own faults."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
from pathlib import Path

import pytest

from localrec.foundation.disk_errors import disk_error, disk_error_in
from localrec.foundation.errors import WorkspaceError
from localrec.workspace import shelves


def lines_of(outcome):
    told = outcome.err.strip().splitlines()
    assert not any("Traceback" in line for line in told)
    return told


class TestADiskThatRefuses:
    @pytest.mark.parametrize(
        ("number", "remedy"),
        [
            (errno.ENOSPC, "Make room"),
            (errno.EDQUOT, "Make room"),
            (errno.EROFS, "read-only"),
            (errno.EACCES, "no right"),
            (errno.ENOTDIR, "Name another place"),
        ],
    )
    def test_is_told_with_its_remedy(self, number, remedy):
        told = disk_error(OSError(number, "why", "store.duckdb"))
        assert isinstance(told, WorkspaceError) and remedy in str(told)

    def test_is_recognised_in_the_words_of_duckdb(self, tmp_path):
        told = disk_error_in('IO Error: Could not write file "x": No space left on device', "x")
        assert told is not None and "Make room" in told.hint
        assert disk_error_in("Catalog Error: no table", "x") is None

    def test_another_error_of_the_system_is_a_fault_of_ours(self):
        assert disk_error(OSError(errno.EBADF, "bad descriptor")) is None

    def test_a_workspace_that_is_a_file(self, cli, tmp_path):
        (tmp_path / "taken").write_text("a letter")
        told = cli("ask", "a sour", "--workspace", tmp_path / "taken")
        assert told.code == 1 and len(lines_of(told)) == 1 and "taken" in told.err
        assert (tmp_path / "taken").read_text() == "a letter"

    @pytest.mark.parametrize("command", ["doctor", "backup"])
    def test_a_workspace_that_is_a_file_is_told_by_what_looks_after_it(
        self, cli, tmp_path, command
    ):
        (tmp_path / "taken").write_text("a letter")
        words = ["backup", tmp_path / "copy.zip"] if command == "backup" else [command]
        told = cli("--workspace", tmp_path / "taken", *words)
        assert told.code == 1
        assert "is a file, not a folder" in " ".join((told.out + told.err).split())

    @pytest.mark.parametrize("shut", ["own", "."])
    @pytest.mark.parametrize(
        "line",
        [
            ("ask", "a sour"),
            ("feedback", "--user", "anna", "--item", "Negroni", "--like"),
            ("forget", "--user", "anna", "--yes"),
            ("backup", "b.zip"),
            ("doctor",),
        ],
    )
    def test_a_workspace_or_parent_that_nobody_may_enter_is_no_matter_of_usage(
        self, own_workspace, run_localrec, bound_by_modes, shut, line
    ):
        folder = (own_workspace.parent / shut).resolve()
        folder.chmod(0)
        try:
            told = run_localrec("--workspace", own_workspace, *line, wrapped_in=bound_by_modes)
        finally:
            folder.chmod(0o700)
        said = told.stderr + told.stdout
        assert told.returncode == 1 and "Traceback" not in said
        assert "You have no right to use" in said and "Have its owner give you the right" in said

    @pytest.mark.parametrize("line", [("forget", "--user", "anna", "--yes"), ("backup", "b.zip")])
    def test_what_may_not_be_looked_into_does_not_pass_for_absent(
        self, cli, own_workspace, run_localrec, bound_by_modes, tmp_path, line
    ):
        cli(
            "--workspace", own_workspace, "feedback", "--user", "anna", "--item", "Gimlet", "--like"
        )
        run = own_workspace / "runs" / "night"
        run.mkdir(parents=True)
        (run / "cases.jsonl").write_text('{"user": "anna"}\n')
        run.chmod(0)
        words = [tmp_path / word if word.endswith(".zip") else word for word in line]
        told = run_localrec("--workspace", own_workspace, *words, wrapped_in=bound_by_modes)
        run.chmod(0o700)
        assert told.returncode == 1 and f"You have no right to use {run}" in told.stderr
        assert (run / "cases.jsonl").read_text() and not (tmp_path / "b.zip").exists()
        users = cli("--workspace", own_workspace, "sql", "select * from users", "--json").out
        assert "anna" in users

    def test_a_disk_without_room_is_found_by_doctor(self, own_workspace, localrec_command):
        told = subprocess.run(
            [*localrec_command, "doctor"],
            env={**os.environ, "LOCALREC_WORKSPACE": str(own_workspace)},
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
        )
        assert "Traceback" not in told.stderr
        assert told.returncode == 1 and "takes new rows" not in told.stdout

    @pytest.mark.parametrize("room", [0, 100_000, 1_000_000])
    def test_files_that_may_not_grow_leave_the_store_as_it_was(
        self, own_workspace, localrec_command, room
    ):
        def rated() -> int:
            told = subprocess.run(
                [*localrec_command, "sql", "select count(*) as n from interactions", "--json"],
                env=env,
                capture_output=True,
                text=True,
                check=True,
            )
            return int(told.stdout.partition('"n":')[2].partition("}")[0])

        env = {**os.environ, "LOCALREC_WORKSPACE": str(own_workspace)}
        before = rated()
        told = subprocess.run(
            [*localrec_command, "feedback", "--user", "zoe", "--item", "Negroni", "--like"],
            env=env,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
        )
        assert "Traceback" not in told.stderr
        assert rated() == before + (told.returncode == 0)


class TestLetters:
    def test_a_terminal_of_few_letters_gets_the_nearest(self, own_workspace, run_localrec):
        for env in ({"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}):
            told = run_localrec(
                "ask", "smörgås … gin", "--workspace", own_workspace, env={**env, "LANG": "C"}
            )
            assert told.returncode == 0 and "Traceback" not in told.stderr
            assert told.stdout.isascii()


class TestAFaultOfOurOwn:
    def test_exits_70_with_a_report_that_holds_no_word_of_the_user(
        self, cli, own_workspace, monkeypatch
    ):
        def broken(*_):
            raise ZeroDivisionError("what anna asked")

        monkeypatch.setattr(shelves, "shelf_catalogue", broken)
        told = cli("shelf", "show", "--have", "secret gin", "--workspace", own_workspace)
        assert told.code == 70 and len(lines_of(told)) == 1
        [report] = (own_workspace / "logs").glob("crash-*.txt")
        content = report.read_text()
        assert "ZeroDivisionError" in content and str(report) in told.err
        assert "anna" not in content and "secret" not in content
        assert report.stat().st_mode & 0o077 == 0

    def test_settings_that_are_no_text_are_named(self, cli, own_workspace):
        (own_workspace / "settings.toml").write_bytes(b"\xff\xfe\x00bad")
        told = cli("ask", "a sour", "--workspace", own_workspace)
        assert told.code == 1 and "settings.toml" in told.err and len(lines_of(told)) == 1


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (("ask", "--foo"), "localrec: No such option: --foo"),
        (("nonsense",), "localrec: No such command 'nonsense'. Help: localrec --help"),
        (("sql",), "localrec: Missing argument 'QUERY'. Help: localrec sql --help"),
        (("recommend", "-k", "x"), "Help: localrec recommend --help"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_sentence(cli, line, told):
    code, out, err = cli(*line)
    assert (code, out) == (2, "") and told in err and len(err.splitlines()) == 1


def test_every_exit_code_of_an_error_is_documented():
    from localrec.foundation import errors

    page = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
    kinds = [kind for kind in vars(errors).values() if hasattr(kind, "exit_code")]
    codes = {0, 70, *(kind.exit_code for kind in kinds)}
    assert codes == {0, 1, 2, 3, 70, 130}
    assert all(f"| {code} | " in page.partition("## Exit codes")[2] for code in codes)

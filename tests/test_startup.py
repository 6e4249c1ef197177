"""How the program starts, what it prints where, and the exit codes that scripts rely on."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import typer

from localrec.cli.app import run
from localrec.cli.commands import COMMANDS, command_in, whole_program
from localrec.cli.context import CommandContext
from localrec.workspace import OpenWorkspace

from .planted import planted_store

HEAVY = (
    *("duckdb", "torch", "llama_cpp", "textual", "onnxruntime", "numpy", "networkx"),
    *("tokenizers", "hnswlib", "sentence_transformers", "gguf"),
)
TELL_LOADED = f"""
import json, sys
json.dump([name for name in {HEAVY} if name in sys.modules], sys.stderr)
"""
HOLD_STORE = """
import sys
from pathlib import Path
from localrec.graph.store import Store
with Store.open_(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


TELL_READERS = """
import json, sys
from localrec.foundation.plugins import SOURCES, list_plugins
json.dump([kind for kind, plugin in list_plugins(SOURCES).items()
           if plugin.reference.split(":")[0] in sys.modules], sys.stderr)
"""


def loaded_after(code):
    """The heavy modules that a fresh interpreter holds after it ran `code`."""
    finished = subprocess.run(
        [sys.executable, "-c", code + TELL_LOADED], capture_output=True, text=True, check=True
    )
    return json.loads(finished.stderr.splitlines()[-1])  # notes to the user may go before


def readers_after(code):
    """The kinds whose readers a fresh interpreter holds after it ran `code`."""
    finished = subprocess.run(
        [sys.executable, "-c", code + TELL_READERS], capture_output=True, text=True, check=True
    )
    return json.loads(finished.stderr.splitlines()[-1])  # notes to the user may go before


def wait_until(is_so, process):
    """Look every few milliseconds until `is_so()`, as long as the process runs."""
    while not is_so():
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


def has_open(process, path):
    links = Path(f"/proc/{process.pid}/fd").glob("*")
    return any(link.exists() and link.resolve() == path for link in links)


class TestNothingHeavyLoads:
    def test_when_the_package_is_imported(self):
        assert loaded_after("import localrec") == []

    @pytest.mark.parametrize(
        "command",
        [
            *("", "ask", "import", "index", "describe", "doctor", "models", "datasets"),
            *("recommend", "rank", "feedback", "export", "forget", "shelf", "train", "tui"),
        ],
    )
    def test_when_help_is_shown(self, command):
        arguments = [*command.split(), "--help"]
        shown = f"from localrec.cli.app import run\nassert run({arguments}) == 0\n"
        assert loaded_after(shown) == []

    def test_when_the_version_is_shown(self):
        assert loaded_after("from localrec.cli.app import run\nrun(['--version'])\n") == []

    def test_but_the_probe_would_see_it(self):
        assert loaded_after("import numpy") == ["numpy"]


def names_after(code):
    """The modules that a fresh interpreter holds after it ran `code`."""
    told = "\nimport sys\nprint(*sys.modules, file=sys.stderr)"
    finished = subprocess.run(
        [sys.executable, "-c", code + told], capture_output=True, text=True, check=True
    )
    return set(finished.stderr.splitlines()[-1].split())


class TestOneCommandIsLoaded:
    def test_and_no_other(self):
        loaded = names_after("from localrec.cli.app import run\nrun(['sql', '--help'])\n")
        assert "localrec.cli.sql" in loaded
        assert {"localrec.cli.ask", "localrec.cli.train"}.isdisjoint(loaded)

    def test_and_none_for_the_list_of_commands(self):
        loaded = names_after("from localrec.cli.app import run\nrun(['--help'])\n")
        assert {f"localrec.cli.{row.module}" for row in COMMANDS.values()}.isdisjoint(loaded)

    def test_with_a_list_of_commands_that_says_what_each_says_itself(self):
        whole = typer.main.get_command(whole_program()).commands
        assert list(whole) == list(COMMANDS)
        told = {
            name: one.help.partition("\n\n")[0].replace("\n", " ") for name, one in whole.items()
        }
        assert told == {name: row.about for name, row in COMMANDS.items()}

    @pytest.mark.parametrize("help_", [("--help",), ("-h",), ()])
    def test_and_the_short_help_is_the_help_of_the_whole_program(self, help_, capsys):
        run(list(help_))
        short = capsys.readouterr().out.strip()
        with contextlib.suppress(SystemExit):
            whole_program()(["--help"], prog_name="localrec")
        assert short == capsys.readouterr().out.strip()
        assert "Usage: localrec" in short

    @pytest.mark.parametrize(
        ("line", "name"),
        [
            ("ask sour", "ask"),
            ("--workspace ask sql", "sql"),
            ("--workspace=ask --json rank --help", "rank"),
            ("--help ask", ""),
            ("--version", ""),
        ],
    )
    def test_which_is_the_first_word_that_is_no_option(self, line, name):
        assert command_in(line.split()) == name

    def test_whose_misspelt_name_is_told_with_the_nearest(self, capsys):
        assert run(["recomend"]) == 2
        assert "recommend" in capsys.readouterr().err

    def test_and_the_shell_completes_all_names(self, run_localrec):
        asked = {
            "_LOCALREC_COMPLETE": "complete_bash",
            "COMP_WORDS": "localrec e",
            "COMP_CWORD": "1",
        }
        finished = run_localrec(env=asked)
        assert finished.stdout.split() == ["export", "evaluate"]


class TestPlainValues:
    """Options that need no conversion load none, and faulty ones are refused as before."""

    def test_load_no_pydantic(self, workspace_path):
        line = ["--workspace", str(workspace_path), "ask", "sour", "-k", "2", "--user", "anna"]
        assert "pydantic" not in names_after(f"from localrec.cli.app import run\nrun({line})\n")

    @pytest.mark.parametrize("k", ["0", "101", "two", "1.5", "-3"])
    def test_but_what_is_no_such_number_is_refused(self, k, capsys):
        assert run(["ask", "sour", "-k", k]) == 2
        assert "-k" in capsys.readouterr().err

    def test_and_a_path_becomes_a_path(self, workspace_path, monkeypatch):
        seen = []
        monkeypatch.setattr(
            CommandContext, "open_workspace", lambda self: seen.append(self) or 1 / 0
        )
        run(["ask", "sour", "--workspace", str(workspace_path)])
        assert seen[0].workspace == workspace_path


class TestReaders:
    """Of the readers of files only the one that is asked for is loaded."""

    @pytest.mark.parametrize("kind", [None, "goodreads", "cocktails"])
    def test_are_loaded_by_kind(self, kind):
        opened = f"from localrec.sources import open_source\nopen_source({kind!r})\n"
        assert readers_after(opened if kind else "import localrec.sources") == [kind] * bool(kind)

    def test_are_not_needed_for_a_list(self, workspace_path):
        planted_store(workspace_path).close()
        (workspace_path / "settings.toml").write_text('embedder = "hashing"\n')
        rated = ["--workspace", str(workspace_path), "feedback", "--user", "anna", "--like"]
        assert run([*rated, "--item", "Negroni"]) == 0
        arguments = ["--workspace", str(workspace_path), "recommend", "--user", "anna", "--json"]
        listed = f"from localrec.cli.app import run\nassert run({arguments}) == 0\n"
        assert readers_after(listed) == []

    def test_nor_a_model_where_the_vectors_are_there(self, workspace_path):
        planted_store(workspace_path).close()
        rated = ["--workspace", str(workspace_path), "feedback", "--user", "anna", "--like"]
        assert run([*rated, "--item", "Negroni"]) == 0
        arguments = ["--workspace", str(workspace_path), "recommend", "--user", "anna", "--json"]
        listed = f"from localrec.cli.app import run\nassert run({arguments}) == 0\n"
        assert {"onnxruntime", "tokenizers"}.isdisjoint(loaded_after(listed))


class TestStreams:
    def test_json_alone_is_on_stdout(self, run_localrec):
        finished = run_localrec("--json", "datasets", "list")
        assert {one["name"] for one in json.loads(finished.stdout)} >= {"cocktails", "ml-100k"}
        assert finished.stderr == ""

    def test_help_is_data(self, run_localrec):
        finished = run_localrec("--help")
        assert "Usage" in finished.stdout
        assert finished.stderr == ""

    @pytest.mark.parametrize("as_json", [(), ("--json",)])
    def test_a_failure_leaves_stdout_empty_and_says_the_remedy(
        self, run_localrec, workspace_path, as_json
    ):
        finished = run_localrec(*as_json, "--workspace", workspace_path, "ask", "a sour")
        assert finished.stdout == ""
        assert "localrec datasets pull cocktails" in finished.stderr
        assert "Traceback" not in finished.stderr

    def test_a_note_after_an_import_goes_to_stderr(self, run_localrec, write_drinks):
        table = write_drinks(2)
        finished = run_localrec("--json", "import", "cocktails", table, "--dry-run")
        assert json.loads(finished.stdout)["kept"] == 2
        assert finished.stderr == ""

    @pytest.mark.real
    def test_an_answer_is_one_json_document(self, run_localrec, bundled_workspace):
        finished = run_localrec("--workspace", bundled_workspace, "--json", "ask", "a gin sour")
        answer = json.loads(finished.stdout)
        assert [item["rank"] for item in answer["items"]] == [1, 2, 3]
        assert finished.stderr == ""

    def test_a_reader_that_goes_away_is_no_complaint(self, localrec_command):
        reader, writer = os.pipe()
        os.close(reader)
        with subprocess.Popen(
            [*localrec_command, "--json", "datasets", "list"], stdout=writer, stderr=subprocess.PIPE
        ) as process:
            os.close(writer)
            _, complaint = process.communicate(timeout=60)
        assert complaint == b""


class TestExitCodes:
    def test_0_when_all_is_well(self, run_localrec):
        assert run_localrec("models", "list").returncode == 0

    @pytest.mark.parametrize(
        "arguments",
        [
            ("ask", "a sour"),
            ("import", "cocktails", "no such file.csv"),
            ("models", "check", "no such model"),
            ("datasets", "pull", "no such data"),
        ],
        ids=["nothing-there", "no-file", "no-model", "no-data"],
    )
    def test_1_when_it_cannot_be_done(self, run_localrec, workspace_path, arguments):
        finished = run_localrec("--workspace", workspace_path, *arguments)
        assert finished.returncode == 1
        assert finished.stderr.startswith("localrec: ")

    @pytest.mark.parametrize(
        "arguments",
        [
            ("ask",),
            ("ask", "a sour", "-k", "0"),
            ("ask", "--batch", "questions.jsonl"),
            ("ask", "a sour", "--no-such-option"),
            ("no-such-command",),
            ("models", "use", "no-such-role", "smollm2-135m"),
        ],
    )
    def test_2_when_the_call_makes_no_sense(self, run_localrec, workspace_path, arguments):
        finished = run_localrec("--workspace", workspace_path, *arguments)
        assert finished.returncode == 2, finished.stderr
        assert finished.stdout == ""
        assert finished.stderr

    @pytest.mark.parametrize("arguments", [("ask", "a sour"), ("index",)], ids=["reads", "writes"])
    def test_3_when_another_process_writes(self, run_localrec, workspace_path, arguments):
        planted_store(workspace_path).close()
        with subprocess.Popen(
            [sys.executable, "-c", HOLD_STORE, workspace_path / "store.duckdb"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            finished = run_localrec("--workspace", workspace_path, *arguments)
            holder.communicate()
        assert finished.returncode == 3
        assert str(holder.pid) in finished.stderr


class TestCtrlC:
    """The real signal, at a real import; what it cut off leaves no trace in the store."""

    @pytest.fixture
    def importing(self, localrec_command, workspace_path, tmp_path, write_drinks):
        """Starts an import of so many drinks that it cannot be over soon."""
        table = write_drinks(8000)
        arguments = ("--workspace", workspace_path, "import", "cocktails", table)
        with subprocess.Popen(
            [*localrec_command, *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # Without a model nothing is left to do once the rows are in.
            env={**os.environ, "LOCALREC_CACHE": str(tmp_path / "no models")},
        ) as process:
            yield process, table
            process.kill()

    def interrupt(self, process):
        process.send_signal(signal.SIGINT)
        out, complaint = process.communicate(timeout=60)
        return process.returncode, out, complaint

    @pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="looks into /proc")
    def test_while_the_file_is_read(self, importing, workspace_path):
        process, table = importing
        wait_until(lambda: has_open(process, table), process)
        code, out, complaint = self.interrupt(process)
        assert (code, out) == (130, ""), complaint
        assert "interrupted" in complaint
        assert not (workspace_path / "store.duckdb").exists()

    @pytest.mark.parametrize("later_s", [0, 0.05, 0.15])
    def test_while_the_rows_are_stored(self, importing, workspace_path, later_s):
        process, _ = importing
        wait_until((workspace_path / "store.duckdb").exists, process)
        time.sleep(later_s)
        code, out, complaint = self.interrupt(process)
        assert (code, out) == (130, ""), complaint
        assert "interrupted" in complaint
        with OpenWorkspace(workspace_path) as opened:
            assert opened.domains() == []

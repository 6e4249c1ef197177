"""The privacy page and `doctor --privacy` tell of what is really installed, set and readable."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from localrec.foundation.offline import SWITCHES, switch_off_network
from localrec.foundation.settings import Settings, save_settings
from localrec.graph.store import Store
from localrec.privacy.network import LIBRARIES, LIBRARIES_WITHOUT_NETWORK, NETWORK_COMMANDS
from tests.planted import planted_stages, planted_store

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
KNOWN = {*LIBRARIES_WITHOUT_NETWORK, *(library.name for library in LIBRARIES)}


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def dependencies() -> set[str]:
    """Names of all packages that installing localrec brings along, as far as they are here."""
    extras = PROJECT["optional-dependencies"]
    waiting = [*PROJECT["dependencies"]]
    waiting += [one for name, extra in extras.items() if name != "dev" for one in extra]
    found: set[str] = set()
    while waiting:
        wanted = Requirement(waiting.pop())
        chosen = [{"extra": extra} for extra in ("", *wanted.extras)]
        needed = wanted.marker is None or any(wanted.marker.evaluate(one) for one in chosen)
        if not needed or plain(wanted.name) in found:
            continue
        found.add(plain(wanted.name))
        try:
            waiting += importlib.metadata.requires(wanted.name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # an extra that is not installed
    return found


class TestTheTable:
    def test_knows_every_package_that_comes_along(self):
        assert len(dependencies()) > 20
        assert dependencies() - KNOWN == set(), (
            "say in localrec/privacy/network.py what it could do"
        )

    def test_names_each_once(self):
        names = [*LIBRARIES_WITHOUT_NETWORK, *(library.name for library in LIBRARIES)]
        assert len(names) == len(set(names))

    def test_is_the_one_of_the_page(self):
        page = (ROOT / "docs" / "privacy.md").read_text(encoding="utf-8")
        for library in LIBRARIES:
            assert f"| {library.name} | {library.could} | {library.kept} |" in page
        for name, value in SWITCHES.items():
            assert f"| `{name}` | `{value}` |" in page
        assert all(command in page for command in NETWORK_COMMANDS)


def test_switches_are_set_unless_the_person_has_set_them(monkeypatch):
    for name in SWITCHES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DO_NOT_TRACK", "yes")
    switch_off_network()
    assert {name: os.environ[name] for name in SWITCHES} == {**SWITCHES, "DO_NOT_TRACK": "yes"}


class TestTheDoctor:
    @pytest.fixture(autouse=True)
    def switches(self, monkeypatch):
        """The environment as `main` leaves it."""
        for name, value in SWITCHES.items():
            monkeypatch.setenv(name, value)

    @pytest.fixture
    def findings(self, cli, workspace_path):
        """Runs `doctor --privacy`; returns the exit code, and the findings by name."""

        def look() -> tuple[int, dict[str, dict[str, str]]]:
            outcome = cli("--workspace", workspace_path, "doctor", "--privacy", "--json")
            return outcome.code, {one["what"]: one for one in json.loads(outcome.out)}

        return look

    def test_finds_a_fresh_workspace_closed(self, findings, workspace_path):
        planted_store(workspace_path).close()
        code, found = findings()
        assert code == 0
        assert found["encryption"]["state"] == "missing"
        assert all(command in found["network"]["detail"] for command in NETWORK_COMMANDS)
        assert any(name.startswith("library duckdb ") for name in found)

    @pytest.mark.parametrize(
        ("name", "mode", "remedy"),
        [("store.duckdb", 0o644, "chmod 600"), ("runs", 0o755, "chmod 700"), (".", 0o710, "700")],
    )
    def test_names_what_others_may_read(self, findings, workspace_path, name, mode, remedy):
        planted_store(workspace_path).close()
        (workspace_path / "runs").mkdir(mode=0o700)
        (workspace_path / name).chmod(mode)
        code, found = findings()
        assert code == 1
        finding = found[f"mode {workspace_path / name}"]
        assert (finding["state"], finding["detail"]) == ("broken", f"{mode:04o}")
        assert remedy in finding["remedy"]

    def test_names_a_switch_that_is_off(self, findings, monkeypatch):
        monkeypatch.setenv("HF_HUB_OFFLINE", "0")
        code, found = findings()
        assert (code, found["switch HF_HUB_OFFLINE"]["state"]) == (1, "broken")

    def test_shows_the_switches_of_the_real_program(
        self, run_localrec, workspace_path, monkeypatch
    ):
        for name in SWITCHES:
            monkeypatch.delenv(name)
        told = run_localrec("--workspace", workspace_path, "doctor", "--privacy", "--json")
        found = {one["what"]: one["state"] for one in json.loads(told.stdout)}
        assert {found[f"switch {name}"] for name in SWITCHES} == {"ok"}


_WRITES = """
import os, sys
from pathlib import Path
from localrec.graph.store import Store

os.umask(0)
store = Store.open_(Path(sys.argv[1]) / "store.duckdb")
store.execute("CREATE TABLE note AS SELECT 'note ' || range AS said FROM range(9)")
print(*(f"{path.name} {path.stat().st_mode & 0o777:o}" for path in Path(sys.argv[1]).iterdir()))
os.kill(os.getpid(), 9)
"""


class TestWhatIsWritten:
    def test_by_the_store_is_for_its_owner_alone_from_the_first_moment(self, workspace_path):
        told = subprocess.run(
            [sys.executable, "-u", "-c", _WRITES, workspace_path],
            capture_output=True,
            text=True,
            check=False,
        )
        assert sorted(told.stdout.split()) == ["600", "600", "store.duckdb", "store.duckdb.wal"]

    def test_as_settings_and_indexes_is_for_its_owner_alone(self, workspace_path):
        before = os.umask(0)
        try:
            with planted_store(workspace_path) as store:
                context = planted_stages(store, workspace_path / "indexes")
                assert context.fields and context.interactions is not None
            save_settings(workspace_path, Settings(threads=2))
        finally:
            os.umask(before)
        modes = {path: path.stat().st_mode & 0o777 for path in workspace_path.rglob("*")}
        assert len(modes) > 5
        for path, mode in modes.items():
            assert mode == (0o700 if path.is_dir() else 0o600), path

    def test_leaves_the_mask_of_the_process_as_it_was(self, workspace_path):
        before = os.umask(0o022)
        try:
            with Store.open_(workspace_path / "store.duckdb") as store:
                store.execute("SELECT 1")
            assert os.umask(0o022) == 0o022
        finally:
            os.umask(before)


class TestTheLibraries:
    """A library that is loaded behind localrec keeps quiet, whoever loads localrec."""

    @staticmethod
    def kept_by(program: str, home: Path) -> list[Path]:
        """Files that a program of Python leaves in an empty home."""
        home.mkdir()
        env = {name: value for name, value in os.environ.items() if name not in SWITCHES}
        env |= {"HOME": str(home), "XDG_CACHE_HOME": str(home / ".cache")}
        subprocess.run([sys.executable, "-B", "-c", program], env=env, check=True)
        return [path for path in home.rglob("*") if path.is_file()]

    @pytest.mark.parametrize("door", ["localrec", "localrec.api.workspace", "localrec_tui.app"])
    def test_onnxruntime_keeps_no_events(self, tmp_path, door):
        assert self.kept_by(f"import {door}, onnxruntime", tmp_path / "home") == []

    def test_the_switch_is_set_by_the_import_of_the_package(self):
        told = subprocess.run(
            [
                sys.executable,
                "-c",
                "import os, localrec; print(os.environ['ORT_DISABLE_TELEMETRY'])",
            ],
            env={name: value for name, value in os.environ.items() if name not in SWITCHES},
            capture_output=True,
            text=True,
            check=True,
        )
        assert told.stdout.strip() == "1"

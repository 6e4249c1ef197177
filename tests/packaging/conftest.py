"""The wheel and the sdist of this checkout, built once, and an environment without a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EPOCH = "1700000000"


def build(source: Path, out: Path, *what: str) -> None:
    """Build with the backend that is installed, so without a network."""
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    command = [sys.executable, "-m", "build", "--no-isolation", "-o", str(out), *what, str(source)]
    env = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    told = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    assert told.returncode == 0, told.stdout + told.stderr


class Environment:
    """An empty folder in which an installed localrec runs, with this environment's libraries."""

    def __init__(self, folder: Path) -> None:
        self.site = folder / "site"
        self.home = folder / "empty"
        self.home.mkdir()

    def install(self, wheel: Path) -> None:
        """Install a wheel with pip, without a network and without what it depends on."""
        command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--quiet"]
        command += ["--disable-pip-version-check", "--target", str(self.site), str(wheel)]
        subprocess.run(command, check=True, capture_output=True)

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the empty folder; the installed packages come first on its path."""
        libraries = sysconfig.get_paths()["purelib"]
        env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "LOCALREC"))}
        env |= {
            "PYTHONPATH": os.pathsep.join([str(self.site), libraries]),
            "HOME": str(self.home),
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache")),
            "LOCALREC_LEARN": "off",
        }
        if cache := os.environ.get("LOCALREC_CACHE"):
            env["LOCALREC_CACHE"] = cache
        command = [sys.executable, "-S", *arguments]
        return subprocess.run(
            command, cwd=self.home, capture_output=True, text=True, env=env, check=False
        )

    def localrec(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Run the installed program."""
        program = "from localrec.cli.app import main; main()"
        return self.python("-c", program, *map(str, arguments))


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the wheel and the sdist."""
    out = tmp_path_factory.mktemp("dist")
    build(ROOT, out)
    return out


@pytest.fixture(scope="session")
def wheel(built: Path) -> Path:
    [found] = built.glob("localrec-*.whl")
    return found


@pytest.fixture
def environment(tmp_path: Path, wheel: Path) -> Environment:
    made = Environment(tmp_path)
    made.install(wheel)
    return made

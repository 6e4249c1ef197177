"""Measure what each extra costs: packages, megabytes, seconds to install, time to import.

Run:
    python scripts/studies/run.py extras --wheel dist/localrec-0.1.0-py3-none-any.whl [--extra mcp]

Each extra of the wheel goes into an empty environment of its own with pip, which takes what it can
from its cache: a second run measures no download and compiles nothing. Seconds are those of the
processor, pip's own included. `import localrec` runs eleven times in the new environment, beside an
interpreter that imports nothing; the median difference counts.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import tempfile
import time
import tomllib
import venv
from pathlib import Path
from statistics import median

import msgspec
from findings import ROOT, Findings, origin_of, say

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table

IMPORTS = 11
MEGABYTE = 1_000_000
NONE = "none"  # the wheel without any extra
OF_PIP = {"pip", "setuptools", "wheel"}
COUNT = "import importlib.metadata as m; print(*{d.name.lower() for d in m.distributions()})"


class ExtraFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What one extra costs.

    Args:
        extra: Its name.
        packages: Packages beside localrec.
        megabytes: Of all files of the environment, without pip.
        install_s: Processor seconds of the installation.
        import_ms: Median milliseconds that `import localrec` adds to an interpreter.
        command_ms: Median milliseconds of `localrec --version`, the interpreter included.
    """

    extra: str
    packages: int
    megabytes: float
    install_s: float
    import_ms: float
    command_ms: float


class ExtrasFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    origin: Origin
    wheel_bytes: int
    extras: list[ExtraFigures]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--wheel", type=Path, required=True, help="the built wheel")
    parser.add_argument("--extra", action="append", help="only this one; may be repeated")


def measure(asked: argparse.Namespace) -> Findings:
    """Install every extra once."""
    chosen = asked.extra or all_extras()
    rows = []
    for extra in chosen:
        say(f"installing {extra}")
        rows.append(installed(asked.wheel.resolve(), extra))
    figures = ExtrasFigures(
        origin=origin_of("extras", "--wheel", asked.wheel.name),
        wheel_bytes=asked.wheel.stat().st_size,
        extras=rows,
    )
    return Findings(text=as_markdown(figures), page="open", block="bench-extras", figures=figures)


def all_extras() -> list[str]:
    """The wheel alone, then the extras in the order of pyproject.toml, without that for tests."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [NONE, *(name for name in project["optional-dependencies"] if name != "dev")]


def installed(wheel: Path, extra: str) -> ExtraFigures:
    """Install one extra into an empty environment, and look at what is there."""
    with tempfile.TemporaryDirectory(prefix="localrec-extra-") as folder:
        place = Path(folder)
        venv.create(place, with_pip=True)
        python = place / "bin" / "python"
        before = size_of(place)
        wanted = str(wheel) if extra == NONE else f"{wheel}[{extra}]"
        spent = processor_seconds(
            [str(python), "-m", "pip", "install", "--quiet", "--no-compile", wanted]
        )
        names = set(output_of([str(python), "-c", COUNT], place).split()) - OF_PIP - {"localrec"}
        size = size_of(place) - before
        bare = [wall([str(python), "-c", "pass"], place) for _ in range(IMPORTS)]
        imported = [wall([str(python), "-c", "import localrec"], place) for _ in range(IMPORTS + 1)]
        shown = [
            wall([str(place / "bin" / "localrec"), "--version"], place) for _ in range(IMPORTS + 1)
        ]
    return ExtraFigures(
        extra=extra,
        packages=len(names),
        megabytes=round(size / MEGABYTE, 1),
        install_s=round(spent, 1),
        # The first run compiles to bytecode, which stays.
        import_ms=round(1000 * (median(imported[1:]) - median(bare)), 1),
        command_ms=round(1000 * median(shown[1:]), 1),
    )


def size_of(folder: Path) -> int:
    """Bytes of all files below a folder; links count nothing."""
    return sum(path.stat().st_size for path in folder.rglob("*") if _is_own_file(path))


def _is_own_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def processor_seconds(command: list[str]) -> float:
    """User and system seconds of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env=environment())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def output_of(command: list[str], folder: Path) -> str:
    """What a command prints in a folder."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=True, env=environment()
    )
    return done.stdout


def wall(command: list[str], folder: Path) -> float:
    """Seconds of a command in a folder."""
    begun = time.perf_counter()
    output_of(command, folder)
    return time.perf_counter() - begun


def environment() -> dict[str, str]:
    """Ours without what would lead Python elsewhere."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def as_markdown(figures: ExtrasFigures) -> str:
    """One row an extra."""
    rows = [
        [
            f"`{one.extra}`" if one.extra != NONE else "without extras",
            str(one.packages),
            f"{one.megabytes:,.0f}",
            f"{one.install_s:.0f}",
            f"{one.import_ms:.0f}",
            f"{one.command_ms:.0f}",
        ]
        for one in figures.extras
    ]
    head = [
        "extra", "packages", "MB on disk", "processor seconds of pip",
        "`import localrec`, ms", "`localrec --version`, ms",
    ]  # fmt: skip
    table = markdown_table(head, rows)
    weight = f"The wheel weighs {figures.wheel_bytes / MEGABYTE:.2f} MB."
    return f"{table}\n\n{weight} Made by {figures.origin.as_text()}"

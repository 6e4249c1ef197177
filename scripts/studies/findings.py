"""What studies and benches find, and how it is printed, kept and written into the docs.

A study is a module with `measure(asked)`, which returns or yields `Findings`, and, where it takes
options, `add_options(parser)`. `run.py` does the rest, the same way for all of them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np

from localrec.evaluation.provenance import Origin, current_origin
from localrec.evaluation.reporting.markdown import replace_marked_block
from localrec.evaluation.statistics import Comparison, IntervalEstimate
from localrec.foundation.paths import default_workspace

ROOT = Path(__file__).resolve().parents[2]
RUNNER = "scripts/studies/run.py"

Kept = TypeVar("Kept", bound=msgspec.Struct)


class Findings(msgspec.Struct, frozen=True, kw_only=True):
    """One block of a page of results.

    Example: `Findings(text=table, page="agent", block="bench-tools", figures=measured)`

    Args:
        text: The block as Markdown, which is printed as well.
        page: Name of the page in docs/results; empty where no page shows it.
        block: Name of the markers on the page, and of the figures' file.
        figures: Record that docs/figures keeps as JSON.
        kept_as: Name of the figures' file where it differs from the block's.
        pictures: File name -> SVG, for docs/figures.
        whole_block: Makes the block from the folder of figures, where it shows several files.
        exit_code: Of the command.
    """

    text: str
    page: str = ""
    block: str = ""
    figures: Any = None
    kept_as: str = ""
    pictures: dict[str, str] = {}
    whole_block: Callable[[Path], str] | None = None
    exit_code: int = 0

    def write(self, docs: Path) -> None:
        """Keep figures and pictures, and replace the block of the page."""
        folder = docs / "figures"
        folder.mkdir(parents=True, exist_ok=True)
        if self.figures is not None:
            path = folder / f"{self.kept_as or self.block}.json"
            path.write_text(as_json(self.figures) + "\n", encoding="utf-8")
        for name, picture in self.pictures.items():
            (folder / name).write_text(picture, encoding="utf-8")
        if self.page:
            text = self.whole_block(folder) if self.whole_block else self.text
            replace_marked_block(docs / "results" / f"{self.page}.md", self.block, text)


class Timing(msgspec.Struct, frozen=True):
    """Median and 95th percentile, in milliseconds."""

    median: float
    p95: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timing:
        """Sum up times in seconds."""
        median, p95 = (1000 * np.percentile(seconds, [50, 95])).tolist()
        return cls(median, p95)

    def rounded(self) -> Timing:
        """Both figures to the microsecond."""
        return Timing(round(self.median, 3), round(self.p95, 3))

    def cells(self) -> list[str]:
        """Both figures as cells of a table."""
        return [f"{self.median:.2f}", f"{self.p95:.2f}"]


def as_json(figures: object) -> str:
    """A record as JSON with line breaks."""
    return msgspec.json.format(msgspec.json.encode(figures), indent=1).decode()


def origin_of(study: str, *arguments: str) -> Origin:
    """The origin of figures that a study makes with these arguments."""
    return current_origin(RUNNER, [study, *arguments])


def halves_in(folder: Path, stem: str, kind: type[Kept], as_markdown: Callable[[Kept], str]) -> str:
    """The blocks of every half that was measured, the test half first."""
    halves = sorted(folder.glob(f"{stem}-*.json"), reverse=True)
    return "\n\n".join(
        as_markdown(msgspec.json.decode(one.read_bytes(), type=kind)) for one in halves
    )


def gap_text(gap: IntervalEstimate) -> str:
    """A difference with its sign and its interval."""
    return f"{gap.value:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]"


def compared_text(gap: Comparison) -> str:
    """A difference, bold where it can be told from nothing."""
    text = gap_text(gap.difference)
    return text if gap.verdict == "not separable" else f"**{text}**"


def show_step(what: str, done: int, total: int) -> None:
    """Progress on one line of stderr."""
    print(f"\r{what} {done}/{total}    ", end="", file=sys.stderr, flush=True)


def say(what: str) -> None:
    """Tell on stderr what is measured next."""
    print(what, file=sys.stderr, flush=True)


def add_half(parser: argparse.ArgumentParser) -> None:
    """The option `--half`."""
    parser.add_argument("--half", choices=["dev", "test"], required=True)


def add_workspace(parser: argparse.ArgumentParser) -> None:
    """The option `--workspace`, by default the user's."""
    parser.add_argument("--workspace", type=Path, default=default_workspace())


def add_folder(parser: argparse.ArgumentParser, option: str, name: str, about: str) -> None:
    """An option for a folder that stays between runs."""
    default = Path(tempfile.gettempdir()) / f"localrec-{name}"
    parser.add_argument(option, type=Path, default=default, help=about)

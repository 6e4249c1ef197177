"""How much is seen right in rendered pictures without a model, by what makes them hard.

A colour is right when the catalogue's word is one of the two likeliest for the drink, or for the
layer where there are two. Times are of the processor, file to findings, one picture at a time.
Pictures made before are needed:

    python scripts/studies/run.py render_images --half test
    python scripts/studies/run.py image_reading --half dev
    python scripts/studies/run.py image_reading --half test --report
"""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from findings import Findings, add_half, origin_of
from render_images import FAMILIES, OUT, Truth

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.reporting.number_format import plain, with_interval
from localrec.evaluation.statistics import IntervalEstimate, ratio_estimate
from localrec.foundation.errors import InputError
from localrec.images.attributes import ImageAttributes
from localrec.images.opening import open_image
from localrec.packs.cocktails.image_analysis import measure_image

# Of truth.jsonl of the test half: who changes what is drawn, changes this, and says so.
FROZEN = "b15294b52c3a8d56ce21e86b08a2c17d0388023a88081cd365a1316cd80fb179"
WANTED = {
    "colour word among the first two": 0.95,
    "colour word the first": None,
    "one or two layers told apart": None,
    "two layers recognised": 0.9,
    "glass family": 0.8,
    "foam told": None,
    "garnish colours found": None,
}
Half = Literal["dev", "test"]
_FAMILIES = FAMILIES | {"stemmed cocktail glass": "cocktail"}


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One picture: its conditions, what was right (part, weight), and the time it took."""

    conditions: dict[str, str]
    right: dict[str, tuple[float, float]]
    ms: float


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as the JSON file keeps it."""

    origin: Origin
    half: Half
    truth: str
    pictures: int
    measured: dict[str, IntervalEstimate]
    by_condition: dict[str, dict[str, dict[str, IntervalEstimate]]]
    median_ms: float
    slow_ms: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_half(parser)
    parser.add_argument("--pictures", type=Path, default=OUT, help="folder of the halves")


def measure(asked: argparse.Namespace) -> Findings:
    """Look at every picture of a half and judge what was seen."""
    figures = run(asked.half, asked.pictures / asked.half)
    kept_as = f"pictures-{asked.half}"
    text = as_markdown(figures)
    return Findings(text=text, page="images", block="pictures", figures=figures, kept_as=kept_as)


def run(half: Half, folder: Path) -> Figures:
    """Judge every picture of a half."""
    truths, mark = read_truths(half, folder)
    judged = [look_and_judge(truth, folder) for truth in truths]
    times = [one.ms for one in judged]
    return Figures(
        origin=origin_of("image_reading", f"--half {half}"),
        half=half,
        truth=mark,
        pictures=len(judged),
        measured=figures_of(judged),
        by_condition={
            condition: {
                value: figures_of([one for one in judged if one.conditions[condition] == value])
                for value in sorted({one.conditions[condition] for one in judged})
            }
            for condition in judged[0].conditions
        },
        median_ms=round(float(np.median(times)), 1),
        slow_ms=round(float(np.percentile(times, 95)), 1),
    )


def read_truths(half: Half, folder: Path) -> tuple[list[Truth], str]:
    """What the pictures show, and the SHA-256 of the file that says so.

    Raises:
        InputError: not made yet, or not the frozen test half.
    """
    path = folder / "truth.jsonl"
    if not path.is_file():
        raise InputError(
            f"{path} is not there.",
            f"Run python scripts/studies/run.py render_images --half {half}.",
        )
    content = path.read_bytes()
    mark = hashlib.sha256(content).hexdigest()
    if half == "test" and mark != FROZEN:
        raise InputError(
            f"{path} is not the frozen test half ({mark}).",
            "Make it again with the script as it is in the repository.",
        )
    return [msgspec.json.decode(line, type=Truth) for line in content.splitlines()], mark


def look_and_judge(truth: Truth, folder: Path) -> Judged:
    """See one picture, and compare with what it shows."""
    started = time.process_time()
    sight = measure_image(open_image(folder / truth.file))
    spent = 1000 * (time.process_time() - started)
    scene = truth.scene
    return Judged(
        conditions={
            "background": truth.behind.replace("_", " "),
            "glass": truth.family,
            "liquid": scene.clarity,
            "layers": str(len(scene.words)),
            "light": scene.light,
            "ice": "with ice" if scene.ice else "without ice",
        },
        right=dict(zip(WANTED, judge(truth, sight), strict=True)),
        ms=spent,
    )


def judge(truth: Truth, sight: ImageAttributes) -> Iterator[tuple[float, float]]:
    """(part, weight) for each of `WANTED`."""
    words = truth.scene.words
    yield float(_colours_right(words, sight, 2)), 1.0
    yield float(_colours_right(words, sight, 1)), 1.0
    told = len(sight.layers) == len(words)
    yield float(told), 1.0
    yield float(told), float(len(words) == 2)
    glass = _FAMILIES.get(sight.glass.word) if sight.glass else None
    yield float(glass == truth.family), 1.0
    yield float((sight.foam is not None) == truth.scene.foam), 1.0
    found = {one.word for one in sight.garnish} & {*truth.garnish_colours}
    yield float(len(found)), float(len(truth.garnish_colours))


def _colours_right(words: Sequence[str], sight: ImageAttributes, first: int) -> bool:
    """Whether every colour of the drink is among the first words for it, or for its layer."""
    if len(words) == 1:
        return words[0] in sight.words[:first]
    if len(sight.layers) != len(words):
        return {*words} <= {*sight.words[:2]}
    pairs = zip(words, sight.layers, strict=True)
    return all(word in layer.words[:first] for word, layer in pairs)


def figures_of(judged: Sequence[Judged]) -> dict[str, IntervalEstimate]:
    """Every figure over some of the pictures."""
    return {name: ratio_estimate([_counted(one.right[name]) for one in judged]) for name in WANTED}


def _counted(right: tuple[float, float]) -> tuple[float, float]:
    part, weight = right
    return (part if weight else 0.0), weight


def as_markdown(figures: Figures) -> str:
    """The figures as tables, with where they come from."""
    half = "frozen test" if figures.half == "test" else "development"
    head = [f"{figures.pictures} pictures of the {half} half", "measured", "wanted"]
    rows = [
        [
            name,
            with_interval(figures.measured[name], 3),
            "" if wanted is None else f"at least {wanted}",
        ]
        for name, wanted in WANTED.items()
    ]
    rows.append(["milliseconds of processor time, median", f"{figures.median_ms:.0f}", "under 150"])
    rows.append(["the same, 95th percentile", f"{figures.slow_ms:.0f}", ""])
    shown = [name for name, wanted in WANTED.items() if wanted is not None]
    by_condition = [
        [
            f"{condition}: {value}",
            str(one[shown[0]].n),
            *(plain(one[name].value, 2) for name in shown),
        ]
        for condition, values in figures.by_condition.items()
        for value, one in values.items()
    ]
    return (
        f"{markdown_table(head, rows)}\n\n"
        f"{markdown_table(['by condition', 'pictures', *shown], by_condition)}\n\n"
        "Intervals are 95%, bootstrap over pictures. "
        f"Truth file: SHA-256 `{figures.truth}`.\n\nMade by {figures.origin.as_text()}"
    )

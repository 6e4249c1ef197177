"""What a picture brings to a question: asked with it and without, about drinks of the catalogue.

Each picture is rendered after what the catalogue says of one drink: its glass, its colours, layers
and foam, before a background and in a light of its half. The drink is the truth: of the first
items of an answer it is counted how many have one of its colours, and how many come in a glass of
its family. Beside that, the gold questions of a half are asked with a picture that they say
nothing of: it must not change their task. Which drinks fall into which half is drawn by seed; the
development half is for choosing weights, the test half is for the end.

    python scripts/studies/run.py image_questions --half dev
    python scripts/studies/run.py image_questions --half test --report
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from findings import Findings, add_folder, add_half, origin_of
from gold_questions import build_workspace
from image_renderer import COLOURS
from render_images import DEVELOPMENT, FAMILIES, TEST, Truth, save, scene_for

from localrec.data.answers import Answer, QuestionAnswerer
from localrec.data.query import TaskKind
from localrec.data.questions import Question
from localrec.evaluation.configs import QuestionsConfig
from localrec.evaluation.provenance import Origin
from localrec.evaluation.questions.gold import read_gold
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.reporting.number_format import with_interval
from localrec.evaluation.statistics import Comparison, IntervalEstimate, compare_all, ratio_estimate
from localrec.graph.catalogue import Catalogue
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace

DOMAIN = "cocktails"
SEED = 90_417
ASKED = 60  # drinks of a half
FIRST = (3, 5)
FIGURES = ("has its colour", "in its glass", "both")
Half = Literal["dev", "test"]


class Drink(msgspec.Struct, frozen=True, kw_only=True):
    """A drink of the catalogue that can be drawn: what is true of it."""

    item: int
    name: str
    glass: str
    colours: tuple[str, ...]
    layered: bool
    foam: bool
    left_out: str
    wanted: str


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of question; the text holds a name of something in the drink, or of another thing.

    Args:
        text: With `{left_out}` (a component of the drink) or `{wanted}` (one it lacks).
        task: MARC's task for it, with the picture.
        holds: Whether an item does as the text says.
    """

    text: str
    task: TaskKind
    holds: Literal["", "left_out", "wanted"] = ""


QUESTIONS = {
    "what is like this?": Asked(text="what is like this?", task=TaskKind.C4),
    "the same look without X": Asked(
        text="the same look without {left_out}", task=TaskKind.C1, holds="left_out"
    ),
    "something like it with Y": Asked(
        text="something like it with {wanted}", task=TaskKind.C4, holds="wanted"
    ),
    "a drink with Y": Asked(text="a drink with {wanted}", task=TaskKind.C3, holds="wanted"),
}


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as the JSON file keeps it; figures by question, then "with" and "without"."""

    origin: Origin
    half: Half
    drinks: int
    measured: dict[str, dict[str, dict[str, IntervalEstimate]]]
    gained: dict[str, dict[str, Comparison]]
    named: dict[str, IntervalEstimate]
    routed: dict[str, IntervalEstimate]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_half(parser)
    parser.add_argument("--workspace", type=Path, help="use this one instead of building one")
    add_folder(parser, "--state", "pictured", "where pictures and the built workspace stay")


def measure(asked: argparse.Namespace) -> Findings:
    """Ask about every drink of a half, with its picture and without."""
    home = asked.workspace or build_workspace(asked.state / "workspace")
    with OpenWorkspace(home) as workspace:
        figures = run(workspace, asked.half, asked.state / asked.half)
    kept_as = f"pictured-{asked.half}"
    text = as_markdown(figures)
    return Findings(text=text, page="images", block="pictured", figures=figures, kept_as=kept_as)


def run(workspace: OpenWorkspace, half: Half, folder: Path) -> Figures:
    """Ask about every drink of a half, with its picture and without."""
    catalogue = workspace.context(DOMAIN).catalogue
    asker = SYSTEM_REGISTRY.answerer(workspace.context(DOMAIN), "marc", without_model=True)
    drinks = drinks_of(catalogue, half)
    pictures = [draw(drink, number, half, folder) for number, drink in enumerate(drinks)]
    judged: dict[str, dict[str, list[dict[str, tuple[float, float]]]]] = {}
    for name, question in QUESTIONS.items():
        for how, images in {"with": pictures, "without": [None] * len(drinks)}.items():
            judged.setdefault(name, {})[how] = [
                judge(
                    asker.answer(as_question(question, drink, image), FIRST[-1]),
                    drink,
                    question,
                    catalogue,
                )
                for drink, image in zip(drinks, images, strict=True)
            ]
    named = [
        asker.answer(Question(query="what is this?", image=str(image)), FIRST[-1])
        for image in pictures
    ]
    return Figures(
        origin=origin_of("image_questions", f"--half {half}"),
        half=half,
        drinks=len(drinks),
        measured={
            name: {how: _measured(cases) for how, cases in one.items()}
            for name, one in judged.items()
        },
        gained={
            name: compare_all(
                {
                    figure: tuple([case[figure] for case in one[how]] for how in one)  # type: ignore[misc]
                    for figure in one["with"][0]
                }
            )
            for name, one in judged.items()
        },
        routed=routed_rightly(asker, half, drinks, pictures),
        named={
            f"among the first {first}": ratio_estimate(
                [
                    (float(_is_named(answer, drink, first)), 1.0)
                    for answer, drink in zip(named, drinks, strict=True)
                ]
            )
            for first in FIRST
        },
    )


def routed_rightly(
    asker: QuestionAnswerer, half: Half, drinks: Sequence[Drink], pictures: Sequence[Path]
) -> dict[str, IntervalEstimate]:
    """The share of right tasks: gold questions alone and beside a picture, and those with one."""
    gold = [
        (Question(query=one.query), one.task)
        for one in read_gold(QuestionsConfig(gold=DOMAIN, half=half).path, half)
    ]
    beside = [
        (msgspec.structs.replace(question, image=str(pictures[place % len(pictures)])), task)
        for place, (question, task) in enumerate(gold)
    ]
    pointing = [
        (as_question(asked, drink, image), asked.task)
        for asked in QUESTIONS.values()
        for drink, image in zip(drinks, pictures, strict=True)
    ]
    return {
        name: ratio_estimate(
            [(float(asker.answer(question, 1).task.kind == task), 1.0) for question, task in asked]
        )
        for name, asked in {
            "gold questions": gold,
            "the same beside a picture": beside,
            "the four kinds above with theirs": pointing,
        }.items()
    }


def drinks_of(catalogue: Catalogue, half: Half) -> list[Drink]:
    """The drinks of a half, drawn by seed from all that can be rendered."""
    random = np.random.default_rng(SEED)
    possible = [
        drink
        for item in random.permutation(len(catalogue))
        if (drink := _drawable(catalogue, int(item), random)) is not None
    ]
    start = 0 if half == "dev" else ASKED
    return possible[start : start + ASKED]


def _drawable(catalogue: Catalogue, item: int, random: np.random.Generator) -> Drink | None:
    """What is true of a drink, or None where the renderer has no such glass or colour."""
    of_kind: dict[str, list[str]] = {}
    for index in catalogue.attributes_of(item):
        one = catalogue.attributes[index]
        of_kind.setdefault(one.kind, []).append(one.key)
    colours, looks = of_kind.get("colour", []), of_kind.get("look", [])
    layered = "layered" in looks
    glass = of_kind.get("glass", [""])[0]
    if glass not in FAMILIES or len(colours) != 1 + layered or not {*colours} <= {*COLOURS}:
        return None
    inside = [one for one in catalogue.components_of(item).tolist() if one not in catalogue.staples]
    others = [
        catalogue.attributes[one].key
        for one in catalogue.components_of(int(random.integers(len(catalogue)))).tolist()
        if one not in inside and one not in catalogue.staples
    ]
    if not inside or not others:
        return None
    return Drink(
        item=item,
        name=catalogue.names[item],
        glass=glass,
        colours=tuple(colours),
        layered=layered,
        foam="foamy" in looks,
        left_out=catalogue.attributes[int(random.choice(inside))].key,
        wanted=others[0],
    )


def draw(drink: Drink, number: int, half: Half, folder: Path) -> Path:
    """The picture of a drink, made where it is not there yet."""
    random = np.random.default_rng((SEED, number, half == "test"))
    backgrounds = [*(DEVELOPMENT if half == "dev" else TEST).items()]
    label, functions = backgrounds[int(random.integers(len(backgrounds)))]
    scene = scene_for(half, drink.glass, drink.colours, (), random)
    truth = Truth(
        file=f"{number:03d}.jpg",
        family=FAMILIES[drink.glass],
        background=label,
        behind=functions[int(random.integers(len(functions)))].__name__,
        garnish_colours=(),
        quality=int(random.integers(60, 96)),
        scene=msgspec.structs.replace(scene, foam=drink.foam),
    )
    path = folder / truth.file
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        save(truth, half, path)
    return path


def as_question(asked: Asked, drink: Drink, image: Path | None) -> Question:
    """A question about a drink."""
    text = asked.text.format(left_out=drink.left_out, wanted=drink.wanted)
    return Question(query=text, image=None if image is None else str(image))


def judge(
    answer: Answer, drink: Drink, asked: Asked, catalogue: Catalogue
) -> dict[str, tuple[float, float]]:
    """(part, weight) of each figure: items that look like the drink, or do as the text says."""
    found: dict[str, tuple[float, float]] = {}
    looks = [_agrees(catalogue, drink, one.key) for one in answer.items]
    for first in FIRST:
        top = looks[:first]
        for place, figure in enumerate(FIGURES):
            found[f"{figure}, first {first}"] = (sum(one[place] for one in top), float(first))
    if asked.holds:
        does = _has(catalogue, getattr(drink, asked.holds))
        kept = [does(one.key) == (asked.holds == "wanted") for one in answer.items]
        found["does as the text says"] = (float(sum(kept)), float(len(kept)))
    return found


def _agrees(catalogue: Catalogue, drink: Drink, key: str) -> tuple[float, float, float]:
    colour = any(_has(catalogue, word, "colour")(key) for word in drink.colours)
    glass = _has(catalogue, _family(catalogue, drink.glass), "glass")(key)
    return float(colour), float(glass), float(colour and glass)


def _family(catalogue: Catalogue, glass: str) -> str:
    index = catalogue.attribute_index("glass", glass)
    parents = [] if index is None else catalogue.parents([index])
    return catalogue.attributes[parents[0]].key if parents else glass


def _has(catalogue: Catalogue, word: str, kind: str = "ingredient") -> Callable[[str], bool]:
    """Whether an item, by key, has an attribute or one below it."""
    index = catalogue.attribute_index(kind, word)
    mask = catalogue.none() if index is None else catalogue.items_with(catalogue.below(index))

    def has(key: str) -> bool:
        place = catalogue.item_index(key)
        return place is not None and bool(mask[place])

    return has


def _is_named(answer: Answer, drink: Drink, first: int) -> bool:
    return drink.name in [one.name for one in answer.items[:first]]


def _measured(cases: Sequence[dict[str, tuple[float, float]]]) -> dict[str, IntervalEstimate]:
    return {figure: ratio_estimate([case[figure] for case in cases]) for figure in cases[0]}


def as_markdown(figures: Figures) -> str:
    """The figures as tables, with where they come from."""
    half = "frozen test" if figures.half == "test" else "development"
    head = [f"{figures.drinks} drinks, {half} half", "without", "with its picture", "gained"]
    rows = [row for name in figures.measured for row in _rows(figures, name)]
    routed = ", ".join(f"{with_interval(one, 2)} of {of}" for of, one in figures.routed.items())
    named = ", ".join(f"{with_interval(one, 2)} {first}" for first, one in figures.named.items())
    return (
        f"{markdown_table(head, rows)}\n\n"
        f"“What is this?” has the very drink {named}: many drinks look alike. "
        f"The task is right in {routed}. "
        "Intervals are 95%, bootstrap over drinks; what is marked * is better or worse after "
        f"Holm's correction within its question.\n\nMade by {figures.origin.as_text()}"
    )


def _rows(figures: Figures, name: str) -> Iterator[list[str]]:
    yield [f"**{name}**", "", "", ""]
    for figure, gain in figures.gained[name].items():
        one = figures.measured[name]
        mark = "" if gain.verdict == "not separable" else " *"
        told = "-" if gain.difference.value is None else f"{gain.difference.value:+.2f}{mark}"
        yield [
            figure,
            with_interval(one["without"][figure], 2),
            with_interval(one["with"][figure], 2),
            told,
        ]

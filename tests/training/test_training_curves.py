"""The curves of a training as a picture."""

from __future__ import annotations

import importlib.util
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from localrec.training.jobs.training_runs import StepRecord

SCRIPT = Path(__file__).parents[2] / "scripts" / "studies" / "training_curves.py"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def curves():
    spec = importlib.util.spec_from_file_location("training_curves", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


RISING = [
    StepRecord(
        step=step,
        values={
            "reward": step / 10,
            "hit1": None,
            **({"validation_reward": 0.5} if step % 5 == 0 else {}),
        },
    )
    for step in range(1, 11)
]


@pytest.fixture(scope="module")
def picture(curves):
    shown = [curves.Curve("reward", "reward"), curves.Curve("H@1", "hit1")]
    return ElementTree.fromstring(curves.curves_picture("GRPO & pairs", RISING, shown))


def test_a_picture_says_what_it_shows(picture):
    assert picture.find(f"{SVG}title").text == "GRPO & pairs"
    told = picture.find(f"{SVG}desc").text
    assert told == "reward: 0.30 around the first step, 0.80 at the last; H@1: nothing was logged."


def test_a_curve_rises_as_its_figure_does(picture):
    (line,) = [
        one for one in picture.iter(f"{SVG}path") if one.get("class") == "step" and one.get("d")
    ]
    places = [tuple(map(float, part.split())) for part in line.get("d")[1:].split("L")]
    assert len(places) == 10
    assert places == sorted(places)  # from left to right
    heights = [up for _, up in places]
    assert heights == sorted(heights, reverse=True)  # the page counts downwards


def test_validations_are_marked_where_they_were_made(picture):
    assert len(list(picture.iter(f"{SVG}polygon"))) == 2


def test_what_validation_measures_otherwise_is_not_marked(curves):
    shown = [curves.Curve("right on pairs", "reward", validated=False)]
    drawn = ElementTree.fromstring(curves.curves_picture("pairs", RISING, shown))
    assert not list(drawn.iter(f"{SVG}polygon"))

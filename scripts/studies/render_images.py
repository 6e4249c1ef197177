"""Renders drinks whose truth is known: glass, colours, layers, foam, ice, garnish, light.

Two halves, one to develop on and one that is frozen: other seeds, other backgrounds, other lights.
The truth goes to truth.jsonl beside the pictures, one line each. The test half's truth is the same
wherever it is made; its SHA-256 stands in scripts/studies/image_reading.py.

    python scripts/studies/run.py render_images --half dev
    python scripts/studies/run.py render_images --half test --out build/pictures
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from findings import ROOT, Findings, add_half
from image_backgrounds import DEVELOPMENT, TEST, Background
from image_renderer import COLOURS, GARNISHES, OPAQUE, Clarity, Scene, draw_scene

OUT = ROOT / "build" / "pictures"
COUNT = 108
SEEDS = {"dev": 11, "test": 41_077}
Half = Literal["dev", "test"]

# Glasses of one family count as alike: coupe and martini glass are both stemmed cocktail glasses.
FAMILIES = {
    "highball glass": "highball",
    "old fashioned glass": "rocks",
    "martini glass": "cocktail",
    "coupe glass": "cocktail",
    "champagne flute": "flute",
    "wine glass": "wine",
    "mug": "mug",
    "shot glass": "shot",
    "hurricane glass": "hurricane",
}
LIGHTS = {"dev": ("left", "right", "dim"), "test": ("top", "back", "left", "right")}
# Pairs that a person would call two colours without thinking.
_ALIKE = {
    frozenset(pair)
    for family in (
        ("red", "burgundy", "brown", "black"),
        ("red", "pink", "orange"),
        ("red", "amber"),
        ("purple", "burgundy"),
        ("purple", "blue"),
        ("purple", "black"),
        ("pink", "peach"),
        ("orange", "peach", "amber", "gold", "yellow"),
        ("amber", "brown"),
        ("blue", "turquoise", "green"),
        ("white", "cream", "grey", "clear", "peach"),
        ("cream", "yellow", "gold"),
        ("blue", "black"),
    )
    for pair in combinations(family, 2)
}


class Truth(msgspec.Struct, frozen=True, kw_only=True):
    """One line of truth.jsonl: the file, how it was made, and what it shows."""

    file: str
    family: str
    background: str
    behind: str
    garnish_colours: tuple[str, ...]
    quality: int
    scene: Scene


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_half(parser)
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the halves")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, help="of another half than the two")


def measure(asked: argparse.Namespace) -> Findings:
    """Draw the pictures of a half, and write down what is true of them."""
    folder = asked.out / asked.half
    folder.mkdir(parents=True, exist_ok=True)
    truths = list(plan(asked.half, asked.count, asked.seed))
    for truth in truths:
        save(truth, asked.half, folder / truth.file)
    (folder / "truth.jsonl").write_bytes(as_lines(truths))
    return Findings(text=f"{len(truths)} pictures in {folder}, truth {fingerprint(truths)}")


def plan(half: Half, count: int = COUNT, seed: int | None = None) -> Iterator[Truth]:
    """What each picture of a half will show; every glass, colour and background in turn."""
    random = np.random.default_rng(SEEDS[half] if seed is None else seed)
    glasses, backgrounds = [*FAMILIES], [*(DEVELOPMENT if half == "dev" else TEST).items()]
    # Each in turn, but in orders of their own, so that no glass goes with one colour or background.
    places, turns, layered = (random.permutation(count) for _ in range(3))
    words = [*COLOURS]
    for number in range(count):
        glass = glasses[number % len(glasses)]
        label, functions = backgrounds[places[number] % len(backgrounds)]
        first = words[turns[number] % len(words)]
        shown = _colours(first, words, random) if layered[number] % 3 == 0 else (first,)
        garnishes = _garnishes(random)
        yield Truth(
            file=f"{number:03d}.{('jpg', 'jpg', 'png', 'webp')[number % 4]}",
            family=FAMILIES[glass],
            background=label,
            behind=functions[number % len(functions)].__name__,
            garnish_colours=tuple(sorted({GARNISHES[name] for name in garnishes})),
            quality=int(random.integers(50, 96)),
            scene=scene_for(half, glass, shown, garnishes, random),
        )


def save(truth: Truth, half: Half, path: Path) -> None:
    """Draw one picture into a file of its kind."""
    image = draw_scene(truth.scene, _background(half, truth))
    image.save(path, quality=truth.quality)


def as_lines(truths: list[Truth]) -> bytes:
    """The truth file's bytes."""
    return b"".join(msgspec.json.encode(truth) + b"\n" for truth in truths)


def fingerprint(truths: list[Truth]) -> str:
    """SHA-256 of the truth file."""
    return hashlib.sha256(as_lines(truths)).hexdigest()


def _background(half: Half, truth: Truth) -> Background:
    functions = (DEVELOPMENT if half == "dev" else TEST)[truth.background]
    return next(one for one in functions if one.__name__ == truth.behind)


def _colours(first: str, words: list[str], random: np.random.Generator) -> tuple[str, ...]:
    """Two colours, in either order, that are not nearly one."""
    others = [
        word
        for word in words
        if word not in (first, "clear", "grey") and frozenset((first, word)) not in _ALIKE
    ]
    pair = [first, str(random.choice(others))]
    return (first,) if first == "clear" else tuple(pair if random.uniform() < 0.5 else pair[::-1])


def _garnishes(random: np.random.Generator) -> tuple[str, ...]:
    number = random.choice([0, 1, 1, 2])
    return tuple(str(name) for name in random.choice([*GARNISHES], number, replace=False))


def scene_for(
    half: Half,
    glass: str,
    words: tuple[str, ...],
    garnishes: tuple[str, ...],
    random: np.random.Generator,
) -> Scene:
    """A scene of a half with this drink in it, all else drawn by lot."""
    warm = random.uniform(-0.1, 0.1) if half == "dev" else random.uniform(-0.12, 0.12)
    landscape = random.uniform() < 0.2
    sides = (400, 320) if landscape else (300, 400)
    return Scene(
        glass=glass,
        words=words,
        hexes=tuple(str(random.choice(COLOURS[word])) for word in words),
        clarity=_clarity(words, random),
        # A head on something clear or white would be a second colour nobody could name.
        foam=bool(random.uniform() < 0.25 and not {"clear", "white", "cream"} & {words[0]}),
        ice=bool(random.uniform() < (0.6 if glass in _WITH_ICE else 0.1)),
        garnishes=garnishes,
        light=str(random.choice(LIGHTS[half])),
        gains=(round(1 + warm, 4), 1.0, round(1 - warm, 4)),
        exposure=round(float(random.uniform(0.85, 1.15)), 4),
        tilt_degrees=round(float(random.normal(0, 2)), 3),
        noise=round(float(random.uniform(0, 0.03)), 4),
        blur=round(float(random.uniform(0, 1.3)), 3),
        width=sides[0],
        height=sides[1],
        seed=int(random.integers(2**31)),
    )


_WITH_ICE = ("highball glass", "old fashioned glass", "hurricane glass", "mug")


def _clarity(words: tuple[str, ...], random: np.random.Generator) -> Clarity:
    if words[0] == "clear":
        return "clear"
    if {*words} & {*OPAQUE}:
        return "opaque"
    kinds: tuple[Clarity, ...] = ("clear", "clear", "hazy", "opaque")
    return kinds[int(random.integers(len(kinds)))]

"""Cases of the image words: pictures drawn in memory, whose words are known.

A glass with a drink of one or two colours stands before a wall, with or without a garnish, in a
light of its own. Colours and shapes were chosen here, apart from those that `packs` looks for. What
is drawn is cleaner than any photograph, so that both sides' figures are upper bounds. The score of
a picture is the share of its words that are told: each colour at its place from the top down, the
glass or one of its family, the garnish by its name or its colour.
"""

from __future__ import annotations

import random

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.domains import Domain
from localrec.images.analyzers import ImageAnalyzer, VisionAnalyzer
from localrec.images.attributes import ImageAttributes
from localrec.images.opening import DecodedImage
from localrec.llm.chat_model import VisionModel
from localrec.training.role_bench.question_cases import fingerprint_of
from localrec.training.role_bench.records import PreparedModel, RoleAnswer, RoleCases

IMAGE_WORDS = "image words"
_WIDTH, _HEIGHT = 300, 400
_COLOURS = {
    "red": "c8202a",
    "pink": "ef7fa0",
    "orange": "f0861e",
    "amber": "b4651c",
    "yellow": "f5dc42",
    "green": "4ca540",
    "blue": "2c6fd6",
    "purple": "733a9e",
    "brown": "64401f",
    "white": "f2f0ea",
}
_WALLS = ("cfc8bd", "7d8a94", "3b3a40", "a98f74")
# Radii at heights from the rim (0) to the foot (1), and where the liquid ends.
_GLASSES: dict[str, tuple[tuple[float, ...], tuple[float, ...], float]] = {
    "highball glass": ((0, 1), (0.2, 0.18), 0.95),
    "old fashioned glass": ((0, 1), (0.48, 0.43), 0.9),
    "martini glass": ((0, 0.45, 0.95, 0.98, 1), (0.34, 0.015, 0.015, 0.22, 0.22), 0.43),
    "champagne flute": ((0, 0.5, 0.66, 0.95, 0.98, 1), (0.1, 0.11, 0.015, 0.015, 0.15, 0.15), 0.63),
}
_GARNISHES = {"cherry": "red", "lime wheel": "green", "orange slice": "orange"}


class DrawnDrink(msgspec.Struct, frozen=True):
    """What a picture shows: its glass, colours from the top down, a garnish or "", its seed."""

    glass: str
    colours: tuple[str, ...]
    garnish: str
    seed: int


def picture_cases(
    domain: Domain, measure: ImageAnalyzer, describe: VisionAnalyzer, count: int, seed: int
) -> RoleCases:
    """Draw drinks; the model that is prepared has to see."""
    drinks = drawn_drinks(count, seed)

    def prepare(model: VisionModel, adapted: bool) -> PreparedModel:
        def ask(number: int) -> RoleAnswer:
            seen, _ = describe(model, draw(drinks[number]), domain.singular)
            return RoleAnswer(share_told(drinks[number], seen, domain))

        return PreparedModel(ask)

    return RoleCases(
        role=IMAGE_WORDS,
        measure="share of a drawn drink's words (colours, glass, garnish) that are told",
        line="measured colours and outlines",
        count=count,
        fingerprint=fingerprint_of(IMAGE_WORDS, drinks),
        by_rules=lambda number: RoleAnswer(
            share_told(drinks[number], measure(draw(drinks[number])), domain)
        ),
        prepare=prepare,  # type: ignore[arg-type]
    )


def drawn_drinks(count: int, seed: int) -> list[DrawnDrink]:
    """Decide what each picture shows: every glass and colour in turn."""
    random_, glasses, words = random.Random(f"{seed} pictures"), [*_GLASSES], [*_COLOURS]
    drinks = []
    for number in range(count):
        first = words[number % len(words)]
        second = random_.choice([word for word in words if word != first])
        drinks.append(
            DrawnDrink(
                glasses[number % len(glasses)],
                (first, second) if number % 3 == 0 else (first,),
                random_.choice(["", *_GARNISHES]),
                random_.getrandbits(31),
            )
        )
    return drinks


def draw(drink: DrawnDrink) -> DecodedImage:
    """Draw a drink; the same drink gives the same picture."""
    random_ = np.random.default_rng(drink.seed)
    ages, radii, floor = _GLASSES[drink.glass]
    tall = min(random_.uniform(0.6, 0.8) * _HEIGHT, 0.42 * _WIDTH / max(radii))
    rows, columns = np.mgrid[:_HEIGHT, :_WIDTH].astype(np.float32)
    u, v = (columns - random_.uniform(0.45, 0.55) * _WIDTH) / tall, 1 + (rows - 375) / tall
    radius = np.interp(v, ages, radii)
    lean = np.clip(np.abs(u) / radius, 0, 1)
    front = v - 0.1 * radius * np.sqrt(1 - lean**2)  # seen from slightly above
    inside = (lean < 1) & (v > 0) & (front < 1)
    wall = _rgb(_WALLS[drink.seed % len(_WALLS)])
    canvas = np.where((rows > 320)[..., None], 0.7 * wall, wall * (1.1 - rows / 1200)[..., None])
    canvas[inside] = 0.85 * canvas[inside] + 0.12
    level = floor * random_.uniform(0.12, 0.25)
    middle = level + (floor - level) * random_.uniform(0.4, 0.5)
    for colour, top in zip(drink.colours, (level, middle), strict=False):
        canvas[inside & (lean < 0.95) & (front > top) & (front < floor)] = _rgb(_COLOURS[colour])
    canvas[inside] *= (1.05 - 0.25 * lean[inside] ** 2)[:, None]
    canvas[inside & (lean > 0.96)] += 0.1  # the rim of the glass catches the light
    if drink.garnish:
        across, down, size = (0, level, 0.05) if drink.garnish == "cherry" else (radii[0], 0, 0.09)
        spot = np.hypot(u - across, v - down) < size
        canvas[spot] = _rgb(_COLOURS[_GARNISHES[drink.garnish]])
    canvas *= random_.uniform(0.9, 1.1)
    canvas += 0.015 * random_.standard_normal(canvas.shape)
    pixels = (np.clip(canvas, 0, 1) * 255).astype(np.uint8)
    return DecodedImage(pixels=pixels, size=(_WIDTH, _HEIGHT), format="PNG")


def share_told(drink: DrawnDrink, seen: ImageAttributes, domain: Domain) -> float:
    """Share of a picture's words that were told."""
    layers = [one.word for one in seen.layers]
    right = len(layers) == len(drink.colours)
    told = [right and word == layer for word, layer in zip(drink.colours, layers, strict=False)]
    told += [False] * (len(drink.colours) - len(told))
    glass = seen.glass.word if seen.glass else ""
    told.append(_family(domain, glass) == _family(domain, drink.glass))
    if drink.garnish:
        names = {drink.garnish.split()[0], _GARNISHES[drink.garnish]}
        told.append(any(not names.isdisjoint(one.word.split()) for one in seen.garnish))
    return sum(told) / len(told)


def _family(domain: Domain, glass: str) -> str:
    kind = domain.kind_of("container") or ""
    name = domain.concept_names(kind).get(glass.casefold(), glass)
    concept = domain.taxonomy.get(kind, {}).get(name)
    return concept.parents[0] if concept and concept.parents else name


def _rgb(code: str) -> NDArray[np.float64]:
    return np.frombuffer(bytes.fromhex(code), np.uint8) / 255

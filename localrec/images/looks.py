"""What can be seen in a picture of a drink without a model: colours, layers, foam, glass, garnish.

The steps: the glass by its outline (`silhouette`), the drink in it (`drink`), words for its colours
(`colour_words`), what decorates the rim (`garnish`). Nothing is learnt; constants were set on
rendered pictures (scripts/make_pictures.py) and each finding says how sure it is. A picture without
a glass that could be made out is still asked for the colours of its middle.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.images.colour_words import words_for
from localrec.images.drink import ROWS, Band, Drink, colour_gap, find_drink, look_inside
from localrec.images.garnish import find_garnish
from localrec.images.glassware import Shape
from localrec.images.oklab import Lab, chroma, from_srgb
from localrec.images.opening import Picture
from localrec.images.sight import Finding, SeenColour, Sight
from localrec.images.silhouette import Edges, Standing, find_glasses, handle_evidence

_VIEW = 200  # longest side of what is looked at
# Outlines are found in pictures without any glass too: mostly below the first, hardly above both.
_NO_GLASS = 0.36
_SURELY_GLASS = 0.45
_HANDLE = 0.2
_WITH_HANDLE = ("old fashioned glass", "shot glass")
_SCORE_STEP = 0.02  # a lead of this much makes a glass e times as likely
_LIKE_WATER = 0.07  # how far from its background a liquid may be that is called clear
_LIKE_WATER_STEP = 0.015
_DARK = 0.27
_ALIKE_GAP = 0.22
_MIDDLE = Shape(
    glass="", family="", ages=(0.0, 0.0, 1.0), radii=(0.35, 0.35, 0.35), floor=0.98
)  # stands in where no glass was made out


def look_at(picture: Picture) -> Sight:
    """Everything that was seen; findings that could not be told are left out."""
    lab = _view(picture.pixels)
    edges = Edges(lab)
    standings = find_glasses(lab, edges)
    best = standings[0]
    notes = list(picture.notes)
    glass = None
    if best.score < _NO_GLASS:
        best = _in_the_middle(lab)
        notes.append("No glass could be made out; the colours are those of the picture's middle.")
    else:
        glass = _named(edges, standings)
    drink = find_drink(look_inside(lab, best))
    trust = 0.5 if glass is None else 1.0
    layers = _layers(drink, trust)
    garnish = [] if glass is None else find_garnish(lab, best, *_liquid_of(drink, best))
    return Sight(
        colours=_summed(layers),
        layers=layers,
        layers_confidence=round(trust * _sure_of_layers(drink, len(layers)), 2),
        clarity=_clarity(drink, layers, trust),
        foam=None if drink.foam is None else Finding("foamy", round(0.9 * trust, 2)),
        garnish=tuple(garnish),
        glass=glass,
        notes=tuple(notes),
    )


def _view(pixels: NDArray[np.uint8]) -> Lab:
    """The picture in OKLab, as means over squares so that no side is longer than `_VIEW`."""
    factor = -(-max(pixels.shape[:2]) // _VIEW)
    height, width = (max(1, length // factor) for length in pixels.shape[:2])
    lab = from_srgb(pixels[: height * factor, : width * factor])
    blocks = lab.reshape(height, min(factor, len(lab)), width, -1, 3)
    return np.asarray(blocks.mean(axis=(1, 3)), dtype=np.float32)


def _in_the_middle(lab: Lab) -> Standing:
    height, width = lab.shape[:2]
    side = 0.5 * min(height, width)
    return Standing(
        shape=_MIDDLE,
        score=0.0,
        axis=width / 2,
        foot=height / 2 + side / 2,
        height=side,
        pitch=0.01,
        lean=0.0,
    )


def _named(edges: Edges, standings: list[Standing]) -> Finding:
    """The glass, or its family where its like fits as well; and how far it leads the others."""
    best = standings[0]
    weights = np.exp((np.array([one.score for one in standings]) - best.score) / _SCORE_STEP)
    shares = weights / weights.sum()
    alike = [one.shape.family == best.shape.family for one in standings]
    confidence = float(shares[alike].sum())
    is_one = 0.5 + 0.5 * (best.score - _NO_GLASS) / (_SURELY_GLASS - _NO_GLASS)
    word = best.shape.glass if shares[0] > 0.7 * confidence else best.shape.family
    if best.shape.glass in _WITH_HANDLE and handle_evidence(edges, best) > _HANDLE:
        word = "mug"
    return Finding(word, round(min(0.95, confidence * min(1.0, is_one)), 2))


def _layers(drink: Drink, trust: float) -> tuple[SeenColour, ...]:
    """One entry per layer from the top down; neighbours that people would call alike are one."""
    bands = drink.bands
    total = sum(band.end - band.top for band in bands)
    seen: list[SeenColour] = []
    for place, band in enumerate(bands):
        share = (band.end - band.top) / total
        one = _coloured(band, share, trust, drink.stands_out if len(bands) == 1 else 1.0)
        if seen and _are_alike(seen[-1], one, colour_gap(bands[place - 1], band)):
            one = _joined(seen.pop(), one)
        seen.append(one)
    return tuple(seen)


def _are_alike(one: SeenColour, other: SeenColour, gap: float) -> bool:
    """Whether two layers bear one word, or lie between the same words and differ little."""
    return one.word == other.word or (gap < _ALIKE_GAP and not {*one.words}.isdisjoint(other.words))


def _coloured(band: Band, share: float, trust: float, stands_out: float) -> SeenColour:
    """A band in the catalogue's words; what looks like its background may be clear."""
    ranked = words_for(band.colour)[:2]
    clear = 1 / (1 + np.exp((stands_out - _LIKE_WATER) / _LIKE_WATER_STEP))
    if band.colour[0] < _DARK:
        clear *= 0.5  # before a dark wall black is as likely
    ranked = [("clear", float(clear))] + [(word, p * float(1 - clear)) for word, p in ranked]
    (word, sure), (other, less), *_ = sorted(ranked, key=lambda one: -one[1])
    is_told = word == "clear" or less > 0.02
    return SeenColour(
        word=word,
        share=round(share, 3),
        confidence=round(trust * min(0.95, sure), 2),
        otherwise=other if is_told else None,
        otherwise_confidence=round(trust * less, 2) if is_told else 0.0,
    )


def _joined(one: SeenColour, other: SeenColour) -> SeenColour:
    """Two entries as one, with the words of the larger."""
    larger = max(one, other, key=lambda each: each.share)
    return msgspec.structs.replace(larger, share=round(one.share + other.share, 3))


def _summed(layers: tuple[SeenColour, ...]) -> tuple[SeenColour, ...]:
    """Layers of one word together, the largest share first."""
    by_word: dict[str, SeenColour] = {}
    for one in layers:
        by_word[one.word] = _joined(by_word[one.word], one) if one.word in by_word else one
    return tuple(sorted(by_word.values(), key=lambda one: -one.share))


def _sure_of_layers(drink: Drink, count: int) -> float:
    """How sure their number is: two colours far apart are two, a third may be a garnish or ice."""
    if count == 1:
        return 0.95
    gaps = [colour_gap(*pair) for pair in pairwise(drink.bands)]
    return min(0.95 if count == 2 else 0.6, 0.5 + min(gaps))


def _clarity(drink: Drink, layers: tuple[SeenColour, ...], trust: float) -> Finding | None:
    """Said of the two extremes only: what shows its background, and what is pale and hides it."""
    if layers[0].word == "clear":
        return Finding("clear", layers[0].confidence)
    pale = all(band.colour[0] > 0.7 and float(chroma(band.colour)) < 0.07 for band in drink.bands)
    if pale and drink.stands_out > 2 * _LIKE_WATER:
        return Finding("opaque", round(0.7 * trust, 2))
    return None


def _liquid_of(drink: Drink, standing: Standing) -> tuple[list[Lab], float]:
    """The drink's colours, and how far below the rim it begins, in heights of the glass."""
    first = drink.bands[0] if drink.foam is None else drink.foam
    return [band.colour for band in drink.bands], first.top / ROWS * standing.shape.floor

"""What can be seen in a picture of a drink without a model: colours, layers, foam, glass, garnish.

The steps: the glass by its outline (`silhouette`), the drink in it (`drink`), words for its colours
(`colour_words`), what decorates the rim (`garnish`). Nothing is learnt; constants were set on
rendered pictures (scripts/studies/render_images.py) and each finding says how sure it is. A
picture without a glass that could be made out is still asked for the colours of its middle.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.images.attributes import ColourDetection, Detection, ImageAttributes
from localrec.images.oklab import Lab, chroma, from_srgb
from localrec.images.opening import DecodedImage
from localrec.packs.cocktails.colour_words import word_of_each, words_for
from localrec.packs.cocktails.glass_detection import (
    EdgeMap,
    GlassPose,
    find_glasses,
    handle_evidence,
)
from localrec.packs.cocktails.glass_outlines import GlassShape
from localrec.packs.cocktails.liquid import (
    ROWS,
    Liquid,
    LiquidBand,
    colour_gap,
    segment_liquid,
    unroll_glass,
)

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
_MIDDLE = GlassShape(
    glass="", family="", ages=(0.0, 0.0, 1.0), radii=(0.35, 0.35, 0.35), floor=0.98
)  # stands in where no glass was made out


def measure_image(picture: DecodedImage) -> ImageAttributes:
    """Measure the look of a drink in a picture; findings that stay unclear are left out."""
    lab = _view(picture.pixels)
    edges = EdgeMap(lab)
    standings = find_glasses(lab, edges)
    best = standings[0]
    notes = list(picture.notes)
    glass = None
    if best.score < _NO_GLASS:
        best = _in_the_middle(lab)
        notes.append("No glass could be made out; the colours are those of the picture's middle.")
    else:
        glass = _named(edges, standings)
    drink = segment_liquid(unroll_glass(lab, best))
    trust = 0.5 if glass is None else 1.0
    layers = _layers(drink, trust)
    garnish = [] if glass is None else find_garnish(lab, best, *_liquid_of(drink, best))
    return ImageAttributes(
        colours=_summed(layers),
        layers=layers,
        layers_confidence=round(trust * _sure_of_layers(drink, len(layers)), 2),
        clarity=_clarity(drink, layers, trust),
        foam=None if drink.foam is None else Detection("foamy", round(0.9 * trust, 2)),
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


def _in_the_middle(lab: Lab) -> GlassPose:
    height, width = lab.shape[:2]
    side = 0.5 * min(height, width)
    return GlassPose(
        shape=_MIDDLE,
        score=0.0,
        axis=width / 2,
        foot=height / 2 + side / 2,
        height=side,
        pitch=0.01,
        lean=0.0,
    )


def _named(edges: EdgeMap, standings: list[GlassPose]) -> Detection:
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
    return Detection(word, round(min(0.95, confidence * min(1.0, is_one)), 2))


def _layers(drink: Liquid, trust: float) -> tuple[ColourDetection, ...]:
    """One entry per layer from the top down; neighbours that people would call alike are one."""
    bands = drink.bands
    total = sum(band.end - band.top for band in bands)
    seen: list[ColourDetection] = []
    for place, band in enumerate(bands):
        share = (band.end - band.top) / total
        one = _coloured(band, share, trust, drink.stands_out if len(bands) == 1 else 1.0)
        if seen and _are_alike(seen[-1], one, colour_gap(bands[place - 1], band)):
            one = _joined(seen.pop(), one)
        seen.append(one)
    return tuple(seen)


def _are_alike(one: ColourDetection, other: ColourDetection, gap: float) -> bool:
    """Whether two layers bear one word, or lie between the same words and differ little."""
    return one.word == other.word or (gap < _ALIKE_GAP and not {*one.words}.isdisjoint(other.words))


def _coloured(band: LiquidBand, share: float, trust: float, stands_out: float) -> ColourDetection:
    """A band in the catalogue's words; what looks like its background may be clear."""
    ranked = words_for(band.colour)[:2]
    clear = 1 / (1 + np.exp((stands_out - _LIKE_WATER) / _LIKE_WATER_STEP))
    if band.colour[0] < _DARK:
        clear *= 0.5  # before a dark wall black is as likely
    ranked = [("clear", float(clear))] + [(word, p * float(1 - clear)) for word, p in ranked]
    (word, sure), (other, less), *_ = sorted(ranked, key=lambda one: -one[1])
    is_told = word == "clear" or less > 0.02
    return ColourDetection(
        word=word,
        share=round(share, 3),
        confidence=round(trust * min(0.95, sure), 2),
        otherwise=other if is_told else None,
        otherwise_confidence=round(trust * less, 2) if is_told else 0.0,
    )


def _joined(one: ColourDetection, other: ColourDetection) -> ColourDetection:
    """Two entries as one, with the words of the larger."""
    larger = max(one, other, key=lambda each: each.share)
    return msgspec.structs.replace(larger, share=round(one.share + other.share, 3))


def _summed(layers: tuple[ColourDetection, ...]) -> tuple[ColourDetection, ...]:
    """Layers of one word together, the largest share first."""
    by_word: dict[str, ColourDetection] = {}
    for one in layers:
        by_word[one.word] = _joined(by_word[one.word], one) if one.word in by_word else one
    return tuple(sorted(by_word.values(), key=lambda one: -one.share))


def _sure_of_layers(drink: Liquid, count: int) -> float:
    """Return the confidence in the number of layers; a third one may be a garnish or ice."""
    if count == 1:
        return 0.95
    gaps = [colour_gap(*pair) for pair in pairwise(drink.bands)]
    return min(0.95 if count == 2 else 0.6, 0.5 + min(gaps))


def _clarity(drink: Liquid, layers: tuple[ColourDetection, ...], trust: float) -> Detection | None:
    """Said of the two extremes only: what shows its background, and what is pale and hides it."""
    if layers[0].word == "clear":
        return Detection("clear", layers[0].confidence)
    pale = all(band.colour[0] > 0.7 and float(chroma(band.colour)) < 0.07 for band in drink.bands)
    if pale and drink.stands_out > 2 * _LIKE_WATER:
        return Detection("opaque", round(0.7 * trust, 2))
    return None


def _liquid_of(drink: Liquid, standing: GlassPose) -> tuple[list[Lab], float]:
    """The drink's colours, and how far below the rim it begins, in heights of the glass."""
    first = drink.bands[0] if drink.foam is None else drink.foam
    return [band.colour for band in drink.bands], first.top / ROWS * standing.shape.floor


# Where garnishes are looked for, in radii of the rim to each side and heights of the glass.
_ACROSS = np.linspace(-1.6, 1.6, 41)


_DOWN = np.linspace(-0.22, 0.12, 25)


_FAR = np.concatenate([np.linspace(-3.2, -1.9, 10), np.linspace(1.9, 3.2, 10)])


_STRONG = 0.1  # chroma; glass, foam and salt have less


_UNLIKE = 0.12


_LEAST = 0.025  # share of the place that is looked at


_WORDS = frozenset({"red", "burgundy", "orange", "yellow", "gold", "green", "pink", "purple"})


_ALIKE = {"burgundy": "red", "gold": "yellow", "pink": "red"}


def find_garnish(lab: Lab, standing: GlassPose, liquid: list[Lab], level: float) -> list[Detection]:
    """Words for the colours about the rim, the largest first.

    Args:
        lab: The picture.
        standing: The glass.
        liquid: Colours of the drink, which the same colour above it may be a part of.
        level: Distance of the drink's top below the rim, in heights of the glass.
    """
    radius = standing.shape.radii[0]
    place = _sampled(lab, standing, radius * _ACROSS, _DOWN).reshape(-1, 3)
    beside = _sampled(lab, standing, radius * _FAR, _DOWN).reshape(-1, 3)
    inside = ((np.abs(_ACROSS)[None] < 1) & (_DOWN[:, None] > level - 0.03)).reshape(-1)
    strong = place[(chroma(place) > _STRONG) & ~inside]
    if not len(strong):
        return []
    unlike = [_apart(strong, beside[::3], 3)] + [_apart(strong, one[None], 0) for one in liquid]
    left = strong[np.all(unlike, axis=0)]
    words = [_ALIKE.get(word, word) for word in word_of_each(left) if word in _WORDS]
    shares = {word: words.count(word) / len(place) for word in words}
    found = [
        Detection(word, round(min(0.9, 0.45 + 4 * share), 2))
        for word, share in shares.items()
        if share > _LEAST
    ]
    return sorted(found, key=lambda one: -one.confidence)


def _apart(colours: Lab, others: Lab, spared: int) -> np.ndarray:
    """Tell which colours differ from all of the others but the `spared` nearest, (n,)."""
    scale = np.array([0.7, 1.8, 1.8], dtype=np.float32)
    apart = (colours[:, None] - others) * scale
    near = np.einsum("noc,noc->no", apart, apart) < _UNLIKE**2
    return np.asarray(near.sum(axis=1) <= spared)


def _sampled(lab: Lab, standing: GlassPose, u: np.ndarray, v: np.ndarray) -> Lab:
    """The picture at every (v, u), (len(v), len(u), 3); places beyond its border repeat it."""
    x, y = standing.pixels_at(u[None, :], v[:, None])
    columns = np.clip(np.rint(x), 0, lab.shape[1] - 1).astype(np.int64)
    rows = np.clip(np.rint(y), 0, lab.shape[0] - 1).astype(np.int64)
    return lab[np.broadcast_to(rows, columns.shape), columns]

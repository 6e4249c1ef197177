"""Colours of what decorates a glass: strong colours about its rim that the background lacks.

What the thing is, cannot be told from its colour: a green one may be lime, mint or an olive.
"""

from __future__ import annotations

import numpy as np

from localrec.images.colour_words import word_of_each
from localrec.images.oklab import Lab, chroma
from localrec.images.sight import Finding
from localrec.images.silhouette import Standing

# Where garnishes are looked for, in radii of the rim to each side and heights of the glass.
_ACROSS = np.linspace(-1.6, 1.6, 41)
_DOWN = np.linspace(-0.22, 0.12, 25)
_FAR = np.concatenate([np.linspace(-3.2, -1.9, 10), np.linspace(1.9, 3.2, 10)])
_STRONG = 0.1  # chroma; glass, foam and salt have less
_UNLIKE = 0.12
_LEAST = 0.025  # share of the place that is looked at
_WORDS = frozenset({"red", "burgundy", "orange", "yellow", "gold", "green", "pink", "purple"})
_ALIKE = {"burgundy": "red", "gold": "yellow", "pink": "red"}


def find_garnish(lab: Lab, standing: Standing, liquid: list[Lab], level: float) -> list[Finding]:
    """Words for the colours about the rim, the largest first.

    Args:
        lab: The picture.
        standing: The glass.
        liquid: Colours of the drink, which the same colour above it may be a part of.
        level: How far below the rim the drink begins, in heights of the glass.
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
        Finding(word, round(min(0.9, 0.45 + 4 * share), 2))
        for word, share in shares.items()
        if share > _LEAST
    ]
    return sorted(found, key=lambda one: -one.confidence)


def _apart(colours: Lab, others: Lab, spared: int) -> np.ndarray:
    """Which colours are unlike all of the others but for the `spared` nearest, (n,)."""
    scale = np.array([0.7, 1.8, 1.8], dtype=np.float32)
    apart = (colours[:, None] - others) * scale
    near = np.einsum("noc,noc->no", apart, apart) < _UNLIKE**2
    return np.asarray(near.sum(axis=1) <= spared)


def _sampled(lab: Lab, standing: Standing, u: np.ndarray, v: np.ndarray) -> Lab:
    """The picture at every (v, u), (len(v), len(u), 3); places beyond its border repeat it."""
    x, y = standing.pixels_at(u[None, :], v[:, None])
    columns = np.clip(np.rint(x), 0, lab.shape[1] - 1).astype(np.int64)
    rows = np.clip(np.rint(y), 0, lab.shape[0] - 1).astype(np.int64)
    return lab[np.broadcast_to(rows, columns.shape), columns]

"""From colours to the catalogue's words for them.

Each word has a few colours that people call so when they see them in a glass. A colour belongs to
the words whose examples are near; lightness counts less than hue, since it is also the lamp's.
"clear" has no example: it is the look of what is behind (see `looks`).
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from localrec.images.oklab import Lab, from_srgb

COLOUR_EXAMPLES: dict[str, str] = {
    "red": "e50000 c1121f a81822 d93a2b 98141b d44a42",
    "burgundy": "610023 4a0e17 7a1c2e 5a1018 6b1020 3d0a14",
    "pink": "ff81c0 f2a0b5 e75480 d86f8a f7c6cf c9577b b85a78",
    "orange": "f97306 ff9a3c e2701a d95b12 f5a04c c85a10 d8842a",
    "peach": "ffb07c f9c8a4 edb08a f7d3b8 d69c78 c89478",
    "amber": "b0611a c4751f 9a4f16 a4662e 8c4512 b87333 9c7024",
    "gold": "dbb40c d6a02a c8962e e6bc52",
    "yellow": "f8e83a f2dc55 fff08a e3cf3a cbb93a b8aa38 d8cc74",
    "green": "15b01a 4fa83d 8cc84b 2f7d45 a9d97c 6b8e23 1e5b2e c5e1a5 7a9a50",
    "blue": "0343df 2f7fe0 5aa5ec 1b3f8f 0d2a63 8fc1f0 3a6fa8",
    "turquoise": "06c2ac 29c5c8 6fd9d6 148c8f a3e4e0 4aa8a4",
    "purple": "7e1e9c 6a2c91 9b6cc0 4b1f63 b79ad8 36164a 8a6aa8",
    "brown": "653700 6b4226 8a5a36 4a2c17 7b4a22 3a2110 5c4030",
    "black": "000000 140f0e 241a18 1a1a1f 0c0c10",
    "white": "ffffff f0efec e2e2e0 d2d2d0 c4c4c4 ece4d6",
    "cream": "f5e6c4 ebd8b0 dcc69a fff3d6 c8b68e b8a888",
    "grey": "929591 aaacae 75787b 5c5f62 858a8e",
}
_LIGHTNESS = 0.55
_HUE = 2.3
_WIDTH = 0.045  # about the distance between neighbouring words
# Every example also as it looks in poor light, which is a little less likely.
_DIMMED = 0.74
_DIMMED_COSTS = 0.002
# What is grey in a picture is mostly a pale drink in poor light: few drinks are grey.
_RARE_COSTS = {"grey": 0.0015}


def words_for(colour: Lab) -> list[tuple[str, float]]:
    """Every word with its probability for a colour in OKLab, (3,); the likeliest first."""
    words, nearest = _nearest(colour[None])
    weights = np.exp(-(nearest[0] - nearest[0].min()) / (2 * _WIDTH**2))
    shares = weights / weights.sum()
    return [(words[row], float(shares[row])) for row in np.argsort(-shares)]


def word_of_each(colours: Lab) -> list[str]:
    """The nearest word of each of many colours, (n, 3)."""
    words, nearest = _nearest(colours)
    return [words[row] for row in nearest.argmin(axis=1)]


def _nearest(colours: Lab) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    """All words, and the squared distance of each colour to each word's best example."""
    words, starts, examples, costs = _table()
    scale = np.array([_LIGHTNESS, _HUE, _HUE], dtype=np.float32)
    apart = (colours[:, None] - examples) * scale
    squared = np.einsum("nec,nec->ne", apart, apart) + costs
    return words, np.minimum.reduceat(squared, starts, axis=1)


@lru_cache
def _table() -> tuple[tuple[str, ...], list[int], Lab, NDArray[np.float64]]:
    """Words; where the examples of each begin; examples in OKLab, (examples, 3); their costs."""
    starts: list[int] = []
    pixels: list[NDArray[np.uint8]] = []
    costs: list[float] = []
    for word, codes in COLOUR_EXAMPLES.items():
        starts.append(len(costs))
        bright = np.frombuffer(bytes.fromhex(codes.replace(" ", "")), dtype=np.uint8).reshape(-1, 3)
        pixels += [bright, (bright * _DIMMED).astype(np.uint8)]
        rare = _RARE_COSTS.get(word, 0.0)
        costs += [rare] * len(bright) + [rare + _DIMMED_COSTS] * len(bright)
    return tuple(COLOUR_EXAMPLES), starts, from_srgb(np.concatenate(pixels)), np.array(costs)

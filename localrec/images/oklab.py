"""OKLab, a colour space in which equal distances look about equally far apart.

Ottosson, "A perceptual color space for image processing" (2020). L is lightness 0..1; a (green to
red) and b (blue to yellow) stay within about 0.3 of 0, so a distance of 0.02 is just seen, and one
of 0.1 is another colour.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Lab = NDArray[np.float32]  # (..., 3): L, a, b

_TO_CONES = np.array(
    [
        [0.4122214708, 0.2119034982, 0.0883024619],
        [0.5363325363, 0.6806995451, 0.2817188376],
        [0.0514459929, 0.1073969566, 0.6299787005],
    ],
    dtype=np.float32,
)
_TO_LAB = np.array(
    [
        [0.2104542553, 1.9779984951, 0.0259040371],
        [0.7936177850, -2.4285922050, 0.7827717662],
        [-0.0040720468, 0.4505937099, -0.8086757660],
    ],
    dtype=np.float32,
)


def _linear_light() -> NDArray[np.float32]:
    encoded = np.arange(256) / 255
    low, high = encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4
    return np.where(encoded <= 0.04045, low, high).astype(np.float32)


_LINEAR = _linear_light()


def from_srgb(pixels: NDArray[np.uint8]) -> Lab:
    """Convert sRGB bytes (..., 3) to OKLab (..., 3)."""
    cones = _LINEAR[pixels] @ _TO_CONES
    return np.asarray(np.cbrt(cones) @ _TO_LAB, dtype=np.float32)


def from_hex(code: str) -> Lab:
    """Convert a colour such as "c1121f" to OKLab, (3,)."""
    return from_srgb(np.frombuffer(bytes.fromhex(code), dtype=np.uint8))


def chroma(lab: Lab) -> NDArray[np.float32]:
    """Compute the distance from grey, (...,)."""
    return np.asarray(np.hypot(lab[..., 1], lab[..., 2]), dtype=np.float32)

"""The shapes of glasses, as outlines that can be looked for in a picture.

Lengths are shares of a glass's height. An outline is told by points on its right half: `u` across
from the axis, `v` down from the rim, each with the direction in which the edge should be crossed.
A circle of radius r, seen from slightly above, is an ellipse of height `pitch` r: `lift` says how
many times the pitch a point lies below its level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

DIRECTIONS = 4  # of edges: normals at 0, 45, 90 and 135 degrees


class GlassShape(msgspec.Struct, frozen=True, kw_only=True):
    """One form of a glass.

    Args:
        glass: The catalogue's name.
        family: The catalogue's name for it and its like; what is said when two of them are as near.
        ages: Places along the height, rising from 0 at the rim to 1 at the foot.
        radii: The radius at each of them.
        floor: Lowest place that the liquid can reach.
    """

    glass: str
    family: str
    ages: tuple[float, ...]
    radii: tuple[float, ...]
    floor: float

    @property
    def stands(self) -> bool:
        """Whether the wall goes down to the table: a tumbler, not a bowl on a stem."""
        return self.ages[-2] == 0

    def radius_at(self, v: NDArray[np.floating] | float) -> NDArray[np.float64]:
        """The radius at places along the height."""
        return np.asarray(np.interp(v, self.ages, self.radii))


class GlassOutlines(msgspec.Struct, frozen=True):
    """Points of all shapes side by side, each array (shapes, points); see the module.

    Weights of what should be no edge, such as walls that go on above the rim, are negative.
    """

    shapes: tuple[GlassShape, ...]
    u: NDArray[np.float32]
    v: NDArray[np.float32]
    lift: NDArray[np.float32]
    direction: NDArray[np.int64]
    mirrored: NDArray[np.int64]
    weight: NDArray[np.float32]


_NO_RIM = -2.5
_Point = tuple[float, float, float, float, float]  # u, v, lift, angle, weight


@lru_cache
def known_shapes() -> tuple[GlassShape, ...]:
    """Every form that is looked for: a few proportions of each glass."""
    tumblers = (
        ("highball glass", "tall glass", (0.16, 0.19, 0.225), (0.86, 0.98), 0.94),
        ("old fashioned glass", "old fashioned glass", (0.38, 0.42, 0.48, 0.55), (0.85, 0.97), 0.9),
        ("shot glass", "shot glass", (0.29, 0.33, 0.38), (0.68, 0.77), 0.82),
    )
    made = [
        GlassShape(glass=glass, family=family, ages=(0, 1), radii=(r, r * taper), floor=floor)
        for glass, family, radii, tapers, floor in tumblers
        for r in radii
        for taper in tapers
    ]
    return (*made, *_stemmed())


@lru_cache
def outlines() -> GlassOutlines:
    """The points of all known shapes."""
    shapes = known_shapes()
    points = [list(_points_of(shape)) for shape in shapes]
    most = max(map(len, points))
    padded = [[*one, *[(0.0, 0.5, 0.0, 0.0, 0.0)] * (most - len(one))] for one in points]
    table = np.array(padded, dtype=np.float64)  # (shapes, points, 5)
    angle = table[..., 3]
    return GlassOutlines(
        shapes=shapes,
        u=table[..., 0].astype(np.float32),
        v=table[..., 1].astype(np.float32),
        lift=table[..., 2].astype(np.float32),
        direction=_direction(angle),
        mirrored=_direction(np.pi - angle),
        weight=(table[..., 4] / np.maximum(table[..., 4], 0).sum(axis=1, keepdims=True)).astype(
            np.float32
        ),
    )


def _stemmed() -> Iterator[GlassShape]:
    """Bowls on a stem."""
    cocktail = "stemmed cocktail glass"
    for radius, depth in ((0.3, 0.45), (0.345, 0.42), (0.345, 0.5)):
        yield _on_stem("martini glass", cocktail, radius, depth, lambda t: 1 - 0.95 * t, 0.22)
    for radius, depth in ((0.33, 0.3), (0.36, 0.36), (0.39, 0.3)):
        yield _on_stem("coupe glass", cocktail, radius, depth, lambda t: (1 - t**2.3) ** 0.5, 0.22)
    for radius, depth in ((0.1, 0.64), (0.125, 0.66)):
        flute = "champagne flute"
        yield _on_stem(flute, flute, radius, depth, lambda t: _belly(t, 0.1) * (1 - t**4), 0.15)
    for radius, depth, belly in ((0.17, 0.53, 0.35), (0.2, 0.53, 0.25), (0.2, 0.53, 0.42)):
        yield _on_stem(
            *("wine glass", "wine glass", radius, depth),
            lambda t, belly=belly: _belly(t**0.8, belly) * (1 - t**5) ** 0.6,  # type: ignore[misc]
            0.22,
        )
    knots = np.array([(0, 1.0), (0.35, 0.69), (0.67, 0.93), (0.9, 0.5), (1, 0.2)])
    for radius in (0.19, 0.215):
        yield _on_stem("hurricane glass", "hurricane glass", radius, 0.86, _through(knots), 0.16)


def _on_stem(
    glass: str,
    family: str,
    radius: float,
    depth: float,
    bowl: Callable[[NDArray[np.floating]], NDArray[np.floating]],
    foot: float,
) -> GlassShape:
    stem = 0.015
    t = np.linspace(0, 1, 25)
    ages = [*(t * depth), 0.955, 0.99, 1.0]
    radii = [*np.maximum(stem, radius * bowl(t)), stem, foot, foot]
    return GlassShape(
        glass=glass,
        family=family,
        ages=tuple(float(age) for age in ages),
        radii=tuple(float(one) for one in radii),
        floor=depth * 0.97,
    )


def _belly(t: NDArray[np.floating], swell: float) -> NDArray[np.floating]:
    return 1 + swell * np.sin(np.pi * t)


def _through(knots: NDArray[np.floating]) -> Callable[[NDArray[np.floating]], NDArray[np.float64]]:
    """A curve without corners through (t, share of the rim's radius)."""

    def curve(t: NDArray[np.floating]) -> NDArray[np.float64]:
        left = np.clip(np.searchsorted(knots[:, 0], t, side="right") - 1, 0, len(knots) - 2)
        here, there = knots[left], knots[left + 1]
        along = (t - here[:, 0]) / (there[:, 0] - here[:, 0])
        share = (1 - np.cos(np.pi * np.clip(along, 0, 1))) / 2
        return here[:, 1] * (1 - share) + there[:, 1] * share

    return curve


def _points_of(shape: GlassShape) -> Iterator[_Point]:
    end = 0.97 if shape.stands else shape.floor
    for v in np.linspace(0.03, end, 16):
        yield float(shape.radius_at(v)), float(v), 0.0, _slope(shape, v), 1.0
    yield from _ring(shape.radii[0], 0.0, -1.0, 0.5)
    yield from _ring(shape.radii[0], 0.0, 1.0, 0.25)
    yield from _ring(shape.radii[-1], 1.0, 1.0, 1.0 if shape.stands else 0.7)
    for v in (-0.06, -0.12, -0.18):  # where the wall would go on if this were no rim
        yield shape.radii[0], v, 0.0, 0.0, _NO_RIM
    if shape.stands:
        for v in (1.06, 1.11, 1.16):
            yield shape.radii[-1], v, 0.0, 0.0, -0.8
    else:
        for v in np.linspace(shape.floor + 0.05, 0.93, 6):
            yield shape.radii[-3], float(v), 0.0, 0.0, 0.6


def _ring(radius: float, v: float, lift: float, weight: float) -> Iterator[_Point]:
    """The nearer (`lift` 1) or the farther half (-1) of a circle."""
    for angle in (0.5, 1.0, 1.45):
        u = radius * np.cos(angle)
        yield float(u), v, float(lift * radius * np.sin(angle)), np.pi / 2, weight


def _slope(shape: GlassShape, v: float) -> float:
    """The angle of the wall's normal against the horizontal."""
    step = 0.01
    rise = float(shape.radius_at(v + step) - shape.radius_at(v - step)) / (2 * step)
    return float(np.arctan2(-rise, 1.0))


def _direction(angle: NDArray[np.floating]) -> NDArray[np.int64]:
    return np.round(angle / (np.pi / DIRECTIONS)).astype(np.int64) % DIRECTIONS

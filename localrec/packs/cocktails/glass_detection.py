"""Where the glass stands in a picture, and of which family it is, told by its outline.

A glass is hard to tell by colour (it is transparent) and easy by symmetry: both its walls bend the
light at the same distance from one axis. So outlines of known shapes are laid over the picture at
many places and sizes, and the one wins under which most pairs of points lie on edges, left and
right alike. Edges count by how much they stand out from their surroundings: the faint line of an
empty glass before a plain wall is as good as the border of a red drink. Walls have straight lines
of their own, so what an outline encloses has a say too: is it even, and unlike what is beside it?
"""

from __future__ import annotations

from itertools import product

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.images.oklab import Lab
from localrec.packs.cocktails.glass_outlines import DIRECTIONS, GlassShape, outlines

Maps = NDArray[np.float32]
Reals = NDArray[np.floating]

_AXES = 9  # symmetric places that are tried
# Of the picture; a close view may cut the foot or the rim off.
_HEIGHTS = np.geomspace(0.36, 1.15, 12)
_FEET = np.linspace(0.62, 1.12, 16)
_PITCH = 0.1
_OF_EACH = 8  # of a shape, on the grid
_KEPT = 40
_FAINT = 0.02  # edges below this are noise
_NOTHING = 0.3  # what a point counts that lies outside the picture
# What a body of another colour than its surroundings adds, and what an uneven one loses: see
# `_bodies`. A drink is of one colour from side to side; frames, books and bottles are not.
_FOR_BODY = 0.85
_BODY_MOST = 0.25
_UNEVEN = 1.2
_FOOT = 0.95
_LIFTED = 3.0
_CUT_OFF = 1.0  # what is outside the picture speaks for no outline, though a close view may be
_OFF_CENTRE = 0.8  # what a glass at the very border loses
# A small outline finds edges by chance more easily than a large one.
_FOR_SIZE = 0.15


class GlassPose(msgspec.Struct, frozen=True, kw_only=True):
    """A shape at its place; lengths in pixels of the view.

    Args:
        shape: The form.
        score: Share of the outline that lies on edges, about 0 to 1.
        axis: Horizontal place of the foot's middle.
        foot: Vertical place of the foot.
        height: From the middle of the rim to that of the foot.
        pitch: Height of a level circle over its width.
        lean: Shift of the rim to the right, over the height.
    """

    shape: GlassShape
    score: float
    axis: float
    foot: float
    height: float
    pitch: float
    lean: float

    def pixels_at(self, u: Reals, v: Reals) -> tuple[Reals, Reals]:
        """Columns and rows, in pixels, of points of the glass."""
        x = self.axis + self.height * (u + self.lean * (1 - v))
        return x, self.foot + self.height * (v - 1)


class EdgeMap:
    """The edge strength of each pixel of a picture (height, width, 3), by its direction, 0 to 1.

    The maps have a margin that counts as nothing known, so that outlines may reach beyond the
    picture. They hold square roots: a pair of points then counts by the product of both.
    """

    def __init__(self, lab: Lab) -> None:
        sharp = _edge_maps(lab)
        self.height, self.width = lab.shape[:2]
        self.margin = int(0.8 * max(lab.shape[:2]))
        self.inner = sharp
        padding = ((0, 0), (self.margin, self.margin), (self.margin, self.margin))
        padded = np.pad(sharp, padding, constant_values=_NOTHING)
        self.stride = padded.shape[2]
        self.plane = padded.shape[1] * padded.shape[2]
        self.corner = self.margin * self.stride + self.margin
        self.flat = np.sqrt(padded).reshape(-1)

    def places(self, direction: NDArray[np.int64], y: Reals, x: Reals) -> NDArray[np.int32]:
        """Places in `flat` of points given in pixels; points beyond the margin go to its border."""
        rows = np.clip(np.rint(y), -self.margin, self.height + self.margin - 1)
        columns = np.clip(np.rint(x), -self.margin, self.width + self.margin - 1)
        return self.steps(direction, rows, columns) + np.int32(self.corner)

    def steps(self, direction: NDArray[np.int64], y: Reals, x: Reals) -> NDArray[np.int32]:
        """Return offsets in `flat` to the points that are in direction 0 and (y, x) away."""
        across = np.rint(y).astype(np.int32) * self.stride + np.rint(x).astype(np.int32)
        return np.asarray(direction * self.plane + across, dtype=np.int32)


def find_glasses(lab: Lab, edges: EdgeMap) -> list[GlassPose]:
    """The best standing of each glass in a picture (height, width, 3), the best one first."""
    found = _coarse(edges, symmetry_axes(edges.inner))
    likely = sorted(zip(_likelihoods(lab, found), found, strict=True), key=lambda one: -one[0])
    found = [one for _, one in likely[:_KEPT]]
    for moves in (_SIZES, _PLACES, _SIZES):
        found = _moved(edges, found, moves)
    found = [
        msgspec.structs.replace(one, score=score)
        for one, score in zip(found, _likelihoods(lab, found), strict=True)
    ]
    best: dict[str, GlassPose] = {}
    for one in sorted(found, key=lambda one: -one.score):
        best.setdefault(one.shape.glass, one)
    return list(best.values())


def handle_evidence(edges: EdgeMap, standing: GlassPose) -> float:
    """Measure the outline of a handle at one side of a glass, less that at the other."""
    angles = np.linspace(-1.2, 1.2, 11)
    strengths = []
    for side in (-1, 1):
        normal = angles if side > 0 else np.pi - angles
        direction = np.round(normal * DIRECTIONS / np.pi).astype(np.int64) % DIRECTIONS
        best = 0.0
        for reach, tall, middle in product((0.15, 0.2, 0.26), (0.25, 0.32), (0.45, 0.52)):
            v = middle + tall * np.sin(angles)
            u = side * (standing.shape.radius_at(v) + reach * np.cos(angles))
            x, y = standing.pixels_at(u, v)
            best = max(best, float((edges.flat[edges.places(direction, y, x)] ** 2).mean()))
        strengths.append(best)
    return abs(strengths[1] - strengths[0])


def symmetry_axes(edges: Maps) -> list[float]:
    """Columns about which the picture is most symmetric, the best first."""
    height, width = edges.shape[1:]
    mirrored = edges[[-step % DIRECTIONS for step in range(DIRECTIONS)], :, ::-1]
    reach = int(0.45 * width)
    columns = np.arange(int(0.2 * width), int(0.8 * width), 2)
    scores = []
    for column in columns:
        near = min(reach, column, width - 1 - column)
        right = edges[:, :, column : column + near]
        left = mirrored[:, :, width - 1 - column : width - 1 - column + near]
        scores.append(float(np.einsum("dyx,dyx->", right, left)) / (near * height) ** 0.5)
    kept: list[float] = []
    for place in np.argsort(scores)[::-1]:
        if all(abs(columns[place] - other) > 4 for other in kept):
            kept.append(float(columns[place]))
    return kept[:_AXES]


def coarse_scores(edges: EdgeMap, axes: list[float]) -> NDArray[np.float32]:
    """Scores of all shapes on a grid, (shapes, heights, places); places are feet times axes."""
    drawn = outlines()
    heights = (_HEIGHTS * edges.height)[:, None]
    feet = np.rint(_FEET * edges.height).astype(np.int32)
    starts = feet[:, None] * edges.stride + np.array(axes, dtype=np.int32)
    starts = (starts + edges.corner).reshape(-1).astype(np.int32)
    scores = []
    for number in range(len(drawn.shapes)):
        down = heights * (drawn.v[number] + _PITCH * drawn.lift[number] - 1)
        across = heights * drawn.u[number]
        right = edges.steps(drawn.direction[number], down, across) + starts[:, None, None]
        left = edges.steps(drawn.mirrored[number], down, -across) + starts[:, None, None]
        both = edges.flat[right] * edges.flat[left]
        scores.append((both @ drawn.weight[number]).T)
    return np.stack(scores) + _FOR_SIZE * np.log(_HEIGHTS)[None, :, None].astype(np.float32)


def _coarse(edges: EdgeMap, axes: list[float]) -> list[GlassPose]:
    """The most promising standings on the grid, a few of each shape."""
    drawn = outlines()
    scores = coarse_scores(edges, axes)
    found = []
    for number, shape in enumerate(drawn.shapes):
        table = scores[number]
        for flat in np.argpartition(-table.reshape(-1), _OF_EACH)[:_OF_EACH]:
            size, place = np.unravel_index(flat, table.shape)
            found.append(
                GlassPose(
                    shape=shape,
                    score=float(table[size, place]),
                    axis=axes[int(place) % len(axes)],
                    foot=float(np.rint(_FEET[int(place) // len(axes)] * edges.height)),
                    height=float(_HEIGHTS[size] * edges.height),
                    pitch=_PITCH,
                    lean=0.0,
                )
            )
    return found


# Steps of axis, foot, height (a factor), pitch (a value; 0 keeps it) and lean.
_SIZES = np.array(list(product((0,), (-3, 0, 3), (0.95, 1, 1.05), (0.05, 0.1, 0.18), (0,))))
_PLACES = np.array(list(product((-2, 0, 2), (-1, 0, 1), (1,), (0,), (-0.05, 0, 0.05))))


def _moved(edges: EdgeMap, found: list[GlassPose], moves: NDArray[np.float64]) -> list[GlassPose]:
    """Each standing moved, scaled or tilted by the best of the moves."""
    drawn = outlines()
    rows = {shape: row for row, shape in enumerate(drawn.shapes)}
    number = np.array([rows[one.shape] for one in found])
    start = np.array([(one.axis, one.foot, one.height, one.pitch, one.lean) for one in found])
    placed = np.repeat(start[:, None, :], len(moves), axis=1)  # (standings, moves, 5)
    placed[..., (0, 1, 4)] += moves[:, (0, 1, 4)]
    placed[..., 2] *= moves[:, 2]
    placed[..., 3] = np.where(moves[:, 3] > 0, moves[:, 3], placed[..., 3])
    axis, foot, height, pitch, lean = (placed[..., part, None] for part in range(5))
    v = drawn.v[number][:, None]
    y = foot + height * (v + pitch * drawn.lift[number][:, None] - 1)
    middle, reach = axis + height * lean * (1 - v), height * drawn.u[number][:, None]
    right = edges.flat[edges.places(drawn.direction[number][:, None], y, middle + reach)]
    left = edges.flat[edges.places(drawn.mirrored[number][:, None], y, middle - reach)]
    scores = np.einsum("nmp,nmp,np->nm", right, left, drawn.weight[number])
    scores = scores + _FOR_SIZE * np.log(placed[..., 2] / edges.height)
    best = scores.argmax(axis=1)
    return [
        msgspec.structs.replace(
            one,
            score=float(scores[row, best[row]]),
            **dict(zip(_POSE, placed[row, best[row]].tolist(), strict=True)),
        )
        for row, one in enumerate(found)
    ]


def _likelihoods(lab: Lab, found: list[GlassPose]) -> list[float]:
    """Scores with what else speaks for a glass: a body in it, the middle, the table below it."""
    height, width = lab.shape[:2]
    off_centre = np.array([2 * one.axis / width - 1 for one in found])
    lifted = np.array([max(0.0, _FOOT - one.foot / height) for one in found])
    above = np.array([max(0.0, one.height - one.foot) / height for one in found])
    below = np.array([max(0.0, one.foot / height - 1) for one in found])
    apart, uneven = _bodies(lab, found)
    gains = (
        _FOR_BODY * apart
        - _UNEVEN * uneven
        - _OFF_CENTRE * off_centre**2
        - _LIFTED * lifted**2
        - _CUT_OFF * (above + below)
    )
    return [one.score + float(gain) for one, gain in zip(found, gains, strict=True)]


def _bodies(lab: Lab, found: list[GlassPose]) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
    """Measure the contrast of each outline with its outside, (n,), and its own unevenness, (n,).

    The lower half is asked for the former, since liquids lie there. A row counts by how far its
    middle is from what lies just outside, on the side where it is less, and not beyond what it
    differs from its own inner edges: an outline that is too narrow has the drink on both sides of
    it, one that is too wide has the background.
    """
    v = np.linspace(0.04, 1.0, _BODY_ROWS)[None, :] * np.array([[one.shape.floor] for one in found])
    radius = np.stack([one.shape.radius_at(row) for one, row in zip(found, v, strict=True)])
    apart = np.maximum(0.2 * radius, 0.03)
    places = np.stack(
        [-radius - apart, radius + apart]
        + [share * radius for share in (-0.75, -0.4, -0.2, 0.0, 0.2, 0.4, 0.75)],
        axis=-1,
    )  # (n, rows, places)
    pose = np.array([(one.axis, one.foot, one.height, one.lean) for one in found])
    axis, foot, height, lean = (pose[:, part, None, None] for part in range(4))
    x = axis + height * (places + lean * (1 - v[..., None]))
    y = np.broadcast_to(foot + height * (v[..., None] - 1), x.shape)
    rows = np.clip(np.rint(y), 0, lab.shape[0] - 1).astype(np.int64)
    columns = np.clip(np.rint(x), 0, lab.shape[1] - 1).astype(np.int64)
    seen = lab[rows, columns] * np.array([1.0, 2.2, 2.2], dtype=np.float32)
    middle = np.median(seen[:, :, 3:8], axis=2)
    gaps = np.linalg.norm(seen - middle[:, :, None], axis=-1)
    outside = gaps[..., :2].min(axis=-1)
    inside = gaps[..., (2, 8)].mean(axis=-1)
    apart_of_row = np.clip(outside - inside, 0, _BODY_MOST)
    return apart_of_row[:, _BODY_ROWS // 2 :].mean(axis=1), gaps[..., 3:8].mean(axis=(1, 2))


_BODY_ROWS = 40
_POSE = ("axis", "foot", "height", "pitch", "lean")


def _edge_maps(lab: Lab) -> Maps:
    """(DIRECTIONS, height, width)."""
    weighted = lab * np.array([1.0, 2.0, 2.0], dtype=np.float32)
    across, down = _gradient(_blurred(weighted, 1))
    wide_across, wide_down = _gradient(_blurred(weighted, 3))
    maps = []
    for step in range(DIRECTIONS):
        angle = np.pi * step / DIRECTIONS
        near = _length(np.cos(angle) * across + np.sin(angle) * down)
        wide = _length(np.cos(angle) * wide_across + np.sin(angle) * wide_down)
        maps.append(near + wide)
    stacked = np.stack(maps).astype(np.float32)
    around = _blurred(stacked.mean(axis=0)[..., None], 12)[..., 0]
    return _widened((stacked / (stacked + 1.5 * around + _FAINT)).astype(np.float32))


def _gradient(lab: Lab) -> tuple[Lab, Lab]:
    across, down = np.zeros_like(lab), np.zeros_like(lab)
    across[:, 1:-1] = lab[:, 2:] - lab[:, :-2]
    down[1:-1] = lab[2:] - lab[:-2]
    return across, down


def _length(vectors: Lab) -> NDArray[np.float32]:
    return np.sqrt(np.einsum("yxc,yxc->yx", vectors, vectors))


def _widened(maps: Maps) -> Maps:
    """The maximum of each pixel and its four neighbours: outlines need not fit to the pixel."""
    wide = maps.copy()
    np.maximum(wide[:, 1:], maps[:, :-1], out=wide[:, 1:])
    np.maximum(wide[:, :-1], maps[:, 1:], out=wide[:, :-1])
    np.maximum(wide[:, :, 1:], maps[:, :, :-1], out=wide[:, :, 1:])
    np.maximum(wide[:, :, :-1], maps[:, :, 1:], out=wide[:, :, :-1])
    return wide


def _blurred(maps: NDArray[np.float32], radius: int) -> NDArray[np.float32]:
    """Means over squares of side 2 radius + 1, by running sums; edges repeat."""
    size = 2 * radius + 1
    for axis in (0, 1):
        pads = [(0, 0)] * maps.ndim
        pads[axis] = (radius + 1, radius)
        sums = np.cumsum(np.pad(maps, pads, mode="edge"), axis=axis, dtype=np.float32)
        rows = np.moveaxis(sums, axis, 0)
        means = ((rows[size:] - rows[:-size]) / size).astype(np.float32)
        maps = np.moveaxis(means, 0, axis)
    return maps

"""What is in the glass: the rows of its inside that hold a drink, and the bands they fall into.

The inside of the glass is unrolled into a table of rows, from the rim down, along the arcs that a
level makes on a round wall. A row holds a drink where it looks like nothing beside the glass; an
empty row shows what is behind. Rows then fall into bands of one colour each: foam, layers.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.images.oklab import Lab, chroma
from localrec.packs.cocktails.glass_detection import GlassPose

ROWS = 56
# Places across, as shares of the radius; the walls bend light and are left out.
_ACROSS = np.linspace(-0.72, 0.72, 21)
_BESIDE = np.array([-2.4, -1.9, -1.5, -1.25, 1.25, 1.5, 1.9, 2.4])
# Hue and chroma are the drink's, lightness is also the lamp's.
_WEIGHTS = np.array([1.0, 2.2, 2.2], dtype=np.float32)
_UNLIKE = 0.05  # rows nearer than this to what is beside the glass show the background
_GAP = 4  # rows; where two layers mix they may look like the background
_LEAST = 0.15  # what fills less of the glass is a garnish
# A lower layer that is like the background fills this much; less is the base of the glass.
_SUNK = (0.25, 0.6)
# An empty glass before a lively background may be as unlike as this, if the drink is far more so.
_EMPTY = 0.15
_EMPTY_SHARE = 0.35
_AROUND = 6  # rows
_NEAR_WALL = 4  # places across
# One side may be like its surroundings by chance: it must be so more closely than the middle.
_FOR_SET_OFF = 1.6
_GLASS_SHADE = 0.04
_NEW_BAND = 0.045  # squared distance that a further band must save
# Bands below these shares of the drink belong to a neighbour: any, and mixtures of two neighbours.
_THIN = 0.16
_THIN_MIXTURE = 0.25
_MIXTURE = 0.08
_ONE_COLOUR = 0.13  # neighbouring bands nearer than this are one, lit unevenly
_SAME_LIQUID = 0.15
_FOAM_MOST = 0.25
_AFLOAT_MOST = 0.25
_KEPT_CHROMA = 0.35
_ICE = np.array([0.95, 0.0, 0.0], dtype=np.float32)
_FOAM_LIGHT = 0.62
_FOAM_PALE = 0.075


class LiquidBand(msgspec.Struct, frozen=True):
    """Rows of one colour.

    Args:
        top: First row.
        end: The row after the last one.
        colour: OKLab, (3,), of the liquid without its highlights and ice.
        spread: Variation of lightness within it.
    """

    top: int
    end: int
    colour: Lab
    spread: float


class Liquid(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a glass.

    Args:
        bands: Layers from the top down, foam left out; one band where nothing stood out.
        foam: The band of foam above them.
        stands_out: Mean distance of the drink from the colours beside the glass; near 0 for water.
    """

    bands: tuple[LiquidBand, ...]
    foam: LiquidBand | None
    stands_out: float


class UnrolledGlass(msgspec.Struct, frozen=True):
    """The unrolled glass.

    Args:
        rows: The inside, (ROWS, places, 3).
        beside: Colours to the left and the right of it, (ROWS, places, 3).
        surface: Rows, at most, above the liquid's front edge that its level surface takes up.
    """

    rows: Lab
    beside: Lab
    surface: float


def unroll_glass(lab: Lab, standing: GlassPose) -> UnrolledGlass:
    """Unroll the glass from its rim to its floor; places outside the picture repeat its border."""
    v = np.linspace(0.02, standing.shape.floor, ROWS)[:, None]
    radius = standing.shape.radius_at(v)
    sag = standing.pitch * radius * np.sqrt(1 - _ACROSS**2)
    return UnrolledGlass(
        _sampled(lab, standing, radius * _ACROSS, v + sag),
        _sampled(lab, standing, radius * _BESIDE, v + 0 * _BESIDE),
        2 * standing.pitch * standing.shape.radii[0] / standing.shape.floor * ROWS,
    )


def segment_liquid(inside: UnrolledGlass) -> Liquid:
    """Tell the drink from the empty part of the glass, and its bands from one another."""
    middle = np.median(inside.rows, axis=1)  # (ROWS, 3)
    unlike = _unlike(middle, inside.beside)
    cuts = _bands(middle)
    top, end = _fullest(cuts, np.minimum(unlike, _FOR_SET_OFF * _set_off(inside)))
    stands_out = float(unlike[top:end].mean())
    # What looks like its background all over is water, and the bands are the background's.
    cuts = [cut for cut in cuts if top <= cut <= end] if stands_out > _UNLIKE else [top, end]
    found = [_band(inside, low, high) for low, high in pairwise(cuts)]
    bands = _merged(found, inside)
    if len(bands) > 1 and _is_afloat(bands, inside.surface):
        bands = [_with_top(bands[0], bands[1], inside), *bands[2:]]
    foam = bands[0] if _is_foam(bands, inside.surface) else None
    return Liquid(
        bands=tuple(bands if foam is None else bands[1:]), foam=foam, stands_out=stands_out
    )


def _sampled(
    lab: Lab, standing: GlassPose, u: NDArray[np.floating], v: NDArray[np.floating]
) -> Lab:
    height, width = lab.shape[:2]
    x, y = standing.pixels_at(u, v)
    columns = np.clip(np.rint(x), 0, width - 1).astype(np.int64)
    rows = np.clip(np.rint(y), 0, height - 1).astype(np.int64)
    return lab[rows, columns]


def _length(apart: Lab) -> NDArray[np.float32]:
    return np.asarray(np.sqrt(((apart * _WEIGHTS) ** 2).sum(axis=-1)), dtype=np.float32)


def _unlike(middle: Lab, beside: Lab) -> NDArray[np.float32]:
    """Measure how far each row is from the colours beside the glass about there, (ROWS,).

    An empty glass shows its background shifted and mirrored, so that the nearest tenth of all
    places around is asked, not the one place at the same height.
    """
    padded = np.pad(beside, ((_AROUND, _AROUND), (0, 0), (0, 0)), mode="edge")
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * _AROUND + 1, axis=0)
    pool = np.moveaxis(around, 2, -1).reshape(len(middle), -1, 3)
    # Glass dulls what is behind it, and makes it a little lighter or darker.
    pool = np.concatenate([pool, pool * np.array([1.0, 0.8, 0.8], dtype=np.float32)], axis=1)
    apart = middle[:, None] - pool
    apart[..., 0] = np.maximum(np.abs(apart[..., 0]) - _GLASS_SHADE, 0)
    return np.percentile(_length(apart), 10, axis=1).astype(np.float32)


def _set_off(inside: UnrolledGlass) -> NDArray[np.float32]:
    """Measure how far the inside of the walls is from their outside, (ROWS,).

    An empty glass goes on in its surroundings, whatever stands behind its middle. The side where
    it does so better counts: a garnish or a lamp may hang at the other.
    """
    half = inside.beside.shape[1] // 2
    left, right = inside.rows[:, :_NEAR_WALL], inside.rows[:, -_NEAR_WALL:]
    sides = [
        _unlike(np.median(left, axis=1), inside.beside[:, :half]),
        _unlike(np.median(right, axis=1), inside.beside[:, half:]),
    ]
    return np.asarray(np.minimum(*sides), dtype=np.float32)


def _bands(middle: Lab) -> list[int]:
    """Cut rows into bands by least squares with a price per band; the cuts have 0 and ROWS."""
    weighted = middle * _WEIGHTS
    count = len(weighted)
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum(weighted, axis=0)])
    squares = np.concatenate([[0.0], np.cumsum((weighted**2).sum(axis=1))])
    best = np.zeros(count + 1)
    before = np.zeros(count + 1, dtype=np.int64)
    for end in range(1, count + 1):
        starts = np.arange(end)
        inner = sums[end] - sums[starts]
        costs = squares[end] - squares[starts] - (inner**2).sum(axis=1) / (end - starts)
        totals = best[starts] + costs + _NEW_BAND
        before[end] = int(totals.argmin())
        best[end] = totals[before[end]]
    cuts = [count]
    while cuts[-1]:
        cuts.append(int(before[cuts[-1]]))
    return cuts[::-1]


def _fullest(cuts: list[int], unlike: NDArray[np.float32]) -> tuple[int, int]:
    """Find the first and the last row of the drink; all rows where nothing stands out.

    A liquid reaches down to the floor of its glass, so only what lies above it can be empty: from
    below, the drink ends with the first rows that look like the background again.
    """
    bands = list(pairwise(cuts))
    means = {band: float(unlike[slice(*band)].mean()) for band in bands}
    run: list[tuple[int, int]] = []
    for band in reversed(bands):
        if means[band] >= _UNLIKE:
            run.insert(0, band)
        elif run and run[-1][1] - run[0][0] >= _LEAST * cuts[-1] and band[1] - band[0] > _GAP:
            break
    if not run or run[-1][1] - run[0][0] < _LEAST * cuts[-1]:
        return cuts[0], cuts[-1]
    while len(run) > 1 and _is_empty(run, means, cuts[-1]):
        run = run[1:]
    below = (cuts[-1] - run[-1][1]) / cuts[-1]
    return run[0][0], cuts[-1] if _SUNK[0] < below < _SUNK[1] else run[-1][1]


def _is_empty(run: list[tuple[int, int]], means: dict[tuple[int, int], float], rows: int) -> bool:
    """Whether the first band of a run is glass with nothing in it."""
    first, most = run[0], max(means[band] for band in run[1:])
    return means[first] < min(_EMPTY, 0.5 * most) and first[1] - first[0] < _EMPTY_SHARE * rows


def _band(inside: UnrolledGlass, top: int, end: int) -> LiquidBand:
    """A band with the colour of its liquid: what ice, highlights and garnishes leave of it."""
    edge = (end - top) // 6  # towards its neighbours it mixes with them
    rows = inside.rows[top + edge : end - edge]
    usual = np.median(np.median(rows, axis=1), axis=0)
    pixels = rows.reshape(-1, 3)
    near = pixels[_length(pixels - usual) < _SAME_LIQUID]
    low, high = np.percentile(pixels[:, 0], [15, 85])
    if len(near) < 20:
        return LiquidBand(top, end, usual.astype(np.float32), float(high - low))
    # Ice and light on the wall only make a liquid paler: the deepest third is nearest to the truth.
    depth = chroma(near)
    colour = np.median(near[depth >= np.percentile(depth, 65)], axis=0)
    return LiquidBand(top, end, colour.astype(np.float32), float(high - low))


def _merged(bands: list[LiquidBand], inside: UnrolledGlass) -> list[LiquidBand]:
    """Thin bands go to the neighbour they are like, and neighbours of one colour together."""
    total = sum(band.end - band.top for band in bands)
    while len(bands) > 1:
        gaps = [colour_gap(upper, lower) for upper, lower in pairwise(bands)]
        sizes = [(band.end - band.top) / total for band in bands]
        for place in range(1, len(bands) - 1):
            if _is_mixture(*bands[place - 1 : place + 2]):
                sizes[place] *= _THIN / _THIN_MIXTURE
        thinnest = int(np.argmin(sizes))
        if sizes[thinnest] < _THIN and not (thinnest == 0 and _is_foam(bands, inside.surface)):
            sides = [place for place in (thinnest - 1, thinnest) if 0 <= place < len(gaps)]
            place = min(sides, key=gaps.__getitem__)
        elif min(gaps) < _ONE_COLOUR:
            place = int(np.argmin(gaps))
        elif (ice := _ice_between(bands)) is not None:
            joined = _band(inside, bands[ice - 1].top, bands[ice + 1].end)
            joined = msgspec.structs.replace(joined, colour=bands[ice - 1].colour)
            bands = [*bands[: ice - 1], joined, *bands[ice + 2 :]]
            continue
        else:
            break
        joined = _band(inside, bands[place].top, bands[place + 1].end)
        # A sliver takes its neighbour's colour: between two layers it is a mixture of both.
        larger = max(bands[place : place + 2], key=lambda band: band.end - band.top)
        joined = msgspec.structs.replace(joined, colour=larger.colour)
        bands = [*bands[:place], joined, *bands[place + 2 :]]
    return bands


def _with_top(top: LiquidBand, below: LiquidBand, inside: UnrolledGlass) -> LiquidBand:
    """Two bands as one with the colour of the lower."""
    return msgspec.structs.replace(_band(inside, top.top, below.end), colour=below.colour)


def _is_afloat(bands: list[LiquidBand], surface: float) -> bool:
    """Whether the first band is the second paled: ice floats, and a level surface mirrors light."""
    first, second = bands[:2]
    thick = first.end - first.top - surface
    return bool(
        thick < _AFLOAT_MOST * (bands[-1].end - first.top)
        and not _is_foam(bands, surface)
        and chroma(second.colour) > chroma(first.colour) > _KEPT_CHROMA * chroma(second.colour)
        and first.colour[0] > second.colour[0]
        and _is_mixture(second, first, msgspec.structs.replace(second, colour=_ICE))
    )


def _is_mixture(upper: LiquidBand, between: LiquidBand, lower: LiquidBand) -> bool:
    """Whether a band is where the one above runs into the one below."""
    start, way = upper.colour, (lower.colour - upper.colour).astype(np.float64)
    along = np.clip((between.colour - start) @ way / max(float(way @ way), 1e-9), 0, 1)
    rest = (start + along * way - between.colour) * _WEIGHTS
    return bool(np.linalg.norm(rest) < _MIXTURE)


def _ice_between(bands: list[LiquidBand]) -> int | None:
    """The place of a band that is only paler than its neighbours, which are of one colour."""
    for place in range(1, len(bands) - 1):
        upper, between, lower = bands[place - 1 : place + 2]
        depth = min(float(chroma(upper.colour)), float(chroma(lower.colour)))
        if colour_gap(upper, lower) < _ONE_COLOUR and chroma(between.colour) < 0.8 * depth:
            return place
    return None


def colour_gap(upper: LiquidBand, lower: LiquidBand) -> float:
    """Measure the difference of two bands' colours, with little weight on lightness."""
    return float(np.linalg.norm((upper.colour - lower.colour) * np.array([0.7, 2.2, 2.2])))


def _is_foam(bands: list[LiquidBand], surface: float) -> bool:
    """Whether the first band is a head: light, pale, thin, and unlike what is below it."""
    if len(bands) < 2:
        return False
    first, second = bands[:2]
    thick = first.end - first.top - surface
    pale, below = float(chroma(first.colour)), float(chroma(second.colour))
    return bool(
        thick < _FOAM_MOST * (bands[-1].end - first.top)
        and first.colour[0] > _FOAM_LIGHT
        and pale < (_FOAM_PALE if first.colour[2] > abs(first.colour[1]) else 0.5 * _FOAM_PALE)
        and (first.colour[0] > second.colour[0] + 0.08 or below > pale + 0.06)
    )

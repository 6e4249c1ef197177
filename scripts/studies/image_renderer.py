"""Draws one drink: a glass as a solid of revolution, what is in it, and the light on it.

A renderer of its own, so that the truth of a picture is known: nothing here knows how pictures are
looked at in `localrec.images`. Lengths of a glass are shares of its height; `u` runs across it from
its axis, `v` down from the middle of its rim. Seen from slightly above, a circle of radius r is an
ellipse of height `pitch` r, so a level of the liquid is an arc on the front of the glass.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from image_backgrounds import Background, Pixels, Random, hsv, smooth_noise
from image_garnishes import draw_cherry, draw_mint, draw_wheel
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

Map = NDArray[np.float32]  # (height, width)
Clarity = Literal["clear", "hazy", "opaque"]

# What each word may look like in a glass under white light, as sRGB.
COLOURS: dict[str, tuple[str, ...]] = {
    "red": ("c1121f", "b31217", "d0232b", "a8161b", "cf3232"),
    "burgundy": ("5c0f1e", "6d1a2d", "55101a", "661421"),
    "pink": ("f48fb1", "f7a6b8", "ee6f91", "e75480", "f5b7c4"),
    "orange": ("f28c1b", "f5791f", "ed6a1c", "ff9a3c", "e8641b"),
    "peach": ("fbc6a0", "f9b48e", "f7bfa5", "fad0b0"),
    "amber": ("b5651d", "c26a1a", "a8561b", "bf7326"),
    "gold": ("d9a528", "e0ae3b", "d4a017", "e3b54a"),
    "yellow": ("f7e04b", "f4d738", "fbe870", "efdd55"),
    "green": ("4fa83d", "8ccf4d", "2e8b4f", "a8d86e", "76b041"),
    "blue": ("1f5fd0", "2f7fe0", "1b4fb5", "4aa3ee", "123a8c"),
    "turquoise": ("27c1c3", "3fd0c9", "1fb0b5", "5fd6d0"),
    "purple": ("6a2c91", "7d3fa8", "9a5fc4", "532073", "b18bd6"),
    "brown": ("5b3418", "6b4226", "7a4b2a", "8a5a36", "4a2a14"),
    "black": ("140f0e", "1d1512", "0f0d10", "17100b"),
    "white": ("f3f1ec", "eeece8", "f6f5f3"),
    "cream": ("f1e3c2", "ecdcb6", "e8d3ab", "f3e6cc"),
    "grey": ("8f9296", "a3a5a8", "7d8084"),
    "clear": ("f4fafa", "eef6f6"),
}
OPAQUE = ("white", "cream", "grey")  # nobody calls a liquid so that light goes through


class Glassware(msgspec.Struct, frozen=True):
    """A kind of glass with proportions drawn for one picture.

    Args:
        name: The catalogue's name.
        ages: Places along the height, 0 the rim, 1 the foot.
        radii: The outer radius at each of them.
        floor: Where the liquid ends at the latest.
        wall: Thickness of the glass.
        handle: 1 at the right, -1 at the left, 0 for none.
    """

    name: str
    ages: tuple[float, ...]
    radii: tuple[float, ...]
    floor: float
    wall: float = 0.012
    handle: int = 0


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """All that is decided about a picture before it is drawn; colours from the top down."""

    glass: str
    words: tuple[str, ...]
    hexes: tuple[str, ...]
    clarity: Clarity
    foam: bool
    ice: bool
    garnishes: tuple[str, ...]
    light: str
    gains: tuple[float, float, float]
    exposure: float
    tilt_degrees: float
    noise: float
    blur: float
    width: int
    height: int
    seed: int


GARNISHES = {
    "lime wheel": "green",
    "lemon wheel": "yellow",
    "orange slice": "orange",
    "cherry": "red",
    "mint sprig": "green",
}


def draw_scene(scene: Scene, background: Background) -> Image.Image:
    """The picture at its final size; the same scene gives the same picture."""
    random = np.random.default_rng(scene.seed)
    height, width = 2 * scene.height, 2 * scene.width  # drawn twice as large, then averaged
    canvas = np.clip(background(random, height, width), 0, 1).astype(np.float32)
    glass = make_glass(scene.glass, random)
    view = _View.placed(random, glass, (height, width), scene)
    _shadow(canvas, view)
    part = canvas[view.box]  # a view: what is drawn there is drawn on the canvas
    behind = part.copy()
    _empty_glass(part, view, behind)
    level = glass.floor * random.uniform(*_FILL.get(scene.glass, (0.12, 0.35)))
    _liquid(part, view, behind, level, random)
    if scene.ice:
        _ice(part, view, level, random)
    _shine(part, view, random)
    return _finished(_garnished(canvas, view, level, random), scene, random)


_FILL = {"martini glass": (0.1, 0.25), "coupe glass": (0.1, 0.25), "wine glass": (0.25, 0.55)}


def make_glass(name: str, random: Random) -> Glassware:
    """A glass of a kind, with proportions as shops have them."""

    def drawn(low: float, high: float) -> float:
        return float(random.uniform(low, high))

    if name in _TUMBLERS:
        radius, taper, floor = (drawn(*bounds) for bounds in _TUMBLERS[name])
        handle = int(random.choice([-1, 1])) if name == "mug" else 0
        return Glassware(name, (0, 1), (radius, radius * taper), floor, drawn(0.012, 0.025), handle)
    foot, stem = drawn(0.2, 0.25), drawn(0.012, 0.02)
    if name == "martini glass":
        radius, depth = drawn(0.3, 0.37), drawn(0.4, 0.5)
        curve = [(0, radius), (depth, stem)]
    elif name == "coupe glass":
        radius, depth, power = drawn(0.32, 0.39), drawn(0.28, 0.38), drawn(1.8, 2.8)
        curve = [(t * depth, max(stem, radius * (1 - t**power) ** 0.5)) for t in _STEPS]
    elif name == "champagne flute":
        radius, depth, belly = drawn(0.095, 0.13), drawn(0.6, 0.7), drawn(0, 0.2)
        curve = [
            (t * depth, max(stem, radius * (1 + belly * np.sin(np.pi * t)) * (1 - t**4)))
            for t in _STEPS
        ]
        foot = drawn(0.13, 0.17)
    elif name == "wine glass":
        radius, depth, belly = drawn(0.16, 0.21), drawn(0.48, 0.58), drawn(0.2, 0.45)
        curve = [
            (
                t * depth,
                max(stem, radius * (1 + belly * np.sin(np.pi * t**0.8)) * (1 - t**5) ** 0.6),
            )
            for t in _STEPS
        ]
    elif name == "hurricane glass":
        radius, waist, belly = drawn(0.19, 0.23), drawn(0.13, 0.16), drawn(0.18, 0.21)
        knots = [(0, radius), (0.3, waist), (0.58, belly), (0.78, 0.11), (0.86, 0.04)]
        curve = list(zip(_STEPS * 0.86, _smooth(knots, _STEPS * 0.86), strict=True))
        depth, foot, stem = 0.86, drawn(0.14, 0.18), 0.035
    else:
        raise ValueError(name)
    curve += [(0.955, stem), (0.975, foot * 0.6), (0.99, foot), (1.0, foot)]
    ages, radii = zip(*((float(t), float(r)) for t, r in curve), strict=True)
    return Glassware(name, ages, radii, depth * 0.985, 0.006)


def _smooth(knots: list[tuple[float, float]], ages: NDArray[np.floating]) -> NDArray[np.float64]:
    """A curve through knots without corners: cosine steps between neighbours."""
    at, radii = (np.array(column) for column in zip(*knots, strict=True))
    left = np.clip(np.searchsorted(at, ages, side="right") - 1, 0, len(at) - 2)
    share = (1 - np.cos(np.pi * np.clip((ages - at[left]) / (at[left + 1] - at[left]), 0, 1))) / 2
    return radii[left] * (1 - share) + radii[left + 1] * share


_STEPS = np.linspace(0, 1, 25)
# Radius, radius of the base over that of the rim, and where the inside ends.
_TUMBLERS = {
    "highball glass": ((0.17, 0.24), (0.82, 1.0), (0.93, 0.97)),
    "old fashioned glass": ((0.43, 0.56), (0.8, 1.0), (0.86, 0.93)),
    "shot glass": ((0.29, 0.37), (0.66, 0.8), (0.76, 0.88)),
    "mug": ((0.34, 0.45), (0.92, 1.02), (0.91, 0.95)),
}


class _View(msgspec.Struct, frozen=True):
    """The glass in the picture: its own coordinates for each pixel of the box around it.

    `lean` is the place across, -1..1 from edge to edge of the outside; `round` is how far the wall
    stands out towards the camera, 1 in the middle and 0 at the edge.
    """

    scene: Scene
    glass: Glassware
    pixels: float  # height of the glass
    pitch: float
    axis: tuple[float, float]  # x, y of the middle of the rim
    box: tuple[slice, slice]  # rows and columns of the picture that the maps are of
    u: Map
    v: Map
    radius: Map
    lean: Map
    round: Map

    @classmethod
    def placed(cls, random: Random, glass: Glassware, size: tuple[int, int], scene: Scene) -> _View:
        height, width = size
        broad = 2 * max(glass.radii) * (1.3 if glass.handle else 1.05)
        pixels = min(random.uniform(0.55, 0.85) * height, random.uniform(0.6, 0.9) * width / broad)
        foot_y = height * random.uniform(0.9, 0.96)
        x = width * random.uniform(0.42, 0.58)
        tilt = np.deg2rad(scene.tilt_degrees)
        reach = pixels * (max(glass.radii) + (0.26 if glass.handle else 0.03) + abs(np.sin(tilt)))
        top, left = max(0, int(foot_y - 1.25 * pixels)), max(0, int(x - reach))
        box = slice(top, min(height, int(foot_y + 0.2 * pixels))), slice(left, int(x + reach))
        rows, columns = np.mgrid[box[0], left : min(width, box[1].stop)].astype(np.float32)
        across, down = (columns - x) / pixels, (rows - foot_y) / pixels
        u = np.cos(tilt) * across + np.sin(tilt) * down
        v = 1 - np.sin(tilt) * across + np.cos(tilt) * down
        radius = np.interp(v, glass.ages, glass.radii).astype(np.float32)
        lean = u / radius
        return cls(
            scene=scene,
            glass=glass,
            pixels=float(pixels),
            pitch=float(random.uniform(0.04, 0.2)),
            axis=(float(x - np.sin(tilt) * pixels), float(foot_y - np.cos(tilt) * pixels)),
            box=box,
            u=u.astype(np.float32),
            v=v.astype(np.float32),
            radius=radius,
            lean=lean.astype(np.float32),
            round=np.sqrt(np.clip(1 - lean**2, 0, 1)).astype(np.float32),
        )

    def front(self) -> Map:
        """Height, in shares of the glass, of the point of the front wall that a pixel shows."""
        return self.v - self.pitch * self.radius * self.round

    def disc(self, v: float, shrink: float = 0.0) -> NDArray[np.bool_]:
        """A level circle at a height, as an ellipse."""
        radius = max(1e-3, float(np.interp(v, self.glass.ages, self.glass.radii)) - shrink)
        return (self.u / radius) ** 2 + ((self.v - v) / (self.pitch * radius)) ** 2 <= 1

    def outside(self) -> NDArray[np.bool_]:
        """The pixels that the glass covers."""
        body = (np.abs(self.lean) < 1) & (self.v > 0) & (self.front() < 1)
        return body | self.disc(0.0)

    def point(self, u: float, v: float) -> tuple[float, float]:
        """Where a point of the glass lies in the picture."""
        tilt = np.deg2rad(self.scene.tilt_degrees)
        x = self.axis[0] + self.pixels * (np.cos(tilt) * u - np.sin(tilt) * -v)
        y = self.axis[1] + self.pixels * (np.cos(tilt) * v + np.sin(tilt) * u)
        return float(x), float(y)


def _blend(canvas: Pixels, colour: NDArray[np.floating], share: NDArray[np.floating]) -> None:
    """Lay a colour, (3,) or one per pixel, over the canvas with a share per pixel."""
    touched = np.nonzero(share)
    part = share[touched][:, None]
    over = colour if colour.ndim == 1 else colour[touched]
    canvas[touched] = canvas[touched] * (1 - part) + over * part


def _shadow(canvas: Pixels, view: _View) -> None:
    """Darker about the foot; a product of two curves, one across and one down."""
    x, y = view.point(0.0, 1.0)
    base = view.glass.radii[-1] * view.pixels
    across = np.exp(-1.5 * ((np.arange(canvas.shape[1]) - x) / (1.5 * base)) ** 2)
    down = np.exp(-1.5 * ((np.arange(canvas.shape[0]) - y) / (0.35 * base)) ** 2)
    canvas *= (1 - 0.45 * np.outer(down, across).astype(np.float32))[..., None]


def _empty_glass(canvas: Pixels, view: _View, behind: Pixels) -> None:
    """Glass without anything in it: edges that catch the light, a bright or dark rim."""
    inside = view.outside()
    # A wall shows light where it stands before dark, and dark where it stands before light.
    light = behind.mean(axis=2, keepdims=True)
    tone = np.repeat(np.where(light < 0.5, light + 0.55, light - 0.4), 3, axis=2)
    edge = np.where(inside, 0.04 + 0.5 * (1 - view.round) ** 2.5, 0).astype(np.float32)
    _blend(canvas, tone, edge)
    if view.glass.handle:
        x = view.u * view.glass.handle - np.interp(0.5, view.glass.ages, view.glass.radii)
        ring = np.hypot(x / 0.2, (view.v - 0.5) / 0.3)
        grip = (np.abs(ring - 1) < 0.13) & (x > -0.02)
        _blend(canvas, tone, np.where(grip, 0.4, 0).astype(np.float32))
    for v, weight in ((0.0, 0.45), (1.0, 0.3)):
        outer, inner = view.disc(v), view.disc(v, 0.012)
        if v == 1.0:
            outer &= view.v > 1.0
        _blend(canvas, tone, np.where(outer & ~inner, weight, 0).astype(np.float32))


def _liquid(canvas: Pixels, view: _View, behind: Pixels, level: float, random: Random) -> None:
    """The body of the drink, its surface, its layers and its foam."""
    scene, glass = view.scene, view.glass
    front = view.front()
    depth = (front - level) / (glass.floor - level)
    narrow = np.abs(view.u) < view.radius - glass.wall
    body = narrow & (depth >= 0) & (depth <= 1)
    surface = view.disc(level, glass.wall)
    pigment = _pigments(view, depth, random)
    seen = _lit(pigment, view)
    through = {"clear": 0.35, "hazy": 0.1, "opaque": 0.0}[scene.clarity]
    share = np.full(depth.shape, through, np.float32)
    if "clear" in scene.words:
        share = np.where(_which_layer(view, depth) == scene.words.index("clear"), 0.9, share)
    refracted = _mirrored(behind, view) * np.clip(pigment * 1.1, 0, 1)
    mixed = seen * (1 - share[..., None]) + refracted * share[..., None]
    _blend(canvas, mixed, body.astype(np.float32))
    top = seen * 0.85 + 0.15 * (1.0 if scene.light != "dim" else 0.5)
    if scene.words[0] == "clear" and not scene.foam:
        top = behind * 0.75 + 0.2
    _blend(canvas, top, np.where(surface, 0.95, 0).astype(np.float32))


def _which_layer(view: _View, depth: Map) -> NDArray[np.int64]:
    """0 for the upper layer, 1 for the lower one."""
    if len(view.scene.words) == 1:
        return np.zeros(depth.shape, dtype=np.int64)
    return (depth > _boundary(view)).astype(np.int64)


def _boundary(view: _View) -> float:
    """How deep the lower layer begins; a cone holds little below its middle."""
    low, high = (0.3, 0.45) if view.glass.name in _FILL else (0.38, 0.62)
    return low + (high - low) * (view.scene.seed % 97) / 96


def _pigments(view: _View, depth: Map, random: Random) -> Pixels:
    """The colour of the liquid itself for each pixel."""
    scene = view.scene
    colours = [_jittered(one, random) for one in scene.hexes]
    flat = np.broadcast_to(colours[0], (*depth.shape, 3)).copy()
    if len(colours) == 2:
        softness = random.uniform(0.008, 0.06)
        share = 1 / (1 + np.exp(-np.clip((depth - _boundary(view)) / softness, -30, 30)))
        flat = flat * (1 - share[..., None]) + colours[1] * share[..., None]
    if scene.clarity == "hazy":
        flat = flat * (1 + 0.05 * smooth_noise(random, *depth.shape, (60, 60)))[..., None]
    if scene.foam:
        thick = random.uniform(0.08, 0.16)
        froth = hsv(0.11, random.uniform(0.03, 0.18), random.uniform(0.88, 0.97))
        grain = 1 + 0.05 * smooth_noise(random, *depth.shape, (6, 6))
        flat = np.where((depth < thick)[..., None], froth * grain[..., None], flat)
    return np.clip(flat, 0, 1).astype(np.float32)


def _jittered(code: str, random: Random) -> Pixels:
    colour = np.array([int(code[i : i + 2], 16) for i in (0, 2, 4)], dtype=np.float32) / 255
    return np.clip(colour * random.uniform(0.94, 1.05) + 0.012 * random.standard_normal(3), 0, 1)


def _lit(pigment: Pixels, view: _View) -> Pixels:
    """The liquid under the picture's light: thin edges are paler where light goes through."""
    scene = view.scene
    if scene.clarity == "clear":
        pigment = np.power(np.clip(pigment, 1e-3, 1), (0.65 + 0.35 * view.round)[..., None])
    side = {"left": -1.0, "right": 1.0}.get(scene.light, 0.0)
    if side:
        shade = 0.72 + 0.3 * np.clip(0.75 * view.round + 0.5 * side * view.lean, 0, 1.2)
    elif scene.light == "back":
        shade = 0.8 + 0.3 * view.round
    elif scene.light == "top":
        shade = 1.08 - 0.32 * np.clip(view.v, 0, 1)
    else:
        shade = np.full(view.round.shape, 0.75)
    return np.clip(pigment * shade[..., None], 0, 1).astype(np.float32)


def _mirrored(behind: Pixels, view: _View) -> Pixels:
    """What a full glass shows of the background: squeezed and the other way round."""
    height, width = view.u.shape
    shift = (view.u * view.pixels * 1.6).astype(np.int64)
    columns = np.clip(np.arange(width)[None, :] - shift, 0, width - 1)
    return behind[np.arange(height)[:, None], columns]


def _ice(canvas: Pixels, view: _View, level: float, random: Random) -> None:
    """Cubes afloat: paler squares with bright edges, seen through the drink."""
    glass, scene = view.glass, view.scene
    wide = float(np.interp(level, glass.ages, glass.radii))
    size = min(0.42 * wide, 0.13)
    hidden = {"clear": 0.42, "hazy": 0.25, "opaque": 0.1}[scene.clarity]
    front = view.front()
    room = (
        (np.abs(view.u) < view.radius - glass.wall) & (front > level - 0.02) & (front < glass.floor)
    )
    for _ in range(int(random.integers(3, 7))):
        v = level + size * random.uniform(0.2, 2.6)
        reach = max(0.0, float(np.interp(v, glass.ages, glass.radii)) - size)
        u, angle = random.uniform(-reach, reach), random.uniform(0, np.pi / 2)
        x = np.cos(angle) * (view.u - u) + np.sin(angle) * (view.v - v)
        y = -np.sin(angle) * (view.u - u) + np.cos(angle) * (view.v - v)
        square = np.maximum(np.abs(x), np.abs(y)) / (size * random.uniform(0.75, 1.0))
        face = np.where(room & (square < 1), hidden * (0.5 + 0.5 * (square > 0.86)), 0)
        _blend(canvas, np.array([0.93, 0.96, 0.98], np.float32), face.astype(np.float32))


def _shine(canvas: Pixels, view: _View, random: Random) -> None:
    """Streaks of light along the wall."""
    inside = view.outside() & (view.v > 0.03) & (view.v < view.glass.floor)
    for place in (random.uniform(-0.8, -0.5), random.uniform(0.55, 0.85)):
        streak = np.exp(-(((view.lean - place) / random.uniform(0.03, 0.07)) ** 2))
        share = np.where(inside, random.uniform(0.15, 0.5) * streak, 0).astype(np.float32)
        _blend(canvas, np.ones(3, np.float32), np.where(share > 0.01, share, 0))


def _garnished(canvas: Pixels, view: _View, level: float, random: Random) -> Image.Image:
    """The picture with what decorates the glass."""
    image = Image.fromarray((np.clip(canvas, 0, 1) * 255).astype(np.uint8))
    draw = ImageDraw.Draw(image)
    rim = view.glass.radii[0]
    size = float(np.clip(rim * 0.5, 0.06, 0.13)) * view.pixels
    side = int(random.choice([-1, 1]))
    for name in view.scene.garnishes:
        if name == "cherry":
            draw_cherry(draw, view.point(random.uniform(-0.4, 0.4) * rim, level), size * 0.45)
        elif name == "mint sprig":
            draw_mint(draw, view.point(side * rim * 0.4, -0.03), size, random)
        else:
            draw_wheel(draw, view.point(side * rim * 0.95, -0.01), size, name)
        side = -side
    return image


def _finished(image: Image.Image, scene: Scene, random: Random) -> Image.Image:
    """Through the camera: size, focus, white balance, exposure, noise."""
    small = image.resize((scene.width, scene.height), Image.Resampling.BOX)
    if scene.blur > 0.2:
        small = small.filter(ImageFilter.GaussianBlur(scene.blur))
    pixels = np.asarray(small, dtype=np.float32) / 255 * np.array(scene.gains) * scene.exposure
    pixels = pixels + scene.noise * random.standard_normal(pixels.shape)
    return Image.fromarray((np.clip(pixels, 0, 1) * 255 + 0.5).astype(np.uint8))

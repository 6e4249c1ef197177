"""Backgrounds for rendered drinks: what stands behind the glass, and the table below it.

Each is a function of a random generator and a size that gives linear-looking sRGB values in 0..1,
shape (height, width, 3). Those for developing and those for the test have no function in common,
so that what is fitted to one half cannot profit from its backgrounds in the other.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

Pixels = NDArray[np.float32]  # (height, width, 3), 0..1
Random = np.random.Generator
Background = Callable[[Random, int, int], Pixels]


def plain(random: Random, height: int, width: int) -> Pixels:
    """One colour, lit a little unevenly."""
    colour = hsv(random.uniform(), random.uniform(0, 0.5), random.uniform(0.45, 0.97))
    return _filled(height, width, colour) * _fall_off(random, height, width, 0.12)


def gradient(random: Random, height: int, width: int) -> Pixels:
    """One colour running into another, at any angle."""
    hue = random.uniform()
    first = hsv(hue, random.uniform(0.05, 0.6), random.uniform(0.3, 0.95))
    second = hsv(
        hue + random.uniform(-0.15, 0.15), random.uniform(0.05, 0.6), random.uniform(0.3, 0.95)
    )
    share = _ramp(height, width, random.uniform(0, 2 * np.pi))[..., None]
    return first * (1 - share) + second * share


def wooden(random: Random, height: int, width: int) -> Pixels:
    """Boards with grain behind a wooden table."""
    base = hsv(random.uniform(0.05, 0.1), random.uniform(0.35, 0.65), random.uniform(0.3, 0.75))
    grain = smooth_noise(random, height, width, (40, 3))
    boards = np.floor(np.arange(height) / height * random.integers(4, 9)).astype(int)
    tone = 1 + 0.2 * random.standard_normal(boards.max() + 1)
    wood = base * (1 + 0.13 * grain)[..., None] * np.clip(tone[boards], 0.6, 1.4)[:, None, None]
    gaps = np.flatnonzero(np.diff(boards))
    wood[gaps] *= 0.4
    return with_table(random, wood.astype(np.float32), base * random.uniform(0.6, 1.3))


def cluttered(random: Random, height: int, width: int) -> Pixels:
    """Coloured shapes, out of focus: a kitchen, a party."""
    image = Image.new("RGB", (width, height), as_bytes(hsv(random.uniform(), 0.2, 0.7)))
    draw = ImageDraw.Draw(image)
    for _ in range(random.integers(10, 22)):
        x, y = random.uniform(-0.1, 1, 2) * (width, height)
        w, h = random.uniform(0.06, 0.35, 2) * width
        colour = as_bytes(
            hsv(random.uniform(), random.uniform(0.1, 0.7), random.uniform(0.25, 0.95))
        )
        shape = draw.ellipse if random.uniform() < 0.4 else draw.rectangle
        shape((x, y, x + w, y + h), fill=colour)
    return with_table(random, _blurred(image, random.uniform(0.008, 0.03) * width), None)


def framed(random: Random, height: int, width: int) -> Pixels:
    """A wall with doors, frames and cupboards: straight lines, in pairs and in one another."""
    image = Image.new("RGB", (width, height), as_bytes(hsv(random.uniform(), 0.15, 0.75)))
    draw = ImageDraw.Draw(image)
    for _ in range(random.integers(3, 7)):
        x, y = random.uniform(-0.1, 0.85) * width, random.uniform(-0.1, 0.6) * height
        w, h = random.uniform(0.15, 0.5) * width, random.uniform(0.2, 0.8) * height
        colour = hsv(random.uniform(), random.uniform(0, 0.4), random.uniform(0.2, 0.95))
        rim = random.uniform(0.01, 0.04) * width
        draw.rectangle((x, y, x + w, y + h), fill=as_bytes(colour))
        inner = as_bytes(colour * random.uniform(0.6, 1.4))
        draw.rectangle((x + rim, y + rim, x + w - rim, y + h - rim), fill=inner)
    return with_table(random, _blurred(image, random.uniform(1.5, 6)), None)


def dark_bar(random: Random, height: int, width: int) -> Pixels:
    """Nearly black, with warm lights far behind."""
    base = _filled(height, width, hsv(random.uniform(0, 0.12), 0.5, random.uniform(0.05, 0.16)))
    return base + _lights(random, height, width, hues=(0.04, 0.14), number=14)


def stone(random: Random, height: int, width: int) -> Pixels:
    """Veined marble, light or dark."""
    value = random.choice([0.35, 0.88])
    warped = smooth_noise(random, height, width, (18, 18)) + smooth_noise(
        random, height, width, (5, 5)
    )
    veins = np.exp(-np.abs(np.sin(6 * warped)) * 7)
    tint = hsv(random.uniform(), random.uniform(0, 0.12), value)
    return np.clip(tint + (0.3 if value < 0.5 else -0.3) * veins[..., None], 0, 1)


def brick(random: Random, height: int, width: int) -> Pixels:
    """A brick wall, somewhat out of focus, behind a bar."""
    mortar = as_bytes(hsv(0.08, 0.1, random.uniform(0.4, 0.8)))
    image = Image.new("RGB", (width, height), mortar)
    draw = ImageDraw.Draw(image)
    tall = height // int(random.integers(9, 16))
    for row in range(height // tall + 1):
        for column in range(-1, width // (3 * tall) + 2):
            x = column * 3 * tall + (row % 2) * 1.5 * tall
            shade = hsv(random.uniform(0, 0.06), random.uniform(0.3, 0.6), random.uniform(0.3, 0.7))
            draw.rectangle(
                (x + 2, row * tall + 2, x + 3 * tall - 3, (row + 1) * tall - 3), as_bytes(shade)
            )
    return with_table(random, _blurred(image, random.uniform(1, 7)), None)


def garden(random: Random, height: int, width: int) -> Pixels:
    """Leaves and light, far out of focus, above a table."""
    image = Image.new("RGB", (width, height), as_bytes(hsv(0.3, 0.4, 0.4)))
    draw = ImageDraw.Draw(image)
    for _ in range(120):
        x, y = random.uniform(0, 1, 2) * (width, height)
        r = random.uniform(0.02, 0.09) * width
        leaf = hsv(random.uniform(0.18, 0.4), random.uniform(0.2, 0.8), random.uniform(0.15, 0.95))
        draw.ellipse((x - r, y - r / 2, x + r, y + r / 2), fill=as_bytes(leaf))
    return with_table(random, _blurred(image, random.uniform(0.01, 0.03) * width), None)


def shelf(random: Random, height: int, width: int) -> Pixels:
    """Bottles on the shelves of a bar, upright like the glass itself."""
    image = Image.new("RGB", (width, height), as_bytes(hsv(0.07, 0.4, random.uniform(0.15, 0.5))))
    draw = ImageDraw.Draw(image)
    for floor in (0.42, 0.86):
        x = -0.05 * width
        while x < width:
            w, h = random.uniform(0.06, 0.12) * width, random.uniform(0.2, 0.36) * height
            y = floor * height
            colour = as_bytes(
                hsv(random.uniform(), random.uniform(0.2, 0.8), random.uniform(0.2, 0.8))
            )
            draw.rectangle((x, y - 0.65 * h, x + w, y), fill=colour)
            draw.rectangle((x + 0.35 * w, y - h, x + 0.65 * w, y - 0.6 * h), fill=colour)
            x += w * random.uniform(1.1, 1.8)
        draw.rectangle((0, floor * height, width, (floor + 0.03) * height), fill=(60, 40, 25))
    return with_table(random, _blurred(image, random.uniform(0.01, 0.025) * width), None)


def night(random: Random, height: int, width: int) -> Pixels:
    """A club: black, with lights of every hue and a coloured glow."""
    glow = hsv(random.uniform(), 0.7, random.uniform(0.08, 0.2))
    base = _filled(height, width, glow) * (1 - 0.6 * _ramp(height, width, np.pi / 2))[..., None]
    return base + _lights(random, height, width, hues=(0.0, 1.0), number=10)


def window(random: Random, height: int, width: int) -> Pixels:
    """A bright window with its frame, behind a sill."""
    image = Image.new("RGB", (width, height), as_bytes(hsv(0.1, 0.1, random.uniform(0.4, 0.7))))
    draw = ImageDraw.Draw(image)
    across, down = random.uniform(0.28, 0.45) * width, random.uniform(0.25, 0.4) * height
    for x in np.arange(-across * random.uniform(), width, across):
        for y in np.arange(-down * random.uniform(), height * 0.75, down):
            pane = as_bytes(hsv(random.uniform(0.5, 0.62), random.uniform(0, 0.25), 0.97))
            draw.rectangle((x, y, x + across * 0.9, y + down * 0.92), fill=pane)
    return with_table(random, _blurred(image, random.uniform(2, 8)), None)


def curtain(random: Random, height: int, width: int) -> Pixels:
    """Folds of cloth that hang down behind the glass."""
    cloth = hsv(random.uniform(), random.uniform(0.1, 0.6), random.uniform(0.4, 0.9))
    across = np.linspace(0, random.uniform(30, 60), width)
    folds = np.sin(across + random.uniform(2, 5) * np.sin(across / random.uniform(5, 9)))
    return with_table(random, _filled(height, width, cloth) * (1 + 0.2 * folds)[:, None], None)


def tiles(random: Random, height: int, width: int) -> Pixels:
    """Glazed tiles with joints, sharp as behind a kitchen counter."""
    side = int(width * random.uniform(0.12, 0.25))
    glaze = hsv(random.uniform(), random.uniform(0.02, 0.35), random.uniform(0.6, 0.95))
    tone = 1 + 0.06 * random.standard_normal((height // side + 1, width // side + 1))
    each = tone.repeat(side, axis=0).repeat(side, axis=1)[:height, :width, None]
    wall = (_filled(height, width, glaze) * each).astype(np.float32)
    joint = (np.arange(height) % side < 3)[:, None] | (np.arange(width) % side < 3)[None, :]
    wall[joint] *= random.uniform(0.6, 0.85)
    return with_table(random, wall, None)


# How a background is told of in the tables -> the functions of each half.
DEVELOPMENT: dict[str, tuple[Background, ...]] = {
    "plain": (plain,),
    "gradient": (gradient,),
    "textured": (wooden,),
    "cluttered": (cluttered, framed),
    "dark": (dark_bar,),
}
TEST: dict[str, tuple[Background, ...]] = {
    "plain": (plain,),
    "gradient": (window, curtain),
    "textured": (stone, tiles, brick),
    "cluttered": (garden, shelf),
    "dark": (night,),
}


def hsv(hue: float, saturation: float, value: float) -> Pixels:
    """A colour as three numbers, shape (3,)."""
    return np.array(colorsys.hsv_to_rgb(hue % 1, saturation, value), dtype=np.float32)


def as_bytes(colour: NDArray[np.floating]) -> tuple[int, int, int]:
    """A colour as Pillow's drawing takes it."""
    red, green, blue = (round(255 * float(part)) for part in np.clip(colour, 0, 1))
    return red, green, blue


def smooth_noise(
    random: Random, height: int, width: int, scale: tuple[int, int]
) -> NDArray[np.float32]:
    """Noise around 0 whose blobs are (width, height) / scale large."""
    small = random.standard_normal((max(2, height // scale[1]), max(2, width // scale[0])))
    image = Image.fromarray(small.astype(np.float32), mode="F")
    return np.asarray(image.resize((width, height), Image.Resampling.BICUBIC), dtype=np.float32)


def with_table(random: Random, wall: Pixels, colour: Pixels | None) -> Pixels:
    """Another tone for the lower part: what the glass stands on."""
    height = len(wall)
    edge = int(height * random.uniform(0.6, 0.85))
    if colour is None:
        colour = hsv(random.uniform(0, 0.15), random.uniform(0.05, 0.5), random.uniform(0.2, 0.85))
    depth = np.linspace(0.8, 1.1, height - edge, dtype=np.float32)[:, None, None]
    wall = wall.copy()
    wall[edge:] = np.clip(colour * depth, 0, 1)
    return wall


def _filled(height: int, width: int, colour: Pixels) -> Pixels:
    return np.broadcast_to(colour, (height, width, 3)).astype(np.float32)


def _ramp(height: int, width: int, angle: float) -> NDArray[np.float32]:
    """0..1 along a direction."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    along = np.cos(angle) * x / width + np.sin(angle) * y / height
    return (along - along.min()) / max(float(np.ptp(along)), 1e-6)


def _fall_off(random: Random, height: int, width: int, depth: float) -> Pixels:
    return 1 - depth * _ramp(height, width, random.uniform(0, 2 * np.pi))[..., None]


def _lights(
    random: Random, height: int, width: int, hues: tuple[float, float], number: int
) -> Pixels:
    """Discs of light out of focus."""
    image = Image.new("RGB", (width, height))
    draw = ImageDraw.Draw(image)
    for _ in range(number):
        x, y = random.uniform(0, 1) * width, random.uniform(0, 0.75) * height
        r = random.uniform(0.015, 0.06) * width
        light = hsv(random.uniform(*hues), random.uniform(0.3, 0.8), random.uniform(0.3, 0.9))
        draw.ellipse((x - r, y - r, x + r, y + r), fill=as_bytes(light))
    return _blurred(image, 0.012 * width)


def _blurred(image: Image.Image, radius: float) -> Pixels:
    return np.asarray(image.filter(ImageFilter.GaussianBlur(radius)), dtype=np.float32) / 255

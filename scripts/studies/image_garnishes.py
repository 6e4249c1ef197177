"""Draws what decorates a glass."""

from __future__ import annotations

from image_backgrounds import Random, as_bytes, hsv
from PIL import ImageDraw


def draw_wheel(draw: ImageDraw.ImageDraw, at: tuple[float, float], size: float, name: str) -> None:
    """A slice of a citrus fruit."""
    peel, flesh = {
        "lime wheel": ((84, 148, 42), (190, 220, 120)),
        "lemon wheel": ((240, 205, 50), (250, 236, 150)),
        "orange slice": ((238, 130, 30), (250, 180, 80)),
    }[name]
    x, y = at
    draw.ellipse((x - size, y - size, x + size, y + size), fill=peel)
    for start in range(0, 360, 45):
        r = size * 0.82
        draw.pieslice((x - r, y - r, x + r, y + r), start + 4, start + 41, fill=flesh)


def draw_cherry(draw: ImageDraw.ImageDraw, at: tuple[float, float], size: float) -> None:
    """A cherry with its stalk."""
    x, y = at
    draw.ellipse((x - size, y - size, x + size, y + size), fill=(170, 15, 30))
    spark = size * 0.25
    draw.ellipse((x - 2 * spark, y - 2 * spark, x - spark, y - spark), fill=(250, 220, 220))
    draw.line(
        (x, y - size, x + size, y - 3.5 * size), fill=(90, 50, 30), width=max(2, int(size / 6))
    )


def draw_mint(
    draw: ImageDraw.ImageDraw, at: tuple[float, float], size: float, random: Random
) -> None:
    """A sprig of nine leaves."""
    for _ in range(9):
        x, y = at[0] + random.normal(0, 0.5) * size, at[1] - abs(random.normal(0.3, 0.6)) * size
        r, flat = size * random.uniform(0.35, 0.6), random.uniform(0.4, 0.8)
        leaf = hsv(
            random.uniform(0.27, 0.36), random.uniform(0.55, 0.85), random.uniform(0.3, 0.65)
        )
        draw.ellipse((x - r, y - r * flat, x + r, y + r * flat), fill=as_bytes(leaf))

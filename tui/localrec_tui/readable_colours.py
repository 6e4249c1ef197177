"""Mends the colours of a theme with which a text could hardly be read on what lies behind it.

Contrast is that of WCAG 2: 1 for none, 21 for black on white. Only colours that miss the least are
moved, towards white or black, and no further than they must; all others stay as the theme has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from textual.color import BLACK, WHITE, Color, ColorParseError

LEAST_MAIN = 4.5  # of a list's text
LEAST_CURSOR = 4.0  # of where the cursor is, which is bold: few themes leave more to any colour
LEAST_MUTED = 3.0  # of hints, titles and keys
_SPARE = 0.15  # what is drawn is rounded to whole steps of a colour
_DIM = 0.66  # of a dim text its own colour has this share, the rest is what lies behind it
_QUIET = "auto 66%"  # as dim texts are
_FOCUS_TINT = 0.05  # of the foreground in a list with the focus
_STEPS = 20
_BEHIND = ("background", "surface", "panel")
_COLOURED = ("primary", "secondary", "accent", "success", "warning", "error")


def readable_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a theme, those of texts with a contrast that can be read.

    Two are added: `frame-hint` for a sentence in the frame of a line, `text-quiet` for what is said
    beside the main text of a list, also where the cursor is. A theme that leaves its colours to the
    terminal stays as it is.
    """
    mended = {**variables, "frame-hint": variables["border"], "text-quiet": _QUIET}
    if variables["foreground"].startswith("ansi"):
        return {**mended, "text-quiet": variables["text-muted"]}
    plain, lit = _surfaces(variables)
    behind = [*plain.values(), *lit.values()]
    mended["foreground"] = _readable_foreground(Color.parse(variables["foreground"]), behind)
    mended["text"] = _mended(variables["text"], behind, LEAST_MAIN)
    mended["text-muted"] = _mended(variables["text-muted"], behind, LEAST_MUTED)
    around = [plain["background"], plain["surface"]]
    mended["frame-hint"] = _mended(variables["border"], around, LEAST_MUTED)
    line = [plain["surface"], lit["surface"]]
    mended["text-disabled"] = _mended(variables["text-disabled"], line, LEAST_MUTED)
    for name in _COLOURED:
        own = Color.parse(variables[f"{name}-muted"])  # behind badges
        mended[f"text-{name}"] = _mended(variables[f"text-{name}"], [*behind, own], LEAST_MUTED)
    foot = [Color.parse(variables["footer-background"])]
    for name in ("footer-foreground", "footer-key-foreground", "footer-description-foreground"):
        mended[name] = _mended(variables[name], foot, LEAST_MUTED)
    behind_quiet = list(behind)
    for state in ("", "-blurred"):
        name, on = f"block-cursor{state}-foreground", variables[f"block-cursor{state}-background"]
        cursor = [one + Color.parse(on) for one in behind]
        mended[name] = _mended(variables[name], cursor, LEAST_CURSOR)
        behind_quiet += cursor
    mended["text-quiet"] = _mended(_QUIET, behind_quiet, LEAST_MUTED)
    return mended


def contrast(text: Color, behind: Color) -> float:
    """Return the contrast of two colours, from 1 to 21."""
    dark, light = sorted((_luminance(text), _luminance(behind)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: Color) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _surfaces(variables: Mapping[str, str]) -> tuple[dict[str, Color], dict[str, Color]]:
    """What lies behind the texts of lists and panes: without the focus, and with it."""
    plain = {name: Color.parse(variables[name]) for name in _BEHIND}
    letters = Color.parse(variables["foreground"])
    return plain, {name: one.blend(letters, _FOCUS_TINT) for name, one in plain.items()}


def _readable_foreground(colour: Color, behind: Sequence[Color]) -> str:
    """The colour of letters, which must be read where they are dim, too."""

    def is_read(letters: Color) -> bool:
        dim = (one.blend(letters, _DIM) for one in behind)
        return _least(letters, behind) >= LEAST_MAIN and all(
            contrast(text, one) >= LEAST_MUTED + _SPARE
            for text, one in zip(dim, behind, strict=True)
        )

    return next(filter(is_read, _towards_ends(colour)), colour).hex


def _mended(value: str, behind: Sequence[Color], least: float) -> str:
    """A colour, or "auto" with a share of white or black, that can be read on all of `behind`."""
    if value.startswith("auto"):
        return _mended_share(int(value.removeprefix("auto").strip(" %") or 100), behind, least)
    least += _SPARE
    try:
        colour = Color.parse(value)
    except ColorParseError:  # a mixture that only the style sheet understands
        return value
    if min(contrast(one + colour, one) for one in behind) >= least:
        return value
    tried = list(_towards_ends(colour.with_alpha(1)))
    found = next((one for one in tried if _least(one, behind) >= least), None)
    return (found or max(tried, key=lambda one: _least(one, behind))).hex


def _mended_share(begin: int, behind: Sequence[Color], least: float) -> str:
    """More white or black; where Textual's choice of the two is not enough, the better one."""
    for share in range(begin, 100, 5):
        if _auto(share, behind) >= least + _SPARE:
            return f"auto {share}%"
    end = max((WHITE, BLACK), key=lambda one: _least(one, behind))
    whole = _auto(100, behind)
    return "auto 100%" if whole >= min(least, _least(end, behind)) else end.hex


def _auto(share: int, behind: Iterable[Color]) -> float:
    return min(contrast(one + one.get_contrast_text(share / 100), one) for one in behind)


def _least(text: Color, behind: Iterable[Color]) -> float:
    return min(contrast(text, one) for one in behind)


def _towards_ends(colour: Color) -> Iterable[Color]:
    """The colour itself, then ever nearer to white and to black."""
    yield colour
    for step in range(1, _STEPS + 1):
        yield colour.blend(WHITE, step / _STEPS)
        yield colour.blend(BLACK, step / _STEPS)

"""Whatever the theme, what is drawn can be read: its contrast is measured cell by cell."""

from collections.abc import Iterator

import pytest
from textual.color import Color
from textual.filter import dim_color
from textual.pilot import Pilot
from textual.theme import BUILTIN_THEMES

from localrec_tui.readable_colours import (
    LEAST_CURSOR,
    LEAST_MAIN,
    LEAST_MUTED,
    contrast,
    readable_variables,
)

from .conftest import settled
from .test_snapshots import SCENES

SIZE = (120, 40)
THEMES = sorted(name for name, theme in BUILTIN_THEMES.items() if "ansi" not in name)
MAIN = ("Negroni", "Drink 000", "Drink 001")
AT_THE_CURSOR = ("Gimlet", "Drink 002")


def painted(pilot: Pilot[None]) -> Iterator[tuple[str, float]]:
    """Each piece of text on the screen with its contrast against what lies behind it."""
    for strip in pilot.app.screen._compositor.render_strips():
        for piece in strip:
            style = piece.style
            if style is None or not any(map(str.isalnum, piece.text)):
                continue
            letters, behind = style.color, style.bgcolor
            assert letters is not None and behind is not None
            if style.dim:
                letters = dim_color(behind, letters)
            yield (
                piece.text.strip(),
                contrast(Color.from_rich_color(letters), Color.from_rich_color(behind)),
            )


@pytest.mark.parametrize("scene", ["ask", "home", "browse"])
async def test_every_text_can_be_read_in_every_theme(open_app, scene):
    async with open_app(SIZE) as pilot:
        await SCENES[scene](pilot)
        await settled(pilot)
        for theme in THEMES:
            pilot.app.theme = theme
            await pilot.pause()
            drawn = dict(sorted(painted(pilot), key=lambda one: -one[1]))  # the worst of each stays
            faint = {text: told for text, told in drawn.items() if told < LEAST_MUTED}
            assert faint == {}, theme
            for least, texts in ((LEAST_MAIN, MAIN), (LEAST_CURSOR, AT_THE_CURSOR)):
                main = {text: drawn[text] for text in texts if text in drawn}
                assert all(told >= least for told in main.values()), (theme, main)
                assert main or scene == "home"


def test_what_can_be_read_stays_as_the_theme_has_it():
    variables = BUILTIN_THEMES["dracula"].to_color_system().generate()
    mended = readable_variables(variables)
    kept = ("foreground", "text", "text-muted", "text-primary", "footer-key-foreground")
    assert [mended[name] for name in kept] == [variables[name] for name in kept]


def test_a_theme_of_the_terminal_keeps_its_colours():
    variables = BUILTIN_THEMES["ansi-dark"].to_color_system().generate()
    mended = readable_variables(variables)
    assert {name: mended[name] for name in variables} == variables


def test_contrast_is_that_of_wcag():
    white, black = Color.parse("white"), Color.parse("black")
    assert round(contrast(white, black), 2) == 21
    assert round(contrast(Color.parse("#777777"), white), 2) == 4.48

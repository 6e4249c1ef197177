"""A letter that leads to a pane, and themes of a user's own."""

from contextlib import nullcontext

import pytest

from localrec_tui.own_themes import load_own_themes
from localrec_tui.screens.jump import JumpScreen

from .conftest import WIDE, press


async def test_a_letter_leads_to_its_place(open_app):
    async with open_app(WIDE, mode="browse", user="anna") as pilot:
        places = [one for one in pilot.app.screen.focus_chain if one.region.area]
        await press(pilot, "ctrl+o")
        assert isinstance(pilot.app.screen, JumpScreen)
        await press(pilot, "s")
        assert pilot.app.focused is places[1]


async def test_escape_leaves_the_focus_where_it_was(open_app):
    async with open_app(WIDE, mode="browse", user="anna") as pilot:
        before = pilot.app.focused
        await press(pilot, "ctrl+o", "escape")
        assert pilot.app.focused is before


def test_a_theme_is_a_file_of_colours(tmp_path):
    (tmp_path / "dusk.toml").write_text('primary = "#aa5500"\ndark = false\n')
    [theme], faults = load_own_themes(tmp_path)
    assert (theme.name, theme.primary, theme.dark, faults) == ("dusk", "#aa5500", False, [])


@pytest.mark.parametrize("text", ["primary = 'no colour'", "accent = 'red'", "= 1", "primary = 3"])
def test_a_file_that_is_no_theme_is_told(tmp_path, text):
    (tmp_path / "bad.toml").write_text(text)
    themes, [fault] = load_own_themes(tmp_path)
    assert themes == []
    assert "bad.toml cannot be used" in fault


async def test_a_text_is_changed_in_ones_own_editor(open_app, monkeypatch):
    monkeypatch.setattr("click.edit", lambda text, extension: f"{text}# mine\n")
    async with open_app(WIDE, mode="data") as pilot:
        monkeypatch.setattr(pilot.app, "suspend", nullcontext)
        await press(pilot, "s", "f4")
        assert pilot.app.screen.query_one("TextArea").text.endswith("# mine\n")

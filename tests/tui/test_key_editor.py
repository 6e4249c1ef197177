"""Giving actions other keys inside the app, and finding them again the next time."""

import pytest
from textual.widgets import OptionList

from localrec.foundation.errors import WorkspaceError
from localrec_tui.preferences import load_workspace_preferences, with_keys
from localrec_tui.screens.help import HelpScreen
from localrec_tui.screens.key_editor import KeyCapture, KeyEditor
from localrec_tui.screens.user import UserDialog

from .conftest import WIDE, press, seen, settled


async def edit(pilot, name):
    """Open the editor on the line of an action."""
    await press(pilot, "f1", "k")
    editor = pilot.app.screen
    assert isinstance(editor, KeyEditor)
    place = next(place for place, one in enumerate(editor._named) if one.id == name)
    editor.query_one(OptionList).highlighted = place
    await settled(pilot)


async def test_a_pressed_key_is_given_kept_and_works_at_once(open_app):
    async with open_app(WIDE) as pilot:
        await press(pilot, "2")
        await edit(pilot, "person")
        await press(pilot, "enter", "ctrl+y")
        assert "Ctrl+Y" in seen(pilot) and "(yours)" in seen(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, HelpScreen)
        assert "^y" in seen(pilot)
        await press(pilot, "escape", "ctrl+y")
        assert isinstance(pilot.app.screen, UserDialog)
        folder = pilot.app.folder
    assert load_workspace_preferences(folder).keymap == {"person": "ctrl+y"}


async def test_delete_brings_the_usual_key_back(open_app):
    async with open_app(WIDE) as pilot:
        await press(pilot, "2")
        await edit(pilot, "person")
        await press(pilot, "enter", "ctrl+y", "delete")
        assert "Ctrl+Y" not in seen(pilot)
        await press(pilot, "escape", "escape", "f2")
        assert isinstance(pilot.app.screen, UserDialog)
        folder = pilot.app.folder
    assert load_workspace_preferences(folder).keymap == {}


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ("f5", "That key is taken by “Domain”"),
        ("v", "A letter works in lists alone"),
        ("tab", "That key is needed to move about"),
    ],
)
async def test_a_key_that_would_do_harm_is_refused_and_another_is_waited_for(open_app, key, told):
    async with open_app(WIDE) as pilot:
        await press(pilot, "2")
        await edit(pilot, "person")
        await press(pilot, "enter", key)
        assert isinstance(pilot.app.screen, KeyCapture)
        assert told in seen(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, KeyEditor)
        folder = pilot.app.folder
    assert load_workspace_preferences(folder).keymap == {}


async def test_a_key_that_cannot_be_kept_is_told_and_changes_nothing(open_app, monkeypatch):
    def refuse(*_):
        raise WorkspaceError("The folder is read-only.", "Choose another.")

    monkeypatch.setattr("localrec_tui.screens.key_editor.with_keys", refuse)
    async with open_app(WIDE) as pilot:
        await press(pilot, "2")
        await edit(pilot, "person")
        await press(pilot, "enter", "ctrl+y")
        assert [one.message for one in pilot.app._notifications][-1].startswith(
            "The key is not kept: The folder is read-only."
        )
        assert "(yours)" not in seen(pilot)


def test_keys_of_all_workspaces_and_the_theme_stay(tmp_path, monkeypatch):
    everywhere = tmp_path / "settings" / "tui.toml"
    monkeypatch.setattr("localrec_tui.preferences.user_file", lambda: everywhere)
    everywhere.parent.mkdir()
    everywhere.write_text('theme = "nord"\n\n[keymap]\nlike = "ctrl+l"\n')
    found = with_keys(tmp_path, "person", "ctrl+y", "f2")
    assert found.keymap == {"like": "ctrl+l", "person": "ctrl+y"}
    assert found.theme == "nord"
    assert load_workspace_preferences(tmp_path).keymap == {"person": "ctrl+y"}
    assert with_keys(tmp_path, "person", "f2", "f2").keymap == {"like": "ctrl+l"}
    assert with_keys(tmp_path, "like", "l", "l").keymap == {"like": "l"}, "against all workspaces"


async def test_a_key_of_another_room_in_which_the_action_is_too_is_refused(open_app):
    async with open_app(WIDE) as pilot:
        await edit(pilot, "like")
        await press(pilot, "enter", "e")
        assert "That key is taken by" in seen(pilot)


async def test_further_keys_of_an_action_stay(open_app):
    async with open_app(WIDE) as pilot:
        await edit(pilot, "previous_room")
        await press(pilot, "enter", "ctrl+y")
        folder = pilot.app.folder
    assert load_workspace_preferences(folder).keymap == {"previous_room": "ctrl+y,f19"}

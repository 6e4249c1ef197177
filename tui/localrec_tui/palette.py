"""The palette: every action of every room, of the screen in front and of its list, with its key.

An action of another room goes to that room first, waits until it has read what it shows, and then
does it. What is offered comes out of the bindings that the classes declare: nothing is opened for
it. Where an action means a row, and its room was not in front, it asks which.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from textual.app import SystemCommand
from textual.binding import Binding
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import DataTable

from localrec_tui.base_app import AppScreen, BaseApp, bindings_of
from localrec_tui.key_names import key_name, key_text
from localrec_tui.palette_words import RowQuestion, action_words, row_question
from localrec_tui.screens.choice import ChoiceDialog, ChoiceItem
from localrec_tui.screens.first_run import FirstRunScreen
from localrec_tui.widgets.feedback_actions import rated_list

# Steps between the parts of a screen, which mean nothing anywhere else.
_STEPS = frozenset({"to_list", "to_line", "leave", "back"})
_IN_ANY_ROOM = "pick_user"  # does the same wherever it is offered
_OF_THE_APP = "settings"  # the app offers it itself, and needs no room for it
_OF_TEXTUAL = "quit"  # Textual offers it by itself
_PATIENCE_S = 3.0  # for what a room reads before it can act
_PAUSE_S = 0.05
_READS = 3  # that follow from one another: the domains, the list, the item under the cursor


def palette_commands(app: BaseApp, screen: Screen[Any]) -> Iterator[SystemCommand]:
    """Offer what the list in front, the screen in front and every other room can do."""
    keymap = app.preferences.keymap
    yield from _app_commands(app, keymap)
    yield from _list_commands(screen, keymap)
    if isinstance(screen, AppScreen):
        for binding, action in _screen_actions(type(screen)):
            if action == _OF_THE_APP:
                continue
            told = action_words(type(screen), action, binding.description)
            yield SystemCommand(
                told, f"Here, key {key_name(binding, keymap)}", partial(screen.run_action, action)
            )
    for mode, room in app.main_screens().items():
        if not isinstance(screen, room):
            yield from _room_commands(app, mode, room, screen)


def _app_commands(app: BaseApp, keymap: Mapping[str, str]) -> Iterator[SystemCommand]:
    """What holds everywhere, such as the log and the way to each room."""
    for binding in bindings_of(type(app)):
        if binding.action == _OF_TEXTUAL:
            continue
        first, _, from_a_line = keymap.get(binding.id or "", binding.key).partition(",")
        keys = key_text(first)
        if from_a_line.startswith("alt+"):
            keys = f"{keys}, from a line {key_text(from_a_line)}"
        told = action_words(type(app.screen), binding.action, binding.description)
        yield SystemCommand(
            told, f"Everywhere, key {keys}", partial(app.run_action, binding.action)
        )


def _list_commands(screen: Screen[Any], keymap: Mapping[str, str]) -> Iterator[SystemCommand]:
    """What can be said of the chosen item of the list in front, and how the list is sorted."""
    target = rated_list(screen)
    if target is None or target is screen:
        return
    for binding in bindings_of(type(target)):
        if not binding.action.startswith(("screen.", "app.")):
            yield _list_command(target, binding, keymap)


def _list_command(target: Widget, binding: Binding, keymap: Mapping[str, str]) -> SystemCommand:
    owner = type(target.screen)
    told = action_words(owner, binding.action, binding.description)
    where = f"This list, key {key_name(binding, keymap)}"
    return SystemCommand(told, where, partial(target.run_action, binding.action))


def _room_commands(
    app: BaseApp, mode: str, room: type[AppScreen[None]], screen: Screen[Any]
) -> Iterator[SystemCommand]:
    """The actions of a room that is not in front."""
    has_person = hasattr(screen, f"action_{_IN_ANY_ROOM}") or mode != app.DEFAULT_MODE
    for binding, action in _screen_actions(room):
        if action in _STEPS or action == _OF_THE_APP or (action == _IN_ANY_ROOM and has_person):
            continue
        yield SystemCommand(
            action_words(room, action, binding.description),
            f"{room.TITLE}, key {key_name(binding, app.preferences.keymap)}",
            partial(_begin, app, mode, action),
        )


def _screen_actions(screen: type[AppScreen[Any]]) -> Iterator[tuple[Binding, str]]:
    """The actions that a screen does itself, whichever of its parts has the key."""
    for binding in screen.all_bindings():
        action = binding.action.removeprefix("screen.")
        if hasattr(screen, f"action_{action.partition('(')[0]}"):
            yield binding, action


# --- going there ---


def _begin(app: BaseApp, mode: str, action: str) -> None:
    app.run_worker(_go_and_do(app, mode, action), name="palette", group="palette", exclusive=True)


async def _go_and_do(app: BaseApp, mode: str, action: str) -> None:
    """Go to a room, close what lies in front of it, and do one of its actions."""
    room = app.main_screens()[mode]
    await app.switch_mode(mode)
    while not isinstance(app.screen, room):
        if isinstance(app.screen, ModalScreen | FirstRunScreen):
            app.notify(f"Something in {room.TITLE} waits for an answer. Esc leaves it.")
            return
        await app.pop_screen()
    screen = app.screen
    await _has_read(app, screen)
    if app.screen is not screen:  # the user went on meanwhile
        return
    question = row_question(room, action)
    if question is None or not _ask_row(app, screen, question, action):
        await screen.run_action(action)


async def _has_read(app: BaseApp, screen: Screen[Any]) -> None:
    """Wait until a room has read what it shows, but not for long: a list may take a while."""
    until = time.monotonic() + _PATIENCE_S
    for _ in range(_READS):
        await asyncio.sleep(_PAUSE_S)
        while time.monotonic() < until and _is_reading(app, screen):
            await asyncio.sleep(_PAUSE_S)


def _is_reading(app: BaseApp, screen: Screen[Any]) -> bool:
    return any(worker.node is screen and not worker.is_finished for worker in app.workers)


def _ask_row(app: BaseApp, screen: Screen[Any], question: RowQuestion, action: str) -> bool:
    """Ask which row of the room's first table is meant; False where it has none."""
    table = screen.query(DataTable).first()
    choices = [
        ChoiceItem(str(place), str(table.get_row_at(place)[question.column]))
        for place in range(table.row_count)
    ]

    def picked(place: str | None) -> None:
        if place is not None:
            table.move_cursor(row=int(place))
            screen.call_later(screen.run_action, action)

    if choices:
        app.push_screen(ChoiceDialog(question.title, choices, ""), picked)
    return bool(choices)

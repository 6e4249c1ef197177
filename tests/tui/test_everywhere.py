"""What holds on every screen: help, palette, theme, keys, log, the first run, the first paint."""

import ast
import gc
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from textual.containers import VerticalScroll
from textual.events import MouseDown
from textual.widgets import Static
from textual.widgets._footer import FooterKey

from localrec.foundation.errors import InputError, ModelError
from localrec_tui import base_app
from localrec_tui.app import LocalrecApp
from localrec_tui.log_buffer import log
from localrec_tui.screens.ask import AskScreen
from localrec_tui.screens.first_run import FirstRunScreen
from localrec_tui.screens.help import HelpScreen
from localrec_tui.screens.log import LogScreen
from localrec_tui.widgets.prompt import Prompt

from .conftest import NARROW, WIDE, press, seen, settled
from .fake_services import FakeServices

# Runs in a process of its own, which has loaded nothing yet: what is loaded at the first paint?
FIRST_PAINT = """
import asyncio, json, sys
from pathlib import Path
from localrec_tui.app import LocalrecApp

class Watched(LocalrecApp):
    def on_ready(self):
        names = ("duckdb", "numpy", "llama_cpp", "onnxruntime", "networkx")
        print(json.dumps([name for name in names if name in sys.modules]))

async def main():
    async with Watched(Path(sys.argv[1])).run_test() as pilot:
        await pilot.pause()

asyncio.run(main())
"""


class TestFirstRun:
    async def test_leads_to_an_answer_in_three_keys(self, open_app, services):
        services.empty = True
        async with open_app() as pilot:
            assert isinstance(pilot.app.screen, FirstRunScreen)
            await press(pilot, "enter")
            assert pilot.app.screen.query_one(Prompt).value == "a smoky drink without whiskey"
            await press(pilot, "enter")
            assert "Gimlet has gin." in seen(pilot)

    async def test_says_why_it_cannot_and_tries_again(self, open_app, services):
        services.empty = True
        async with open_app() as pilot:
            services.trouble = ModelError("minilm is not here.", "localrec models pull minilm-int8")
            await press(pilot, "enter")
            assert "localrec models pull minilm-int8" in seen(pilot)
            await press(pilot, "enter")
            assert isinstance(pilot.app.screen, AskScreen)

    async def test_comes_for_a_store_without_items_too(self, open_app, services):
        services.domains = lambda: ()
        async with open_app() as pilot:
            assert isinstance(pilot.app.screen, FirstRunScreen)

    async def test_is_not_shown_where_there_is_something(self, open_app):
        async with open_app() as pilot:
            assert isinstance(pilot.app.screen, AskScreen)
            assert "About: drinks" in seen(pilot)


class TestHelp:
    @pytest.mark.parametrize("size", [NARROW, WIDE])
    async def test_lists_every_key_of_the_screen(self, open_app, size):
        async with open_app(size) as pilot:
            await press(pilot, "f1")
            screen = pilot.app.screen
            assert isinstance(screen, HelpScreen)
            told = "\n".join(str(line) for line in screen._lines())
            await press(pilot, "escape")
        for words in ("Like, with a reason", "Take the wish out", "Earlier question", "Log"):
            assert words in told

    @pytest.mark.parametrize("mode", ["ask", "browse", "memory", "training"])
    async def test_keeps_a_key_and_its_name_on_one_line_at_80_columns(self, open_app, mode):
        async with open_app(NARROW, mode=mode) as pilot:
            await press(pilot, "f1")
            screen = pilot.app.screen
            room = screen.query_one(VerticalScroll).scrollable_content_region.width
            assert max(line.cell_length for line in screen._lines()) <= room

    async def test_shows_the_keys_that_a_person_gave(self, open_app, tmp_path):
        (tmp_path / "tui.toml").write_text('[keymap]\nlike = "ctrl+l"\n')
        async with open_app() as pilot:
            await press(pilot, "f1")
            told = [str(line) for line in pilot.app.screen._lines()]
        assert any(line.startswith("^l") and "Like" in line for line in told)

    async def test_is_there_on_the_log_too(self, open_app):
        async with open_app() as pilot:
            await press(pilot, "f9", "f1")
            assert "Nothing of it is on disk" in seen(pilot)


async def test_the_palette_offers_every_action_of_the_screen(open_app):
    async with open_app() as pilot:
        titles = {one.title for one in pilot.app.get_system_commands(pilot.app.screen)}
    own = {
        "Choose who sits here",
        "Correct what kind of question it is",
        "Add a wish to the question",
    }
    assert titles >= {*own, "Log", "Theme", "Help", "Quit"}


class TestScreenshot:
    @pytest.fixture
    def home(self, tmp_path, monkeypatch):
        folder = tmp_path / "home"
        folder.mkdir()
        monkeypatch.setenv("HOME", str(folder))
        monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(folder / "Downloads"))
        return folder

    @pytest.mark.parametrize("has_downloads", [True, False])
    async def test_is_saved_and_told_with_and_without_downloads(
        self, open_app, home, has_downloads
    ):
        expected = home / "Downloads" if has_downloads else home
        expected.mkdir(exist_ok=True)
        async with open_app(WIDE) as pilot:
            pilot.app.action_screenshot()
            told = await told_of_the_screenshot(pilot)
        [drawing] = expected.glob("*.svg")
        assert "About:" in drawing.read_text()
        assert drawing.name in told

    async def test_is_saved_in_the_workspace_where_home_takes_nothing(
        self, open_app, home, tmp_path
    ):
        home.rmdir()
        async with open_app() as pilot:
            pilot.app.action_screenshot()
            await told_of_the_screenshot(pilot)
        assert len(list(tmp_path.glob("*.svg"))) == 1


async def told_of_the_screenshot(pilot):
    """What the app says once a thread has saved it."""
    for _ in range(200):
        if told := [one.message for one in pilot.app._notifications if one.title == "Screenshot"]:
            return told[0]
        await pilot.pause(0.02)
    raise AssertionError("Nothing was said of the screenshot.")


class TestTheme:
    async def test_is_remembered(self, open_app, tmp_path):
        async with open_app() as pilot:
            pilot.app.theme = "nord"
            await settled(pilot)
        assert tomllib.loads((tmp_path / "tui.toml").read_text()) == {"theme": "nord"}
        async with open_app() as pilot:
            assert pilot.app.theme == "nord"

    async def test_of_the_environment_wins(self, open_app, tmp_path, monkeypatch):
        (tmp_path / "tui.toml").write_text('theme = "nord"\n')
        monkeypatch.setenv("TEXTUAL_THEME", "textual-light")
        async with open_app() as pilot:
            assert pilot.app.theme != "nord"

    async def test_keeps_the_keys_that_stand_beside_it(self, open_app, tmp_path):
        (tmp_path / "tui.toml").write_text('[keymap]\nlike = "x"\n')
        async with open_app() as pilot:
            pilot.app.theme = "nord"
            await settled(pilot)
        kept = tomllib.loads((tmp_path / "tui.toml").read_text())
        assert kept == {"theme": "nord", "keymap": {"like": "x"}}


class TestKeymap:
    async def test_gives_an_action_another_key(self, open_app, services, tmp_path):
        (tmp_path / "tui.toml").write_text('[keymap]\nlike = "x"\n')
        async with open_app() as pilot:
            pilot.app.user = "anna"
            pilot.app.screen.query_one(Prompt).value = "gin"
            await press(pilot, "enter", "down", "l")
            assert services.words == []
            await press(pilot, "x")
        assert len(services.words) == 1

    async def test_that_names_no_action_is_told(self, open_app, tmp_path):
        (tmp_path / "tui.toml").write_text('[keymap]\nlick = "x"\n')
        async with open_app() as pilot:
            told = [one.message for one in pilot.app._notifications]
        assert told == ["tui.toml gives keys to no action: lick. F1 shows their names."]

    async def test_may_be_given_to_every_action_that_has_a_name(self, open_app, tmp_path):
        calls = (
            node
            for path in Path(base_app.__file__).parent.rglob("*.py")
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Binding"
        )
        named = {
            option.value.value
            for call in calls
            for option in call.keywords
            if option.arg == "id" and isinstance(option.value, ast.Constant)
        }
        assert {"save_log", "take_choice", "take_line", "complete", "back", "leave"} <= named
        keys = "".join(f'{name} = "ctrl+g"\n' for name in sorted(named))
        (tmp_path / "tui.toml").write_text(f"[keymap]\n{keys}")
        async with open_app() as pilot:
            told = [one.message for one in pilot.app._notifications]
        assert told == []

    def test_in_a_broken_file_is_refused_with_a_remedy(self, tmp_path):
        (tmp_path / "tui.toml").write_text("colour = 1\n")
        with pytest.raises(InputError, match=r"tui\.toml cannot be used: .*colour"):
            LocalrecApp(tmp_path, FakeServices())


async def test_without_colour_the_screen_says_the_same(open_app, monkeypatch):
    async with open_app() as pilot:
        pilot.app.screen.query_one(Prompt).value = "gin"
        await press(pilot, "enter")
        coloured = seen(pilot)
    monkeypatch.setenv("NO_COLOR", "1")
    async with open_app() as pilot:
        assert pilot.app.no_color
        pilot.app.screen.query_one(Prompt).value = "gin"
        await press(pilot, "enter")
        plain = seen(pilot)
    assert plain.splitlines()[:20] == coloured.splitlines()[:20]


class TestLog:
    async def test_is_saved_for_its_owner_alone(self, open_app, tmp_path):
        async with open_app() as pilot:
            log.warning("a %s warning", "planted")
            await press(pilot, "f9")
            assert isinstance(pilot.app.screen, LogScreen)
            assert "a planted warning" in seen(pilot)
            await press(pilot, "s", "escape")
            assert isinstance(pilot.app.screen, AskScreen)
        [file] = (tmp_path / "logs").iterdir()
        assert "a planted warning" in file.read_text()
        assert file.stat().st_mode & 0o777 == 0o600

    async def test_holds_no_question_and_no_name(self, open_app):
        async with open_app() as pilot:
            pilot.app.user = "anna-the-first"
            pilot.app.screen.query_one(Prompt).value = "a very private question"
            await press(pilot, "enter", "down", "l")
            told = "\n".join(pilot.app.logbook.lines)
        assert "private" not in told
        assert "anna" not in told


async def test_every_size_from_tiny_to_very_wide_is_drawn(open_app):
    async with open_app((80, 24)) as pilot:
        pilot.app.screen.query_one(Prompt).value = "gin"
        await press(pilot, "enter")
        for size in ((20, 8), (40, 12), (99, 24), (100, 24), (300, 80)):
            await pilot.resize_terminal(*size)
            await settled(pilot)
            assert len(seen(pilot).splitlines()) <= size[1]


async def test_two_keys_at_once_close_a_dialog_and_not_what_lies_behind(open_app):
    async with open_app() as pilot:
        await press(pilot, "f6")
        dialog = pilot.app.screen
        dialog.dismiss("marc-model")
        dialog.dismiss("marc-model")
        await settled(pilot)
        assert isinstance(pilot.app.screen, AskScreen)


async def test_a_click_on_what_is_just_being_removed_does_nothing(open_app):
    async with open_app() as pilot:
        screen = pilot.app.screen
        gone = next(one for one in screen.query(Static) if one.region.area)
        place, parent = gone.region.offset, gone._parent
        gone._parent = None  # as a list leaves its lines before it is drawn anew
        screen._forward_event(MouseDown(gone, *place, 0, 0, 1, False, False, False, *place))
        gone._parent = parent
        assert screen._select_state is None


async def test_keys_that_the_foot_shows_no_longer_are_let_go(open_app):
    async with open_app() as pilot:
        for _ in range(8):
            await press(pilot, "f1", "escape")
        gc.collect()
        kept = [one for one in gc.get_objects() if isinstance(one, FooterKey)]
        # What was drawn last is dropped when something else is drawn.
        assert len(kept) <= 6 * len(pilot.app.screen.query(FooterKey))


def test_the_first_paint_waits_for_nothing_heavy(tmp_path):
    painted = subprocess.run(
        [sys.executable, "-c", FIRST_PAINT, tmp_path], capture_output=True, text=True, check=True
    )
    assert json.loads(painted.stdout.splitlines()[0]) == []


def test_the_command_needs_a_terminal(run_localrec):
    finished = run_localrec("tui")
    assert finished.returncode == 2
    assert "localrec ask --plain" in finished.stderr


def test_the_command_prints_no_json(run_localrec):
    finished = run_localrec("--json", "tui")
    assert (finished.returncode, finished.stdout) == (2, "")

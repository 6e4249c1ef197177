"""The ranking that is being learnt: seen in every room, begun and stopped from everywhere."""

import threading

import msgspec
import pytest

from localrec.foundation.errors import BusyError
from localrec.ranking.learned.progress_file import folder_of, is_held, running_fits
from localrec_tui.log_buffer import log
from localrec_tui.services.learning import LearningService
from localrec_tui.services.records import RequestHandle
from localrec_tui.widgets.prompt import Prompt
from localrec_tui.workers import run_in_thread

from .conftest import NARROW, WIDE, press, seen, settled
from .fake_learning import a_fit


async def look(pilot):
    """What the app does by itself every few seconds."""
    pilot.app.look_at_learning()
    await settled(pilot)


def told(pilot):
    return [one.message for one in pilot.app._notifications]


class TestStatusLine:
    @pytest.mark.parametrize("size", [NARROW, WIDE])
    async def test_says_in_every_room_how_far_it_is(self, open_app, services, size):
        services.learning.fits = (a_fit(),)
        async with open_app(size) as pilot:
            for mode in pilot.app.main_screens():
                pilot.app.switch_mode(mode)
                await settled(pilot)
                assert "Learning a better list (fitting: ease, 3 of 12, 1 min" in seen(pilot), mode

    async def test_says_that_the_list_is_as_before_until_then(self, open_app, services):
        services.learning.fits = (a_fit(),)
        async with open_app(WIDE) as pilot:
            assert "Until then the list as before." in seen(pilot)

    async def test_says_how_long_it_still_takes_once_that_is_known(self, open_app, services):
        services.learning.fits = (msgspec.structs.replace(a_fit(), left=200.0),)
        async with open_app(WIDE) as pilot:
            assert "about 3 min 20 s left" in seen(pilot)

    async def test_follows_a_fit_and_goes_when_it_is_done(self, open_app, services):
        async with open_app() as pilot:
            assert "Learning" not in seen(pilot)
            services.learning.fits = (a_fit("training sasrec", 7, 30),)
            await look(pilot)
            assert "training sasrec, 7 of 30" in seen(pilot)
            services.learning.fits = ()
            await look(pilot)
            assert "Learning" not in seen(pilot)

    async def test_is_looked_up_beside_the_thread_that_draws(self, open_app, services):
        threads = []

        def running():
            threads.append(threading.current_thread())
            return ()

        services.learning.running = running
        async with open_app() as pilot:
            await look(pilot)
        assert len(threads) >= 2
        assert threading.main_thread() not in threads

    async def test_leaves_no_trace_in_the_log(self, open_app, monkeypatch):
        lines = []
        monkeypatch.setattr(log, "info", lambda form, *values: lines.append(form % values))
        async with open_app() as pilot:
            await look(pilot)
            run_in_thread(pilot.app, "something else", lambda: None)
            await settled(pilot)
        assert any("something else" in line for line in lines)
        assert not any("learning" in line for line in lines)


class TestCommands:
    async def test_stand_in_the_palette_with_their_keys(self, open_app):
        async with open_app() as pilot:
            offered = {
                one.title: one.help for one in pilot.app.get_system_commands(pilot.app.screen)
            }
        assert "F12" in offered["Learn the ranking now"]
        assert "Shift+F12" in offered["Stop learning"]

    async def test_take_keys_of_ones_own(self, open_app, services, tmp_path):
        keymap = '[keymap]\nlearn = "ctrl+r"\nstop_learning = "ctrl+t"\n'
        (tmp_path / "tui.toml").write_text(keymap)
        async with open_app() as pilot:
            await press(pilot, "ctrl+r", "ctrl+t")
            assert services.learning.told == [("learn",), ("halt",)]
            assert not any("no action" in one for one in told(pilot))

    async def test_learning_tells_from_what(self, open_app, services):
        async with open_app() as pilot:
            await press(pilot, "f12")
            assert "cocktails: learnt from 40 interactions; what counts: ease." in told(pilot)
            await press(pilot, "f12")
        assert services.learning.told == [("learn",), ("learn",)]

    async def test_learning_begins_once(self, open_app, services):
        services.learning.fits = (a_fit(),)
        async with open_app() as pilot:
            await press(pilot, "f12")
            assert told(pilot) == ["A ranking is being learnt already."]
        assert services.learning.told == []

    async def test_stopping_reaches_what_began_elsewhere(self, open_app, services):
        services.learning.fits = (a_fit(),)
        async with open_app() as pilot:
            await press(pilot, "f24")
            assert told(pilot) == [
                "Learning stops at a safe place, and goes on there the next time."
            ]
            await press(pilot, "f24")
            assert told(pilot)[-1] == "Nothing is being learnt."

    async def test_feedback_and_questions_go_on_while_it_learns(self, open_app, services):
        services.learning.goes_on.clear()
        async with open_app(user="anna") as pilot:
            await pilot.press("f12")
            pilot.app.screen.query_one(Prompt).value = "gin"
            for key in ("enter", "down", "l"):
                await pilot.press(key)
                await until(pilot, lambda: "Gimlet has gin." in seen(pilot))
            await until(pilot, lambda: bool(services.words))
            assert services.words[0].item == "gimlet"
            await press(pilot, "f24")
            await press(pilot, "f12")  # it stopped, so that it may begin again
        assert services.learning.told == [("learn",), ("halt",), ("learn",)]

    async def test_a_failure_is_told_and_lets_it_begin_again(self, open_app, services):
        async with open_app() as pilot:
            services.learning.trouble = BusyError("Another learns.", "localrec learn --status")
            await press(pilot, "f12")
            assert "Another learns.\nlocalrec learn --status" in told(pilot)
            await press(pilot, "f12")
        assert services.learning.told == [("learn",), ("learn",)]


async def until(pilot, holds):
    """Wait for what a thread does while another one goes on."""
    for _ in range(500):
        if holds():
            return
        await pilot.pause(0.01)
    raise AssertionError(seen(pilot))


class TestBehindIt:
    @pytest.fixture
    def indexes(self, tmp_path):
        return tmp_path / "indexes"

    def write(self, indexes, domain, fit):
        folder = folder_of(indexes, domain)
        folder.mkdir(parents=True)
        (folder / "progress.json").write_bytes(msgspec.json.encode(fit))

    def test_reads_the_fits_of_all_domains_that_live(self, indexes, tmp_path):
        dead = msgspec.structs.replace(a_fit(), process=2**22 + 1)
        late = msgspec.structs.replace(a_fit("late"), began=a_fit().began + 5)
        self.write(indexes, "books", dead)
        self.write(indexes, "films", late)
        self.write(indexes, "drinks", a_fit("early"))
        (folder_of(indexes, "drinks") / "ranker.json").write_text("{}")
        assert [one.what for one in LearningService(tmp_path).running()] == ["early", "late"]

    def test_of_a_torn_file_or_none_nothing_runs(self, indexes):
        assert running_fits(indexes) == ()
        self.write(indexes, "books", {"process": 1})
        assert running_fits(indexes) == ()

    def test_stops_each_process_as_a_key_in_its_terminal_would(
        self, indexes, tmp_path, monkeypatch
    ):
        sent = []
        monkeypatch.setattr("os.kill", lambda process, number: sent.append((process, number)))
        fit = a_fit()
        self.write(indexes, "books", fit)
        assert LearningService(tmp_path).halt(None) == 1
        assert [int(number) for _, number in sent if number] == [2]
        assert {process for process, _ in sent} == {fit.process}

    @pytest.mark.parametrize("request_of_app", [None, RequestHandle()])
    def test_what_it_stopped_does_not_begin_again_by_itself(
        self, indexes, tmp_path, monkeypatch, request_of_app
    ):
        monkeypatch.setattr("os.kill", lambda process, number: None)
        self.write(indexes, "books", a_fit())
        self.write(indexes, "films", msgspec.structs.replace(a_fit(), process=2**22 + 1))
        (folder_of(indexes, "films") / "progress.json").unlink()
        LearningService(tmp_path).halt(request_of_app)
        assert is_held(indexes, "books")
        assert not is_held(indexes, "films")

    def test_learns_by_the_command_and_says_from_what(self, own_bar):
        learning = LearningService(own_bar)
        assert learning.learn(RequestHandle()) == {
            "cocktails": "too few interactions to learn from"
        }
        learning.close()

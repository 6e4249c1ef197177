"""The dialogs tell all that they have to tell, in words of people, in the smallest window too."""

import msgspec
import pytest
from textual.widgets import Input

from localrec.foundation.errors import InputError
from localrec.privacy.store_rewrite import LeakFinding
from localrec_tui.screens.forget import ForgetDialog
from localrec_tui.screens.path import PathDialog
from localrec_tui.screens.text import TextDialog
from localrec_tui.services.transfers import ImportUndo
from localrec_tui.widgets.forget_texts import forget_text
from localrec_tui.widgets.prompt import Prompt

from .conftest import NARROW, WIDE, press, seen, settled, write
from .fake_memory import FORESEEN, FORGOTTEN

LONG_NAME = "goodreads_library_export_of_the_whole_of_last_year.csv"


def told(pilot):
    """What stands on the screen as one line, frames left out."""
    return " ".join(seen(pilot).replace("│", " ").split())


class TestQuestion:
    @pytest.mark.parametrize("size", [NARROW, WIDE])
    async def test_of_an_import_stands_there_to_its_end(self, open_app, services, size):
        services.transfers.import_undo = lambda: ImportUndo(file=LONG_NAME, words=0)
        async with open_app(size, mode="data") as pilot:
            await press(pilot, "z")
            asked = told(pilot)
        assert f"Take back the import of {LONG_NAME}?" in asked
        assert "What was changed on shelves and in memories since then goes too." in asked
        assert "Words that were taken back since then return." in asked
        assert "So do" not in asked


class TestAWrongPath:
    async def test_of_an_import_is_asked_for_again_as_it_was_typed(self, open_app, services):
        async with open_app(NARROW, mode="data") as pilot:
            services.transfers.look = _refusing("There is no file films.csv.")
            await pilot.press("i")
            await pilot.pause(0.1)  # its tree of files reads on in a worker that does not end
            pilot.app.screen.query_one(Input).value = "films.csv"
            await pilot.press("enter")
            await pilot.pause(0.2)
            assert isinstance(pilot.app.screen, PathDialog)
            assert pilot.app.screen.query_one(Input).value == "films.csv"
            assert "There is no file films.csv. Try another." in told(pilot)
            assert "Take it" in seen(pilot)  # the foot is there too
            await pilot.press("escape")
            await settled(pilot)
            assert "Looking what it is" not in seen(pilot)

    async def test_of_an_answer_is_asked_for_again_and_leaves_no_error(self, open_app, tmp_path):
        async with open_app(NARROW) as pilot:
            pilot.app.screen.query_one(Prompt).value = "a gin drink"
            await press(pilot, "enter", "down", "w")
            typed = str(tmp_path / "none" / "answer.md")
            pilot.app.screen.query_one(Input).value = typed
            await press(pilot, "enter")
            assert isinstance(pilot.app.screen, TextDialog)
            assert pilot.app.screen.query_one(Input).value == typed
            assert "cannot be written" in told(pilot)
            pilot.app.screen.query_one(Input).value = ""
            await write(pilot, str(tmp_path / "answer.md"))
            await press(pilot, "enter")
            assert "cannot be written" not in told(pilot)
            assert "Gimlet has gin." in seen(pilot)
        assert (tmp_path / "answer.md").read_text().startswith("# a gin drink")


class TestPerson:
    async def test_is_told_whole_beside_a_long_list(self, open_app, services):
        services.known = tuple(f"person-{number:02}" for number in range(20))
        async with open_app(NARROW) as pilot:
            await press(pilot, "f2")
            assert "on this machine. Enter takes it." in told(pilot)
            assert "esc Cancel" in seen(pilot)


class TestForgetting:
    def test_tells_what_people_know_by_name_before_the_tables(self):
        foreseen = forget_text(FORESEEN).plain
        plain, details = foreseen.split("\n\nIn detail\n")
        assert plain.splitlines() == [
            "What would go:",
            "  9 entries of the history: what was said of items",
            "  2 remembered texts",
            "  1 import",
            "  5 names: the person, and what came with them alone",
            "  1 fact about them: what belongs to what",
            "  3 measures of meanings: by which they are found",
            "  1 search file: the next question makes it anew",
            "  1 question that you asked, in asked.jsonl",
            "  1 line of the file person.jsonl",
        ]
        assert "  1 row of the table import_receipt" in details.splitlines()
        assert "  9 rows of the table interaction" in details.splitlines()

    def test_counts_what_was_searched_in_good_english(self):
        plain, details = forget_text(FORGOTTEN).plain.split("\n\nIn detail\n")
        assert plain.startswith("What went:")
        assert plain.endswith("No trace was found.")
        assert "Looked for 1 key and 1 text in 30 columns and 4 files (9,000 bytes)." in details
        assert "1 key only between quotes" in details

    def test_hides_no_trace_that_is_left(self):
        trace = LeakFinding(place="node.name", what="key", count=2)
        left = msgspec.structs.replace(FORGOTTEN, found=(trace,), undated=1)
        plain = forget_text(left).plain
        assert "STILL THERE, 2 times: a forgotten name, in node.name" in plain
        assert "1 thing without a date stays: nobody knows when it happened." in plain
        assert "No trace was found." not in plain

    async def test_can_be_read_to_its_end_and_is_closed_once_it_is_done(self, open_app):
        async with open_app(NARROW, mode="data", user="anna") as pilot:
            await press(pilot, "f", "enter")
            dialog = pilot.app.screen
            assert isinstance(dialog, ForgetDialog)
            assert "↑↓ Scroll" in seen(pilot)
            assert "esc Cancel" in seen(pilot)
            assert "table memory" not in seen(pilot)
            await press(pilot, *["down"] * 11)
            assert "2 rows of the table memory" in seen(pilot)
            await write(pilot, "anna")
            await press(pilot, "enter")
            assert "What went:" in seen(pilot)  # from its first line on
            assert "esc Close" in seen(pilot)
            assert "Cancel" not in seen(pilot)
            await press(pilot, "escape")
            assert pilot.app.screen is not dialog
            assert pilot.app.user is None


def _refusing(why):
    def look(path):
        raise InputError(why, "Try another.")

    return look

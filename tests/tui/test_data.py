"""The Data room: files in and out, a look before, a way back; and leaving while something runs."""

import re

import msgspec
import pytest
from textual.widgets import Input

from localrec.foundation.errors import BusyError
from localrec_tui.screens.data import DataScreen
from localrec_tui.screens.quitting import QuitDialog
from localrec_tui.screens.receipt import ReceiptDialog
from localrec_tui.screens.user import UserDialog
from localrec_tui.services.import_look import ColumnFate, FileKind, FileLook
from localrec_tui.services.records import ImportRequest
from localrec_tui.services.transfers import DatasetSummary
from localrec_tui.widgets.cells import FittedTable

from .conftest import WIDE, press, seen, settled


def called(services):
    return [name for name, *_ in services.transfers.told]


def exported(services):
    return [wanted for what, wanted in services.transfers.told if what == "export"]


async def choose_file(pilot, path="films.zip"):
    await pilot.press("i")
    await pilot.pause(0.1)  # its tree of files reads on in a worker that does not end
    pilot.app.screen.query_one(Input).value = path
    await press(pilot, "enter")
    await settled(pilot)


class TestImport:
    async def test_shows_what_would_be_kept_before_anything_changes(self, open_app, services):
        async with open_app(WIDE, mode="data") as pilot:
            await choose_file(pilot)
            assert isinstance(pilot.app.screen, ReceiptDialog)
            told = seen(pilot)
        assert "6 rows read: 5 would be kept, 0 merged, 1 dropped." in told
        assert "row 4, Year: dropped: no year" in told
        assert called(services) == ["look", "dry_run"]

    async def test_takes_it_in_with_enter_and_back_with_z(self, open_app, services):
        async with open_app(WIDE, mode="data") as pilot:
            await choose_file(pilot)
            await press(pilot, "enter")
            await settled(pilot)
            assert "5 rows of films.zip are in. Z takes that back" in seen(pilot)
            await press(pilot, "z", "down", "enter")
            assert "The store is as it was before the last import." in seen(pilot)
        assert called(services) == ["look", "dry_run", "import_file", "undo_import"]

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (0, "What was changed on shelves"),
            (1, "1 word given since then goes too."),
            (3, "3 words given since"),
        ],
    )
    async def test_is_taken_back_only_after_saying_what_goes_with_it(
        self, open_app, services, words, told
    ):
        services.transfers.words = words
        async with open_app(WIDE, mode="data") as pilot:
            await press(pilot, "z")
            asked = " ".join(seen(pilot).replace("│", " ").split())
            assert "Take back the import of films.zip?" in asked
            assert told in asked
            assert ("given since then" in asked) == (words > 0)
            await press(pilot, "enter")  # the first choice leaves all as it is
            await press(pilot, "z", "escape")
        assert called(services) == []

    async def test_leaves_all_as_it_was_with_escape(self, open_app, services):
        async with open_app(WIDE, mode="data") as pilot:
            await choose_file(pilot)
            await press(pilot, "escape")
            assert "Nothing was imported." in seen(pilot)
        assert "import_file" not in called(services)

    async def test_asks_whose_export_it_is(self, open_app, services):
        services.transfers.found = FileLook(path="", kind=FileKind.EXPORT)
        async with open_app(WIDE, mode="data") as pilot:
            await choose_file(pilot)
            assert isinstance(pilot.app.screen, UserDialog)
            pilot.app.screen.query_one(Input).value = "zoe"
            await settled(pilot)
            await press(pilot, "enter")
            await settled(pilot)
        assert services.transfers.told[-1] == (
            "dry_run",
            ImportRequest(path="films.zip", user="zoe"),
        )

    async def test_says_why_a_file_cannot_be_taken(self, open_app, services):
        async with open_app(WIDE, mode="data") as pilot:
            services.transfers.trouble = BusyError("Process 7 has the store.", "Wait.")
            await choose_file(pilot, "x")
            assert isinstance(pilot.app.screen, DataScreen)
            assert "Process 7 has the store. Wait." in seen(pilot)


class TestOwnCatalogue:
    WINES = FileLook(
        path="",
        kind=FileKind.TABLE,
        rows=600,
        domain="winemag",
        columns=(ColumnFate("title", "Nicosia 2013", "the item's name"),),
    )

    async def test_shows_what_becomes_of_its_columns_and_takes_a_name(self, open_app, services):
        services.transfers.found = self.WINES
        async with open_app(WIDE, mode="data") as pilot:
            await choose_file(pilot, "winemag.csv")
            told = seen(pilot)
            assert "winemag.csv: 600 things of a new kind" in told
            assert re.search("title +Nicosia 2013 +the item's name", told)
            pilot.app.screen.query_one(Input).value = "Fine Wines"
            await press(pilot, "enter")
            assert "6 rows read" in seen(pilot)
            await press(pilot, "enter")
            assert "Home has questions to begin with" in seen(pilot)
        wanted = ImportRequest(path="winemag.csv", domain="fine-wines")
        assert services.transfers.told[-1] == ("import_file", wanted)

    async def test_says_why_a_name_cannot_be_taken_and_asks_on(self, open_app, services):
        services.transfers.found = self.WINES
        async with open_app(WIDE, mode="data") as pilot:
            await choose_file(pilot, "winemag.csv")
            for name, why in (("movies", "is here already"), ("a/b", "cannot name a domain")):
                pilot.app.screen.query_one(Input).value = name
                await press(pilot, "enter")
                assert why in seen(pilot)
        assert called(services) == ["look"]

    async def test_of_ratings_may_be_what_one_person_did(self, open_app, services):
        services.transfers.found = msgspec.structs.replace(self.WINES, kind=FileKind.EITHER)
        async with open_app(WIDE, mode="data", user="anna") as pilot:
            await choose_file(pilot, "winemag.csv")
            assert "What is winemag.csv, with 600 rows?" in seen(pilot)
            await press(pilot, "down", "enter")
            pilot.app.screen.query_one(Input).value = "wines"
            await press(pilot, "enter")
        wanted = ImportRequest(path="winemag.csv", user="anna", domain="wines")
        assert services.transfers.told[-1] == ("dry_run", wanted)

    async def test_of_many_people_asks_what_it_is_about_where_nothing_tells(
        self, open_app, services
    ):
        services.transfers.found = FileLook(path="", kind=FileKind.HISTORY, rows=9)
        async with open_app(WIDE, mode="data") as pilot:
            await choose_file(pilot, "log.csv")
            assert "What is it about?" in seen(pilot)
            pilot.app.screen.query_one(Input).value = "Board games"
            await press(pilot, "enter")
        wanted = ImportRequest(path="log.csv", domain="board-games")
        assert services.transfers.told[-1] == ("dry_run", wanted)


class TestExport:
    async def test_writes_what_was_chosen_to_the_named_file(self, open_app, services, tmp_path):
        async with open_app(WIDE, mode="data", user="anna") as pilot:
            await press(pilot, "x")
            assert re.search("the history of anna: drinks +CSV", seen(pilot))
            await press(pilot, "enter", "enter")
            pilot.app.screen.query_one(Input).value = str(tmp_path / "mine.csv")
            await press(pilot, "enter")
            assert "4 rows are in" in seen(pilot)
        [wanted] = exported(services)
        assert (wanted.what, wanted.user, wanted.domain) == ("history", "anna", "cocktails")
        assert wanted.out == str(tmp_path / "mine.csv")

    async def test_proposes_a_name_that_no_file_bears(
        self, open_app, services, tmp_path, monkeypatch
    ):
        monkeypatch.setenv("HOME", str(tmp_path))
        (tmp_path / "movies.csv").touch()
        async with open_app(WIDE, mode="data") as pilot:
            await press(pilot, "x", "down", "enter", "enter")
        assert [one.out for one in exported(services)] == [str(tmp_path / "movies-2.csv")]

    async def test_asks_in_which_format(self, open_app, services, tmp_path, monkeypatch):
        monkeypatch.setenv("HOME", str(tmp_path))
        async with open_app(WIDE, mode="data", user="anna") as pilot:
            await press(pilot, "x", "enter")
            assert "In which format?" in seen(pilot)
            await press(pilot, "end", "enter", "enter")
        [wanted] = exported(services)
        assert wanted.form == "parquet"
        assert wanted.out == str(tmp_path / "anna-history-cocktails.parquet")

    async def test_takes_the_format_that_the_typed_name_says(self, open_app, services, tmp_path):
        async with open_app(WIDE, mode="data", user="anna") as pilot:
            await press(pilot, "x", "enter", "enter")
            pilot.app.screen.query_one(Input).value = str(tmp_path / "mine.json")
            await press(pilot, "enter")
        assert [one.form for one in exported(services)] == ["json"]

    async def test_replaces_a_file_on_request_only(self, open_app, services, tmp_path):
        place = tmp_path / "mine.csv"
        place.touch()
        async with open_app(WIDE, mode="data") as pilot:
            await press(pilot, "x", "enter", "enter")
            pilot.app.screen.query_one(Input).value = str(place)
            await press(pilot, "enter")
            assert "is there already." in seen(pilot)
            assert exported(services) == []
            await press(pilot, "down", "enter")
        assert [(one.out, one.replaces) for one in exported(services)] == [(str(place), True)]


class TestLongWork:
    @pytest.mark.parametrize("mode", ["home", "ask", "training"])
    async def test_is_seen_in_every_room(self, open_app, services, mode):
        services.transfers.goes_on.clear()
        async with open_app(WIDE, mode="data") as pilot:
            await pilot.press("down", "p")
            await pilot.pause(0.2)
            pilot.app.switch_mode(mode)
            await pilot.pause(0.2)
            assert "Pulling ml-100k: files 1 of 3" in seen(pilot)
            services.transfers.goes_on.set()
            await settled(pilot)
            assert "Pulling" not in seen(pilot)

    async def test_is_asked_about_before_the_app_ends(self, open_app, services):
        services.transfers.goes_on.clear()
        async with open_app(WIDE, mode="data") as pilot:
            await pilot.press("down", "p")
            await pilot.pause(0.2)
            await pilot.press("ctrl+q")
            await pilot.pause(0.2)
            assert isinstance(pilot.app.screen, QuitDialog)
            assert "begins again with P" in seen(pilot)
            await pilot.press("enter")  # stay
            await pilot.pause(0.2)
            assert pilot.app.is_running
            assert isinstance(pilot.app.screen, DataScreen)
            services.transfers.goes_on.set()
            await settled(pilot)

    async def test_ends_the_app_at_once_where_nothing_runs(self, open_app):
        async with open_app(WIDE, mode="data") as pilot:
            await pilot.press("ctrl+q")
            assert not isinstance(pilot.app.screen, QuitDialog)


async def test_settings_that_are_none_change_nothing(open_app, tmp_path):
    async with open_app(WIDE, mode="data") as pilot:
        await press(pilot, "s")
        pilot.app.screen.query_one("TextArea").text = "no_such_setting = 1"
        await press(pilot, "ctrl+s")
        told = " ".join(one.message for one in pilot.app._notifications)
        assert "These settings cannot be used" in told
    assert not (tmp_path / "settings.toml").exists()


class TestTables:
    @pytest.mark.parametrize("mode", ["data", "models", "runs", "training"])
    @pytest.mark.parametrize("width", [80, 100, 120])
    async def test_keep_all_columns_in_the_window(self, open_app, services, mode, width):
        long = "A sentence that is longer than any of the columns of this table may be, and goes on"
        services.transfers.datasets = lambda: (
            DatasetSummary(
                name="ml-100k", title=long, domain="movies", licence=f"L {long}", here=True
            ),
        )
        [model, *_] = services.models.models()
        services.models.models = lambda: (msgspec.structs.replace(model, title=long),)
        async with open_app((width, 24), mode=mode) as pilot:
            table = pilot.app.screen.query(FittedTable).first()
            await settled(pilot)
            assert table.row_count or mode in ("runs", "training")
            assert table.virtual_size.width <= table.scrollable_content_region.width
            if table.row_count:
                assert "A sentence that" in seen(pilot)
                assert seen(pilot).count("…") >= (2 if mode == "data" else 1)

    async def test_show_more_of_a_text_where_there_is_more_room(self, open_app):
        async with open_app(WIDE, mode="data") as pilot:
            table = pilot.app.screen.query_one(FittedTable)
            table.fill([("one", "yes", "word " * 40, "CC0")])
            await settled(pilot)
            narrow = len(str(table.get_row_at(0)[2]))
            await pilot.resize_terminal(200, 45)
            await settled(pilot)
            assert len(str(table.get_row_at(0)[2])) > narrow


class TestForgetting:
    async def test_offers_each_domain_for_itself(self, open_app, services):
        [drinks] = services.domains()
        films = msgspec.structs.replace(drinks, name="movies", plural="films")
        services.domains = lambda: (drinks, films)
        async with open_app(WIDE, mode="data", user="anna") as pilot:
            await press(pilot, "f")
            told = seen(pilot)
        assert "only drinks" in told
        assert "only films" in told

"""The History room: all that one said, to search, change and take back."""

import pytest

from localrec.data.rows import Event
from localrec_tui.screens.choice import ChoiceDialog

from .conftest import WIDE, press, seen, settled, write
from .fake_people import line


@pytest.fixture
def said(services):
    services.feedback.said = (
        line("negroni", Event.RATED, source="letterboxd", stars=4.0),
        line("gimlet", Event.DISLIKED, note="too sour"),
    )
    return services


async def test_lists_what_was_said_here_and_elsewhere(open_app, said):
    async with open_app(WIDE, mode="history", user="anna") as pilot:
        await settled(pilot)
        told = seen(pilot)
    assert "gave 4 of 5 (Letterboxd)" in told
    assert "too sour" in told
    assert "2 lines." in told


async def test_says_who_is_missing(open_app, said):
    async with open_app(WIDE, mode="history") as pilot:
        assert "F2 says whose history this is." in seen(pilot)


async def test_searches_while_one_types(open_app, said):
    async with open_app(WIDE, mode="history", user="anna") as pilot:
        await press(pilot, "slash")
        await write(pilot, "sour")
        assert "1 line." in seen(pilot)
        await press(pilot, "escape")
        assert "2 lines." in seen(pilot)
    assert not said.words


async def test_changes_a_word_to_stars(open_app, said):
    async with open_app(WIDE, mode="history", user="anna") as pilot:
        await press(pilot, "down", "e")
        assert isinstance(pilot.app.screen, ChoiceDialog)
        await press(pilot, "end", "enter")
    [word] = said.words
    assert (word.item, word.event, word.stars) == ("gimlet", Event.RATED, 5.0)


async def test_takes_a_word_back(open_app, said):
    async with open_app(WIDE, mode="history", user="anna") as pilot:
        await press(pilot, "down", "delete")
        await settled(pilot)
        assert "1 line." in seen(pilot)
    assert [one.key for one in said.feedback.said] == ["negroni"]


async def test_says_that_an_export_cannot_be_taken_back(open_app, said):
    async with open_app(WIDE, mode="history", user="anna") as pilot:
        await press(pilot, "delete")
        await settled(pilot)
        told = " ".join(one.message for one in pilot.app._notifications)
        assert "came with an export" in told
    assert len(said.feedback.said) == 2

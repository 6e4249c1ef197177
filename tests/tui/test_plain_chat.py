"""`ask --plain`: a conversation that a screen reader can follow."""

import io
import re

import pytest

from localrec.cli.plain_chat import ChatOptions, PlainChat, converse
from localrec.foundation.errors import UsageError
from localrec.graph.interactions import load_user_history, user_node
from localrec.workspace import OpenWorkspace


@pytest.fixture
def talk(own_bar):
    return ChatOptions(workspace=own_bar)


@pytest.fixture
def conversation(talk):
    chat = PlainChat(talk)
    yield chat
    chat.close()


def said(conversation, line):
    return list(conversation.reply(line))


class TestConversation:
    def test_reads_an_answer_in_whole_sentences(self, conversation):
        lines = said(conversation, "a drink with campari but no gin")
        assert lines[0] == "1: Americano."
        assert lines[1].startswith("Americano has ")

    def test_reads_the_last_answer_again(self, conversation):
        lines = said(conversation, "a gin drink")
        assert said(conversation, "Again") == lines

    def test_tells_more_about_an_item(self, conversation):
        said(conversation, "a drink with campari but no gin")
        lines = said(conversation, "more 1")
        assert "Americano, has ingredient, campari, 3 cl." in [
            line.lower().replace("americano", "Americano", 1) for line in lines
        ]

    def test_goes_on_from_the_question_before(self, conversation):
        first = said(conversation, "a drink with campari")
        assert "1: Americano." not in first[:1]
        refined = said(conversation, "but without gin")
        assert refined[0] == "1: Americano."
        assert all("Negroni" not in one for one in refined if one[:1].isdigit() and ":" in one[:3])

    def test_asks_for_itself_what_is_marked_as_new(self, conversation):
        said(conversation, "a drink with campari")
        said(conversation, "new: no gin")
        _, query = conversation._last_question
        assert [one.any_of for one in query.constraints] == [("gin",)]

    def test_opens_its_store_once_for_several_questions(self, conversation):
        said(conversation, "a drink with campari")
        opened = conversation._warm._opened
        said(conversation, "a gin drink")
        assert conversation._warm._opened is opened

    @pytest.mark.parametrize("line", ["like a Negroni", "more gin please", "seen enough rum"])
    def test_takes_a_question_for_a_question(self, conversation, line):
        assert any(one.startswith("1: ") for one in said(conversation, line))

    def test_stores_what_is_said_of_an_item_and_takes_it_back(self, conversation, own_bar):
        said(conversation, "a drink with campari but no gin")
        assert said(conversation, "I am  Zoe") == ["Hello, Zoe.", "'Zoe' is new here."]
        assert said(conversation, "not now 1") == ["Noted: Zoe puts off Americano."]
        told = said(conversation, "dislike 1 far too sweet")
        assert told == ["Noted: Zoe dislikes Americano, because: far too sweet"]
        with OpenWorkspace(own_bar) as opened:
            interactions = load_user_history(
                opened.store, user_node(opened.store, "cocktails", "Zoe")
            )
        assert list(interactions.events) == ["later", "disliked"]
        assert said(conversation, "undo")[0].startswith("Taken back: Zoe dislikes")
        assert said(conversation, "undo") == ["Taken back: Zoe puts off Americano."]
        assert said(conversation, "undo") == ["There is nothing to take back."]
        assert [line for line in said(conversation, "I am Zoe") if line] == ["Hello, Zoe."]
        assert "Did you mean Zoe?" in said(conversation, "I am Zoes")[1]

    def test_takes_nobody_s_word_for_nearly_somebody_s_unless_they_are_new(self, conversation):
        said(conversation, "a drink with campari but no gin")
        said(conversation, "I am Zoe")
        said(conversation, "like 1")
        said(conversation, "I am Zoes")
        with pytest.raises(UsageError, match=r"Did you mean Zoe.*type: I am new, Zoes"):
            said(conversation, "like 1")
        assert said(conversation, "I am new, Zoes")[0] == "Hello, Zoes."
        assert said(conversation, "like 1") == ["Noted: Zoes likes Americano."]

    @pytest.mark.parametrize(
        ("line", "error"),
        [
            ("again", "There is no answer yet. Type a question first."),
            ("more 1", "There is no item 1. Type again to hear the answer again."),
            ("undo", "I do not know who is speaking. Type: I am, and your name."),
            ("I am \u200b", "A person needs a key that can be read. Give --user a name."),
        ],
    )
    def test_says_what_to_do_instead(self, conversation, line, error):
        with pytest.raises(UsageError) as raised:
            said(conversation, line)
        assert str(raised.value) == error

    def test_has_nothing_to_say_to_an_empty_line(self, conversation):
        assert said(conversation, "   ") == []


class TestLines:
    def converse(self, talk, lines, monkeypatch, capsys, first=None):
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
        converse(talk, first)
        return capsys.readouterr().out

    def test_go_on_after_an_error_and_end_with_quit(self, talk, monkeypatch, capsys):
        lines = ["again", "a gin drink", "Quit", "help"]
        out = self.converse(talk, lines, monkeypatch, capsys)
        assert "There is no answer yet.\nType a question first.\n" in out
        assert "Negroni" in out
        assert "take back what you said last" not in out

    def test_begin_with_a_question_of_the_command(self, talk, monkeypatch, capsys):
        out = self.converse(talk, [], monkeypatch, capsys, "a rum drink")
        assert out.startswith("1: Daiquiri.")

    def test_hold_no_escape_and_no_drawing(self, talk, monkeypatch, capsys):
        lines = ["\x1b[31mgin\x1b[0m", "more 1", "help"]
        out = self.converse(talk, lines, monkeypatch, capsys)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f─│╭]", out)

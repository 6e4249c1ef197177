"""People, what they did, and feedback that can be taken back as if it had never been said."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.rows import Event
from localrec.foundation.errors import InputError
from localrec.graph import interactions
from localrec.graph.interactions import load_user_history, store_feedback, undo_feedback, user_node
from localrec.graph.store import Store
from tests.planted import BAR, planted_store

ITEMS = ("negroni", "mojito", "gimlet")


def item(store, key):
    return store.rows("SELECT node_id FROM node WHERE key = ? AND kind = 'cocktail'", [key])[0][0]


def say(store, key, event=Event.LIKED, user="ana", **more):
    return store_feedback(store, BAR.name, user, item(store, key), event, **more)


def told(store, user="ana"):
    """What is known of a person, without when it was said."""
    user_id = user_node(store, BAR.name, user)
    if user_id is None:
        return []
    interactions = load_user_history(store, user_id)
    stars = [None if np.isnan(one) else float(one) for one in interactions.ratings]
    return list(zip(interactions.items.tolist(), interactions.events.tolist(), stars, strict=True))


class TestFeedback:
    def test_is_stored_with_its_author_reason_and_moment(self, bar):
        before = datetime.now(UTC).replace(tzinfo=None)
        said = say(bar, "negroni", Event.RATED, rating=4.5, reason="Bitter\x1b[31m, good.")
        assert (said.user, said.item, said.name, said.event) == (
            "ana",
            "negroni",
            "Negroni",
            Event.RATED,
        )
        assert bar.rows('SELECT rating, note, source, times, "at" FROM interaction') == [
            (4.5, "Bitter, good.", "feedback", 1, said.at)
        ]
        assert before <= said.at <= datetime.now(UTC).replace(tzinfo=None)

    def test_makes_its_author_once(self, bar):
        for _ in range(2):
            say(bar, "negroni", user="  ana ")
        assert bar.rows("SELECT key, domain FROM node WHERE kind = 'user'") == [
            ("ana", "cocktails")
        ]

    def test_of_nobody_is_refused_and_leaves_nothing(self, bar):
        with pytest.raises(InputError, match="needs a key"):
            say(bar, "negroni", user="\u200b")
        assert bar.rows("SELECT count(*) FROM interaction") == [(0,)]
        assert user_node(bar, BAR.name, "\u200b") is None

    def test_that_is_cut_off_leaves_neither_row_nor_author(self, bar, monkeypatch):
        make = interactions.user_node

        def make_and_fail(*given, **more):
            make(*given, **more)
            raise KeyboardInterrupt

        monkeypatch.setattr(interactions, "user_node", make_and_fail)
        with pytest.raises(KeyboardInterrupt):
            say(bar, "negroni")
        assert bar.rows("SELECT count(*) FROM node WHERE kind = 'user'") == [(0,)]
        assert bar.rows("SELECT count(*) FROM interaction") == [(0,)]

    def test_is_read_oldest_first_after_what_has_no_date(self, bar):
        say(bar, "negroni")
        say(bar, "mojito", Event.DISLIKED)
        ana = user_node(bar, BAR.name, "ana")
        bar.execute(
            "INSERT INTO interaction VALUES (?, ?, 'seen', NULL, NULL, 1, 'table', NULL)",
            [ana, item(bar, "gimlet")],
        )
        assert [event for _, event, _ in told(bar)] == ["seen", "liked", "disliked"]

    def test_of_nobody_yet_is_empty_columns_of_the_right_types(self, bar):
        ana = user_node(bar, BAR.name, "ana", create=True)
        interactions = load_user_history(bar, ana)
        assert len(interactions) == 0
        assert interactions.items.dtype == np.int64
        assert interactions.ratings.dtype == np.float32
        assert interactions.at.dtype.kind == "M"


class TestUndo:
    def test_takes_back_the_newest_word_of_this_person(self, bar):
        say(bar, "negroni")
        said = say(bar, "mojito", Event.RATED, rating=2.0, reason="Sweet.")
        say(bar, "gimlet", user="bob")
        assert undo_feedback(bar, BAR.name, "ana") == said
        assert [event for _, event, _ in told(bar)] == ["liked"]
        assert len(told(bar, "bob")) == 1

    def test_may_be_about_one_item(self, bar):
        first = say(bar, "negroni")
        say(bar, "mojito")
        assert undo_feedback(bar, BAR.name, "ana", item(bar, "negroni")) == first
        assert [key for key, *_ in told(bar)] == [item(bar, "mojito")]

    def test_leaves_what_was_imported(self, bar):
        ana = user_node(bar, BAR.name, "ana", create=True)
        bar.execute(
            "INSERT INTO interaction VALUES (?, ?, 'rated', 4, now()::TIMESTAMP, 1, 'table', NULL)",
            [ana, item(bar, "gimlet")],
        )
        assert undo_feedback(bar, BAR.name, "ana") is None
        assert len(told(bar)) == 1

    @pytest.mark.parametrize("user", ["ana", "nobody", ""])
    def test_where_there_is_nothing_says_so(self, bar, user):
        assert undo_feedback(bar, BAR.name, user) is None

    def test_of_words_of_one_moment_takes_the_last_one(self, bar, monkeypatch):
        class Clock(datetime):
            @classmethod
            def now(cls, tz=None):
                return datetime(2026, 1, 1, tzinfo=tz)

        monkeypatch.setattr(interactions, "datetime", Clock)
        for event in (Event.LIKED, Event.DISLIKED, Event.SEEN):
            say(bar, "negroni", event)
        assert undo_feedback(bar, BAR.name, "ana").event is Event.SEEN
        assert undo_feedback(bar, BAR.name, "ana").event is Event.DISLIKED


WORDS = st.tuples(
    st.sampled_from(ITEMS),
    st.sampled_from([Event.LIKED, Event.DISLIKED, Event.SEEN, Event.LATER]),
)
UNDOS = st.one_of(st.just(("undo", None)), st.tuples(st.just("undo"), st.sampled_from(ITEMS)))


@pytest.fixture(scope="module")
def one_bar(tmp_path_factory):
    with planted_store(tmp_path_factory.mktemp("people")) as store:
        yield store


@settings(max_examples=60, deadline=None)
@given(script=st.lists(st.one_of(WORDS, UNDOS), max_size=12))
def test_what_was_undone_was_never_said(one_bar: Store, script):
    one_bar.execute("DELETE FROM interaction")
    left = []
    for what, how in script:
        if what != "undo":
            say(one_bar, what, how)
            left.append((what, how))
            continue
        undone = undo_feedback(
            one_bar, BAR.name, "ana", None if how is None else item(one_bar, how)
        )
        fitting = [place for place, (key, _) in enumerate(left) if how in (None, key)]
        assert (undone is None) == (not fitting)
        if fitting:
            assert (undone.item, undone.event) == left.pop(fitting[-1])
    assert told(one_bar) == [(item(one_bar, key), event.value, None) for key, event in left]


class TestPeople:
    def test_of_one_key_in_two_domains_are_apart(self, bar):
        here = user_node(bar, BAR.name, "ana", create=True)
        there = user_node(bar, "films", "ana", create=True)
        assert here != there
        assert user_node(bar, BAR.name, "ana") == here

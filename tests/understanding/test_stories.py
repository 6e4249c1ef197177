"""Sentences that only tell what happened name no wishes where another sentence asks."""

from __future__ import annotations

import numpy as np
import pytest

from localrec.understanding.mentions import find_mentions
from localrec.understanding.question_roles import PLACE, ROLES, RoleLimits, WordRoles
from localrec.understanding.role_decisions import refused_in_stories

from .records import bounds, refused, wanted


class TestStories:
    def test_what_is_named_in_a_story_is_no_wish(self, ask):
        query = ask("My sister dragged me to a disco in 2017. I would like some jazz.")
        assert wanted(query) == [("jazz",)] and not bounds(query)

    def test_its_words_are_not_looked_for_in_texts(self, ask):
        query = ask("Last week we had a zither on the balcony. Now I want some jazz.")
        assert not query.texts

    def test_a_question_of_one_sentence_is_no_story(self, ask):
        assert ("disco",) in wanted(ask("we had disco on and I want jazz"))

    def test_where_nothing_else_asks_for_anything_the_story_counts(self, ask):
        assert ("disco",) in wanted(ask("We danced to disco. It was lovely."))

    @pytest.mark.parametrize(
        "wish",
        [
            "I want another.",
            "Something similar, please.",
            "I need more of it.",
            "What pop goes with it?",
        ],
    )
    def test_what_a_wish_takes_up_counts(self, ask, wish):
        assert ("disco",) in wanted(ask(f"We danced to disco all summer. {wish}"))

    @pytest.mark.parametrize(
        "told",
        ["My aunt loved disco.", "They asked for disco.", "Dad always enjoyed his disco."],
    )
    def test_what_somebody_likes_or_asks_for_counts(self, ask, told):
        assert ("disco",) in wanted(ask(f"{told} I would like some pop."))

    def test_a_refusal_in_a_story_stays_one(self, ask):
        query = ask("We danced without disco. I would like some pop.")
        assert "disco" in refused(query)

    def test_an_item_that_somebody_heard_may_be_the_example(self, ask):
        query = ask("We listened to Waterloo all day. I want something like it, some jazz.")
        assert query.target == "waterloo"


class TestWhatIsNoStory:
    @pytest.mark.parametrize(
        "question",
        [
            "I would like some jazz. Recorded by ABBA last year.",
            "We decided on ABBA yesterday. I would like some jazz.",
            "I just heard ABBA. I would like some jazz.",
        ],
    )
    def test_what_adds_to_the_wish_or_was_decided_counts(self, ask, question):
        assert ("abba",) in wanted(ask(question))

    def test_a_bound_that_somebody_gave_counts(self, ask):
        query = ask("My boss gave me 30 dollars last week. I need some jazz.")
        assert bounds(query)["price"][1] == 30


@pytest.mark.parametrize(
    ("question", "year"),
    [
        ("I saw ABBA last week, now I want something made in 1994", (1994, 1994)),
        ("we heard that in 1981, some jazz please", None),
    ],
)
def test_a_year_behind_a_wish_bounds_it_and_one_of_a_memory_does_not(ask, question, year):
    assert bounds(ask(question)).get("year") == year


@pytest.mark.parametrize("no", ["I don't mind, anything", "no worries, anything", "anything"])
def test_unless_behind_an_indifferent_no_refuses(ask, no):
    assert "jazz" in refused(ask(f"{no} unless it has jazz"))


def test_what_is_still_to_hear_was_not_met(ask):
    assert ask("which ABBA songs have I still to hear?").met is False


def test_a_bound_behind_unless_is_the_most(ask):
    assert bounds(ask("some jazz, unless it is more than 20 dollars"))["price"][1] == 20


def test_the_us_is_a_country_and_us_are_people(ask):
    assert ("us",) in wanted(ask("jazz from the us"))
    assert ("us",) not in wanted(ask("play us some jazz"))


@pytest.mark.parametrize(("share", "kept"), [(0.9, ["disco"]), (0.1, [])])
def test_what_the_network_hears_refused_in_a_story_stays(vocabulary, share, kept):
    reading = vocabulary.read("The disco gave her hives. I would like some jazz.")
    mentions = find_mentions(reading, vocabulary)
    shares = np.zeros((len(reading.words), len(ROLES)), dtype=np.float32)
    shares[:, PLACE["barred"]] = share
    told = refused_in_stories(WordRoles(shares, RoleLimits()), mentions, frozenset(range(5)))
    assert [one.meaning.key for one in told] == kept

"""What each tool says of a cinema whose answers are known."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from localrec.agent.tool_context import RequestConstraint
from localrec.agent.tools import (
    TOOLS,
    candidates_analyze,
    check_demands,
    get_rating_behaviour,
    get_session_behaviour,
    get_similar_items,
    get_similar_users,
    get_user_profile,
    item_info_search,
    likely_next,
    path_between,
    shared_taste,
)
from localrec.graph.user_profile import preferences_of_stars

from .world import TODAY, UNSEEN, Compass, a_desk, everything_said, make_reference, without_history

HORROR = [0, 2, 4, 6]  # places of the candidates
COMEDIES = [1, 3, 5, 7]
COMPARING = [
    get_user_profile,
    get_session_behaviour,
    get_rating_behaviour,
    get_similar_users,
    shared_taste,
]


@pytest.fixture(scope="module")
def reference():
    return make_reference()


@pytest.fixture(scope="module")
def guided():
    return make_reference(sequential=Compass())


@pytest.fixture
def tool_context(reference):
    return a_desk(reference)


def lines_of(said):
    return said.text.split("\n")


class TestEvidence:
    @pytest.mark.parametrize("tool", COMPARING, ids=lambda tool: tool.name)
    def test_is_higher_for_candidates_of_the_own_camp(self, tool, tool_context):
        scores = tool.run(tool_context).scores
        assert scores.shape == (8,)
        assert scores[HORROR].mean() > scores[COMEDIES].mean()

    def test_of_the_category_is_what_the_history_has_in_common(self, tool_context):
        said = candidates_analyze.run(tool_context, by="category")
        assert said.scores[HORROR].min() > said.scores[COMEDIES].max()
        assert "- horror, 4 of their 5: [1], [3], [5], [7]" in lines_of(said)

    def test_of_the_year_is_what_came_out_when_the_history_did(self, tool_context):
        said = candidates_analyze.run(tool_context, by="year")
        assert said.scores[5] > said.scores[4]  # 1957 and 1992
        assert lines_of(said)[0] == "- Half of their history is from 1952 to 1954."

    def test_of_popularity_is_how_many_like_it(self, tool_context, reference):
        said = candidates_analyze.run(tool_context, by="popularity")
        likes = reference.collaborative_memory.likes[tool_context.candidates]
        assert np.array_equal(
            np.argsort(said.scores, kind="stable"), np.argsort(likes, kind="stable")
        )
        assert said.text.endswith("[6] 0")

    def test_of_a_sequence_is_where_it_leads(self, guided):
        said = likely_next.run(a_desk(guided))
        assert said.scores[HORROR].min() > said.scores[COMEDIES].max()
        assert "[7], [5], [3], [1]" in said.text

    def test_does_not_count_twice_where_no_sequence_is_known(self, tool_context):
        said = likely_next.run(tool_context)
        assert said.scores is None
        assert "No sequential model" in said.text

    def test_turns_round_where_the_stars_do(self, tool_context):
        stars = np.array([0.5, 0.5, 5.0, 0.5, 0.5])
        turned = preferences_of_stars(stars)
        disliked = msgspec.structs.replace(tool_context, stars=stars, strengths=turned)
        said = get_rating_behaviour.run(disliked)
        assert said.scores[COMEDIES].min() > said.scores[HORROR].max()


class TestProfile:
    def test_is_the_memory_of_the_person(self, tool_context):
        kept = msgspec.structs.replace(tool_context, profile="Likes films of the sea.")
        assert lines_of(get_user_profile.run(kept))[0] == "- Likes films of the sea."

    def test_is_told_from_the_history_where_nothing_is_remembered(self, tool_context):
        assert "Likes horror; lately" in get_user_profile.run(tool_context).text


class TestBehaviour:
    def test_tells_sessions_with_their_age_oldest_first(self, tool_context):
        lines = lines_of(get_session_behaviour.run(tool_context))
        assert lines[:4] == [
            "- 40 days ago, 2 items: horror 2",
            "- 3 days ago, 2 items: horror 1, comedy 1",
            "- 4 hours ago, 1 item: horror 1",
            '- The newest are "Vertigo", "Jaws", "Big"',
        ]

    def test_counts_from_the_newest_interaction_where_the_present_is_unknown(self, tool_context):
        said = get_session_behaviour.run(msgspec.structs.replace(tool_context, now=np.nan))
        assert "Within the last two hours, 1 item" in said.text

    def test_says_when_no_times_are_known(self, tool_context):
        undated = msgspec.structs.replace(tool_context, days=np.full(5, np.nan), now=np.nan)
        first = lines_of(get_session_behaviour.run(undated))[0]
        assert first == "- No times are known. Lately, 5 items: horror 4, comedy 1"

    def test_parts_high_from_low_by_the_stars(self, tool_context):
        said = get_rating_behaviour.run(tool_context).text
        assert '- High, 4 stars and more: "Vertigo", "Psycho", "Alien"' in said
        assert '- Middling: "Jaws"' in said
        assert '- Low, less than 3 stars: "Big"' in said

    def test_says_that_all_counts_as_liked_where_no_stars_are_known(self, tool_context):
        unrated = msgspec.structs.replace(
            tool_context, stars=np.full(5, np.nan), strengths=np.ones(5)
        )
        said = get_rating_behaviour.run(unrated)
        assert "Without stars, taken as liked" in said.text


class TestItems:
    def test_are_found_by_their_title(self, tool_context):
        assert lines_of(item_info_search.run(tool_context, title="misery"))[0] == (
            '- "Misery" (1992), candidate [5]: horror'
        )

    def test_of_the_history_are_shown_with_their_stars(self, tool_context):
        said = item_info_search.run(tool_context, title="Big").text
        assert '"Big" (1953), in their history, 2 of 5 stars' in said

    def test_that_are_misspelt_are_said_to_be_the_nearest(self, tool_context):
        lines = lines_of(item_info_search.run(tool_context, title="Halowen"))
        assert lines[0].startswith("- Nothing is called exactly so")
        assert '"Halloween"' in lines[1]

    def test_that_nothing_is_called_like_are_not_invented(self, tool_context):
        assert (
            item_info_search.run(tool_context, title="qqqq").text == "- Nothing here is called so."
        )

    def test_of_the_same_name_come_from_the_candidates_first(self):
        titles = ["Twins"] * 24
        said = item_info_search.run(a_desk(make_reference(titles)), title="Twins").text
        assert "candidate [" in said
        assert "So many others are called the same: 23" in said


class TestOthers:
    def test_tell_what_goes_with_a_candidate_and_was_had(self, guided):
        said = get_similar_items.run(a_desk(guided), candidate=1).text
        assert '4 of them they have had: "Alien", "Psycho", "Jaws", "Vertigo"' in said
        assert "Among the candidates: [3], [5], [7]" in said
        assert "by the order" in said

    def test_are_companions_where_no_sequence_is_known(self, tool_context):
        assert "shortly before or after" in get_similar_items.run(tool_context, candidate=1).text

    def test_keep_no_company_with_what_nobody_took(self, tool_context):
        assert tool_context.candidates[5] == UNSEEN
        said = get_similar_items.run(tool_context, candidate=6).text
        assert said == '- Nothing is known to go with [6] "Clue"'

    def test_say_how_many_took_each_candidate(self, guided):
        said = get_similar_users.run(a_desk(guided)).text
        assert "20 people are similar: their histories point the same way." in said
        assert "[6] by" not in said

    def test_are_never_the_person_themselves(self, guided):
        said = get_similar_users.run(a_desk(guided, user=0)).text
        assert "19 people are similar" in said

    def test_share_a_taste_with_its_confidence(self, tool_context):
        assert "films that are horror, confidence 1.00" in shared_taste.run(tool_context).text


class TestGraph:
    def test_checks_each_demand_of_a_candidate(self, tool_context):
        old = RequestConstraint("a film from the fifties", np.arange(8) < 4)
        asked = msgspec.structs.replace(tool_context, demands=(old,))
        first, last = (check_demands.run(asked, candidate=one).text for one in (1, 8))
        assert first == "- [1] is as asked: a film from the fifties"
        assert last == "- [8] is not as asked: a film from the fifties"

    def test_says_when_nothing_is_asked_for(self, tool_context):
        assert "Nothing that they ask" in check_demands.run(tool_context, candidate=1).text

    def test_leads_to_the_newest_of_the_history_that_shares_most(self, tool_context):
        said = path_between.run(tool_context, candidate=1)
        assert lines_of(said) == [
            '- [1] "The Birds" and, of their history, "Vertigo"',
            "- each is horror",
        ]


class TestAnyTool:
    @pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
    def test_says_the_same_of_the_same_desk(self, tool, guided):
        tool_context = a_desk(guided)
        said = [everything_said(tool, one) for one in (tool_context, tool_context, a_desk(guided))]
        texts = [[one.text for one in told] for told in said]
        assert texts[0] == texts[1] == texts[2]
        for first, other in zip(said[0], said[2], strict=True):
            assert (first.scores is None) == (other.scores is None)
            assert first.scores is None or np.array_equal(first.scores, other.scores)

    @pytest.mark.parametrize("with_sequence", [True, False])
    @pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
    def test_copes_with_what_is_unknown(self, tool, with_sequence, guided, reference):
        known = a_desk(guided if with_sequence else reference)
        unknown = np.full(5, np.nan)
        for tool_context in (
            without_history(known),
            msgspec.structs.replace(known, stars=unknown, days=unknown, now=np.nan),
            msgspec.structs.replace(known, stars=np.full(5, 0.5), strengths=-np.ones(5)),
            msgspec.structs.replace(
                known,
                history=np.full(1, UNSEEN, np.int32),
                stars=unknown[:1],
                strengths=np.ones(1),
                days=unknown[:1],
            ),
            msgspec.structs.replace(known, candidates=known.candidates[:1]),
            msgspec.structs.replace(known, now=TODAY - 100),
        ):
            for said in everything_said(tool, tool_context):
                assert said.text
                assert said.scores is None or np.isfinite(said.scores).all()
                assert said.scores is None or said.scores.shape == tool_context.candidates.shape

    @pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
    def test_copes_with_a_domain_of_which_nothing_is_known(self, tool, reference):
        nothing = msgspec.structs.replace(
            reference,
            years=np.zeros_like(reference.years),
            path=lambda one, other: "",
        )
        assert all(said.text for said in everything_said(tool, a_desk(nothing)))

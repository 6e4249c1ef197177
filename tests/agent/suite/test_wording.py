"""Lines fit, nothing is cut within quotation marks, and ages read as people say them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.agent.features import cached_per_context, standardized_among_items
from localrec.agent.observation_text import (
    LONGEST_LINE,
    best_candidates,
    fit_lines,
    time_ago,
    title_text,
    unquoted,
    wrapped,
)
from localrec.foundation.text import clean_text

from .world import a_desk


class TestLines:
    @settings(deadline=None)
    @given(title=st.text(max_size=80), many=st.integers(0, 30))
    def test_hold_whole_titles_and_say_how_many_they_left_out(self, title, many):
        line = fit_lines("They had:", [title_text(title)] * many)
        assert len(line) <= LONGEST_LINE
        assert line.count('"') % 2 == 0
        shown = line.count('"') // 2
        assert line.endswith(f" and {many - shown} more") == (shown < many)

    def test_of_short_parts_go_on_until_all_are_told(self):
        parts = [f"[{number}] 100" for number in range(1, 60)]
        lines = wrapped("How many like each:", parts)
        assert len(lines) > 2
        assert all(len(line) <= LONGEST_LINE for line in lines)
        assert ", ".join(lines).removeprefix("How many like each: ") == ", ".join(parts)

    @settings(deadline=None)
    @given(title=st.text(max_size=80), name=st.text(max_size=80))
    def test_keep_their_quotation_marks_when_an_observation_cleans_them(self, title, name):
        line = clean_text(fit_lines(f"Of {unquoted(name)}:", [title_text(title)]), 200)
        assert line.count('"') == 2
        assert line.endswith('"')


class TestBest:
    def test_names_the_highest_and_none_of_the_lowest(self):
        assert best_candidates("Best", np.array([0.0, 2.0, 0.0, 1.0])) == ["Best: [2], [4]"]

    @pytest.mark.parametrize("scores", [None, np.zeros(3), np.zeros(0), np.ones(1)])
    def test_says_nothing_where_nothing_tells_them_apart(self, scores):
        assert best_candidates("Best", scores) == []


@pytest.mark.parametrize(
    ("days", "said"),
    [
        (0.0, "within the last two hours"),
        (0.25, "6 hours ago"),
        (1.9, "46 hours ago"),
        (2.0, "2 days ago"),
        (59.4, "59 days ago"),
        (60.0, "2 months ago"),
        (800.0, "2 years ago"),
    ],
)
def test_ages_are_told_in_the_unit_that_fits(days, said):
    assert time_ago(days) == said


class TestFindings:
    def test_are_worked_out_once_for_each_desk(self):
        asked = []

        @cached_per_context
        def answer(tool_context):
            asked.append(tool_context)
            return len(asked)

        tool_context, other = a_desk(), a_desk()
        assert [
            answer(tool_context),
            answer(tool_context),
            answer(other),
            answer(tool_context),
        ] == [1, 1, 2, 1]

    def test_stand_in_deviations_of_all_items(self):
        tool_context = a_desk()
        values = np.arange(tool_context.reference.item_features.items, dtype=np.float32)
        expected = (values - values.mean()) / values.std()
        assert np.allclose(
            standardized_among_items(tool_context, values), expected[tool_context.candidates]
        )

    @pytest.mark.parametrize("nothing", [np.nan, -np.inf, 0.0])
    def test_are_none_where_all_items_stand_alike(self, nothing):
        tool_context = a_desk()
        assert (
            standardized_among_items(
                tool_context, np.full(tool_context.reference.item_features.items, nothing)
            )
            is None
        )

"""Lines fit, nothing is cut within quotation marks, and ages read as people say them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.agent.findings import once, standing
from localrec.agent.wording import LONGEST_LINE, ago, bare, best_of, fitted, titled, wrapped
from localrec.sources.text import clean_text

from .world import a_desk


class TestLines:
    @settings(deadline=None)
    @given(title=st.text(max_size=80), many=st.integers(0, 30))
    def test_hold_whole_titles_and_say_how_many_they_left_out(self, title, many):
        line = fitted("They had:", [titled(title)] * many)
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
        line = clean_text(fitted(f"Of {bare(name)}:", [titled(title)]), 200)
        assert line.count('"') == 2
        assert line.endswith('"')


class TestBest:
    def test_names_the_highest_and_none_of_the_lowest(self):
        assert best_of("Best", np.array([0.0, 2.0, 0.0, 1.0])) == ["Best: [2], [4]"]

    @pytest.mark.parametrize("scores", [None, np.zeros(3), np.zeros(0), np.ones(1)])
    def test_says_nothing_where_nothing_tells_them_apart(self, scores):
        assert best_of("Best", scores) == []


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
    assert ago(days) == said


class TestFindings:
    def test_are_worked_out_once_for_each_desk(self):
        asked = []

        @once
        def answer(desk):
            asked.append(desk)
            return len(asked)

        desk, other = a_desk(), a_desk()
        assert [answer(desk), answer(desk), answer(other), answer(desk)] == [1, 1, 2, 1]

    def test_stand_in_deviations_of_all_items(self):
        desk = a_desk()
        values = np.arange(desk.reference.traits.items, dtype=np.float32)
        expected = (values - values.mean()) / values.std()
        assert np.allclose(standing(desk, values), expected[desk.candidates])

    @pytest.mark.parametrize("nothing", [np.nan, -np.inf, 0.0])
    def test_are_none_where_all_items_stand_alike(self, nothing):
        desk = a_desk()
        assert standing(desk, np.full(desk.reference.traits.items, nothing)) is None

"""Choices among the default's own first items of the whole catalogue."""

import msgspec
import numpy as np
import pytest

from localrec.evaluation.ranking.cases import EvaluationProtocol
from localrec.training.examples import default_order
from localrec.training.examples.default_order import case_histories, top_of_catalogue
from localrec.training.examples.next_choices import (
    CANDIDATES,
    catalogue_choices,
    chosen_rows,
    open_catalogue_choices,
)
from localrec.training.examples.reranker import LISTED
from localrec.workspace import OpenWorkspace
from tests.planted import BAR

from .test_reranker import (  # noqa: F401  # fixtures
    HALVES,
    chosen_in,
    day_of,
    guest_of,
    rows,
    silent,
    tavern,
    title_of,
)


class Liking:
    """A ranker that likes items by their number alone, in order or as told."""

    def __init__(self, scores):
        self.scores, self.asked = np.array(scores, dtype=np.float32), []

    def score(self, histories):
        self.asked.append(len(histories))
        return np.tile(self.scores, (len(histories), 1))


def by_time(rows):  # noqa: F811
    return EvaluationProtocol(split="by-time", seed=0)


@pytest.fixture(scope="module")
def known(tavern):  # noqa: F811
    """The choices of the guests, and the default from before them."""
    with OpenWorkspace(tavern) as workspace:
        return chosen_rows(workspace, BAR.name, by_time, silent)


@pytest.fixture(scope="module")
def top(known):
    return top_of_catalogue(known.default, known.cases, CANDIDATES, silent)


@pytest.fixture
def two(known):
    """Two cases: the first met item 0 and chose 2, the second met all but 1 and 3, and chose 3."""
    cases = known.cases.take(np.arange(2))
    return msgspec.structs.replace(
        cases,
        seen_items=(np.array([0]), np.array([0, 2, 4])),
        positives=(np.array([2]), np.array([3])),
    )


class TestTheFirstOfTheCatalogue:
    def test_are_the_defaults_order_of_all_that_was_not_met(self, known, top):
        scores = known.default.score(case_histories(known.cases))
        for row, seen in enumerate(known.cases.seen_items):
            order = [one for one in np.argsort(-scores[row], kind="stable") if one not in seen]
            assert top.items[row, : len(order)].tolist() == order[: top.items.shape[1]]
            assert order.index(known.cases.positives[row][0]) == top.places[row]

    def test_never_hold_what_was_met_however_little_is_left(self, two):
        found = top_of_catalogue(Liking([9, 1, 8, 2, 7]), two, 4, silent)
        assert found.items.tolist() == [[2, 4, 3, 1], [3, 1, 3, 3]]
        assert found.scores.tolist() == [[8, 7, 2, 1], [2, 1, -np.inf, -np.inf]]
        assert found.places.tolist() == [0, 0]

    def test_of_equal_scores_the_earlier_item_stands_first(self, two):
        found = top_of_catalogue(Liking([5, 5, 5, 5, 5]), two, 4, silent)
        assert found.items[0].tolist() == [1, 2, 3, 4]
        assert found.places.tolist() == [1, 1]

    def test_are_found_for_a_block_of_choices_at_a_time(self, known, top, monkeypatch):
        monkeypatch.setattr(default_order, "_AT_ONCE", 7)
        scores = np.arange(top.places.max() + 100)
        ranker = Liking(scores)
        in_blocks = top_of_catalogue(ranker, known.cases, CANDIDATES, silent)
        assert max(ranker.asked) == 7 and sum(ranker.asked) == len(known.cases)
        monkeypatch.undo()
        at_once = top_of_catalogue(Liking(scores), known.cases, CANDIDATES, silent)
        assert (in_blocks.items == at_once.items).all()
        assert (in_blocks.places == at_once.places).all()


class TestLists:
    def test_hold_a_choice_because_the_default_puts_it_there(self, known):
        many = 1 + max(int(one[0]) for one in known.cases.positives)
        top = top_of_catalogue(Liking(range(many)), known.cases, CANDIDATES, silent)  # rarely right
        choices = catalogue_choices(known, top)
        lists = [choices.ranked_list(row) for row in range(len(known.cases))]
        assert [one is not None for one in lists] == (top.places < LISTED).tolist()
        assert 0 < sum(one is not None for one in lists) < len(lists)
        for row, one in enumerate(lists):
            if one is not None:
                shown = [title_of(item) for item in top.items[row, :LISTED]]
                assert [candidate.title for candidate in one.candidates] == shown
                assert one.choice == top.places[row]

    def test_show_nothing_that_the_user_had_met(self, known, top, rows):  # noqa: F811
        choices = catalogue_choices(known, top)
        for one in (one for half in HALVES for one in choices.examples(half)):
            user, choice = guest_of(one), chosen_in(one)
            theirs = rows.rows_of(user)
            before = rows.at[theirs] <= day_of(rows, user, choice)
            had = {title_of(item) for item in rows.item[theirs][before].tolist()}
            assert had & {candidate.title for candidate in one.candidates} == {choice}

    def test_show_fewer_where_fewer_are_left_and_are_none_of_a_single_one(self, known, top):
        row = int(np.argmax(top.places == 0))
        few, single = (top.scores.copy() for _ in range(2))
        few[row, 3:], single[row, 1:] = -np.inf, -np.inf
        shown = catalogue_choices(known, msgspec.structs.replace(top, scores=few)).ranked_list(row)
        assert len(shown.candidates) == len(shown.default) == 3
        alone = catalogue_choices(known, msgspec.structs.replace(top, scores=single))
        assert alone.ranked_list(row) is None

    def test_part_the_same_people_with_the_curriculum_and_without(self, tavern):  # noqa: F811
        with OpenWorkspace(tavern) as workspace:
            ways = [
                open_catalogue_choices(workspace, BAR.name, 0, silent, curriculum=way)
                for way in (True, False)
            ]
        for half in HALVES:
            first, second = (
                sorted((guest_of(one), chosen_in(one)) for one in way.examples(half))
                for way in ways
            )
            assert first == second and first

    def test_are_none_of_fewer_people_than_can_be_parted(self, tavern):  # noqa: F811
        with OpenWorkspace(tavern) as workspace:
            assert open_catalogue_choices(workspace, BAR.name, 0, silent, most=3) is None

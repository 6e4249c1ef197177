"""The judge of questions from other hands: it looks at raw rows and labels, at nothing else."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

STUDIES = Path(__file__).resolve().parents[1] / "scripts" / "studies"
ROWS = [
    {"name": "Old Comedy", "year": 1940, "genres": ["Comedy"]},
    {"name": "New Comedy", "year": 1999, "genres": ["Comedy", "Musical"]},
    {"name": "New Drama", "year": 1998, "genres": ["Drama"]},
]


@pytest.fixture
def judged(monkeypatch):
    monkeypatch.syspath_prepend(STUDIES)
    import asked_judge

    def judge(question, first, **given):
        asked = msgspec.convert(
            {"id": "1", "domain": "films", "style": [], "query": "q", **question},
            asked_judge.AskedQuestion,
        )
        told = {"relaxed": (), "told": "", "language": "", "task": "C3", "falls": True, "ms": 1.0}
        answer = asked_judge.Given(**{**told, **given}, names=tuple(first), first=tuple(first))
        return asked_judge.judge(
            asked, answer, ROWS, lambda name: [row for row in ROWS if row["name"] == name]
        )

    return judge


COMEDY = {"field": "genres", "is": "Comedy"}


def test_an_answer_satisfies_by_the_share_of_its_items_that_meet_every_label(judged):
    asked = {"must": [COMEDY]}
    assert judged(asked, ["Old Comedy", "New Comedy"]).satisfied == 1.0
    assert judged(asked, ["Old Comedy", "New Drama"]).satisfied == 0.5
    assert judged(asked, []).satisfied == 0.0


def test_a_barred_item_counts_as_served(judged):
    asked = {"must": [COMEDY], "not": [{"field": "genres", "is": "Musical"}]}
    assert judged(asked, ["New Comedy"]).barred_served is True
    assert judged(asked, ["Old Comedy"]).barred_served is False


def test_a_wish_that_was_missed_is_silent_unless_the_answer_names_it(judged):
    asked = {"query": "a comedy before 1950", "must": [COMEDY, {"field": "year", "max": 1949}]}
    assert judged(asked, ["New Comedy"]).silently_wrong is True
    assert judged(asked, ["New Comedy"], told="I did not use: before 1950").silently_wrong is False
    assert judged(asked, ["New Comedy"], relaxed=("range year up to 1949",)).silently_wrong is False
    assert judged(asked, ["Old Comedy"]).silently_wrong is False


def test_the_state_of_a_person_is_a_field_like_any_other(judged):
    asked = {
        "must": [COMEDY],
        "not": [{"field": "state", "is": "rated"}],
        "user": {"rated": [["Old Comedy", 4]], "wanted": []},
    }
    assert judged(asked, ["Old Comedy"]).satisfied == 0.0
    assert judged(asked, ["New Comedy"]).satisfied == 1.0


def test_off_topic_is_declined_without_items_and_foreign_by_its_language(judged):
    assert judged({"kind": "off_topic"}, []).declined is True
    assert judged({"kind": "smalltalk"}, ["New Drama"]).declined is False
    assert judged({"kind": "foreign", "must": [COMEDY]}, [], language="de").foreign_right is True
    assert judged({"kind": "foreign", "must": [COMEDY]}, ["New Drama"]).foreign_right is False

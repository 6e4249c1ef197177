"""Carriers are cut from labelled questions: each name that a label speaks of becomes a slot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from .planted import planted_rows, planted_stages, planted_store

STUDIES = Path(__file__).resolve().parents[1] / "scripts" / "studies"
Cut = Callable[..., list[str]]
GIN, CREAM = ({"field": "ingredients", "is": name} for name in ("gin", "cream"))


@pytest.fixture
def cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cut]:
    """The carriers of one question about the planted bar."""
    monkeypatch.syspath_prepend(STUDIES)
    import asked_judge
    import cut_carriers

    rows: list[dict[str, object]] = [
        {"name": row.name, "ingredients": [one.name for one in row.links]} for row in planted_rows()
    ]
    with planted_store(tmp_path) as store:
        bar = planted_stages(store, tmp_path / "indexes")

        def call(query: str, **labels: Any) -> list[str]:
            told = {"id": "1", "domain": "drinks", "style": [], "query": query, **labels}
            asked = msgspec.convert(told, asked_judge.AskedQuestion)
            return [one.carrier for one in cut_carriers.cut_all([asked], bar, rows)]

        yield call


def test_wishes_refusals_and_the_example_become_slots(cut: Cut) -> None:
    told = cut("like a Negroni, with gin, spare me cream", must=[GIN], example="Negroni") + cut(
        "gin, spare me cream", must=[GIN], **{"not": [CREAM]}
    )
    assert told == [
        "like a {example:item}, with {wanted:component}, spare me cream",
        "{wanted:component}, spare me {barred:component}",
    ]


def test_one_of_several_wishes_is_told_from_one_that_is_a_must(cut: Cut) -> None:
    assert cut("gin or cream", any_of=[[GIN, CREAM]]) == [
        "{one_of:component} or {one_of:component}"
    ]


def test_a_question_whose_refusal_names_nothing_known_is_left_out(cut: Cut) -> None:
    assert cut("gin, nothing clotted", must=[GIN], **{"not": [CREAM]}) == []


def test_another_name_that_means_the_items_of_a_label_is_spoken_of(cut: Cut) -> None:
    label = {"field": "ingredients", "is_any_of": ["amaretto", "hazelnut vodka"]}
    assert cut("gin without nuts", must=[GIN], **{"not": [label]}) == [
        "{wanted:component} without {barred:component}"
    ]


def test_braces_of_a_question_make_no_slot(cut: Cut) -> None:
    assert cut("gin {please}", must=[GIN]) == ["{wanted:component} (please)"]

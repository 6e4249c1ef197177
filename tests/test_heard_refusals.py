"""Carriers are filled with a catalogue's names, and a reading is held against their slots."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from localrec.training.reader.carriers import parse_carrier

from .planted import planted_stages, planted_store

STUDIES = Path(__file__).resolve().parents[1] / "scripts" / "studies"
Told = Callable[[str], list[tuple[bool, bool]]]


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Told]:
    """What is found of one carrier's names: refused by the writer, and read as meant."""
    monkeypatch.syspath_prepend(STUDIES)
    import heard_refusals

    with planted_store(tmp_path) as store:
        bar = planted_stages(store, tmp_path / "indexes")
        options = argparse.Namespace(names=6, seed=1, network=None, limits="", failures=False)

        def call(carrier: str) -> list[tuple[bool, bool]]:
            (found,) = heard_refusals.read_all([parse_carrier(carrier)], bar, options)
            return list(found)

        yield call


def test_a_refusal_that_a_rule_hears_is_heard_whatever_the_name(told: Told) -> None:
    assert told("nothing with {barred:component}") == [(True, True)] * 6


def test_a_refusal_in_no_rule_s_words_is_not_heard(told: Told) -> None:
    assert (True, False) in told("{barred:component} and I went separate ways")


def test_a_wish_is_spared_and_one_that_is_read_as_a_refusal_is_not(told: Told) -> None:
    assert set(told("a drink with {wanted:component}")) == {(False, True)}
    assert set(told("no {wanted:component}")) == {(False, False)}


def test_an_example_is_not_counted(told: Told) -> None:
    assert told("like {example:item}") == []


def test_a_carrier_with_a_type_that_the_catalogue_lacks_is_passed_over(told: Told) -> None:
    assert told("nothing by {barred:creator}") == []

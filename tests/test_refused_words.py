"""Which words a question refuses, and which items of an answer hold one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from localrec.data.questions import Question
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace.domain_context import DomainContext

from .planted import planted_stages, planted_store

STUDIES = Path(__file__).resolve().parents[1] / "scripts" / "studies"


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(STUDIES)
    import refused_words

    return refused_words


@pytest.fixture
def bar(tmp_path: Path) -> Iterator[DomainContext]:
    with planted_store(tmp_path) as store:
        yield planted_stages(store, tmp_path / "indexes")


def test_the_words_of_refused_names_are_looked_for_and_no_others(
    study: ModuleType, bar: DomainContext
) -> None:
    marc = SYSTEM_REGISTRY.answerer(bar, "marc")
    query = marc.understand(Question(query="something with gin but no sweet vermouth", id="1"))
    assert study.refused_words(query) == {"sweet", "vermouth"}


def test_items_that_hold_a_word_are_counted(study: ModuleType, bar: DomainContext) -> None:
    marc = SYSTEM_REGISTRY.answerer(bar, "marc")
    answer = marc.answer(Question(query="a drink with gin", id="1"), 3)
    first = answer.items[0].name.casefold().split()[0]
    assert study.holding(answer, {first}, bar.catalogue) >= 1
    assert study.holding(answer, {"nowhere"}, bar.catalogue) == 0


def test_hands_are_told_without_their_domains(study: ModuleType) -> None:
    files = [Path("w59-books.jsonl"), Path("x/w59-films.jsonl"), Path("w6-wines.jsonl")]
    assert study.hands_of(files) == ["w59-*.jsonl", "w6-*.jsonl"]

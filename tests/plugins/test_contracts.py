"""The contracts of `localrec.testing`: what ships keeps them, and what breaks them is seen."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from localrec.data.reasons import Reasons
from localrec.foundation.errors import LocalrecError
from localrec.graph.domain_files import known_domains
from localrec.testing import DomainContract, RecommenderContract, SourceContract, SystemContract

from .conftest import forget


class TestEveryDomain(DomainContract):
    """The contract of domains, over all that ship."""

    @pytest.fixture(autouse=True, params=known_domains())
    def of_name(self, request: pytest.FixtureRequest) -> None:
        self.name = request.param


class TestSystemsOfEachKind(SystemContract):
    """The contract of systems, over one of each kind that asks no model."""

    @pytest.fixture(autouse=True, params=["marc", "auto", "memrec", "agenticrec-fused"])
    def of_name(self, request: pytest.FixtureRequest) -> None:
        self.name = request.param


class TeaDiaryContract(SourceContract):
    kind = "tea-diary"

    def write_example(self, folder: Path, name: str | None = None) -> Path:
        path = folder / "cups.csv"
        cup = f"ann,{name or 'Sencha'},green,5,2024-05-01\n"
        path.write_text("drinker,tea,leaf,stars,day\n" + cup, encoding="utf-8")
        return path


class TeaContract(DomainContract):
    name = "tea"


class RareContract(SystemContract):
    name = "rare"


@pytest.mark.parametrize(
    ("file", "old", "new", "contract", "broken"),
    [
        ("diary.py", "kind = ", "kind = 'x' + ", TeaDiaryContract, "registered_under_its_own_name"),
        ("diary.py", "log.report(len(cups))", "log.report(0)", TeaDiaryContract, "report_add_up"),
        ("diary.py", 'kind="leaf"', 'kind="root"', TeaDiaryContract, "link_is_of_a_kind"),
        ("diary.py", "rating=float(stars)", "rating=9.0", TeaDiaryContract, "ratings_are_stars"),
        ("diary.py", 'clean_name(cells["tea"])', 'cells["tea"]', TeaDiaryContract, "can_steer"),
        ("diary.py", "item=tea.key", "item='none'", TeaDiaryContract, "with_an_item"),
        ("diary.py", 'Field("drinker", "the user"),', "", TeaDiaryContract, None),
        ("domain.toml", 'name = "tea"', 'name = "chai"', TeaContract, "under_its_own_name"),
        ("domain.toml", 'role = "component"', 'role = "look"', TeaContract, "has_components"),
        ("domain.toml", "examples =", "staples =", TeaContract, "offers_questions"),
        (
            "rare.py",
            'frozenset({"answerer", "recommender"})',
            "frozenset()",
            RareContract,
            "for_what",
        ),
        ("rare.py", "return ()", 'return ("", "")', RareContract, "roles_of_its_models"),
        ("rare.py", "rank=rank", "rank=0", RareContract, "items_of_the_catalogue_each_once"),
        ("rare.py", "ordered[:k]", "ordered", RareContract, "items_of_the_catalogue_each_once"),
        (
            "rare.py",
            "(answer,",
            "(answer, id='',",
            RareContract,
            "items_of_the_catalogue_each_once",
        ),
        ("rare.py", "(np.float32)", "(int) * np.random.random()", RareContract, "the_same_list"),
        ("domain.toml", "is a {name} tea", "is tea", TeaContract, "a_sentence_can_state"),
    ],
)
def test_a_broken_plugin_is_seen(tea, tmp_path, file, old, new, contract, broken):
    path = tea / "localrec_tea" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) >= 1
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    failed = set(failures_of(contract(), tmp_path))
    if broken is None:
        assert not failed
    else:
        assert any(re.search(broken, name) for name in failed), failed


def failures_of(checked: object, folder: Path):
    """Run the tests of a contract; yield the names of those that fail."""
    for number, name in enumerate(name for name in dir(checked) if name.startswith("test_")):
        forget()
        place = folder / str(number)
        place.mkdir()
        method = getattr(checked, name)
        try:
            method(place) if "tmp_path" in method.__annotations__ else method()
        except (AssertionError, LocalrecError):
            yield name


class Forgetful:
    """Breaks each promise of a recommender but that of its shape."""

    name, settings = "forgetful", {}
    calls = 0

    def fit(self, train, seed, progress):
        self.items = train.items
        progress("fitting", 2, 1)

    def score(self, requests):
        self.calls += 1
        return np.full((len(requests), self.items), self.calls, dtype=np.float64)

    def explain(self, requests, row, item):
        return Reasons(reasons=())


class ForgetfulContract(RecommenderContract):
    def make(self):
        return Forgetful()


def test_a_broken_recommender_is_seen(tmp_path):
    assert set(failures_of(ForgetfulContract(), tmp_path)) == {
        "test_scores_all_items_for_each_request",
        "test_scores_do_not_depend_on_the_batch",
        "test_asking_changes_nothing",
        "test_explains_an_item_of_any_request",
        "test_explains_an_item_among_candidates",
        "test_explaining_changes_no_score",
        "test_tells_how_far_it_is",
    }

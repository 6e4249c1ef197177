"""The bench of growth tells with which power of the items a stage grows, and draws it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.fixture(scope="module")
def bench():
    """The bench and the modules of its records."""
    with pytest.MonkeyPatch.context() as patch:
        for folder in ("studies", "bench"):
            patch.syspath_prepend(SCRIPTS / folder)
        import ask
        import findings
        import growth
        import growth_people  # noqa: F401 - found while the path has it
        import peer_commands  # noqa: F401
        import people  # noqa: F401

        yield growth, ask, findings


@pytest.fixture(scope="module")
def grown(bench):
    """Two catalogues: ten times the items, twice the time, a stage that takes none."""
    growth, ask, findings = bench

    def of(items, ms):
        timing = findings.Timing
        return ask.CatalogueFigures(
            items=items,
            edges=items,
            open_s={},
            stages_ms={"router": timing(0.0, 0.0), "all": timing(ms, ms)},
            recall_at_10=0.99,
            vectors="",
            peak_memory_mib=100,
        )

    figures = growth.GrowthFigures(
        origin=findings.origin_of("growth"), catalogues=[of(1_000, 3.0), of(10_000, 6.0)]
    )
    return growth, figures


def test_an_exponent_is_the_power_of_the_items(bench):
    growth, _, _ = bench
    assert growth.exponent([10, 1_000], [1.0, 10.0]) == pytest.approx(0.5)
    assert growth.exponent([10, 100], [2.0, 2.0]) == 0


def test_ten_times_the_items_are_told_as_a_factor(grown):
    growth, figures = grown
    told = growth.as_markdown(figures)
    assert "Ten times the items make a warm answer 2.00 times as long" in told
    assert "| all | 3.00 | 6.00 | 0.30 |" in told
    assert "| router | 0.00 | 0.00 |  |" in told


def test_stages_that_take_no_time_are_not_drawn(grown):
    growth, figures = grown
    drawn = growth.picture_of(figures.catalogues)
    assert ">all</text>" in drawn
    assert "router" not in drawn


@pytest.fixture(scope="module")
def histories(bench):
    """Ten times the ratings, ten times the import, lists that take as long."""
    _, _, findings = bench
    people, growth_people = sys.modules["people"], sys.modules["growth_people"]

    def of(rows, seconds):
        told = dict.fromkeys(people.Measured.__struct_fields__, 1.0)
        return people.Measured(
            **told
            | {"origin": findings.origin_of("people"), "rows": rows, "people": rows // 100}
            | {"import_s": seconds, "list_median_ms": 50.0}
        )

    return growth_people, growth_people.PeopleGrowth(
        origin=findings.origin_of("growth_people"), histories=[of(1_000, 1.0), of(10_000, 10.0)]
    )


def test_growth_by_ratings_tells_people_and_powers(histories):
    growth_people, figures = histories
    told = growth_people.as_markdown(figures)
    assert "| people | 10 | 100 |  |" in told
    assert "| import, s | 1.0 | 10.0 | 1.00 |" in told
    assert "| a person's list of ten, median ms | 50.0 | 50.0 | 0.00 |" in told
    assert ">import</text>" in growth_people.picture_of(figures)


def test_a_generated_history_tells_how_many_gave_the_ratings(bench, tmp_path):
    ratings, people = sys.modules["people"].generate(tmp_path, 500, 40)
    lines = (tmp_path / "ratings.csv").read_text("utf-8").splitlines()[1:]
    assert ratings == len(lines) == 500
    assert people == len({line.partition(",")[0] for line in lines}) < 40


def test_the_line_of_the_import_runs_over_such_a_history(bench, tmp_path):
    found = sys.modules["peer_commands"].import_line(tmp_path, 500, 1)
    assert "500" in str(found)

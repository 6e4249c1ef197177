"""The bench of growth tells with which power of the items a stage grows, and draws it."""

from __future__ import annotations

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

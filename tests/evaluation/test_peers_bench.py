"""The bench beside peers: which runs it compares, what a loss is, and what it draws."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace

import pytest

SCRIPTS = Path(__file__).parents[2] / "scripts"
GIVEN = {"ratings": 7, "interactions": 8, "items": 9}


@pytest.fixture(scope="module")
def bench():
    """The bench's modules, by name."""
    with pytest.MonkeyPatch.context() as patch:
        for folder in ("studies", "bench"):
            patch.syspath_prepend(SCRIPTS / folder)
        import peer_chart
        import peer_environments
        import peer_history
        import peer_lines
        import peers

        entry = spec_from_file_location("bench_entry", SCRIPTS / "bench" / "__main__.py")
        every = module_from_spec(entry)
        entry.loader.exec_module(every)
        yield {
            "history": peer_history,
            "lines": peer_lines,
            "chart": peer_chart,
            "environments": peer_environments,
            "peers": peers,
            "all": every,
        }


@pytest.fixture(scope="module")
def lost(bench):
    """The losses among ratios of one line, each a number or a pair with its conditions."""
    return lambda *ratios: bench["history"].losses(runs_of(bench, ratios))


@pytest.fixture(scope="module")
def warned(bench):
    """The warnings among such ratios."""
    return lambda *ratios: bench["history"].warnings(runs_of(bench, ratios))


def runs_of(bench, ratios):
    """Runs of one line with these ratios, oldest first."""
    told = [one if isinstance(one, tuple) else (one, "quiet") for one in ratios]
    past = bench["history"].PastRun
    return [past(date="", conditions=how, ratios={"ask": ratio}) for ratio, how in told]


@pytest.fixture(scope="module")
def line(bench):
    """A line with some ratio and a wish."""

    def of(ratio, wanted):
        return bench["lines"].PeerLine(
            name="ask & wait",
            peer="them",
            ours_s=ratio,
            peer_s=1.0,
            ratio=ratio,
            low=ratio,
            high=ratio,
            wanted=wanted,
        )

    return of


def test_two_runs_on_end_a_tenth_above_the_usual_ratio_are_a_loss(lost):
    assert lost(2.0, 2.1, 2.0, 2.3, 2.4) == {"ask": "2.30 and 2.40, usually 2.00"}


def test_one_bad_run_is_none(lost):
    assert lost(2.0, 2.1, 2.0, 2.0, 2.9) == {}


def test_one_lucky_run_sets_no_standard(lost):
    assert lost(1.5, 2.0, 2.0, 2.0, 2.0) == {}


def test_three_runs_make_what_is_usual_and_fewer_only_warn(lost, warned):
    assert lost(1.0, 1.0, 1.0, 1.2, 1.3) == {"ask": "1.20 and 1.30, usually 1.00"}
    assert lost(1.0, 1.0, 1.2, 1.3) == {} and warned(1.0, 1.0, 1.2, 1.3) != {}
    assert lost(1.0, 1.3) == {} and warned(1.0, 1.3) == {"ask": "1.30, usually 1.00"}
    assert lost(1.0) == warned(1.0) == warned(1.0, 1.05) == {}


def test_what_is_lost_is_not_warned_of_as_well(lost, warned):
    assert lost(1.0, 1.0, 1.0, 1.2, 1.3) and warned(1.0, 1.0, 1.0, 1.2, 1.3) == {}


def test_runs_of_another_machine_or_load_are_not_compared(lost):
    quiet = (1.0, "quiet"), (1.0, "quiet"), (1.0, "quiet")
    assert lost(*quiet, (3.0, "busy"), (3.0, "busy")) == {}
    assert lost((9.0, "busy"), *quiet, (3.0, "quiet"), (9.0, "busy"), (3.0, "quiet")) != {}
    here, there = "2 cores; numpy 2; quiet", "8 cores; numpy 2; quiet"
    assert lost(*[(1.0, there)] * 3, (2.0, here), (2.0, here)) == {}


def test_a_newer_peer_is_compared_with_an_older_one(lost):
    old, new = "2 cores; numpy 2.1; quiet", "2 cores; numpy 2.4; quiet"
    assert lost(*[(1.0, old)] * 3, (2.0, new), (2.0, new)) != {}


def test_losses_fail_and_warnings_are_told(bench):
    told = bench["history"].as_told({"ask": "2 and 2, usually 1"}, {"help": "2, usually 1"})
    assert told.splitlines()[0] == "ask: 2 and 2, usually 1"
    assert told.splitlines()[1].startswith("help: 2, usually 1 (")
    assert bench["history"].as_told({}, {}) == "No line lost a tenth."


def test_all_measures_three_sizes_and_keeps_them_and_a_check_measures_nothing(bench):
    asked = bench["all"].arguments_of_all
    assert asked(["all", "--only", "C3"]) == ["peers", "--all-sizes", "--report", "--only", "C3"]
    assert asked(["all", "--check"]) == ["peers", "--check"]
    assert asked([]) == asked(["peers"]) == []
    sizes = bench["peers"].sizes_of(SimpleNamespace(all_sizes=True, **GIVEN))
    assert len({one.items for one in sizes}) == len({one.ratings for one in sizes}) == 3
    (one,) = bench["peers"].sizes_of(SimpleNamespace(all_sizes=False, **GIVEN))
    assert (one.ratings, one.interactions, one.items) == (7, 8, 9)


def test_a_history_is_read_as_it_was_kept(bench, tmp_path):
    history = bench["history"]
    (tmp_path / history.FILE).write_text(
        '[{"date": "2026-11-25", "conditions": "quiet", "ratios": {"ask": 2.5}}]'
    )
    (run,) = history.read_history(tmp_path)
    assert run.ratios == {"ask": 2.5}
    assert history.read_history(tmp_path / "nowhere") == []


def test_the_kept_history_shows_no_loss(bench):
    history = bench["history"]
    assert history.losses(history.read_history(SCRIPTS.parent / "docs" / "figures")) == {}


def test_both_sides_are_done_in_turn_and_the_median_ratio_counts(bench):
    done = []

    def side(name, *seconds):
        left = iter(seconds)
        return lambda: done.append(name) or next(left)

    pair = side("ours", 1.0, 2.0, 9.0), side("peer", 2.0, 2.0, 2.0)
    found = bench["lines"].compare("x", "y", pair, 3, warm_up=False)
    assert (found.ratio, found.ours_s, found.peer_s) == (1.0, 2.0, 2.0)
    assert done == ["ours", "peer", "peer", "ours", "ours", "peer"]


def test_a_wish_is_of_the_ratio_or_of_milliseconds(bench, line):
    wanted = bench["lines"].Wanted
    assert line(0.2, wanted(0.2)).reached is True
    assert line(0.3, wanted(0.2)).reached is False
    assert line(0.3, wanted(299, "ms")).reached is False
    assert line(0.3, None).reached is None


def test_the_picture_tells_each_ratio_and_escapes_names(bench, line):
    drawn = bench["chart"].ratios_picture([line(0.2, None)])
    assert drawn.startswith("<svg")
    assert "ask &amp; wait 0.20" in drawn
    assert 'class="wanted"' not in drawn
    assert 'class="wanted"' in bench["chart"].ratios_picture([line(0.2, bench["lines"].Wanted(1))])


def test_a_run_without_the_line_does_not_count(bench):
    past = bench["history"].PastRun
    without = past(date="", conditions="quiet", ratios={})
    runs = [past(date="", conditions="quiet", ratios={"ask": ratio}) for ratio in (2.0, 2.0, 2.0)]
    worse = [past(date="", conditions="quiet", ratios={"ask": ratio}) for ratio in (2.3, 2.4)]
    assert bench["history"].losses([*runs, worse[0], without, worse[1], without])


def test_an_environment_is_made_anew_where_another_version_is_pinned(bench, tmp_path, monkeypatch):
    environments, installed = bench["environments"], []
    made = lambda folder, **_how: folder.mkdir(exist_ok=True)  # noqa: E731
    monkeypatch.setattr(environments.venv, "create", made)
    run = lambda command, **_how: installed.append(" ".join(command[5:]))  # noqa: E731
    monkeypatch.setattr(environments.subprocess, "run", run)
    for packages in ("peer==1.0", "peer==1.0", "peer==2.0", "peer==2.0 other<3", "peer==1.0"):
        environments.python_of(tmp_path, *packages.split())
    assert installed == ["peer==1.0", "peer==2.0", "peer==2.0 other<3", "peer==1.0"]

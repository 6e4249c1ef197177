"""The script that measures the shared memory: its sizes, its stream, its queue."""

import subprocess
import sys
from argparse import Namespace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest

from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.evaluation.ranking.splits import leave_one_out
from localrec.evaluation.reporting.report_records import HeatMap
from localrec.evaluation.statistics import IntervalEstimate
from localrec.graph.domain_files import load_domain
from localrec.memory.memrec import DEFAULT_WEIGHTS
from localrec.workspace import OpenWorkspace

from .crowd import plant

SCRIPTS = Path(__file__).parents[2] / "scripts" / "studies"


@pytest.fixture(scope="module")
def script():
    """The script and its parts as modules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPTS)
        import shared_memory

        yield shared_memory


@pytest.fixture(scope="module")
def stream_script(script):
    return sys.modules["memory_stream"]


@pytest.fixture(scope="module")
def crowd(script, tmp_path_factory):
    """A planted workspace, and what the script reads of one."""
    folder = plant(tmp_path_factory.mktemp("crowd") / "w")
    domain = load_domain("movies")
    with OpenWorkspace(folder) as workspace:
        keyed = read_interactions(workspace.store, domain)
        parted = split_data(keyed.interactions, EvaluationProtocol(candidates=script.CANDIDATES))
        bench = script.Bench(workspace, domain, keyed, parted)
        yield folder, script.Data(domain, keyed, parted, bench)


@pytest.fixture
def stream(stream_script, crowd):
    return stream_script.stream_of(crowd[1].keyed.interactions)


def test_nobodys_last_row_is_replayed_and_time_never_runs_back(stream):
    held = leave_one_out(stream.data.user).test
    assert sorted(stream.order) == np.flatnonzero(~held).tolist()
    assert all(earlier <= later for earlier, later in pairwise(stream.data.at[stream.order]))


def test_what_is_known_at_a_place_came_before_it(stream):
    known = stream.before(stream.half)
    assert len(known) == stream.half
    assert known.at.max() <= stream.data.at[stream.order[stream.half]]
    assert (np.diff(known.user) >= 0).all()


def test_a_history_grows_with_its_person_and_ends_before_what_is_asked(stream):
    row = int(stream.order[-1])
    user = int(stream.data.user[row])
    mine = stream.data.item[stream.data.rows_of(user)].tolist()
    assert stream.history(row).tolist() == mine[:-2]  # neither the row itself nor the last one
    half_way = stream.history_half_way(user).tolist()
    assert half_way == mine[: len(half_way)]
    assert 0 < len(half_way) < len(mine) - 2


def test_so_many_rows_of_each_person_are_asked_about_and_never_the_first(stream):
    rows = stream.asked(3, 7)
    assert np.bincount(stream.data.user[rows]).max() == 3
    assert set(rows) <= set(stream.order[stream.half :])
    assert (stream.asked(3, 7) == rows).all()
    from_the_start = msgspec.structs.replace(stream, half=0).asked(1_000, 7)
    assert sorted(from_the_start) == sorted(set(stream.order) - set(stream.data.first_row))


def test_writes_matter_only_from_the_second_count_on(stream_script, crowd, stream):
    rows = stream.asked(1_000, 7).tolist()
    pools = {row: np.arange(stream.data.items, dtype=np.int32) for row in rows}
    replay = stream_script.Replay(crowd[1].bench, stream, DEFAULT_WEIGHTS, pools)
    first = replay.step(stream.half, rows[:20]).metrics
    later = replay.step(stream.half + 100, rows[100:120]).metrics
    assert first["writes on"] == first["writes off"]
    assert later["writes on"] != later["writes off"] != later["nothing grows"]


def test_a_stopped_stream_goes_on_to_the_same_figures(
    script, stream_script, stream, crowd, tmp_path, monkeypatch
):
    monkeypatch.setattr(stream_script, "STEP", 60)
    bench = crowd[1].bench
    whole, _ = stream_script.measure_stream(bench, stream, 4, 7, tmp_path / "whole.jsonl")
    lines = (tmp_path / "whole.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "part.jsonl").write_bytes(lines[0] + lines[1][:40])
    gone_on, _ = stream_script.measure_stream(bench, stream, 4, 7, tmp_path / "part.jsonl")
    assert [(one.rows, one.metrics) for one in gone_on] == [
        (one.rows, one.metrics) for one in whole
    ]
    everything, *others = script.groups_of(stream, gone_on)
    assert everything.rows == 160
    assert sum(one.rows for one in others if one.name.startswith("quarter")) == 160


def test_every_click_is_one_call_and_a_burst_is_one_for_each_person(
    script, crowd, tmp_path, monkeypatch
):
    folder, data = crowd
    before = (folder / "store.duckdb").read_bytes()
    monkeypatch.setattr(sys.modules["memory_queue"], "CLICKS", 3)
    costs = script.measure_queue(folder, data.domain, data.keyed, tmp_path / "kept.jsonl")
    assert [cost.known for cost in costs] == [180, 354]
    assert all(cost.calls == cost.clicks == 3 for cost in costs)
    assert all(1 <= cost.burst_calls <= cost.burst_clicks == 3 for cost in costs)
    assert all(1 <= cost.written.median <= cost.written.most <= 6 for cost in costs)
    assert (folder / "store.duckdb").read_bytes() == before


def test_sizes_are_measured_once_and_told_beside_the_default(script, crowd, tmp_path, monkeypatch):
    sizes = sys.modules["memory_sizes"]
    monkeypatch.setattr(sizes, "NEIGHBOURS", (4, 16))
    monkeypatch.setattr(sizes, "FACETS", (7,))
    asked = Namespace(workspace=tmp_path / "w")
    found = script.sensitivity(asked, crowd[1])
    found.write(tmp_path / "docs")
    told = (tmp_path / "docs" / "results" / "memory.md").read_text("utf-8")
    assert told.startswith("<!-- memory-sensitivity:begin -->")
    assert "| 16, 7 (default) |" in told
    assert "](../figures/memory-sensitivity-memrec-vector-ndcg10.svg)" in told
    assert len(list((tmp_path / "docs" / "figures").iterdir())) == 5
    monkeypatch.setattr(sizes, "measure_cell", None)  # would fail if it were called
    assert script.sensitivity(asked, crowd[1]).text == found.text


def test_a_heat_map_stands_on_its_own_and_outlines_the_default(script):
    sizes = sys.modules["memory_sizes"]
    figure = IntervalEstimate(0.5, 0.4, 0.6, 9)
    rows = {f"k = {k}": (figure,) * len(sizes.FACETS) for k in sizes.NEIGHBOURS}
    columns = tuple(f"{one} facets" for one in sizes.FACETS)
    drawn = ElementTree.fromstring(sizes.as_picture(HeatMap(title="H", columns=columns, rows=rows)))
    space = "{http://www.w3.org/2000/svg}"
    assert drawn.tag == f"{space}svg"
    [style] = drawn.iter(f"{space}style")
    place = int(style.text.split("g:nth-of-type(")[1].split(")")[0])
    cells = drawn.findall(f"{space}g")
    assert cells[place - 1].find(f"{space}title").text.startswith("k = 16, 7 facets:")


def test_a_workspace_without_the_films_is_refused_with_the_remedy(crowd, tmp_path):
    done = subprocess.run(
        [
            *(sys.executable, SCRIPTS / "run.py", "shared_memory", "--stream", "--report"),
            *("--workspace", crowd[0], "--docs", tmp_path),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "localrec datasets pull ml-100k" in done.stderr
    assert not list(tmp_path.iterdir())

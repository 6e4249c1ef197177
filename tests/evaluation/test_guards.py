"""Leaks are refused, cheats are found out, breakdowns are counted."""

import json

import msgspec
import numpy as np
import pytest

from localrec.data.rows import (
    AttributeLink,
    Event,
    HistoryRows,
    ImportReport,
    InteractionRow,
    ItemRow,
)
from localrec.evaluation.configs import SystemConfig
from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.evaluation.ranking.leakage import (
    LeakError,
    check_graph,
    check_interactions,
    check_split,
    check_store,
    check_train,
    decoys_for,
    implausibly_good,
)
from localrec.evaluation.ranking.system_factory import SystemFactory
from localrec.evaluation.statistics import IntervalEstimate
from localrec.graph.domain_files import load_domain
from localrec.graph.interactions import USER
from localrec.memory.records import MemoryUpdate
from localrec.workspace import OpenWorkspace
from tests.planted import write_memories

from .crowd import config, measure, plant, rows

MOVIES = load_domain("movies")


@pytest.fixture(scope="module")
def parted(keyed):
    return split_data(keyed.interactions, EvaluationProtocol())


class TestALeak:
    def test_into_the_training_rows_is_refused(self, keyed, parted):
        check_train(parted.train, parted.test)
        with pytest.raises(LeakError, match="40 held-out pairs"):
            check_train(keyed.interactions, parted.test)

    def test_into_a_history_is_refused(self, parted):
        told = tuple(
            np.append(history, positives)
            for history, positives in zip(parted.test.histories, parted.test.positives, strict=True)
        )
        leaky = msgspec.structs.replace(parted.test, histories=told)
        with pytest.raises(LeakError, match="40 histories hold the item"):
            check_split(msgspec.structs.replace(parted, test=leaky))

    def test_from_validation_into_the_test_is_refused(self, parted):
        with pytest.raises(LeakError, match="for validation and test alike"):
            check_split(msgspec.structs.replace(parted, validation=parted.test))

    def test_into_an_audience_is_refused(self, crowd, keyed, parted):
        with OpenWorkspace(crowd) as workspace:
            everything = workspace.context("movies").interactions
            bench = SystemFactory(workspace, MOVIES, keyed, parted)
            system = bench.make(SystemConfig(name="neighbours", kind="ranker"), {})
            system.fit(parted.train, 7, lambda *told: None)
            bench.look_over(system)
        check_interactions(system.interactions, parted.train, system.places)
        with pytest.raises(LeakError, match="likings was not counted from"):
            check_interactions(everything, parted.train, system.places)

    def test_through_an_edge_between_the_two_is_refused(self, tmp_path):
        folder = plant(tmp_path / "w")
        with OpenWorkspace(folder, writable=True) as workspace:
            keyed, test = held_out(workspace)
            check_store(workspace.store, test, keyed)
            item = int(keyed.item_nodes[test.positives[3][0]])
            [[user]] = workspace.store.rows(
                "SELECT node_id FROM node WHERE kind = ? AND key = ?",
                [USER, keyed.user_keys[test.user[3]]],
            )
            workspace.store.execute(
                "INSERT INTO edge VALUES (?, ?, 'RATED', 1.0, NULL, NULL)", [user, item]
            )
            with pytest.raises(LeakError, match="1 edges and 0 texts"):
                check_store(workspace.store, test, keyed)

    def test_through_a_persons_own_shelf_is_refused(self, tmp_path):
        folder = plant(tmp_path / "w")
        with OpenWorkspace(folder, writable=True) as workspace:
            keyed, test = held_out(workspace)
            key = keyed.item_keys[test.positives[0][0]]
            own = AttributeLink(kind="genre", name="Favourites", personal=True)
            report = ImportReport(
                source="shelf", path="", domain="movies", read=1, kept=1, merged=0, dropped=0
            )
            shelf = HistoryRows(
                items=(ItemRow(key=key, name=f"Film {int(key[1:])}", links=(own,)),),
                interactions=(),
                report=report,
            )
            workspace.imports.import_history(shelf, MOVIES, keyed.user_keys[test.user[0]])
            with pytest.raises(LeakError, match="1 edges and 0 texts"):
                check_store(workspace.store, test, keyed)

    def test_through_the_words_of_a_review_is_refused(self, tmp_path):
        review = "I cried from the first scene to the last one."
        interactions = [
            msgspec.structs.replace(row, note=review) if (row.user, row.item) == last() else row
            for row in rows()
        ]
        told = {last()[1]: {"description": f"What people say: {review}"}}
        with OpenWorkspace(plant(tmp_path / "w", interactions, **told)) as workspace:
            keyed, test = held_out(workspace)
            with pytest.raises(LeakError, match="0 edges and 1 texts"):
                check_store(workspace.store, test, keyed)

    def test_keeps_those_from_being_measured_that_it_would_reach(self, tmp_path):
        folder = plant(tmp_path / "w")
        with OpenWorkspace(folder, writable=True) as workspace:
            keyed, test = held_out(workspace)
            workspace.store.execute(
                "INSERT INTO edge SELECT node_id, ?, 'RATED', 1.0, NULL, NULL FROM node "
                "WHERE kind = ? AND key = ?",
                [
                    int(keyed.item_nodes[test.positives[0][0]]),
                    USER,
                    keyed.user_keys[test.user[0]],
                ],
            )
        declared = config("ease", "vector", {"name": "auto", "kind": "ranker"})
        ease, vector, auto = measure(folder, tmp_path / "run", declared).systems
        assert not ease.failed
        assert "1 edges" in vector.failed and "1 edges" in auto.failed


def held_out(workspace):
    keyed = read_interactions(workspace.store, MOVIES)
    return keyed, split_data(keyed.interactions, EvaluationProtocol()).test


def last():
    """Person and item of the first person's last row."""
    interaction = max(
        (interaction for interaction in rows() if interaction.user == "p00"),
        key=lambda interaction: interaction.at,
    )
    return interaction.user, interaction.item


class TestACheat:
    @pytest.mark.parametrize("protocol", [{}, {"candidates": 10}, {"candidates": 20}])
    def test_that_reads_the_target_where_it_is_asked_is_found_by_decoys(
        self, crowd, tmp_path, protocol
    ):
        declared = config("ease", "popularity", "framepeeker", protocol=protocol)
        ease, popularity, peeker = measure(crowd, tmp_path / "run", declared).systems
        assert peeker.metrics["H@1"].value == 1.0
        assert "sees the target" in [doubt.kind for doubt in peeker.suspicions]
        assert "It put 40 of 40 evenly drawn decoys first" in peeker.suspicions[0].detail
        assert ease.suspicions == popularity.suspicions == ()

    def test_that_knows_the_truth_from_elsewhere_is_too_good(self, crowd, tmp_path):
        declared = config("ease", "truthknower", k=[10])
        ease, knower = measure(crowd, tmp_path / "run", declared).systems
        assert [doubt.kind for doubt in knower.suspicions] == ["too good to be true"]
        assert (
            "Its hit rate at 1 is 1.000; the best of the others has" in knower.suspicions[0].detail
        )
        assert ease.suspicions == ()

    def test_is_told_once_however_often_the_run_is_started(self, crowd, tmp_path):
        for _ in range(2):
            found = measure(crowd, tmp_path / "run", config("ease", "truthknower"))
        assert len(found.systems[1].suspicions) == 1

    def test_is_nobody_who_is_good_where_all_are(self):
        def at(value):
            return IntervalEstimate(value, value, value, 100)

        assert implausibly_good({"a": at(0.95), "b": at(0.6)}) == {}
        assert list(implausibly_good({"a": at(0.95), "b": at(0.3)})) == ["a"]
        assert implausibly_good({"a": at(0.5), "b": at(0.01)}) == {}
        assert implausibly_good({"a": at(0.95), "b": at(0.99)}) == {}

    def test_finds_no_protection_in_another_cheat(self):
        def at(value):
            return IntervalEstimate(value, value, value, 100)

        found = implausibly_good({"one": at(1.0), "other": at(0.97), "honest": at(0.4)})
        assert list(found) == ["one", "other"]


def test_decoys_are_items_that_the_person_never_had(keyed, parted):
    for protocol in (EvaluationProtocol(), EvaluationProtocol(candidates=10)):
        cases = split_data(keyed.interactions, protocol).test
        decoys = decoys_for(cases, keyed, 25, seed=1)
        assert len(decoys.cases) == 25
        for place, positives in enumerate(decoys.cases.positives):
            user = int(decoys.cases.user[place])
            had = keyed.interactions.item[keyed.interactions.rows_of(user)]
            assert positives[0] not in had
            if decoys.cases.candidates is not None:
                assert positives[0] in decoys.cases.candidates[place]
        assert decoys.chance == pytest.approx(1 / 9 if protocol.candidates == 10 else 1 / 30)


def test_whoever_had_everything_cannot_be_asked_for_a_decoy(tmp_path):
    interactions = [
        InteractionRow(user="ann", item=f"f{film:02}", event=Event.RATED, rating=4.0)
        for film in range(40)
    ]
    folder = plant(tmp_path / "w", interactions)
    with OpenWorkspace(folder) as workspace:
        keyed, test = held_out(workspace)
    assert (len(test), len(decoys_for(test, keyed, 10, seed=1).cases)) == (1, 0)
    assert measure(folder, tmp_path / "run", config("popularity")).systems[0].failed == ""


@pytest.fixture(scope="module")
def broken(crowd, tmp_path_factory):
    """What was measured of a system that goes wrong in every way, and where."""
    out = tmp_path_factory.mktemp("runs") / "run"
    declared = config("broken", "popularity", protocol={"candidates": 10})
    return measure(crowd, out, declared).systems[0], out


class TestABrokenSystem:
    def test_has_its_faults_counted_by_kind(self, broken):
        told, _ = broken
        assert not told.failed and told.cases == 40
        # People 0..39, one wrong way for each remainder of 6; the first way is right.
        assert told.faults == {"unknown": 7, "short": 13, "repeated": 7, "empty": 7, "failed": 6}
        assert told.metrics["invalid"].value == pytest.approx(33 / 40)

    def test_leaves_its_errors_in_the_cases(self, broken):
        _, out = broken
        cases = [json.loads(line) for line in (out / "cases-broken.jsonl").read_text().splitlines()]
        raised = [one for one in cases if "failed" in one.get("faults", ())]
        assert {one["error"] for one in raised} == {"RuntimeError: out of memory"}
        assert all(one["first"] == 0 and one["top"] == [] for one in raised)

    def test_gains_nothing_by_naming_what_is_not_there(self, broken):
        _, out = broken
        cases = [json.loads(line) for line in (out / "cases-broken.jsonl").read_text().splitlines()]
        repeated = [one for one in cases if one.get("faults") == ["repeated"]]
        assert repeated and all(one["top"][0] == one["top"][1] for one in repeated)
        assert all(one["first"] != 2 for one in repeated)  # the first of it counts

    def test_with_scores_of_another_shape_fails_in_every_case(self, crowd, tmp_path):
        (told,) = measure(crowd, tmp_path / "run", config("misshapen")).systems
        assert told.faults == {"failed": 40}
        assert told.metrics["H@10"].value == 0.0


def test_a_shared_memory_that_knows_a_held_out_pair_is_refused(crowd, keyed, parted):
    with OpenWorkspace(crowd) as workspace:
        bench = SystemFactory(workspace, MOVIES, keyed, parted)
        system = bench.make(SystemConfig(name="memrec", kind="memory"), {})
        system.fit(parted.train, 7, lambda *told: None)
        bench.look_over(system)
        system.fit(keyed.interactions, 7, lambda *told: None)
        with pytest.raises(LeakError, match="was not counted from"):
            bench.look_over(system)
    with pytest.raises(LeakError, match="A memory joins people to"):
        check_graph(system.graph, parted.train)


def test_what_the_store_remembers_of_people_reaches_no_system(tmp_path):
    """Memories may tell of held-out items; systems under test make their own from training rows."""
    home = plant(tmp_path / "w")
    systems = [{"name": name, "kind": "memory"} for name in ("memrec", "isolated-memory")]
    systems.append({"name": "auto", "kind": "ranker"})
    before = measure(home, tmp_path / "before", config(*systems, probe=0))
    with OpenWorkspace(home, writable=True) as workspace:
        told = workspace.store.rows(
            "SELECT u.node_id, string_agg(i.name, ', ') FROM interaction x "
            "JOIN node u ON u.node_id = x.user_id JOIN node i ON i.node_id = x.item_id GROUP BY ALL"
        )
        write_memories(
            workspace.store,
            [MemoryUpdate(node_id=user, text=f"Loves {films}.") for user, films in told],
        )
    after = measure(home, tmp_path / "after", config(*systems, probe=0))
    for one, other in zip(before.systems, after.systems, strict=True):
        assert one.failed == other.failed == ""
        assert {**one.metrics, "ms": None} == {**other.metrics, "ms": None}

"""`train sequential`: what it learns serves at once, and what it leaves when it cannot go on."""

import json
import shutil
import sys

import numpy as np
import pytest

from localrec.foundation.errors import WorkspaceError
from localrec.graph.history_ingest import ingest_history
from localrec.privacy.erasure_plan import ForgetScope
from localrec.privacy.forget import forget
from localrec.ranking.baselines.neural.configs import SASRecConfig
from localrec.training.sequential import sasrec_training as training
from localrec.training.sequential.sasrec_training import train_sequential
from localrec.workspace import OpenWorkspace
from tests.planted import BAR, planted_store

from .conftest import DRINKS, GUESTS, TASTED, crowd

SMALL = SASRecConfig(embedding_size=16, length=6, epochs=3, learning_rate=0.02, dropout=0.1)


@pytest.fixture
def folder(frequented, tmp_path):
    return shutil.copytree(frequented, tmp_path / "own")


def quiet(what, done, total):
    """Progress that nobody watches."""


def files_in(folder):
    return {path.name: path.read_bytes() for path in (folder / "indexes").glob("sequential-*")}


class TestTraining:
    def test_makes_a_model_that_knows_what_comes_next(self, folder):
        config = SASRecConfig(
            embedding_size=16, length=6, epochs=15, learning_rate=0.02, patience=15
        )
        report = train_sequential(folder, None, config, 0, quiet)
        assert (report.users, report.items) == (GUESTS, len(DRINKS))
        assert report.interactions == GUESTS * TASTED
        assert report.ndcg_at_10 > 0.5
        with OpenWorkspace(folder) as opened:
            catalogue, model = (
                opened.context(BAR.name).catalogue,
                opened.context(BAR.name).sequential_model,
            )
            graph = opened.context(BAR.name).collaborative_memory.graph
            menu = np.array([catalogue.item_index(key) for key in DRINKS], dtype=np.int32)
            scores = model.items @ model.state_of(menu[4:8])
            scores[menu[4:8]] = -np.inf
            assert catalogue.keys[int(scores.argmax())] == DRINKS[8]
            # As often as there are drinks comes a guest who had the same ones in the same order.
            twins = {f"guest {guest}" for guest in range(0, GUESTS, len(DRINKS))}
            near = model.similar_users(model.state_of(menu[:TASTED]), len(twins))
            named = dict(opened.store.rows("SELECT node_id, key FROM node WHERE kind = 'user'"))
            assert {named[int(graph.matrix.user_nodes[user])] for user in near} == twins

    def test_with_the_same_seed_comes_to_the_same(self, folder):
        def arrays():
            train_sequential(folder, "cocktails", SMALL, 3, quiet)
            return [data for name, data in sorted(files_in(folder).items()) if "npy" in name]

        assert arrays() == arrays()

    def test_leaves_the_store_to_others_meanwhile(self, folder):
        opened_for_writing = []

        def give_way(what, done, total):
            if what == "training" and done == 1:
                with OpenWorkspace(folder, writable=True) as opened:
                    opened_for_writing.append(opened.store)

        train_sequential(folder, None, SMALL, 0, give_way)
        assert opened_for_writing

    @pytest.mark.parametrize("stage", ["reading interactions", "training", "reading histories"])
    def test_interrupted_leaves_the_model_from_before(self, folder, stage):
        train_sequential(folder, None, SMALL, 0, quiet)
        before = files_in(folder)

        def interrupt(what, done, total):
            if what == stage:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            train_sequential(folder, None, SMALL, 1, interrupt)
        assert files_in(folder) == before

    @pytest.mark.parametrize("times", [1, 2])
    def test_keeps_nothing_of_who_is_forgotten_meanwhile(self, folder, times):
        def forget_some(what, done, total):
            if what == "training" and done == 1:
                for guest in range(times):
                    wish = ForgetScope(user=f"guest {guest}")
                    forget(folder, wish, dry_run=False, progress=quiet)

        with pytest.raises(WorkspaceError, match="forgotten or taken back meanwhile"):
            train_sequential(folder, None, SMALL, 0, forget_some)
        assert not files_in(folder)

    def test_says_so_where_the_disk_took_nothing(self, folder, monkeypatch):
        monkeypatch.setattr(training, "save_sequential", lambda *_: False)
        with pytest.raises(WorkspaceError, match="did not take what was learnt"):
            train_sequential(folder, None, SMALL, 0, quiet)


class TestCommand:
    @pytest.fixture
    def train(self, cli):
        return lambda folder, *more: cli("--workspace", folder, "train", "sequential", *more)

    def test_says_what_was_learnt(self, train, folder):
        code, out, _ = train(folder, "--epochs", 1)
        assert code == 0
        assert " ".join(out.split()).startswith(
            "SASRec learnt cocktails from 600 interactions of 60 people with 17 items"
        )

    def test_gives_scripts_one_document(self, train, folder):
        outcome = train(folder, "--epochs", 1, "--seed", 4, "--json")
        report = json.loads(outcome.out)
        assert (report["domain"], report["epochs"], report["seed"]) == ("cocktails", 1, 4)
        assert outcome.err == ""

    def test_is_interrupted_without_loss(self, train, folder, monkeypatch):
        assert train(folder, "--epochs", 1).code == 0
        before = files_in(folder)

        def interrupt(*_):
            raise KeyboardInterrupt

        monkeypatch.setattr(training, "unit_directions", interrupt)
        code, out, err = train(folder, "--epochs", 1, "--seed", 5)
        assert (code, out) == (130, "")
        assert "interrupted" in err
        assert files_in(folder) == before

    def test_names_what_is_missing(self, train, folder, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch", None)
        monkeypatch.delitem(sys.modules, "localrec.ranking.baselines.neural.sasrec")
        code, out, err = train(folder)
        assert (code, out) == (2, "")
        assert err == (
            "localrec: The neural baselines need torch, which is not installed. "
            "Install it with: pip install 'localrec[training]'\n"
        )

    def test_has_nothing_to_learn_from_a_few(self, train, workspace_path):
        with planted_store(workspace_path) as store:
            ingest_history(store, BAR, crowd(3), None)
        code, out, err = train(workspace_path)
        assert (code, out) == (1, "")
        assert err == (
            "localrec: 30 interactions with drinks are too few to learn from; it takes 500. "
            "Import what more people did, such as: localrec datasets pull ml-100k\n"
        )

    def test_has_nothing_to_learn_from_nobody(self, train, workspace_path):
        planted_store(workspace_path).close()
        code, _, err = train(workspace_path)
        assert code == 1
        assert "knows nothing of what people did with drinks" in err

    def test_knows_no_other_domain(self, train, folder):
        code, _, err = train(folder, "--domain", "books")
        assert code == 2
        assert "'books'" in err

    def test_forgetting_says_that_it_must_be_trained_again(self, train, folder, cli):
        train(folder, "--epochs", 1)
        _, out, _ = cli("--workspace", folder, "forget", "--user", "guest 1", "--yes")
        assert "localrec train sequential" in out
        assert not files_in(folder)
        _, out, _ = cli("--workspace", folder, "forget", "--user", "guest 2", "--yes")
        assert "localrec train sequential" not in out

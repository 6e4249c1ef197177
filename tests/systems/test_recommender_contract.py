"""The contract of recommenders, over the product's own: what makes lists is what is evaluated."""

import msgspec
import numpy as np
import pytest

from localrec.agent.configs import AGENTS
from localrec.data.rows import AttributeLink, HistoryRows, ItemRow
from localrec.foundation.settings import Settings, save_settings
from localrec.graph.domain_files import load_domain
from localrec.llm.scripted import ScriptedModel
from localrec.memory.configs import MEMREC_MODELS, MEMREC_VECTOR
from localrec.ranking.configs import RANKERS
from localrec.sources.import_log import ImportLog
from localrec.systems.memory_plans import PLANS
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.testing import RecommenderContract
from localrec.testing.recommenders import BLOCK, ITEMS, known_users, two_blocks
from localrec.workspace import OpenWorkspace
from localrec.workspace.log_context import LogContext
from localrec.workspace.model_pool import ModelPool

NAMES = (*RANKERS, "auto-counted", *PLANS, *MEMREC_VECTOR)


@pytest.fixture(scope="module")
def films(tmp_path_factory):
    """The films of `two_blocks()` in a store, in their order, each block of another genre."""
    folder = tmp_path_factory.mktemp("films")
    save_settings(folder, Settings(embedder="hashing"))
    items = tuple(
        ItemRow(
            key=f"f{film:02}",
            name=f"Film {film}",
            properties={"description": f"block {film // BLOCK}"},
            links=(AttributeLink(kind="genre", name=("Drama", "Comedy", "War")[film // BLOCK]),),
        )
        for film in range(ITEMS)
    )
    report = ImportLog("planted", folder / "films", "movies").report(0)
    with OpenWorkspace(folder, writable=True) as workspace:
        rows = HistoryRows(items=items, interactions=(), report=report)
        workspace.imports.import_history(rows, load_domain("movies"), None)
        yield LogContext(workspace.context("movies").indexes)


class ProductContract(RecommenderContract):
    """Makes a recommender of the registry over the planted films."""

    @pytest.fixture(autouse=True)
    def of_name(self, name, films):
        self.name, self.films = name, films

    @pytest.fixture(autouse=True)
    def scripted(self, monkeypatch):
        """Each model is half sure of everything, and calls no tool."""
        model = ScriptedModel(lambda messages: "0.6 0.4")
        monkeypatch.setattr(ModelPool, "open", lambda self, role, *_: model)

    def make(self):
        return SYSTEM_REGISTRY.recommender(self.films, self.name)


@pytest.mark.parametrize("name", NAMES)
class TestEachRecommender(ProductContract):
    def test_bears_its_name(self):
        assert self.make().name == self.name

    def test_explains_what_it_scores(self):
        train = two_blocks()
        (said,) = self.fitted().explain(known_users(train, 3), 0, 0).reasons
        assert said.facts and said.text


@pytest.mark.parametrize("name", [*AGENTS, *MEMREC_MODELS])
class TestEachJudge(ProductContract):
    def test_judges_by_the_users_of_the_log(self):
        """Each block goes with its own users, of whom the store knows nothing."""
        train = two_blocks()
        candidates = np.array([[0, 1, BLOCK, BLOCK + 1]] * 2, dtype=np.int32)
        asked = msgspec.structs.replace(known_users(train, 5, BLOCK + 5), candidates=candidates)
        first, second = self.fitted().score(asked)
        assert np.isfinite(first).all() and np.isfinite(second).all()
        judged, rest = first[candidates[0]], np.delete(first, candidates[0])
        assert judged.min() > rest.max()
        if self.name == "agenticrec-fused":
            assert min(first[0], first[1]) > max(first[BLOCK], first[BLOCK + 1])
            assert min(second[BLOCK], second[BLOCK + 1]) > max(second[0], second[1])


@pytest.mark.parametrize("name", ["auto"])
class TestTheLearntRanking(ProductContract):
    @pytest.fixture(autouse=True)
    def learning(self, monkeypatch):
        monkeypatch.delenv("LOCALREC_LEARN")

    def test_is_learnt(self):
        assert self.fitted().settings["kinds"]

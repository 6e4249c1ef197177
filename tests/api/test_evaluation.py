"""A recommender of one's own is measured beside ours, and tables go to other libraries and back."""

import numpy as np
import pytest

import localrec
from localrec import Baseline, InputError, UsageError, Workspace
from localrec.api.estimators import as_recommender
from localrec.foundation.progress import no_progress
from localrec.testing.recommenders import cold_start_users, make_interactions

CONFIG = """
name = "small"
data = {domain = "cocktails"}
protocol = {split = "leave-one-out"}
probe = 0
[[systems]]
name = "popularity"
[[systems]]
name = "random"
"""


class Loyal:
    """Scores an item by how often it was met; a recommender in localrec's own protocol."""

    def fit(self, train, seed, progress):
        self.counts = np.bincount(train.item, minlength=train.items).astype(np.float32)

    def score(self, requests):
        return np.tile(self.counts, (len(requests), 1))


class Matrix:
    """The same, in the manner of scikit-learn."""

    def fit(self, X, y=None):
        self.counts = np.asarray(X.sum(axis=0), dtype=np.float32)
        return self

    def predict(self, X):
        return np.tile(self.counts, (X.shape[0], 1))


@pytest.fixture(scope="module")
def crowd(bundled_workspace, tmp_path_factory):
    """A workspace in which thirty users met six drinks each."""
    import shutil

    import pyarrow

    folder = tmp_path_factory.mktemp("crowd") / "workspace"
    shutil.copytree(bundled_workspace, folder)
    desk = Workspace(folder)
    keys = [row["key"] for row in desk.sql("select key from items order by key limit 40").to_rows()]
    drawn = np.random.default_rng(3)
    rows = [
        {"user_id": f"u{user:02}", "item_id": item, "rating": 5.0, "timestamp": 1e9 + 60 * place}
        for user in range(30)
        for place, item in enumerate(drawn.choice(keys, 6, replace=False).tolist())
    ]
    report = desk.import_interactions(pyarrow.Table.from_pylist(rows), domain="cocktails")
    assert report.kept >= 180
    (folder.parent / "small.toml").write_text(CONFIG, encoding="utf-8")
    yield desk
    desk.close()


@pytest.fixture
def config(crowd):
    return crowd.folder.parent / "small.toml"


class TestEvaluating:
    def test_a_recommender_of_ones_own_stands_beside_ours_with_intervals(self, crowd, config):
        measured = crowd.evaluate(config, own={"loyal": Loyal, "matrix": Matrix()})
        rows = {(row["system"], row["metric"]): row for row in measured.to_rows()}
        assert {system for system, _ in rows} == {"popularity", "random", "loyal", "matrix"}
        ours, theirs, matrix = (rows[name, "NDCG@10"] for name in ("popularity", "loyal", "matrix"))
        assert ours["low"] <= ours["value"] <= ours["high"]
        assert ours["value"] == theirs["value"] == matrix["value"]
        assert measured.report().is_file()
        compared = measured.compare("loyal", "random")
        assert compared.cases == 30

    def test_what_is_measured_is_read_and_other_code_is_another_run(self, crowd, config):
        fits = []

        class Loyal:
            def fit(self, train, seed, progress):
                fits.append(seed)
                self.items = train.items

            def score(self, requests):
                return np.zeros((len(requests), self.items), dtype=np.float32)

        first = crowd.evaluate(config, systems=["random"], own={"loyal": Loyal})
        again = crowd.evaluate(config, systems=["random"], own={"loyal": Loyal})
        assert first.folder == again.folder and len(fits) == 1
        assert first.folder != crowd.evaluate(config, systems=["random"]).folder
        assert crowd.evaluation(first.folder.name).to_rows() == first.to_rows()

    def test_the_digest_follows_the_code_and_the_parameters(self):
        from localrec.api.estimators import code_digest

        assert code_digest(Loyal) == code_digest(Loyal)
        assert code_digest(Loyal) != code_digest(Matrix)
        assert code_digest(Baseline("ease")) != code_digest(Baseline("als"))

    def test_runs_go_to_trec_and_back(self, crowd, config, tmp_path):
        measured = crowd.evaluate(config, systems=["popularity"])
        files = measured.to_trec(tmp_path / "trec")
        assert sorted(file.name for file in files) == ["popularity.run", "qrels"]
        back = crowd.import_trec(files[1], reference=measured.folder.name, name="foreign")
        metric = {(row["system"], row["metric"]): row["value"] for row in back.to_rows()}
        mine = {(row["system"], row["metric"]): row["value"] for row in measured.to_rows()}
        assert metric["popularity", "H@10"] == mine["popularity", "H@10"]

    @pytest.mark.parametrize(
        "wanted", [{"systems": ["nothing"]}, {"own": {"random": Loyal}}, {"own": {"mine": object}}]
    )
    def test_what_is_no_system_is_refused(self, crowd, config, wanted):
        with pytest.raises(UsageError):
            crowd.evaluate(config, **wanted)


@pytest.mark.parametrize("own", [Loyal, Matrix()])
def test_a_recommender_of_ones_own_is_explained_by_the_history(own):
    recommender = as_recommender("own", own)
    recommender.fit(make_interactions([(0, 0), (0, 1), (1, 1)], 2, 3), 0, no_progress)
    told = recommender.explain(cold_start_users([0, 1]), 0, 1)
    assert told.notes == ("No item of the history raises item 1.",)


class TestExplanationsOfAnEstimator:
    FEW = make_interactions([(0, 0), (0, 1), (1, 1)], 2, 3)

    def told(self, estimator, row=0, item=1):
        recommender = as_recommender("own", estimator)
        recommender.fit(self.FEW, 0, no_progress)
        return recommender.explain(cold_start_users([0, 1], [1]), row, item)

    def test_its_own_sentence_is_passed_through(self):
        class Explained(Matrix):
            def explain(self, X, item):
                return [f"it was met {X.shape[0] * self.counts.ravel()[item]:.0f} times."]

        [reason] = self.told(Explained()).reasons
        assert reason.text == "It was met 2 times."

    def test_a_sentence_that_is_empty_is_no_reason(self):
        class Silent(Matrix):
            def explain(self, X, item):
                return [""]

        [reason] = self.told(Silent()).reasons
        assert (reason.text, reason.facts) == ("", ())

    def test_that_of_a_baseline_is_passed_through(self):
        assert self.told(Baseline("popularity")).reasons[0].text == "Was taken by 2 users."
        assert self.told(Baseline("random")).notes == ("The order is drawn by chance.",)

    def test_it_is_asked_about_the_history_of_the_row_alone(self):
        class Counting(Matrix):
            def explain(self, X, item):
                return [f"row of {one.nnz} items" for one in X]

        assert [self.told(Counting(), row).reasons[0].text for row in (0, 1)] == [
            "Row of 2 items.",
            "Row of 1 items.",
        ]

    def test_a_run_keeps_what_it_says_and_no_generic_reasons(self, crowd, config):
        class Explained(Matrix):
            def explain(self, X, item):
                return ["it was met most"]

        measured = crowd.evaluate(
            config, systems=["popularity"], own={"mine": Explained, "plain": Matrix}
        )
        kept = sorted(path.name for path in measured.folder.glob("rationales-*"))
        assert kept == ["rationales-mine.jsonl"]
        lines = (measured.folder / kept[0]).read_text("utf-8").splitlines()
        assert len(lines) == 30
        assert all("It was met most." in line for line in lines)


class TestTables:
    def test_interactions_come_out_as_arrow_pandas_and_a_matrix(self, crowd):
        table = crowd.interactions(domain="cocktails")
        arrow = table.to_arrow()
        assert arrow.column_names == ["user_id", "item_id", "rating", "timestamp"]
        assert arrow.num_rows == len(table) == 180
        frame, matrix = table.to_pandas(), table.to_csr()
        assert frame.groupby("user_id").size().tolist() == matrix.sum(axis=1).ravel().tolist()[0]
        assert table.to_rows()[0]["user_id"] == "u00"

    def test_what_comes_out_goes_into_another_workspace(self, crowd, bundled_workspace, tmp_path):
        import shutil

        shutil.copytree(bundled_workspace, tmp_path / "other")
        with Workspace(tmp_path / "other") as other:
            for table in (crowd.interactions(domain="cocktails").to_pandas(),):
                other.import_interactions(table, domain="cocktails")
            found = other.interactions(domain="cocktails")
            assert found.to_rows() == crowd.interactions(domain="cocktails").to_rows()

    def test_a_table_without_users_is_refused_and_nothing_is_stored(self, crowd):
        import pyarrow

        before = len(crowd.interactions(domain="cocktails"))
        for table, error in (
            (pyarrow.table({"item_id": ["negroni"]}), InputError),
            (pyarrow.table({"user_id": ["a\tb"], "item_id": ["negroni"]}), InputError),
            ({"user_id": ["a"]}, UsageError),
        ):
            with pytest.raises(error):
                crowd.import_interactions(table, domain="cocktails")
        assert len(crowd.interactions(domain="cocktails")) == before

    def test_histories_and_queries_are_tables_too(self, crowd):
        assert crowd.history("u00").to_arrow().num_rows == 6
        assert crowd.sql("select key from items limit 2").to_pandas().shape == (2, 1)
        assert crowd.search("negroni").to_rows()[0]["domain"] == "cocktails"

    def test_a_data_set_of_lenskit_has_the_same_rows(self, crowd):
        pytest.importorskip("lenskit")
        data = crowd.interactions(domain="cocktails").to_lenskit()
        assert data.interaction_count == 180


class TestBaselines:
    X = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 1, 1]])

    def test_fit_and_predict_take_a_matrix(self):
        from scipy.sparse import csr_matrix

        for X in (self.X, csr_matrix(self.X)):
            scores = Baseline("item-knn").fit(X).predict(X[:1])
            assert scores.shape == (1, 4) and scores[0, 2] > scores[0, 3]

    @pytest.mark.parametrize("name", ["item-knn", "ease"])
    def test_a_list_is_what_is_left_of_the_best_predictions(self, name):
        model = Baseline(name).fit(self.X)
        expected = np.where(self.X, -np.inf, model.predict(self.X))
        for row, listed in enumerate(model.recommend(self.X, k=1)):
            assert listed.tolist() == [int(expected[row].argmax())]

    def test_each_history_has_its_reason_for_an_item(self):
        told = Baseline("item-knn").fit(self.X).explain([[1, 1, 0, 0], [0, 1, 0, 1]], 2)
        assert [one.text for one in told.reasons] == [
            "Is raised most by item 0 and item 1 of the history.",
            "Is raised most by item 3 and item 1 of the history.",
        ]
        nothing = Baseline("item-knn").fit(self.X).explain(np.zeros((2, 4)), 2)
        assert [one.text for one in nothing.reasons] == ["", ""]
        assert nothing.notes == ("No item of the history raises item 2.",)

    def test_an_item_that_is_no_column_has_no_reason(self):
        for item in (-1, 4):
            with pytest.raises(UsageError, match="column from 0 to 3"):
                Baseline("item-knn").fit(self.X).explain(self.X, item)

    @pytest.mark.parametrize("name", ["item-knn", "ease", "popularity"])
    def test_a_list_of_no_items_is_empty(self, name):
        listed = Baseline(name).fit(self.X).recommend(self.X, k=0)
        assert [one.tolist() for one in listed] == [[], [], []]

    def test_settings_are_those_of_the_baseline(self):
        model = Baseline("ease", regularization=10.0)
        assert model.set_params(regularization=20.0).get_params()["regularization"] == 20.0
        with pytest.raises(UsageError):
            Baseline("ease", nonsense=1).fit(self.X)
        with pytest.raises(UsageError):
            Baseline("ease").predict(self.X)

    def test_it_is_public(self):
        assert localrec.Baseline is Baseline


class TestTrainingExamples:
    def test_examples_become_a_data_set_of_hugging_face(self, crowd):
        found = crowd.training_examples("router", train=12, validation=4)
        assert len(found.train) == 12 and found.train[0]["prompt"][-1]["role"] == "user"
        datasets = pytest.importorskip("datasets")
        data = found.to_datasets()
        assert isinstance(data, datasets.DatasetDict)
        assert data["validation"][0]["completion"] == found.validation[0]["completion"]

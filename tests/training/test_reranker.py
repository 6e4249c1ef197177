"""What a reranker learns from: ranked lists, parted by people, that know nothing of later."""

from collections import Counter
from datetime import timedelta
from itertools import islice

import msgspec
import numpy as np
import pytest

from localrec.data.query import TaskKind
from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.evaluation.ranking.system_factory import SystemFactory
from localrec.foundation.errors import InputError
from localrec.graph.catalogue import Catalogue
from localrec.graph.domain_files import load_domain
from localrec.graph.history_ingest import ingest_history
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.llm.scripted import ScriptedModel
from localrec.memory.configs import MEMREC_MODELS
from localrec.memory.first_place import PLACES
from localrec.memory.from_log import build_collaborative_memory, deduplicated_history
from localrec.memory.model_memrec import ModelMemRec
from localrec.training.examples import next_choices
from localrec.training.examples.constraint_sampling import SampledConstraint
from localrec.training.examples.default_order import default_scores, fitted_default
from localrec.training.examples.lexicon import LexiconName
from localrec.training.examples.next_choices import NextChoices, open_next_choices
from localrec.training.examples.question_composer import ComposedQuestion
from localrec.training.examples.reranker import LISTED, reranker_examples
from localrec.training.examples.roles import ExampleConfig, examples_for
from localrec.training.examples.synthetic_users import synthesize_users
from localrec.workspace import OpenWorkspace
from tests.planted import BAR, a_report, planted_rows, planted_store

from .conftest import GUESTS, crowd

HALVES = ("train", "validation")
PROTOCOLS = [EvaluationProtocol(split=one) for one in ("leave-one-out", "by-time", "cold-users")]
DRINKS = {row.name: {link.name for link in row.links} for row in planted_rows()}


def silent(what, done, total):
    pass


def taught(folder, train=64, validation=32, seed=0):
    return examples_for(
        "reranker", folder, ExampleConfig(train=train, validation=validation, seed=seed)
    )


def came_one_after_the_other(history):
    """The guests of a crowd, each nine of them beginning on other days."""
    rows = tuple(
        msgspec.structs.replace(row, at=row.at + timedelta(days=int(row.user.split()[1]) % 9))
        for row in history.interactions
    )
    return msgspec.structs.replace(history, interactions=rows)


@pytest.fixture(scope="module")
def tavern(tmp_path_factory):
    """The planted bar with guests; what is held out by time is not the last of everybody."""
    folder = tmp_path_factory.mktemp("tavern") / "workspace"
    with planted_store(folder) as store:
        ingest_history(store, BAR, came_one_after_the_other(crowd(GUESTS)), None)
    (folder / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def examples(tavern):
    return taught(tavern)


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    """The planted drinks, of which nobody had any."""
    folder = tmp_path_factory.mktemp("quiet") / "workspace"
    planted_store(folder).close()
    (folder / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def catalogue(quiet):
    with Store.open_(quiet / "store.duckdb", read_only=True) as store:
        return Catalogue(store, BAR)


@pytest.fixture(scope="module")
def rows(tavern):
    """All that the guests did."""
    with OpenWorkspace(tavern) as workspace:
        return read_interactions(workspace.store, load_domain(BAR.name)).interactions


@pytest.fixture(scope="module")
def chosen(tavern):
    """The lists of both halves."""
    with OpenWorkspace(tavern) as workspace:
        found = open_next_choices(workspace, BAR.name, 0, silent)
    return {half: list(found.examples(half)) for half in HALVES}


@pytest.fixture(scope="module")
def counted(tavern, rows):
    """Cases with the default's scores, what is known of items, and memory from before."""
    parted = split_data(rows, EvaluationProtocol(split="by-time", candidates=LISTED + 2))
    with OpenWorkspace(tavern) as workspace:
        domain = load_domain(BAR.name)
        keyed = read_interactions(workspace.store, domain)
        known = SystemFactory(workspace, domain, keyed, parted).knowledge
    default = fitted_default(parted.train, known.item_features, seed=0)
    memory = build_collaborative_memory(parted.train, known)
    return parted.validation, default_scores(default, parted.validation), known, memory


def chosen_in(ranked):
    return ranked.candidates[ranked.choice].title


def guest_of(right):
    return int(right.split_keys[0].removeprefix("person "))


class TestQuestions:
    def test_are_answered_by_a_letter_or_by_keeping_the_first(self, examples):
        assert {one.answer for one in examples.train} >= {"keep", "B", "C"}
        assert {one.labels for one in examples.train} == {PLACES}

    def test_show_each_candidate_with_its_share_of_the_chances(self, examples):
        for one in examples.train:
            lines = one.messages[-1].content.splitlines()[-LISTED:]
            assert [line[:2] for line in lines] == ["A.", "B.", "C.", "D.", "E.", "F."]
            shares = [int(line.split()[1].removesuffix("%")) for line in lines]
            assert shares == sorted(shares, reverse=True)
            assert 97 <= sum(shares) <= 103

    def test_share_no_person_taste_or_wording_between_the_halves(self, examples):
        halves = (examples.train, examples.validation)
        train, validation = ({one for asked in half for one in asked.split_keys} for half in halves)
        assert {"person", "likes"} <= {one.split()[0] for one in train}
        assert validation
        assert not train & validation

    def test_are_the_same_with_the_same_seed_and_others_with_another(self, tavern, examples):
        assert taught(tavern).fingerprint == examples.fingerprint
        assert taught(tavern, seed=1).fingerprint != examples.fingerprint

    def test_are_three_of_what_was_chosen_for_each_that_is_imagined(self, examples):
        kinds = Counter(one.split_keys[0].split()[0] for one in examples.train)
        assert kinds == {"person": 48, "likes": 16}


class TestChoices:
    def test_are_learnt_on_the_prompts_that_are_asked_when_a_list_is_reranked(self, counted):
        cases, default, known, collaborative_memory = counted
        model = ScriptedModel(lambda messages: "keep")
        texts = known.texts_of(collaborative_memory)
        config = MEMREC_MODELS["memrec-model"]
        agent = ModelMemRec(model, model, collaborative_memory, texts, known.domain, config)
        for place, history in enumerate(cases.histories):
            told = agent.know(deduplicated_history(history)[0], None)
            agent.rerank(told, cases.candidates[place].tolist(), default[place])
        lists = NextChoices(*counted, seed=0).examples
        learnt = reranker_examples(lambda half: [lists(half)], 10**6, 10**6)
        made = {one.messages for one in (*learnt.train, *learnt.validation)}
        assert made
        assert made <= set(model.prompts)

    def test_stand_in_the_order_of_the_default_wherever_that_is(self, counted):
        cases, default, *_ = counted
        lists = [one for half in HALVES for one in NextChoices(*counted, seed=0).examples(half)]
        order = {}
        for place, scores in enumerate(default):
            best = cases.candidates[place][np.argsort(-scores, kind="stable")][:LISTED]
            choice = title_of(cases.positives[place][0])
            order[int(cases.user[place]), choice] = [title_of(item) for item in best]
        for one in lists:
            assert [shown.title for shown in one.candidates] == order[guest_of(one), chosen_in(one)]
        reached = sum(choice in first for (_, choice), first in order.items())
        assert 0 < len(lists) == reached

    @pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda one: one.split)
    def test_are_none_that_a_protocol_holds_out_and_show_none(self, chosen, rows, protocol):
        parted = split_data(rows, protocol)
        with_held = set()
        for cases in (parted.validation, parted.test):
            for user, items in zip(cases.user.tolist(), cases.positives, strict=True):
                with_held |= {(user, title_of(item)) for item in items.tolist()}
        assert with_held
        for right in (*chosen["train"], *chosen["validation"]):
            for user, title in with_held:
                if user == guest_of(right):
                    assert chosen_in(right) != title
                    assert title not in lately(right)

    def test_came_after_all_that_memories_are_counted_from(self, tavern, rows, monkeypatch):
        learnt = []
        monkeypatch.setattr(
            next_choices,
            "build_collaborative_memory",
            lambda train, *more, **options: (
                learnt.append(train) or build_collaborative_memory(train, *more, **options)
            ),
        )
        with OpenWorkspace(tavern) as workspace:
            lists = open_next_choices(workspace, BAR.name, 0, silent).examples("train")
            made = {(guest_of(one), chosen_in(one)) for one in lists}
        (known,) = learnt
        joined = set(zip(known.user.tolist(), map(title_of, known.item.tolist()), strict=True))
        assert made and joined
        assert not made & joined
        assert known.at.max() <= min(day_of(rows, *one) for one in made)

    def test_are_shown_what_came_before_them_and_nothing_later(self, chosen, rows):
        for right in chosen["train"]:
            day = day_of(rows, guest_of(right), chosen_in(right))
            assert lately(right)
            assert all(day_of(rows, guest_of(right), one) < day for one in lately(right))

    def test_stand_beside_what_the_person_had_not_had(self, chosen, rows):
        for right in chosen["train"]:
            user, choice = guest_of(right), chosen_in(right)
            theirs = rows.rows_of(user)
            before = rows.at[theirs] <= day_of(rows, user, choice)
            had = {title_of(item) for item in rows.item[theirs][before].tolist()}
            assert choice in had
            assert had & {one.title for one in right.candidates} == {choice}

    def test_are_not_looked_for_where_nobody_did_anything(self, quiet):
        with OpenWorkspace(quiet) as workspace:
            assert open_next_choices(workspace, BAR.name, 0, silent) is None


class TestImaginedPeople:
    def test_are_all_there_is_in_a_catalogue_without_interactions(self, quiet):
        for example in taught(quiet).train:
            assert example.split_keys[0].startswith("likes ")
            assert "People of a similar taste" not in example.messages[1].content

    def test_choose_what_shares_something_with_what_they_had(self, catalogue):
        lists = list(islice(synthesize_users(catalogue, 0).examples("train"), 100))
        silent_ones = [right for right in lists if not right.context.instruction]
        fits = 0
        for right in silent_ones:
            liked = {one.removeprefix("likes ") for one in right.split_keys}
            fits += bool(liked & names_of(catalogue, chosen_in(right)))
            assert lately(right).isdisjoint(one.title for one in right.candidates)
        assert fits > 0.9 * len(silent_ones)  # a few had all that there is of it

    def test_choose_what_they_ask_for_before_what_they_will_not_have(self, catalogue, monkeypatch):
        gin, lime = LexiconName("gin", "gin"), LexiconName("lime juice", "lime juice")
        question = ComposedQuestion(
            text="gin, no lime juice",
            task=TaskKind.C3,
            demands=(
                SampledConstraint(slot="include", names=(gin,)),
                SampledConstraint(slot="exclude", names=(lime,), is_excluded=True),
            ),
            split_keys=("no",),
        )
        monkeypatch.setattr(
            "localrec.training.examples.synthetic_users.compose_questions",
            lambda *_: iter([(None, question)]),
        )
        asking = [
            one
            for one in islice(synthesize_users(catalogue, 0).examples("train"), 200)
            if one.context.instruction
        ]
        assert 60 < len(asking) < 180
        assert {one.context.instruction for one in asking} == {"gin, no lime juice"}
        met = [
            [
                "gin" in DRINKS[one.title] and "lime juice" not in DRINKS[one.title]
                for one in right.candidates
            ]
            for right in asking
        ]
        places = [right.choice for right in asking]
        assert all(line[place] or not any(line) for line, place in zip(met, places, strict=True))
        # A few had all that there is of it.
        assert sum(map(any, met)) > 0.9 * len(met)
        assert len(set(places)) > 3  # the question moves what their history alone would not

    def test_ask_for_nothing_that_is_like_an_example(self, catalogue, monkeypatch):
        question = ComposedQuestion(
            text="like a Negroni", task=TaskKind.C4, demands=(), split_keys=()
        )
        monkeypatch.setattr(
            "localrec.training.examples.synthetic_users.compose_questions",
            lambda *_: iter([(None, question)]),
        )
        for right in islice(synthesize_users(catalogue, 0).examples("train"), 20):
            assert right.context.instruction == ""

    def test_cannot_be_made_of_a_handful_of_items(self, tmp_path):
        folder = tmp_path / "workspace"
        with Store.open_(folder / "store.duckdb") as store:
            ingest_items(store, BAR, planted_rows()[:3], a_report(), lambda what: None)
        with pytest.raises(InputError, match="too small to make lists"):
            taught(folder)


def title_of(item):
    """The name of an evaluated item; they are numbered in the order of their keys."""
    return sorted((row.key, row.name) for row in planted_rows())[item][1]


def lately(right):
    """Titles of a history that a person's memory names."""
    named = right.context.memory.rpartition("ately ")[2]
    return {title for title in DRINKS if title in named}


def day_of(rows, user, title):
    """When somebody had an item."""
    theirs = rows.rows_of(user)
    (place,) = np.flatnonzero([title_of(item) == title for item in rows.item[theirs].tolist()])
    return rows.at[theirs][place]


def names_of(catalogue, title):
    item = catalogue.names.index(title)
    return {catalogue.attributes[one].name for one in catalogue.attributes_of(item).tolist()}

"""What a reranker learns from: right lists, parted by people, that know nothing of later."""

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
from localrec.memory.configs import MEMREC, MEMREC_MODELS
from localrec.memory.from_log import build_collaborative_memory, deduplicated_history
from localrec.memory.memrec import MemRec
from localrec.memory.model_memrec import ModelMemRec
from localrec.training.adapters.adapter_eval import is_right
from localrec.training.examples import next_choices
from localrec.training.examples.constraint_sampling import SampledConstraint
from localrec.training.examples.example import Example
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


def taught(folder, train=80, validation=40, seed=0):
    return examples_for(
        "reranker", folder, ExampleConfig(train=train, validation=validation, seed=seed)
    )


def lists_of(examples):
    """The questions of each list."""
    return [examples[at : at + LISTED] for at in range(0, len(examples), LISTED)]


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
    """Cases with what is known of their items, and the memory of all that came before."""
    parted = split_data(rows, EvaluationProtocol(split="by-time", candidates=LISTED))
    with OpenWorkspace(tavern) as workspace:
        domain = load_domain(BAR.name)
        keyed = read_interactions(workspace.store, domain)
        known = SystemFactory(workspace, domain, keyed, parted).knowledge
    return parted.validation, known, build_collaborative_memory(parted.train, known)


def guest_of(right):
    return int(right.split_keys[0].removeprefix("person "))


class TestQuestions:
    def test_of_a_list_stand_together_and_differ_in_the_candidate_alone(self, examples):
        for right in lists_of(examples.train):
            assert len({one.messages[:-1] for one in right}) == 1
            assert len({one.messages[-1] for one in right}) == LISTED

    def test_are_answered_yes_as_often_as_no_the_choice_first(self, examples):
        for right in lists_of(examples.train):
            assert [one.answer for one in right] == ["yes", "yes", "no", "no"]
            assert {one.labels for one in right} == {("yes", "no")}

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
        kinds = Counter(right[0].split_keys[0].split()[0] for right in lists_of(examples.train))
        assert kinds == {"person": 15, "likes": 5}

    def test_end_with_a_whole_list(self, tavern):
        assert len(taught(tavern, train=5, validation=1).train) == 2 * LISTED


class TestChoices:
    def test_are_learnt_on_the_prompts_that_are_asked_when_a_candidate_is_judged(self, counted):
        cases, known, collaborative_memory = counted
        memory_texts = known.texts_of(collaborative_memory)
        asked = set()
        for name in ("memrec-model-counted", "isolated-agent"):
            model, config = ScriptedModel(lambda messages: "yes"), MEMREC_MODELS[name]
            agent = ModelMemRec(
                model, model, collaborative_memory, memory_texts, known.domain, config
            )
            for place, history in enumerate(cases.histories):
                user = int(cases.train_user[place])
                agent.rank(*deduplicated_history(history), cases.candidates[place].tolist(), user)
            asked |= set(model.prompts)
        lists = NextChoices(cases, known, collaborative_memory, seed=0).examples
        learnt = reranker_examples(lambda half: [lists(half)], 10**6, 10**6)
        assert len(learnt.train) + len(learnt.validation) == LISTED * len(cases)
        assert {one.messages for one in (*learnt.train, *learnt.validation)} <= asked

    def test_are_followed_by_the_others_as_the_fused_evidence_has_them(self, counted):
        cases, _, collaborative_memory = counted
        fused = MemRec(collaborative_memory, MEMREC["memrec"])
        order = {}
        for place, history in enumerate(cases.histories):
            scores = fused.scores(*deduplicated_history(history), int(cases.train_user[place]))
            ranked = sorted(range(len(scores)), key=lambda item: -scores[item])
            order[int(cases.user[place]), title_of(cases.positives[place][0])] = [
                title_of(item) for item in ranked
            ]
        lists = [one for half in HALVES for one in NextChoices(*counted, seed=0).examples(half)]
        shared = [one for one in lists if one.context.facets]
        assert shared
        for right in shared:
            choice, *others = (one.title for one in right.candidates)
            assert others == [one for one in order[guest_of(right), choice] if one in others]

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
                    assert right.candidates[0].title != title
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
            made = {(guest_of(one), one.candidates[0].title) for one in lists}
        (known,) = learnt
        joined = set(zip(known.user.tolist(), map(title_of, known.item.tolist()), strict=True))
        assert made and joined
        assert not made & joined
        assert known.at.max() <= min(day_of(rows, *one) for one in made)

    def test_are_shown_what_came_before_them_and_nothing_later(self, chosen, rows):
        for right in chosen["train"]:
            day = day_of(rows, guest_of(right), right.candidates[0].title)
            assert lately(right)
            assert all(day_of(rows, guest_of(right), one) < day for one in lately(right))

    def test_stand_beside_what_the_person_had_not_had(self, chosen, rows):
        for right in chosen["train"]:
            user, (choice, *others) = guest_of(right), right.candidates
            theirs = rows.rows_of(user)
            before = rows.at[theirs] <= day_of(rows, user, choice.title)
            had = {title_of(item) for item in rows.item[theirs][before].tolist()}
            assert choice.title in had
            assert not had & {one.title for one in others}

    def test_are_told_with_others_and_without_by_turns(self, chosen):
        shared = [bool(right.context.facets) for right in chosen["train"]]
        assert shared[::2] == [True] * len(shared[::2])
        assert shared[1::2] == [False] * len(shared[1::2])
        alone = chosen["train"][1]
        assert not any("Liked by people" in one.memory for one in alone.candidates)

    def test_are_not_looked_for_where_nobody_did_anything(self, quiet):
        with OpenWorkspace(quiet) as workspace:
            assert open_next_choices(workspace, BAR.name, 0, silent) is None


class TestImaginedPeople:
    def test_are_all_there_is_in_a_catalogue_without_interactions(self, quiet):
        for example in taught(quiet).train:
            assert example.split_keys[0].startswith("likes ")
            assert "People of a similar taste" not in example.messages[1].content

    def test_choose_what_shares_something_with_what_they_had(self, catalogue):
        for right in islice(synthesize_users(catalogue, 0).examples("train"), 100):
            if not right.context.instruction:
                liked = {one.removeprefix("likes ") for one in right.split_keys}
                assert liked & names_of(catalogue, right.candidates[0].title)
                assert lately(right).isdisjoint(one.title for one in right.candidates)

    def test_get_first_what_they_ask_for_and_last_what_they_will_not_have(
        self, catalogue, monkeypatch
    ):
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
        assert all(line == sorted(line, reverse=True) for line in met)
        # A few had all that there is of it.
        assert sum(line[0] for line in met) > 0.9 * len(met)

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
            ingest_items(store, BAR, planted_rows()[:LISTED], a_report(), lambda what: None)
        with pytest.raises(InputError, match="too small to make lists"):
            taught(folder)


class TestACase:
    QUESTIONS = tuple(
        Example(messages=(), answer=answer, labels=("yes", "no"))
        for answer in ("yes", "yes", "no", "no")
    )

    @pytest.mark.parametrize(
        ("said", "right"),
        [
            (["0.4 0.6", "0.3 0.7", "0.3 0.7", "0.1 0.9"], True),
            (["0.8 0.2", "0.9 0.1", "0.1 0.9", "0.1 0.9"], False),
            (["0.5 0.5", "0.5 0.5", "0.5 0.5", "0.5 0.5"], False),
        ],
    )
    def test_is_right_where_the_choice_comes_out_on_top_alone(self, said, right):
        assert is_right(ScriptedModel(said), self.QUESTIONS) is right

    def test_of_one_question_is_right_by_its_answer(self):
        first, *_, last = self.QUESTIONS
        assert is_right(ScriptedModel(["0.6 0.4"]), [first])
        assert not is_right(ScriptedModel(["0.6 0.4"]), [last])


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

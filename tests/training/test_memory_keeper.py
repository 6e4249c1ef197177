"""What a memory keeper learns: notes of facts about people, chosen by what they liked later."""

from datetime import datetime, timedelta

import numpy as np
import pytest

from localrec.data.rows import Event, HistoryRows, InteractionRow
from localrec.evaluation.ranking.cases import EvaluationProtocol, split_data
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.foundation.errors import InputError
from localrec.graph.domain_files import load_domain
from localrec.graph.history_ingest import ingest_history
from localrec.llm.scripted import ScriptedModel
from localrec.memory.model_update import ask_user_note, parse_lines
from localrec.training.examples import user_notes
from localrec.training.examples.memory_keeper import (
    likes_to_learn_from,
    open_composer,
    tells_only_facts,
)
from localrec.training.examples.roles import ExampleConfig, examples_for
from localrec.training.examples.user_notes import NoteCase, NoteScorer, note_cases, predictive_notes
from localrec.workspace import OpenWorkspace
from tests.planted import BAR, a_report, planted_rows, planted_store

DRINKS = [row.name for row in planted_rows()]
KEYS = [row.key for row in planted_rows()]
GUESTS, TASTED = 48, 14
PROTOCOLS = [EvaluationProtocol(split=one) for one in ("leave-one-out", "by-time", "cold-users")]


def keepers(folder, train=24, validation=8, seed=0):
    return examples_for(
        "memory", folder, ExampleConfig(train=train, validation=validation, seed=seed)
    )


@pytest.fixture(scope="module")
def tavern(tmp_path_factory):
    """The planted bar with guests who follow the menu; some began long before the others."""
    folder = tmp_path_factory.mktemp("tavern") / "workspace"
    rows = tuple(
        InteractionRow(
            user=f"guest {guest}",
            item=KEYS[(3 * guest + step) % len(KEYS)],
            event=Event.LIKED,
            at=datetime(2024, 5, 1) + timedelta(days=step + guest % 9),
        )
        for guest in range(GUESTS)
        for step in range(TASTED)
    )
    with planted_store(folder) as store:
        ingest_history(
            store, BAR, HistoryRows(items=(), interactions=rows, report=a_report(len(rows))), None
        )
    (folder / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    return folder


@pytest.fixture(autouse=True, scope="module")
def short_histories():
    """A bar has fewer drinks than a cinema has films."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(user_notes, "HISTORY", 5)
        patch.setattr(user_notes, "_FEWEST_LATER", 2)
        yield


@pytest.fixture(scope="module")
def rows(tavern):
    with OpenWorkspace(tavern) as workspace:
        return likes_to_learn_from(workspace, BAR.name)


@pytest.fixture(scope="module")
def composer(tavern, rows):
    with OpenWorkspace(tavern) as workspace:
        yield open_composer(workspace, BAR.name, rows)


@pytest.fixture(scope="module")
def facts(tavern):
    """What the catalogue knows of each drink."""
    with OpenWorkspace(tavern) as workspace:
        catalogue = workspace.context(BAR.name).catalogue
        return {
            title: {
                catalogue.attributes[one].name.casefold()
                for one in catalogue.attributes_of(catalogue.names.index(title)).tolist()
            }
            for title in DRINKS
        }


@pytest.fixture(scope="module")
def cases(rows):
    return list(note_cases(rows, 0))


@pytest.fixture(scope="module")
def examples(tavern):
    return keepers(tavern)


def shown(example):
    """Titles in what a prompt tells of the person, without the worked example."""
    told = example.messages[-1].content
    return {title for title in DRINKS if f'"{title}"' in told or title in told.split("\n")[0]}


class TestExamples:
    def test_ask_as_a_memory_is_asked_for(self, examples, composer, cases):
        model = ScriptedModel(lambda messages: "person | Enjoys gin.\n")
        texts = composer.texts
        for case in cases:
            liked = [(texts.titles[i], texts.of_item(i, shared=False)) for i in case.history]
            ask_user_note(model, texts.of_user(case.history), liked[::-1])
        assert {one.messages for one in examples.train} <= set(model.prompts)

    def test_answer_by_a_note_that_is_read_whole(self, examples):
        for one in (*examples.train, *examples.validation):
            note = parse_lines(one.answer, 0, with_item=False, complete=True).user
            assert one.answer == f"person | {note}\n"

    def test_hold_nothing_but_facts_of_the_history(self, examples, facts):
        for one in examples.train:
            kinds = set().union(*(facts[title] for title in shown(one)))
            note = one.answer.removeprefix("person | ").strip()
            for title in sorted(shown(one), key=len, reverse=True):
                note = note.replace(title, "")
            told = note.casefold().replace(f" {BAR.plural}", "")
            for kind in sorted(kinds, key=len, reverse=True):
                told = told.replace(kind, "")
            assert not set(told.replace(",", " ").replace(".", " ").split()) - {"and"}, one.answer

    def test_are_answered_right_by_facts_alone(self, examples):
        for one in examples.validation:
            assert tells_only_facts(one, one.answer)
            assert not tells_only_facts(one, "person | Enjoys cold rain.\n")
            assert not tells_only_facts(one, "person | no sentence\n")

    def test_are_of_different_people_in_the_halves(self, examples):
        train, validation = (
            {one.split_keys for one in half} for half in (examples.train, examples.validation)
        )
        assert train and validation
        assert not train & validation

    def test_are_the_same_with_the_same_seed_and_others_with_another(self, tavern, examples):
        assert keepers(tavern).fingerprint == examples.fingerprint
        assert keepers(tavern, seed=1).fingerprint != examples.fingerprint

    def test_cannot_be_made_where_nobody_did_anything(self, tmp_path):
        folder = tmp_path / "workspace"
        planted_store(folder).close()
        with pytest.raises(InputError, match="too little"):
            keepers(folder)


class TestCases:
    def test_have_what_came_behind_apart_from_what_came_before(self, cases, rows):
        for case in cases:
            theirs = rows.rows_of(case.user)
            at = dict(zip(rows.item[theirs].tolist(), rows.at[theirs], strict=True))
            assert not set(case.history.tolist()) & set(case.later.tolist())
            assert max(map(at.get, case.history.tolist())) <= min(map(at.get, case.later.tolist()))

    def test_show_nothing_of_later_likes_in_a_prompt(self, examples, cases, composer):
        later = {}
        for case in cases:
            history = frozenset(composer.texts.titles[one] for one in case.history)
            later[f"person {case.user}", history] = {
                composer.texts.titles[one] for one in case.later
            }
        for one in examples.train:
            behind = later[one.split_keys[0], frozenset(shown(one))]
            assert behind and not behind & shown(one)

    @pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda one: one.split)
    def test_use_no_row_that_a_protocol_holds_out(self, tavern, cases, protocol):
        with OpenWorkspace(tavern) as workspace:
            every = read_interactions(workspace.store, load_domain(BAR.name)).interactions
        parted = split_data(every, protocol)
        held = {
            (user, item)
            for half in (parted.validation, parted.test)
            for user, items in zip(half.user.tolist(), half.positives, strict=True)
            for item in items.tolist()
        }
        used = {
            (case.user, item)
            for case in cases
            for item in (*case.history.tolist(), *case.later.tolist())
        }
        assert held and used
        assert not held & used


class WordEmbedder:
    """One direction for each word."""

    name, size = "words", 4096

    def embed(self, texts):
        vectors = np.zeros((len(texts), self.size), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.casefold().replace(".", "").replace(",", "").split():
                vectors[row, sum(map(ord, word)) * 31 % self.size] += 1
        return vectors


class TestWorth:
    def test_is_higher_the_nearer_a_note_is_to_later_likes(self, composer):
        titles = composer.texts.titles
        later = np.array([titles.index("Negroni")], dtype=np.int32)
        case = NoteCase(0, np.zeros(0, dtype=np.int32), later, later)
        scorer = NoteScorer(WordEmbedder(), composer.texts, [case], 0)
        about = composer.texts.of_item(int(later[0]), shared=False)
        near, far = scorer.chances([about, "x"], case)[:, 0]
        assert near > 0.9 > far

    def test_of_one_person_counts_beside_what_a_form_is_worth_for_all(self):
        form, other = ("liked", 4, "newest"), ("salient", 4, "newest")
        notes = [{form: "A.", other: "B."}] * 3
        usual = {form: 0.3, other: 0.1}
        odd = [{form: 0.1, other: 0.3}, {form: 0.1, other: 0.9}]
        assert predictive_notes(notes, [usual, *odd], 1) == ["A.", "A.", "B."]

    def test_of_a_case_without_notes_is_nothing(self):
        assert predictive_notes([{}], [{}], 1) == [""]

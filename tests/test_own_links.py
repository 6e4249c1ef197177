"""Somebody's shelves and tags are theirs: to others of one workspace they are no attributes."""

from __future__ import annotations

import pytest

from localrec.data.questions import Question
from localrec.data.rows import AttributeLink, ItemRow
from localrec.graph.domain_files import load_domain
from localrec.graph.history_ingest import ingest_history
from localrec.graph.item_ingest import ingest_items
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace import OpenWorkspace
from tests.graph.test_histories import export, history, rated
from tests.planted import BAR, a_report, planted_rows

SECRET = "breakup nights"
SHARED = "long drinks"


@pytest.fixture
def shared(tmp_path):
    """A bar with a catalogue, where ana and bob put drinks on shelves of their own."""
    folder = tmp_path / "bar"
    with OpenWorkspace(folder, writable=True) as workspace:
        ingest_items(workspace.store, BAR, planted_rows(), a_report(len(planted_rows())))
        workspace.imports.embed_texts(load_domain(BAR.name))
    shelve(folder, "ana", "negroni", SECRET, SHARED)
    shelve(folder, "bob", "mojito", SHARED)
    return folder


def shelve(folder, user, drink, *shelves):
    row = next(one for one in planted_rows() if one.key == drink)
    own = tuple(AttributeLink(kind="category", name=one, personal=True) for one in shelves)
    item = ItemRow(key=row.key, name=row.name, links=own)
    with OpenWorkspace(folder, writable=True) as workspace:
        ingest_history(workspace.store, BAR, history([rated(drink, 4.0, user)], [item]), by=user)


def shelved(workspace, user, shelf):
    """The drinks on a shelf as somebody sees it; None where they do not know of it."""
    catalogue = workspace.context(BAR.name, user).catalogue
    known = [place for place, one in enumerate(catalogue.attributes) if one.name == shelf]
    if not known:
        return None
    return {catalogue.keys[item] for item in catalogue.items_with(tuple(known)).nonzero()[0]}


def asked(workspace, user, question):
    marc = SYSTEM_REGISTRY.answerer(workspace.context(BAR.name, user), "marc")
    return marc.answer(Question(query=question), 10)


class TestAShelf:
    def test_is_an_attribute_to_whom_it_belongs(self, shared):
        with OpenWorkspace(shared) as workspace:
            assert shelved(workspace, "ana", SECRET) == {"negroni"}
            assert shelved(workspace, "ana", SHARED) == {"negroni"}
            assert shelved(workspace, "bob", SHARED) == {"mojito"}

    def test_is_unknown_to_others_and_to_nobody_in_particular(self, shared):
        with OpenWorkspace(shared) as workspace:
            for other in ("bob", "a stranger", None):
                assert shelved(workspace, other, SECRET) is None
            assert shelved(workspace, None, SHARED) is None

    def test_of_a_lone_person_serves_whoever_asks_without_a_name(self, tmp_path):
        folder = tmp_path / "bar"
        with OpenWorkspace(folder, writable=True) as workspace:
            ingest_items(workspace.store, BAR, planted_rows(), a_report(len(planted_rows())))
        shelve(folder, "ana", "negroni", SECRET)
        with OpenWorkspace(folder) as workspace:
            assert shelved(workspace, None, SECRET) == {"negroni"}
            assert shelved(workspace, "bob", SECRET) is None

    def test_stays_where_a_catalogue_says_the_same(self, shared):
        with OpenWorkspace(shared) as workspace:
            seen = workspace.context(BAR.name, "bob").catalogue
            assert {one.name for one in seen.attributes} >= {"gin", "campari"}
            told = seen.details([seen.item_index("negroni")])[seen.item_index("negroni")]
        assert told
        assert not {SECRET, SHARED} & {one.as_written for one in told}

    def test_answers_its_owner_and_is_not_evidence_for_others(self, shared):
        with OpenWorkspace(shared) as workspace:
            own = asked(workspace, "ana", SECRET)
            foreign = asked(workspace, "bob", SECRET)
        assert [item.key for item in own.items] == ["negroni"]
        assert SECRET in {edge.target for edge in own.items[0].evidence}
        targets = {edge.target for item in foreign.items for edge in item.evidence}
        assert not {SECRET, SHARED} & targets
        assert SECRET not in foreign.intent.include


def test_an_import_is_seen_at_once_by_its_owner_alone(shared):
    with OpenWorkspace(shared, writable=True) as workspace:
        assert shelved(workspace, "bob", "sundays") is None
        interactions = history(
            [rated("americano", 3.0, "bob")], [export("americano", shelves=["sundays"])]
        )
        workspace.imports.import_history(interactions, load_domain(BAR.name), "bob")
        assert shelved(workspace, "bob", "sundays") == {"americano"}
        assert shelved(workspace, "ana", "sundays") is None

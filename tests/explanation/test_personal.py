"""A reason says what the data say: every number of every sentence is counted again."""

from __future__ import annotations

import re
from datetime import datetime

import numpy as np
import pytest

from localrec.data.evidence import fact_sentences
from localrec.data.query import Query
from localrec.data.rows import Event, HistoryRows, InteractionRow
from localrec.explanation.grounding import is_grounded
from localrec.explanation.reason_builder import MemoryEvidence, ReasonBuilder
from localrec.graph.catalogue import Catalogue
from localrec.graph.history_ingest import ingest_history
from localrec.graph.user_profile import UserProfile, profile_from_keys
from localrec.index.interaction_cache import open_interaction_matrix
from localrec.memory.collaborative_memory import retrieve_memory
from localrec.memory.loader import load_collaborative_memory
from localrec.understanding.vocabulary import Vocabulary
from tests.planted import BAR, a_report, planted_rows, planted_store

DRINKS = [row.key for row in planted_rows()]
SHARE = re.compile(
    r"(?P<share>\d+%|less than 1%) of those who liked (?P<liked>.+?) liked this too, "
    r"(?P<usual>\d+%|less than 1%) of everybody did"
)
COMMON = re.compile(r"[Ii]t has (?P<shared>.+?) in common with (?P<named>.+?)\.(?: |$)")


def crowd():
    """Who liked what: each of 120 people likes a few drinks next to each other in the bar."""
    random = np.random.default_rng(5)
    for user in range(120):
        centre = int(random.integers(len(DRINKS)))
        for step in range(int(random.integers(1, 5))):
            yield f"p{user}", DRINKS[(centre + step) % len(DRINKS)]


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reasons")
    with planted_store(folder) as store:
        rows = [InteractionRow(user=u, item=i, event=Event.LIKED) for u, i in crowd()]
        told = HistoryRows(items=(), interactions=tuple(rows), report=a_report(len(rows)))
        ingest_history(store, BAR, told, None)
        catalogue = Catalogue(store, BAR)
        yield catalogue, open_interaction_matrix(store, folder / "indexes", catalogue)


def fans(key):
    return {user for user, item in crowd() if item == key}


def percent(part, whole):
    return f"{part / whole:.0%}" if part >= 0.01 * whole else "less than 1%"


def reason_builder(bar, user_profile):
    return ReasonBuilder("ana", user_profile, *bar)


def history(bar, *told):
    keys, stars = zip(*told, strict=True)
    return profile_from_keys(keys, bar[0], stars)


def key_of(bar, name):
    return bar[0].keys[bar[0].names.index(name)]


@pytest.mark.parametrize("seed", range(5))
def test_every_number_is_a_count(bar, seed):
    random = np.random.default_rng(seed)
    catalogue, _ = bar
    mine = [DRINKS[one] for one in random.choice(len(DRINKS), 6, replace=False)]
    stars = [float(one) for one in random.choice([1.0, 3.0, 4.0, 5.0], 6)]
    reasons = reason_builder(bar, history(bar, *zip(mine, stars, strict=True)))
    everybody = {user for user, _ in crowd()}
    seen = 0
    for item, key in enumerate(catalogue.keys):
        facts = reasons.facts(item)
        told = fact_sentences(facts)
        for found in SHARE.finditer(told):
            liked = key_of(bar, found["liked"])
            assert liked in mine
            assert liked != key
            both = len(fans(liked) & fans(key))
            assert both >= 3
            assert found["share"] == percent(both, len(fans(liked)))
            assert found["usual"] == percent(len(fans(key)), len(everybody))
            (edge,) = [
                one for fact in facts for one in fact.evidence if one.relation == "LIKED_WITH"
            ]
            assert edge.value == f"{both} of {len(fans(liked))} people"
            seen += 1
        for found in COMMON.finditer(told):
            check_common(bar, key, found, dict(zip(mine, stars, strict=True)))
            seen += 1
    assert seen


def check_common(bar, key, found, mine):
    catalogue, _ = bar
    shared = re.split(r", | and ", found["shared"])

    def has(one):
        theirs = catalogue.attributes_of(catalogue.item_index(one))
        return {catalogue.attributes[index].name for index in theirs}

    assert set(shared) <= has(key)
    liked = {one for one in mine if mine[one] >= 3.5 and one != key and set(shared) <= has(one)}
    named = re.findall(r"(?:^|, |and )([A-Z][\w ]+?) \(([\d.]+) stars?\)", found["named"])
    assert named
    for name, stars in named:
        assert mine[key_of(bar, name)] == float(stars)
        assert key_of(bar, name) in liked
    more = re.search(r"and (\d+) more", found["named"])
    assert len(named) + (int(more[1]) if more else 0) == len(liked)


def test_a_stranger_is_told_how_many_people_liked_it(bar):
    reasons = reason_builder(bar, profile_from_keys((), bar[0]))
    for item, key in enumerate(bar[0].keys):
        count = len(fans(key))
        users = "person" if count == 1 else "people"
        assert fact_sentences(reasons.facts(item)) == f"{count} {users} liked it."


def test_what_nobody_liked_has_no_reason(tmp_path):
    with planted_store(tmp_path) as store:
        catalogue = Catalogue(store, BAR)
        nobody = open_interaction_matrix(store, tmp_path / "indexes", catalogue)
        reasons = ReasonBuilder("ana", profile_from_keys((), catalogue), catalogue, nobody)
        assert reasons.facts(0) == []
        assert fact_sentences([]) == ""


def test_a_disliked_item_speaks_for_nothing(bar):
    reasons = reason_builder(bar, history(bar, ("negroni", 0.5), ("gimlet", 1.0)))
    for item in range(len(bar[0])):
        assert reasons.from_history(item) == []


def test_an_item_is_no_reason_for_itself(bar):
    reasons = reason_builder(bar, history(bar, ("negroni", 5.0)))
    assert reasons.from_history(bar[0].item_index("negroni")) == []


@pytest.mark.parametrize(
    ("strength", "stars", "relation", "value"),
    [
        (1.0, np.nan, "LIKED", None),
        (0.3, np.nan, "CHOSE", None),
        (0.4, np.nan, "CHOSE", None),
        (1.0, 5.0, "RATED", "5"),
        (0.33, 3.5, "RATED", "3.5"),
    ],
)
def test_the_edge_of_the_history_claims_no_verdict_that_was_not_given(
    bar, strength, stars, relation, value
):
    catalogue, _ = bar
    plain = profile_from_keys(["negroni"], catalogue)
    user_profile = UserProfile(
        plain.items,
        np.array([strength], dtype=np.float32),
        np.array([stars], dtype=np.float32),
        plain.known,
        plain.hidden,
    )
    facts = reason_builder(bar, user_profile).from_history(catalogue.item_index("boulevardier"))
    edges = [edge for fact in facts for edge in fact.evidence if edge.source == "ana"]
    assert edges
    assert {(edge.relation, edge.value, edge.target) for edge in edges} == {
        (relation, value, "Negroni")
    }


def test_evidence_of_attributes_are_edges_of_the_item(bar):
    catalogue, _ = bar
    reasons = reason_builder(bar, history(bar, ("negroni", 5.0), ("mojito", 4.5)))
    for item, name in enumerate(catalogue.names):
        theirs = {catalogue.attributes[one].name for one in catalogue.attributes_of(item)}
        for fact in reasons.from_history(item):
            for edge in fact.evidence:
                if edge.source == name and edge.relation.startswith("HAS"):
                    assert edge.target in theirs


@pytest.fixture(scope="module")
def walk():
    """Who liked what on which day."""
    random = np.random.default_rng(11)
    told = {}
    for user in range(80):
        centre = int(random.integers(len(DRINKS)))
        order = [DRINKS[(centre + step) % len(DRINKS)] for step in range(14)]
        told[f"w{user}"] = order if user % 3 else order[::-1]
    return told


@pytest.fixture(scope="module")
def memory(walk, tmp_path_factory):
    folder = tmp_path_factory.mktemp("walk")
    with planted_store(folder) as store:
        rows = tuple(
            InteractionRow(user=user, item=item, event=Event.LIKED, at=datetime(2024, 5, 1 + day))
            for user, order in walk.items()
            for day, item in enumerate(order)
        )
        told = HistoryRows(items=(), interactions=rows, report=a_report(len(rows)))
        ingest_history(store, BAR, told, None)
        catalogue = Catalogue(store, BAR)
        collaborative_memory = load_collaborative_memory(store, folder / "indexes", catalogue, None)
        audience = open_interaction_matrix(store, folder / "indexes", catalogue)
        yield catalogue, audience, collaborative_memory, Vocabulary(catalogue)


@pytest.fixture(scope="module")
def reasons_told(memory):
    """Item -> its facts for somebody who likes three drinks."""
    catalogue, audience, collaborative_memory, _ = memory
    user_profile = profile_from_keys(["negroni", "gimlet", "mojito"], catalogue)
    memory_context = retrieve_memory(collaborative_memory, user_profile.items, user_profile.liked)
    reasons = ReasonBuilder(
        "ana",
        user_profile,
        catalogue,
        audience,
        MemoryEvidence(collaborative_memory, memory_context),
    )
    facts = {
        key: [
            reasons._by_companion(item, collaborative_memory),
            reasons._by_facet(item, memory_context),
        ]
        for item, key in enumerate(catalogue.keys)
    }
    return facts, memory_context


class TestWithTheMemoryOfAll:
    """Guests who go along the bar, one drink a day: what comes soon after is counted again."""

    def test_who_came_soon_after_is_counted(self, reasons_told, walk, memory):
        seen = 0
        for key, (fact, _) in reasons_told[0].items():
            if fact is None:
                continue
            found = re.fullmatch(
                r"(\d+) of (\d+) people who liked (.+) and this came to it within their next ten "
                "likings",
                fact.text,
            )
            liked = key_of(memory, found[3])
            both = [one for one in walk.values() if liked in one and key in one]
            soon = [one for one in both if 0 < one.index(key) - one.index(liked) <= 10]
            assert (int(found[1]), int(found[2])) == (len(soon), len(both))
            assert fact.evidence[-1].value == f"{len(soon)} of {len(both)} people"
            seen += 1
        assert seen

    def test_what_the_nearest_share_is_counted_and_had_by_the_item(self, reasons_told, memory):
        facts, memory_context = reasons_told
        users = memory_context.curated.neighbours.is_user
        seen = 0
        for key, (_, fact) in facts.items():
            if fact is None:
                continue
            facet = next(one for one in memory_context.synthesis.facets if one.text in fact.text)
            holders = sum(bool(users[number - 1]) for number in facet.supporters)
            assert fact.text.startswith(f"{holders} of the {users.sum()} people nearest")
            assert 2 * holders >= users.sum()
            assert facet.attribute in memory[0].attributes_of(memory[0].item_index(key))
            seen += 1
        assert seen

    def test_every_sentence_is_grounded_in_its_edges(self, reasons_told, memory):
        facts = [fact for some in reasons_told[0].values() for fact in some if fact is not None]
        for fact in facts:
            assert is_grounded(fact.text, fact.evidence, Query(), memory[3])

    def test_an_item_is_given_at_most_three_reasons(self, reasons_told, memory):
        catalogue, audience, collaborative_memory, _ = memory
        user_profile = profile_from_keys(["negroni", "gimlet", "mojito"], catalogue)
        memory_evidence = MemoryEvidence(collaborative_memory, reasons_told[1])
        reasons = ReasonBuilder("ana", user_profile, catalogue, audience, memory_evidence)
        counts = [len(reasons.from_history(item)) for item in range(len(catalogue))]
        assert max(counts) == 3

    def test_the_memory_s_reasons_are_counted_and_grounded(self, reasons_told, memory, walk):
        catalogue, audience, collaborative_memory, vocabulary = memory
        user_profile = profile_from_keys(["negroni", "gimlet", "mojito"], catalogue)
        memory_context = reasons_told[1]
        memory_evidence = MemoryEvidence(collaborative_memory, memory_context)
        reasons = ReasonBuilder("ana", user_profile, catalogue, audience, memory_evidence)
        chosen = memory_context.curated.neighbours
        nearest = chosen.index[chosen.is_user].tolist()
        seen = 0
        for item, name in enumerate(catalogue.names):
            facts = reasons.from_memory(item)
            assert 1 <= len(facts) <= 3
            for fact in facts:
                found = re.fullmatch(r"(\d+) of the (\d+) people nearest .* like it", fact.text)
                if found is None:
                    continue
                liking = sum(
                    item in collaborative_memory.graph.matrix.items_of(user) for user in nearest
                )
                assert (int(found[1]), int(found[2])) == (liking, len(nearest))
                assert fact.evidence[0].source == name
                assert is_grounded(fact.text, fact.evidence, Query(), vocabulary)
                seen += 1
        assert seen

    def test_a_facet_s_confidence_is_among_the_edges(self, reasons_told):
        facts, memory_context = reasons_told
        known = {facet.text: f"{facet.confidence:.2f}" for facet in memory_context.synthesis.facets}
        edges = [fact.evidence[1] for _, fact in facts.values() if fact is not None]
        assert edges
        assert all(edge.value == known[edge.source] for edge in edges)


def test_without_a_memory_its_reasons_are_those_of_the_history(bar):
    reasons = reason_builder(bar, history(bar, ("negroni", 5.0), ("mojito", 4.5)))
    for item in range(len(bar[0])):
        assert reasons.from_memory(item) == reasons.facts(item)
        assert not any("people" in fact.text for fact in reasons.from_attributes(item))

"""A reason says what the data say: every number of every sentence is counted again."""

from __future__ import annotations

import re

import numpy as np
import pytest

from localrec.explanation.personal import Because
from localrec.graph.catalogue import Catalogue
from localrec.graph.histories import ingest_history
from localrec.index.audience import open_audience
from localrec.retrieval.taste import Taste, taste_of_keys
from localrec.types import Event, History, InteractionRow
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
    for person in range(120):
        centre = int(random.integers(len(DRINKS)))
        for step in range(int(random.integers(1, 5))):
            yield f"p{person}", DRINKS[(centre + step) % len(DRINKS)]


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reasons")
    with planted_store(folder) as store:
        rows = [InteractionRow(user=u, item=i, event=Event.LIKED) for u, i in crowd()]
        told = History(items=(), interactions=tuple(rows), report=a_report(len(rows)))
        ingest_history(store, BAR, told, None)
        catalogue = Catalogue(store, BAR)
        yield catalogue, open_audience(store, folder / "indexes", catalogue)


def fans(key):
    return {person for person, item in crowd() if item == key}


def percent(part, whole):
    return f"{part / whole:.0%}" if part >= 0.01 * whole else "less than 1%"


def because(bar, taste):
    return Because("ana", taste, *bar)


def history(bar, *told):
    keys, stars = zip(*told, strict=True)
    return taste_of_keys(keys, bar[0], stars)


def key_of(bar, name):
    return bar[0].keys[bar[0].names.index(name)]


@pytest.mark.parametrize("seed", range(5))
def test_every_number_is_a_count(bar, seed):
    random = np.random.default_rng(seed)
    catalogue, _ = bar
    mine = [DRINKS[one] for one in random.choice(len(DRINKS), 6, replace=False)]
    stars = [float(one) for one in random.choice([1.0, 3.0, 4.0, 5.0], 6)]
    reasons = because(bar, history(bar, *zip(mine, stars, strict=True)))
    everybody = {person for person, _ in crowd()}
    seen = 0
    for item, key in enumerate(catalogue.keys):
        facts = reasons.facts(item)
        told = reasons.sentence(facts)
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
    reasons = because(bar, taste_of_keys((), bar[0]))
    for item, key in enumerate(bar[0].keys):
        count = len(fans(key))
        people = "person" if count == 1 else "people"
        assert reasons.sentence(reasons.facts(item)) == f"{count} {people} liked it."


def test_what_nobody_liked_has_no_reason(tmp_path):
    with planted_store(tmp_path) as store:
        catalogue = Catalogue(store, BAR)
        nobody = open_audience(store, tmp_path / "indexes", catalogue)
        reasons = Because("ana", taste_of_keys((), catalogue), catalogue, nobody)
        assert reasons.facts(0) == []
        assert reasons.sentence([]) == ""


def test_a_disliked_item_speaks_for_nothing(bar):
    reasons = because(bar, history(bar, ("negroni", 0.5), ("gimlet", 1.0)))
    for item in range(len(bar[0])):
        assert reasons.from_history(item) == []


def test_an_item_is_no_reason_for_itself(bar):
    reasons = because(bar, history(bar, ("negroni", 5.0)))
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
    plain = taste_of_keys(["negroni"], catalogue)
    taste = Taste(
        plain.items,
        np.array([strength], dtype=np.float32),
        np.array([stars], dtype=np.float32),
        plain.known,
        plain.hidden,
    )
    facts = because(bar, taste).from_history(catalogue.item_index("boulevardier"))
    edges = [edge for fact in facts for edge in fact.evidence if edge.source == "ana"]
    assert edges
    assert {(edge.relation, edge.value, edge.target) for edge in edges} == {
        (relation, value, "Negroni")
    }


def test_evidence_of_attributes_are_edges_of_the_item(bar):
    catalogue, _ = bar
    reasons = because(bar, history(bar, ("negroni", 5.0), ("mojito", 4.5)))
    for item, name in enumerate(catalogue.names):
        theirs = {catalogue.attributes[one].name for one in catalogue.attributes_of(item)}
        for fact in reasons.from_history(item):
            for edge in fact.evidence:
                if edge.source == name and edge.relation.startswith("HAS"):
                    assert edge.target in theirs

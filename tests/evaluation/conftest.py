"""A planted bar of five drinks whose families, answers and edges are known by heart."""

from __future__ import annotations

import msgspec
import pytest

from localrec.data.answers import Answer, QueryView, ReflectionRecord, Relaxation
from localrec.data.domains import AttributeSpec, Concept, Domain, FlagSpec, NumberSpec
from localrec.data.evidence import Evidence
from localrec.data.query import RoutedTask, TaskKind
from localrec.data.recommendations import RecommendedItem
from localrec.data.rows import AttributeLink, ImportReport, ItemRow
from localrec.evaluation.questions.gold import Gold, GoldQuestion
from localrec.evaluation.questions.store_truth import StoreTruth
from localrec.evaluation.ranking.keyed_interactions import read_interactions
from localrec.graph.domain_files import load_domain
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.workspace import OpenWorkspace

from .crowd import plant


@pytest.fixture(scope="module")
def crowd(tmp_path_factory):
    """A workspace in which films of two camps were rated by people of either."""
    return plant(tmp_path_factory.mktemp("crowd") / "w")


@pytest.fixture(scope="module")
def keyed(crowd):
    """All that the crowd did, with its keys."""
    with OpenWorkspace(crowd) as workspace:
        return read_interactions(workspace.store, load_domain("movies"))


BAR = Domain(
    name="bar",
    item="drink",
    singular="drink",
    plural="drinks",
    item_words=("drink",),
    texts={"name": "name"},
    attributes={
        "ingredient": AttributeSpec(role="component", edge="HAS_INGREDIENT"),
        "glass": AttributeSpec(role="container", edge="HAS_GLASSTYPE", words=("glass",)),
        "colour": AttributeSpec(role="colour", edge="HAS_COLOUR"),
        "garnish": AttributeSpec(role="garnish", edge="HAS_GARNISH"),
    },
    flags={"alcoholic": FlagSpec(values={"alcoholic": (), "non-alcoholic": ()})},
    numbers={"strength": NumberSpec(kind="amount")},
    taxonomy={
        "ingredient": {
            "spirit": Concept(),
            "whiskey": Concept(parents=("spirit",), also=("whisky",)),
            "scotch whisky": Concept(parents=("whiskey", "smoky")),
            "smoky": Concept(ask=("peaty",)),
            "mezcal": Concept(parents=("spirit", "smoky")),
            "nut": Concept(),
            "hazelnut": Concept(parents=("nut",)),
            "vodka": Concept(parents=("spirit",)),
            "egg": Concept(),
            "egg white": Concept(parents=("egg",)),
            "olive": Concept(),
            "ginger ale": Concept(),
        },
        "glass": {"highball glass": Concept(also=("tall glass",)), "coupe glass": Concept()},
        "colour": {"blue": Concept(), "turquoise": Concept(), "amber": Concept()},
        "garnish": {"olive": Concept()},
    },
)


def drink(name, glass, colour, *ingredients, garnish=(), alcoholic="alcoholic", strength=None):
    """One row; an ingredient is a name or a (name, measure) pair."""
    pairs = [one if isinstance(one, tuple) else (one, None) for one in ingredients]
    return ItemRow(
        key=name.lower().replace(" ", "-"),
        name=name,
        properties={"alcoholic": alcoholic, "strength": strength},
        links=(
            *(AttributeLink(kind="ingredient", name=n, value=v) for n, v in pairs),
            AttributeLink(kind="glass", name=glass),
            AttributeLink(kind="colour", name=colour),
            *(AttributeLink(kind="garnish", name=one) for one in garnish),
        ),
    )


ROWS = (
    drink("Peat Sour", "coupe glass", "amber", ("scotch whisky", "60 ml"), "egg white"),
    drink(
        "Smoke Signal", "highball glass", "amber", ("mezcal", "45 ml"), "ginger ale", strength=9.5
    ),
    drink("Nutty Blue", "coupe glass", "blue", "hazelnut vodka"),
    drink("Salty Dog", "highball glass", "turquoise", "vodka", garnish=["olive"]),
    drink("Plain Ale", "highball glass", "amber", "ginger ale", alcoholic="non-alcoholic"),
)


@pytest.fixture
def store(tmp_path):
    """The planted bar in a real store."""
    report = ImportReport(
        source="planted", path="", domain="bar", read=5, kept=5, merged=0, dropped=0
    )
    with Store.open_(tmp_path / "store.duckdb") as opened:
        ingest_items(opened, BAR, ROWS, report)
        yield opened


@pytest.fixture
def truth(store):
    """The independent reading of the planted bar."""
    return StoreTruth(store, BAR)


def edge(source, relation, target, value=None):
    """One cited edge."""
    return Evidence(source=source, relation=relation, target=target, value=value)


def told(name, *evidence, reason=""):
    """One recommended item; its key is made as in the planted rows."""
    return RecommendedItem(
        rank=1,
        key=name.lower().replace(" ", "-"),
        name=name,
        score=1.0,
        satisfies=True,
        evidence=tuple(evidence),
        reason=reason,
    )


def asked(task="C3", half="dev", id="q1", style=(), possible=True, **gold):
    """One gold question."""
    return GoldQuestion(
        id=id,
        query="?",
        half=half,
        task=TaskKind(task),
        style=style,
        gold=Gold(**gold),
        possible=possible,
    )


def answered(*items, task="C3", relaxed=False, target=None, ms=2.0):
    """One answer with the given items."""
    fields = [field.name for field in msgspec.structs.fields(QueryView) if field.required]
    empty = dict.fromkeys(fields, ())
    view = QueryView(**{**empty, "flags": {}, "order": {}, "corrected": {}, "target": target})
    let_go = (Relaxation(constraint="component", value="egg", reason="none"),)
    return Answer(
        id="q1",
        query="?",
        task=RoutedTask(kind=TaskKind(task), confidence=1.0, reason=""),
        intent=view,
        items=tuple(items),
        near_misses=(),
        relaxed=let_go if relaxed else (),
        message="",
        reflection=ReflectionRecord(rounds=1, scores=(), chosen=1),
        answered_by={"router": "rules"},
        timings_ms={"retrieval": ms},
        tokens={},
    )

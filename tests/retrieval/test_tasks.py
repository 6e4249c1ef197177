"""The four algorithms of MARC's appendix A.1 on planted drinks."""

import numpy as np

from localrec.data.query import TaskKind
from localrec.retrieval.candidates import build_candidates
from localrec.retrieval.expansion import missing_components
from localrec.retrieval.retrievers import retriever_of
from localrec.retrieval.search_query import RankedItems, SearchParams
from localrec.understanding.query_parser import parse_query
from localrec.workspace.domain_context import DomainContext


def retrieve(bar: DomainContext, question: str, task: TaskKind, k: int = 3) -> list[str]:
    intent = parse_query(question, bar.vocabulary)
    query = bar.search_query(question, intent)
    pool = build_candidates(intent, bar.catalogue, task)
    found: RankedItems = retriever_of(task)(query, pool.items, SearchParams(k=k))
    assert list(found.scores) == sorted(found.scores, reverse=True) or task is not TaskKind.C1
    return [bar.catalogue.names[i] for i in found.items]


def test_looks_rank_by_their_description(bar: DomainContext):
    assert set(retrieve(bar, "a red drink", TaskKind.C1)) == {
        "Negroni",
        "Boulevardier",
        "Americano",
        "Peat Bog",
    }


def test_the_container_holds_all_components(bar: DomainContext):
    found = retrieve(bar, "highball glass with gin and lemon juice", TaskKind.C2)
    assert found == ["Gin Buck"]


def test_expansion_prefers_what_shares_the_common_components(bar: DomainContext):
    found = retrieve(bar, "with lime juice", TaskKind.C3)
    assert "Negroni" not in found
    # sugar is what drinks with lime juice have in common: those with both lead
    assert set(found[:4]) <= {"Gimlet", "Daiquiri", "Mojito", "Smoke Signal", "Limeade", "Orchard"}


def test_what_needs_least_beyond_the_shelf_comes_first(bar: DomainContext):
    assert retrieve(bar, "I have gin, lime juice, sugar, rum and cream", TaskKind.C3)[0] in (
        "Gimlet",
        "Daiquiri",
    )


def test_missing_components_are_those_not_at_hand_nor_of_a_family_at_hand(bar: DomainContext):
    intent = parse_query("I have rum and sugar", bar.vocabulary)
    query = bar.search_query("I have rum and sugar", intent)
    daiquiri = bar.catalogue.item_index("daiquiri")
    assert daiquiri is not None
    assert missing_components(query, daiquiri) == ("lime juice",)


def test_likeness_is_shared_components_first_then_fewer_of_them(bar: DomainContext):
    assert retrieve(bar, "like a negroni", TaskKind.C4)[:2] == ["Boulevardier", "Americano"]


def test_a_wish_relative_to_the_example_comes_first(bar: DomainContext):
    assert retrieve(bar, "like a negroni but lighter", TaskKind.C4)[0] == "Americano"
    assert retrieve(bar, "like a negroni but stronger", TaskKind.C4)[0] == "Boulevardier"


def test_an_alcoholic_example_has_alcoholic_kin(bar: DomainContext):
    assert retrieve(bar, "like a mojito", TaskKind.C4)[0] not in ("Limeade", "Orchard")
    assert retrieve(bar, "like a mojito, alcohol-free", TaskKind.C4)[0] == "Limeade"


def test_a_soft_wish_orders_without_ruling_out(bar: DomainContext):
    strong_first = retrieve(bar, "gin, stronger please", TaskKind.C3)
    assert set(strong_first) == {"Negroni", "Gin and Tonic", "Gimlet", "Gin Buck"}
    assert set(strong_first[:2]) == {"Negroni", "Gimlet"}


def test_a_wider_setting_never_tightens_a_bound():
    setting = SearchParams(k=3)
    wider = setting.relaxed()
    assert wider.k == 4
    assert wider.seeds >= setting.seeds
    assert wider.colour_threshold <= setting.colour_threshold
    assert wider.complexity >= setting.complexity
    assert wider.shared <= setting.shared


def strengths(bar: DomainContext, names: list[str]) -> list[float]:
    places = [bar.catalogue.names.index(name) for name in names]
    return [float(bar.catalogue.numbers["strength"][place]) for place in places]


def test_the_strongest_of_those_that_are_asked_for_come_first_in_their_order(bar: DomainContext):
    for task in (TaskKind.C2, TaskKind.C3):
        found = retrieve(bar, "the strongest drink with gin", task)
        with_gin = retrieve(bar, "a drink with gin", task, k=99)
        assert strengths(bar, found) == sorted(strengths(bar, found), reverse=True)
        assert strengths(bar, found)[0] == max(strengths(bar, with_gin))


def test_the_weakest_come_first(bar: DomainContext):
    found = strengths(bar, retrieve(bar, "the weakest drink with gin", TaskKind.C3))
    assert found == sorted(found)
    assert found[0] == min(strengths(bar, retrieve(bar, "with gin", TaskKind.C3, k=99)))


def test_a_second_superlative_decides_between_equals_of_the_first(bar: DomainContext):
    names = retrieve(bar, "a drink with the fewest ingredients, the strongest", TaskKind.C3, k=4)
    places = [bar.catalogue.names.index(name) for name in names]
    counts = bar.catalogue.numbers["ingredient_count"]
    found = [(counts[place], -bar.catalogue.numbers["strength"][place]) for place in places]
    assert found == sorted(found)
    fewest = bar.catalogue.numbers["strength"][counts == counts.min()]
    assert -found[0][1] == fewest.max()


def test_a_wish_for_less_puts_the_lowest_third_before_the_others(bar: DomainContext):
    found = strengths(bar, retrieve(bar, "a weaker drink with gin", TaskKind.C3, k=99))
    third = float(np.quantile(bar.catalogue.numbers["strength"], 1 / 3))
    is_low = [value < third for value in found]
    assert any(is_low)
    assert is_low == sorted(is_low, reverse=True)


def test_a_count_that_nobody_knows_is_not_the_lowest(bar: DomainContext, monkeypatch):
    counts = bar.catalogue.numbers["ingredient_count"].copy()
    unknown = bar.catalogue.names.index("Gimlet")
    counts[unknown] = 0.0
    monkeypatch.setitem(bar.catalogue.numbers, "ingredient_count", counts)
    found = retrieve(bar, "a gin drink with the fewest ingredients", TaskKind.C3)
    assert found[0] != "Gimlet"

"""What may answer at all: hard constraints, and what gives way."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.query import TaskKind
from localrec.retrieval.candidates import build_candidates
from localrec.understanding.query_parser import parse_query
from localrec.workspace.domain_context import DomainContext


def names(bar: DomainContext, question: str, task: TaskKind = TaskKind.C3) -> set[str]:
    pool = build_candidates(parse_query(question, bar.vocabulary), bar.catalogue, task)
    return {bar.catalogue.names[i] for i in pool.items.nonzero()[0]}


def relaxed(bar: DomainContext, question: str, task: TaskKind = TaskKind.C3) -> list[str]:
    pool = build_candidates(parse_query(question, bar.vocabulary), bar.catalogue, task)
    return [one.value for one in pool.relaxed]


def test_a_family_stands_for_everything_below_it(bar: DomainContext):
    assert names(bar, "with whiskey") == {"Boulevardier", "Peat Bog", "Whiskey Sour"}


def test_barring_a_family_bars_everything_below_it(bar: DomainContext):
    assert names(bar, "smoky without whiskey") == {"Smoke Signal"}


def test_barring_reaches_names_that_only_speak_of_it(bar: DomainContext):
    assert "Filbert" not in names(bar, "no nuts, with lemon juice")
    assert "Filbert" in names(bar, "with lemon juice")


def test_components_give_way_from_the_last_one_named(bar: DomainContext):
    assert relaxed(bar, "gin, campari and mint") == ["mint"]
    assert names(bar, "gin, campari and mint") == {"Negroni"}


def test_a_demand_that_fits_after_all_is_taken_back(bar: DomainContext):
    # mint is dropped first, but it is cream that nothing has together with gin
    assert relaxed(bar, "lime juice, cream and mint") == ["cream"]


def test_the_glass_gives_way_last_when_it_leads(bar: DomainContext):
    assert relaxed(bar, "cream in a highball glass", TaskKind.C2) == ["cream"]
    assert relaxed(bar, "cream in a highball glass", TaskKind.C3) == ["highball glass"]


def test_a_glass_gives_way_to_its_siblings_before_it_goes(bar: DomainContext):
    pool_names = names(bar, "mezcal in a martini glass", TaskKind.C3)
    assert pool_names == {"Smoke Signal"}


@pytest.mark.parametrize("question", ["like a Negroni", "negroni variations"])
def test_the_example_is_never_in_the_pool(bar: DomainContext, question: str):
    assert "Negroni" not in names(bar, question, TaskKind.C4)


_ASKS = ["gin", "campari", "cream", "mint", "bourbon", "in a coupe", "red", "blue", "layered"]
_BARS = ["gin", "rum", "whiskey", "dairy", "nuts", "egg", "citrus", "mint"]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.sampled_from(_ASKS), unique=True, max_size=5),
    st.lists(st.sampled_from(_BARS), unique=True, max_size=4),
    st.sampled_from(list(TaskKind)),
)
def test_exclusions_hold_whatever_is_relaxed_and_there_is_an_answer_while_any_is_allowed(
    bar: DomainContext, asks: list[str], bars: list[str], task: TaskKind
):
    question = ". ".join([*(f"with {ask}" for ask in asks), *(f"no {bar_}" for bar_ in bars)])
    intent = parse_query(question, bar.vocabulary)
    pool = build_candidates(intent, bar.catalogue, task)
    assert not (pool.items & ~pool.allowed).any()
    assert pool.items.any() == pool.allowed.any()
    assert bool(pool.relaxed) == (not pool.satisfying.any() and pool.allowed.any())

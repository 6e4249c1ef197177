"""A question compares its text with an item's once, and orders items as one plain sort would."""

import gc
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

from localrec.retrieval.attribute_lists import attributes_by_words, attributes_of_kind
from localrec.retrieval.candidates import _garnished_with
from localrec.retrieval.search_query import rank_items
from localrec.understanding.query_parser import parse_query
from localrec.workspace.domain_context import DomainContext


class CountingField:
    """A field that counts how many items it compared."""

    def __init__(self, field):
        self.field, self.compared = field, []

    def similarities(self, query, node_ids):
        self.compared.append(len(node_ids))
        return self.field.similarities(query, node_ids)


def search(bar: DomainContext):
    """A search whose comparisons are counted, and its field."""
    query = bar.search_query("a red drink", parse_query("a red drink", bar.vocabulary))
    field = CountingField(query.fields[query.visual_field])
    object.__setattr__(query, "fields", {**query.fields, query.visual_field: field})
    return query, field


def test_rounds_of_reflection_share_the_comparison_with_a_large_pool(bar: DomainContext):
    query, field = search(bar)
    first = query.similarity(np.arange(len(bar.catalogue), dtype=np.int32))
    again = query.similarity(np.array([4, 1], dtype=np.int32))
    assert field.compared == [len(bar.catalogue)]
    assert again.tolist() == first[[4, 1]].tolist()


def test_texts_are_compared_with_what_is_wanted_and_others_read_the_whole_question(bar):
    question = "a red drink without gin"
    query = bar.search_query(question, parse_query(question, bar.vocabulary))
    wanted = bar.search_query("a red drink", parse_query("a red drink", bar.vocabulary))
    assert query.vector.tolist() == wanted.vector.tolist()
    assert query.text == question  # a critic must know what is refused


def test_a_small_pool_is_compared_alone_with_the_same_result(bar: DomainContext):
    query, field = search(bar)
    alone = query.similarity(np.array([4, 1], dtype=np.int32))
    assert field.compared == [2]
    assert (
        alone.tolist() == search(bar)[0].similarity(np.arange(5, dtype=np.int32))[[4, 1]].tolist()
    )


@pytest.mark.parametrize("keys", [1, 2, 5])
def test_items_are_ranked_as_one_sort_by_all_keys_and_index(keys):
    random = np.random.default_rng(keys)
    items = random.permutation(400).astype(np.int32)
    columns = random.integers(4, size=(keys, 400)).astype(np.float32)
    scores = random.random(400).astype(np.float32)
    ranked = rank_items(items, tuple(columns), scores)
    order = np.lexsort((items, *(-key for key in reversed(columns))))
    assert ranked.items.tolist() == items[order].tolist()
    assert ranked.scores.tolist() == scores[order].tolist()


class Named:
    """A catalogue of attributes alone."""

    def __init__(self, *named):
        self.attributes = [SimpleNamespace(kind=kind, key=key) for kind, key in named]


def test_garnishes_are_found_by_all_words_side_by_side_in_their_names():
    named = Named(("garnish", "lime wheel"), ("component", "lime"), ("garnish", "fresh lime peel"))
    assert attributes_of_kind(named, "garnish") == (0, 2)
    found = attributes_by_words(named, "garnish")
    assert found["lime"] == (0, 2)
    assert found["fresh lime"] == (2,)
    assert "fresh peel" not in found


def test_the_lists_of_a_catalogue_end_with_it():
    named = Named(("garnish", "lime wheel"))
    attributes_by_words(named, "garnish")
    gone = weakref.ref(named)
    del named
    gc.collect()
    assert gone() is None


def test_barring_a_component_bars_the_garnishes_called_after_it():
    named = Named(("garnish", "lime wheel"), ("component", "lime"), ("garnish", "fresh lime peel"))
    named.domain = SimpleNamespace(kind_of=lambda role: role)
    named.below, named.items_with = (lambda index: (index,)), (lambda attributes: attributes)
    assert _garnished_with(SimpleNamespace(kind="component"), {1}, named) == (0, 2)
    assert _garnished_with(SimpleNamespace(kind="component"), set(), named) == ()

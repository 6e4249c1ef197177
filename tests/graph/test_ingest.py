"""Imports: the same twice is the same once, a change replaces, and what is cut off never was."""

import signal

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from localrec.data.rows import AttributeLink, ItemRow
from localrec.graph.catalogue import Catalogue
from localrec.graph.domain_files import load_domain
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.graph.taxonomy import FLAVOURED_WITH, IS_A, taxonomy_of
from localrec.index.embedded_fields import open_field, update_embeddings
from localrec.index.embedders import HashingEmbedder
from localrec.understanding.query_parser import parse_query
from localrec.understanding.vocabulary import Vocabulary
from tests.planted import BAR, a_report, planted_rows

IMPORT_UNTIL = """
import localrec.graph.item_ingest as ingest
from localrec.graph.store import Store
from tests.planted import BAR, a_report, planted_rows
import msgspec

if sys.argv[2] == "commit":  # everything is written, nothing is promised yet
    execute = Store.execute
    Store.execute = lambda self, sql, values=(): (
        execute(self, sql, values), "import_receipt" in sql and halt()
    )
else:
    setattr(ingest, sys.argv[2], halt)
with Store.open_(Path(sys.argv[1])) as store:
    rows = [msgspec.structs.replace(row, name=row.name + "!", links=()) for row in planted_rows()]
    rows.append(msgspec.structs.replace(rows[0], key="new"))
    ingest.ingest_items(store, BAR, rows, a_report())
"""
EMBED_UNTIL = """
import localrec.index.embedded_fields as build
from localrec.graph.store import Store
from localrec.index.embedders import HashingEmbedder
from tests.planted import BAR

build._TEXTS_AT_ONCE = 16
with Store.open_(Path(sys.argv[1])) as store:
    build.update_embeddings(
        store, BAR, HashingEmbedder(size=32), lambda done, total: done >= 32 and halt()
    )
"""
BUILD_UNTIL = """
import localrec.index.cached_artifact as cache
from localrec.graph.store import Store
from localrec.index.embedded_fields import open_field

replace, seen = cache.write_atomically, []
def replace_or_halt(path, save):
    seen.append(path)
    return replace(path, save if len(seen) < int(sys.argv[3]) else half)
def half(beside):
    beside.write_bytes(b"half a file")
    halt()
cache.write_atomically = replace_or_halt
with Store.open_(Path(sys.argv[1]), read_only=True) as store:
    open_field(store, Path(sys.argv[2]), "cocktails", "name", "hashing-32-0", "hnsw")
"""


def drink(key, *ingredients, name=None, **properties):
    links = tuple(AttributeLink(kind="ingredient", name=one) for one in ingredients)
    return ItemRow(key=key, name=name or key.title(), properties=properties, links=links)


def take_in(store, *rows, domain=BAR):
    ingest_items(store, domain, rows, a_report(len(rows)))


def nodes_of(store):
    return store.rows("SELECT node_id, domain, kind, key, name, properties FROM node ORDER BY ALL")


def edges_of(store):
    return store.rows(
        "SELECT s.kind, s.key, e.kind, t.kind, t.key, e.properties FROM edge e "
        "JOIN node s ON s.node_id = e.source_id JOIN node t ON t.node_id = e.target_id ORDER BY ALL"
    )


def links_of(store, key, relation="HAS_INGREDIENT"):
    return store.rows(
        "SELECT t.key, e.properties->>'$.as_written', e.properties->>'$.value' FROM edge e "
        "JOIN node s ON s.node_id = e.source_id JOIN node t ON t.node_id = e.target_id "
        "WHERE s.key = ? AND s.kind = 'cocktail' AND e.kind = ? ORDER BY e.rowid",
        [key, relation],
    )


def families_of(store, key, relation):
    rows = store.rows(
        "SELECT t.key FROM edge e JOIN node s ON s.node_id = e.source_id "
        "JOIN node t ON t.node_id = e.target_id "
        "WHERE s.key = ? AND s.kind = 'ingredient' AND e.kind = ? ORDER BY t.key",
        [key, relation],
    )
    return [found for (found,) in rows]


@pytest.fixture
def store(path):
    with Store.open_(path) as opened:
        yield opened


class TestAnImport:
    def test_done_twice_is_the_same(self, bar):
        nodes, edges = nodes_of(bar), edges_of(bar)
        take_in(bar, *planted_rows())
        assert nodes_of(bar) == nodes
        assert edges_of(bar) == edges
        assert bar.rows("SELECT count(*) FROM import_receipt") == [(2,)]

    def test_keeps_what_an_edge_was_written_as_and_its_measure(self, bar):
        assert ("soda water", "club soda", "30 ml") in links_of(bar, "americano")

    def test_of_a_changed_row_replaces_its_edges_and_texts_alone(self, bar):
        others = [edge for edge in edges_of(bar) if edge[1] != "negroni"]
        before = bar.rows("SELECT node_id FROM node WHERE key = 'negroni'")
        take_in(bar, drink("negroni", "mezcal", "campari", name="Mezcal Negroni", strength=25.0))
        assert [key for key, *_ in links_of(bar, "negroni")] == ["mezcal", "campari"]
        assert links_of(bar, "negroni", "HAS_GLASSTYPE") == []
        assert [edge for edge in edges_of(bar) if edge[1] != "negroni"] == others
        assert bar.rows("SELECT node_id FROM node WHERE key = 'negroni'") == before
        assert bar.rows("SELECT name, properties FROM node WHERE key = 'negroni'") == [
            ("Mezcal Negroni", '{"strength":25.0}')
        ]

    def test_lets_items_that_are_not_in_it_stand(self, bar):
        take_in(bar, drink("new", "gin"))
        assert bar.rows("SELECT count(*) FROM node WHERE kind = 'cocktail'") == [(18,)]

    def test_makes_one_edge_of_an_ingredient_that_is_listed_twice(self, store):
        take_in(store, drink("twice", "light rum", "white rum", "gin", "Gin"))
        assert [key for key, *_ in links_of(store, "twice")] == ["white rum", "gin"]

    def test_of_no_rows_still_brings_the_families(self, store):
        take_in(store)
        assert store.rows("SELECT count(*) FROM node WHERE kind = 'cocktail'") == [(0,)]
        assert families_of(store, "bourbon", IS_A) == ["whiskey"]

    def test_into_one_domain_leaves_another_alone(self, bar):
        films = msgspec.structs.replace(BAR, name="films")
        before = edges_of(bar)
        take_in(bar, drink("negroni", "egg"), domain=films)
        cocktails = bar.rows("SELECT count(*) FROM node WHERE domain = 'cocktails'")
        assert bar.rows("SELECT count(*) FROM node WHERE kind = 'cocktail'") == [(18,)]
        assert len(edges_of(bar)) > len(before)
        take_in(bar, *planted_rows())
        assert bar.rows("SELECT count(*) FROM node WHERE domain = 'cocktails'") == cocktails
        assert [key for key, *_ in links_of(bar, "negroni")].count("egg") == 1

    def test_takes_quotes_and_braces_as_they_are(self, store):
        odd = 'O\'Brien "the" {big}; DROP TABLE node; --'
        take_in(store, drink("odd", odd, name=odd, description=odd))
        assert store.rows(
            "SELECT name, properties->>'$.description' FROM node WHERE key='odd'"
        ) == [(odd, odd)]
        assert links_of(store, "odd")[0][1] == odd

    def test_reports_its_steps(self, store):
        steps = []
        ingest_items(store, BAR, planted_rows(), a_report(), steps.append)
        assert steps == ["reading what the texts say", "writing the graph"]

    def test_keeps_its_receipt(self, bar):
        (receipt,) = bar.rows("SELECT report FROM import_receipt")
        assert msgspec.json.decode(receipt[0])["kept"] == 17


class TestFamilies:
    def test_lie_between_ingredients(self, bar):
        assert families_of(bar, "islay scotch", IS_A) == ["smoky", "whiskey"]
        assert families_of(bar, "laphroaig", IS_A) == ["islay scotch"]

    def test_of_an_unknown_name_are_its_head_noun_and_its_flavours(self, bar):
        assert families_of(bar, "hazelnut vodka", IS_A) == ["vodka"]
        assert families_of(bar, "hazelnut vodka", FLAVOURED_WITH) == ["hazelnut"]

    def test_of_a_concept_with_a_flavour_are_told_apart(self, store):
        take_in(store, drink("sidecar", "triple sec"), domain=load_domain("cocktails"))
        assert "orange" in families_of(store, "triple sec", FLAVOURED_WITH)
        assert "orange" not in families_of(store, "triple sec", IS_A)

    def test_follow_a_taxonomy_that_was_changed(self, bar):
        moved = {**BAR.taxonomy["ingredient"]}
        moved["bourbon"] = msgspec.structs.replace(moved["bourbon"], parents=("spirit",))
        changed = msgspec.structs.replace(BAR, taxonomy={**BAR.taxonomy, "ingredient": moved})
        take_in(bar, *planted_rows(), domain=changed)
        assert families_of(bar, "bourbon", IS_A) == ["spirit"]

    def test_hold_no_edge_twice_however_often_they_are_imported(self, bar):
        for _ in range(2):
            take_in(bar, *planted_rows())
        edges = edges_of(bar)
        assert len(edges) == len(set(edges))


class TestBrands:
    @pytest.fixture
    def drinks(self, store):
        rows = (
            drink("white-russian", "vodka", "Kahlua", "cream"),
            drink("black-russian", "vodka", "coffee liqueur"),
            drink("gimlet", "gin", "lime juice"),
        )
        take_in(store, *rows)
        return Catalogue(store, BAR)

    def found(self, drinks, question):
        (constraint,) = parse_query(question, Vocabulary(drinks)).constraints
        index = drinks.attribute_index(constraint.kind, constraint.any_of[0])
        mask = drinks.items_with(drinks.below(index))
        return {key for key, holds in zip(drinks.keys, mask, strict=True) if holds}

    def test_lie_below_the_generic_name(self, store, drinks):
        assert families_of(store, "kahlua", IS_A) == ["coffee liqueur"]

    def test_are_found_by_their_own_name_alone(self, drinks):
        assert self.found(drinks, "something with kahlua") == {"white-russian"}

    def test_are_found_by_the_generic_name_too(self, drinks):
        expected = {"white-russian", "black-russian"}
        assert self.found(drinks, "something with coffee liqueur") == expected

    def test_are_the_generic_thing_when_drinks_are_compared(self, drinks):
        liqueur = drinks.attribute_index("ingredient", "coffee liqueur")
        assert drinks.shared_components([liqueur]).tolist() == [1, 1, 0]


_INGREDIENTS = st.sampled_from(
    ["gin", "Gin", "light rum", "white rum", "hazelnut vodka", "Kahlua", "moon dust", "Bob's gin"]
)
_ROWS = st.lists(
    st.builds(
        drink,
        st.sampled_from(["a", "b", "c"]),
        st.just("campari"),
        _INGREDIENTS,
        _INGREDIENTS,
        name=st.sampled_from(["One", "Two"]),
        description=st.text(max_size=5),
    ),
    unique_by=lambda row: row.key,
    max_size=3,
)


@settings(max_examples=25, deadline=None)  # a store is made for each example
@given(first=_ROWS, second=_ROWS)
def test_after_two_imports_each_item_is_as_it_came_last(tmp_path_factory, first, second):
    folder = tmp_path_factory.mktemp("imports")
    latest = {row.key: row for row in (*first, *second)}
    place = taxonomy_of(BAR, "ingredient").place
    with Store.open_(folder / "store.duckdb") as store:
        take_in(store, *first)
        take_in(store, *second)
        once = (nodes_of(store), edges_of(store))
        items = store.rows("SELECT key, name, properties FROM node WHERE kind = 'cocktail'")
        assert {key: (name, msgspec.json.decode(told)) for key, name, told in items} == {
            key: (row.name, row.properties) for key, row in latest.items()
        }
        for key, row in latest.items():
            expected = dict.fromkeys(place(link.name).key for link in row.links)
            assert [found for found, *_ in links_of(store, key)] == list(expected)
        take_in(store, *second)
        assert (nodes_of(store), edges_of(store)) == once


class TestWhatIsCutOff:
    """By a real signal to a real process, inside the transaction or between files."""

    @pytest.fixture(params=["_replace_links", "_replace_families", "commit"])
    def importing(self, request, bar, path, elsewhere):
        before = (nodes_of(bar), edges_of(bar))
        bar.close()
        return elsewhere(IMPORT_UNTIL, path, request.param), before

    def look(self, path):
        with Store.open_(path) as store:
            return nodes_of(store), edges_of(store)

    def test_an_import_that_is_killed_never_was(self, importing, path):
        process, before = importing
        process.kill()
        process.wait()
        assert self.look(path) == before

    def test_an_import_that_is_interrupted_never_was(self, importing, path):
        process, before = importing
        process.send_signal(signal.SIGINT)
        _, complaint = process.communicate(timeout=60)
        assert "KeyboardInterrupt" in complaint
        assert self.look(path) == before

    def test_an_interrupt_leaves_the_store_in_use(self, bar, monkeypatch):
        before = (nodes_of(bar), edges_of(bar))
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr("localrec.graph.item_ingest._replace_families", _interrupt)
            take_in(bar, drink("negroni", "egg"))
        assert (nodes_of(bar), edges_of(bar)) == before
        take_in(bar, drink("negroni", "egg"))
        assert [key for key, *_ in links_of(bar, "negroni")] == ["egg"]

    def test_embedding_goes_on_behind_the_last_whole_batch(self, bar, path, elsewhere):
        bar.close()
        process = elsewhere(EMBED_UNTIL, path)
        process.kill()
        process.wait()
        with Store.open_(path) as store:
            embedder = HashingEmbedder(size=32)
            rest = update_embeddings(store, BAR, embedder)
            texts = store.rows("SELECT count(DISTINCT text_hash) FROM embedding")[0][0]
            assert rest == texts - 32 > 0
            assert update_embeddings(store, BAR, embedder) == 0

    @pytest.mark.parametrize(
        "killed_at", [1, 2, 3, 4], ids=["nodes", "vectors", "graph", "sidecar"]
    )
    @pytest.mark.parametrize("older", [False, True], ids=["first", "again"])
    def test_an_index_is_built_again(self, bar, path, elsewhere, killed_at, older):
        embedder, folder = HashingEmbedder(size=32), path.parent / "indexes"
        field = ("cocktails", "name", embedder.name, "hnsw")
        update_embeddings(bar, BAR, embedder)
        if older:
            open_field(bar, folder, *field)
            take_in(bar, drink("new", "gin"))
            update_embeddings(bar, BAR, embedder)
        bar.close()
        process = elsewhere(BUILD_UNTIL, path, folder, killed_at)
        process.kill()
        process.wait()
        with Store.open_(path, read_only=True) as store:
            opened = open_field(store, folder, *field)
            assert opened.origin == "built"
            node_ids, vectors = store.read_embeddings(*field[:3])
            assert opened.node_ids.tolist() == node_ids.tolist()
            labels, _ = opened.search(vectors, 1)
            assert (opened.exact.search(vectors, 1)[0] == labels).mean() > 0.95
            assert open_field(store, folder, *field).origin == "cache"
        assert not list(folder.glob("*.tmp"))


def _interrupt(*_):
    raise KeyboardInterrupt

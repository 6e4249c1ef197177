"""What the Browse room asks, over a real workspace of five drinks."""

import pytest

from localrec.foundation.errors import InputError, ModelCancelledError, UsageError
from localrec.graph.store import Store
from localrec_tui.services.app_services import AppServices
from localrec_tui.services.catalogue import CatalogueView, PageTurn, ShelfComponent
from localrec_tui.services.records import RequestHandle

DRINKS = CatalogueView(domain="cocktails")


@pytest.fixture
def services(own_bar):
    opened = AppServices(own_bar, hold_s=0.05)
    yield opened
    opened.close()


@pytest.fixture
def browse(services):
    return services.catalogue


def names(page):
    return [row.name for row in page.rows]


class TestPages:
    def test_are_counted_once_and_turned(self, browse):
        first = browse.page(DRINKS, PageTurn(), 2)
        assert (names(first), first.total) == (["Americano", "Daiquiri"], 5)
        second = browse.page(DRINKS, PageTurn(behind=first.rows[-1].place), 2)
        assert (names(second), second.total) == (["Gimlet", "Limeade"], None)
        assert names(browse.page(DRINKS, PageTurn(last=True), 2)) == ["Limeade", "Negroni"]
        assert names(browse.page(DRINKS, PageTurn(before=second.rows[0].place), 9)) == names(first)

    def test_are_searched(self, browse):
        assert names(
            browse.page(CatalogueView(domain="cocktails", typed="gin lime"), PageTurn(), 9)
        ) == ["Gimlet"]

    def test_of_a_search_tell_of_what_another_changed_meanwhile(self, browse, own_bar):
        zorg = CatalogueView(domain="cocktails", typed="zorg")
        browse.prepare(zorg)
        assert names(browse.page(zorg, PageTurn(), 9)) == []
        with Store.open_(own_bar / "store.duckdb") as store:
            store.execute("UPDATE node SET name = 'Zorg Fizz' WHERE key = 'gimlet'")
        assert names(browse.page(zorg, PageTurn(), 9)) == ["Zorg Fizz"]

    def test_of_a_search_begin_with_whole_words(self, browse, own_bar):
        with Store.open_(own_bar / "store.duckdb") as store:
            store.execute("UPDATE node SET name = 'Americanas' WHERE key = 'americano'")
            store.execute("UPDATE node SET name = 'Zorg Americana' WHERE key = 'negroni'")
        page = browse.page(CatalogueView(domain="cocktails", typed="americana"), PageTurn(), 9)
        assert (names(page), page.total) == (["Zorg Americana", "Americanas"], 2)

    def test_have_columns_by_their_domain(self, browse):
        assert browse.layout("cocktails").kinds == ("ingredient", "glass", "category")
        assert "name" in browse.layout("movies").orders


class TestMeaning:
    def test_finds_the_nearest_texts(self, browse):
        view = CatalogueView(domain="cocktails", typed="negroni")
        assert browse.similar_items(view, 2, RequestHandle())[0].name == "Negroni"

    def test_that_was_superseded_is_given_up(self, browse):
        request = RequestHandle()
        request.stopped.set()
        with pytest.raises(ModelCancelledError):
            browse.similar_items(CatalogueView(domain="cocktails", typed="negroni"), 2, request)


class TestWalking:
    def test_goes_from_an_item_to_an_attribute_and_what_has_it(self, browse):
        item = browse.open_node(DRINKS, "cocktail", "gimlet", 10)
        gin = next(step.node for step in item.steps if step.node.name.casefold() == "gin")
        stop = browse.open_node(DRINKS, gin.kind, gin.key, 10)
        assert [node.name for node in stop.items] == ["Gimlet", "Negroni"]
        assert stop.total == 2

    def test_cannot_stand_on_nothing(self, browse):
        with pytest.raises(UsageError, match="There is no cocktail 'zorg' any more"):
            browse.open_node(DRINKS, "cocktail", "zorg", 10)


class TestShelf:
    def test_is_that_of_the_command(self, browse, own_bar, run_localrec):
        found = browse.stock("cocktails", "ana", "campri, lime juice")
        assert [one.name.casefold() for one in found.components] == ["campari", "lime juice"]
        assert found.corrected == {"campri": "campari"}
        told = run_localrec("--workspace", own_bar, "shelf", "list", "--user", "ana")
        assert told.stdout.casefold() == "campari, lime juice\n"

    def test_takes_off_and_puts_back(self, browse):
        added = browse.stock("cocktails", "ana", "gin").added
        assert browse.take_off("cocktails", "ana", added).components == ()
        assert browse.put_back("cocktails", "ana", added).components == added
        assert browse.stock("cocktails", "ana", "gin").added == ()
        assert browse.shelf("cocktails", "ana").components == added

    def test_of_a_stranger_is_empty_and_stays_nobody(self, browse, services):
        assert browse.shelf("cocktails", "zoe").components == ()
        browse.take_off("cocktails", "zoe", (ShelfComponent(1, "gin"),))
        assert services.users() == ()

    def test_refuses_what_nobody_knows(self, browse, services):
        with pytest.raises(InputError, match="xyzzy"):
            browse.stock("cocktails", "ana", "gin, xyzzy")
        assert browse.shelf("cocktails", "ana").components == ()

    def test_offers_names_that_begin_as_typed(self, browse):
        first, *_ = browse.components("cocktails", "gi", 3)
        assert first.casefold() == "gin"

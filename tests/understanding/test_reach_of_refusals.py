"""How far a refusal reaches, what it takes with it, and bounds that it turns."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from localrec.data.domains import AttributeSpec, Concept, NumberSpec
from localrec.data.query import Query
from localrec.data.rows import AttributeLink, ImportReport, ItemRow
from localrec.graph.catalogue import Catalogue
from localrec.graph.domain_files import load_domain
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.retrieval.candidates import allowed_items
from localrec.sources.film_rows import film_row
from localrec.understanding.amounts import MOST, amount_bounds
from localrec.understanding.foreign_questions import foreign_language
from localrec.understanding.number_ranges import parse_ranges
from localrec.understanding.query_parser import parse_query
from localrec.understanding.vocabulary import Vocabulary
from localrec.understanding.years import find_years
from tests.planted import BAR

PRICE = NumberSpec(kind="amount", units={"dollar": 1}, better="lower")
MINUTES = NumberSpec(kind="amount", units={"minute": 1, "hour": 60}, better="lower")
POINTS = NumberSpec(kind="amount", units={"point": 1}, better="higher")


def _keys(query: Query, *, excluded: bool) -> set[str]:
    return {key for one in query.constraints if one.excluded is excluded for key in one.any_of}


@pytest.mark.parametrize(
    ("question", "refused", "wished"),
    [
        ("keep rum away from my gin", {"rum"}, {"gin"}),
        ("I don't want to drink anything with rum, gin please", {"rum"}, {"gin"}),
        ("not in the mood for anything with rum. gin", {"rum"}, {"gin"}),
        ("I'm not drinking rum, gin please", {"rum"}, {"gin"}),
        ("never mind the rum, gin please", {"rum"}, {"gin"}),
        ("rum can get in the bin. gin", {"rum"}, {"gin"}),
        ("no rum, no gin", {"rum", "gin"}, set()),
        ("I never get sick of gin", set(), {"gin"}),
        ("why the heck not gin for once", set(), {"gin"}),
        ("no gin no deal", set(), {"gin"}),
        ("no gin, no party poopers", {"gin"}, set()),
        ("there is no Sunday in our house without gin", set(), {"gin"}),
        ("isn't there one without gin", {"gin"}, set()),
        ("I used to hate gin but now I want it with mint", set(), {"gin", "mint"}),
        ("don't you dare leave out the lime", set(), {"lime"}),
        ("I'm not refusing gin", set(), {"gin"}),
        ("not fussy, but avoid gin", {"gin"}, set()),
        ("rum gives me hives, so gin with mint without it", {"rum"}, {"gin", "mint"}),
        ("gin without it being too strong", {"strong"}, {"gin"}),
        ("gin yes, rum absolutely no way", {"rum"}, {"gin"}),
        ("gin that has never seen a lime", {"lime"}, {"gin"}),
        ("gin in which the lime is swapped out", {"lime"}, {"gin"}),
        ("rum and I are not on speaking terms, so gin", {"rum"}, {"gin"}),
        ("neither rum nor cream for a vodka", {"rum", "cream"}, {"vodka"}),
        ("no rum, and with mint", {"rum"}, {"mint"}),
        ("neither rum nor gin, and in a coupe", {"rum", "gin"}, {"coupe glass"}),
        ("skip the rum, or else gin with lime", {"rum"}, {"gin", "lime"}),
        ("the last thing I need tonight is rum. gin", {"rum"}, {"gin"}),
        ("what I can't face is another rum, gin would do", {"rum"}, {"gin"}),
        ("we've had enough rum, give us gin", {"rum"}, {"gin"}),
        ("I hate the stuff with campari, gin please", {"campari"}, {"gin"}),
        ("gin that isn't sweetened with sugar", {"sugar"}, {"gin"}),
        ("no more than three ingredients, gin", set(), {"gin"}),
        ("whatever has gin, unless it's got mint", {"mint"}, {"gin"}),
        ("gin, apart from campari", {"campari"}, {"gin"}),
        ("anything with gin bar the campari", {"campari"}, {"gin"}),
        ("gin's off the menu, rum please", {"gin"}, {"rum"}),
        ("gin need not apply, rum please", {"gin"}, {"rum"}),
        ("rum that doesn't emerge from mint", {"mint"}, {"rum"}),
        ("rum, as long as it isn't campari", {"campari"}, {"rum"}),
        ("gin clashes with my pills, a rum drink", {"gin"}, {"rum"}),
        ("he breaks out in hives from gin, so rum", {"gin"}, {"rum"}),
        ("rum w/o mint", {"mint"}, {"rum"}),
        ("I can't look at gin, a rum drink", {"gin"}, {"rum"}),
        ("rum, the less mint the better", {"mint"}, {"rum"}),
        ("mint and I fell out, rum please", {"mint"}, {"rum"}),
        ("rum as long as mint isn't involved", {"mint"}, {"rum"}),
        ("a sour, but no gin sours", {"gin"}, {"sour"}),
        ("no gin sours, rum please", {"gin", "sour"}, {"rum"}),
        ("nobody likes being watched, a gin sour", set(), {"gin", "sour"}),
        ("which gin drinks are not made with mint", {"mint"}, {"gin"}),
        ("no drinks where the rum is with mint", {"rum"}, {"mint"}),
        ("I don't want any drink where there is mint, a gin sour", {"mint"}, {"gin", "sour"}),
        ("rum, but neither gin neither mint inside", {"gin", "mint"}, {"rum"}),
        ("rum, free of gin and of mint", {"gin", "mint"}, {"rum"}),
        ("rum, except those in which mint occurs", {"mint"}, {"rum"}),
        ("keep it away from anything with gin please. rum", {"gin"}, {"rum"}),
        ("rum, but my guest has an allergy on mint", {"mint"}, {"rum"}),
        ("something that puts aside gin but keeps the rum", {"gin"}, {"rum"}),
        ("rum without leaving the coupe glass", set(), {"rum", "coupe glass"}),
        ("I have too much rum, what now", set(), {"rum"}),
        ("rum set against gin", set(), {"rum", "gin"}),
        ("rum, and if there's mint in it I'm sending it back", {"mint"}, {"rum"}),
        ("nada de gin, rum", {"gin"}, {"rum"}),
        ("he winnae touch gin, rum", {"gin"}, {"rum"}),
    ],
)
def test_a_refusal_reaches_what_it_means_and_no_further(
    read: Callable[[str], Query], question: str, refused: set[str], wished: set[str]
) -> None:
    query = read(question)
    assert _keys(query, excluded=True) == refused
    assert _keys(query, excluded=False) == wished


def test_an_idiom_names_nothing(read: Callable[[str], Query]) -> None:
    assert _keys(read("in a nutshell, gin"), excluded=False) == {"gin"}


def test_the_last_thing_in_a_list_is_no_refusal(read: Callable[[str], Query]) -> None:
    assert not _keys(read("the last thing with gin was good"), excluded=True)


@pytest.mark.parametrize(
    ("question", "spec", "low", "high"),
    [
        ("it doesn't run past two hours", MINUTES, -MOST, 120),
        ("one that won\u2019t go over 20 dollars", PRICE, -MOST, 20),
        ("isn't below 90 points", POINTS, 90, MOST),
        ("I don't want anything over 20 dollars", PRICE, -MOST, 20),
        ("not too dear, above 20 dollars", PRICE, 20, MOST),
        ("I don't mind over 20 dollars", PRICE, 20, MOST),
    ],
)
def test_a_negation_turns_a_bound(question: str, spec: NumberSpec, low: float, high: float):
    assert amount_bounds(question, spec) == pytest.approx((low, high))


@pytest.mark.parametrize(
    ("question", "low", "high"),
    [
        ("it doesn't have more than 3 ingredients", 1, 3),
        ("it doesn't take fewer than 5 ingredients", 5, 99_999),
        ("more than 3 ingredients", 4, 99_999),
    ],
)
def test_a_negation_turns_a_count(question: str, low: float, high: float):
    (bound,) = parse_ranges(question, BAR)
    assert (bound.low, bound.high) == (low, high)


@pytest.mark.parametrize(
    ("question", "low", "high"),
    [
        ("it wasn't made before 1980", 1980, 9999),
        ("nothing that isn't after 1990", -9999, 1990),
        ("I don't want anything before 1980", 1980, 9999),
    ],
)
def test_a_negation_turns_a_bound_on_years(question: str, low: int, high: int):
    assert [(one.low, one.high) for one in find_years(question)] == [(low, high)]


def test_neither_year_is_wished_for():
    told = find_years("neither in 1996 nor in 1997")
    assert [(one.low, one.excluded) for one in told] == [(1996, True), (1997, True)]


@pytest.fixture
def dressed(tmp_path):
    """A bar of five drinks, two with something on them, one from a place called after salt."""
    garnish = AttributeSpec(role="garnish", edge="HAS_GARNISH", words=("garnish",))
    own = {"salt rim": Concept(also=("salt",)), "lime wheel": Concept(also=("slice of lime",))}
    salt = {**BAR.taxonomy["ingredient"], "salt": Concept()}
    taxonomy = {**BAR.taxonomy, "garnish": own, "ingredient": salt}
    region = AttributeSpec(role="category", edge="FROM")
    attributes = {**BAR.attributes, "garnish": garnish, "region": region}
    fields = {name: getattr(BAR, name) for name in BAR.__struct_fields__}
    domain = type(BAR)(**{**fields, "attributes": attributes, "taxonomy": taxonomy})
    rows = [
        ItemRow(
            key=name,
            name=name,
            properties={"name": name, "alcoholic": "alcoholic"},
            links=(
                AttributeLink(kind="ingredient", name="gin"),
                *(AttributeLink(kind=kind, name=one) for kind, one in told),
            ),
        )
        for name, *told in (
            ("Rimmed", ("garnish", "salt rim")),
            ("Wheeled", ("garnish", "lime wheel")),
            ("Bare",),
            ("Far", ("region", "Upper Salt Valley")),
            ("Salted", ("ingredient", "salt")),
        )
    ]
    report = ImportReport(
        source="planted", path="", domain="cocktails", read=9, kept=9, merged=0, dropped=0
    )
    with Store.open_(tmp_path / "store.duckdb") as store:
        ingest_items(store, domain, rows, report)
        yield Catalogue(store, domain)


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("gin, no salt", {"Wheeled", "Bare"}),
        ("gin, no lime", {"Rimmed", "Bare", "Far", "Salted"}),
        ("I'm sick of lime, gin", {"Rimmed", "Bare", "Far", "Salted"}),
        ("gin, no lime juice", {"Rimmed", "Wheeled", "Bare", "Far", "Salted"}),
    ],
)
def test_a_refused_component_takes_with_it_what_is_called_after_it(
    dressed, question: str, left: set[str]
):
    query = parse_query(question, Vocabulary(dressed))
    allowed = allowed_items(query, dressed)
    assert {dressed.names[place] for place in allowed.nonzero()[0]} == left


@pytest.fixture
def cellar(tmp_path):
    """Books of whose words a kind and a title, a maker and a refusal are one."""
    books = load_domain("books")
    series = AttributeSpec(role="category", edge="IN_SERIES")
    books = msgspec.structs.replace(books, attributes={**books.attributes, "series": series})

    def book(title: str, *told: tuple[str, str]) -> ItemRow:
        links = tuple(AttributeLink(kind=kind, name=name) for kind, name in told)
        return film_row(title.casefold(), title, 2001, links, books)

    rows = [
        book("Medieval", ("genre", "fiction"), ("author", "Ann Lee")),
        book("Castle", ("genre", "medieval"), ("genre", "horror"), ("author", "Bo Key")),
        book("Coven", ("genre", "fantasy"), ("author", "Cy Dow")),
        book("Coven Rising", ("genre", "fantasy"), ("author", "Cy Dow")),
        book("Flight", ("genre", "horror"), ("author", "Avoiding")),
        book("Dawn of Ashes", ("genre", "fantasy"), ("author", "Cy Dow"), ("series", "Ashes")),
        book("Before the Ashes", ("genre", "fantasy"), ("author", "Cy Dow")),
        book("Moon Trek: First", ("genre", "fantasy"), ("author", "Di Fay")),
        book("Moon Trek: Last", ("genre", "fantasy"), ("author", "Di Fay")),
    ]
    report = ImportReport(
        source="planted", path="", domain="books", read=9, kept=9, merged=0, dropped=0
    )
    with Store.open_(tmp_path / "store.duckdb") as store:
        ingest_items(store, books, rows, report)
        yield Vocabulary(Catalogue(store, books))


def test_a_kind_at_the_beginning_is_no_example_of_that_title(cellar):
    query = parse_query("medieval, but no horror", cellar)
    assert query.target is None
    assert _keys(query, excluded=False) == {"medieval"}
    assert parse_query("like Medieval", cellar).target == "medieval"


def test_a_word_that_refuses_is_no_maker_of_that_name(cellar):
    query = parse_query("Bo Key, avoiding horror", cellar)
    assert _keys(query, excluded=True) == {"horror"}
    assert _keys(query, excluded=False) == {"bo key"}


@pytest.mark.parametrize(
    "question", ["I refuse to read Coven again. fantasy", "fantasy by Cy Dow w/o Coven"]
)
def test_a_refused_title_is_no_example(cellar, question: str):
    query = parse_query(question, cellar)
    assert query.target is None
    assert "coven" in query.exclude_items


def test_sans_alone_makes_no_question_foreign(cellar):
    assert foreign_language("fantasy sans horror", cellar) == ""
    assert foreign_language("un livre sans histoire triste", cellar) == "fr"


def test_a_refused_series_takes_with_it_what_is_called_after_it(cellar):
    query = parse_query("fantasy by Cy Dow, but no Ashes", cellar)
    assert "before the ashes" in query.exclude_items
    assert "coven" not in query.exclude_items


def test_refused_words_that_begin_titles_bar_what_is_called_so(cellar):
    query = parse_query("fantasy, anything except Moon Trek and horror", cellar)
    assert {*query.exclude_items} == {"moon trek: first", "moon trek: last"}


def test_the_rest_of_a_title_in_parentheses_is_no_wish(tmp_path):
    wines = load_domain("books")
    rows = [
        ItemRow(
            key=name.casefold(),
            name=name,
            properties={},
            links=(AttributeLink(kind="genre", name="Loire Valley"),),
        )
        for name in ("Great Pinot Gris (Loire Valley)", "Other Gris (Loire Valley)")
    ]
    report = ImportReport(
        source="planted", path="", domain="books", read=2, kept=2, merged=0, dropped=0
    )
    with Store.open_(tmp_path / "store.duckdb") as store:
        ingest_items(store, wines, rows, report)
        query = parse_query(
            "something like Great Pinot Gris (Loire Valley)", Vocabulary(Catalogue(store, wines))
        )
    assert query.target == "great pinot gris (loire valley)"
    assert query.constraints == ()


@pytest.mark.parametrize(
    "question",
    [
        "fantasy, but horror and me don't get on",
        "fantasy, horror no dey inside",
        "she has gone right off horror",
    ],
)
def test_dialect_refuses_behind_a_name_and_before_it(cellar, question):
    assert "horror" in _keys(parse_query(question, cellar), excluded=True)


def test_an_age_is_no_year(cellar):
    assert parse_query("my gran turns 98, fantasy please", cellar).ranges == ()


def test_a_cell_that_names_nothing_is_no_kind(tmp_path):
    books = load_domain("books")
    row = ItemRow(
        key="a", name="A", properties={}, links=(AttributeLink(kind="genre", name="none"),)
    )
    report = ImportReport(
        source="planted", path="", domain="books", read=1, kept=1, merged=0, dropped=0
    )
    with Store.open_(tmp_path / "store.duckdb") as store:
        ingest_items(store, books, [row], report)
        vocabulary = Vocabulary(Catalogue(store, books))
    assert vocabulary.names.get("none") == ()

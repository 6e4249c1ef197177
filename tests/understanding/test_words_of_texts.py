"""Words that name nothing are looked for in texts; parts of names; numbers without a unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, cast

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from localrec.data.domains import Domain
from localrec.data.query import Query, TaskKind, TextWish
from localrec.data.rows import AttributeLink, CatalogueRows, ImportReport, ItemRow
from localrec.graph.catalogue import Catalogue
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.retrieval.candidates import build_candidates
from localrec.understanding.query_parser import parse_query
from localrec.understanding.text_wishes import find_in_texts
from localrec.understanding.vocabulary import Vocabulary

BOTTLES: Domain = msgspec.convert(
    {
        "name": "bottles",
        "item": "wine",
        "singular": "wine",
        "plural": "wines",
        "item_words": ["wine", "bottle"],
        "texts": {"name": "name", "description": "description"},
        "attributes": {
            "grape": {"role": "component", "edge": "HAS_GRAPE", "says": "is {name}"},
            "country": {"role": "category", "edge": "FROM", "says": "is from {name}"},
            "maker": {"role": "creator", "edge": "MADE_BY", "says": "is by {name}"},
        },
        "numbers": {
            "price": {
                "kind": "amount",
                "units": {"dollar": 1},
                "better": "lower",
                "more": ["dearer"],
            },
            "points": {"kind": "amount", "units": {"point": 1}, "better": "higher"},
        },
    },
    Domain,
)
WINES = (
    ("Campo Gran Reserva", "tempranillo", "Spain", "Bodegas Campo Viejo", 18, 88, "leather, plum"),
    ("Campo Crianza", "tempranillo", "Spain", "Bodegas Campo Viejo", 9, 85, "smooth cherry"),
    ("Kessler", "riesling", "France", "Domaines Schlumberger", 30, 92, "lychee and tobacco"),
    ("Hill", "riesling", "Austria", "Weingut Hirtzberger", 60, 95, "slate and lime"),
)
Ask = Callable[[str], tuple[Query, set[str]]]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    items = tuple(
        ItemRow(
            key=name.casefold(),
            name=name,
            properties={"price": price, "points": points, "description": text},
            links=(
                AttributeLink(kind="grape", name=grape),
                AttributeLink(kind="country", name=country),
                AttributeLink(kind="maker", name=maker),
            ),
        )
        for name, grape, country, maker, price, points, text in WINES
    )
    report = ImportReport(
        source="planted", path="", domain="bottles", read=4, kept=4, merged=0, dropped=0
    )
    with Store.open_(tmp_path_factory.mktemp("wines") / "store.duckdb") as store:
        ingest_items(store, BOTTLES, CatalogueRows(items=items, report=report).items, report)
        catalogue = Catalogue(store, BOTTLES)
        vocabulary = Vocabulary(catalogue)

        def answer(question: str) -> tuple[Query, set[str]]:
            query = find_in_texts(parse_query(question, vocabulary), catalogue)
            pool = build_candidates(query, catalogue, TaskKind.C3)
            found = zip(catalogue.names, pool.items, strict=True)
            return query, {name for name, fits in found if fits}

        yield answer


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("a tempranillo, but no leather", {"Campo Crianza"}),
        ("riesling without tobacco please", {"Hill"}),
        ("I hate it when they mention lychee, give me a riesling", {"Hill"}),
        ("something by Campo Viejo, nothing with 'crianza' on it", {"Campo Gran Reserva"}),
    ],
)
def test_refused_words_bar_what_says_them(ask: Ask, question: str, left: set[str]) -> None:
    assert ask(question)[1] == left


def test_words_that_name_nothing_are_wished_for_in_texts(ask: Ask) -> None:
    query, _ = ask("a wine that mentions lychee")
    assert [one.typed for one in query.texts] == ["lychee"]


class _Notes:
    """A thousand wines, and how many of them say what."""

    domain = BOTTLES
    _said: ClassVar = {"pays": 1, "honey": 80, "smokey": 4, "smok": 200, "salty": 60, "salt": 90}

    def __len__(self) -> int:
        return 1000

    def items_saying(self, words: tuple[str, ...]) -> NDArray[np.bool_]:
        return np.arange(len(self)) < self._said.get(" ".join(words), 0)


def _looked_for(*words: str) -> list[str]:
    wishes = tuple(TextWish(words=(word,), typed=word) for word in words)
    query = find_in_texts(Query(texts=wishes), cast(Catalogue, _Notes()))
    return [" ".join(one.words) for one in query.texts]


def test_an_everyday_word_is_looked_for_where_descriptions_say_it_far_oftener(ask: Ask) -> None:
    query, _ = ask("a tempranillo with a smooth taste, for a birthday")
    assert [one.typed for one in query.texts] == ["smooth"]


def test_an_everyday_word_that_is_refused_bars_what_says_it(ask: Ask) -> None:
    assert ask("a tempranillo, nothing smooth")[1] == {"Campo Gran Reserva"}


def test_small_talk_is_not_looked_for_beside_words_of_tasting_notes() -> None:
    assert _looked_for("pays", "honey") == ["honey"]
    assert _looked_for("pays") == ["pays"]


def test_an_adjective_that_notes_hardly_say_is_looked_for_by_its_stem() -> None:
    assert _looked_for("smokey") == ["smok"]
    assert _looked_for("salty") == ["salty"]


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("a wine, but no Hill in the name", {"Campo Gran Reserva", "Campo Crianza", "Kessler"}),
        ("skip anything with Campo in its name", {"Kessler", "Hill"}),
        ("a tempranillo with Reserva in the title", {"Campo Gran Reserva"}),
        ("a wine with Gran Reserva in the name", {"Campo Gran Reserva"}),
    ],
)
def test_words_that_a_title_shall_hold_or_not_decide(ask: Ask, question: str, left: set[str]):
    assert ask(question)[1] == left


def test_words_that_nobody_says_are_only_told(ask: Ask) -> None:
    query, _ = ask("a riesling with zeppelins")
    assert query.texts == ()
    assert "zeppelins" in query.unused


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("a campo viejo", {"Campo Gran Reserva", "Campo Crianza"}),
        ("anything by Hirtzberger", {"Hill"}),
        ("schlumberger", {"Kessler"}),
    ],
)
def test_makers_are_called_by_a_part_of_their_names(ask: Ask, question: str, left: set[str]):
    assert ask(question)[1] == left


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("riesling <40", {"Kessler"}),
        ("riesling not dearer than 30", {"Kessler"}),
        ("riesling under 40 quid", {"Kessler"}),
        ("riesling 94 or more", {"Hill"}),
        ("riesling, 94+, sub-70", {"Hill"}),
        ("riesling, 20-40", {"Kessler"}),
        ("tempranillo, ten bux is the limit", {"Campo Crianza"}),
        ("riesling, 94 ponts or more", {"Hill"}),
        ("a tempranillo, tenner tops", {"Campo Crianza"}),
    ],
)
def test_bounds_need_no_unit_and_survive_slips(ask: Ask, question: str, left: set[str]) -> None:
    assert ask(question)[1] == left


def test_wishes_that_exclude_each_other_are_alternatives(ask: Ask) -> None:
    _, left = ask("a riesling for me and a tempranillo for her")
    assert left == {one[0] for one in WINES}

"""What is wanted as the example has it, or otherwise: another artist, the same country."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from localrec.data.query import Query
from localrec.graph.catalogue import Catalogue
from localrec.graph.store import Store
from localrec.understanding.example_values import with_values_of_example
from localrec.understanding.query_parser import parse_query
from localrec.understanding.vocabulary import Vocabulary

from .records import RECORDS, planted_records


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalogue]:
    """Of the records in `records.py`."""
    folder = tmp_path_factory.mktemp("records")
    with planted_records(folder):
        pass
    with Store.open_(folder / "store.duckdb") as store:
        yield Catalogue(store, RECORDS)


@pytest.fixture
def ask(catalogue: Catalogue) -> Callable[[str], Query]:
    """Reads a question, and what it wants otherwise than its example has it."""
    vocabulary = Vocabulary(catalogue)
    return lambda text: with_values_of_example(text, parse_query(text, vocabulary), catalogue)


def barred(query: Query) -> dict[str, tuple[str, ...]]:
    """Kind -> what is refused of it."""
    return {one.kind: one.any_of for one in query.constraints if one.excluded}


OTHER_ARTIST = {"artist": ("abba",)}
OTHER_COUNTRY = {"origin": ("sweden",)}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("like Dancing Queen by another artist", OTHER_ARTIST),
        ("like Dancing Queen by any other artist", OTHER_ARTIST),
        ("like Dancing Queen, different artist please", OTHER_ARTIST),
        ("like Dancing Queen but not the same artist again", OTHER_ARTIST),
        ("like Dancing Queen, by somebody else", OTHER_ARTIST),
        ("like Dancing Queen, who else does that", OTHER_ARTIST),
        ("something like Dancing Queen from a different country", OTHER_COUNTRY),
        ("something like Dancing Queen that isn't from the same country", OTHER_COUNTRY),
        ("something like Dancing Queen, not from the same country", OTHER_COUNTRY),
        ("something like Dancing Queen from another origin", OTHER_COUNTRY),
        ("like Dancing Queen, but not by that fellow", OTHER_ARTIST),
        ("like Dancing Queen, but I don't want anything else by her", OTHER_ARTIST),
    ],
)
def test_what_is_wanted_otherwise_is_not_that_of_the_example(ask, question, expected):
    assert barred(ask(question)) == expected


def test_the_word_for_it_is_not_looked_for_in_names(ask):
    query = ask("like Dancing Queen by another artist, with bagpipes")
    assert "artist" not in query.unknown
    assert not any("artist" in one for one in query.unused)


@pytest.mark.parametrize(
    "question",
    [
        "like Dancing Queen, any country",
        "like Dancing Queen, no other artist",
        "like Dancing Queen, another record",
        "another country please",
        "like Dancing Queen in another style",  # "style" tells no kind for certain
    ],
)
def test_nothing_is_barred_where_nothing_is_wanted_otherwise(ask, question):
    assert barred(ask(question)) == {}


@pytest.mark.parametrize(
    "question",
    [
        "like Dancing Queen from the same country",
        "like Dancing Queen, same country, newer",
    ],
)
def test_the_same_country_is_that_of_the_example(ask, question):
    [wish] = [one for one in ask(question).constraints if not one.excluded]
    assert (wish.kind, wish.any_of) == ("origin", ("sweden",))


def test_the_same_artist_from_another_country(ask):
    query = ask("like Dancing Queen, the same artist, another country")
    assert barred(query) == {"origin": ("sweden",)}
    assert {one.kind: one.any_of for one in query.constraints if not one.excluded} == {
        "artist": ("abba",)
    }


@pytest.mark.parametrize(
    "question",
    [
        "like Dancing Queen, more by the lady who sang it",
        "like Dancing Queen, anything else by her",
        "like Dancing Queen, more from that band",
    ],
)
def test_more_by_whoever_made_the_example_is_wanted(ask, question):
    (maker,) = ask(question).of_kind("artist")
    assert maker.any_of == ("abba",)


def test_a_song_by_a_woman_is_by_nobody_in_particular(ask):
    query = ask("like Dancing Queen, recommended by that guy at work, but a song by a woman")
    assert not query.of_kind("artist") and not query.of_kind("artist", excluded=True)

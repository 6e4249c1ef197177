"""Two people in a small cinema and a bar: what they did is inserted as plain rows."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest

from localrec.data.rows import AttributeLink, ItemRow
from localrec.export.exporter import run_export
from localrec.export.plan import plan_export
from localrec.export.records import ExportReport
from localrec.graph.domain_files import load_domain
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from tests.planted import a_report, planted_store

Export = Callable[..., ExportReport]

FILMS = (
    # key, name, properties, genres
    (
        "fargo-1996",
        "Fargo",
        {"year": 1996, "creator": "Joel Coen", "imdb": "116282"},
        "crime drama",
    ),
    ("heat-1995", "Heat", {"year": 1995, "creator": "Michael Mann", "tmdb": "949"}, "crime"),
    ("up-2009", "Up", {"year": 2009, "imdb": "tt1049413", "tmdb": "14160"}, "animation"),
    ("plus-one", "+1", {"year": 2013, "odd/na~me": "\ttwo\nlines", "Year": "MMXIII"}, "drama"),
    ("alien-1979", "Alien", {"year": 1979, "long": True, "score": 8.5}, "horror"),
)
# person, film, event, rating, at, times, source, note
INTERACTIONS = (
    ("me", "fargo-1996", "rated", 3.0, "2020-01-01 10:00:00", 1, "letterboxd", None),
    ("me", "fargo-1996", "rated", 4.5, "2024-02-01 12:00:00", 1, "feedback", "=HYPERLINK(1)"),
    ("me", "fargo-1996", "seen", None, "2019-12-31 20:15:00", 2, "letterboxd", None),
    ("me", "fargo-1996", "liked", None, "2024-02-02 12:00:00", 1, "feedback", "cold"),
    ("me", "heat-1995", "rated", 2.2, None, 1, "letterboxd", None),
    ("me", "heat-1995", "disliked", None, "2024-02-03 00:00:00", 1, "feedback", "too long"),
    ("me", "up-2009", "wanted", None, "2024-03-01 00:00:00", 1, "letterboxd", None),
    ("me", "plus-one", "seen", None, "2021-06-05 21:00:00", 1, "letterboxd", "-3 of 10"),
    ("me", "alien-1979", "later", None, "2024-03-02 00:00:00", 1, "feedback", None),
    ("you", "fargo-1996", "rated", 5.0, "2022-01-01 00:00:00", 1, "letterboxd", "a secret of you"),
    ("you", "alien-1979", "rated", 4.0, "2022-01-02 00:00:00", 1, "letterboxd", None),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A workspace with drinks, films, two people; open for reading, as the program opens it."""
    folder = tmp_path / "workspace"
    with planted_store(folder) as store:
        _plant_films(store)
        _plant_people(store)
    with Store.open_(folder / "store.duckdb", read_only=True) as store:
        yield store


@pytest.fixture
def export(store: Store) -> Export:
    """Exports with the options of the command line."""

    def call(out: Path, **options: object) -> ExportReport:
        return run_export(store, plan_export(out, **options))  # type: ignore[arg-type]

    return call


def read_csv(path: Path) -> list[dict[str, str]]:
    """A CSV file as a program would read it that knows nothing of localrec."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _plant_films(store: Store) -> None:
    rows = [
        ItemRow(
            key=key,
            name=name,
            properties=properties,
            links=tuple(AttributeLink(kind="genre", name=genre) for genre in genres.split()),
        )
        for key, name, properties, genres in FILMS
    ]
    report = msgspec.structs.replace(a_report(len(rows)), domain="movies")
    ingest_items(store, load_domain("movies"), rows, report)


def _plant_people(store: Store) -> None:
    for key, properties in (("me", '{"age": 41, "job": "=cook"}'), ("you", '{"age": 7}')):
        store.execute(
            "INSERT INTO node VALUES (nextval('node_ids'), 'movies', 'user', ?, ?, ?)",
            [key, key, properties],
        )
    store.execute(
        "INSERT INTO node VALUES (nextval('node_ids'), 'cocktails', 'user', 'host', 'host', '{}')"
    )
    for user, film, event, rating, at, times, source, note in INTERACTIONS:
        store.execute(
            "INSERT INTO interaction SELECT u.node_id, i.node_id, ?, ?, ?::TIMESTAMP, ?, ?, ? "
            "FROM node u, node i WHERE u.kind = 'user' AND u.key = ? AND i.key = ?",
            [event, rating, at, times, source, note, user, film],
        )
    store.execute(
        "INSERT INTO interaction SELECT u.node_id, i.node_id, 'rated', 4, "
        "TIMESTAMP '2024-01-01', 1, 'feedback', NULL FROM node u, node i "
        "WHERE u.key = 'host' AND i.key = 'negroni'"
    )
    store.execute(
        "INSERT INTO shelf SELECT u.node_id, n.node_id, TIMESTAMP '2024-01-01' FROM node u, node n "
        "WHERE u.key = 'host' AND n.kind = 'ingredient' AND n.key IN ('gin', 'campari')"
    )
    for user, tag in (("me", "snow, mostly"), ("you", "secret shelf")):
        store.execute(
            "INSERT INTO node VALUES (nextval('node_ids'), 'movies', 'genre', ?, ?, '{}')",
            [tag.replace(", ", "-").replace(" ", "-"), tag],
        )
        store.execute(
            "INSERT INTO edge SELECT i.node_id, t.node_id, 'HAS_GENRE', 1, "
            "json_object('by', ?::VARCHAR), NULL FROM node i, node t "
            "WHERE i.key = 'fargo-1996' AND t.name = ?",
            [user, tag],
        )

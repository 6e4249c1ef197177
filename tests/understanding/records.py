"""A small catalogue of records, whose names are easily taken for something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from localrec.data.domains import Domain
from localrec.data.query import Query
from localrec.data.rows import AttributeLink, ImportReport, ItemRow
from localrec.graph.catalogue import Catalogue
from localrec.graph.item_ingest import ingest_items
from localrec.graph.store import Store
from localrec.understanding.vocabulary import Vocabulary

RECORDS: Domain = msgspec.convert(
    {
        "name": "records",
        "item": "record",
        "singular": "record",
        "plural": "records",
        "item_words": ["record", "song"],
        "texts": {"name": "name"},
        "attributes": {
            "style": {
                "role": "component",
                "edge": "IS",
                "says": "is {name}",
                "words": ["style"],
            },
            "album": {"role": "category", "edge": "ON", "says": "is on {name}"},
            "artist": {"role": "creator", "edge": "BY", "says": "is by {name}"},
            "origin": {
                "role": "category",
                "edge": "FROM",
                "says": "is from {name}",
                "words": ["country"],
            },
            "series": {"role": "category", "edge": "IN", "says": "belongs to {name}"},
        },
        "numbers": {
            "minutes": {
                "kind": "amount",
                "units": {"minute": 1, "min": 1, "hour": 60},
                "better": "lower",
            },
            "price": {
                "kind": "amount",
                "words": ["price", "cost"],
                "units": {"dollar": 1, "$": 1},
                "better": "lower",
                "more": ["dearer"],
            },
            "points": {
                "kind": "amount",
                "words": ["score"],
                "units": {"point": 1},
                "better": "higher",
            },
            "rating": {"kind": "amount", "words": ["rating"], "better": "higher"},
            "ratings_count": {"kind": "amount", "units": {"rating": 1}},
            "style_count": {"kind": "count"},
            "year": {"kind": "year"},
        },
    },
    Domain,
)
ROWS = (
    ("Dancing Queen", ("disco", "female vocals", "driving"), "Arrival", "ABBA", "Sweden"),
    ("Waterloo", ("pop", "orchestral"), "Waterloo", "ABBA", "Sweden"),
    ("Ring Ring", ("pop", "christmas"), "ABBA", "Björn Ulvaeus", "Sweden"),
    ("The Christmas Song", ("christmas", "jazz"), "Winter", "Nat King Cole", "US"),
    ("Summertime", ("jazz", "war"), "Porgy", "Ella Fitzgerald", "US"),
    ("Strange Fruit", ("jazz", "zombies"), "Lady", "Billie Holiday", "US"),
    ("Last Night", ("gospel", "folk"), "Tapestry", "Carole King", "US"),
    ("Volare", ("soothing", "gospel"), "Italia", "Nine Inch Nails", "Italy"),
)

Row = tuple[str, tuple[str, ...], str, str, str]
SERIES = {"Waterloo": "Contest Winners", "Summertime": "Opera Nights"}


@contextmanager
def planted_records(
    folder: Path, rows: Sequence[Row] = ROWS, series: Mapping[str, str] = SERIES
) -> Iterator[Vocabulary]:
    """The vocabulary of the records, in a store in a folder."""
    items = [
        ItemRow(
            key=name.casefold(),
            name=name,
            properties={},
            links=(
                *(AttributeLink(kind="style", name=style) for style in styles),
                AttributeLink(kind="album", name=album),
                AttributeLink(kind="artist", name=artist),
                AttributeLink(kind="origin", name=origin),
                *(AttributeLink(kind="series", name=one) for one in (series.get(name),) if one),
            ),
        )
        for name, styles, album, artist, origin in rows
    ]
    many = len(items)
    report = ImportReport(
        source="planted", path="", domain="records", read=many, kept=many, merged=0, dropped=0
    )
    with Store.open_(folder / "store.duckdb") as store:
        ingest_items(store, RECORDS, items, report)
        yield Vocabulary(Catalogue(store, RECORDS))


def wanted(query: Query) -> list[tuple[str, ...]]:
    """The keys of each wish."""
    return [one.any_of for one in query.constraints if not one.excluded]


def refused(query: Query) -> set[str]:
    """The keys of all refusals."""
    return {key for one in query.constraints if one.excluded for key in one.any_of}


def bounds(query: Query) -> dict[str, tuple[float, float]]:
    """The bounds on each number."""
    return {one.name: (one.low, one.high) for one in query.ranges}

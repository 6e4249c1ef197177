"""IMDb's open dump of titles (title.basics.tsv.gz): genres, years and minutes of films and series.

Beside it `title.ratings.tsv.gz` says how many people rated a title, which tells the likelier of two
of one name and year.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from localrec.data.domains import Domain
from localrec.data.knowledge import Wanted, rough_title_sql
from localrec.data.rows import AttributeLink, CatalogueRows, ItemRow, Scalar
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name
from localrec.sources.bulk_tables import BulkReader
from localrec.sources.dumps.dump_lines import (
    beside,
    dump_lines,
    first_line,
    need_file,
    stage_wanted,
)
from localrec.sources.film_rows import film_row, genre_links
from localrec.sources.import_log import ImportLog
from localrec.sources.protocols import Field, FilePreview

_COLUMNS = (
    *("tconst", "titleType", "primaryTitle", "originalTitle", "isAdult", "startYear"),
    *("endYear", "runtimeMinutes", "genres"),
)
_RATINGS = ("tconst", "averageRating", "numVotes")
_FILMS = ("movie", "tvMovie", "short", "video", "tvSpecial", "tvShort")
_SERIES = ("tvSeries", "tvMiniSeries")


class ImdbTitlesSource:
    """Reads titles, all or those that a store may hold."""

    kind = "imdbtitles"
    domain = "movies"
    identifier = "imdb"
    fields: tuple[Field, ...] = (
        Field("tconst", "property `imdb`; items are found again by it"),
        Field("primaryTitle, originalTitle, startYear", "the name and `year`; else found by these"),
        Field("genres", "links to genres"),
        Field("runtimeMinutes", "property `minutes`"),
        Field("averageRating, numVotes (title.ratings)", "properties `imdb_rating`, `imdb_votes`"),
        Field("titleType", "films for films, series for the domain `series`; others are left out"),
        Field("isAdult, endYear", "left out"),
    )

    def recognises(self, preview: FilePreview) -> bool:
        """Whether the header is that of title.basics or title.ratings, or they lie in a folder."""
        columns = preview.header[:3]
        is_file = columns in (_lowered(_COLUMNS[:3]), _lowered(_RATINGS))
        names = {name.removesuffix(".gz") for name in preview.members}
        return is_file or bool(names & {"title.basics.tsv", "title.ratings.tsv"})

    def read(self, path: Path, domain: Domain, wanted: Wanted | None = None) -> CatalogueRows:
        """Read the titles that are wanted, or every one.

        Raises:
            InputError: no such dump, or a damaged one.
        """
        file = _file_of_titles(path)
        header = tuple(first_line(file).split("\t"))
        if header != _COLUMNS:
            raise InputError(
                f"{file} is no dump of IMDb's titles: its columns are "
                f"{', '.join(map(clean_name, header[:9]))}.",
                "Download title.basics.tsv.gz from IMDb's data sets.",
            )
        import_log = ImportLog(self.kind, path, domain.name)
        items: dict[str, ItemRow] = {}
        for cells in _titles(file, domain, wanted):
            _take(cells, domain, items, import_log)
        return CatalogueRows(items=tuple(items.values()), report=import_log.report(len(items)))


def _lowered(columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(str.lower, columns))


def _file_of_titles(path: Path) -> Path:
    """The dump of titles, also where only the ratings beside it were named.

    Raises:
        InputError: there is none.
    """
    ratings = beside(path, "title.ratings.tsv") if path.is_dir() else path
    titles = beside(path, "title.basics.tsv")
    is_ratings = ratings is not None and first_line(ratings).split("\t")[:3] == [*_RATINGS]
    if not is_ratings:
        return need_file(path, "titles of IMDb", "title.basics.tsv")
    if titles is None:
        raise InputError(
            f"{ratings} holds votes without the titles that they are about.",
            "Download title.basics.tsv.gz from IMDb's data sets into the same folder, and import "
            "the folder.",
        )
    return titles


def _titles(file: Path, domain: Domain, wanted: Wanted | None) -> list[tuple[Any, ...]]:
    sorts = _SERIES if domain.name == "series" else _FILMS
    ratings = beside(file, "title.ratings.tsv")
    where = f"cells[2] IN ({', '.join(repr(one) for one in sorts)})"
    if wanted is not None:
        where += (
            " AND (cells[1] IN (SELECT one FROM wanted_id) "
            f"OR {rough_title_sql('cells[3]')} IN (SELECT one FROM wanted_title) "
            f"OR {rough_title_sql('cells[4]')} IN (SELECT one FROM wanted_title))"
        )
    with BulkReader([file, *([ratings] if ratings else [])]) as reader:
        stage_wanted(reader, wanted or Wanted(), "imdb")
        reader.rows(f"CREATE TABLE title AS SELECT cells FROM {dump_lines(file)} WHERE {where}")
        rated = (
            f"(SELECT cells[1] AS id, cells[2] AS stars, cells[3] AS votes FROM "
            f"{dump_lines(ratings)} WHERE cells[1] IN (SELECT cells[1] FROM title))"
            if ratings
            else "(SELECT '' AS id, '' AS stars, '' AS votes)"
        )
        return reader.rows(
            f"SELECT cells, stars, votes FROM title LEFT JOIN {rated} ON id = cells[1] "
            "ORDER BY TRY_CAST(votes AS BIGINT) DESC NULLS LAST, cells[1]"
        )


def _take(
    told: tuple[Any, ...], domain: Domain, items: dict[str, ItemRow], import_log: ImportLog
) -> None:
    cells, stars, votes = told
    if len(cells) != len(_COLUMNS):
        import_log.drop(0, None, f"has {len(cells)} cells where {len(_COLUMNS)} belong")
        return
    key, name = clean_name(cells[0]), clean_name(cells[2])
    if not key or not name:
        import_log.drop(0, "primaryTitle", "is empty there")
        return
    if key in items:
        import_log.merge(0, "tconst", f"({key}) is there twice")
        return
    year = _whole(cells[5], 1800, 2100)
    properties: dict[str, Scalar] = {
        "imdb": key,
        "minutes": _whole(cells[7], 1, 99_999),
        "original_title": _other(clean_name(cells[3]), name),
        "imdb_votes": _whole(votes or "", 0, 1 << 40),
        "imdb_rating": _decimal(stars or ""),
    }
    known: dict[str, Scalar] = {
        name: value for name, value in properties.items() if value is not None
    }
    genres = [clean_name(one) for one in cells[8].split(",") if one != "\\N"]
    links: tuple[AttributeLink, ...] = genre_links(domain.kind_of("component"), genres)
    items[key] = film_row(key, name, year, links, domain, known)


def _other(original: str, name: str) -> str | None:
    return original if original and original != name else None


def _whole(cell: str, least: int, most: int) -> int | None:
    number = int(cell) if cell.isascii() and cell.isdecimal() and len(cell) < 15 else None
    return number if number is not None and least <= number <= most else None


def _decimal(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if 0 <= value <= 10 else None

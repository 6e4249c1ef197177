"""MovieLens as GroupLens hands it out: 100K, 1M, 10M, 20M, 25M, 32M and "latest".

The folder is recognised by its file of ratings: `u.data`, `ratings.dat` or `ratings.csv`. Ratings
are left to DuckDB, films and people are read here. Tags, the tag genome and post codes are left
out. Differs from the unpacked folder: a zip is refused, since the store reads the ratings again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import BulkHistory, ItemRow, Scalar, UserRow
from localrec.data.titles import split_year
from localrec.foundation.bounded_files import FileLimits, detect_encoding, open_bytes, open_text
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name
from localrec.sources.bulk_tables import BulkTable, RowFault, refuse_user
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.film_rows import film_row, genre_links
from localrec.sources.import_log import ImportLog
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.sql_cells import (
    key_number,
    key_of_double,
    missing,
    moment_faults,
    moment_since_1970,
    number,
)
from localrec.sources.sql_tables import FlatFile, delimited_table, split_lines, typed_cells

# Keys are no INTEGER, to which DuckDB would round them: half a user is a fault of the file.
_TYPES = {"userId": "DOUBLE", "movieId": "DOUBLE", "rating": "FLOAT", "timestamp": "BIGINT"}
_COLUMNS = tuple(_TYPES)
# DuckDB reads the ratings in pieces, so that a history of a hundred million fits the memory too.
_LIMITS = FileLimits(file_bytes=8 << 30, rows=200_000_000)
_HEADER = ",".join(_COLUMNS).encode()
_GENRES_100K = (
    "unknown Action Adventure Animation Children's Comedy Crime Documentary Drama Fantasy "
    "Film-Noir Horror Musical Mystery Romance Sci-Fi Thriller War Western"
).split()
_AGES_1M = {
    "1": "under 18",
    "18": "18-24",
    "25": "25-34",
    "35": "35-44",
    "45": "45-49",
    "50": "50-55",
    "56": "56 and over",
}
_OCCUPATIONS_1M = (
    "other",
    "academic or educator",
    "artist",
    "clerical or admin",
    "college or graduate student",
    "customer service",
    "doctor or health care",
    "executive or managerial",
    "farmer",
    "homemaker",
    "school student",
    "lawyer",
    "programmer",
    "retired",
    "sales or marketing",
    "scientist",
    "self-employed",
    "technician or engineer",
    "tradesman or craftsman",
    "unemployed",
    "writer",
)


class _Film(msgspec.Struct, frozen=True):
    """One line of a file of films."""

    row: int
    key: str
    title: str
    genres: list[str]


class _Layout(msgspec.Struct, frozen=True, kw_only=True):
    """The file layout of one generation of MovieLens."""

    ratings: str
    delimiter: str
    has_header: bool
    films: str
    read_films: Callable[[Path, FileLimits, ImportLog], Iterator[_Film]]
    users: str | None = None
    read_users: Callable[[Path, FileLimits, ImportLog], Iterator[UserRow]] | None = None


class MovieLensSource:
    """Reads the unpacked folder, or the folder of the file that is named."""

    kind = "movielens"
    domain = "movies"
    personal = False
    fields: tuple[Field, ...] = (
        Field("userId", "the person's key"),
        Field("movieId", "the film's key"),
        Field("rating", "the rating, in stars as it stands"),
        Field("timestamp", "when, in UTC"),
        Field("title", "the film's name, its article in front; properties `title` and `year`"),
        Field("genres", "links to genres; the year gives the link to the decade"),
        Field("imdbId, tmdbId (links.csv)", "properties `imdb` and `tmdb`"),
        Field("age, gender, occupation (u.user, users.dat)", "properties of the person"),
        Field("zip code, tags.csv, tags.dat, genome", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or _LIMITS

    def recognises(self, preview: FilePreview) -> bool:
        """Whether there are ratings and films under the names of a MovieLens release."""
        if preview.name in ("u.data", "ratings.dat"):
            return True
        if preview.name == "ratings.csv":
            return preview.header[:3] == ("userid", "movieid", "rating")
        names = {member.rpartition("/")[2] for member in preview.members}
        return any({layout.ratings, layout.films} <= names for layout in _LAYOUTS)

    def read(self, path: Path, domain: Domain, user: str | None = None) -> BulkHistory:
        """Read films and people, and check every rating.

        Raises:
            InputError: no folder of MovieLens, or a file of it is damaged.
            UsageError: a user was named.
        """
        refuse_user(self.kind, user)
        folder, layout = _find_layout(path)
        import_log = ImportLog(self.kind, path, domain.name)
        items = self._read_films(folder, layout, domain, import_log)
        users: tuple[UserRow, ...] = ()
        if layout.users and layout.read_users and (folder / layout.users).is_file():
            users = tuple(layout.read_users(folder / layout.users, self._limits, import_log))
        ratings, more_kept = folder / layout.ratings, len(items) + len(users)
        if layout.has_header:
            _check_header(ratings, self._limits)
        table = _typed_table(ratings, layout, self._limits)
        checked = table.check_sound()
        if checked is None:
            table = _text_table(ratings, layout, self._limits)
        return table.history(import_log, items, users, more_kept=more_kept, checked=checked)

    def _read_films(
        self, folder: Path, layout: _Layout, domain: Domain, import_log: ImportLog
    ) -> tuple[ItemRow, ...]:
        file = folder / layout.films
        if not file.is_file():
            return ()
        elsewhere = _read_links(folder / "links.csv", self._limits)
        genre = domain.kind_of("component")
        films: dict[str, ItemRow] = {}
        for film in layout.read_films(file, self._limits, import_log):
            title = clean_name(film.title)
            if not film.key or not title:
                column = "title" if film.key else "movieId"
                import_log.drop(film.row, f"{layout.films}: {column}", "is empty there")
            elif film.key in films:
                import_log.merge(
                    film.row, f"{layout.films}: movieId", f"({film.key}) is there twice"
                )
            else:
                bare, year = split_year(title)
                links = genre_links(genre, film.genres)
                properties = elsewhere.get(film.key)
                films[film.key] = film_row(
                    film.key, title, year, links, domain, properties, bare=bare
                )
        return tuple(films.values())


def _find_layout(path: Path) -> tuple[Path, _Layout]:
    if path.suffix.casefold() == ".zip":
        raise InputError(f"{path} is packed.", "Unpack it and name the folder.")
    folder = path if path.is_dir() else path.parent
    for layout in _LAYOUTS:
        if (folder / layout.ratings).is_file() and path in (
            folder,
            folder / layout.ratings,
            folder / layout.films,
        ):
            return folder, layout
    raise InputError(
        f"{path} is no folder of MovieLens.",
        f"It should hold {', '.join(layout.ratings for layout in _LAYOUTS[:-1])} "
        f"or {_LAYOUTS[-1].ratings}.",
    )


def _typed_table(path: Path, layout: _Layout, limits: FileLimits) -> BulkTable:
    """The ratings of a file without fault, as nearly all are."""
    file = typed_cells(path, _TYPES, layout.delimiter, has_header=layout.has_header, limits=limits)
    return _judged(file, key_of_double(file.cells["userId"]), key_of_double(file.cells["movieId"]))


def _text_table(path: Path, layout: _Layout, limits: FileLimits) -> BulkTable:
    """The ratings of any file: every row is told from its neighbours."""
    if layout.has_header:  # such a file may have been saved again, with its cells in quotes
        file = delimited_table(path, layout.delimiter, limits)
    else:
        file = split_lines(path, _COLUMNS, layout.delimiter, has_header=False, limits=limits)
    return _judged(file, key_number(file.cells["userId"]), key_number(file.cells["movieId"]))


def _judged(file: FlatFile, user_key: str, item_key: str) -> BulkTable:
    user, film, rating, at = (file.cells[name] for name in _COLUMNS)
    return BulkTable(
        read=file.read,
        columns={
            "user_key": user_key,
            "item_key": item_key,
            "rating": number(rating),
            "at": moment_since_1970(at),
        },
        event="'rated'",  # a row without a rating is bad
        files=(file.path,),
        first_row=file.first_row,
        numbers=file.numbers,
        faults=(
            *file.faults,
            missing("userId", "user_key", user),
            missing("movieId", "item_key", film),
            RowFault(
                "rating",
                "coalesce(rating NOT BETWEEN 0.5 AND 5, true)",
                "{value} is no rating from 0.5 to 5",
                rating,
            ),
            *moment_faults("timestamp", at),
        ),
        blank=file.blank,
    )


def _check_header(path: Path, limits: FileLimits) -> None:
    with open_bytes(path, limits) as stream:
        if stream.readline(len(_HEADER) + 2).rstrip(b"\r\n") == _HEADER:
            return
    # What is not plainly the header is looked at with care, in any encoding: that reads it all.
    header = DelimitedTable(path, limits, delimiter=",").header
    if header != _COLUMNS:
        raise InputError(
            f"{path}, row 1: the columns are {', '.join(header)}, not {', '.join(_COLUMNS)}.",
            "Take the file as MovieLens hands it out, or import it as kind table.",
        )


def _read_films_100k(path: Path, limits: FileLimits, import_log: ImportLog) -> Iterator[_Film]:
    width = 5 + len(_GENRES_100K)
    for row, cells in _split_rows(path, "|", width, limits, import_log):
        genres = [name for name, flag in zip(_GENRES_100K, cells[5:], strict=True) if flag == "1"]
        yield _Film(row, clean_name(cells[0]), cells[1], genres)


def _read_films_1m(path: Path, limits: FileLimits, import_log: ImportLog) -> Iterator[_Film]:
    for row, (key, title, genres) in _split_rows(path, "::", 3, limits, import_log):
        yield _Film(row, clean_name(key), title, genres.split("|"))


def _read_films_csv(path: Path, limits: FileLimits, import_log: ImportLog) -> Iterator[_Film]:
    table = DelimitedTable(path, limits, delimiter=",")
    _require(path, table.header, ("movieId", "title", "genres"))
    for row, cells in table.rows():
        key = cells["movieId"]
        if not (key.isascii() and key.isdecimal()):  # nearly always a bare number
            key = clean_name(key)
        yield _Film(row, key, cells["title"], cells["genres"].split("|"))
    for row, problem in table.ragged:
        import_log.drop(row, path.name, problem)


def _read_links(path: Path, limits: FileLimits) -> dict[str, dict[str, Scalar]]:
    """movieId -> the film's identifiers elsewhere; rows that are not whole say nothing."""
    if not path.is_file():
        return {}
    table = DelimitedTable(path, limits, delimiter=",")
    _require(path, table.header, ("movieId", "imdbId", "tmdbId"))
    found: dict[str, dict[str, Scalar]] = {}
    for _, cells in table.rows():
        imdb, tmdb = cells["imdbId"].strip(), cells["tmdbId"].strip()
        told: dict[str, Scalar] = {}
        if imdb.isdecimal():
            told["imdb"] = f"tt{imdb:0>7}"
        if tmdb.isdecimal():
            told["tmdb"] = tmdb
        found[clean_name(cells["movieId"])] = told
    return found


def _read_users_100k(path: Path, limits: FileLimits, import_log: ImportLog) -> Iterator[UserRow]:
    for row, (key, age, gender, work, _) in _split_rows(path, "|", 5, limits, import_log):
        properties: dict[str, Scalar] = {"gender": clean_name(gender)}
        properties["occupation"] = clean_name(work)
        if age.isdecimal():
            properties["age"] = int(age)
        else:
            import_log.repair(row, f"{path.name}: age", f"{clean_name(age)!r} is no age; left out")
        yield UserRow(key=clean_name(key), properties=properties)


def _read_users_1m(path: Path, limits: FileLimits, import_log: ImportLog) -> Iterator[UserRow]:
    for _, (key, gender, age, work, _) in _split_rows(path, "::", 5, limits, import_log):
        properties: dict[str, Scalar] = {"gender": clean_name(gender)}
        if age in _AGES_1M:
            properties["age_group"] = _AGES_1M[age]
        if work.isdecimal() and int(work) < len(_OCCUPATIONS_1M):
            properties["occupation"] = _OCCUPATIONS_1M[int(work)]
        yield UserRow(key=clean_name(key), properties=properties)


def _split_rows(
    path: Path, delimiter: str, width: int, limits: FileLimits, import_log: ImportLog
) -> Iterator[tuple[int, list[str]]]:
    """(row number, cells) of each line of a file without header and quotes."""
    with open_text(path, limits, detect_encoding(path, limits)) as lines:
        for row, line in enumerate(lines, 1):
            cells = line.rstrip("\r\n").split(delimiter)
            if len(cells) == width:
                yield row, cells
            elif line.strip():
                import_log.drop(row, path.name, f"has {len(cells)} cells where {width} belong")


def _require(path: Path, header: tuple[str, ...], columns: tuple[str, ...]) -> None:
    lacking = [name for name in columns if name not in header]
    if lacking:
        raise InputError(
            f"{path} lacks the column {lacking[0]}; it has {', '.join(header)}.",
            "Take the file as MovieLens hands it out.",
        )


_LAYOUTS = (
    _Layout(
        ratings="u.data",
        delimiter="\t",
        has_header=False,
        films="u.item",
        read_films=_read_films_100k,
        users="u.user",
        read_users=_read_users_100k,
    ),
    _Layout(
        ratings="ratings.dat",
        delimiter="::",
        has_header=False,
        films="movies.dat",
        read_films=_read_films_1m,
        users="users.dat",
        read_users=_read_users_1m,
    ),
    _Layout(
        ratings="ratings.csv",
        delimiter=",",
        has_header=True,
        films="movies.csv",
        read_films=_read_films_csv,
    ),
)

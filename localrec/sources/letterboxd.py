"""A person's films from Letterboxd's export: the zip archive, its folder, or one CSV file of it.

One film may stand in six of the export's files. They are merged into what the person did: a
rating or a viewing, a like, a wish. Only the newest rating and the newest review count.

The tags of the diary are left out: they name occasions and company ("cinema", "with mum"), not
the film. So are profile, comments and lists, and what lies in `deleted/` and `orphaned/`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, Event, HistoryRows, InteractionRow, ItemRow, Scalar
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_key, clean_name, clean_text
from localrec.sources.archives import Archive, Member, open_export
from localrec.sources.column_names import restore_names
from localrec.sources.day_order import with_iso_days
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.export_cells import FIRST_WORK
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import export_owner, moment_problem
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.table_notes import watched_rows

_FIRST_FILM = datetime(1888, 1, 1)
_ANNOUNCED_YEARS = 15  # how far ahead a film on a watchlist may be dated
_NEEDED = {  # file -> columns without which it says nothing
    "watched.csv": ("Name",),
    "ratings.csv": ("Name", "Rating"),
    "diary.csv": ("Name", "Watched Date"),
    "reviews.csv": ("Name", "Review"),
    "watchlist.csv": ("Name",),
    "likes/films.csv": ("Name",),
}
# A list by itself is known by its columns, in this order, or by a word in its name.
_SINGLE = {
    frozenset({"Review"}): "reviews.csv",
    frozenset({"Watched Date"}): "diary.csv",
    frozenset({"Rating"}): "ratings.csv",
}
_LISTS = {"watchlist": "watchlist.csv", "like": "likes/films.csv", "watched": "watched.csv"}
_TOP = {*(name.partition("/")[0] for name in _NEEDED), "profile.csv", "deleted", "orphaned"}
_TELLING = {"watched.csv", "diary.csv", "watchlist.csv", "likes/films.csv"}
_OWN_LIST = "Letterboxd list export"
_DAYS = ("Date", "Watched Date")
_RATING = re.compile(r"\d{1,3}(?:[.,]\d{1,3})?", re.ASCII)
_YEAR = re.compile(r"\d{4}(?:\.0)?", re.ASCII)
_LINK = re.compile(r"https://(?:boxd\.it|letterboxd\.com)/[\w/-]+", re.ASCII)
_MARKUP = re.compile(r"</?(?:a|b|blockquote|br|em|i|p|strong)\b[^<>]{0,500}>", re.IGNORECASE)


class LetterboxdSource:
    """Reads one person's export.

    Args:
        limits: Limits beyond which a file is refused.
    """

    kind = "letterboxd"
    domain = "movies"
    personal = True
    fields: tuple[Field, ...] = (
        Field("*.csv: Name, Year", "the film's name and `year`, its key, and a link to the decade"),
        Field(
            "watched, ratings, watchlist, likes/films: Letterboxd URI",
            "property `letterboxd`; never fetched",
        ),
        Field("watched.csv: Date", "seen; when it was marked so, unless the diary knows better"),
        Field("ratings.csv, diary.csv, reviews.csv: Rating", "rated; the newest one counts"),
        Field("diary.csv: Watched Date", "seen; how often, and when last"),
        Field("reviews.csv: Review", "the note of the rating or viewing; the newest one counts"),
        Field("likes/films.csv: Date", "liked"),
        Field("watchlist.csv: Date", "wanted"),
        Field("diary.csv, reviews.csv: Rewatch, Tags", "left out: occasions, not films"),
        Field("profile.csv, comments.csv, lists/, likes/lists.csv", "left out"),
        Field("deleted/, orphaned/", "left out: the person took them away"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether films watched, wanted or liked lie beside more, or it is one such list."""
        is_list = preview.head.lstrip("\ufeff").startswith(_OWN_LIST)
        lists = [name for name in (*_NEEDED, "profile.csv") if preview.has_member(name)]
        return (
            is_list
            or {"name", "letterboxd uri"} <= set(preview.header)
            or (len(lists) > 1 and not _TELLING.isdisjoint(lists))
        )

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Read every film that the person rated, saw, liked or wants to see.

        Raises:
            UsageError: `user` is missing.
            InputError: no export of Letterboxd, a damaged one, or one without a film.
        """
        owner = export_owner(user, "Letterboxd")
        import_log = ImportLog(self.kind, path, domain.name)
        with open_export(path, self._limits, _TOP) as archive:
            films, kept = self._read_films(archive, import_log)
            is_part = archive.is_single_file
        if not films:
            raise InputError(
                f"{path} holds no film that can be kept: {import_log.first_drop()}.",
                "Export it again, once there is a film to export.",
            )
        return HistoryRows(
            items=tuple(film.make_item(key, domain) for key, film in films.items()),
            interactions=tuple(
                row for key, film in films.items() for row in film.interactions(owner, key)
            ),
            report=import_log.report(kept),
            is_part=is_part,
        )

    def _read_films(self, archive: Archive, import_log: ImportLog) -> tuple[dict[str, _Film], int]:
        """The films by their keys, and how many rows went into them."""
        if archive.is_single_file:
            tables = dict([self._open_single(archive.path)])
        else:
            present = {name: archive.members[name] for name in _NEEDED if name in archive.members}
            tables = {name: self._open(name, member) for name, member in present.items()}
        if not tables:
            archive.refuse("a Letterboxd export")
        films: dict[str, _Film] = {}
        key_of_link: dict[str, str] = {}
        kept = 0
        for name, table in tables.items():
            reader = _FileReader(name, import_log, films, key_of_link)
            told = watched_rows(table, import_log, file=name)
            rows = with_iso_days(told, _DAYS, import_log)
            kept += sum(reader.take(row, cells) for row, cells in rows)
        return films, kept

    def _open(self, name: str, member: Member) -> DelimitedTable:
        # Letterboxd writes UTF-8; guessing would turn names in a mix of encodings into nonsense.
        table = DelimitedTable(member, self._limits, delimiter=",", encoding="utf-8-sig")
        restore_names(table, self.fields)
        missing = [column for column in _NEEDED[name] if column not in table.header]
        if missing:
            raise InputError(
                f"{member} lacks the column {missing[0]!r}; it has {', '.join(table.header)}.",
                "Export it again, and leave the files as they are.",
            )
        return table

    def _open_single(self, path: Path) -> tuple[str, DelimitedTable]:
        """One list by itself, as what its columns and name say it is; spreadsheets may have it."""
        table = restore_names(DelimitedTable(path, self._limits), self.fields)
        header, name = set(table.header), path.name.casefold()
        if table.header[0].startswith(_OWN_LIST):
            raise InputError(
                f"{path} is a list that somebody made on Letterboxd: it does not say whether its "
                "films were seen, liked or are wanted.",
                "Import the whole export, or its ratings.csv, watched.csv or watchlist.csv.",
            )
        if not {"Name", "Letterboxd URI"} <= header:
            raise InputError(
                f"{path} is no list of Letterboxd: it has {', '.join(table.header[:20])}.",
                "Name the archive as it was downloaded, or the kind that it is.",
            )
        for columns, file in _SINGLE.items():
            if columns <= header:
                return file, table
        if path.parent.name.casefold() == "likes":  # the archive has likes/films.csv
            name = f"likes {name}"
        for word, file in _LISTS.items():
            if word in name:
                return file, table
        raise InputError(
            f"{path} does not say whether its films were watched, liked or are wanted.",
            "Call it watched.csv, likes.csv or watchlist.csv, as Letterboxd does.",
        )


class _Dated(msgspec.Struct, frozen=True):
    """Something said on a day; `row` is where."""

    at: datetime | None
    row: int
    rating: float | None = None
    text: str = ""

    def is_newer_than(self, other: _Dated | None) -> bool:
        return other is None or (self.at or _FIRST_FILM) > (other.at or _FIRST_FILM)


class _Film(msgspec.Struct):
    """The entries of the files about one film, each the newest of its kind."""

    name: str
    year: int | None
    uri: str = ""
    seen: _Dated | None = None
    rated: _Dated | None = None
    reviewed: _Dated | None = None
    liked: _Dated | None = None
    wanted: _Dated | None = None
    viewings: int = 0

    def make_item(self, key: str, domain: Domain) -> ItemRow:
        dated = f"{self.name} ({self.year})" if self.year else self.name
        properties: dict[str, Scalar] = {
            "year": self.year,
            "description": f"{dated}.",
            "description_source": "generated",
        }
        if self.uri:
            properties["letterboxd"] = self.uri
        links: tuple[AttributeLink, ...] = ()
        if self.year and "decade" in domain.attributes:
            links = (AttributeLink(kind="decade", name=f"{self.year // 10 * 10}s"),)
        return ItemRow(key=key, name=self.name, properties=properties, links=links)

    def interactions(self, user: str, key: str) -> list[InteractionRow]:
        rows = []
        watched = self.rated or self.seen or self.reviewed
        if watched:
            rows.append(
                InteractionRow(
                    user=user,
                    item=key,
                    event=Event.RATED if self.rated else Event.SEEN,
                    rating=self.rated.rating if self.rated else None,
                    at=watched.at,
                    times=max(1, self.viewings),
                    note=self.reviewed.text if self.reviewed else None,
                )
            )
        for event, said in ((Event.LIKED, self.liked), (Event.WANTED, self.wanted)):
            if said:
                rows.append(InteractionRow(user=user, item=key, event=event, at=said.at))
        return rows


class _FileReader:
    """Takes the rows of one file of the export into the films."""

    def __init__(
        self,
        name: str,
        import_log: ImportLog,
        films: dict[str, _Film],
        key_of_link: dict[str, str],
    ) -> None:
        self._name = name
        self._import_log = import_log
        self._films = films
        self._key_of_link = key_of_link
        self._link_of_key: dict[str, str] = {}
        self._first_rows: dict[tuple[str, str], int] = {}

    def take(self, row: int, cells: Mapping[str, str]) -> bool:
        """Take a row; False where it was dropped or merged (the receipt says why)."""
        name = clean_name(cells["Name"])
        if not name:
            self._import_log.drop(row, self._column("Name"), "is empty there")
            return False
        year = self._read_year(row, cells.get("Year", ""))
        rating = self._read_rating(row, cells.get("Rating", ""))
        if self._name == "ratings.csv" and rating is None:
            return False
        said = _Dated(self._read_day(row, "Date", cells), row, rating)
        link = clean_name(cells.get("Letterboxd URI"))
        key = self._key_of(clean_key(f"{name} {year}" if year else name), link)
        entry = (link or cells.get("Watched Date", "")) if self._is_log else ""
        first = self._first_rows.setdefault((key, entry), row)
        if first != row:
            self._import_log.merge(row, self._name, f"went into row {first}, {name}")
        film = self._films.setdefault(key, _Film(name, year))
        self._enter(film, said, cells, counts=first == row)
        return first == row

    def _key_of(self, key: str, link: str) -> str:
        """The film's key; two films of one name and year in a list stay two by their addresses."""
        if self._is_log or not _LINK.fullmatch(link):
            return key
        if link not in self._key_of_link:
            is_other = self._link_of_key.setdefault(key, link) != link
            own = clean_key(f"{key} {link.rpartition('/')[2]}")
            self._key_of_link[link] = own if is_other else key
        return self._key_of_link[link]

    @property
    def _is_log(self) -> bool:
        """Whether the file has a row per viewing, with a link of its own, not one per film."""
        return self._name in ("diary.csv", "reviews.csv")

    def _enter(self, film: _Film, said: _Dated, cells: Mapping[str, str], *, counts: bool) -> None:
        link = clean_name(cells.get("Letterboxd URI"))
        if not self._is_log and not film.uri and _LINK.fullmatch(link):
            film.uri = link
        if said.rating is not None and said.is_newer_than(film.rated):
            film.rated = said
        match self._name:
            case "watched.csv":
                film.seen = film.seen or said
            case "diary.csv":
                self._enter_viewing(film, said, cells, counts=counts)
            case "reviews.csv":
                text = clean_text(_MARKUP.sub(" ", cells["Review"]))
                review = msgspec.structs.replace(said, text=text)
                if text and review.is_newer_than(film.reviewed):
                    film.reviewed = review
                film.seen = film.seen or said
            case "likes/films.csv":
                film.liked = said if said.is_newer_than(film.liked) else film.liked
            case "watchlist.csv":
                film.wanted = said if said.is_newer_than(film.wanted) else film.wanted

    def _enter_viewing(
        self, film: _Film, said: _Dated, cells: Mapping[str, str], *, counts: bool
    ) -> None:
        watched = _Dated(self._read_day(said.row, "Watched Date", cells) or said.at, said.row)
        # The first entry takes the place of the day on which the film was merely marked as seen.
        if not film.viewings or watched.is_newer_than(film.seen):
            film.seen = watched
        film.viewings += counts

    def _read_year(self, row: int, cell: str) -> int | None:
        text = cell.strip()
        if not text:
            return None  # films that are only announced have none
        latest = datetime.now(UTC).year + _ANNOUNCED_YEARS
        if _YEAR.fullmatch(text) and FIRST_WORK <= int(text[:4]) <= latest:
            return int(text[:4])
        self._import_log.repair(
            row, self._column("Year"), f"{clean_name(text)!r} is no year of a film; left out"
        )
        return None

    def _read_rating(self, row: int, cell: str) -> float | None:
        """The stars; a rating that cannot be costs a row of ratings.csv, elsewhere only itself."""
        text = cell.strip()
        told = text.replace(",", ".")
        if _RATING.fullmatch(text) and 0.5 <= float(told) <= 5:
            return float(told)
        problem = f"{clean_name(text)!r} is no rating from 0.5 to 5" if text else "has no rating"
        if self._name == "ratings.csv":
            self._import_log.drop(row, self._column("Rating"), problem)
        elif text:
            self._import_log.repair(row, self._column("Rating"), f"{problem}; left out")
        return None

    def _read_day(self, row: int, column: str, cells: Mapping[str, str]) -> datetime | None:
        text = cells.get(column, "").strip()
        if not text:
            return None
        try:
            day = datetime.strptime(text, "%Y-%m-%d")
            problem = moment_problem(day, _FIRST_FILM)
        except ValueError:
            problem = "is no date"
        if problem is None:
            return day
        told = f"{clean_name(text)!r} {problem}; the date was left out"
        self._import_log.repair(row, self._column(column), told)
        return None

    def _column(self, column: str) -> str:
        return f"{self._name}: {column}"

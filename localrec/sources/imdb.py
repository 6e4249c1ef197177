"""A person's ratings or watchlist from IMDb: one CSV, of today or in the layout before 2017.

Films are films and series series; an episode says that its series was seen, and its own rating is
left out, since it is no verdict on the series. Games, music videos and podcasts are left apart.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from localrec.data.domains import Domain
from localrec.data.rows import Event, HistoryRows, Scalar
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.foundation.prose import join_words
from localrec.foundation.text import clean_name, fold_accents
from localrec.sources.day_order import with_iso_days
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.export_cells import ExportCells
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import export_owner
from localrec.sources.personal_items import ExportInteraction
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.screen_titles import ScreenHistory, ScreenTitle, Sort, clean_names
from localrec.sources.table_notes import watched_rows

_ID = re.compile(r"tt\d{5,10}", re.ASCII)
_DATES = ("%a %b %d %H:%M:%S %Y", "%d-%b-%Y")
# Columns of the older layout -> their names of today; case differs too.
_RENAMED = {"you rated": "your rating", "num. votes": "num votes"}
_RATINGS = ("your rating", "you rated")
# Words of a type in the languages that IMDb writes, without accents; the first that fits counts.
_APART = (
    (re.compile(r"podcast"), "podcasts"),
    (re.compile(r"audiobook|audiolibro|horbuch|livre audio"), "audiobooks"),
    (re.compile(r"game|juego|gioco|videospiel|jeux?\b|jogo"), "video games"),
    (re.compile(r"music|musik|video ?clip"), "music videos"),
)
_EPISODE = re.compile(r"episod|folge")
_SERIES = re.compile(r"serie")
_FILM = re.compile(r"movie|film|video|short|special|spezial|pelicula|corto|court|curta|metra[gj]")


class ImdbSource:
    """Reads one person's ratings or watchlist.

    Args:
        limits: Limits beyond which a file is refused.
    """

    kind = "imdb"
    domain = "movies"
    personal = True
    fields: tuple[Field, ...] = (
        Field("Title, Year", "the name and `year`, the key, and a link to the decade"),
        Field("Const", "property `imdb`; tells titles of one name and year apart"),
        Field(
            "Title Type",
            "films are read here, series beside them in the domain `series`; an episode says that "
            "its series was seen; games, music videos and podcasts are left apart; a type that is "
            "not known is told and taken for a film",
        ),
        Field("Your Rating, You rated", "the rating, 1 to 10, in stars"),
        Field("Date Rated, Created", "when it was rated or listed"),
        Field("Genres", "links to genres"),
        Field("Directors", "`creator`; for series links too"),
        Field("Runtime (mins)", "property `minutes`"),
        Field("Description", "the note of a title on the watchlist"),
        Field(
            "Position, Modified, Original Title, URL, IMDb Rating, Num Votes, Release Date",
            "left out",
        ),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether the header has IMDb's `Const` beside a title and its type or rating."""
        header = set(preview.header)
        return {"const", "title"} <= header and bool(header & {"title type", *_RATINGS})

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Read every title.

        Raises:
            UsageError: `user` is missing.
            InputError: no list of IMDb, a damaged one, or one without a title.
        """
        owner = export_owner(user, "IMDb")
        import_log = ImportLog(self.kind, path, domain.name)
        table = DelimitedTable(path, self._limits)
        names = {name: _RENAMED.get(name.casefold(), name.casefold()) for name in table.header}
        if missing := [name for name in ("const", "title") if name not in names.values()]:
            raise InputError(
                f"{path} is no list of IMDb: it lacks the column {missing[0]!r} and has "
                f"{', '.join(table.header[:20])}.",
                "Export the list from IMDb again, and leave the file as it is.",
            )
        reader = _Reader(ScreenHistory(owner, domain, import_log), import_log)
        rows = (
            (row, {names[name]: cell for name, cell in cells.items()})
            for row, cells in watched_rows(table, import_log, self.fields)
        )
        for row, told in with_iso_days(rows, ("date rated", "created"), import_log):
            reader.take(ExportCells(row, told, import_log))
        reader.take_episodes()
        reader.tell_unknown_types()
        return reader.titles.history(path).as_part()


class _Reader:
    """Takes the rows of one list."""

    def __init__(self, titles: ScreenHistory, import_log: ImportLog) -> None:
        self.titles = titles
        self._import_log = import_log
        self._series: dict[str, ScreenTitle] = {}
        self._episodes: list[ExportCells] = []
        self._unknown: Counter[str] = Counter()

    def take(self, cells: ExportCells) -> None:
        """Take a row; episodes wait until all series are known."""
        name = clean_name(cells.raw("title"))
        told = clean_name(cells.raw("title type"))
        plain = _plain(told)
        apart = next((sort for words, sort in _APART if words.search(plain)), None)
        if not name:
            self._import_log.drop(cells.row, "Title", "has no title")
        elif apart:
            self._import_log.set_apart(apart)
        elif _EPISODE.search(plain):
            self._episodes.append(cells)
        elif _SERIES.search(plain):
            self._series[name] = _read_title(cells, name, "series")
            self.titles.take(cells.row, self._series[name], _read_interaction(cells))
        else:
            if plain and not _FILM.search(plain):
                self._unknown[told] += 1
            self.titles.take(cells.row, _read_title(cells, name, "film"), _read_interaction(cells))

    def tell_unknown_types(self) -> None:
        """Say which types were taken for films since nobody knows them."""
        if self._unknown:
            types = join_words([f"{told} ({count:,})" for told, count in self._unknown.items()])
            self._import_log.tell(f"Title types that are not known were taken for films: {types}.")

    def take_episodes(self) -> None:
        """An episode, as "Series: Episode", says that the series was seen or is wanted."""
        for cells in self._episodes:
            name = clean_name(cells.raw("title"))
            # The original title is the episode's alone.
            is_bare = name == clean_name(cells.raw("original title"))
            title = self._series_of(name, may_be_new=not is_bare)
            if title is None:
                self._import_log.set_apart("episodes that do not name their series")
                continue
            interaction = _read_interaction(cells)
            event = Event.SEEN if interaction.event is Event.RATED else interaction.event
            said = ExportInteraction(event=event, at=interaction.at, is_viewing=event is Event.SEEN)
            self.titles.take(cells.row, title, said, part=cells.raw("const") or name)

    def _series_of(self, name: str, *, may_be_new: bool) -> ScreenTitle | None:
        parts = name.split(": ")
        prefixes = [": ".join(parts[:count]) for count in range(len(parts) - 1, 0, -1)]
        known = next((self._series[one] for one in prefixes if one in self._series), None)
        if known is None and may_be_new and prefixes and (series := clean_name(prefixes[0])):
            return ScreenTitle(name=series, sort="series")
        return known


def _read_title(cells: ExportCells, name: str, sort: Sort) -> ScreenTitle:
    identifier = cells.raw("const") if _ID.fullmatch(cells.raw("const")) else ""
    properties: dict[str, Scalar] = {
        "imdb": identifier or None,
        "minutes": cells.whole("runtime (mins)", 0, 99_999) or None,
    }
    return ScreenTitle(
        name=name,
        sort=sort,
        year=cells.year("year"),
        identifier=identifier,
        genres=clean_names(genre.replace("_", "-") for genre in cells.raw("genres").split(",")),
        creators=clean_names(cells.raw("directors").split(",")),
        properties=properties,
    )


def _read_interaction(cells: ExportCells) -> ExportInteraction:
    """A rating where there is one; else the title is on the watchlist."""
    rating = cells.score("your rating", 1, 10)
    if rating is not None:
        at = cells.moment("date rated", *_DATES) or cells.moment("created", *_DATES)
        return ExportInteraction(event=Event.RATED, rating=rating, at=at)
    return ExportInteraction(
        event=Event.SEEN if cells.raw("your rating") else Event.WANTED,
        at=cells.moment("date rated", *_DATES) or cells.moment("created", *_DATES),
        note=cells.note("description"),
    )


def _plain(told: str) -> str:
    """A type in words without accents: "tvMiniSeries" and "TV Mini-Séries" are one."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]", " ", told.strip())
    return fold_accents(words).casefold()

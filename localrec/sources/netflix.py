"""A person's viewing history from Netflix: the short list, or the file of the full data request.

The list has Title and Date ("Dark: Season 1: Secrets"), the request ViewingActivity.csv has the
profile, the second and the duration of each viewing. Episodes count as viewings of their series.
Days are written as the account's country does: which number is the month is told from the file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from localrec.data.domains import Domain
from localrec.data.rows import Event, HistoryRows
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.prose import join_words
from localrec.foundation.text import clean_name
from localrec.sources.archives import open_export
from localrec.sources.column_names import restore_names
from localrec.sources.day_order import DayOrder
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.export_cells import ExportCells
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import export_owner
from localrec.sources.personal_items import ExportInteraction
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.screen_titles import ScreenHistory, ScreenTitle
from localrec.sources.table_notes import watched_rows

_SHORT = {"title", "date"}
# What the short list calls its columns in other languages.
_RENAMED = {
    **dict.fromkeys("titel titre titolo título titulo tytuł tittel".split(), "title"),
    **dict.fromkeys("datum fecha data dato".split(), "date"),
}
_FULL = {"profile name", "start time", "duration", "title"}
_SEASON = re.compile(
    r"(?:(?:limited |mini)?series|(?:season|part|volume|book|chapter|collection|temporada|staffel|"
    r"teil|saison|partie|stagione|parte|seizoen|deel|sæson|säsong|sesong|kausi|sezon|évad|série|"
    r"сезон|temporadas)\s*\d+|\d+\.\s*(?:évad|sezon|staffel)|シーズン\s*\d+|시즌\s*\d+|第\s*\d+\s*季|"
    r"miniserie|miniséries?|edición limitada)(?:\s.*)?",
    re.IGNORECASE,
)
_DURATION = re.compile(r"(\d{1,3}):(\d\d):(\d\d)", re.ASCII)
_SEEN_S = 120  # what was stopped within two minutes was looked at, not seen
# The names behind one prefix tell whether it is a series without seasons.
_NUMBERED = re.compile(
    r"(?:[eé]pis[oó]d(?:e|io)|folge|afsnit|avsnitt|aflevering|jakso|odcinek|epizod|rész|"
    r"bölüm|серия|エピソード)\s*\d+\b.*|\d+\.\s*(?:bölüm|rész)|第\s*\d+\s*[話集]|\d+\s*화",
    re.IGNORECASE,
)
_IN_A_DAY = 3  # names: hardly anybody sees as many parts of a series of films in a day
_IN_ALL = 9  # names: hardly a series of films has as many parts
_OWN_COLUMNS = 2  # that somebody may have added to the short list
_TOLD = 3  # names behind a prefix that is no series, for which the receipt says so


class NetflixSource:
    """Reads one person's viewing history: a CSV file, or the archive or folder that holds it.

    Args:
        limits: Limits beyond which a file is refused.
    """

    kind = "netflix"
    domain = "movies"
    personal = True
    fields: tuple[Field, ...] = (
        Field(
            "Title",
            "the film; of `Series: Season: Episode` the series, which goes beside the films into "
            "the domain `series`",
        ),
        Field("Date, Start Time", "seen; how often, and when last"),
        Field("Duration", "viewings of less than two minutes are left apart"),
        Field("Supplemental Video Type", "trailers and the like are left apart"),
        Field(
            "Profile Name",
            "of several profiles, the one that is called as `--user` says is read",
        ),
        Field("Attributes, Device Type, Bookmark, Latest Bookmark, Country", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether the header is Title and Date alone, or that of the viewing activity.

        With more columns beside the two, the name of the file must say that it is of Netflix.
        """
        header = {_RENAMED.get(name, name) for name in preview.header}
        return (
            header == _SHORT
            or (header > _SHORT and "netflix" in preview.name)
            or header >= _FULL
            or preview.has_member("viewingactivity.csv")
            or preview.has_member("netflixviewinghistory.csv")
        )

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Read every viewing.

        Raises:
            UsageError: `user` is missing, or is none of several profiles.
            InputError: no history of Netflix, a damaged one, or one without a title.
        """
        owner = export_owner(user, "Netflix")
        import_log = ImportLog(self.kind, path, domain.name)
        with open_export(path, self._limits) as archive:
            member = next(
                (
                    archive.members[name]
                    for name in archive.members
                    if len(archive.members) == 1
                    or name.casefold().endswith(("viewingactivity.csv", "viewinghistory.csv"))
                ),
                None,
            )
            if member is None:
                archive.refuse("a history of Netflix")
            table = DelimitedTable(member, self._limits)
            rows = self._rows(table, owner, import_log)
        titles = ScreenHistory(owner, domain, import_log)
        _Reader(titles, import_log, rows).read()
        return titles.history(path)

    def _rows(
        self, table: DelimitedTable, user: str, import_log: ImportLog
    ) -> list[tuple[int, dict[str, str]]]:
        """The rows of the person's profile, with the names of columns in lower case."""
        restore_names(table, self.fields, _RENAMED)
        header = {name.casefold() for name in table.header}
        is_short = header >= _SHORT and len(header) <= len(_SHORT) + _OWN_COLUMNS
        if not is_short and not header >= _FULL:
            raise InputError(
                f"{table.path} is no history of Netflix: it has {', '.join(table.header[:20])}.",
                "It needs the columns Title and Date, or those of ViewingActivity.csv.",
            )
        rows = [
            (row, {name.casefold(): cell for name, cell in cells.items()})
            for row, cells in watched_rows(table, import_log, self.fields)
        ]
        profiles = {clean_name(cells.get("profile name")) for _, cells in rows}
        if len(profiles) < 2:
            return rows
        own = [one for one in profiles if one.casefold() == user.casefold()]
        if not own:
            raise UsageError(
                f"{table.path} holds several profiles, and none is called {user!r}.",
                f"Name one with --user: {', '.join(sorted(profiles))}.",
            )
        mine = [(row, cells) for row, cells in rows if clean_name(cells["profile name"]) in own]
        for _ in range(len(rows) - len(mine)):
            import_log.set_apart("viewings of other profiles")
        return mine


class _Reader:
    """Takes the rows of one history."""

    def __init__(
        self,
        titles: ScreenHistory,
        import_log: ImportLog,
        rows: Sequence[tuple[int, Mapping[str, str]]],
    ) -> None:
        self._titles = titles
        self._import_log = import_log
        self._rows = rows
        seen = [(clean_name(cells["title"]), _day_of(cells)) for _, cells in rows]
        self._series, films = _series_among(seen)
        if films:
            begin = join_words([f"{prefix!r}" for prefix in sorted(films)[:_TOLD]])
            import_log.tell(
                f"Titles that begin with {begin}{' and others' * (len(films) > _TOLD)} were taken "
                "for films: nothing says that they are episodes."
            )
        self._order = DayOrder((cells.get("date", "") for _, cells in rows), falls=True)

    def read(self) -> None:
        for row, cells in self._rows:
            self._take(ExportCells(row, cells, self._import_log))

    def _take(self, cells: ExportCells) -> None:
        name = clean_name(cells.raw("title"))
        if not name:
            self._import_log.drop(cells.row, "Title", "has no title")
            return
        if sort := cells.raw("supplemental video type"):
            self._import_log.set_apart(f"{clean_name(sort).casefold().replace('_', ' ')} videos")
            return
        if _seconds_of(cells.raw("duration"), _SEEN_S) < _SEEN_S:
            self._import_log.set_apart("viewings of less than two minutes")
            return
        at = cells.moment("start time") or cells.at("date", self._order.as_iso(cells.raw("date")))
        series = series_of(name) or next(
            (found for found in _prefixes(name) if found in self._series), ""
        )
        title = ScreenTitle(name=series or name, sort="series" if series else "film")
        # Several episodes bear one day: each is a viewing of its own.
        interaction = ExportInteraction(event=Event.SEEN, at=at, is_viewing=True)
        self._titles.take(cells.row, title, interaction, part=name if series else "")


def series_of(title: str) -> str:
    """The series of "Series: Season 1: Episode"; "" without a season that an episode follows."""
    parts = title.split(": ")
    for place, part in enumerate(parts[1:-1], 1):
        if _SEASON.fullmatch(part):
            return clean_name(": ".join(parts[:place]))
    return ""


def _prefixes(title: str) -> list[str]:
    parts = title.split(": ")
    return [clean_name(": ".join(parts[:count])) for count in range(1, len(parts))]


def _day_of(cells: Mapping[str, str]) -> str:
    return (cells.get("start time") or cells.get("date", "")).strip().partition(" ")[0]


def _series_among(seen: Iterable[tuple[str, str]]) -> tuple[set[str], set[str]]:
    """Find the words before the colon of several titles: of series without seasons, and of films.

    Args:
        seen: The title and the day of each viewing.
    """
    series: set[str] = set()
    names: dict[str, set[str]] = defaultdict(set)
    of_a_day: dict[tuple[str, str], set[str]] = defaultdict(set)
    for title, day in seen:
        series.add(series_of(title))
        for prefix in _prefixes(title):
            names[prefix].add(title)
            if day:
                of_a_day[prefix, day].add(title)
        before, _, behind = title.rpartition(": ")
        if _NUMBERED.fullmatch(behind):
            series.add(clean_name(before))
    series |= {prefix for (prefix, _), told in of_a_day.items() if len(told) >= _IN_A_DAY}
    series |= {prefix for prefix, told in names.items() if len(told) >= _IN_ALL}
    films = {prefix for prefix, told in names.items() if len(told) >= _TOLD} - series
    return series - {""}, films


def _seconds_of(duration: str, unknown: int) -> int:
    found = _DURATION.fullmatch(duration)
    if found is None:
        return unknown
    hours, minutes, seconds = map(int, found.groups())
    return hours * 3600 + minutes * 60 + seconds

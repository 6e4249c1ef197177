"""A person's backup from Trakt: lists of JSON, as a folder, a zip archive or one file; or a CSV.

Each entry says by its own fields what it is: a rating, a viewing, a count of plays, a place on the
watchlist. Films are films, shows series; an episode says that its series was seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from localrec.data.domains import Domain
from localrec.data.rows import Event, HistoryRows
from localrec.foundation.bounded_files import JSON, FileLimits, open_bytes, read_json
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name
from localrec.sources.archives import Archive, open_export
from localrec.sources.day_order import with_iso_days
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.export_cells import ExportCells, cells_of
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import export_owner
from localrec.sources.personal_items import ExportInteraction
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.screen_titles import ScreenHistory, ScreenTitle, Sort, clean_names
from localrec.sources.table_notes import watched_rows

_MOMENTS = ("rated_at", "watched_at", "last_watched_at", "listed_at", "collected_at", "hidden_at")
_THINGS = ('"movie"', '"show"')
_FILE_WORDS = ("watched", "ratings", "watchlist", "history")
_TABLE = {"type", "title", "trakt_id"}
_LISTS = {"dropped": Event.ABANDONED, "watchlist": Event.WANTED, "watchlists": Event.WANTED}


class TraktSource:
    """Reads one person's backup.

    Args:
        limits: Limits beyond which a file is refused.
    """

    kind = "trakt"
    domain = "movies"
    personal = True
    fields: tuple[Field, ...] = (
        Field("movie/show: title, year", "the name and `year`, the key, and a link to the decade"),
        Field(
            "movie/show: ids",
            "properties `trakt`, `imdb` and `tmdb`; the first tells titles of one name apart",
        ),
        Field("movie/show: genres, runtime", "links to genres and property `minutes`, where told"),
        Field("rating, rated_at", "the rating, 1 to 10, in stars, and when"),
        Field("watched_at", "a viewing; each counts"),
        Field("plays, last_watched_at", "how often it was seen, and when last"),
        Field("listed_at, in a file of the watchlist", "wanted"),
        Field("hidden_at, in a file of dropped shows", "given up, half a dislike"),
        Field("collected_at", "the film or series is there; owning it is no verdict"),
        Field(
            "episode, season",
            "the series was seen; their own ratings are left out, being no verdict on it",
        ),
        Field(
            "CSV: type, title, trakt_id, imdb_id, season_number, episode_number",
            "the same of a list as a table",
        ),
        Field("entries of own lists, hidden ones, comments, people", "left apart"),
        Field("action, slug, tvdb, overview, notes of the service", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether lists named after watching and rating lie in it, or it is such a list."""
        if _is_table(preview.header):
            return True
        if preview.members:
            bare = [PurePosixPath(name).name for name in preview.members if name.endswith(".json")]
            told = {word for word in _FILE_WORDS for name in bare if word in name}
            return len(told) >= 2 and any("movies" in name or "shows" in name for name in bare)
        head = preview.head
        return (
            head.lstrip("\ufeff \t\r\n").startswith(("[", "{"))
            and any(f'"{name}"' in head for name in _MOMENTS)
            and any(name in head for name in _THINGS)
            and '"ids"' in head
        )

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Read every list.

        Raises:
            UsageError: `user` is missing.
            InputError: no backup of Trakt, a damaged one, or one without a title.
        """
        owner = export_owner(user, "Trakt")
        import_log = ImportLog(self.kind, path, domain.name)
        reader = _Reader(ScreenHistory(owner, domain, import_log), import_log)
        with open_export(path, self._limits, wanted=JSON) as archive:
            is_part = archive.is_single_file
            if is_part and not _starts_as_json(path, self._limits):
                reader.read(path.name, _table_entries(path, self._limits, import_log))
            else:
                for name, entries in self._lists(archive):
                    reader.read(name, enumerate(entries, 1))
        if not reader.titles and reader.has_own_lists:
            raise InputError(
                f"{path} is a list that does not say whether its titles are wanted.",
                "Put the word watchlist into the name of the file, if it is the watchlist.",
            )
        return reader.titles.history(path).as_part(is_part)

    def _lists(self, archive: Archive) -> Iterator[tuple[str, list[Any]]]:
        """The lists of the backup with their names, viewings after all else."""
        names = [name for name in archive.members if name.casefold().endswith(".json")]
        if not names and archive.path.is_file() and len(archive.members) == 1:
            names = list(archive.members)
        if not names:
            archive.refuse("a backup of Trakt")
        found = []
        for name in names:
            told = read_json(archive.members[name], self._limits, Any)
            if isinstance(told, list):
                found.append((PurePosixPath(name).name, told))
            elif isinstance(told, dict):  # one file with all lists under their names
                found += [(one, part) for one, part in told.items() if isinstance(part, list)]
        if not any(_is_entry(entry) for _, entries in found for entry in entries):
            archive.refuse("a backup of Trakt")
        yield from found


class _Reader:
    """Takes the entries of one list after another."""

    def __init__(self, titles: ScreenHistory, import_log: ImportLog) -> None:
        self.titles = titles
        self.has_own_lists = False
        self._import_log = import_log

    def read(self, name: str, entries: Iterable[tuple[int, Any]]) -> None:
        """Take a list: its entries by their rows."""
        event = next((event for word, event in _LISTS.items() if word in name.casefold()), None)
        for row, entry in entries:
            if _is_entry(entry):
                self._take(name, row, entry, event)
            else:
                self._import_log.set_apart("entries without a film or series")

    def _take(self, name: str, row: int, entry: Mapping[str, Any], listed: Event | None) -> None:
        sort: Sort = "film" if isinstance(entry.get("movie"), dict) else "series"
        thing = entry["movie" if sort == "film" else "show"]
        title = _read_title(cells_of(row, thing, self._import_log), thing, sort)
        if not title.name:
            self._import_log.drop(row, name, "has no title")
            return
        part = _part_of(entry)
        cells = cells_of(row, entry, self._import_log)
        if "listed_at" in entry and listed is None:
            self.has_own_lists = True
            self._import_log.set_apart("places on lists of one's own")
        elif "hidden_at" in entry and listed is None:
            self._import_log.set_apart("hidden from lists")
        else:
            interaction = _read_interaction(cells, listed)
            if part and interaction is not None and interaction.event is Event.RATED:
                interaction = ExportInteraction(event=Event.SEEN, at=interaction.at)
            self.titles.take(row, title, interaction, place=name, part=part)


def _is_table(header: Iterable[str]) -> bool:
    names = {*header}
    return names >= _TABLE and not names.isdisjoint(_MOMENTS)


def _starts_as_json(path: Path, limits: FileLimits) -> bool:
    with open_bytes(path, limits, JSON) as stream:
        return stream.read(256).lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"[", b"{"))


def _table_entries(
    path: Path, limits: FileLimits, import_log: ImportLog
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The rows of a list as a table, as the entries of JSON that they are elsewhere."""
    table = DelimitedTable(path, limits)
    if not _is_table(name.casefold() for name in table.header):
        raise InputError(
            f"{path} is not a backup of Trakt: it has {', '.join(table.header[:20])}.",
            "Name the archive as it was downloaded, or the kind that it is.",
        )
    rows = (
        (row, {name.casefold(): cell.strip() for name, cell in cells.items()})
        for row, cells in watched_rows(table, import_log)
    )
    for row, cells in with_iso_days(rows, _MOMENTS, import_log):
        yield row, _as_entry(cells)


def _as_entry(cells: Mapping[str, str]) -> dict[str, Any]:
    thing = {
        "title": cells["title"],
        "year": cells.get("year"),
        "runtime": cells.get("runtime"),
        "genres": cells.get("genres", "").split(","),
        "ids": {name: cells.get(f"{name}_id") for name in ("trakt", "imdb", "tmdb")},
    }
    sort = cells["type"].casefold()
    entry: dict[str, Any] = {
        name: cells[name] for name in (*_MOMENTS, "rating", "plays", "notes") if cells.get(name)
    }
    if sort == "movie":
        entry["movie"] = thing
    elif sort in ("show", "season", "episode"):
        entry["show"] = thing
    if sort == "episode":
        season, number = cells.get("season_number"), cells.get("episode_number")
        entry["episode"] = {"season": season, "number": number}
    elif sort == "season":
        entry["season"] = {"number": cells.get("season_number")}
    return entry


def _is_entry(entry: object) -> bool:
    if not isinstance(entry, dict):
        return False
    thing = entry.get("movie") or entry.get("show")
    return isinstance(thing, dict) and any(name in entry for name in _MOMENTS)


def _part_of(entry: Mapping[str, Any]) -> str:
    """Return the season or episode that an entry is about; "" for a film or a whole series."""
    episode, season = entry.get("episode"), entry.get("season")
    if isinstance(episode, dict):
        return f"{clean_name(episode.get('season'))}x{clean_name(episode.get('number'))}"
    return f"season {clean_name(season.get('number'))}" if isinstance(season, dict) else ""


def _read_title(cells: ExportCells, thing: Mapping[str, Any], sort: Sort) -> ScreenTitle:
    told = thing.get("ids")
    ids = told if isinstance(told, dict) else {}
    trakt, imdb, tmdb = (clean_name(ids.get(name)) for name in ("trakt", "imdb", "tmdb"))
    genres = thing.get("genres")
    return ScreenTitle(
        name=clean_name(cells.raw("title")),
        sort=sort,
        year=cells.year("year"),
        identifier=trakt or imdb,
        genres=clean_names(genres if isinstance(genres, list) else ()),
        properties={
            "trakt": trakt or None,
            "imdb": imdb or None,
            "tmdb": tmdb or None,
            "minutes": cells.whole("runtime", 0, 99_999) or None,
        },
    )


def _read_interaction(cells: ExportCells, listed: Event | None) -> ExportInteraction | None:
    """Read the user's interaction from an entry; None for an item that is only owned."""
    if cells.raw("rated_at") or cells.raw("rating"):
        at = cells.moment("rated_at")
        rating = cells.score("rating", 1, 10)
        event = Event.SEEN if rating is None else Event.RATED
        return ExportInteraction(event=event, rating=rating, at=at)
    if cells.raw("watched_at"):
        return ExportInteraction(event=Event.SEEN, at=cells.moment("watched_at"), is_viewing=True)
    if cells.raw("last_watched_at") or cells.raw("plays"):
        plays = cells.whole("plays", 0, 99_999) or 1
        return ExportInteraction(event=Event.SEEN, at=cells.moment("last_watched_at"), times=plays)
    if listed is not None:
        at = cells.moment("listed_at") or cells.moment("hidden_at")
        return ExportInteraction(event=listed, at=at, note=cells.note("notes"))
    return None

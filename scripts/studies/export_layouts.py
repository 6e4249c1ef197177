"""The layouts of exports, as their services or exporters document them, for made-up rows."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from export_faults import FAULTS, Fault, Row
from export_layouts_xml import write_anime, write_games

Writer = Callable[[Path, "Layout", Sequence[Row]], Path]
_START = datetime(2019, 1, 1, 8, 30)


class Layout(msgspec.Struct, kw_only=True):
    """One layout of one kind.

    Args:
        name: What it is called in the table.
        write: Writes rows into a folder.
        columns: In the order of the file; the title's last one is never empty.
        title, rating, date, year: Columns; "" where there is none.
        event: What a good row says.
        unrated: What a row without its rating says; None where it says nothing.
        scale: The lowest and highest rating, and the step.
        day: A moment as it is written.
        step: Between the moments of two rows.
        more: The other cells of a row, by its number.
        apart: Cells that make a row one of another sort.
        counts_days: Whether a title on another day counts once more.
        last_counts: Whether the later of two equal rows counts, and the other is merged.
        file: Name of the file.
        has_header: Whether the columns are named in it.
        undated: What counts as the moment of a row whose date is none.
        every: One of so many rows has a fault.
        own_faults: Those that only this layout has, by name.
        lines: Lines of the file for each row.
        names_doubles: Whether the receipt names the rows that say the same as another one.
    """

    name: str
    write: Writer
    columns: tuple[str, ...]
    title: str
    rating: str = ""
    date: str = ""
    year: str = ""
    event: str = "rated"
    unrated: str | None = "seen"
    scale: tuple[float, float, float] = (1, 10, 1)
    day: Callable[[datetime], Any] = lambda at: at.strftime("%Y-%m-%d")
    step: timedelta = timedelta(days=1)
    is_day: bool = True
    more: Callable[[int], dict[str, Any]] = lambda number: {}
    apart: Mapping[str, Any] = {}
    counts_days: bool = False
    last_counts: bool = False
    file: str = "export.csv"
    delimiter: str = ","
    encoding: str = "utf-8"
    has_header: bool = True
    undated: datetime | None = None
    every: int = 4
    own_faults: Mapping[str, Fault] = {}
    lines: int = 1
    names_doubles: bool = True

    @property
    def planted(self) -> Mapping[str, Fault]:
        """The faults that can be planted in it, by name."""
        return {**FAULTS, **self.own_faults}

    @property
    def is_table(self) -> bool:
        """Whether rows have cells, and lines can be blank."""
        return bool(self.columns)

    @property
    def is_plain(self) -> bool:
        """Whether no cell may hold what parts cells."""
        return self.write is write_plain

    @property
    def is_xml(self) -> bool:
        """Whether control characters cannot be written."""
        return self.file.endswith(".xml")

    @property
    def first_row(self) -> int:
        """The number of the first row in a receipt."""
        return 2 if self.is_table and self.has_header else 1

    def good(self, number: int) -> Row:
        """A sound row."""
        at = _START + number * self.step
        low, high, step = self.scale
        rating = low + (number * step) % (high - low + step) if self.rating else None
        cells = {self.title: f"Tale {number:04}", **self.more(number)}
        if self.rating:
            cells[self.rating] = f"{rating:g}"
        if self.date:
            cells[self.date] = self.write_date(at)
        if self.year:
            cells[self.year] = str(1950 + number % 70)
        stars = None if rating is None else round(max(0.5, rating * 5 / high), 3)
        moment = at.replace(hour=0, minute=0) if self.is_day else at
        expected = (f"Tale {number:04}", self.event, stars, moment if self.date else None, 1)
        return Row(cells=cells, expected=expected)

    def write_date(self, at: datetime) -> Any:
        """A moment as the service writes it."""
        return self.day(at)


def write_table(folder: Path, layout: Layout, rows: Sequence[Row]) -> Path:
    """A delimited table; rows may be too long, too short or blank."""
    path = folder / layout.file
    with path.open("w", encoding=layout.encoding, errors="replace", newline="") as stream:
        writer = csv.writer(stream, delimiter=layout.delimiter)
        if layout.has_header:
            writer.writerow(layout.columns)
        for row in rows:
            cells = [row.cells.get(column, "") for column in layout.columns]
            if row.shape == "blank":
                stream.write("\r\n")
                continue
            shaped = {"long": [*cells, "more"], "short": cells[:-1], "whole": cells}
            writer.writerow(shaped[row.shape])
    return path


def write_plain(folder: Path, layout: Layout, rows: Sequence[Row]) -> Path:
    """A table in which quotes mean nothing and a cell has one line."""
    path = folder / layout.file
    lines = [layout.delimiter.join(layout.columns)] if layout.has_header else []
    for row in rows:
        cells = [str(row.cells.get(column, "")).replace("\n", " ") for column in layout.columns]
        shaped = {"long": [*cells, "more"], "short": cells[:-1], "blank": [], "whole": cells}
        lines.append(layout.delimiter.join(shaped[row.shape]))
    path.write_text("\r\n".join(lines), encoding=layout.encoding, newline="")
    return path


def write_json(folder: Path, layout: Layout, rows: Sequence[Row]) -> Path:
    """One list of objects."""
    path = folder / layout.file
    path.write_text(json.dumps([row.cells for row in rows]), encoding="utf-8")
    return path


def _seconds(at: datetime) -> str:
    return str(int((at - datetime(1970, 1, 1)).total_seconds()))


_IMDB = ("Const", "Your Rating", "Date Rated", "Title", "URL", "Title Type", "IMDb Rating")
_LISTENS: dict[str, Any] = {
    "event": "played",
    "unrated": None,
    "step": timedelta(minutes=30),
    "is_day": False,
    "counts_days": True,
}
_MOVIE = {"Title Type": "Movie", "Genres": "Drama, Sci-Fi", "Directors": "Ann Lee", "URL": "x"}


def _letterboxd(name: str, columns: str, date: str = "Date", **told: Any) -> Layout:
    return Layout(
        name=f"Letterboxd {name}",
        write=write_table,
        columns=tuple(columns.split(",")),
        title="Name",
        date=date,
        year="Year",
        scale=(0.5, 5, 0.5),
        more=lambda number: {"Letterboxd URI": f"https://boxd.it/{number:04x}", "Tags": "x"},
        **told,
    )


LAYOUTS: tuple[Layout, ...] = (
    Layout(
        name="Spotify account data",
        write=write_json,
        columns=(),
        title="trackName",
        date="endTime",
        day=lambda at: at.strftime("%Y-%m-%d %H:%M"),
        more=lambda number: {"artistName": f"Band {number:04}", "msPlayed": 180_000},
        file="StreamingHistory_music_0.json",
        **_LISTENS,
    ),
    Layout(
        name="Spotify extended history",
        write=write_json,
        columns=(),
        title="master_metadata_track_name",
        date="ts",
        day=lambda at: at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        more=lambda number: {
            "master_metadata_album_artist_name": f"Band {number:04}",
            "master_metadata_album_album_name": "Hits",
            "ms_played": 180_000,
            "skipped": None,
            "reason_end": "trackdone",
        },
        apart={"master_metadata_track_name": None, "episode_name": "Talk", "ms_played": 9},
        file="Streaming_History_Audio_2019-2020_0.json",
        **_LISTENS,
    ),
    _letterboxd(
        "ratings",
        "Date,Name,Year,Letterboxd URI,Rating",
        rating="Rating",
        unrated=None,
        file="ratings.csv",
    ),
    _letterboxd("watched", "Date,Name,Year,Letterboxd URI", event="seen", file="watched.csv"),
    _letterboxd(
        "diary",
        "Name,Year,Letterboxd URI,Rewatch,Tags,Watched Date",
        date="Watched Date",
        event="seen",
        file="diary.csv",
    ),
    _letterboxd(
        "watchlist",
        "Date,Name,Year,Letterboxd URI",
        event="wanted",
        file="watchlist.csv",
        delimiter=";",
    ),
    Layout(
        name="IMDb ratings",
        write=write_table,
        columns=(*_IMDB, "Runtime (mins)", "Year", "Genres", "Directors"),
        title="Title",
        rating="Your Rating",
        date="Date Rated",
        year="Year",
        more=lambda number: {**_MOVIE, "Const": f"tt{number + 1:07}"},
        apart={"Title Type": "Video Game"},
        file="ratings.csv",
    ),
    Layout(
        name="IMDb ratings before 2017",
        write=write_table,
        columns=(
            *("position", "const", "created", "modified", "description", "Title", "Title type"),
            *("Directors", "You rated", "IMDb Rating", "Runtime (mins)", "Year", "Genres", "URL"),
        ),
        title="Title",
        rating="You rated",
        date="created",
        year="Year",
        day=lambda at: at.strftime("%a %b %d 00:00:00 %Y"),
        more=lambda number: {
            **{"const": f"tt{number + 1:07}", "Title type": "Feature Film"},
            **{"Genres": "drama, sci_fi", "URL": "x"},
        },
        apart={"Title type": "Video Game"},
        file="ratings.csv",
    ),
    Layout(
        name="IMDb watchlist",
        write=write_table,
        columns=(
            *("Position", "Const", "Created", "Modified", "Description", "Title", "URL"),
            *("Title Type", "Year", "Genres", "Directors"),
        ),
        title="Title",
        date="Created",
        year="Year",
        event="wanted",
        more=lambda number: {**_MOVIE, "Const": f"tt{number + 1:07}"},
        apart={"Title Type": "Podcast Series"},
        file="WATCHLIST.csv",
    ),
    Layout(
        name="Netflix viewing history",
        write=write_table,
        columns=("Title", "Date"),
        title="Title",
        date="Date",
        day=lambda at: f"{at.month}/{at.day}/{at:%y}" if at.year > 1900 else "4/3/1801",
        event="seen",
        counts_days=True,
        file="NetflixViewingHistory.csv",
    ),
    Layout(
        name="Netflix viewing activity",
        write=write_table,
        columns=(
            *("Profile Name", "Start Time", "Duration", "Attributes", "Title"),
            *("Supplemental Video Type", "Device Type", "Bookmark", "Latest Bookmark", "Country"),
        ),
        title="Title",
        date="Start Time",
        day=lambda at: at.strftime("%Y-%m-%d %H:%M:%S"),
        is_day=False,
        event="seen",
        counts_days=True,
        more=lambda number: {"Profile Name": "Anna", "Duration": "01:40:00", "Country": "PT"},
        apart={"Supplemental Video Type": "TRAILER"},
        file="ViewingActivity.csv",
    ),
    *(
        Layout(
            name=f"Last.fm, {name}",
            write=write_table,
            columns=tuple(columns.split(",")),
            title=title,
            date=date,
            day=day,
            more=lambda number: {"artist": f"Band {number:04}", "album": "Hits", "x": "x"},
            has_header=has_header,
            file="plays.csv",
            **_LISTENS,
        )
        for name, columns, title, date, day, has_header in (
            ("seconds", "uts,utc_time,artist,album,track", "track", "uts", _seconds, True),
            (
                "ISO 8601",
                "artist,album,song_title,played_at",
                "song_title",
                "played_at",
                lambda at: at.strftime("%Y-%m-%dT%H:%M:%SZ"),
                True,
            ),
            (
                "date_time",
                "date_time,artist,track,album",
                "track",
                "date_time",
                lambda at: at.strftime("%Y-%m-%d %H:%M:%S"),
                True,
            ),
            (
                "no header",
                "artist,album,track,date",
                "track",
                "date",
                lambda at: at.strftime("%d %b %Y %H:%M"),
                False,
            ),
            (
                "no header, time first",
                "date,artist,track",
                "track",
                "date",
                lambda at: at.strftime("%Y-%m-%dT%H:%M:%S+00:00"),
                False,
            ),
        )
    ),
    Layout(
        name="BoardGameGeek CSV",
        write=write_table,
        columns=(
            "objectname",
            "objectid",
            "rating",
            "numplays",
            "own",
            "yearpublished",
            "itemtype",
        ),
        title="objectname",
        rating="rating",
        year="yearpublished",
        unrated="played",
        scale=(1, 10, 0.5),
        more=lambda number: {
            "objectid": str(number + 1),
            "numplays": "1",
            "itemtype": "standalone",
        },
        file="collection.csv",
    ),
    Layout(
        name="BoardGameGeek XML",
        write=write_games,
        columns=(),
        title="name",
        rating="rating",
        date="lastmodified",
        year="yearpublished",
        unrated="played",
        scale=(1, 10, 0.5),
        day=lambda at: at.strftime("%Y-%m-%d %H:%M:%S"),
        is_day=False,
        more=lambda number: {"objectid": str(number + 1), "numplays": "1"},
        file="collection.xml",
    ),
    Layout(
        name="MyAnimeList XML",
        write=write_anime,
        columns=(),
        title="series_title",
        rating="my_score",
        date="my_finish_date",
        more=lambda number: {
            "series_animedb_id": str(number + 1),
            "series_type": "TV",
            "series_episodes": "12",
            "my_status": "Completed",
            "my_start_date": "0000-00-00",
            "my_times_watched": "0",
        },
        file="animelist.xml",
    ),
)

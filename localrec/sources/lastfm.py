"""A person's plays from Last.fm, in the layouts that its exporters write: tables and JSON.

Last.fm itself exports nothing, so everybody exports in their own way. A table with a header is
known by its columns, whatever they are called; one without a header by the one cell that is a
time. Times are UTC. What is playing has no time yet and is left out. A file of loved tracks looks
like one of plays: its name, or in JSON the name of its list, says what it is.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import Event, HistoryRows
from localrec.foundation.bounded_files import (
    FileLimits,
    detect_encoding,
    open_bytes,
    open_text,
    read_json,
)
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name
from localrec.sources.day_order import with_iso_days
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.export_cells import parse_moment
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import export_owner
from localrec.sources.play_counts import PlayCounts, recording_id
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.table_notes import watched_rows

# What the exporters call their columns; the first that a header has counts.
_NAMES = {
    "artist": ("artist", "artist_name", "artist name", "artistname", "track artist"),
    "track": (
        *("track", "track_name", "track name", "trackname", "song_title", "song title"),
        *("song", "song_name", "title", "track title", "track_title", "name"),
    ),
    "album": (
        *("album", "album_name", "album name", "albumname", "album_title", "album title"),
        *("release_name", "release"),
    ),
    "time": (
        *("uts", "utc_time", "played_at", "date_time", "datetime", "timestamp", "date#username"),
        *(
            "scrobbled_at",
            "scrobble_time",
            "listened_at",
            "scrobble date",
            "play_date",
            "played at",
        ),
        *("unixtimestamp", "date", "time"),
    ),
    "mbid": ("track_mbid", "recording_mbid", "trackmbid", "mbid"),
}
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DATE = re.compile(
    rf"(\d{{1,2}}) ({'|'.join(_MONTHS)})[a-z]* (\d{{4}}),? (\d{{1,2}}):(\d\d)(?::(\d\d))?",
    re.IGNORECASE | re.ASCII,
)
_SECONDS = re.compile(r"-?\d{1,12}", re.ASCII)
_SCORE = re.compile(r"\d(?:\.\d+)?|10(?:\.0+)?", re.ASCII)
_LOOKED_AT = 20  # rows without a header
_MILLISECONDS = re.compile(r"\d{13}", re.ASCII)
_ISO = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?", re.ASCII
)
_LOVED = re.compile(r"(?<![a-z])loved")
_PLAYER_LOG = "#AUDIOSCROBBLER/"  # what Rockbox and other players write down for later
_PLAYER_CELLS = 7  # artist, album, track, its number, its length, listened or skipped, time
_LONGEST_LINE = 1 << 16
_DELIMITERS = (",", "\t", ";", "|")
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_CLOCK = re.compile(r"\d\d:\d\d(?::\d\d)?", re.ASCII)
# Where things stand in a row without a header whose time is last, or first, by its cells.
_Places = dict[str, tuple[int, ...]]
_LAST: dict[int, _Places] = {
    3: {"artist": (0,), "track": (1,), "time": (2,)},
    4: {"artist": (0,), "album": (1,), "track": (2,), "time": (3,)},
}
_FIRST: dict[int, _Places] = {
    3: {"time": (0,), "artist": (1,), "track": (2,)},
    4: {"time": (0,), "artist": (1,), "album": (2,), "track": (3,)},
}
_FOREIGN = {
    "a Letterboxd file": {"name", "letterboxd uri"},
    "a Goodreads export": {"book id", "exclusive shelf"},
    "a StoryGraph export": {"title", "read status"},
    "a table of MovieLens": {"movieid"},
}
_NEEDS = "It needs the columns artist, track and uts, or rows of artist, album, track and date."


class LastFmSource:
    """Reads one person's scrobbles from a table or a JSON file.

    Args:
        limits: Limits beyond which a file is refused.
    """

    kind = "lastfm"
    domain = "music"
    personal = True
    fields: tuple[Field, ...] = (
        Field(
            "track, track_name, song_title, song, title, name",
            "the track's name; its key is made from artist and track",
        ),
        Field("artist, artist_name", "`creator`, and a link to the artist"),
        Field("album, album_name, album_title", "`album`, and a link; the one played most"),
        Field(
            "uts, utc_time, played_at, date_time, timestamp, date, time",
            "played: how often, and when last; seconds or milliseconds since 1970, ISO 8601, or "
            "26 Nov 2023 18:05",
        ),
        Field(
            "no header",
            "artist, album, track, time; artist, track, time; the time (or day and time) first, "
            "then artist and track; or the seven columns of lastexport, seconds first, then track",
        ),
        Field("track_mbid", "property `mbid`"),
        Field(".scrobbler.log of a player", "played; what was skipped is left apart"),
        Field("a file or list named after loved tracks", "liked, and when"),
        Field("artist_mbid, album_mbid, other columns", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether a header names artist, track and time, or rows without one hold a time.

        A log of a player says by itself what it is; rows whose tracks are all numbers are ratings.
        """
        if preview.members:
            return False
        head = preview.head.lstrip("\ufeff \r\n")
        if head.startswith(_PLAYER_LOG):
            return True
        if head.startswith(("{", "[")):
            return '"scrobbles"' in head or ('"#text"' in head and '"artist"' in head)
        header = preview.header
        found = _columns_of(header)
        if {"artist", "track", "time"} <= found.keys():
            return "user_id" not in header and "userid" not in header
        lines = head.splitlines()[:_LOOKED_AT]
        return any(_are_plays(lines, delimiter) for delimiter in _DELIMITERS)

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Count the person's plays.

        Raises:
            UsageError: `user` is missing.
            InputError: no layout that is known, a damaged file, or one without a play.
        """
        owner = export_owner(user, "Last.fm")
        import_log = ImportLog(self.kind, path, domain.name)
        counter = _Counter(import_log)
        is_loved = _LOVED.search(path.name.casefold()) is not None
        if self._is_json(path):
            told = read_json(path, self._limits, Any)
            is_loved |= isinstance(told, dict) and any(map(_LOVED.search, told))
            kept = sum(counter.take(row, cells) for row, cells in _objects(path, told))
        else:
            kept = self._count_table(path, counter, import_log)
        if not counter.tally:
            raise InputError(
                f"{path} holds no play that can be kept: {import_log.first_drop()}.",
                "Each row needs an artist, a track and a time.",
            )
        interactions = tuple(counter.tally.plays(owner))
        if is_loved:
            import_log.tell("These are loved tracks: they are liked, and do not count as plays.")
            interactions = tuple(
                msgspec.structs.replace(row, event=Event.LIKED, times=1) for row in interactions
            )
        # Plays and loved tracks are two files of one history.
        return HistoryRows(
            items=counter.tally.items(domain),
            interactions=interactions,
            report=import_log.report(kept),
            is_part=True,
        )

    def _is_json(self, path: Path) -> bool:
        with open_bytes(path, self._limits) as stream:
            return stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"["))

    def _count_table(self, path: Path, counter: _Counter, import_log: ImportLog) -> int:
        with open_bytes(path, self._limits) as stream:
            is_log = stream.read(64).lstrip(b"\xef\xbb\xbf").startswith(_PLAYER_LOG.encode())
        if is_log:
            logged = _logged(path, self._limits, import_log)
            return sum(counter.take(row, played) for row, played in logged)
        table, columns = self._open(path)
        times = [name for name in table.header if name.casefold() in _NAMES["time"]]
        kept = 0
        rows = watched_rows(table, import_log)
        for row, cells in with_iso_days(rows, times, import_log):
            told = {name: " ".join(cells[one] for one in ones) for name, ones in columns.items()}
            if len(times) > 1 and seconds_of(told["time"].strip()) is None:
                told["time"] = _first_time([cells[one] for one in times]) or told["time"]
            kept += counter.take(row, told)
        return kept

    def _open(self, path: Path) -> tuple[DelimitedTable, dict[str, tuple[str, ...]]]:
        """The table, and for artist, track, album, time and mbid the columns that tell it."""
        encoding = detect_encoding(path, self._limits)
        with open_text(path, self._limits, encoding) as stream:
            line = stream.readline(_LONGEST_LINE)
        for delimiter in _DELIMITERS:
            cells = _cells_of(line, delimiter)
            columns = _columns_of([name.casefold() for name in cells])
            if {"artist", "track", "time"} <= columns.keys():
                table = DelimitedTable(path, self._limits, delimiter=delimiter)
                return table, {name: (table.header[place],) for name, place in columns.items()}
            if (places := _places_of(cells)) is not None:
                return _named_table(path, self._limits, delimiter, len(cells), places)
        first = _cells_of(line, DelimitedTable(path, self._limits, header=("",)).delimiter)
        names = {name.casefold() for name in first}
        looks = next((kind for kind, known in _FOREIGN.items() if known <= names), None)
        shown = ", ".join(name.casefold() for name in first[:40])
        told = f"it looks like {looks}" if looks else f"its first row is {shown}"
        raise InputError(f"{path} is not a history of Last.fm: {told}.", _NEEDS)


def _objects(path: Path, told: Any) -> Iterator[tuple[int, dict[str, str]]]:
    """The scrobbles of a JSON file: of lastfmstats, or pages of Last.fm's own interface."""
    scrobbles = list(_scrobbles_in(told, 4))
    if not scrobbles:
        raise InputError(f"{path} is not a history of Last.fm: it holds no scrobbles.", _NEEDS)
    for row, one in enumerate(scrobbles, 1):
        lower = {str(name).casefold(): _text_of(value) for name, value in one.items()}
        columns = _columns_of(list(lower))
        names = list(lower)
        yield row, {name: lower[names[place]] for name, place in columns.items()}


def _logged(
    path: Path, limits: FileLimits, import_log: ImportLog
) -> Iterator[tuple[int, dict[str, str]]]:
    """The tracks that a player logged and that were not skipped."""
    with open_text(path, limits, detect_encoding(path, limits)) as lines:
        for row, line in enumerate(lines, 1):
            cells = line.rstrip("\r\n").split("\t")
            if line.startswith("#") or not line.strip():
                continue
            if len(cells) < _PLAYER_CELLS:
                told = f"has {len(cells)} cells where {_PLAYER_CELLS} belong"
                import_log.drop(row, None, told)
                continue
            artist, album, track, _, _, mark, time, *ids = cells
            if mark == "S":
                import_log.set_apart("tracks that were skipped")
                continue
            named = {"artist": artist, "album": album, "track": track, "time": time}
            yield row, {**named, "mbid": "".join(ids[:1])}


def _named_table(
    path: Path, limits: FileLimits, delimiter: str, count: int, places: _Places
) -> tuple[DelimitedTable, dict[str, tuple[str, ...]]]:
    """A table without a header, its columns called after what they hold."""
    header = [f"column {place}" for place in range(1, count + 1)]
    for role, (place, *_) in places.items():
        header[place] = "date" if role == "time" else role
    table = DelimitedTable(path, limits, delimiter=delimiter, header=header)
    return table, {name: tuple(header[one] for one in ones) for name, ones in places.items()}


class _Counter:
    """Counts the plays of one file, told by row."""

    def __init__(self, import_log: ImportLog) -> None:
        self._import_log = import_log
        self.tally = PlayCounts()

    def take(self, row: int, cells: Mapping[str, str]) -> bool:
        """Count a row; False where it was dropped or merged (the receipt says why)."""
        time = cells.get("time", "").strip()
        if not time:
            # The exporters put the track that is playing at the top, without a time.
            self._import_log.drop(row, "date", "has no time")
            return False
        try:
            track = self.tally.find(cells.get("artist", ""), cells.get("track", ""))
        except ValueError as error:
            self._import_log.drop(row, None, str(error))
            return False
        if not self.tally.count(track, self._read_time(row, time), cells.get("album")):
            told = f"is the same play as an earlier one: {track.name}"
            self._import_log.merge(row, None, told)
            return False
        track.mbid = track.mbid or recording_id(cells.get("mbid"))
        return True

    def _read_time(self, row: int, time: str) -> int | None:
        at_s = seconds_of(time)
        problem = "is no time" if at_s is None else self.tally.moment_problem(at_s)
        if problem is None:
            return at_s
        told = f"{clean_name(time)!r} {problem}; counted without it"
        self._import_log.repair(row, "date", told)
        return None


def seconds_of(time: str) -> int | None:
    """Seconds since 1970 of a time in any of the notations; None for anything else."""
    if _SECONDS.fullmatch(time):
        return int(time)
    if _MILLISECONDS.fullmatch(time):
        return int(time) // 1000
    found = _DATE.fullmatch(time)
    if found is None:
        at = parse_moment(time) if _ISO.fullmatch(time) or _DAY.fullmatch(time) else None
        return None if at is None else int(at.replace(tzinfo=UTC).timestamp())
    month = _MONTHS.index(found[2].lower()) + 1
    day, year, hour, minute, second = (int(found[place] or 0) for place in (1, 3, 4, 5, 6))
    try:
        at = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:
        return None  # the 31st of February
    return int(at.timestamp())


def _first_time(cells: Iterable[str]) -> str | None:
    """The first of several cells that holds a time; a spreadsheet may have spoilt the others."""
    return next((cell for cell in cells if seconds_of(cell.strip()) is not None), None)


def _cells_of(line: str, delimiter: str) -> list[str]:
    """The cells of a first line, cleaned; none where it is no line of a table."""
    try:
        return [clean_name(cell) for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:  # a carriage return or a NUL in the middle: a program, a picture
        return []


def _columns_of(header: Sequence[str]) -> dict[str, int]:
    """Artist, track, album, time, mbid -> the place of the column, as far as it is there."""
    bare = [name.split("#")[0] if name.startswith("date#") else name for name in header]
    return {
        what: bare.index(found)
        for what, names in _NAMES.items()
        if (found := next((name for name in names if name in bare), None))
    }


def _places_of(cells: Sequence[str]) -> _Places | None:
    """Find artist, track, album and time in a row without a header; None for another row."""
    count = len(cells)
    if count < 3 or count > 8:
        return None
    # It is playing now. A title above a table leaves its other cells empty as well.
    if count == 4 and cells[2] and not cells[-1] and not any(map(_is_time, cells)):
        return {"artist": (0,), "album": (1,), "track": (2,), "time": (3,)}
    if count == 4 and _DAY.fullmatch(cells[0]) and _CLOCK.fullmatch(cells[1]):
        return {"time": (0, 1), "artist": (2,), "track": (3,)}
    if count == 7 and _SECONDS.fullmatch(cells[0]):  # lastexport
        return {"time": (0,), "track": (1,), "artist": (2,), "album": (3,), "mbid": (4,)}
    if _is_time(cells[-1]) and not any(map(_is_time, cells[:-1])):
        return _LAST.get(count)
    if _is_time(cells[0]) and not any(map(_is_time, cells[1:])):
        return _FIRST.get(count)
    return None


def _are_plays(lines: Sequence[str], delimiter: str) -> bool:
    """Whether the first row without a header is a play; where all tracks are scores, none is."""
    rows = [_cells_of(line, delimiter) for line in lines]
    places = _places_of(rows[0]) if rows else None
    if places is None:
        return False
    (track,) = places["track"]
    told = [row[track] for row in rows if len(row) == len(rows[0])]
    return not all(map(_SCORE.fullmatch, told))


def _is_time(cell: str) -> bool:
    if _DATE.fullmatch(cell) or _ISO.fullmatch(cell):
        return True
    return bool(re.fullmatch(r"1\d{9}(?:\d{3})?", cell, re.ASCII)) and seconds_of(cell) is not None


def _scrobbles_in(told: Any, depth: int) -> Iterator[dict[str, Any]]:
    """Objects with an artist, however the pages around them are stacked."""
    if isinstance(told, list):
        for one in told:
            yield from _scrobbles_in(one, depth)
    elif isinstance(told, dict):
        if "artist" in told and ({"track", "name", "title"} & told.keys()):
            yield told
        elif depth:
            for one in told.values():
                if isinstance(one, list | dict):
                    yield from _scrobbles_in(one, depth - 1)


def _text_of(value: Any) -> str:
    """A value as text; Last.fm's interface wraps names and times into objects."""
    if isinstance(value, dict):
        return next((str(value[name]) for name in ("uts", "#text", "name") if name in value), "")
    if value is None or isinstance(value, bool | list):
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()

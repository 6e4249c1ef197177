"""A person's plays from Last.fm, as the common exporters write them: CSV in two layouts.

The one has no header: artist, album, track, and the minute ("26 Nov 2023 18:05"). The other has
one, with the second as `uts` and ids of MusicBrainz. Times are UTC in both. Last.fm itself
exports nothing, so a file is known by its columns only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from localrec.data.domains import Domain
from localrec.data.rows import HistoryRows
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import export_owner
from localrec.sources.play_counts import PlayCounts, recording_id
from localrec.sources.protocols import Field, FilePreview

_BARE = ("artist", "album", "track", "date")
_TIMES = ("uts", "utc_time", "date")  # the first that a header has counts
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DATE = re.compile(
    rf"(\d{{1,2}}) ({'|'.join(_MONTHS)}) (\d{{4}}),? (\d{{1,2}}):(\d\d)",
    re.IGNORECASE | re.ASCII,
)
_SECONDS = re.compile(r"-?\d{1,12}", re.ASCII)
_FOREIGN = {
    "a Letterboxd file": {"name", "letterboxd uri"},
    "a Goodreads export": {"book id", "exclusive shelf"},
    "a StoryGraph export": {"title", "read status"},
    "a table of MovieLens": {"movieid"},
}


class LastFmSource:
    """Reads one person's scrobbles from a CSV file.

    Args:
        limits: What is refused as too large.
    """

    kind = "lastfm"
    domain = "music"
    personal = True
    fields: tuple[Field, ...] = (
        Field("track", "the track's name; its key is made from artist and track"),
        Field("artist", "`creator`, and a link to the artist"),
        Field("album", "`album`, and a link; the one played most"),
        Field("uts, utc_time, date (the fourth cell)", "played: how often, and when last"),
        Field("track_mbid", "property `mbid`"),
        Field("artist_mbid, album_mbid", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether the first line is the header, or four cells that end in a minute."""
        header = preview.header
        return {"uts", "artist", "track"} <= set(header) or (
            len(header) == len(_BARE) and _DATE.fullmatch(header[-1]) is not None
        )

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Count the person's plays.

        Raises:
            UsageError: `user` is missing.
            InputError: neither layout, a damaged file, or one without a play.
        """
        person = export_owner(user, "Last.fm")
        import_log = ImportLog(self.kind, path, domain.name)
        table = self._open(path)
        counter = _Counter(table, import_log)
        kept = sum(counter.take(row, cells) for row, cells in table.rows())
        for row, problem in table.ragged:
            import_log.drop(row, None, problem)
        if not counter.tally:
            raise InputError(
                f"{path} holds no play that can be kept: {import_log.first_drop()}.",
                "Each row needs an artist, a track and a time.",
            )
        return HistoryRows(
            items=counter.tally.items(domain),
            interactions=tuple(counter.tally.plays(person)),
            report=import_log.report(kept),
        )

    def _open(self, path: Path) -> DelimitedTable:
        bare = DelimitedTable(path, self._limits, delimiter=",", header=_BARE)
        first = bare.first_record()
        names = [clean_name(cell).casefold() for cell in first]
        if {"artist", "track"} <= set(names) and set(_TIMES) & set(names):
            return DelimitedTable(path, self._limits, delimiter=",")
        if len(first) == len(_BARE) and (not names[-1] or _DATE.fullmatch(names[-1])):
            return bare
        looks = next((kind for kind, known in _FOREIGN.items() if known <= set(names)), None)
        told = f"it looks like {looks}" if looks else f"its first row is {', '.join(names)}"
        raise InputError(
            f"{path} is not a history of Last.fm: {told}.",
            "It needs the columns artist, track and uts, or rows of artist, album, track and date.",
        )


class _Counter:
    """Counts the plays of one file, told by row."""

    def __init__(self, table: DelimitedTable, import_log: ImportLog) -> None:
        self._import_log = import_log
        self._time = next(name for name in _TIMES if name in table.header)
        self.tally = PlayCounts()

    def take(self, row: int, cells: Mapping[str, str]) -> bool:
        """Count a row; False where it was dropped or merged (the receipt says why)."""
        time = cells[self._time].strip()
        if not time:
            # The exporters put the track that is playing at the top, without a time.
            self._import_log.drop(row, self._time, "has no time")
            return False
        try:
            track = self.tally.find(cells["artist"], cells["track"])
        except ValueError as error:
            self._import_log.drop(row, None, str(error))
            return False
        if not self.tally.count(track, self._read_time(row, time), cells.get("album")):
            told = f"is the same play as an earlier one: {track.name}"
            self._import_log.merge(row, None, told)
            return False
        track.mbid = track.mbid or recording_id(cells.get("track_mbid"))
        return True

    def _read_time(self, row: int, time: str) -> int | None:
        at_s = seconds_of(time)
        problem = "is no time" if at_s is None else self.tally.moment_problem(at_s)
        if problem is None:
            return at_s
        told = f"{clean_name(time)!r} {problem}; counted without it"
        self._import_log.repair(row, self._time, told)
        return None


def seconds_of(time: str) -> int | None:
    """Seconds since 1970 of "1701021900" or "26 Nov 2023 18:05" (UTC); None for anything else."""
    if _SECONDS.fullmatch(time):
        return int(time)
    found = _DATE.fullmatch(time)
    if found is None:
        return None
    month = _MONTHS.index(found[2].lower()) + 1
    day, year, hour, minute = (int(found[place]) for place in (1, 3, 4, 5))
    try:
        at = datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError:
        return None  # the 31st of February
    return int(at.timestamp())

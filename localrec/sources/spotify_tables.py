"""Tables of Spotify's: a history of streams that was saved as CSV, and a playlist by Exportify.

Who turns the history into a table keeps the names of its fields, or cuts them down a little. Of
the other columns nothing is read: addresses among them tell where somebody was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from localrec.foundation.bounded_files import FileLimits, open_bytes
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name
from localrec.sources.day_order import with_iso_days
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.import_log import ImportLog
from localrec.sources.table_notes import watched_rows

# Field of the extended history -> what tables call it, in lower case.
_FIELDS = {
    "ts": ("ts", "endtime", "end_time"),
    "ms_played": ("ms_played", "msplayed"),
    "master_metadata_track_name": ("master_metadata_track_name", "track_name", "trackname"),
    "master_metadata_album_artist_name": (
        *("master_metadata_album_artist_name", "artist_name", "artistname"),
    ),
    "master_metadata_album_album_name": ("master_metadata_album_album_name", "album_name"),
    "episode_name": ("episode_name",),
    "audiobook_title": ("audiobook_title",),
    "reason_end": ("reason_end",),
}
_NEEDED = tuple(_FIELDS)[:4]
_PLAYLIST = ("track name", "artist name(s)")


class PlaylistTrack(msgspec.Struct, frozen=True):
    """A row of a playlist."""

    title: str
    artists: tuple[str, ...]
    album: str
    added_at: str


def is_history(header: Sequence[str]) -> bool:
    """Whether a header, in lower case, is that of a history of streams."""
    return all(_column_of(field, header) for field in _NEEDED)


def is_playlist(header: Sequence[str]) -> bool:
    """Whether a header, in lower case, is that of a playlist by Exportify."""
    return {*_PLAYLIST} <= {*header}


def open_table(path: Path, limits: FileLimits) -> DelimitedTable | None:
    """The table in a file; None where the file holds JSON.

    Raises:
        InputError: a table of another sort, or no text.
    """
    with open_bytes(path, limits) as stream:
        start = stream.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith((b"[", b"{")):
        return None
    table = DelimitedTable(path, limits)
    header = _lower(table)
    if not is_history(header) and not is_playlist(header):
        raise InputError(
            f"{path} is not a Spotify export: it has {', '.join(table.header[:20])}.",
            "Name the archive as it was downloaded, or the kind that it is.",
        )
    return table


def streams_of(
    table: DelimitedTable, import_log: ImportLog
) -> Iterator[tuple[int, dict[str, str]]]:
    """The streams of a history with their rows, under the names of the extended history."""
    names = dict(zip(_lower(table), table.header, strict=True))
    columns = {
        field: names[found] for field in _FIELDS if (found := _column_of(field, list(names)))
    }
    rows = with_iso_days(watched_rows(table, import_log), (columns["ts"],), import_log)
    for row, cells in rows:
        told = {field: cells[name].strip() for field, name in columns.items()}
        yield row, {field: cell for field, cell in told.items() if cell}


def tracks_of(table: DelimitedTable, import_log: ImportLog) -> Iterator[tuple[int, PlaylistTrack]]:
    """The tracks of a playlist with their rows."""
    for row, cells in watched_rows(table, import_log):
        told = {name.casefold(): cell.strip() for name, cell in cells.items()}
        yield (
            row,
            PlaylistTrack(
                title=told["track name"],
                artists=_artists(told["artist name(s)"], told.get("artist uri(s)", "")),
                album=told.get("album name", ""),
                added_at=told.get("added at", ""),
            ),
        )


def _artists(names: str, addresses: str) -> tuple[str, ...]:
    """The artists of a track, parted at semicolons, or at commas where each has an address.

    "Tyler, The Creator" has one address, and is one.
    """
    parts = names.split(";") if ";" in names else names.split(", ")
    if ";" not in names and len(parts) != len(addresses.split(",")):
        parts = [names]
    return tuple(filter(None, map(clean_name, parts)))


def _column_of(field: str, header: Sequence[str]) -> str:
    return next((name for name in _FIELDS[field] if name in header), "")


def _lower(table: DelimitedTable) -> list[str]:
    return [name.casefold() for name in table.header]

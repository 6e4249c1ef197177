"""A person's streams from Spotify: the account data, the extended history, or both; or a table.

The account data holds a year of `StreamingHistory*.json`, the extended history all years of
`endsong_*.json` or `Streaming_History_Audio_*.json`. Where both tell of one stream it counts once.
Either may have been saved as a table, and Exportify writes playlists.
A stream of less than 30 seconds is a skip, as it is for Spotify itself, unless the track is that
short and ended; a track that was only ever skipped is for later.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from datetime import UTC
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import Event, HistoryRows, InteractionRow
from localrec.foundation.bounded_files import JSON, FileLimits, read_json
from localrec.foundation.errors import InputError
from localrec.foundation.json_words import json_problem
from localrec.foundation.text import clean_name
from localrec.sources.archives import Archive, Member, open_export
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.export_cells import parse_moment
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import export_owner
from localrec.sources.play_counts import PlayCounts, Track, from_seconds, track_key
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.spotify_tables import (
    PlaylistTrack,
    is_history,
    is_playlist,
    open_table,
    streams_of,
    tracks_of,
)

_ACCOUNT = re.compile(r"streaminghistory(?:_music_)?\d*\.json", re.IGNORECASE)
_EXTENDED = re.compile(
    r"(?:endsong(?:_\d+)?|streaming_history_audio(?:_[\d-]+)*)\.json", re.IGNORECASE
)
_OTHER = re.compile(r"streaming_?history_?(?:podcast|video|audiobook).*\.json", re.IGNORECASE)
_LIBRARY = "yourlibrary.json"
_HEARD_MS = 30_000
_SECONDS = re.compile(r"1\d{9}(?:\d{3})?", re.ASCII)  # since 1970, or milliseconds


class _Stream(msgspec.Struct, gc=False):
    """One stream, in the names of either layout."""

    endTime: str | None = None
    artistName: str | None = None
    trackName: str | None = None
    msPlayed: float | str | None = None
    ts: str | int | None = None
    ms_played: float | str | None = None
    master_metadata_track_name: str | None = None
    master_metadata_album_artist_name: str | None = None
    master_metadata_album_album_name: str | None = None
    episode_name: str | None = None
    podcastName: str | None = None
    audiobook_title: str | None = None
    reason_end: str | None = None


class _LibraryTrack(msgspec.Struct, gc=False):
    artist: str
    track: str
    album: str | None = None


class _Library(msgspec.Struct, gc=False):
    tracks: list[msgspec.Raw] = []
    bannedTracks: list[msgspec.Raw] = []


class SpotifySource:
    """Reads one person's export: a zip archive, its folder, or one of its files.

    Args:
        limits: Limits beyond which a file is refused.
    """

    kind = "spotify"
    domain = "music"
    personal = True
    fields: tuple[Field, ...] = (
        Field(
            "trackName, master_metadata_track_name",
            "the track's name; its key is made from artist and track",
        ),
        Field(
            "artistName, master_metadata_album_artist_name", "`creator`, and a link to the artist"
        ),
        Field("master_metadata_album_album_name", "`album`, and a link; the one played most"),
        Field("endTime, ts", "played: how often, and when last"),
        Field(
            "msPlayed, ms_played, reason_end",
            "less than 30 seconds is a skip, unless the track was over; a track that was only "
            "skipped is for later",
        ),
        Field("YourLibrary.json: tracks", "liked"),
        Field("YourLibrary.json: bannedTracks", "disliked"),
        Field("episode_name, audiobook_title, streams without a track", "left apart"),
        Field(
            "a playlist by Exportify: Track Name, Artist Name(s), Added At",
            "liked in a file named after liked songs, else played once",
        ),
        Field("skipped, platform, country, addresses, other files", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether a history of streams lies in it, or its first stream or header is of one."""
        if preview.members:
            return any(_is_history(name) for name in preview.members)
        head = preview.head.lstrip("\ufeff \r\n")
        if is_history(preview.header) or is_playlist(preview.header):
            return True
        return head.startswith("[") and (
            ('"endTime"' in head and '"msPlayed"' in head)
            or ('"ms_played"' in head and '"master_metadata_track_name"' in head)
        )

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Count the person's plays and skips.

        Raises:
            UsageError: `user` is missing.
            InputError: no export of Spotify, a damaged one, or one without a track.
        """
        owner = export_owner(user, "Spotify")
        with open_export(path, self._limits, wanted=JSON) as archive:
            reader = _Reader(ImportLog(self.kind, path, domain.name), self._limits)
            is_part = archive.is_single_file
            if is_part and (table := open_table(path, self._limits)):
                reader.read_table(table)
            else:
                reader.read(archive)
        if not reader.tally:
            raise InputError(
                f"{path} holds no track that can be kept: {reader.import_log.first_drop()}.",
                "Name the files of music, or export again, once there is a stream to export.",
            )
        return HistoryRows(
            items=reader.tally.items(domain),
            interactions=tuple(reader.interactions(owner)),
            report=reader.import_log.report(reader.kept),
            is_part=is_part,
        )


class _Reader:
    """Reads the files of one export."""

    def __init__(self, import_log: ImportLog, limits: FileLimits) -> None:
        self._limits = limits
        self._skips: dict[str, list[int | None]] = {}
        self._marks: dict[str, Event] = {}
        self.import_log = import_log
        self.tally = PlayCounts()
        self.kept = 0

    def read(self, archive: Archive) -> None:
        """Count all streams; the extended history first, since it tells the second."""
        named = {name: PurePosixPath(name).name for name in archive.members}
        alone = list(named) if archive.path.is_file() and len(named) == 1 else []
        extended = [name for name, bare in named.items() if _EXTENDED.fullmatch(bare)]
        account = [name for name, bare in named.items() if _ACCOUNT.fullmatch(bare)]
        libraries = [name for name, bare in named.items() if bare.casefold() == _LIBRARY]
        if not extended and not account and not libraries:
            extended = alone  # a file of another name proves itself by its fields
        if not extended and not account:
            archive.refuse("a Spotify export")
        for name in (*extended, *account):
            self._count_streams(PurePosixPath(name).name, archive.members[name])
        for name in libraries:
            self._read_library(archive.members[name])
        if any(_OTHER.fullmatch(bare) for bare in named.values()):
            self.import_log.tell("Files of podcasts, videos and audiobooks were left out.")
        self._tell_skips()

    def read_table(self, table: DelimitedTable) -> None:
        """Count the streams of a table, or take the tracks of a playlist."""
        name = Path(str(table.path)).name
        if is_history([column.casefold() for column in table.header]):
            for row, told in streams_of(table, self.import_log):
                self._take(name, row, msgspec.convert(told, _Stream))
            self._tell_skips()
            return
        is_liked = "liked" in name.casefold()
        for row, track in tracks_of(table, self.import_log):
            self._take_listed(name, row, track, is_liked=is_liked)
        if not is_liked:
            self.import_log.tell("Each track of the playlist counts as played once.")

    def _tell_skips(self) -> None:
        if self._skips:
            count = sum(map(len, self._skips.values()))
            self.import_log.tell(
                f"{count:,} stream{'s'[: count > 1]} of less than 30 seconds: "
                "counted as skips, not as plays."
            )

    def interactions(self, user: str) -> Iterator[InteractionRow]:
        """Plays, tracks that were only ever skipped, and what the person marked."""
        heard = set()
        for row in self.tally.plays(user):
            heard.add(row.item)
            yield row
        for key, moments in self._skips.items():
            if key not in heard and key not in self._marks:
                last = max((at for at in moments if at is not None), default=None)
                at = None if last is None else from_seconds(last)
                yield InteractionRow(
                    user=user, item=key, event=Event.LATER, at=at, times=len(moments)
                )
        for key, event in self._marks.items():
            yield InteractionRow(user=user, item=key, event=event)

    def _count_streams(self, name: str, member: Member) -> None:
        entries = read_json(member, self._limits, list[msgspec.Raw])
        for row, raw in enumerate(entries, 1):
            try:
                stream = msgspec.json.decode(raw, type=_Stream)
            except msgspec.ValidationError as error:
                self.import_log.drop(row, name, f"cannot be used: {json_problem(error)}")
                continue
            self._take(name, row, stream)

    def _take(self, name: str, row: int, stream: _Stream) -> None:
        title = stream.trackName if stream.ms_played is None else stream.master_metadata_track_name
        artist = stream.artistName or stream.master_metadata_album_artist_name
        if stream.podcastName is not None:
            self.import_log.set_apart("episodes of podcasts")
            return
        if title is None and stream.ms_played is not None:
            self.import_log.set_apart(_sort_of(stream))
            return
        played_ms = _number(stream.msPlayed if stream.ms_played is None else stream.ms_played)
        if played_ms is None or played_ms < 0:
            self.import_log.drop(row, name, "does not say how long it was played")
            return
        try:
            track = self.tally.find(artist or "", title or "")
        except ValueError as error:
            self.import_log.drop(row, name, str(error))
            return
        column = "ts" if stream.ts else "endTime"
        at_s = self._read_moment(name, row, column, str(stream.ts or stream.endTime or ""))
        if played_ms < _HEARD_MS and stream.reason_end != "trackdone":
            self._skip(name, row, track, at_s)
        elif self._is_told_already(track, at_s, stream) or not self.tally.count(
            track, at_s, stream.master_metadata_album_album_name
        ):
            told = f"is the same stream as an earlier one: {track.name}"
            self.import_log.merge(row, name, told)
        else:
            self.kept += 1

    def _take_listed(self, name: str, row: int, listed: PlaylistTrack, *, is_liked: bool) -> None:
        artist = next(iter(listed.artists), "")
        try:
            track = self.tally.find(artist, listed.title)
        except ValueError as error:
            self.import_log.drop(row, name, str(error))
            return
        track.artists = track.artists or listed.artists
        key = track_key(track.artist, track.title)
        at_s = self._read_moment(name, row, "Added At", listed.added_at)
        if is_liked:
            is_new = key not in self._marks
            self._marks[key] = Event.LIKED
            track.albums.setdefault(listed.album, 1)
        else:
            is_new = not track.times and self.tally.count(track, at_s, listed.album)
        if is_new:
            self.kept += 1
        else:
            self.import_log.merge(row, name, f"is in the list before: {track.name}")

    def _skip(self, name: str, row: int, track: Track, at_s: int | None) -> None:
        skips = self._skips.setdefault(track_key(track.artist, track.title), [])
        if at_s is not None and at_s in skips:
            told = f"is the same skip as an earlier one: {track.name}"
            self.import_log.merge(row, name, told)
            return
        skips.append(at_s)
        self.kept += 1

    def _is_told_already(self, track: Track, at_s: int | None, stream: _Stream) -> bool:
        """Whether the extended history tells of a stream that the account data tells by minute."""
        if at_s is None or stream.ts is not None:
            return False
        place = bisect_left(track.seconds, at_s)
        return place < len(track.seconds) and track.seconds[place] < at_s + 60

    def _read_moment(self, name: str, row: int, column: str, told: str) -> int | None:
        at = parse_moment(told.removesuffix(" UTC"))
        if at is None and _SECONDS.fullmatch(told):
            at = from_seconds(int(told[:10]))
        at_s = None if at is None else int(at.replace(tzinfo=UTC).timestamp())
        problem = "is no time" if at_s is None else self.tally.moment_problem(at_s)
        if problem is None:
            return at_s
        self.import_log.repair(
            row, f"{name}: {column}", f"{clean_name(told)!r} {problem}; counted without it"
        )
        return None

    def _read_library(self, member: Member) -> None:
        library = read_json(member, self._limits, _Library)
        marked = ((library.tracks, Event.LIKED), (library.bannedTracks, Event.DISLIKED))
        for entries, event in marked:
            for row, raw in enumerate(entries, 1):
                self._mark(row, raw, event)

    def _mark(self, row: int, raw: msgspec.Raw, event: Event) -> None:
        try:
            told: Any = msgspec.json.decode(raw, type=_LibraryTrack)
            track = self.tally.find(told.artist, told.track)
        except (msgspec.ValidationError, ValueError) as error:
            self.import_log.drop(row, "YourLibrary.json", json_problem(error))
            return
        key = track_key(track.artist, track.title)
        if key in self._marks:
            self.import_log.merge(row, "YourLibrary.json", f"is marked before: {track.name}")
            return
        self._marks[key] = event
        self.kept += 1


def _number(told: float | str | None) -> float | None:
    """A number, also where an exporter wrote it as a text."""
    try:
        value = float("nan" if told is None else told)
    except ValueError:
        return None
    return value if isfinite(value) else None


def _is_history(name: str) -> bool:
    bare = PurePosixPath(name).name
    return bool(_ACCOUNT.fullmatch(bare) or _EXTENDED.fullmatch(bare))


def _sort_of(stream: _Stream) -> str:
    if stream.episode_name:
        return "episodes of podcasts"
    return "audiobooks" if stream.audiobook_title else "streams without a track"

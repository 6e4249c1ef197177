"""A person's listens from ListenBrainz's export: the zip archive, its folder, or one file of it.

A file by itself may also be the older export or an answer of the interface, each one value of JSON.
Else the listens lie in JSON Lines, one file a month. They are decoded a block at a time into just
the fields that are used, and only counts per track stay: half a million lines need no more memory
than their tracks. A line that is no JSON refuses the export; a listen without artist or title,
or at an impossible time, costs or mends that line alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import Event, HistoryRows, InteractionRow
from localrec.foundation.bounded_files import (
    JSON_LINES,
    ExpectedFile,
    FileLimits,
    open_bytes,
    read_json,
)
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name, clean_text
from localrec.sources.archives import Archive, Member, open_export
from localrec.sources.import_log import ImportLog
from localrec.sources.personal_export import export_owner
from localrec.sources.play_counts import PlayCounts, Track, from_seconds, recording_id, track_key
from localrec.sources.protocols import Field, FilePreview

_LISTENS = re.compile(r"listens/(?P<year>\d{4})/(?P<month>\d{1,2})\.jsonl", re.ASCII)
_FEEDBACK = "feedback.jsonl"
_PINS = "pinned_recording.jsonl"
_EXPORT = ExpectedFile(
    "an export in a zip archive",
    ".jsonl.gz",
    "Name the archive as it was downloaded, or the folder it was unpacked to.",
)
_TOP = ("user.json", _FEEDBACK, _PINS, "listens")
_LISTEN_FIELDS = ("track_metadata", "artist_name", "track_name")
_BLOCK = 1 << 20
_MOST_TAGS = 20
_NEVER = datetime.min
_T = TypeVar("_T")
_NOTHING = msgspec.Raw(b"null")
_EVENTS = {1: Event.LIKED, -1: Event.DISLIKED}


class _Artist(msgspec.Struct, gc=False):
    artist_credit_name: str = ""


class _Details(msgspec.Struct, gc=False):
    """The track as the player sent it, or as ListenBrainz matched it."""

    recording_mbid: Any = None
    artists: list[_Artist] | None = None
    tags: list[str] | None = None


class _Metadata(msgspec.Struct, gc=False):
    """Names; the details stay undecoded, since they count once per track, not once per listen."""

    artist_name: str
    track_name: str
    release_name: str | None = None
    additional_info: msgspec.Raw = _NOTHING
    mbid_mapping: msgspec.Raw = _NOTHING


class _Listen(msgspec.Struct, gc=False):
    listened_at: float | None
    track_metadata: _Metadata
    recording_msid: str | None = None


class _Payload(msgspec.Struct, gc=False):
    listens: list[msgspec.Raw]


class _Answer(msgspec.Struct, gc=False):
    """The answer of the interface to a question for listens."""

    payload: _Payload


class _Mark(msgspec.Struct, gc=False):
    """A line about a track itself: feedback or a pin."""

    created: float | None = None
    score: int | None = None
    blurb_content: str | None = None
    recording_mbid: str | None = None
    recording_msid: str | None = None
    track_metadata: _Metadata | None = None

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids by which a listen may tell what is marked."""
        return tuple(filter(None, (self.recording_mbid, self.recording_msid)))


class ListenBrainzSource:
    """Reads one person's export.

    Args:
        limits: Limits beyond which a file is refused.
    """

    kind = "listenbrainz"
    domain = "music"
    personal = True
    fields: tuple[Field, ...] = (
        Field("listens/YYYY/M.jsonl: listened_at", "played: how often, and when last"),
        Field("a file of listens by itself", "lines, a list, or an answer of the interface"),
        Field("track_metadata.track_name", "the track's name; its key is made from both names"),
        Field("track_metadata.artist_name", "`creator`, and a link to the artist"),
        Field("track_metadata.release_name", "`album`, and a link; the one played most"),
        Field("mbid_mapping.recording_mbid, additional_info.recording_mbid", "property `mbid`"),
        Field("mbid_mapping.artists", "links to each artist of a joint work"),
        Field("additional_info.tags", "links to tags, as the person's own"),
        Field("feedback.jsonl: score, created", "liked (1) or disliked (-1); the newest counts"),
        Field("pinned_recording.jsonl: blurb_content, created", "liked, with the words as note"),
        Field("user.json, other fields of a listen", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether months of listens lie in it, or it is a file of listens."""
        head = preview.head
        return any(_LISTENS.search(name) for name in preview.members) or (
            head.lstrip("\ufeff \t\r\n").startswith(("{", "["))
            and all(f'"{name}"' in head for name in ("listened_at", *_LISTEN_FIELDS))
        )

    def read(self, path: Path, domain: Domain, user: str | None) -> HistoryRows:
        """Count the person's plays, and read which tracks they marked.

        Raises:
            UsageError: `user` is missing.
            InputError: no export of ListenBrainz, a damaged one, or one without a track.
        """
        owner = export_owner(user, "ListenBrainz")
        with open_export(path, self._limits, _TOP, JSON_LINES) as archive:
            reader = _Reader(archive, ImportLog(self.kind, path, domain.name), self._limits)
            is_part = archive.is_single_file
            marks = () if is_part else tuple(reader.read(owner))
            if is_part:
                reader.read_file(path)
        if not reader.tally:
            raise InputError(
                f"{path} holds no track that can be kept: {reader.import_log.first_drop()}.",
                "Export it again, once there is a listen to export.",
            )
        return HistoryRows(
            items=reader.tally.items(domain),
            interactions=(*reader.tally.plays(owner), *marks),
            report=reader.import_log.report(reader.kept),
            is_part=is_part,
        )


class _Reader:
    """Reads the files of one export."""

    def __init__(self, archive: Archive, import_log: ImportLog, limits: FileLimits) -> None:
        self._archive = archive
        self._limits = limits
        self._known_by_id: dict[str, Track | None] = {}  # ids that marks without names ask for
        self.import_log = import_log
        self.tally = PlayCounts()
        self.kept = 0

    def read(self, owner: str) -> Iterator[InteractionRow]:
        """Count all listens, then yield what the person marked."""
        months = self._months()
        marked = [name for name in (_FEEDBACK, _PINS) if name in self._archive.members]
        if not months and not marked:
            self._archive.refuse("a ListenBrainz export")
        marks = {name: list(self._lines(name, _Mark)) for name in marked}
        self._known_by_id = {
            one: None
            for lines in marks.values()
            for _, mark in lines
            if mark.track_metadata is None
            for one in mark.ids
        }
        for name in months:
            self._count_listens(name, self._lines(name, _Listen))
        said: dict[str, InteractionRow] = {}
        for name, lines in marks.items():
            for row, mark in lines:
                self._take_mark(name, row, mark, owner, said)
        yield from said.values()

    def read_file(self, path: Path) -> None:
        """Count the listens of a file by itself.

        Raises:
            InputError: it holds no listens.
        """
        if _starts_with_listen(path, self._limits):
            self._count_listens(path.name, self._lines(path.name, _Listen))
            return
        told: list[msgspec.Raw] | _Answer
        told = read_json(path, self._limits, list[msgspec.Raw] | _Answer)
        listens = told.payload.listens if isinstance(told, _Answer) else told
        self._count_listens(path.name, self._decoded(path.name, listens))

    def _decoded(self, name: str, listens: list[msgspec.Raw]) -> Iterator[tuple[int, _Listen]]:
        decoder = msgspec.json.Decoder(_Listen)
        for row, told in enumerate(listens, 1):
            try:
                yield row, decoder.decode(told)
            except msgspec.ValidationError as error:
                self.import_log.drop(row, name, f"cannot be used: {clean_name(error)}")

    def _months(self) -> list[str]:
        found = filter(None, map(_LISTENS.fullmatch, self._archive.members))
        return [
            month.string
            for month in sorted(found, key=lambda at: (int(at["year"]), int(at["month"])))
        ]

    def _lines(self, name: str, shape: type[_T]) -> Iterator[tuple[int, _T]]:
        lines = _JsonLines(self._archive.members[name], name, shape, self.import_log, self._limits)
        return chain.from_iterable(lines.read())

    def _count_listens(self, name: str, listens: Iterable[tuple[int, _Listen]]) -> None:
        # Half a million turns: what is nearly always so is asked here, the rest in calls.
        tally, taken = self.tally, 0
        earliest_s, latest_s = tally.earliest_s, tally.latest_s
        for row, listen in listens:
            metadata = listen.track_metadata
            try:
                track = tally.find(metadata.artist_name, metadata.track_name)
            except ValueError as error:
                self.import_log.drop(row, name, str(error))
                continue
            at_s = listen.listened_at
            if at_s is None or not earliest_s <= at_s <= latest_s:
                self._repair_moment(name, row, at_s)
                at_s = None
            if not tally.count(track, at_s, metadata.release_name):
                self.import_log.merge(
                    row, name, f"is the same listen as an earlier one: {track.name}"
                )
                continue
            taken += 1
            if not track.mbid or self._known_by_id:
                self._learn(track, listen)
        self.kept += taken

    def _repair_moment(self, name: str, row: int, at_s: float | None) -> None:
        problem = "is missing" if at_s is None else self.tally.moment_problem(at_s)
        told = f"the time {problem}; counted without it"
        self.import_log.repair(row, f"{name}: listened_at", told)

    def _learn(self, track: Track, listen: _Listen) -> None:
        """Keep what a listen says of its track beyond names; ListenBrainz outweighs the player."""
        mapped = _details(listen.track_metadata.mbid_mapping)
        sent = _details(listen.track_metadata.additional_info)
        mbids = [recording_id(said.recording_mbid) for said in (mapped, sent)]
        for one in (*mbids, listen.recording_msid):
            if one in self._known_by_id:
                self._known_by_id[one] = track
        track.mbid = track.mbid or mbids[0] or mbids[1]
        track.tags = track.tags or tuple(sent.tags or ())[:_MOST_TAGS]
        if not track.artists:
            track.artists = tuple(artist.artist_credit_name for artist in mapped.artists or ())

    def _take_mark(
        self, name: str, row: int, mark: _Mark, user: str, said: dict[str, InteractionRow]
    ) -> None:
        event = Event.LIKED if name == _PINS else _EVENTS.get(mark.score or 0)
        if event is None:
            self.import_log.drop(row, f"{name}: score", f"{mark.score} is neither 1 nor -1")
            return
        try:
            track = self._marked_track(mark)
        except ValueError as error:
            self.import_log.drop(row, name, str(error))
            return
        interaction = InteractionRow(
            user=user,
            item=track_key(track.artist, track.title),
            event=event,
            at=self._mark_moment(name, row, mark),
            note=clean_text(mark.blurb_content) or None,
        )
        self._keep_mark(name, row, interaction, said, track)

    def _marked_track(self, mark: _Mark) -> Track:
        if mark.track_metadata is not None:
            names = mark.track_metadata
            return self.tally.find(names.artist_name, names.track_name)
        for one in mark.ids:
            if (track := self._known_by_id.get(one)) is not None:
                return track
        raise ValueError("names a recording that no listen tells of")

    def _mark_moment(self, name: str, row: int, mark: _Mark) -> datetime | None:
        if mark.created is None:
            return None
        if (problem := self.tally.moment_problem(mark.created)) is None:
            return from_seconds(mark.created)
        self.import_log.repair(row, f"{name}: created", f"the time {problem}; left out")
        return None

    def _keep_mark(
        self,
        name: str,
        row: int,
        new: InteractionRow,
        said: dict[str, InteractionRow],
        track: Track,
    ) -> None:
        """Newest wins; a pin gives its words to a like, but never speaks against feedback."""
        old = said.setdefault(new.item, new)
        if old is new:
            self.kept += 1
            return
        self.import_log.merge(row, name, f"is about a track that was marked before: {track.name}")
        if name == _PINS:
            if old.event is Event.LIKED and not old.note:
                said[new.item] = msgspec.structs.replace(old, note=new.note)
        elif (new.at or _NEVER) >= (old.at or _NEVER):
            said[new.item] = new


class _JsonLines(Generic[_T]):
    """A file of JSON Lines, decoded a block at a time: ten times as fast as line by line."""

    def __init__(
        self, member: Member, name: str, shape: type[_T], import_log: ImportLog, limits: FileLimits
    ) -> None:
        self._member = member
        self._name = name
        self._decoder = msgspec.json.Decoder(shape)
        self._import_log = import_log
        self._limits = limits

    def read(self) -> Iterator[Iterable[tuple[int, _T]]]:
        """Lines that have the shape, with their numbers; one that has not goes to the receipt.

        Blank lines are passed over and not counted.

        Raises:
            InputError: a line that is no JSON, or a damaged file.
        """
        before = 0
        for block in self._blocks():
            try:
                decoded = self._decoder.decode_lines(block)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                lines = [line for line in bytes(block).split(b"\n") if line.strip()]
                yield self._decode_each(lines, before)
                before += len(lines)
            else:
                yield enumerate(decoded, before + 1)
                before += len(decoded)

    def _blocks(self) -> Iterator[bytes | memoryview]:
        """Pieces of the file that begin and end with a line, copied only where a line is torn."""
        if not self._member.size:
            return  # who never gave feedback gets an empty file
        rest = b""
        with open_bytes(self._member, self._limits, JSON_LINES) as stream:
            while piece := stream.read(_BLOCK):
                first, last = piece.find(b"\n") + 1, piece.rfind(b"\n") + 1
                if last:
                    yield rest + piece[:first]
                    yield memoryview(piece)[first:last]
                rest = piece[last:] if last else rest + piece
                if len(rest) > self._limits.row_chars:
                    raise InputError(
                        f"{self._member} has a line longer than {self._limits.row_chars:,} bytes.",
                        "Download the export again.",
                    )
        yield rest

    def _decode_each(self, lines: list[bytes], before: int) -> Iterator[tuple[int, _T]]:
        for number, line in enumerate(lines, before + 1):
            try:
                yield number, self._decoder.decode(line)
            except msgspec.ValidationError as error:
                self._import_log.drop(number, self._name, f"cannot be used: {clean_name(error)}")
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                raise InputError(
                    f"{self._member}, line {number}: this is no JSON: {_reason(line, error)}.",
                    "Download the export again.",
                ) from error


def _reason(line: bytes, error: Exception) -> str:
    """Why a line is no JSON; msgspec's releases name letters outside of UTF-8 differently."""
    try:
        line.decode()
    except UnicodeDecodeError as fault:
        return f"byte {fault.start + 1} is not UTF-8"
    return clean_name(error)


def _starts_with_listen(path: Path, limits: FileLimits) -> bool:
    """Whether the first line of a file is a listen."""
    with open_bytes(path, limits, _EXPORT) as stream:
        line = stream.readline(limits.row_chars).removeprefix(b"\xef\xbb\xbf")
    try:
        first = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return isinstance(first, dict) and "track_metadata" in first


def _details(written: msgspec.Raw) -> _Details:
    """The details that can be read; players differ, and a stray value there costs no listen."""
    try:
        return msgspec.json.decode(written, type=_Details | None) or _NO_DETAILS
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _NO_DETAILS


_NO_DETAILS = _Details()

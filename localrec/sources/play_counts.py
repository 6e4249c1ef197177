"""Plays counted per track, whatever service wrote them down.

A history of listening has hundreds of thousands of rows and some thousand tracks, so a row costs
one look-up by its names as written; they are cleaned once per spelling. Of a play only its second
stays, eight bytes, by which the same play is known again.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, Event, InteractionRow, ItemRow, Scalar
from localrec.foundation.text import clean_key, clean_name
from localrec.sources.bulk_tables import latest_moment

EARLIEST = datetime(2002, 1, 1)  # the year in which listening was first written down for people
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class Track(msgspec.Struct):
    """One recording, under the names it was met with first."""

    artist: str
    title: str
    seconds: array[int]  # since 1970, ascending: when it was played, as far as that is known
    artists: tuple[str, ...] = ()  # of a joint work, each; else empty
    mbid: str = ""  # of the recording, in MusicBrainz
    times: int = 0
    albums: dict[str, int] = {}  # as written -> plays
    tags: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Artist and title, as people write it."""
        return f"{self.artist} - {self.title}"


class PlayCounts:
    """The tracks met so far, and how often each was played."""

    def __init__(self) -> None:
        self._by_key: dict[str, Track] = {}
        self._spelled: dict[tuple[str, str], Track] = {}
        self.earliest_s = int(EARLIEST.replace(tzinfo=UTC).timestamp())
        self.latest_s = int(latest_moment().replace(tzinfo=UTC).timestamp())

    def __len__(self) -> int:
        return len(self._by_key)

    def find(self, artist: str, title: str) -> Track:
        """The track of these names, made where it is new.

        Raises:
            ValueError: one of the names is empty once it is cleaned; the text says which.
        """
        spelling = (artist, title)
        return self._spelled.get(spelling) or self._meet(spelling)

    def moment_problem(self, at_s: float) -> str | None:
        """Return the reason why no track can have been played at that second; None where it can."""
        if at_s > self.latest_s:
            return "is in the future"
        # Players without a clock begin in 1970.
        return f"is before {EARLIEST.year}" if at_s < self.earliest_s else None

    def count(self, track: Track, at_s: float | None, album: str | None) -> bool:
        """Count a play; False where the same play was counted before.

        Args:
            track: The track that was played.
            at_s: Time of the play, in seconds since 1970; None where unknown, which counts always.
            album: Album that it was played from, as written.
        """
        if at_s is not None:
            second, seconds = int(at_s), track.seconds
            if not seconds or second > seconds[-1]:
                seconds.append(second)
            else:
                place = bisect_left(seconds, second)
                if seconds[place] == second:
                    return False
                seconds.insert(place, second)
        track.times += 1
        if album:
            track.albums[album] = track.albums.get(album, 0) + 1
        return True

    def items(self, domain: Domain) -> tuple[ItemRow, ...]:
        """Every track as an item of `domain`, in the order in which they were met."""
        return tuple(_make_item(key, track, domain) for key, track in self._by_key.items())

    def plays(self, user: str) -> Iterator[InteractionRow]:
        """Yield the user's plays: one row per track that was played at all."""
        for key, track in self._by_key.items():
            if track.times:
                at = from_seconds(track.seconds[-1]) if track.seconds else None
                yield InteractionRow(
                    user=user, item=key, event=Event.PLAYED, at=at, times=track.times
                )

    def _meet(self, spelling: tuple[str, str]) -> Track:
        artist, title = map(clean_name, spelling)
        if not artist or not title:
            raise ValueError("has no title" if artist else "has no artist")
        key = track_key(artist, title)
        track = self._by_key.get(key)
        if track is None:
            track = self._by_key[key] = Track(artist, title, array("q"))
        self._spelled[spelling] = track
        return track


def track_key(artist: str, title: str) -> str:
    """The key of a track, from its cleaned names."""
    return clean_key(f"{artist} - {title}")


def recording_id(value: object) -> str:
    """An id of MusicBrainz in lower case; "" for anything else."""
    return value.lower() if isinstance(value, str) and _UUID.fullmatch(value) else ""


def from_seconds(at_s: float) -> datetime:
    """Seconds since 1970 as a moment in UTC, without a zone."""
    return datetime.fromtimestamp(int(at_s), UTC).replace(tzinfo=None)


def _make_item(key: str, track: Track, domain: Domain) -> ItemRow:
    played_from = max(track.albums, key=track.albums.__getitem__, default="")
    album = clean_name(played_from)
    source = f", from {album}" if album else ""
    properties: dict[str, Scalar] = {
        "creator": track.artist,
        "description": f"{track.title} by {track.artist}{source}.",
        "description_source": "generated",
    }
    if album:
        properties["album"] = album
    if track.mbid:
        properties["mbid"] = track.mbid
    links = [
        *_links("artist", track.artists or (track.artist,)),
        *_links("album", (album,)),
        *_links("tag", track.tags, personal=True),
    ]
    return ItemRow(
        key=key,
        name=track.title,
        properties=properties,
        links=tuple(link for link in links if link.kind in domain.attributes),
    )


def _links(kind: str, names: Iterable[str], *, personal: bool = False) -> Iterator[AttributeLink]:
    for name in dict.fromkeys(map(clean_name, names)):
        if name:
            yield AttributeLink(kind=kind, name=name, personal=personal)

"""Who liked what, as two sorted lists: from a person to their items, from an item to its people.

Made from the store with one query and kept beside the vectors as memory-mapped files, so that
25 million interactions cost a question nothing but the pages it touches. It counts other people;
a person's own history is always read fresh from the store (`graph/people.py`). So it may lag
behind by a few rows of feedback, and is made again when an import or a forgetting changed the
store, or more than one row in a hundred is new.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.errors import WorkspaceError
from localrec.graph.catalogue import Catalogue, Indexes
from localrec.graph.people import FEEDBACK
from localrec.graph.store import Store
from localrec.index.durable import checksum_of, digest_of, replace_file, save_array, sync_folder
from localrec.paths import make_private

LIKED_FROM = 4.0  # stars; docs/evaluation.md compares it with a person's own mean
SAMPLE = 1_000  # people asked about one item; a share of them is known to 1.6% at worst
_FORMAT = 2
_DRIFT = 0.01

Offsets = NDArray[np.int64]

# A verdict outweighs having seen or heard something; what was said to localrec outweighs what was
# said before. Between verdicts of exports the best one counts, which spares a join of millions.
_LIKED = """
    WITH verdict AS (
        SELECT * FROM interaction WHERE rating IS NOT NULL OR event = 'disliked'
    ), against AS (
        SELECT * FROM verdict WHERE coalesce(rating < $liked_from, true)
    ), liked AS (
        SELECT user_id, item_id, "at" FROM interaction
        WHERE rating >= $liked_from OR (rating IS NULL AND event = 'liked')
        UNION ALL
        SELECT user_id, item_id, "at" FROM interaction i
        WHERE rating IS NULL AND event IN ('played', 'seen') AND NOT EXISTS (
            FROM against v WHERE v.user_id = i.user_id AND v.item_id = i.item_id
        )
    )
    SELECT user_id, item_id FROM liked l WHERE NOT EXISTS (
        FROM against v WHERE v.source = $feedback AND v.user_id = l.user_id
        AND v.item_id = l.item_id AND v."at" > coalesce(l."at", '-infinity')
    )
"""


class Audience:
    """Items and people of one domain by who liked what.

    Args:
        items: Catalogue indexes liked by person 0, then by person 1, ..., (e,) int32.
        first_item: Where each person's items begin, (people + 1,) int64.
        people: People who liked item 0, then item 1, ..., (e,) int32.
        first_person: Where each item's people begin, (n + 1,) int64.
    """

    def __init__(
        self, items: Indexes, first_item: Offsets, people: Indexes, first_person: Offsets
    ) -> None:
        self.items, self.first_item = items, first_item
        self.people, self.first_person = people, first_person
        self.likes = np.diff(first_person).astype(np.int32)  # (n,)
        self.liked_with = lru_cache(maxsize=128)(self._liked_with)

    @property
    def size(self) -> int:
        """How many people liked anything."""
        return len(self.first_item) - 1

    def _liked_with(self, item: int) -> tuple[NDArray[np.int32], int]:
        """Among people who liked `item`: how many liked each item (n,), and how many were asked.

        At most `SAMPLE` of them are asked, evenly spread over all, the same ones each time.
        """
        whom = self.people[self.first_person[item] : self.first_person[item + 1]]
        if len(whom) > SAMPLE:
            whom = whom[np.linspace(0, len(whom) - 1, SAMPLE).astype(np.int64)]
        theirs = self._items_of(whom)
        return np.bincount(theirs, minlength=len(self.likes)).astype(np.int32), len(whom)

    def _items_of(self, people: Indexes) -> Indexes:
        """All items of some people, one list behind the other."""
        starts = self.first_item[people]
        lengths = self.first_item[people + 1] - starts
        places = np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
        return self.items[places + np.arange(len(places))]


def open_audience(store: Store, folder: Path, catalogue: Catalogue) -> Audience:
    """The audience of a domain, from its cache where that fits, else counted and kept.

    Args:
        store: Read only.
        folder: The workspace's `indexes/`; where it cannot be written, memory must do.
        catalogue: The domain's snapshot; item indexes are its own.
    """
    cache = _Cache(folder, catalogue.domain.name)
    stand = _stand_of(store, catalogue)
    arrays = cache.load(stand)
    if arrays is None:
        arrays = _count(store, catalogue)
        with suppress(OSError, WorkspaceError):  # a full disk: slower next time, not wrong
            cache.write(stand, arrays)
    return Audience(*arrays)


class _Stand(msgspec.Struct, frozen=True):
    """The state of a store that an audience was counted from."""

    format: int
    liked_from: float
    items: int
    newest_item: int
    newest_import: int
    interactions: int

    def serves(self, now: _Stand) -> bool:
        """Whether what was counted then is near enough to what would be counted now."""
        news = abs(now.interactions - self.interactions)
        same = msgspec.structs.replace(now, interactions=self.interactions)
        return self == same and news <= _DRIFT * self.interactions


class _Sidecar(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    stand: _Stand
    checksums: tuple[str, str, str, str]


_Arrays = tuple[Indexes, Offsets, Indexes, Offsets]
_KINDS = ("items", "first-item", "people", "first-person")


class _Cache:
    """Four .npy files and the sidecar that vouches for them, replaced last."""

    def __init__(self, folder: Path, domain: str) -> None:
        self._folder = folder
        self._stem = f"audience-{digest_of(domain)}"
        self._sidecar = folder / f"{self._stem}.json"

    def load(self, stand: _Stand) -> _Arrays | None:
        try:
            sidecar = msgspec.json.decode(self._sidecar.read_bytes(), type=_Sidecar)
            paths = self._paths(sidecar.stand)
            whole = all(
                checksum_of(path) == told
                for path, told in zip(paths, sidecar.checksums, strict=True)
            )
            if not whole or not sidecar.stand.serves(stand):
                return None
            items, first_item, people, first_person = (
                np.asarray(np.load(path, mmap_mode="r" if path.stat().st_size > 4096 else None))
                for path in paths
            )
        except (OSError, ValueError, EOFError, msgspec.MsgspecError):
            return None  # missing, cut short or scribbled over: the store has the truth
        return items, first_item, people, first_person

    def write(self, stand: _Stand, arrays: _Arrays) -> None:
        make_private(self._folder)
        paths = self._paths(stand)
        checksums = [
            replace_file(path, lambda beside, array=array: save_array(beside, array))  # type: ignore[misc]
            for path, array in zip(paths, arrays, strict=True)
        ]
        encoded = msgspec.json.encode(_Sidecar(stand, tuple(checksums)))  # type: ignore[arg-type]
        replace_file(self._sidecar, lambda beside: beside.write_bytes(encoded))
        sync_folder(self._folder)
        for path in self._folder.glob(f"{self._stem}.*"):
            if path not in {self._sidecar, *paths}:
                with suppress(OSError):  # still mapped by another process on Windows
                    path.unlink()

    def _paths(self, stand: _Stand) -> list[Path]:
        mark = digest_of(msgspec.json.encode(stand).decode())
        return [self._folder / f"{self._stem}.{mark}.{kind}.npy" for kind in _KINDS]


def _stand_of(store: Store, catalogue: Catalogue) -> _Stand:
    interactions, newest_import = store.rows(
        "SELECT (SELECT count(*) FROM interaction), "
        "(SELECT coalesce(max(import_id), 0) FROM import_receipt)"
    )[0]
    return _Stand(
        format=_FORMAT,
        liked_from=LIKED_FROM,
        items=len(catalogue),
        newest_item=int(catalogue.node_ids[-1]) if len(catalogue) else 0,
        newest_import=newest_import,
        interactions=interactions,
    )


def _count(store: Store, catalogue: Catalogue) -> _Arrays:
    liked = store.columns(_LIKED, {"liked_from": LIKED_FROM, "feedback": FEEDBACK})
    item = _places(liked["item_id"], catalogue.node_ids)
    ours = item >= 0
    person = _places(liked["user_id"][ours], _distinct(liked["user_id"][ours]))
    # One number per pair: in order, by person, then item; what comes twice is dropped.
    many = max(len(catalogue), 1)
    pairs = person.astype(np.int64) * many + item[ours]
    pairs.sort()  # np.unique would hash them, which takes six times as long
    pairs = pairs[np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)]]
    people, items = (part.astype(np.int32) for part in np.divmod(pairs, many))
    # Sixteen bits are sorted by radix, five times as fast as by comparing.
    by_item = np.argsort(items.astype(np.uint16) if many <= 1 << 16 else items, kind="stable")
    count = int(people[-1]) + 1 if len(people) else 0
    return items, _offsets(people, count), people[by_item], _offsets(items, len(catalogue))


def _distinct(ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each id once, ascending; ids are small, so marking them beats sorting them."""
    if not len(ids):
        return ids
    seen = np.zeros(int(ids.max()) + 1, dtype=bool)
    seen[ids] = True
    return np.flatnonzero(seen)


def _places(ids: NDArray[np.int64], known: NDArray[np.int64]) -> Indexes:
    """Where each id stands in `known` (ascending), -1 where it does not."""
    if not len(ids) or not len(known):
        return np.full(len(ids), -1, dtype=np.int32)
    place = np.full(max(int(ids.max()), int(known[-1])) + 1, -1, dtype=np.int32)
    place[known] = np.arange(len(known), dtype=np.int32)
    return place[ids]


def _offsets(values: Indexes, many: int) -> Offsets:
    """Where the entries of 0, 1, ..., many - 1 begin once `values` are in order, (many + 1,)."""
    offsets = np.zeros(many + 1, dtype=np.int64)
    np.cumsum(np.bincount(values, minlength=many), out=offsets[1:])
    return offsets

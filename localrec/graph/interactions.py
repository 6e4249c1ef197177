"""People in the graph: their nodes, what they did, and feedback that can be taken back.

A person is a node of kind `user` in the domain of the items; one key in several domains is one
person. What they did is only ever added to: the newest verdict on an item is the one that counts
(`retrieval/user_profile.py`), so taking a word back is removing the newest row.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.questions import MAX_REASON, check_length
from localrec.data.records import Record
from localrec.data.rows import Event
from localrec.foundation.errors import InputError
from localrec.foundation.text import MAX_NAME, clean_name, clean_text
from localrec.graph.store import Store

USER = "user"
FEEDBACK = "feedback"  # the source of what was said to localrec itself


class UserHistory(msgspec.Struct, frozen=True):
    """The interactions of one user, oldest first (undated first of all); columns of one length m.

    `items` (m,) are node ids, `events` (m,) values of `Event`, `ratings` (m,) stars or NaN, `at`
    (m,) datetime64 or NaT, `times` (m,).
    """

    items: NDArray[np.int64]
    events: NDArray[np.object_]
    ratings: NDArray[np.float32]
    at: NDArray[np.datetime64]
    times: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.items)


class FeedbackRecord(msgspec.Struct, Record, frozen=True, kw_only=True):
    """One piece of feedback, as it was stored or taken back."""

    user: str
    item: str
    name: str
    event: Event
    rating: float | None
    reason: str | None
    at: datetime


def user_node(store: Store, domain: str, key: str, *, create: bool = False) -> int | None:
    """The node id of a person in a domain; None where there is none and none is made.

    Raises:
        InputError: a node is to be made, and the key has no visible character or too many.
    """
    if create:
        check_length(clean_text(key), "A user's key", MAX_NAME)
    key = clean_name(key)
    if create:
        if not key:
            raise InputError("A person needs a key that can be read.", "Give --user a name.")
        store.execute(
            "INSERT INTO node SELECT nextval('node_ids'), $1, $2, $3, $3, '{}' "
            "WHERE NOT EXISTS (FROM node WHERE domain = $1 AND kind = $2 AND key = $3)",
            [domain, USER, key],
        )
    found = store.rows(
        "SELECT node_id FROM node WHERE domain = ? AND kind = ? AND key = ?", [domain, USER, key]
    )
    return int(found[0][0]) if found else None


def load_user_history(store: Store, user_id: int) -> UserHistory:
    """Read all interactions of a user, feedback and imports alike."""
    columns = store.columns(
        'SELECT item_id, event, rating, "at", times FROM interaction WHERE user_id = ? '
        'ORDER BY "at" NULLS FIRST, rowid',
        [user_id],
    )
    return UserHistory(
        items=np.asarray(columns["item_id"], dtype=np.int64),
        events=np.asarray(columns["event"], dtype=object),
        ratings=np.ma.filled(np.ma.asarray(columns["rating"], dtype=np.float32), np.nan),
        at=np.asarray(np.ma.filled(np.ma.asarray(columns["at"]), np.datetime64("NaT"))),
        times=np.asarray(columns["times"], dtype=np.int32),
    )


def count_interactions(store: Store, domain: str, source: str) -> int:
    """Count the interactions that one source brought with the items of a domain, by all users."""
    [[count]] = store.rows(
        "SELECT count(*) FROM interaction x JOIN node i ON i.node_id = x.item_id "
        "WHERE i.domain = ? AND x.source = ?",
        [domain, source],
    )
    return int(count)


def store_feedback(
    store: Store,
    domain: str,
    user: str,
    item_id: int,
    event: Event,
    *,
    rating: float | None = None,
    reason: str | None = None,
    then: Callable[[int], object] = lambda user_id: None,
) -> FeedbackRecord:
    """Store one piece of feedback, and its author where they are new, in one transaction.

    Args:
        store: An open, writable store.
        domain: The domain of the item.
        user: The person's key.
        item_id: Node id of the item.
        event: The user's verdict or action.
        rating: Stars, with `Event.RATED`.
        reason: In the person's own words.
        then: Called with the person's node id inside the transaction: what must be stored with the
            feedback or not at all, such as the job that works it into memories.

    Raises:
        InputError: the person's key cannot be read, or key or reason is too long.
    """
    check_length(reason or "", "The reason", MAX_REASON)
    note = clean_text(reason) or None
    with store.transaction():
        user_id = user_node(store, domain, user, create=True)
        moment = _moment_after_the_last(store, user)
        store.execute(
            "INSERT INTO interaction VALUES (?, ?, ?, ?, ?, 1, ?, ?)",
            [user_id, item_id, event.value, rating, moment, FEEDBACK, note],
        )
        assert user_id is not None
        then(user_id)
    item, name = store.rows("SELECT key, name FROM node WHERE node_id = ?", [item_id])[0]
    return FeedbackRecord(
        user=clean_name(user),
        item=item,
        name=name,
        event=event,
        rating=rating,
        reason=note,
        at=moment,
    )


def _moment_after_the_last(store: Store, user: str) -> datetime:
    """Now, but after all feedback of a user: a clock that was set back must not hide the newest."""
    [[last]] = store.rows(
        'SELECT max(x."at") FROM interaction x JOIN node n ON n.node_id = x.user_id '
        "WHERE n.kind = ? AND n.key = ? AND x.source = ?",
        [USER, clean_name(user), FEEDBACK],
    )
    now = datetime.now(UTC).replace(tzinfo=None)
    return now if last is None else max(now, last + timedelta(microseconds=1))


def undo_feedback(
    store: Store,
    domain: str,
    user: str,
    item_id: int | None = None,
    then: Callable[[int, int], object] = lambda user_id, item_id: None,
) -> FeedbackRecord | None:
    """Take back a person's newest feedback (on one item, if given); None where there is none.

    `then` is called with the node ids of person and item inside the transaction.
    """
    user_id = user_node(store, domain, user)
    with store.transaction():
        newest = store.rows(
            'SELECT i.rowid, i.item_id, n.key, n.name, i.event, i.rating, i.note, i."at" '
            "FROM interaction i "
            "JOIN node n ON n.node_id = i.item_id WHERE i.user_id = $1 AND i.source = $2 "
            'AND ($3 IS NULL OR i.item_id = $3) ORDER BY i."at" DESC, i.rowid DESC LIMIT 1',
            [user_id, FEEDBACK, item_id],
        )
        if not newest:
            return None
        row, about, item, name, event, rating, note, moment = newest[0]
        store.execute("DELETE FROM interaction WHERE rowid = ?", [row])
        assert user_id is not None
        then(user_id, int(about))
    return FeedbackRecord(
        user=clean_name(user),
        item=item,
        name=name,
        event=Event(event),
        rating=rating,
        reason=note,
        at=moment,
    )

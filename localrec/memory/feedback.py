"""What a person says of an item, stored together with the job that works it into memories."""

from __future__ import annotations

from localrec.data.rows import Event
from localrec.graph.interactions import FeedbackRecord, store_feedback, undo_feedback
from localrec.graph.store import Store
from localrec.memory.job_queue import UNDONE, enqueue


def record_feedback(
    store: Store,
    domain: str,
    user: str,
    item_id: int,
    event: Event,
    *,
    rating: float | None = None,
    reason: str | None = None,
) -> FeedbackRecord:
    """Store one word of a person about an item; arguments and errors are `give_feedback`'s."""
    return store_feedback(
        store,
        domain,
        user,
        item_id,
        event,
        rating=rating,
        reason=reason,
        then=lambda user_id: enqueue(store, user_id, item_id, event),
    )


def retract_feedback(
    store: Store, domain: str, user: str, item_id: int | None = None
) -> FeedbackRecord | None:
    """Undo a person's newest word, or that about one item; None where there is none."""
    return undo_feedback(
        store,
        domain,
        user,
        item_id,
        then=lambda user_id, about: enqueue(store, user_id, about, UNDONE),
    )

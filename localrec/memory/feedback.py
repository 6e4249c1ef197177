"""Store a user's feedback together with the job that updates the memories."""

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
    """Store one feedback of a user; arguments and errors are those of `give_feedback`."""
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
    """Undo a user's newest feedback, or that on one item; return None where there is none."""
    return undo_feedback(
        store,
        domain,
        user,
        item_id,
        then=lambda user_id, about: enqueue(store, user_id, about, UNDONE),
    )

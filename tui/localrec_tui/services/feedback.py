"""What a user said and did: the verdicts in lists, the history, a word changed or taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from localrec_tui.services.memory import ReadStore
from localrec_tui.services.records import HistoryView, NewFeedback, Verdict

if TYPE_CHECKING:
    from localrec.graph.interactions import FeedbackRecord

HISTORY_ORDERS = ("newest", "oldest", "name", "verdict")


class FeedbackService:
    """Reads and changes what users said of items; making one opens nothing.

    Args:
        folder: The workspace.
        read: Reads from the store.
        writing: Keeps the store for one writer of this process.
    """

    def __init__(
        self,
        folder: Path,
        read: ReadStore,
        writing: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._folder, self._read, self._writing = folder, read, writing

    def verdicts(self, domain: str, user: str | None, keys: Iterable[str]) -> dict[str, Verdict]:
        """Map items to a user's newest word on each, said here or brought by an export."""
        from localrec_tui.services.store_queries import verdicts

        wanted = list(keys)
        if user is None or not wanted:
            return {}
        return self._read(lambda store: verdicts(store, domain, user, wanted))

    def history(self, user: str, typed: str, order: str, limit: int) -> HistoryView:
        """Return what a user did, by a search in names and reasons.

        Args:
            user: Their key.
            typed: Words that all stand in the name, the reason or the verdict.
            order: One of `HISTORY_ORDERS`.
            limit: At most so many lines.
        """
        from localrec_tui.services.history_queries import history_of

        return self._read(lambda store: history_of(store, user, typed, order, limit))

    def give_feedback(self, word: NewFeedback) -> FeedbackRecord:
        """Store feedback, with the job that updates memories from it."""
        from localrec.memory.feedback import record_feedback
        from localrec.workspace import OpenWorkspace
        from localrec.workspace.domain_choice import find_item

        with self._writing(), OpenWorkspace(self._folder, writable=True) as opened:
            domain, item_id, _ = find_item(opened, word.item, word.domain, word.user)
            return record_feedback(
                opened.store,
                domain,
                word.user,
                item_id,
                word.event,
                rating=word.stars,
                reason=word.reason,
            )

    def retract(self, user: str, domain: str, item: str) -> tuple[FeedbackRecord, Verdict | None]:
        """Take back a user's newest word on one item; returns it, and the word that holds now.

        Raises:
            UsageError: nothing was said of it here.
        """
        from localrec.foundation.errors import UsageError
        from localrec.memory.feedback import retract_feedback
        from localrec.workspace import OpenWorkspace
        from localrec.workspace.domain_choice import find_item
        from localrec_tui.services.store_queries import verdicts

        with self._writing(), OpenWorkspace(self._folder, writable=True) as opened:
            domain, item_id, name = find_item(opened, item, domain, user)
            said = retract_feedback(opened.store, domain, user, item_id)
            if said is None:
                raise UsageError(
                    f"{name} came with an export, so there is no word to take back.",
                    "Say something else of it: the newest word counts.",
                )
            return said, verdicts(opened.store, domain, user, [said.item]).get(said.item)

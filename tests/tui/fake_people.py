"""What two people said, that needs no store."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from localrec.data.rows import Event
from localrec.foundation.errors import UsageError
from localrec.graph.interactions import FeedbackRecord
from localrec_tui.services.records import HistoryRow, HistoryView, Verdict

from .recorder import Recorder


def line(key: str, event: Event, *, source: str = "feedback", **more: object) -> HistoryRow:
    """One line of a history of drinks."""
    return HistoryRow(
        domain="cocktails",
        key=key,
        name=key.title(),
        verdict=Verdict(event=event, source=source, stars=more.pop("stars", None)),
        day="2026-11-01",
        note=str(more.pop("note", "")),
        is_here=source == "feedback",
    )


class FakeFeedbackService(Recorder):
    """A history from memory, the same for everybody.

    Attributes:
        said: What was said, the newest first.
    """

    def __init__(self) -> None:
        super().__init__()
        self.said: tuple[HistoryRow, ...] = ()

    def verdicts(self, domain: str, user: str | None, keys: Iterable[str]) -> dict[str, Verdict]:
        wanted = set(keys)
        return {one.key: one.verdict for one in self.said if one.key in wanted}

    def history(self, user: str, typed: str, order: str, limit: int) -> HistoryView:
        self._note("history", (user, typed, order))
        rows = [one for one in self.said if typed in f"{one.name} {one.note}".casefold()]
        if order == "name":
            rows.sort(key=lambda one: one.name)
        return HistoryView(rows=tuple(rows[:limit]), total=len(rows))

    def retract(self, user: str, domain: str, item: str) -> tuple[FeedbackRecord, Verdict | None]:
        self._note("retract", item)
        found = next((one for one in self.said if one.key == item and one.is_here), None)
        if found is None:
            raise UsageError(f"{item} came with an export.", "Say something else of it.")
        self.said = tuple(one for one in self.said if one is not found)
        record = FeedbackRecord(
            user=user,
            item=item,
            name=found.name,
            event=found.verdict.event,
            rating=None,
            reason=None,
            at=datetime(2026, 11, 1),
        )
        return record, None

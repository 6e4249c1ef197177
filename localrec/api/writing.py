"""What the API writes: feedback and imports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import BulkHistory, CatalogueRows, Event, HistoryRows, ImportReport
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress

if TYPE_CHECKING:
    from localrec.graph.interactions import FeedbackRecord
    from localrec.graph.store import Store
    from localrec.workspace.workspace import OpenWorkspace

Verdict = Literal["like", "dislike", "seen", "not-now"]
_EVENTS: dict[str, Event] = {
    "like": Event.LIKED,
    "dislike": Event.DISLIKED,
    "seen": Event.SEEN,
    "not-now": Event.LATER,
}
_MOST_STARS = 5.0
_FEWEST_STARS = 0.5


class ReadImport(msgspec.Struct, frozen=True):
    """A file that was read and is not stored yet.

    Args:
        rows: The rows of the file.
        domain: The domain of its items.
    """

    rows: CatalogueRows | HistoryRows | BulkHistory
    domain: Domain

    @property
    def files(self) -> tuple[str, ...]:
        """The foreign files that the store is to read by SQL."""
        return self.rows.files if isinstance(self.rows, BulkHistory) else ()


def read_import(path: Path, kind: str, user: str | None, domain: str | None) -> ReadImport:
    """Read a file of a kind; "auto" looks at the file.

    Raises:
        InputError: the file cannot be taken; the message says why.
        UsageError: a user was given where the kind has none, or none where it needs one.
    """
    from localrec.graph.domain_files import load_domain
    from localrec.sources import detect_kind, domain_of_file, read_export

    kind = detect_kind(path) if kind == "auto" else kind
    about = load_domain(domain or domain_of_file(kind, path))
    return ReadImport(read_export(kind, path, about, user), about)


def store_import(
    opened: OpenWorkspace, found: ReadImport, user: str | None, progress: Progress
) -> ImportReport:
    """Store what was read in one transaction and return the receipt."""
    rows = found.rows
    if isinstance(rows, CatalogueRows):
        return opened.imports.import_items(rows, found.domain, progress)
    return opened.imports.import_history(rows, found.domain, user, progress)


def require_meant(store: Store, user: str | None, *, is_new: bool) -> None:
    """Refuse a key that nobody has and that is somebody's but for a letter or two.

    Args:
        store: An open store.
        user: The key; nothing is looked for without one.
        is_new: Whether somebody new may be meant; then nothing is refused.

    Raises:
        UsageError: somebody else is probably meant; the message names them.
    """
    from localrec.graph.item_lookup import meant_or_new

    if user is not None and not is_new:
        meant_or_new(store, user, is_new=False, insist="add new_user=True")


def give_feedback(
    opened: OpenWorkspace,
    user: str,
    item: str,
    verdict: Verdict | None,
    stars: float | None,
    reason: str | None,
    domain: str | None,
) -> FeedbackRecord:
    """Store one verdict of a user.

    Raises:
        UsageError: neither or both of verdict and stars, stars out of range, or no such item.
    """
    from localrec.memory.feedback import record_feedback
    from localrec.workspace.domain_choice import find_item

    if (verdict is None) == (stars is None):
        raise UsageError("Feedback is a verdict or stars.", "Give exactly one of them.")
    if stars is not None and not _FEWEST_STARS <= stars <= _MOST_STARS:
        raise UsageError(f"{stars:g} stars are out of range.", "Stars go from 0.5 to 5.")
    if verdict is not None and verdict not in _EVENTS:
        raise UsageError(f"There is no verdict {verdict!r}.", f"Verdicts: {', '.join(_EVENTS)}.")
    event = Event.RATED if verdict is None else _EVENTS[verdict]
    chosen, node, _ = find_item(opened, item, domain, user)
    return record_feedback(opened.store, chosen, user, node, event, rating=stars, reason=reason)


def take_back_feedback(opened: OpenWorkspace, user: str, item: str | None) -> FeedbackRecord:
    """Take back the newest feedback of a user.

    Raises:
        UsageError: there is none, nobody has the key, or there is no such item.
    """
    from localrec.graph.item_lookup import nobody_called, told_if_unknown
    from localrec.memory.feedback import retract_feedback
    from localrec.workspace.domain_choice import domain_of_last_feedback, find_item

    if told_if_unknown(opened.store, user):
        raise nobody_called(opened.store, user)
    if item is None:
        chosen, node = domain_of_last_feedback(opened, user), None
    else:
        chosen, node, _ = find_item(opened, item, None, user)
    found = retract_feedback(opened.store, chosen, user, node)
    if found is None:
        raise UsageError(f"There is no feedback by {user} to take back.")
    return found

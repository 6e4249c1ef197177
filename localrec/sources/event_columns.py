"""The column that says what happened with an item: words such as "to-read", or yes and no."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from localrec.data.rows import Event
from localrec.sources.catalogues.column_profiles import ColumnProfile, is_yes
from localrec.sources.catalogues.records import RecordTable
from localrec.sources.event_words import known_events, words_of_no_event
from localrec.sources.interaction_headers import is_done, is_later, names_thing, senses_of, words_of
from localrec.sources.list_cells import is_missing

_MOST_EVENTS = 15  # different words for what happened
_MOSTLY = 0.8  # of a column's cells
_OF_OWNERS = frozenset({"no", "own", "owned"})  # no headers of flags for what is still to be met
_LIKED = frozenset("liked like loved enjoyed thumb recommend recommended".split())


class EventColumn(msgspec.Struct, frozen=True):
    """A column that says what happened.

    Args:
        profile: The column.
        events: Words of it that nobody else uses so -> what they say.
        ignored_events: Words of it that say that nothing was done; "" where an empty cell says so.
    """

    profile: ColumnProfile
    events: dict[str, Event] = {}
    ignored_events: tuple[str, ...] = ()


def event_column(
    profiles: Sequence[ColumnProfile], table: RecordTable, *, is_rated: bool
) -> EventColumn | None:
    """The column that says what happened; None where there is none.

    Args:
        profiles: The columns that may.
        table: The records.
        is_rated: Whether there are ratings: they say more than whether somebody liked it.
    """
    worded = [(one, share) for one in profiles if (share := _known_share(one, table))]
    if worded:
        return _with_words(max(worded, key=lambda one: one[1])[0])
    flags = [one for one in profiles if one.holds == "flag"]
    liked = [one for one in flags if _LIKED & set(words_of(one.name))]
    if liked and not is_rated:
        return EventColumn(liked[0], _verdicts(liked[0]))
    for one in flags:
        yes = [word.strip().lower() for word in one.common if is_yes(word)]
        no = [word.strip().lower() for word in one.common if not is_yes(word)]
        if one in liked or "repeated" in senses_of(one.name):
            continue
        if is_later(one.name):
            return EventColumn(one, dict.fromkeys(yes, Event.WANTED), ())
        if _is_undone(one.name):
            unmarked = [""] if one.filled < 1 else []
            return EventColumn(one, dict.fromkeys(no + unmarked, Event.SEEN), tuple(yes))
        if is_done(one.name):
            return EventColumn(one, dict.fromkeys(yes, Event.SEEN), ("", *no))
    return None


def _is_undone(header: str) -> bool:
    """Whether a header says that something was not done yet: "Unread"."""
    return header.strip().lower() in words_of_no_event() - _OF_OWNERS


def _known_share(one: ColumnProfile, table: RecordTable) -> float:
    """Grade a column as the event column by the share of known words; 0 for too few.

    Under a header that tells, one word that is known is enough; else nearly all must be.
    """
    is_title = one.meaning == "name" or names_thing(one.name)
    if one.holds != "name" or one.distinct > _MOST_EVENTS or is_title:
        return 0.0
    told = Counter(
        str(cell).strip().lower() for cell in table.column(one.name) if not is_missing(cell)
    )
    known = known_events()
    share = sum(count for word, count in told.items() if word in known) / told.total()
    if "status" in senses_of(one.name):
        return share and 1 + share
    return share if share >= _MOSTLY else 0.0


def _with_words(one: ColumnProfile) -> EventColumn:
    here = {word.strip().lower() for word in one.common}
    return EventColumn(one, ignored_events=tuple(sorted(here & words_of_no_event())))


def _verdicts(liked: ColumnProfile) -> dict[str, Event]:
    """Each word of such a column -> what it says; no love is no dislike."""
    no = Event.SEEN if "loved" in words_of(liked.name) else Event.DISLIKED
    return {word.strip().lower(): Event.LIKED if is_yes(word) else no for word in liked.common}

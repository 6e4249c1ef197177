"""Words by which tables of reading and watching say what happened."""

from __future__ import annotations

from collections.abc import Mapping

from localrec.data.rows import Event

_USUAL_EVENTS = {
    **dict.fromkeys(
        (
            *("dropped", "dnf", "did not finish", "did-not-finish", "abandoned", "gave up"),
            *("unfinished", "quit"),
        ),
        Event.ABANDONED,
    ),
    **dict.fromkeys(
        (
            *("read", "watched", "finished", "completed", "done", "reading", "watching"),
            *("currently reading", "currently-reading", "in progress", "seen", "beaten"),
        ),
        Event.SEEN,
    ),
    **dict.fromkeys(
        (
            *("to-read", "to read", "watchlist", "wishlist", "planned", "plan to watch"),
            *("plan to read", "plan to play", "want to read", "want to watch", "want to play"),
            *("to watch", "to play", "backlog", "wanted"),
        ),
        Event.WANTED,
    ),
    **dict.fromkeys(("favorite", "favourite", "loved"), Event.LIKED),
    **dict.fromkeys(("on hold", "on-hold", "paused", "later", "maybe"), Event.LATER),
}


def known_events(own: Mapping[str, Event] | None = None) -> dict[str, Event]:
    """Word in small letters -> what happened: the usual words and those of a mapping."""
    told = {word.strip().lower(): event for word, event in (own or {}).items()}
    return {event.value: event for event in Event} | _USUAL_EVENTS | told

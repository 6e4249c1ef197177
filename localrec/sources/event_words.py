"""Words by which tables of reading and watching say what happened."""

from __future__ import annotations

from collections.abc import Mapping

from localrec.data.rows import Event
from localrec.foundation.text import fold_accents

_USUAL_EVENTS = {
    Event.ABANDONED: (
        *("dropped", "dnf", "did not finish", "did-not-finish", "abandoned", "gave up"),
        *("unfinished", "quit", "abgebrochen", "aufgegeben", "abandonné", "abandonado"),
        *("abbandonato", "porzucone"),
    ),
    Event.SEEN: (
        *("read", "watched", "finished", "completed", "done", "reading", "watching", "playing"),
        *("currently reading", "currently-reading", "currently watching", "currently playing"),
        *("currently listening", "listening", "in progress", "seen", "beaten", "re-reading"),
        *("rereading", "rewatching", "replaying", "mastered", "listened", "tried", "visited"),
        *("meh", "ok", "okay", "neutral", "so-so", "mixed"),
        *(
            "gelesen",
            "gesehen",
            "gespielt",
            "gehört",
            "fertig",
            "beendet",
            "lese ich",
            "schaue ich",
        ),
        *("am lesen", "angefangen", "lese gerade", "lu", "vu", "terminé", "en cours", "leído"),
        *("visto", "jugado", "terminado", "leyendo", "viendo", "jugando", "en curso", "letto"),
    ),
    Event.WANTED: (
        *("to-read", "to read", "watchlist", "wishlist", "wish list", "planned", "plan to watch"),
        *("plan to read", "plan to play", "want to read", "want to watch", "want to play"),
        *("want to see", "want to listen", "to watch", "to play", "to see", "to listen"),
        *("backlog", "wanted", "want", "wish", "tbr", "to be read", "on my list", "interested"),
        *("wunschliste", "geplant", "möchte ich lesen", "will ich lesen", "möchte ich sehen"),
        *("will ich sehen", "zu lesen", "à lire", "à voir", "à jouer", "envie de lire"),
        *("envie de voir", "por leer", "por ver", "pendiente", "quiero leer", "quiero ver"),
        *("da leggere", "da vedere", "do przeczytania", "te lezen"),
    ),
    Event.LIKED: (
        *("favorite", "favourite", "loved", "love", "like", "loved it", "love it", "liked it"),
        *("thumbs up", "thumb up", "👍", "♥", "❤", "recommended"),
    ),
    Event.DISLIKED: (
        *("dislike", "hate", "hated", "hated it", "hate it", "disliked it", "thumbs down"),
        *("thumb down", "👎", "not recommended"),
    ),
    Event.LATER: ("on hold", "on-hold", "paused", "later", "maybe", "pausiert", "en pause"),
}
# That an item is there, or not met yet, is no interaction.
_NO_INTERACTION = frozenset(
    "no|not started|unread|unwatched|unplayed|unseen|not read|not watched|not seen|not played|"
    "not yet|owned|own|ungelesen|ungesehen|noch nicht gelesen|noch nicht gesehen|nicht gelesen|"
    "non lu|pas lu|pas vu|no leído|no visto|sin leer|non letto|non visto".split("|")
)


def known_events(own: Mapping[str, Event] | None = None) -> dict[str, Event]:
    """Word in small letters -> what happened: the usual words and those of a mapping."""
    usual = {
        spelt: event
        for event, words in _USUAL_EVENTS.items()
        for word in words
        for spelt in (word, fold_accents(word))
    }
    told = {word.strip().lower(): event for word, event in (own or {}).items()}
    return {event.value: event for event in Event} | usual | told


def words_of_no_event() -> frozenset[str]:
    """Words in small letters that say that nothing was done with an item, so far."""
    return _NO_INTERACTION | {fold_accents(word) for word in _NO_INTERACTION}

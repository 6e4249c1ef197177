"""Requests that users and batches send: a question, and candidates to rank."""

from __future__ import annotations

import msgspec

from localrec.foundation.errors import InputError

MAX_QUESTION = 20_000  # letters; more is no question, and reading it takes minutes
MAX_INSTRUCTION = 200_000
MAX_REASON = 2_000  # letters of why somebody likes an item


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One question as `ask` and its batches give it; `image` is the path of its picture."""

    query: str
    id: str = "1"
    image: str | None = None
    user: str | None = None
    have: str | None = None

    def __post_init__(self) -> None:
        check_length(self.query, "The question", MAX_QUESTION)
        check_length(self.have or "", "What is at hand", MAX_QUESTION)


class RankRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `rank --batch`: candidates, and the history to rank them for.

    Args:
        id: Comes back with the ranking.
        candidates: Item keys, each once.
        history: Item keys, oldest first; it counts without being imported.
        ratings: Stars for each item of the history; without them all were liked.
        user: A stored user, whose own history counts too.
        instruction: The user's request in words; for systems that read it.
    """

    id: str | int
    candidates: tuple[str, ...]
    history: tuple[str, ...] = ()
    ratings: tuple[float, ...] | None = None
    user: str | None = None
    instruction: str | None = None

    def __post_init__(self) -> None:
        check_length(self.instruction or "", "The instruction", MAX_INSTRUCTION)


def check_length(text: str, what: str, most: int) -> None:
    """Refuse a text that nobody wrote by hand.

    Raises:
        InputError: it has more letters.
    """
    if len(text) > most:
        raise InputError(
            f"{what} has {len(text):,} letters; {most:,} are taken.", "Say it in fewer words."
        )

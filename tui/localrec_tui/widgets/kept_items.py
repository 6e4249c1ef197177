"""Keeps what was read of the last items, so that a pane shows them again at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from localrec_tui.services.records import ItemDetails

_NEAR = 10
_Line = TypeVar("_Line")


class KeptItems:
    """Keeps the newest items, as each user sees them.

    Args:
        most: So many of them; the oldest leaves.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: dict[tuple[str, str | None, str], ItemDetails] = {}

    def put(self, user: str | None, found: ItemDetails) -> None:
        """Keep an item; the bare facts do not replace all that is known of it."""
        place = (found.domain, user, found.key)
        before = self._found.pop(place, None)
        self._found[place] = found if found.is_complete or before is None else before
        if len(self._found) > self._most:
            del self._found[next(iter(self._found))]

    def get(self, domain: str, user: str | None, key: str) -> ItemDetails | None:
        """Return an item as a user sees it; None where it is not kept."""
        return self._found.get((domain, user, key))

    def clear(self) -> None:
        """Forget all: the store has changed."""
        self._found.clear()


def around(lines: Sequence[_Line], place: int) -> list[_Line]:
    """Return the lines to each side of a place of a list, which keys choose next."""
    return [*lines[max(0, place - _NEAR) : max(0, place)], *lines[place + 1 : place + 1 + _NEAR]]

"""What every result can do: turn into plain dictionaries."""

from __future__ import annotations

from typing import Any

import msgspec


class Record:
    """What a frozen struct of results can do; a base beside `msgspec.Struct`."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record as dictionaries, lists, texts and numbers: what its JSON says."""
        found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        return found

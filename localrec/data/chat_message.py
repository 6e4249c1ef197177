"""One message to or from a chat model."""

from __future__ import annotations

from typing import Literal

import msgspec


class Message(msgspec.Struct, frozen=True):
    """One turn of a chat, such as `Message("user", "a smoky drink")`."""

    role: Literal["system", "user", "assistant"]
    content: str

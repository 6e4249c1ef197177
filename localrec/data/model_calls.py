"""Records of a local model's calls and its answers."""

from __future__ import annotations

import msgspec


class ChatTurn(msgspec.Struct, frozen=True):
    """One turn of a chat as a model read it: the role, such as "user", and the words."""

    role: str
    text: str


class ModelCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call of a local model on the way to an answer, and its outcome.

    Args:
        role: Role that the model was asked in, such as "router".
        model: Its name.
        saw: All that it read, word for word, before its chat template put the turns together.
        reply: The model's text, where it was to write.
        choice: Label -> probability, where it was to choose.
        failed: Reason why there is neither.
    """

    role: str
    model: str
    saw: tuple[ChatTurn, ...]
    reply: str | None = None
    choice: dict[str, float] | None = None
    failed: str | None = None

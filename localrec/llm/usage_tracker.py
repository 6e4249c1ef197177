"""Add up the usage of a model's calls, failed ones included."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from localrec.data.chat_message import Message
from localrec.data.token_usage import TokenUsage
from localrec.llm.chat_model import Bitmap, ChatModel, Generation, VisionModel
from localrec.llm.model_wrapper import ModelWrapper, Reply


class UsageTracker(ModelWrapper):
    """A chat model that adds up its usage."""

    def __init__(self, model: ChatModel) -> None:
        super().__init__(model)
        self._spent = TokenUsage()

    def taken(self) -> TokenUsage:
        """Return the usage since the last call of this method."""
        spent, self._spent = self._spent, TokenUsage()
        return spent

    def describe(self, bitmap: Bitmap, messages: Sequence[Message], **options: Any) -> Generation:
        """Let a wrapped model that sees write about an image (`VisionModel.describe`)."""
        model = cast("VisionModel", self._model)
        return self._ask(messages, lambda sent: model.describe(bitmap, sent, **options))

    def _ask(
        self,
        messages: Sequence[Message],
        call: Callable[[Sequence[Message]], Reply],
        *,
        labels: Sequence[str] = (),
        prefix: str = "",
    ) -> Reply:
        reply = call(messages)
        self._spent = self._spent.and_for(reply.usage)
        return reply

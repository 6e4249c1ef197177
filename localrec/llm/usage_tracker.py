"""Add up the usage of a model's calls, failed ones included."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from localrec.data.chat_message import Message
from localrec.data.token_usage import TokenUsage
from localrec.llm.chat_model import ChatModel
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

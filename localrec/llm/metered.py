"""What a model's calls add up to, those before a failure too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from localrec.llm.base import ChatModel, Message, Usage
from localrec.llm.wrapped import Reply, Wrapped


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of a model, and the tokens of all of them.

    Args:
        calls: That were answered.
        prompt_tokens: Read, those from a cached prefix too.
        cached_tokens: Of these, so many came from a cached prefix.
        new_tokens: Written.
        model_ms: Time within the model.
    """

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    new_tokens: int = 0
    model_ms: float = 0.0

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.prompt_tokens + self.new_tokens

    def and_for(self, usage: Usage) -> Spent:
        """The same and one more call."""
        return Spent(
            calls=self.calls + 1,
            prompt_tokens=self.prompt_tokens + usage.prompt,
            cached_tokens=self.cached_tokens + usage.cached,
            new_tokens=self.new_tokens + usage.generated,
            model_ms=self.model_ms + usage.model_ms,
        )


class Metered(Wrapped):
    """A chat model whose calls are added up."""

    def __init__(self, model: ChatModel) -> None:
        super().__init__(model)
        self._spent = Spent()

    def taken(self) -> Spent:
        """What was spent since this was last called."""
        spent, self._spent = self._spent, Spent()
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

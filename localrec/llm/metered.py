"""What a model's calls add up to, those before a failure too."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from localrec.llm.base import ChatModel, Choice, Generation, Message, Usage


class Spent(msgspec.Struct, frozen=True, kw_only=True):
    """Calls of a model, and the tokens of all of them.

    Args:
        calls: That were answered.
        prompt_tokens: Read, those from a cached prefix too.
        cached_tokens: Of these, so many came from a cached prefix.
        new_tokens: Written.
    """

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    new_tokens: int = 0

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
        )


class Metered:
    """A chat model whose calls are added up.

    Args:
        model: Asked in its place; not closed with it.
    """

    def __init__(self, model: ChatModel) -> None:
        self.name = model.name
        self._model = model
        self._spent = Spent()

    @property
    def knows_tools(self) -> bool:
        """As of the model."""
        return self._model.knows_tools

    def taken(self) -> Spent:
        """What was spent since this was last called."""
        spent, self._spent = self._spent, Spent()
        return spent

    def choose(self, messages: Sequence[Message], labels: Sequence[str], fixed: int = 0) -> Choice:
        """As the model chooses."""
        choice = self._model.choose(messages, labels, fixed)
        self._spent = self._spent.and_for(choice.usage)
        return choice

    def generate(
        self,
        messages: Sequence[Message],
        *,
        grammar: str | None = None,
        max_tokens: int = 256,
        temperature: float = 0.0,
        seed: int = 0,
        fixed: int = 0,
        prefix: str = "",
    ) -> Generation:
        """As the model writes."""
        generation = self._model.generate(
            messages,
            grammar=grammar,
            max_tokens=max_tokens,
            temperature=temperature,
            seed=seed,
            fixed=fixed,
            prefix=prefix,
        )
        self._spent = self._spent.and_for(generation.usage)
        return generation

    def count_tokens(self, text: str) -> int:
        """Of the text alone."""
        return self._model.count_tokens(text)

    def close(self) -> None:
        """Nothing is held: the model is somebody else's."""

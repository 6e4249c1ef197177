"""Wrap a chat model; a subclass overrides only what it changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, Unpack

from localrec.data.chat_message import Message
from localrec.llm.chat_model import ChatModel, GenerateKeywords, Generation, LabelProbabilities

Reply = TypeVar("Reply", LabelProbabilities, Generation)


class ModelWrapper:
    """A model that delegates to another one.

    Args:
        model: The wrapped model; its opener closes it.
    """

    def __init__(self, model: ChatModel) -> None:
        self.name = model.name
        self._model = model

    @property
    def supports_tools(self) -> bool:
        """Whether the wrapped model supports tools."""
        return self._model.supports_tools

    def choose(
        self, messages: Sequence[Message], labels: Sequence[str], fixed: int = 0
    ) -> LabelProbabilities:
        """Choose by the wrapped model."""
        return self._ask(
            messages, lambda sent: self._model.choose(sent, labels, fixed), labels=labels
        )

    def generate(
        self, messages: Sequence[Message], **options: Unpack[GenerateKeywords]
    ) -> Generation:
        """Write by the wrapped model."""
        return self._ask(
            messages,
            lambda sent: self._model.generate(sent, **options),
            prefix=options.get("prefix", ""),
        )

    def count_tokens(self, text: str) -> int:
        """Count the tokens of the text alone."""
        return self._model.count_tokens(text)

    def close(self) -> None:
        """Do nothing: the opener of the model closes it."""

    def _ask(
        self,
        messages: Sequence[Message],
        call: Callable[[Sequence[Message]], Reply],
        *,
        labels: Sequence[str] = (),
        prefix: str = "",
    ) -> Reply:
        """Make a call of the model, to be overridden.

        Args:
            messages: The messages of the caller.
            call: Sends messages to the model and returns its reply.
            labels: The labels of a choice.
            prefix: Beginning of the reply.
        """
        return call(messages)


class PrefixedChatModel(ModelWrapper):
    """A chat model with fixed messages before every prompt.

    Args:
        model: The wrapped model; it is not closed with this one.
        brief: Stands behind the first message of every prompt.
    """

    def __init__(self, model: ChatModel, brief: str) -> None:
        super().__init__(model)
        self._brief = brief

    def _ask(
        self,
        messages: Sequence[Message],
        call: Callable[[Sequence[Message]], Reply],
        *,
        labels: Sequence[str] = (),
        prefix: str = "",
    ) -> Reply:
        first, *rest = messages
        return call([Message(first.role, f"{first.content}\n\n{self._brief}"), *rest])

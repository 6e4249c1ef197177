"""A chat model with scripted answers, for unit tests and snapshots only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Unpack

from localrec.data.chat_message import Message
from localrec.data.token_usage import Usage
from localrec.foundation.errors import ModelError
from localrec.llm.chat_model import (
    GenerateKeywords,
    GenerateOptions,
    Generation,
    LabelProbabilities,
)

Script = Sequence[str] | Callable[[Sequence[Message]], str]


class ScriptedModel:
    """`ChatModel` with prepared answers.

    For `choose` an answer is the label that gets the whole probability, or one number per label,
    separated by spaces, taken as weights.

    Args:
        script: Answers in order, or a function from messages to an answer. How an answer is to
            begin is shown to it as a last message, the assistant's.

    Attributes:
        prompts: The messages of every call so far.
    """

    name = "scripted"
    supports_tools = False

    def __init__(self, script: Script) -> None:
        self._script = script
        self.prompts: list[tuple[Message, ...]] = []

    @property
    def calls(self) -> int:
        """Count the calls so far."""
        return len(self.prompts)

    def choose(
        self, messages: Sequence[Message], labels: Sequence[str], fixed: int = 0
    ) -> LabelProbabilities:
        """Take the next answer as a label or as weights.

        Raises:
            ModelError: the answer is neither, or the script is over.
        """
        answer = self._next(messages)
        if answer in labels:
            weights = [float(label == answer) for label in labels]
        else:
            weights = _weights(answer, labels)
        total = sum(weights)
        return LabelProbabilities(
            probabilities=tuple(weight / total for weight in weights),
            usage=self._usage(messages, ""),
        )

    def generate(
        self, messages: Sequence[Message], **options: Unpack[GenerateKeywords]
    ) -> Generation:
        """Return the next answer, cut to `max_tokens` words; the grammar has no effect.

        Raises:
            ModelError: the script is over.
        """
        given = GenerateOptions(**options)
        if given.prefix:
            messages = [*messages, Message("assistant", given.prefix)]
        answer = self._next(messages)
        finished = self.count_tokens(answer) <= given.max_tokens
        text = answer if finished else " ".join(answer.split()[: given.max_tokens])
        return Generation(text=text, finished=finished, usage=self._usage(messages, text))

    def count_tokens(self, text: str) -> int:
        """Count the words of `text`."""
        return len(text.split())

    def close(self) -> None:
        """Do nothing: no resource is held."""

    def _next(self, messages: Sequence[Message]) -> str:
        self.prompts.append(tuple(messages))
        if callable(self._script):
            return self._script(messages)
        if self.calls > len(self._script):
            raise ModelError(
                f"The script has {len(self._script)} answers, this is call {self.calls}."
            )
        return self._script[self.calls - 1]

    def _usage(self, messages: Sequence[Message], answer: str) -> Usage:
        prompt = sum(self.count_tokens(message.content) for message in messages)
        return Usage(prompt=prompt, cached=0, generated=self.count_tokens(answer), model_ms=0.0)


def _weights(answer: str, labels: Sequence[str]) -> list[float]:
    try:
        weights = [float(part) for part in answer.split()]
    except ValueError:
        weights = []
    if len(weights) != len(labels) or min(weights, default=-1) < 0 or not sum(weights):
        raise ModelError(f"The script's answer {answer!r} fits none of {', '.join(labels)}.")
    return weights

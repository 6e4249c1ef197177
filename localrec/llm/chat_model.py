"""The protocols of local chat and vision models.

Untrusted text (a question, a catalogue name) goes into `Message.content` and is always
tokenised as plain text: a control token written inside it stays letters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypedDict, Unpack

import msgspec

from localrec.data.chat_message import Message
from localrec.data.token_usage import Usage


class LabelProbabilities(msgspec.Struct, frozen=True, kw_only=True):
    """Probabilities over the offered labels (they sum to 1), in the order given."""

    probabilities: tuple[float, ...]
    usage: Usage


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    """Generated text; `finished` is False where it reached `max_tokens`."""

    text: str
    finished: bool
    usage: Usage


class GenerateOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of `ChatModel.generate`.

    Args:
        grammar: GBNF grammar that the answer obeys.
        max_tokens: Longest answer in tokens.
        temperature: 0 takes the likeliest token; above 0 tokens are sampled.
        seed: Seed of the sampling.
        fixed: Leading messages that stay the same between the calls of one job; their tokens are
            kept as a cached prefix.
        prefix: Beginning of the answer, plain text as untrusted as any content. The model goes on
            behind it; neither the returned text nor the grammar includes it. It is tokenised as
            in a finished turn, so it should end where a token does (behind a comma, a bracket or
            a line break, and not behind a space): a token across its end cannot be had.
    """

    grammar: str | None = None
    max_tokens: int = 256
    temperature: float = 0.0
    seed: int = 0
    fixed: int = 0
    prefix: str = ""


class GenerateKeywords(TypedDict, total=False):
    """The fields of `GenerateOptions` as keywords of a call."""

    grammar: str | None
    max_tokens: int
    temperature: float
    seed: int
    fixed: int
    prefix: str


class ChatModel(Protocol):
    """A model that can pick a label, write under a grammar, and count tokens.

    A call that continues the conversation of the call before it, by a longer `prefix` or by further
    messages, evaluates only the added tokens.
    """

    name: str

    @property
    def supports_tools(self) -> bool:
        """Whether the model was trained to call tools as JSON within `<tool_call>` tags."""
        ...

    def choose(
        self, messages: Sequence[Message], labels: Sequence[str], fixed: int = 0
    ) -> LabelProbabilities:
        """Score `labels` by the model's next-token logits; nothing is generated."""
        ...

    def generate(
        self, messages: Sequence[Message], **options: Unpack[GenerateKeywords]
    ) -> Generation:
        """Write an answer; the keywords are the fields of `GenerateOptions`.

        Raises:
            ContextError: the prompt is longer than the context; the model is unharmed.
            ModelError: the grammar or the prompt cannot be used; the model is unharmed.
            ModelCrashedError: the process died; the next call starts a new one.
        """
        ...

    def count_tokens(self, text: str) -> int:
        """Count the tokens of `text` as plain text, without special tokens."""
        ...

    def close(self) -> None:
        """Release the model."""
        ...


def ignore_chunk(piece: str) -> None:
    """Ignore a chunk of an answer, for a caller that waits for the whole."""


class Bitmap(msgspec.Struct, frozen=True):
    """Pixels decoded by localrec: `rgb` holds height rows of width times three bytes."""

    width: int
    height: int
    rgb: bytes


class VisionModel(Protocol):
    """A model that reads one image and writes about it."""

    name: str

    def describe(
        self,
        bitmap: Bitmap,
        messages: Sequence[Message],
        *,
        grammar: str | None = None,
        max_tokens: int = 256,
        on_chunk: Callable[[str], None] | None = None,
    ) -> Generation:
        """Write about an image, under a GBNF grammar where one is given; greedily.

        The picture comes before the text of the last message. `on_chunk` is told each further piece
        of the answer as soon as it is written, from the calling thread.

        Raises:
            ModelError: model, projector, prompt or grammar cannot be used.
            ModelCrashedError: the process died; the next call starts a new one.
            ModelCancelledError: the call was stopped.
        """
        ...

    def close(self) -> None:
        """Release the model."""
        ...

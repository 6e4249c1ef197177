"""What a model saw: its calls on record, word for word, while an answer is explained.

A record is made where one was asked for, and lives as long as the answer; nothing is stored. What
a chat template puts around the turns is left out, and so is the grammar that a reply obeys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from localrec.errors import ModelError
from localrec.llm.base import ChatModel, Choice, Generation, Message
from localrec.types import ModelCall, Turn


class Recorded:
    """A chat model that keeps what it is asked, and what it replies or why it does not.

    Args:
        model: The one that is asked.
        role: What it is asked as.
        calls: Where each call is added as soon as it is over.
    """

    def __init__(self, model: ChatModel, role: str, calls: list[ModelCall]) -> None:
        self.name = model.name
        self._model = model
        self._role = role
        self._calls = calls

    @property
    def knows_tools(self) -> bool:
        """As of the model."""
        return self._model.knows_tools

    def choose(self, messages: Sequence[Message], labels: Sequence[str], fixed: int = 0) -> Choice:
        """As the model does.

        Raises:
            ModelError: as the model does; it is on record.
        """
        with self._on_record(messages):
            choice = self._model.choose(messages, labels, fixed)
        told = dict(zip(labels, choice.probabilities, strict=True))
        self._keep(messages, choice=told)
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
        """As the model does.

        Raises:
            ModelError: as the model does; it is on record.
        """
        # The model reads how its answer begins; what it returns goes on behind that.
        saw = [*messages, Message("assistant", prefix)] if prefix else messages
        with self._on_record(saw):
            generation = self._model.generate(
                messages,
                grammar=grammar,
                max_tokens=max_tokens,
                temperature=temperature,
                seed=seed,
                fixed=fixed,
                prefix=prefix,
            )
        self._keep(saw, reply=generation.text)
        return generation

    def count_tokens(self, text: str) -> int:
        """As the model does; counting is no asking."""
        return self._model.count_tokens(text)

    def close(self) -> None:
        """Release the model; the record stays."""
        self._model.close()

    @contextmanager
    def _on_record(self, messages: Sequence[Message]) -> Iterator[None]:
        """Keep a failure of the block, and let it go on."""
        try:
            yield
        except ModelError as error:
            self._keep(messages, failed=error.message)
            raise

    def _keep(
        self,
        messages: Sequence[Message],
        *,
        reply: str | None = None,
        choice: dict[str, float] | None = None,
        failed: str | None = None,
    ) -> None:
        self._calls.append(
            ModelCall(
                role=self._role,
                model=self.name,
                saw=tuple(Turn(message.role, message.content) for message in messages),
                reply=reply,
                choice=choice,
                failed=failed,
            )
        )


def recording(
    open_model: Callable[[str], ChatModel], calls: list[ModelCall]
) -> Callable[[str], ChatModel]:
    """The same opener of models by role; what those are asked goes on record in `calls`."""
    return lambda role: Recorded(open_model(role), role, calls)

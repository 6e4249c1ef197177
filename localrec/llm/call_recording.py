"""Record a model's calls word for word while an answer is explained.

A record is made on request and exists as long as the answer; nothing is stored. It leaves out the
chat template's text around the turns, and the grammar of a reply.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from localrec.data.chat_message import Message
from localrec.data.model_calls import ChatTurn, ModelCall
from localrec.foundation.errors import ModelError
from localrec.llm.chat_model import Bitmap, ChatModel, Generation, LabelProbabilities, VisionModel
from localrec.llm.model_wrapper import ModelWrapper, Reply


class RecordingModel(ModelWrapper):
    """A chat model that records its prompts, and its answers or errors.

    Args:
        model: The one that is asked.
        role: Role of the model in the call.
        calls: List that gets each call as soon as it is over.
    """

    def __init__(self, model: ChatModel, role: str, calls: list[ModelCall]) -> None:
        super().__init__(model)
        self._role = role
        self._calls = calls

    def _ask(
        self,
        messages: Sequence[Message],
        call: Callable[[Sequence[Message]], Reply],
        *,
        labels: Sequence[str] = (),
        prefix: str = "",
    ) -> Reply:
        # The model reads how its answer begins; what it returns goes on behind that.
        saw = [*messages, Message("assistant", prefix)] if prefix else messages
        try:
            reply = call(messages)
        except ModelError as error:
            self._keep(saw, failed=error.message)
            raise
        if isinstance(reply, LabelProbabilities):
            self._keep(saw, choice=dict(zip(labels, reply.probabilities, strict=True)))
        else:
            self._keep(saw, reply=reply.text)
        return reply

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
                saw=tuple(ChatTurn(message.role, message.content) for message in messages),
                reply=reply,
                choice=choice,
                failed=failed,
            )
        )


class RecordingVisionModel:
    """A vision model that records its prompts, and its answers or errors.

    Args:
        model: The one that looks.
        calls: List that gets each call as soon as it is over.
    """

    def __init__(self, model: VisionModel, calls: list[ModelCall]) -> None:
        self.name = model.name
        self._model = model
        self._calls = calls

    def describe(
        self,
        bitmap: Bitmap,
        messages: Sequence[Message],
        *,
        grammar: str | None = None,
        max_tokens: int = 256,
        on_chunk: Callable[[str], None] | None = None,
    ) -> Generation:
        """Describe a picture by the model; the size of the picture is recorded."""
        shown = f"(a picture of {bitmap.width} by {bitmap.height} pixels)"
        saw = (ChatTurn("user", shown), *(ChatTurn(one.role, one.content) for one in messages))
        try:
            written = self._model.describe(
                bitmap, messages, grammar=grammar, max_tokens=max_tokens, on_chunk=on_chunk
            )
        except ModelError as error:
            self._calls.append(
                ModelCall(role="vision", model=self.name, saw=saw, failed=error.message)
            )
            raise
        self._calls.append(ModelCall(role="vision", model=self.name, saw=saw, reply=written.text))
        return written

    def close(self) -> None:
        """Do nothing: the opener of the model closes it."""

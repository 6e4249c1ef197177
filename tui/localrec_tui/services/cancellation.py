"""A chat model that a stopped request asks nothing more.

`ModelProcess.cancel` ends the call that runs. A stage may well take that for a failure and ask for
the next thing (a writer falls back to its template and goes on to the next item); this model
refuses, whatever is asked, so that a request that was stopped does end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from localrec.data.chat_message import Message
from localrec.foundation.errors import ModelCancelledError
from localrec.llm.chat_model import ChatModel
from localrec.llm.model_wrapper import ModelWrapper, Reply
from localrec.workspace.model_pool import Models, ModelsWrapper
from localrec_tui.services.records import RequestHandle


def raise_if_stopped(request: RequestHandle) -> None:
    """Go on, unless the request was stopped.

    Raises:
        ModelCancelledError: it was.
    """
    if request.stopped.is_set():
        raise ModelCancelledError("Stopped.")


class StoppableModels(ModelsWrapper):
    """Opens chat models that a stopped request asks nothing more."""

    def __init__(self, models: Models) -> None:
        super().__init__(models)
        self.request = RequestHandle()  # the one that is served

    def open(self, role: str, name: str = "", adapter: str | None = "") -> ChatModel:
        """Open the chat model that plays a role, for the request that is being served."""
        return CancellableModel(super().open(role, name, adapter), self.request)


class CancellableModel(ModelWrapper):
    """Asks another model as long as the request it serves goes on."""

    def __init__(self, model: ChatModel, request: RequestHandle) -> None:
        super().__init__(model)
        self._request = request

    def count_tokens(self, text: str) -> int:
        """Of the text alone; the first such call starts the model."""
        raise_if_stopped(self._request)
        return super().count_tokens(text)

    def _ask(
        self,
        messages: Sequence[Message],
        call: Callable[[Sequence[Message]], Reply],
        *,
        labels: Sequence[str] = (),
        prefix: str = "",
    ) -> Reply:
        raise_if_stopped(self._request)
        return call(messages)

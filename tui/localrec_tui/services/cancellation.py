"""A chat model that a stopped request asks nothing more.

`ModelProcess.cancel` ends the call that runs. A stage may well take that for a failure and ask for
the next thing (a writer falls back to its template and goes on to the next item); this model
refuses, whatever is asked, so that a request that was stopped does end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from localrec.foundation.errors import ModelCancelledError
from localrec.llm.chat_model import ChatModel, Message
from localrec.llm.model_process import ModelProcess
from localrec.llm.model_wrapper import ModelWrapper, Reply
from localrec_tui.services.records import RequestHandle


def raise_if_stopped(request: RequestHandle) -> None:
    """Go on, unless the request was stopped.

    Raises:
        ModelCancelledError: it was.
    """
    if request.stopped.is_set():
        raise ModelCancelledError("Stopped.")


def cancel_call(model: ChatModel) -> None:
    """End a model's running call, if it is of the kind that can be stopped."""
    if isinstance(model, ModelProcess):
        model.cancel()


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

"""The only place where threads are started: work goes there, a message comes back.

A thread cannot be cancelled. A question is stopped through its `RequestHandle`; anything else is
short, and what it says is dropped when whoever waited for it has gone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

import msgspec
from textual.dom import DOMNode
from textual.message import Message

from localrec.foundation.errors import LocalrecError, ModelCancelledError
from localrec_tui.log_buffer import log
from localrec_tui.messages import WorkFailed, WorkStopped
from localrec_tui.services.records import RequestHandle


def run_in_thread(
    node: DOMNode,
    what: str,
    work: Callable[[], Message | None],
    request: RequestHandle | None = None,
    *,
    is_logged: bool = True,
) -> None:
    """Do work in a thread, and post its message to a node.

    Args:
        node: A screen, a widget or the app.
        what: The name of the work, for the log and for an error.
        work: Does the work and returns a message, or None.
        request: The question that it serves, if it does.
        is_logged: Log how long it took; a look every few seconds would fill the log.
    """

    def run() -> None:
        prepare_decoders()
        started = time.perf_counter()
        message = _outcome(what, work, request)
        if is_logged:
            log.info("%s: %.0f ms", what, 1000 * (time.perf_counter() - started))
        if message is not None:
            node.post_message(message)

    node.run_worker(run, name=what, group=what, thread=True)


def _outcome(
    what: str, work: Callable[[], Message | None], request: RequestHandle | None
) -> Message | None:
    try:
        return work()
    except ModelCancelledError as error:
        if request is not None:
            return WorkStopped(request)
        return WorkFailed(what, error.message, error.hint)
    except LocalrecError as error:
        log.warning("%s: %s", what, error)
        return WorkFailed(what, error.message, error.hint, request)
    except Exception as error:  # noqa: BLE001 - a fault in one request must not end the app
        log.exception("%s", what)
        told = f"localrec has a fault: {type(error).__name__}: {error}."
        return WorkFailed(what, told, "Press F9 for the log, and S to save it.", request)


_lock = Lock()


_is_done = False


def prepare_decoders() -> None:
    """Work out the shapes that all work shares; the first call does, the others wait for it."""
    global _is_done
    if _is_done:
        return
    from localrec.data.domains import Domain
    from localrec.foundation.settings import Settings

    with _lock:
        if not _is_done:
            for shape in (Domain, Settings):
                msgspec.json.Decoder(shape)
            _is_done = True

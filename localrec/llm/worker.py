"""The model's process: `python -m localrec.llm.worker READ_FD WRITE_FD PARENT_PID`.

llama.cpp crashes on some inputs, holds the interpreter for seconds and writes to the terminal's
file descriptors, so it lives here. Frames come and go over two inherited pipes; a second thread
reads them, so that a cancel arrives while a call is running.

The process ends when its pipe closes or its parent is another one than at the start. It does not
use PR_SET_PDEATHSIG: Linux sends that signal when the *thread* that started the child ends, and an
application starts models from worker threads.
"""

from __future__ import annotations

import os
import queue
import resource
import select
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from localrec.foundation.errors import ContextError, LocalrecError, ModelCancelledError
from localrec.llm import protocol
from localrec.llm.protocol import CallRequest, Request

if TYPE_CHECKING:
    from collections.abc import Callable

    from localrec.llm.native_model import NativeModel
    from localrec.llm.projector import Projector
    from localrec.llm.session import ChatSession

_PARENT_CHECK_MS = 1000
_TELL_EVERY_S = 1.0  # how often a call that lasts tells that it moves


def main(arguments: list[str]) -> None:
    """Serve one model until the client is gone; never returns."""
    read_fd, write_fd, parent_pid = map(int, arguments)
    # A core file of this process would hold the prompts.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    inbox = Inbox(read_fd, parent_pid)
    threading.Thread(target=inbox.read_forever, name="frames", daemon=True).start()
    server = _Server(inbox, lambda piece: _write_all(write_fd, protocol.encode_frame(piece)))
    while True:
        reply = server.answer(inbox.next_request())
        _write_all(write_fd, protocol.encode_frame(reply))


class Inbox:
    """Requests in order, and the cancelled ones; filled by a thread."""

    def __init__(self, read_fd: int, parent_pid: int) -> None:
        self._read_fd = read_fd
        self._parent_pid = parent_pid
        self._requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self._running = 0
        self._cancelled = -1

    def next_request(self) -> Request:
        """Wait for the next request, which becomes the running one."""
        request = self._requests.get()
        self._running = 0 if isinstance(request, protocol.OpenRequest) else request.call
        return request

    def should_stop(self) -> bool:
        """Whether the running call was cancelled. Numbers only rise, so a late one is harmless."""
        return self._cancelled == self._running

    def read_forever(self) -> None:
        """Read frames until the pipe or the parent is gone, then end the process.

        `os._exit` because the main thread may be deep inside llama.cpp, and nothing here needs
        cleaning up: no file is open for writing.
        """
        try:
            while True:
                length = protocol.body_length(self._read_exactly(protocol.LENGTH_BYTES))
                request = protocol.decode_request(self._read_exactly(length))
                if isinstance(request, protocol.CancelRequest):
                    self._cancelled = request.call
                else:
                    self._requests.put(request)
        except EOFError:
            os._exit(0)
        except BaseException:  # noqa: BLE001  a reader that dies silently would leave an orphan
            sys.excepthook(*sys.exc_info())
            os._exit(1)

    def _read_exactly(self, count: int) -> bytes:
        poller = select.poll()
        poller.register(self._read_fd, select.POLLIN)
        taken = bytearray()
        while len(taken) < count:
            # The pipe alone would do, were there no forked sibling that holds its other end.
            while not poller.poll(_PARENT_CHECK_MS):
                if os.getppid() != self._parent_pid:
                    raise EOFError
            part = os.read(self._read_fd, count - len(taken))
            if not part:
                raise EOFError
            taken += part
        return bytes(taken)


class _Server:
    """Answer requests; holds the model after `OpenRequest`."""

    def __init__(self, inbox: Inbox, say: Callable[[protocol.Reply], None]) -> None:
        self._inbox = inbox
        self._reported_at = time.monotonic()
        self._say = say
        self._projector: Projector | None = None
        self._model: NativeModel | None = None
        self._session: ChatSession | None = None

    def answer(self, request: Request) -> protocol.Reply:
        """Carry out a request; an error that leaves the model usable becomes a reply."""
        try:
            if isinstance(request, protocol.OpenRequest):
                return self._open(request)
            if isinstance(request, protocol.CancelRequest):
                raise TypeError("a cancel is never queued")
            return self._answer_call(request)
        except ModelCancelledError as error:
            return protocol.ErrorReply("cancelled", error.message, error.hint)
        except ContextError as error:
            return protocol.ErrorReply("context", error.message, error.hint)
        except LocalrecError as error:
            return protocol.ErrorReply("model", error.message, error.hint)

    def _open(self, request: protocol.OpenRequest) -> protocol.OpenReply:
        # llama.cpp and numpy: tests import this module without them.
        from localrec.llm.native_model import NativeModel

        self._model = NativeModel(
            Path(request.path),
            n_ctx=request.n_ctx,
            n_threads=request.n_threads,
            embedding_context=request.embedding_context,
            pooling=request.pooling,
            repack=request.repack,
            adapter=Path(request.adapter) if request.adapter else None,
            adapter_scale=request.adapter_scale,
            template=request.template,
            should_stop=self._should_stop,
        )
        self._model.warm_up()
        nats = self._model.cross_entropy() if request.self_test else None
        if request.projector is not None:
            from localrec.llm.projector import Projector  # brings llama.cpp, see above

            self._projector = Projector(Path(request.projector), self._model, self._should_stop)
        return protocol.OpenReply(nats)

    def _should_stop(self) -> bool:
        """Whether the running call was cancelled; tells now and then that it goes on."""
        now = time.monotonic()
        if now - self._reported_at >= _TELL_EVERY_S:
            self._reported_at = now
            self._say(protocol.MovedReply())
        return self._inbox.should_stop()

    def _loaded(self) -> NativeModel:
        if self._model is None:
            raise TypeError("a call came before its model was opened")
        return self._model

    def _eyes(self) -> Projector:
        if self._projector is None:
            raise TypeError("a picture came to a model without a projector")
        return self._projector

    def _chat(self) -> ChatSession:
        """Return the chat session, made at the first question: embedding models have none."""
        if self._session is None:
            from localrec.llm.session import ChatSession  # brings llama.cpp, see _open

            self._session = ChatSession(self._loaded())
        return self._session

    def _answer_call(self, call: CallRequest) -> protocol.Reply:
        match call:
            case protocol.ChooseRequest():
                choice = self._chat().choose(call.messages, call.labels, call.fixed)
                return protocol.ChooseReply(choice)
            case protocol.GenerateRequest():
                return protocol.GenerateReply(self._chat().generate(call.messages, call.options))
            case protocol.DescribeRequest():
                return protocol.GenerateReply(
                    self._chat().describe(
                        self._eyes(),
                        call.bitmap,
                        call.messages,
                        grammar=call.grammar,
                        max_tokens=call.max_tokens,
                        on_chunk=lambda piece: self._say(protocol.TextChunk(piece)),
                    )
                )
            case protocol.CountRequest():
                return protocol.CountReply(len(self._loaded().tokens_of(call.text)))
            case protocol.EmbedRequest():
                vectors = self._loaded().embed(call.texts)
                return protocol.EmbedReply(vectors.tobytes(), vectors.shape[1])
            case protocol.TokenizeRequest():
                tokens = self._chat().tokenise(call.messages, call.prefix)
                return protocol.TokenizeReply(tuple(tokens))
            case protocol.LogitsRequest():
                return protocol.LogitsReply(self._chat().score(call.tokens, call.rows).tobytes())


def _write_all(fd: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


if __name__ == "__main__":
    main(sys.argv[1:])

"""A chat model in a supervised process of its own, as other rooms use it.

The process starts at the first call, is killed and restarted when it dies, and never touches the
terminal. Its attention memory, and with it everything said in a prompt, ends with it.
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar, Unpack

import msgspec

from localrec.data.chat_message import Message
from localrec.foundation.errors import (
    ContextError,
    ModelCancelledError,
    ModelCrashedError,
    ModelError,
)
from localrec.foundation.paths import make_private, pulled
from localrec.llm import protocol
from localrec.llm.chat_model import (
    Bitmap,
    GenerateKeywords,
    GenerateOptions,
    Generation,
    LabelProbabilities,
    ignore_chunk,
)
from localrec.llm.child_process import ChildGoneError, ChildProcess
from localrec.llm.gguf_header import (
    GgufHeader,
    check_adapter,
    check_chat_model,
    check_model,
    check_projector,
    read_header,
)
from localrec.llm.model_catalog import declared_template
from localrec.llm.self_test import is_test_due, remember, require_fluent

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_CANCEL_PATIENCE_S = 0.4
_CONTEXT_STEP = 256  # llama.cpp pads a context to this
_LONGEST_EMBEDDED_TEXT = 2048
_SILENCE_S = 180.0  # a picture is encoded in one piece, which tells nothing meanwhile
_TRAPS = (signal.SIGILL, signal.SIGSEGV)  # what instructions end in that a machine does not take


_AnyReply = TypeVar("_AnyReply", bound=protocol.Reply)

_FAILURES = {"model": ModelError, "context": ContextError, "cancelled": ModelCancelledError}


class _ModelFiles(msgspec.Struct, frozen=True):
    """The files of a model and the settings that it is opened with."""

    path: Path
    n_ctx: int
    n_threads: int | None
    adapter: Path | None
    adapter_scale: float
    projector: Path | None

    def checked_header(self) -> GgufHeader:
        """Read the header of the model, and check that adapter and projector belong to it."""
        header = read_header(self.path)
        check_model(self.path, header)
        if not header.has_chat_template and declared_template(self.path):
            header = msgspec.structs.replace(header, has_chat_template=True)
        if self.adapter is not None:
            check_adapter(self.adapter, read_header(self.adapter), header)
        if self.projector is not None:
            check_projector(self.projector, read_header(self.projector))
        return header

    def open_request(
        self, header: GgufHeader, repack: bool, self_test: bool
    ) -> protocol.OpenRequest:
        """Ask the process to load the files."""
        wanted = min(self.n_ctx, header.context_length or self.n_ctx)
        return protocol.OpenRequest(
            path=str(self.path),
            n_ctx=-(-wanted // _CONTEXT_STEP) * _CONTEXT_STEP,
            n_threads=self.n_threads,
            embedding_context=min(wanted, _LONGEST_EMBEDDED_TEXT),
            pooling=header.pooling,
            repack=repack,
            adapter=str(self.adapter) if self.adapter else None,
            adapter_scale=self.adapter_scale,
            projector=str(self.projector) if self.projector else None,
            template=declared_template(self.path),
            self_test=self_test,
        )


class ModelProcess:
    """`ChatModel` and embedder over a child process; safe to share between threads.

    Calls run one at a time. A call that is cut off by Ctrl+C takes the process with it, since the
    stream would be out of step; the next call starts a new one, without a cached prefix.

    Args:
        path: GGUF model.
        n_ctx: Context in tokens, rounded up to 256 and cut to what the model was trained for.
        n_threads: CPU threads; None takes all that this process may use.
        adapter: LoRA adapter as GGUF, trained on this model.
        adapter_scale: Strength of the adapter; 0 equals the bare model.
        projector: Projector that encodes pictures for this model, as GGUF (mmproj).
        log: File for llama.cpp's own messages, appended to; None throws them away.
        self_test: Refuse a model that cannot predict plain English.
        silence_s: Seconds of silence during a call after which the process is stopped.
    """

    def __init__(
        self,
        path: Path,
        *,
        n_ctx: int = 4096,
        n_threads: int | None = None,
        adapter: Path | None = None,
        adapter_scale: float = 1.0,
        projector: Path | None = None,
        log: Path | None = None,
        self_test: bool = False,
        silence_s: float = _SILENCE_S,
    ) -> None:
        self._self_test = self_test
        self._silence_s = silence_s
        self.name = f"{path.stem}+{adapter.stem}" if adapter else path.stem
        self._path = path.absolute()
        self._files = _ModelFiles(
            self._path,
            n_ctx,
            n_threads,
            adapter.absolute() if adapter else None,
            adapter_scale,
            projector.absolute() if projector else None,
        )
        self._log = log
        self._header: GgufHeader | None = None
        self._child: ChildProcess | None = None
        self._calls = itertools.count(1)
        self._turn = threading.Lock()  # held for a whole call
        self._switch = threading.Lock()  # held for moments: guards _child, _running and _deadline
        self._running: int | None = None
        self._deadline: float | None = None

    @property
    def supports_tools(self) -> bool:
        """Whether the file's chat template writes tool calls as JSON within `<tool_call>` tags.

        Raises:
            ModelError: the file is missing or no GGUF.
        """
        if self._header is None:
            self._header = self._files.checked_header()
        return self._header.supports_tools

    def choose(
        self, messages: Sequence[Message], labels: Sequence[str], fixed: int = 0
    ) -> LabelProbabilities:
        """Compute probabilities over `labels`, which must differ in their first token.

        Raises:
            ModelError: the model, its prompt or its labels cannot be used.
            ModelCrashedError: the process died; the next call starts a new one.
            ModelCancelledError: `cancel` was called.
        """
        return self._ask(
            lambda call: protocol.ChooseRequest(call, tuple(messages), tuple(labels), fixed),
            protocol.ChooseReply,
            chat=True,
        ).choice

    def generate(
        self, messages: Sequence[Message], **options: Unpack[GenerateKeywords]
    ) -> Generation:
        """Write an answer of at most `max_tokens`, behind `prefix`; fewer where the context ends.

        Raises:
            ContextError: the prompt is longer than the context.
            ModelError: the model, its prompt or its grammar cannot be used.
            ModelCrashedError: the process died; the next call starts a new one.
            ModelCancelledError: `cancel` was called.
        """
        return self._ask(
            lambda call: protocol.GenerateRequest(
                call, tuple(messages), GenerateOptions(**options)
            ),
            protocol.GenerateReply,
            chat=True,
        ).generation

    def describe(
        self,
        bitmap: Bitmap,
        messages: Sequence[Message],
        *,
        grammar: str | None = None,
        max_tokens: int = 256,
        on_chunk: Callable[[str], None] | None = None,
    ) -> Generation:
        """Write about an image, which stands before the text of the last message.

        Raises:
            ContextError: picture and prompt are longer than the context.
            ModelError: projector, model, prompt or grammar is missing or cannot be used.
            ModelCrashedError: the process died; the next call starts a new one.
            ModelCancelledError: `cancel` was called.
        """
        if self._files.projector is None:
            raise ModelError(
                f"{self._path.name} has no projector, so it sees no pictures.",
                "Name it: localrec models use vision MODEL.gguf --projector MMPROJ.gguf",
            )
        return self._ask(
            lambda call: protocol.DescribeRequest(
                call, bitmap, tuple(messages), grammar, max_tokens
            ),
            protocol.GenerateReply,
            chat=True,
            on_chunk=on_chunk or ignore_chunk,
        ).generation

    def count_tokens(self, text: str) -> int:
        """Count the tokens of `text` as plain text, without special tokens."""
        return self._ask(lambda call: protocol.CountRequest(call, text), protocol.CountReply).tokens

    def tokenise(self, messages: Sequence[Message], prefix: str = "") -> tuple[int, ...]:
        """Return the tokens that `generate` would evaluate for a prompt and a prefix."""
        return self._ask(
            lambda call: protocol.TokenizeRequest(call, tuple(messages), prefix),
            protocol.TokenizeReply,
            chat=True,
        ).tokens

    def score(self, tokens: Sequence[int], rows: int = 1) -> NDArray[np.float32]:
        """Compute the logits of each next token after each of the last `rows` of `tokens`.

        Float32 of shape (rows, vocabulary); for looking at a model, nothing that answers needs it.

        Raises:
            ContextError: there are more tokens than the context holds.
            ModelError: there are fewer tokens than rows, or one is not in the vocabulary.
        """
        import numpy as np  # costs a tenth of a second, which a chat model need not pay

        reply = self._ask(
            lambda call: protocol.LogitsRequest(call, tuple(tokens), rows),
            protocol.LogitsReply,
            chat=True,
        )
        return np.frombuffer(reply.rows, dtype=np.float32).reshape(rows, -1).copy()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of `texts`, float32 of shape (texts, size); "" gives zeros.

        Token vectors are pooled as the file declares, else by their mean. Texts are cut to the
        context or 2,048 tokens.
        """
        import numpy as np  # see `score`

        reply = self._ask(
            lambda call: protocol.EmbedRequest(call, tuple(texts)), protocol.EmbedReply
        )
        return np.frombuffer(reply.rows, dtype=np.float32).reshape(len(texts), reply.size).copy()

    @property
    def is_running(self) -> bool:
        """Whether there is a process; the first call starts one."""
        child = self._child
        return child is not None and child.is_alive()

    @property
    def memory(self) -> int | None:
        """Return the bytes of memory of the process; None without one, or where unknown."""
        child = self._child
        return None if child is None else child.memory()

    def cancel(self) -> None:
        """End the running call from another thread; returns at once, does nothing when idle.

        The call raises `ModelCancelledError`. A model that does not stop within 0.4 s is killed
        and started anew by the next call.
        """
        with self._switch:
            if self._running is None:
                return
            self._deadline = time.monotonic() + _CANCEL_PATIENCE_S
            if self._child is not None:
                # A process that is gone needs no word; the waiting call notices by itself.
                with contextlib.suppress(OSError, ValueError, EOFError):
                    self._child.send(protocol.CancelRequest(self._running))

    def close(self) -> None:
        """End the process, and a call that may be running; a later call would start it again."""
        self.cancel()
        with self._turn:
            self._drop_child()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # --- one call ---

    def _ask(
        self,
        make: Callable[[int], protocol.CallRequest],
        expected: type[_AnyReply],
        *,
        chat: bool = False,
        on_chunk: Callable[[str], None] = ignore_chunk,
    ) -> _AnyReply:
        with self._turn:
            call = next(self._calls)
            with self._switch:
                self._running, self._deadline = call, None
            try:
                reply = self._exchange(make(call), chat, on_chunk)
            finally:
                with self._switch:
                    self._running = None
        return _checked_reply(reply, expected)

    def _exchange(
        self, request: protocol.CallRequest, chat: bool, on_chunk: Callable[[str], None]
    ) -> protocol.Reply:
        """Send a request and wait, starting the process first where there is none."""
        try:
            child = self._child if self._child and self._child.is_alive() else self._start()
            if chat and self._header is not None:
                check_chat_model(self._path, self._header)
            return child.ask(request, self._is_overdue, on_chunk)
        except ChildGoneError as error:
            self._drop_child()
            if self._deadline is not None:
                raise ModelCancelledError("The call was stopped.") from error
            raise ModelCrashedError(
                f"The process of {self._path.name} {error} during a call.",
                "Ask again: the next call starts a new one.",
            ) from error
        except ModelError:
            raise
        except BaseException:
            # Ctrl+C and the like: a reply may be half read, so this stream is of no more use.
            self._drop_child()
            raise

    def _is_overdue(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _start(self) -> ChildProcess:
        """Check the files, start the process and load the model into it."""
        _check_installed()
        self._drop_child()  # one that died while idle
        header = self._files.checked_header()
        plain_order = _plain_order_mark()
        repack = not plain_order.exists()
        try:
            return self._open(header, repack=repack)
        except ChildGoneError as error:
            if error.signal not in _TRAPS or not repack:
                raise
            child = self._open(header, repack=False)
            make_private(plain_order.parent)
            plain_order.touch()
            return child

    def _open(self, header: GgufHeader, *, repack: bool) -> ChildProcess:
        is_due = self._self_test and is_test_due(self._path)
        child = ChildProcess(self._log, self._silence_s)
        with self._switch:
            self._header, self._child = header, child
        opened = child.ask(self._files.open_request(header, repack, is_due), self._is_overdue)
        try:
            _check_opened(self._path, opened)
        except ModelError:
            self._drop_child()
            raise
        return child

    def _drop_child(self) -> None:
        """End the process and forget it."""
        with self._switch:
            child, self._child = self._child, None
        if child is not None:
            child.stop()


def _plain_order_mark() -> Path:
    """The file that is there once weights in plain order were found to be needed."""
    # A llama.cpp that GCC 12 compiled for AMX dies there at its first batch, and some virtual
    # machines announce instructions that they do not carry out. Weights in plain order need
    # none of them; where that helped it is kept in mind, a crash costs half a second.
    return pulled("models") / "plain-weight-order"


def _check_opened(path: Path, opened: protocol.Reply) -> None:
    """Refuse a model that did not load, or that the self-test found to read no language."""
    if isinstance(opened, protocol.ErrorReply):
        raise ModelError(opened.message, opened.hint)
    if isinstance(opened, protocol.OpenReply) and opened.nats is not None:
        require_fluent(path, remember(path, opened.nats))


def _checked_reply(reply: protocol.Reply, expected: type[_AnyReply]) -> _AnyReply:
    """Raise what the reply tells, or return it as what was expected."""
    if isinstance(reply, protocol.ErrorReply):
        raise _FAILURES[reply.kind](reply.message, reply.hint)
    if not isinstance(reply, expected):
        raise TypeError(f"{type(reply).__name__} in reply to {expected.__name__}")
    return reply


def _check_installed() -> None:
    if importlib.util.find_spec("llama_cpp") is None:
        raise ModelError(
            "llama-cpp-python is not installed, so no GGUF model can run.",
            "pip install 'localrec[llm]'",
        )

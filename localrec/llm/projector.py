"""Encode images for a model; runs in the model's process, beside `gguf`.

llama.cpp's generic multimodal interface (MTMD) takes any projector file (mmproj) that was made for
the loaded model. It gets pixels that localrec decoded itself: no file, no address and no decoder of
its own. Every pointer is checked. Encoding cannot be stopped from within; a cancel during it ends
the process.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import llama_cpp.mtmd_cpp as mtmd

from localrec.foundation.errors import ContextError, ModelCancelledError, ModelError
from localrec.llm.chat_model import Bitmap
from localrec.llm.native_log import cause, log
from localrec.llm.native_model import BATCH, NativeModel

_LARGEST_SIDE = 4096  # pixels; localrec's own pictures are smaller by far


class Projector:
    """A loaded projector.

    Args:
        path: The projector's file, its header already checked.
        model: The model it was made for.
        should_stop: Called between the parts of a picture; True ends it.

    Raises:
        ModelError: llama.cpp does not take it, or it does not see.
    """

    def __init__(self, path: Path, model: NativeModel, should_stop: Callable[[], bool]) -> None:
        mtmd.mtmd_log_set(log, None)
        mtmd.mtmd_helper_log_set(log, None)
        self._path = path
        self._model = model
        self._should_stop = should_stop
        parameters = mtmd.mtmd_context_params_default()
        parameters.n_threads = model.threads
        parameters.print_timings = False
        parameters.warmup = False  # the first picture is encoded soon enough
        self._context = mtmd.mtmd_init_from_file(os.fsencode(path), model.handle, parameters)
        if not self._context:
            raise ModelError(
                f"llama.cpp cannot use {path} with this model: {cause()}.",
                "Use the mmproj file that was published with the model.",
            )
        if not mtmd.mtmd_support_vision(self._context):
            raise ModelError(f"{path} hears and does not see.", "Use a projector for pictures.")

    def show(self, bitmap: Bitmap) -> int:
        """Evaluate an image after the current context; return its tokens.

        Raises:
            ModelError: these are no pixels, or llama.cpp failed.
            ContextError: the picture does not fit.
            ModelCancelledError: `should_stop` said so.
        """
        with self._pieces(bitmap) as pieces:
            tokens = int(mtmd.mtmd_helper_get_n_tokens(pieces))
            if self._model.position + tokens >= self._model.n_ctx:
                raise ContextError(
                    f"The picture takes {tokens} tokens, the model's context is "
                    f"{self._model.n_ctx}.",
                    "Use a model that reads pictures in fewer tokens.",
                )
            for number in range(mtmd.mtmd_input_chunks_size(pieces)):
                if self._should_stop():
                    raise ModelCancelledError("The call was stopped.")
                self._read(mtmd.mtmd_input_chunks_get(pieces, number))
        return tokens

    def _read(self, piece: Any) -> None:
        """Encode one piece and evaluate it after the current context."""
        behind = mtmd.llama_cpp.llama_pos(0)
        code = mtmd.mtmd_helper_eval_chunk_single(
            self._context,
            self._model.context,
            piece,
            self._model.position,
            0,
            BATCH,
            True,
            ctypes.byref(behind),
        )
        if code == 2 and self._should_stop():
            raise ModelCancelledError("The call was stopped.")
        if code:
            raise ModelError(f"llama.cpp failed to read the picture (code {code}).")
        self._model.move_to(behind.value)

    @contextmanager
    def _pieces(self, bitmap: Bitmap) -> Iterator[Any]:
        """Split the image into the model's pieces, with the marks around it."""
        with _pixels(bitmap) as image, _chunks() as pieces:
            marker = mtmd.mtmd_get_marker(self._context) or mtmd.mtmd_default_marker()
            text = mtmd.mtmd_input_text(
                text=marker, text_len=len(marker), add_special=False, parse_special=True
            )
            images = (mtmd.mtmd_bitmap_p_ctypes * 1)(image)
            code = mtmd.mtmd_tokenize(self._context, pieces, ctypes.byref(text), images, 1)
            if code:
                raise ModelError(f"{self._path} cannot take this picture (code {code}).")
            yield pieces


@contextmanager
def _pixels(bitmap: Bitmap) -> Iterator[Any]:
    """Copy the pixels into llama.cpp's memory; a wrong size would read beyond them."""
    sides = (bitmap.width, bitmap.height)
    if not all(0 < side <= _LARGEST_SIDE for side in sides) or len(bitmap.rgb) != 3 * (
        bitmap.width * bitmap.height
    ):
        raise ModelError(f"{len(bitmap.rgb)} bytes are no picture of {sides[0]} by {sides[1]}.")
    raw = (ctypes.c_uint8 * len(bitmap.rgb)).from_buffer_copy(bitmap.rgb)
    image = mtmd.mtmd_bitmap_init(*sides, raw)
    if not image:
        raise ModelError("llama.cpp has no memory for the picture.")
    try:
        yield image
    finally:
        mtmd.mtmd_bitmap_free(image)


@contextmanager
def _chunks() -> Iterator[Any]:
    pieces = mtmd.mtmd_input_chunks_init()
    if not pieces:
        raise ModelError("llama.cpp has no memory for the picture.")
    try:
        yield pieces
    finally:
        mtmd.mtmd_input_chunks_free(pieces)

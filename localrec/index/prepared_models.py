"""A model of ONNX as onnxruntime runs it, kept beside the pulled models and mapped at opening.

To open the pulled MiniLM is to write its graph anew (`minilm_int8.py`), to order it and to hold
everything twice. Done once and kept, the weights are mapped instead, and the vectors are the same,
bit for bit. Whatever of it is missing, old or in the way is made again or done without.
"""

from __future__ import annotations

import io
import os
import platform
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from localrec.foundation.atomic_files import (
    atomic_folder,
    remove_stale_temporaries,
    short_digest,
    write_atomically,
)
from localrec.foundation.errors import WorkspaceError
from localrec.foundation.file_marks import file_mark
from localrec.foundation.paths import make_private, pulled

if TYPE_CHECKING:
    from onnxruntime import InferenceSession, SessionOptions

_MODEL, _WEIGHTS = "model.onnx", "weights.bin"
_EXTERNAL_FROM = "1024"  # bytes; smaller arrays stay in the model's own file
_UNUSED_S = 14 * 86_400.0  # a form that nobody opened for so long is in nobody's use


class GraphRewrite(NamedTuple):
    """Another graph for the weights of a model.

    Args:
        name: Told apart by; another one where `write` changes.
        write: Makes a file of ONNX of the pulled file; raises where that is another model.
    """

    name: str
    write: Callable[[Path], bytes]


AS_PULLED = GraphRewrite("", Path.read_bytes)


def open_prepared(
    model: Path, options: SessionOptions, rewrite: GraphRewrite = AS_PULLED
) -> InferenceSession:
    """Open a model as it was prepared, or open it as it is and prepare it for next time.

    Args:
        model: The pulled file.
        options: Options of the session.
        rewrite: Makes the graph that is run of the file.

    Raises:
        Exception: the file is no model; onnxruntime's exceptions share no narrower base.
    """
    import onnxruntime

    try:
        folder = _folder_of(model, rewrite)
    except (OSError, WorkspaceError):  # no folder to keep anything in
        return _open(model, options, rewrite)
    if (folder / _MODEL).is_file():
        try:
            as_stored = _copy_of(options)
            as_stored.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
            session = _open(folder / _MODEL, as_stored)
            with suppress(OSError):  # a cache that is only read: nobody removes from it either
                os.utime(folder)
            return session
        except Exception:  # noqa: BLE001 - a cache that cannot be read is made again
            shutil.rmtree(folder, ignore_errors=True)
    return _prepare(model, options, rewrite, folder)


def prepared_array(
    model: Path,
    rewrite: GraphRewrite,
    name: str,
    size: int,
    make: Callable[[Path], NDArray[np.float32]],
) -> NDArray[np.float32]:
    """Return an array that is made from a model, kept beside the model's prepared form and mapped.

    Args:
        model: The pulled file.
        rewrite: The rewrite that its prepared form was opened with.
        name: Name of the array.
        size: The number of its elements; a file of another size is made again.
        make: Makes the array from the file.
    """
    try:
        kept = _folder_of(model, rewrite) / f"{name}.npy"
        found = np.load(kept, mmap_mode="r", allow_pickle=False)
        if found.shape == (size,) and found.dtype == np.float32:
            return found
    except (OSError, ValueError, WorkspaceError):
        pass
    made = make(model)
    try:
        folder = _folder_of(model, rewrite)
        if folder.is_dir():
            file = io.BytesIO()
            np.save(file, made, allow_pickle=False)
            write_atomically(folder / f"{name}.npy", file.getvalue())
    except (OSError, WorkspaceError):  # a full disk: it is made again next time
        pass
    return made


def _prepare(
    model: Path, options: SessionOptions, rewrite: GraphRewrite, folder: Path
) -> InferenceSession:
    session: InferenceSession | None = None
    try:
        remove_stale_temporaries(make_private(folder.parent))
        # Not replaced: a folder that is there by now was made by another process, which was faster.
        with atomic_folder(folder, can_replace=False) as beside:
            session = _open(model, _storing(options, beside), rewrite)
            if not (beside / _WEIGHTS).is_file():
                raise FileNotFoundError(_WEIGHTS)
        _remove_unused(folder)
    except Exception:  # noqa: BLE001 - a full disk, or a file that is no model: told below
        pass
    return _open(model, options, rewrite) if session is None else session


def _storing(options: SessionOptions, beside: Path) -> SessionOptions:
    """Options with which opening a model also writes its prepared form."""
    storing = _copy_of(options)
    storing.optimized_model_filepath = str(beside / _MODEL)
    for key, value in (("file_name", _WEIGHTS), ("min_size_in_bytes", _EXTERNAL_FROM)):
        storing.add_session_config_entry(
            f"session.optimized_model_external_initializers_{key}", value
        )
    return storing


def _remove_unused(folder: Path) -> None:
    """Remove the other forms of the same model that nobody opened for two weeks.

    Other versions of localrec and of onnxruntime may share the cache and open forms of their own.
    """
    begins, unused_since = folder.name.rpartition("-")[0], time.time() - _UNUSED_S
    for other in folder.parent.glob(f"{begins}-*"):
        if other == folder or other.name.endswith(".tmp"):
            continue
        with suppress(OSError):  # another process removed it first
            if other.stat().st_mtime < unused_since:
                shutil.rmtree(other, ignore_errors=True)


def _folder_of(model: Path, rewrite: GraphRewrite) -> Path:
    """Return the folder for a model's prepared form, by this onnxruntime and this machine."""
    import onnxruntime

    made_from = (str(model.resolve()), str(file_mark(model)), onnxruntime.__version__)
    mark = short_digest(*made_from, rewrite.name, platform.machine(), platform.node())
    return pulled("prepared") / f"{model.parent.name}-{mark}"


def _copy_of(options: SessionOptions) -> SessionOptions:
    import onnxruntime

    copied = onnxruntime.SessionOptions()
    copied.intra_op_num_threads = options.intra_op_num_threads
    copied.log_severity_level = options.log_severity_level
    copied.enable_cpu_mem_arena = options.enable_cpu_mem_arena
    spinning = "session.intra_op.allow_spinning"
    copied.add_session_config_entry(spinning, options.get_session_config_entry(spinning))
    return copied


def _open(
    model: Path, options: SessionOptions, rewrite: GraphRewrite = AS_PULLED
) -> InferenceSession:
    import onnxruntime

    file = str(model) if rewrite is AS_PULLED else rewrite.write(model)
    return onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])

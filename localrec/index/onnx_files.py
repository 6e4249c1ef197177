"""Open what runs an embedder: models of ONNX and tokenizers, out of files that are at hand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from localrec.foundation.errors import ModelError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

    from localrec.index.prepared_models import GraphRewrite


def open_tokenizer(path: Path, max_tokens: int, remedy: str) -> Tokenizer:
    """A tokenizer out of a file, which cuts texts to `max_tokens`.

    Raises:
        ModelError: the file is missing, or is none; `remedy` says what to do.
    """
    require_file(path, remedy)
    # A child process started later would otherwise print a warning over the screen.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    from tokenizers import Tokenizer  # compiled: only who embeds pays for it

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises nothing narrower
        raise ModelError(f"{path} is not a tokenizer that can be read.", remedy) from error
    tokenizer.enable_truncation(max_tokens)
    return tokenizer


def open_session(
    path: Path,
    threads: int | None,
    remedy: str,
    *,
    rewrite: GraphRewrite | None = None,
) -> InferenceSession:
    """Open an ONNX model that is ready to run on the CPU.

    Args:
        path: Its file.
        threads: Threads for one call; None leaves it to onnxruntime.
        remedy: The remedy for a file that cannot be read.
        rewrite: Makes the graph that is run; that is kept, and opened from then on.

    Raises:
        ModelError: the file is missing, or is none.
    """
    require_file(path, remedy)
    import onnxruntime  # 0.1 s to import: only who embeds pays for it

    onnxruntime.disable_telemetry_events()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads or 0
    options.log_severity_level = 3  # errors; warnings would be drawn over the screen
    # The arena keeps the largest batch's memory for good (70 MB) and makes no batch faster.
    options.enable_cpu_mem_arena = False
    # Spinning threads burn both cores between questions and make a short text no faster.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        if rewrite is not None:
            from localrec.index.prepared_models import open_prepared

            return open_prepared(path, options, rewrite)
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions share no narrower base
        raise ModelError(f"{path} is not a model that can be read.", remedy) from error


def require_file(path: Path, remedy: str) -> None:
    """Refuse to go on without a file.

    Raises:
        ModelError: it is missing; `remedy` says what to do.
    """
    if not path.is_file():
        raise ModelError(f"The embedding model's file {path} is missing.", remedy)


def encodable(text: str) -> str:
    """`text` without lone surrogates, which JSON can carry and tokenizers refuse."""
    return text.encode("utf-8", "replace").decode("utf-8")

"""Keep the last lines of llama.cpp's log, to report why a load failed."""

from __future__ import annotations

import sys
from typing import Any

import llama_cpp.llama_cpp as native

_WARNING, _ERROR = 3, 4  # ggml_log_level


complaints: list[str] = []


@native.llama_log_callback
def log(level: int, text: bytes, _: Any) -> None:
    """Write warnings to stderr, which is the log file; collect errors to explain a failure.

    The list is the module's, since the C callback has no object to hang it on.
    """
    if level in (_WARNING, _ERROR):
        line = text.decode("utf-8", "replace")
        sys.stderr.write(line)
        if level == _ERROR:
            complaints.append(line.strip())


def cause() -> str:
    """Return the first complaint of llama.cpp since loading began; later ones follow from it."""
    return complaints[0] if complaints else "it gives no reason"

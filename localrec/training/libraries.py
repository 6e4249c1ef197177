"""Import the libraries of the `training` extra late, offline and with a clear error.

torch and transformers take seconds to load, so each function here imports them where it needs them,
within `training_libraries`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from localrec.foundation.errors import UsageError
from localrec.foundation.offline import switch_off_network

_PACKAGES = ("torch", "transformers", "peft", "trl", "accelerate", "safetensors", "gguf", "jinja2")


@contextmanager
def training_libraries() -> Iterator[None]:
    """Import the training libraries quietly inside the block.

    Raises:
        UsageError: one is not installed.
    """
    # They read the switches while they are imported; the command line has set them already.
    switch_off_network()
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _PACKAGES:
            raise
        raise UsageError(
            f"Training needs {missing}, which is not installed.",
            "Install it with: pip install 'localrec[training]'",
        ) from error

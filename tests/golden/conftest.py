"""A folder for each module of golden tests, and models and data only where they were pulled."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .program import golden_environment, is_pulled

Lend = Callable[..., Path]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder to work in; nothing that was pulled is seen there."""
    with golden_environment(tmp_path_factory.mktemp("golden")) as folder:
        yield folder


@pytest.fixture(scope="module")
def home_with(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lend]:
    """Lends a folder with one model or data set: `home_with("models", "minilm-int8")`.

    Where it was not pulled the test is skipped, or fails if LOCALREC_REQUIRE_MODELS is set.
    """
    with contextlib.ExitStack() as stack:

        def lend(kind: str, name: str) -> Path:
            folder = tmp_path_factory.mktemp("golden")
            stack.enter_context(golden_environment(folder, (kind, name)))
            if not is_pulled(folder, kind, name):
                reason = f"{name} is not here: localrec {kind} pull {name}"
                if os.environ.get("LOCALREC_REQUIRE_MODELS"):
                    pytest.fail(reason)
                pytest.skip(reason)
            return folder

        yield lend

"""How fast llama.cpp reads and writes here, and what OpenBLAS brings to reading.

Run:
    python scripts/studies/run.py reading [--model smollm2-135m] [--adapter agent-grpo]
        [--threads 1]

The same tokens are read 512 and 31 at a time by turns: a build with OpenBLAS multiplies with it
from 32 tokens on, so pieces of 31 show llama.cpp's own kernels. Tokens a second at the median of
the rounds.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from speeds import speed_options

from localrec.llm.adapter_files import fitting_adapter
from localrec.llm.model_catalog import model_path
from localrec.llm.native_model import BATCH, NativeModel

OWN_KERNELS = 31  # tokens at once that are not worth OpenBLAS to llama.cpp
READ, WRITTEN = 1024, 64


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens a second.

    Args:
        read: A long prompt, as it is read when it serves.
        read_by_own_kernels: The same in pieces that are too small for OpenBLAS.
        ratio: Of the two.
        written: One by one behind it.
    """

    read: float
    read_by_own_kernels: float
    ratio: float
    written: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    speed_options(parser)
    parser.add_argument("--adapter", help="of the agent, beside the model")


def measure(asked: argparse.Namespace) -> Pace:
    """Rounds of all three, by turns."""
    path = model_path(asked.model)
    adapter = fitting_adapter(asked.adapter, "agent", path) if asked.adapter else None
    return paces(opened(path, adapter, asked.threads), asked.rounds)


def opened(path: Path, adapter: Path | None, threads: int) -> NativeModel:
    """A model in this process, its kernels tried."""
    model = NativeModel(
        path,
        n_ctx=2 * READ,
        n_threads=threads,
        embedding_context=512,
        pooling=None,
        repack=True,
        adapter=adapter,
        adapter_scale=1.0,
        template="",
        should_stop=lambda: False,
    )
    model.warm_up()
    return model


def paces(model: NativeModel, rounds: int) -> Pace:
    """The same tokens read in both ways, then others written behind them."""
    tokens = np.random.default_rng(0).integers(100, 1000, READ).tolist()
    whole, pieces, written = [], [], []
    for _ in range(rounds):
        pieces.append(pace(model, tokens, OWN_KERNELS))
        whole.append(pace(model, tokens, BATCH))
        written.append(pace(model, tokens[:WRITTEN], 1, behind=READ))
    read, own = statistics.median(whole), statistics.median(pieces)
    return Pace(
        read=read, read_by_own_kernels=own, ratio=read / own, written=statistics.median(written)
    )


def pace(model: NativeModel, tokens: Sequence[int], at_once: int, behind: int = 0) -> float:
    """Tokens a second, so many at once, behind so many others."""
    model.keep_first(behind)
    started = time.perf_counter()
    for start in range(0, len(tokens), at_once):
        model.evaluate(tokens[start : start + at_once])
    return len(tokens) / (time.perf_counter() - started)

"""Sentences of a trained writer beside the templates', as blind pairs, and what judges chose.

Run:
    python scripts/studies/run.py writer_pairs --adapter writer.gguf --out FOLDER
    python scripts/studies/run.py writer_pairs --out FOLDER --verdicts verdicts.jsonl --report

The first writes both sentences about each item. `pairs.jsonl` has the facts and two sentences in a
drawn order, for whoever judges; `written.json` tells which is whose. Where no sentence of the
model was kept, both are the template's. A verdict is a line {"n": 0, "choice": "first"}, or
"second" or "same", which counts half. The rubric, in this order: it says the facts truly and
clearly; it is fluent; it is agreeable after a hundred others. Length alone never decides.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np
from findings import Findings, add_workspace, origin_of, show_step

from localrec.evaluation.provenance import Origin
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.statistics import IntervalEstimate, ratio_estimate
from localrec.explanation.writer import AdapterWriter, TemplateWriter
from localrec.foundation.errors import InputError
from localrec.llm.adapter_files import base_of, fitting_adapter
from localrec.llm.model_catalog import model_path
from localrec.llm.model_process import ModelProcess
from localrec.training.role_bench.records import SEED
from localrec.training.role_bench.writing_cases import ExplainedItem, draw_explained
from localrec.workspace import OpenWorkspace

_WRITTEN, _PAIRS = "written.json", "pairs.jsonl"


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """One item, and both sentences about it.

    Args:
        facts: What may be told.
        template: The template's sentence.
        model: The model's; the template's again where none was kept.
        is_model_first: The order in which judges see them.
        seconds: Time of the model's sentence, further tries included.
        shapes: Both sentences without their names: the template's, the model's.
    """

    facts: tuple[str, ...]
    template: str
    model: str
    is_model_first: bool
    seconds: float
    shapes: tuple[str, str]


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """All pairs of a run, with the number of sentences that were dropped."""

    model: str
    dropped: int
    pairs: tuple[Pair, ...]


class Verdict(msgspec.Struct, frozen=True):
    """A judge's choice of one pair."""

    n: int
    choice: Literal["first", "second", "same"]


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the docs.

    Args:
        origin: Command and versions.
        model: The model with its adapter.
        pairs: Number of pairs.
        preferred: Share in which the model's sentence was chosen; "same" counts half.
        preferred_own: The same of the pairs whose sentences differ.
        judged: Number of verdicts; those of one pair are averaged.
        dropped: Sentences in whose place the template wrote.
        shapes: Different sentences without names: the template's, the model's.
        seconds: Median and 95th percentile of a sentence.
    """

    origin: Origin
    model: str
    pairs: int
    preferred: IntervalEstimate
    preferred_own: IntervalEstimate
    judged: int
    dropped: int
    shapes: tuple[int, int]
    seconds: tuple[float, float]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_workspace(parser)
    parser.add_argument("--adapter", help="an adapter for the writer; writes the pairs")
    parser.add_argument("--pairs", type=int, default=200, help="the number of items")
    parser.add_argument("--seed", type=int, default=SEED, help="of the items and the order")
    parser.add_argument("--threads", type=int, help="of llama.cpp")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the pairs")
    parser.add_argument("--verdicts", type=Path, nargs="+", help="files of verdicts, to count")


def measure(asked: argparse.Namespace) -> Findings:
    """Write the pairs, or count what was chosen."""
    if asked.verdicts:
        return counted(asked)
    if not asked.adapter:
        raise InputError("There is nothing to do.", "Give --adapter, or --verdicts.")
    asked.out.mkdir(parents=True, exist_ok=True)
    written = write_pairs(asked)
    (asked.out / _WRITTEN).write_bytes(msgspec.json.encode(written))
    lines = (msgspec.json.encode(one) for one in as_blind(written.pairs))
    (asked.out / _PAIRS).write_bytes(b"\n".join(lines) + b"\n")
    return Findings(text=f"{len(written.pairs)} pairs, {written.dropped} of them without the model")


def write_pairs(asked: argparse.Namespace) -> Written:
    """Let both write about the same items."""
    model = model_path(base_of(asked.adapter))
    adapter = fitting_adapter(asked.adapter, "writer", model)
    draw = random.Random(asked.seed)
    pairs = []
    with (
        OpenWorkspace(asked.workspace) as workspace,
        ModelProcess(model, adapter=adapter, n_threads=asked.threads) as process,
    ):
        context = workspace.context(sorted(workspace.domains())[0])
        template, writer = TemplateWriter(), AdapterWriter(process)
        items = draw_explained(context, asked.pairs, asked.seed)
        for number, one in enumerate(items):
            plain = template.write(one.item, one.facts, one.intent, context.vocabulary)
            began = time.perf_counter()
            told = writer.write(one.item, one.facts, one.intent, context.vocabulary)
            seconds = time.perf_counter() - began
            pairs.append(pair_of(one, plain, told, draw.random() < 0.5, seconds))
            show_step("writing", number + 1, len(items))
        return Written(model=process.name, dropped=writer.dropped, pairs=tuple(pairs))


def pair_of(
    one: ExplainedItem, template: str, model: str, is_model_first: bool, seconds: float
) -> Pair:
    """Both sentences about an item."""
    return Pair(
        facts=tuple(fact.text for fact in one.facts if fact.is_direct),
        template=template,
        model=model,
        is_model_first=is_model_first,
        seconds=seconds,
        shapes=(one.shape(template), one.shape(model)),
    )


def as_blind(pairs: Sequence[Pair]) -> Iterator[dict[str, object]]:
    """The pairs as judges see them."""
    for number, pair in enumerate(pairs):
        texts = (pair.model, pair.template) if pair.is_model_first else (pair.template, pair.model)
        yield {"n": number, "facts": pair.facts, "first": texts[0], "second": texts[1]}


def counted(asked: argparse.Namespace) -> Findings:
    """Count what was chosen."""
    written = msgspec.json.decode((asked.out / _WRITTEN).read_bytes(), type=Written)
    lines = [line for path in asked.verdicts for line in path.read_bytes().splitlines() if line]
    verdicts = [msgspec.json.decode(line, type=Verdict) for line in lines]
    shares: dict[int, list[float]] = {}
    for one in verdicts:
        shares.setdefault(one.n, []).append(share_of(written.pairs[one.n], one))
    times = [pair.seconds for pair in written.pairs[1:]]  # the first reads the prefix
    shapes = [len({pair.shapes[side] for pair in written.pairs}) for side in (0, 1)]
    figures = Figures(
        origin=origin_of(
            "writer_pairs", "--pairs", str(len(written.pairs)), "--seed", str(asked.seed)
        ),
        model=written.model,
        pairs=len(written.pairs),
        preferred=ratio_estimate([(float(np.mean(one)), 1.0) for one in shares.values()]),
        preferred_own=ratio_estimate(
            [
                (float(np.mean(found)), 1.0)
                for number, found in shares.items()
                if written.pairs[number].model != written.pairs[number].template
            ]
        ),
        judged=len(verdicts),
        dropped=written.dropped,
        shapes=(shapes[0], shapes[1]),
        seconds=(float(np.median(times)), float(np.percentile(times, 95))),
    )
    return Findings(text=as_table(figures), page="models", block="writer-pairs", figures=figures)


def share_of(pair: Pair, verdict: Verdict) -> float:
    """1 where the model's sentence was chosen, 0 where the template's, and one half for neither."""
    if verdict.choice == "same":
        return 0.5
    return float((verdict.choice == "first") == pair.is_model_first)


def as_table(found: Figures) -> str:
    """The figures as a table."""
    return markdown_table(
        [
            *("writer", "pairs", "kept", "chosen", "of those that differ", "shapes"),
            *("of the template", "s, median", "95th"),
        ],
        [
            [
                found.model,
                str(found.pairs),
                f"{1 - found.dropped / found.pairs:.3f}",
                *(
                    f"{one.value:.3f} [{one.low:.3f}, {one.high:.3f}]"
                    for one in (found.preferred, found.preferred_own)
                ),
                str(found.shapes[1]),
                str(found.shapes[0]),
                *(f"{one:.2f}" for one in found.seconds),
            ]
        ],
    )

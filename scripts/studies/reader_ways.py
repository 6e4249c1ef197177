"""Ablate the reader of questions: rules, network, both, less training, a language model.

Run:
    python scripts/studies/run.py reader_ways --catalogues FOLDER FILE...
        [--networks 1000.npz 3000.npz] [--model smollm2-135m]

Every way reads the same questions and answers through the same stages. "Alone" the network decides
every refusal, as it ships it reads beside the rules; networks that learnt fewer questions, made by

    localrec train reader scripts/studies/questions/carriers/*.jsonl --questions 1000 --out 1000.npz

read beside the rules as well, and make a learning curve. The language model fills the slots under a
grammar, and rules stand in where it fails.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from statistics import median

import msgspec
from asked_catalogues import AskedCatalogue
from asked_judge import AskedQuestion, Verdict, judge
from asked_questions import MEASURES, put, read_questions, summarise
from findings import Findings, add_folder, origin_of, show_step

from localrec.data.answers import QuestionAnswerer
from localrec.data.questions import Question
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.foundation.paths import make_private
from localrec.index.embedders import open_embedder
from localrec.llm.model_catalog import model_path
from localrec.llm.model_process import ModelProcess
from localrec.systems.configs import MarcConfig
from localrec.systems.marc import Marc
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.understanding.question_roles import ALONE, WEIGHTS, RoleLimits, RoleTagger, load_roles
from localrec.workspace.domain_context import DomainContext
from localrec.workspace.model_pool import FixedModels

SHOWN = ("satisfied", "barred_served", "silently_wrong", "over_relaxed", "impossible_said")
_ASKED = 2  # times that `put` asks a question
_TIMES = ("ms of the processor", "ms by the clock")  # medians of an answer
Opener = Callable[[DomainContext], QuestionAnswerer]


class Way(msgspec.Struct, frozen=True):
    """One way to read questions: what opens its answerer, and megabytes beside the embedder."""

    open_: Opener
    size: float


class Read(msgspec.Struct, frozen=True):
    """A question as one way answered it.

    Args:
        question: What was asked.
        verdict: How the answer was judged.
        cpu_ms: Milliseconds of this process's processor for an answer. A language model writes in
            a process of its own, whose time is not in it.
        ms: Milliseconds of the first answer by the clock.
    """

    question: AskedQuestion
    verdict: Verdict
    cpu_ms: float
    ms: float


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("files", type=Path, nargs="+", help="questions, one JSON object a line")
    parser.add_argument("--catalogues", type=Path, required=True, help="folder of DOMAIN.jsonl")
    parser.add_argument("--networks", type=Path, nargs="*", default=[], help="that learnt less")
    parser.add_argument("--model", help="a language model that fills the slots")
    add_folder(parser, "--state", "asked", "where the built workspaces stay")


def measure(asked: argparse.Namespace) -> Findings:
    """Ask every question in every way."""
    questions = read_questions(asked.files)
    state = make_private(asked.state)
    told: dict[str, list[Read]] = {}
    sizes: dict[str, float] = {}
    with ways_of(asked) as ways:
        for domain in sorted({one.domain for one in questions}):
            mine = [one for one in questions if one.domain == domain]
            catalogue = AskedCatalogue(domain, asked.catalogues / f"{domain}.jsonl", state)
            workspace, context = catalogue.open({one.id: one.user for one in mine if one.user})
            with workspace:
                for name, way in ways.items():
                    sizes[name] = way.size
                    told.setdefault(name, []).extend(read(name, way, context, mine, catalogue))
    names = [one.name for one in asked.files]
    origin = origin_of("reader_ways", "--catalogues FOLDER", *names)
    text = f"{as_markdown(told, sizes)}\n\n`{origin.command}`, {origin.machine}."
    return Findings(text=text, page="questions", block="reader-ways")


@contextmanager
def ways_of(asked: argparse.Namespace) -> Iterator[dict[str, Way]]:
    """The ways by name; the language model runs as long as they are used."""
    encoder = open_embedder(threads=1)

    def tagged(network: Path, limits: RoleLimits) -> Opener:
        tagger = RoleTagger(load_roles(network), encoder, limits)

        def open_(context: DomainContext) -> QuestionAnswerer:
            context.indexes.role_tagger = tagger
            return SYSTEM_REGISTRY.answerer(context, "marc")

        return open_

    size = WEIGHTS.stat().st_size / 1e6
    ways = {
        "rules alone": Way(lambda context: SYSTEM_REGISTRY.answerer(context, "marc-rules"), 0.0),
        "network alone": Way(tagged(WEIGHTS, ALONE), size),
        "both, as it ships": Way(tagged(WEIGHTS, RoleLimits()), size),
    }
    for path in asked.networks:
        learnt = Way(tagged(path, RoleLimits()), path.stat().st_size / 1e6)
        ways[f"both, {path.stem}"] = learnt
    path = model_path(asked.model) if asked.model else None
    with ModelProcess(path, n_threads=1) if path else nullcontext() as model:
        if path and model:
            ways[f"{asked.model} fills the slots"] = Way(
                lambda context: Marc(
                    context.with_models(FixedModels(context.models, lambda _: model)),
                    MarcConfig(reader="adapter"),
                ),
                path.stat().st_size / 1e6,
            )
        yield ways


def read(
    name: str,
    way: Way,
    context: DomainContext,
    questions: Sequence[AskedQuestion],
    catalogue: AskedCatalogue,
) -> Iterator[Read]:
    """Ask all questions of one domain in one way; one before them warms everything up."""
    answerer = way.open_(context)
    answerer.answer(Question(query="warm up", id="warm up"), 3)
    for done, one in enumerate(questions, 1):
        show_step(f"{catalogue.name}, {name}", done, len(questions))
        begun = time.process_time()
        given, _ = put(one, answerer, catalogue.name_of)
        spent = 1000 * (time.process_time() - begun) / _ASKED
        verdict = judge(one, given, catalogue.rows, catalogue.rows_named)
        yield Read(one, verdict, spent, given.ms)


def as_markdown(told: Mapping[str, Sequence[Read]], sizes: Mapping[str, float]) -> str:
    """A row for each way, with what it gets wrong by style."""
    rows = []
    for name, found in told.items():
        measured = summarise([one.verdict for one in found])
        cells = (measured[measure].get("all") for measure in SHOWN)
        values = [f"{one.value:.3f} ({one.n})" if one and one.n else "-" for one in cells]
        times = [f"{median(getattr(one, t) for one in found):.0f}" for t in ("cpu_ms", "ms")]
        styles = Counter(
            style
            for one in found
            if (one.verdict.satisfied or 0) < 1
            for style in one.question.style
        )
        wrong = ", ".join(f"{style} {count}" for style, count in styles.most_common(4))
        size = f"{sizes[name]:.1f}" if sizes[name] else "-"
        rows.append([name, *values, size, *times, wrong])
    heads = ["way", *(MEASURES[name] for name in SHOWN), "MB", *_TIMES]
    return markdown_table([*heads, "not satisfied, by style"], rows)

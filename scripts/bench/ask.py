"""Measure a question's way through localrec, and hold it against the numbers it should live by.

Run:
    python scripts/studies/run.py ask [--repeat 3] [--model-questions 4] [--cache FOLDER] [--report]

Bundled catalogue: time per stage on the dev questions, warm. Model: its share of the time, its
time against llama.cpp called by itself for the same tokens, and what the prefix cache spared.
Vectors: recall of HNSW against the exact scan. Synthetic catalogue (`--items`, `--edges`): the
same stages at size; its vectors are sums of MiniLM's with noise, not texts that were embedded.
Ratios carry over to other machines, times do not.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from direct import Call, DirectProcess, RecordingModel
from findings import Findings, Timing, add_folder, origin_of, say
from gold_questions import build_workspace
from synthetic import open_catalogue

from localrec.data.questions import Question
from localrec.evaluation.provenance import Origin
from localrec.evaluation.questions.gold import read_gold
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.foundation.errors import ModelError
from localrec.foundation.paths import pulled, shipped
from localrec.graph.domain_files import load_domain
from localrec.index.embedders import open_embedder
from localrec.index.protocols import Embedder
from localrec.index.vectors import ExactIndex, HnswIndex
from localrec.llm.chat_model import ChatModel
from localrec.llm.model_catalog import model_path
from localrec.systems.configs import SYSTEMS
from localrec.systems.marc import Marc
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_context import DomainContext
from localrec.workspace.model_pool import FixedModels, Models, ModelsWrapper

DOMAIN = "cocktails"
K = 3
NEAREST = 10
CONTEXT = 4_096
ROUNDS = 5  # per model call on each side; the quickest counts, for other work on the machine adds
COMPARED = 4  # calls of each role that are made again; they are much alike


class CatalogueFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One catalogue: its size, time to open it, time per stage, recall of its vectors."""

    items: int
    edges: int
    open_s: dict[str, float]
    stages_ms: dict[str, Timing]
    recall_at_10: float
    vectors: str
    peak_memory_mib: int


class ModelFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A model at work: per role calls, median time, tokens; ratios over all of them."""

    model: str
    questions: int
    share_of_time: float
    ratio_to_llama_cpp: float
    ratio_by_role: dict[str, float]
    prompt_tokens_spared: float
    spared_by_role: dict[str, float]
    calls_per_question: dict[str, float]


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """One number to live by."""

    name: str
    measured: float
    wanted: str
    met: bool


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """Everything measured in one run; `load` is how many processes wanted a core meanwhile."""

    origin: Origin
    load: float
    bundled: CatalogueFigures
    synthetic: CatalogueFigures | None
    model: ModelFigures | None
    targets: tuple[Target, ...]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--repeat", type=int, default=3, help="times each question is asked")
    parser.add_argument("--questions", type=int, help="only the first so many of the dev half")
    parser.add_argument("--model-questions", type=int, default=4, help="0 leaves the model out")
    parser.add_argument("--items", type=int, default=100_000, help="0 leaves the large one out")
    parser.add_argument("--edges", type=int, default=1_000_000)
    add_folder(parser, "--cache", "bench", "where the synthetic catalogue stays between runs")
    parser.add_argument("--profile", type=int, default=0, help="show so many functions at size")


def measure(asked: argparse.Namespace) -> Findings:
    """Ask the dev questions; a target that is missed changes no exit code."""
    questions = [
        Question(query=one.query, id=one.id)
        for one in read_gold(shipped("datasets") / DOMAIN / "questions.jsonl", "dev")
    ][: asked.questions]
    measured = measure_all(asked, questions)
    return Findings(text=as_markdown(measured), page="speed", block="bench", figures=measured)


def measure_all(asked: argparse.Namespace, questions: Sequence[Question]) -> Benchmark:
    """The bundled catalogue, the model on it, and the large one."""
    with tempfile.TemporaryDirectory() as folder:
        bundled_at = build_workspace(Path(folder) / "workspace")
        say("bundled catalogue")
        bundled = measure_catalogue(bundled_at, questions, asked.repeat, "MiniLM's of real texts")
        model = measure_model(bundled_at, questions[: asked.model_questions])
    large = None
    if asked.items:
        large_at = open_catalogue(asked.cache, asked.items, asked.edges, say)
        say("synthetic catalogue")
        if asked.profile:
            profile(large_at, questions, asked.profile)
        large = measure_catalogue(
            large_at,
            questions,
            asked.repeat,
            "synthetic, sums of MiniLM's of names mixed with those of real descriptions",
        )
    shown = [f"--repeat {asked.repeat}", f"--model-questions {asked.model_questions}"]
    shown += [f"--questions {asked.questions}"] * (asked.questions is not None)
    shown += [f"--items {asked.items}", f"--edges {asked.edges}"]
    return Benchmark(
        origin=origin_of("ask", *shown),
        load=round(os.getloadavg()[1], 1),
        bundled=bundled,
        synthetic=large,
        model=model,
        targets=tuple(targets_of(bundled, large, model)),
    )


def measure_catalogue(
    folder: Path, questions: Sequence[Question], repeat: int, vectors: str
) -> CatalogueFigures:
    """Ask every question `repeat` times after one round that does not count."""
    with OpenWorkspace(folder) as workspace:
        stages, opening = open_timed(workspace)
        system = Marc(stages, SYSTEMS["marc"])
        for question in questions:
            system.answer(question, K)
        ((edges,),) = workspace.store.rows("SELECT count(*) FROM edge")
        spent = [
            ask_timed(fresh, one)
            for fresh in (_forgetful(stages) for _ in range(repeat))
            for one in questions
        ]
        return CatalogueFigures(
            items=len(stages.catalogue),
            edges=edges,
            open_s=opening,
            stages_ms=summed_up(spent),
            recall_at_10=recall_of(stages, questions),
            vectors=vectors,
            peak_memory_mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        )


def open_timed(workspace: OpenWorkspace) -> tuple[DomainContext, dict[str, float]]:
    """Stages of the workspace, and seconds for the graph, its words, and all with the vectors."""
    from localrec.graph.catalogue import Catalogue
    from localrec.understanding.vocabulary import Vocabulary

    domain = load_domain(DOMAIN)
    _ = workspace.models.embedder.embed(["warm up"])
    catalogue, graph_s = timed(lambda: Catalogue(workspace.store, domain))
    _, words_s = timed(lambda: Vocabulary(catalogue))
    stages, all_s = timed(lambda: workspace.context(DOMAIN))
    return stages, {"graph": graph_s, "vocabulary": words_s, "all": all_s}


def ask_timed(system: Marc, question: Question) -> dict[str, float]:
    """Milliseconds per stage, of the processor and in all, of one answer."""
    begun = time.process_time()
    answer, whole_s = timed(lambda: system.answer(question, K))
    processor, whole = 1000 * (time.process_time() - begun), 1000 * whole_s
    return {
        **answer.timings_ms,
        "processor time": processor,
        "all but the embedding": whole - answer.timings_ms["embedding"],
        "all": whole,
    }


def summed_up(spent: Sequence[dict[str, float]]) -> dict[str, Timing]:
    """Median and 95th percentile per stage."""
    return {
        name: Timing.of([one.get(name, 0.0) / 1000 for one in spent]).rounded() for name in spent[0]
    }


def recall_of(stages: DomainContext, questions: Sequence[Question]) -> float:
    """Share of the exact ten nearest descriptions that HNSW finds, over the questions."""
    field = stages.fields["description"]
    is_graph = isinstance(field.index, HnswIndex)
    graph = field.index if is_graph else HnswIndex.build(field.exact)
    asked = np.vstack([stages.models.embedder.embed([one.query]) for one in questions])
    exact = ExactIndex(field.exact.node_ids, field.exact.matrix)
    true, _ = exact.search(asked, NEAREST)
    found, _ = graph.search(asked, NEAREST)
    hits = sum(len(set(a) & set(b)) for a, b in zip(true.tolist(), found.tolist(), strict=True))
    return round(hits / true.size, 4)


def measure_model(folder: Path, questions: Sequence[Question]) -> ModelFigures | None:
    """marc-model on a few questions, then each of its calls again on both sides in turn."""
    if not questions:
        return None
    try:
        path = model_path("smollm2-135m")
    except ModelError as error:
        say(f"model left out: {error}")
        return None
    calls: list[Call] = []
    with OpenWorkspace(folder) as workspace:
        stages = workspace.context(DOMAIN)
        models = FixedModels(stages.models, _recorder(workspace.models.open, calls))
        system = Marc(stages.with_models(models), SYSTEMS["marc-model"])
        system.answer(questions[0], K)  # starts the process and saves the prefixes
        calls.clear()
        whole_ms = 0.0
        for number, question in enumerate(questions, 1):
            say(f"marc-model: question {number} of {len(questions)}")
            whole_ms += 1000 * timed(lambda q=question: system.answer(q, K))[1]
        kept = list(calls)
        repack = not (pulled("models") / "plain-weight-order").exists()
        direct = DirectProcess(path, CONTEXT, repack=repack)
        ratios = compare(kept, direct)
        direct.close()
    roles = list(dict.fromkeys(call.role for call in kept))
    return ModelFigures(
        model="smollm2-135m",
        questions=len(questions),
        share_of_time=round(sum(call.wall_ms for call in kept) / whole_ms, 4),
        ratio_to_llama_cpp=_ratio(ratios),
        ratio_by_role={role: _ratio([r for r in ratios if r[0] == role]) for role in roles},
        prompt_tokens_spared=_spared(kept),
        spared_by_role={role: _spared([c for c in kept if c.role == role]) for role in roles},
        calls_per_question={
            role: round(sum(c.role == role for c in kept) / len(questions), 2) for role in roles
        },
    )


def compare(calls: Sequence[Call], direct: DirectProcess) -> list[tuple[str, float, float]]:
    """Role, milliseconds through localrec and directly, per call; each side's quickest."""
    compared = []
    roles = dict.fromkeys(call.role for call in calls)
    chosen = [call for role in roles for call in _different(calls, role)[:COMPARED]]
    for number, call in enumerate(chosen, 1):
        say(f"comparing call {number} of {len(chosen)}")
        through, by_itself = [], []
        for _ in range(ROUNDS):
            reply, spent_s = timed(call.again)
            through.append(1000 * spent_s)
            again = Call(call.role, call.again, reply.usage, 0.0, call.text)
            by_itself.append(direct.time_like(again))
        compared.append((call.role, min(through), min(by_itself)))
    return compared


def targets_of(
    bundled: CatalogueFigures, large: CatalogueFigures | None, model: ModelFigures | None
) -> list[Target]:
    """The measured side of the design's numbers."""
    found = [
        _below("all but the model, bundled, median ms", bundled.stages_ms["all"].median, 15),
        _above("HNSW recall@10, MiniLM", bundled.recall_at_10, 0.99),
    ]
    if large is not None:
        size = f"{large.items:,} items, {large.edges:,} edges"
        found.append(_below(f"the same, {size}", large.stages_ms["all"].median, 60))
        found.append(_above("HNSW recall@10, synthetic", large.recall_at_10, 0.99))
    if model is not None:
        ratio = model.ratio_to_llama_cpp
        # Nothing is quicker than llama.cpp by itself: a low ratio says that the machine was busy.
        within = Target(
            name="model time over llama.cpp's own",
            measured=ratio,
            wanted="0.95 to 1.05",
            met=0.95 <= ratio <= 1.05,
        )
        found.append(within)
        found.append(_above("prompt tokens spared", model.prompt_tokens_spared, 0.8))
    return found


def as_markdown(measured: Benchmark) -> str:
    """Targets first, then what they rest on."""
    verdicts = [
        [one.name, f"{one.measured:g}", one.wanted, "ok" if one.met else "missed"]
        for one in measured.targets
    ]
    parts = [
        f"{measured.origin.as_text()} Load of the machine at the end: {measured.load}.",
        markdown_table(["", "measured", "wanted", ""], verdicts),
        *(_catalogue_text(one) for one in (measured.bundled, measured.synthetic) if one),
    ]
    if measured.model is not None:
        parts.append(_model_text(measured.model))
    return "\n\n".join(parts)


def profile(folder: Path, questions: Sequence[Question], lines: int) -> None:
    """Show on stderr which functions opening and asking spend their time in."""
    with OpenWorkspace(folder) as workspace:
        profiler = cProfile.Profile()
        stages = profiler.runcall(workspace.context, DOMAIN)
        pstats.Stats(profiler, stream=sys.stderr).sort_stats("tottime").print_stats(lines)
        system = Marc(stages, SYSTEMS["marc"])
        system.answer(questions[0], K)
        profiler = cProfile.Profile()
        for question in questions:
            profiler.runcall(system.answer, question, K)
        for order in ("tottime", "cumulative"):
            pstats.Stats(profiler, stream=sys.stderr).sort_stats(order).print_stats(lines)


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    """The outcome of `run` and its seconds."""
    started = time.perf_counter()
    outcome = run()
    return outcome, time.perf_counter() - started


class _OtherEmbedder(ModelsWrapper):
    """Opens other models, but embeds with `embedder`."""

    def __init__(self, models: Models, embedder: Embedder) -> None:
        super().__init__(models)
        self._embedder = embedder

    @property
    def embedder(self) -> Embedder:
        """The model that embeds texts."""
        return self._embedder


def _forgetful(stages: DomainContext) -> Marc:
    """The system with a warm embedder that remembers no question, as for one asked first."""
    embedder = open_embedder()
    embedder.embed(["warm up"])
    return Marc(stages.with_models(_OtherEmbedder(stages.models, embedder)), SYSTEMS["marc"])


def _recorder(
    open_model: Callable[[str], ChatModel], calls: list[Call]
) -> Callable[[str], ChatModel]:
    return lambda role: RecordingModel(open_model(role), role, calls)


def _different(calls: Sequence[Call], role: str) -> list[Call]:
    """The calls of a role, each prompt once: the critic may be asked the same thing again."""
    return list({call.text: call for call in calls if call.role == role}.values())


def _ratio(compared: Sequence[tuple[str, float, float]]) -> float:
    return round(sum(ours for _, ours, _ in compared) / sum(own for *_, own in compared), 3)


def _spared(calls: Sequence[Call]) -> float:
    whole = sum(call.usage.prompt for call in calls)
    return round(sum(call.usage.cached for call in calls) / whole, 3)


def _below(name: str, measured: float, limit: float) -> Target:
    return Target(name=name, measured=measured, wanted=f"at most {limit:g}", met=measured <= limit)


def _above(name: str, measured: float, limit: float) -> Target:
    return Target(name=name, measured=measured, wanted=f"at least {limit:g}", met=measured >= limit)


def _catalogue_text(figures: CatalogueFigures) -> str:
    head = f"{figures.items:,} items, {figures.edges:,} edges: ms per question"
    rows = [[name, f"{one.median:g}", f"{one.p95:g}"] for name, one in figures.stages_ms.items()]
    opening = ", ".join(f"{name} {spent:.2f} s" for name, spent in figures.open_s.items())
    return (
        f"{markdown_table([head, 'median', '95th percentile'], rows)}\n\n"
        f"Opening: {opening}. Vectors: "
        f"{figures.vectors}. Peak memory {figures.peak_memory_mib:,} MiB."
    )


def _model_text(figures: ModelFigures) -> str:
    rows = [
        [
            role,
            f"{calls:g}",
            f"{figures.ratio_by_role[role]:g}",
            f"{figures.spared_by_role[role]:g}",
        ]
        for role, calls in figures.calls_per_question.items()
    ]
    head = ["role", "calls per question", "time over llama.cpp's own", "prompt tokens spared"]
    return (
        f"{figures.model}, {figures.questions} questions: {figures.share_of_time:.1%} of the time "
        f"of marc-model is the model's.\n\n{markdown_table(head, rows)}"
    )

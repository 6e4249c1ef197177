"""Measure role adapters on the gold questions: the bare model, the adapter, the rules.

Run:
    python scripts/studies/run.py role_adapters --half dev --router router.gguf --slots slots.gguf
    python scripts/studies/run.py role_adapters --half test --router router.gguf --report

Every part answers the same questions over a workspace with the bundled drinks alone, in one run;
only who plays the role differs. The bare router is asked the prompt that was made for it, with
worked questions and calibration; a bare slot reader, for which there is none, the adapter's own.
Of the test half nothing is shown but counts.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from findings import Findings, add_folder, add_half, halves_in, origin_of, show_step
from gold_questions import DOMAIN, build_workspace, state_of_code

from localrec.data.questions import Question
from localrec.evaluation.configs import Half, QuestionsConfig
from localrec.evaluation.provenance import Origin
from localrec.evaluation.questions.answer_scoring import (
    COSTS,
    FAULTS,
    MEASURES,
    AnswerScore,
    Weighed,
    score_answer,
)
from localrec.evaluation.questions.gold import GoldQuestion, is_exact_match, read_gold
from localrec.evaluation.questions.store_truth import StoreTruth
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.statistics import Comparison, IntervalEstimate, compare_all, ratio_estimate
from localrec.foundation.errors import UsageError
from localrec.foundation.paths import make_private
from localrec.graph.domain_files import load_domain
from localrec.llm.adapter_files import base_of, fitting_adapter
from localrec.llm.chat_model import ChatModel
from localrec.llm.model_catalog import model_path
from localrec.llm.model_process import ModelProcess
from localrec.systems.configs import MarcConfig
from localrec.systems.marc import Marc
from localrec.workspace import OpenWorkspace
from localrec.workspace.model_pool import FixedModels

SHOWN = (
    *("router_accuracy", "satisfaction_at_3", "strict_satisfaction_at_3"),
    *("barred_served", "own_target", "mean_ms"),
)
READ_EXACTLY = "read_exactly"
BY_RULES = "rules"
WARM_UP = "a drink"


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """Who plays a role.

    Args:
        name: In the report.
        config: Of the whole system.
        adapter: GGUF beside the model; None for the bare one.
    """

    name: str
    config: MarcConfig = MarcConfig()
    adapter: Path | None = None


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """One answer, judged, and whether its question was read exactly."""

    case: AnswerScore
    exact: bool


class Played(msgspec.Struct, frozen=True, kw_only=True):
    """One player's figures.

    Args:
        name: Of the player.
        measures: Name -> figure.
        failed: Questions in which the model came to nothing and the rules stood in.
        against_rules: Of each measure that is judged.
    """

    name: str
    measures: dict[str, IntervalEstimate]
    failed: int
    against_rules: dict[str, Comparison] = {}


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as the JSON file keeps it."""

    origin: Origin
    half: Half
    questions: int
    model: str
    players: tuple[Played, ...]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    add_half(parser)
    parser.add_argument("--router", help="an adapter for the router")
    parser.add_argument("--slots", help="an adapter that reads questions")
    parser.add_argument("--model", help="their base; by default the one they name")
    parser.add_argument("--threads", type=int, help="of llama.cpp")
    parser.add_argument("--limit", type=int, default=0, help="only the first so many questions")
    add_folder(parser, "--state", "adapters", "where the built workspace stays")


def measure(asked: argparse.Namespace) -> Findings:
    """Ask the model, the adapters and the rules, and judge what they say."""
    if not (asked.router or asked.slots):
        raise UsageError("No adapter is named.", "Use --router or --slots.")
    model = model_path(asked.model or base_of(asked.router or asked.slots))
    players = players_of(asked, model)
    state = make_private(make_private(asked.state) / state_of_code(None))
    figures = measure_players(asked, players, model, build_workspace(state / "workspace"))
    return Findings(
        text=as_markdown(figures),
        page="training",
        block="adapters",
        figures=figures,
        kept_as=f"adapters-{asked.half}",
        whole_block=lambda folder: halves_in(folder, "adapters", Figures, as_markdown),
    )


def players_of(asked: argparse.Namespace, model: Path) -> list[Player]:
    """The rules, and for each adapter the bare model and itself."""
    players = [Player(name=BY_RULES)]
    if asked.router:
        file = fitting_adapter(asked.router, "router", model)
        players += [
            Player(name="router: bare model", config=MarcConfig(router="model")),
            Player(name="router: adapter", config=MarcConfig(router="adapter"), adapter=file),
        ]
    if asked.slots:
        file = fitting_adapter(asked.slots, "slots", model)
        reading = MarcConfig(reader="adapter")
        players += [
            Player(name="slots: bare model", config=reading),
            Player(name="slots: adapter", config=reading, adapter=file),
        ]
    return players


def measure_players(
    asked: argparse.Namespace, players: Sequence[Player], model: Path, home: Path
) -> Figures:
    """All of them over the same questions."""
    gold = read_gold(QuestionsConfig(gold=DOMAIN, half=asked.half).path, asked.half)
    gold = gold[: asked.limit or None]
    judged: dict[str, list[Judged]] = {}
    with OpenWorkspace(home) as workspace:
        truth = StoreTruth(workspace.store, load_domain(DOMAIN))
        for player in players:
            with opened(player, model, asked.threads) as open_model:
                judged[player.name] = ask(player, workspace, open_model, gold, truth)
    print(file=sys.stderr)
    shown = [f"--half {asked.half}"]
    shown += [f"--{one} {Path(getattr(asked, one)).name}" for one in ROLES if getattr(asked, one)]
    return Figures(
        origin=origin_of("role_adapters", *shown),
        half=asked.half,
        questions=len(gold),
        model=model.stem,
        players=tuple(played(name, cases, judged[BY_RULES]) for name, cases in judged.items()),
    )


ROLES = ("router", "slots")


@contextmanager
def opened(
    player: Player, model: Path, threads: int | None
) -> Iterator[Callable[[str], ChatModel]]:
    """What opens the model of a player, whatever role it is asked for."""
    with ModelProcess(model, adapter=player.adapter, n_threads=threads) as process:
        yield lambda role: process


def ask(
    player: Player,
    workspace: OpenWorkspace,
    open_model: Callable[[str], ChatModel],
    gold: Sequence[GoldQuestion],
    truth: StoreTruth,
) -> list[Judged]:
    """Each question, answered and judged; one before them warms everything up."""
    context = workspace.context(DOMAIN)
    system = Marc(context.with_models(FixedModels(context.models, open_model)), player.config)
    system.answer(Question(query=WARM_UP), 3)
    cases = []
    for number, question in enumerate(gold, 1):
        answer = system.answer(Question(query=question.query, id=question.id), 3)
        exact = is_exact_match(question.gold, answer.intent, truth)
        cases.append(Judged(case=score_answer(question, answer, truth), exact=exact))
        show_step(player.name, number, len(gold))
    return cases


def played(name: str, judged: Sequence[Judged], by_rules: Sequence[Judged]) -> Played:
    """A player's figures, held against those of the rules."""
    parts, theirs = parts_of(judged), parts_of(by_rules)
    failed = sum(any(stage.endswith("_failed") for stage in one.case.answered_by) for one in judged)
    pairs = {one: (parts[one], theirs[one]) for one in parts if one not in COSTS}
    faults = {one: both for one, both in pairs.items() if one in FAULTS}
    merits = {one: both for one, both in pairs.items() if one not in FAULTS}
    return Played(
        name=name,
        measures={one: ratio_estimate(found) for one, found in parts.items()},
        failed=failed,
        against_rules={}
        if name == BY_RULES
        else {**compare_all(merits), **compare_all(faults, rising=False)},
    )


def parts_of(judged: Sequence[Judged]) -> dict[str, list[Weighed]]:
    """Each question's part of every figure that is shown."""
    exact: list[Weighed] = [(one.exact, 1) for one in judged]
    told = {name: [MEASURES[name](one.case) for one in judged] for name in SHOWN}
    return {READ_EXACTLY: exact, **told}


def as_markdown(figures: Figures) -> str:
    """A run's table under its heading."""
    head = ["", *(one.name for one in figures.players)]
    rows = [
        [name.replace("_", " "), *(shown(one.measures[name], name) for one in figures.players)]
        for name in (READ_EXACTLY, *SHOWN)
    ]
    rows.append(["rules stood in", *(str(one.failed) for one in figures.players)])
    return "\n\n".join(
        [
            f"### {figures.half.capitalize()} half, {figures.questions} questions, {figures.model}",
            figures.origin.as_text(),
            markdown_table(head, rows),
            f"Against the rules: {'; '.join(filter(None, map(verdicts, figures.players)))}.",
        ]
    )


def verdicts(one: Played) -> str:
    """What of a player's figures can be told from those of the rules."""
    told = [
        f"{name.replace('_', ' ')} {found.verdict} (p {found.p_adjusted:.3f})"
        for name, found in one.against_rules.items()
        if found.verdict != "not separable" and found.p_adjusted is not None
    ]
    return f"{one.name}: {', '.join(told) or 'nothing is separable'}" if one.against_rules else ""


def shown(found: IntervalEstimate, name: str) -> str:
    """A figure with its interval."""
    if found.value is None or found.low is None or found.high is None:
        return "-"
    digits = 1 if name in COSTS else 3
    return f"{found.value:.{digits}f} [{found.low:.{digits}f}, {found.high:.{digits}f}]"

"""What ranking runs found, as tables: quality, times and tuned settings of every system.

    python scripts/studies/run.py ranking_runs                  from finished runs of the workspace
    python scripts/studies/run.py ranking_runs --run            make the runs that are missing first
    python scripts/studies/run.py ranking_runs --demonstrate    show that cheats are caught
    python scripts/studies/run.py ranking_runs --block models ml-100k-models-20 ml-100k-models-10

The last one tells of a model asked outright, in another block; `--page` names another page.

Runs are those of `localrec evaluate run`, and each has its own report as well. `--run` begins with
nothing: it pulls model and data into a workspace that is not there, which alone needs a network. It
takes an hour or two; stopped, it goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from findings import Findings, add_workspace, origin_of, show_step
from numpy.typing import NDArray

from localrec.cli.app import run as localrec
from localrec.data.interactions import Interactions
from localrec.evaluation.configs import RunConfig, SystemConfig, load_config
from localrec.evaluation.ranking import ranking_harness
from localrec.evaluation.ranking.cases import Cases
from localrec.evaluation.ranking.inference import Answer, EvaluatedSystem
from localrec.evaluation.ranking.system_factory import SystemFactory
from localrec.evaluation.reporting.markdown import markdown_table
from localrec.evaluation.reporting.number_format import digits_for, plain, with_interval
from localrec.evaluation.reporting.rendering import read_report
from localrec.evaluation.run_folder import RunFolder, RunOrigin, SystemResult, find_run
from localrec.evaluation.run_report import describe_protocol, write_run_report
from localrec.evaluation.significance import (
    LeaderComparison,
    compare_with_leaders,
    doubts_about,
    is_believed,
)
from localrec.evaluation.statistics import RESAMPLES, SEED, SIGNIFICANCE, SWAPS, IntervalEstimate
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress
from localrec.index.embedders import DEFAULT_EMBEDDER
from localrec.ranking.recommender import ScoreRequests, SettingValue
from localrec.workspace import OpenWorkspace

RUNS = ("ml-100k-baselines-full", "ml-100k-baselines-20", "ml-100k-baselines-10")
DEMONSTRATED = "ml-100k-baselines-20"  # whose data and protocol the planted systems meet
NOT_MEASURED = IntervalEstimate(None, None, None, 0)


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument(
        "runs", nargs="*", default=list(RUNS), help="in this order; or their CONFIG.toml"
    )
    add_workspace(parser)
    parser.add_argument("--page", default="ranking", metavar="NAME", help="of docs/results")
    parser.add_argument("--block", default="ranking", metavar="NAME", help="of the page to replace")
    parser.add_argument("--run", action="store_true", help="first make what is missing")
    parser.add_argument("--demonstrate", action="store_true", help="the planted systems alone")


def measure(asked: argparse.Namespace) -> Findings:
    """Make what is missing, and tell the runs as tables."""
    if asked.demonstrate:
        return Findings(text=demonstrate(asked.workspace), page="ranking", block="caught")
    if asked.run and (code := make_missing(asked.runs, asked.workspace)):
        raise SystemExit(code)
    text = as_markdown(finished(asked.runs, asked.workspace))
    return Findings(text=text, page=asked.page, block=asked.block)


def make_missing(names: Sequence[str], workspace: Path) -> int:
    """Run what is not finished, by the program's own commands; an exit code."""
    for name in names:
        config = ranking_config(name)
        if is_finished(RunFolder(workspace / "runs" / config.name)):
            continue
        commands = [["evaluate", "run", name]]
        if config.data.dataset and not (workspace / "store.duckdb").is_file():
            pulls = [
                ["models", "pull", DEFAULT_EMBEDDER],
                ["datasets", "pull", config.data.dataset],
            ]
            commands = [*pulls, *commands]
        for command in commands:
            code = localrec(["--workspace", str(workspace), *command])
            if code:
                return code
    return 0


def is_finished(run: RunFolder) -> bool:
    """Whether every system was measured."""
    found = run.metrics()
    return found.complete and not any(one.failed for one in found.systems)


def finished(names: Sequence[str], workspace: Path) -> list[RunFolder]:
    """The runs by name; what failed in one of them is told, what is not done yet is refused."""
    runs = [find_run(run_name(name), workspace / "runs") for name in names]
    for run in runs:
        if not run.metrics().complete:
            raise UsageError(f"The run {run.path.name} is not finished.", "Give --run to go on.")
    return runs


def run_name(named: str) -> str:
    """A run is called like its configuration, which may be named by its file."""
    return ranking_config(named).name if named.endswith(".toml") else named


def ranking_config(named: str) -> RunConfig:
    """A configuration by name or file; one that asks questions is refused."""
    config, _ = load_config(named)
    if not isinstance(config, RunConfig):
        raise UsageError(f"{named} ranks nothing.", "Run the study gold_questions.")
    return config


def as_markdown(runs: Sequence[RunFolder]) -> str:
    """A table for each run, then the tuned settings of all."""
    parts = [part for run in runs for part in told_run(run)]
    return "\n\n".join([how_to_read(), *parts, *told_settings(runs)])


def how_to_read() -> str:
    """What brackets, bold and the sign mean."""
    return (
        f"Brackets: 95% bootstrap intervals over people ({RESAMPLES:,} resamples, seed {SEED}). "
        "**Bold**: the best of its column. ≈: not separable from it (paired randomisation test "
        f"over the same people, {SWAPS:,} swaps, Holm's correction for the systems of the column, "
        f"{SIGNIFICANCE:.0%}). Unmarked: worse, or not to be believed, as told below the "
        "table. Search and fit: seconds for all trials, and for the fit that was tested."
    )


def told_run(run: RunFolder) -> Iterator[str]:
    """One protocol: what was done, what was found, what to be wary of, how it was made."""
    origin, results = run.origin(), run.metrics().systems
    yield f"### {origin.run.title or origin.run.name}"
    yield describe_protocol(origin)
    yield quality_table(run, origin, results)
    if any(figure_of(one, "calls").value for one in results):
        yield cost_table(results)
    if any(figure_of(one, "shown MRR").value is not None for one in results):
        yield agent_table(results)
    doubts = [(one.name, *doubt) for one in results for doubt in doubts_about(one)]
    if doubts:
        yield markdown_table(["to be wary of", "what", "details"], doubts)
    else:
        yield "No system failed, gave an invalid answer or raised a suspicion."
    yield f"Made by {origin.made.as_text()}"


def quality_table(run: RunFolder, origin: RunOrigin, results: Sequence[SystemResult]) -> str:
    """Systems down, best first by NDCG; leading figures and times across."""
    last = max(origin.run.lengths)
    by = f"NDCG@{last}"
    wanted = [*(f"H@{k}" for k in origin.run.lengths), by, "MRR", f"MRR@{last}"]
    metrics = [name for name in wanted if any(name in one.metrics for one in results)]
    leading = compare_with_leaders(run, metrics)
    digits = {name: digits_for(figure_of(one, name).value for one in results) for name in metrics}
    ordered = sorted(
        results, key=lambda one: (not is_believed(one), -(figure_of(one, by).value or 0.0))
    )
    most = max((one.cases for one in ordered), default=0)
    rows = [
        [
            one.name if one.cases in (0, most) else f"{one.name} ({one.cases} cases)",
            *(told_figure(one, leading.get(name), name, digits[name]) for name in metrics),
            plain(searched_s(one), 1),
            plain(one.fit_s, 2),
            plain(figure_of(one, "ms").value, 2),
            str(len(one.search.trials)) if one.search else "-",
        ]
        for one in ordered
    ]
    return markdown_table(
        ["system", *metrics, "search, s", "fit, s", "ms per case", "trials"], rows
    )


def cost_table(results: Sequence[SystemResult]) -> str:
    """What a case costs those that ask a model, the cheapest first."""
    asking = [one for one in results if figure_of(one, "calls").value]
    costs = ["calls", "prompt tokens", "cached tokens", "new tokens"]
    rows = [
        [
            one.name,
            *(plain(figure_of(one, cost).value, 0) for cost in costs),
            plain((figure_of(one, "ms").value or 0.0) / 1000, 1),
        ]
        for one in sorted(asking, key=lambda one: figure_of(one, "ms").value or 0.0)
    ]
    told = ["calls", "tokens read", "of these from a cached prefix", "tokens written", "seconds"]
    return markdown_table(["what a case costs", *told], rows)


def agent_table(results: Sequence[SystemResult]) -> str:
    """Agents alone: what was invalid, what they asked, and the list that a person sees then."""
    agents = [one for one in results if figure_of(one, "shown MRR").value is not None]
    shown = ["H@1", "NDCG@5", "NDCG@10"]
    rows = [
        [
            one.name,
            with_interval(figure_of(one, "invalid"), 3),
            plain(figure_of(one, "tool calls").value, 1),
            with_interval(figure_of(one, "NDCG@5"), 3),
            *(with_interval(figure_of(one, f"shown {metric}"), 3) for metric in shown),
        ]
        for one in agents
    ]
    heads = ["invalid", "tool calls", "NDCG@5", *(f"{metric} as shown" for metric in shown)]
    return markdown_table(["agents", *heads], rows)


def told_figure(
    one: SystemResult, leading: LeaderComparison | None, metric: str, digits: int
) -> str:
    """A figure with its interval, marked where it is the best, or cannot be told from it."""
    told = with_interval(figure_of(one, metric), digits)
    if leading is not None and one.name == leading.best:
        return f"**{told}**"
    return f"{told} ≈" if leading is not None and one.name in leading.level else told


def figure_of(one: SystemResult, metric: str) -> IntervalEstimate:
    """A figure of a system, which may have none."""
    return one.metrics.get(metric, NOT_MEASURED)


def searched_s(one: SystemResult) -> float | None:
    """Seconds that all trials took; None without a search."""
    return sum(trial.fit_s + trial.scoring_s for trial in one.search.trials) if one.search else None


def told_settings(runs: Sequence[RunFolder]) -> Iterator[str]:
    """What each system was tested with under each protocol, and how that was found."""
    found = [{one.name: one for one in run.metrics().systems} for run in runs]
    given = [{one.name: one.settings for one in run.origin().run.systems} for run in runs]
    names = list(dict.fromkeys(name for results in found for name in results))
    rows = [
        [
            name,
            *(
                told_changes(results[name], fixed[name]) if name in results else "-"
                for results, fixed in zip(found, given, strict=True)
            ),
        ]
        for name in names
    ]
    yield "### Settings"
    yield told_budgets([one for results in found for one in results.values()])
    yield markdown_table(["system", *(run.path.name for run in runs)], rows)


def told_changes(one: SystemResult, given: Mapping[str, SettingValue]) -> str:
    """The settings that differ from the defaults, which are a search's first trial."""
    defaults = one.search.trials[0].settings if one.search else one.settings
    changed = [
        f"{name} = {value}"
        for name, value in one.settings.items()
        if name in given or value != defaults[name]
    ]
    return ", ".join(changed) or "defaults"


def told_budgets(results: Sequence[SystemResult]) -> str:
    """One sentence for each budget, with the systems that had it."""
    budgets: dict[str, dict[str, None]] = {}
    for one in results:
        told = "Not tuned"
        if one.search:
            trials = f"{one.search.budget} trials" if one.search.budget > 1 else "1 trial"
            told = f"At most {trials}, seed {one.search.seed}"
        budgets.setdefault(told, {})[one.name] = None
    sentences = [f"{told}: {', '.join(names)}." for told, names in budgets.items()]
    return (
        "What differs from the defaults. A search tries the defaults first, then draws; NDCG@"
        f"{ranking_harness.TUNED_FOR} of the validation cases decides. {' '.join(sentences)}"
    )


class SeesTheTarget:
    """A cheat for `--demonstrate`: it looks for the target among the variables of its callers."""

    name = "cheat"

    def __init__(self) -> None:
        self.settings: dict[str, SettingValue] = {}

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        self.counts = np.bincount(train.item, minlength=train.items).astype(np.float32)

    def score(self, requests: ScoreRequests) -> NDArray[np.float32]:
        scores = np.tile(self.counts, (len(requests), 1))
        frame = sys._getframe()
        while not isinstance(cases := frame.f_locals.get("cases"), Cases):
            assert frame.f_back is not None
            frame = frame.f_back
        for row, targets in enumerate(cases.positives):
            scores[row, targets] = np.inf
        return scores


class Breaks:
    """A broken system for `--demonstrate`: each answer is wrong in one of five ways, or right."""

    name = "broken"

    def __init__(self) -> None:
        self.settings: dict[str, SettingValue] = {}

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        self.items = train.items

    def answer(self, requests: ScoreRequests, k: int) -> Sequence[Answer]:
        assert requests.candidates is not None
        if (requests.user % 6 == 5).any():
            raise RuntimeError("the demonstration's sixth person is too much")
        answers = []
        for user, line in zip(requests.user.tolist(), requests.candidates.tolist(), strict=True):
            ways: tuple[list[int], ...]
            ways = (line, [self.items, *line[1:]], [line[0], *line[:-1]], [], line[:2])
            answers.append(ways[user % 6])
        return answers


class Planted(SystemFactory):
    """Makes the planted systems, and all others as ever."""

    systems = {one.name: one for one in (SeesTheTarget, Breaks)}  # noqa: RUF012 - never changed

    def check(self, system: SystemConfig) -> None:
        if system.name not in self.systems:
            super().check(system)

    def make(self, system: SystemConfig, settings: Mapping[str, SettingValue]) -> EvaluatedSystem:
        planted = self.systems.get(system.name)
        return planted() if planted else super().make(system, settings)


def demonstrate(workspace: Path) -> str:
    """Run the planted systems beside popularity; what the report said of them."""
    config = ranking_config(DEMONSTRATED)
    systems = tuple(SystemConfig(name=name) for name in ("popularity", *Planted.systems))
    config = msgspec.structs.replace(config, name="caught", systems=systems)
    made = origin_of("ranking_runs", "--demonstrate")
    with tempfile.TemporaryDirectory() as home, OpenWorkspace(workspace) as opened:
        run = RunFolder(Path(home) / config.name)
        ranking_harness.run_ranking_evaluation(
            config, b"", opened, run, made, progress=show_step, workbench=Planted
        )
        *_, path = write_run_report(run)
        report = read_report(path.read_bytes())
        origin, results = run.origin(), run.metrics().systems
    doubts = [(one.name, *doubt) for one in results for doubt in doubts_about(one)]
    metrics = ["H@1", f"NDCG@{max(config.lengths)}", "invalid"]
    rows = [[one.name, *(with_interval(figure_of(one, m), 3) for m in metrics)] for one in results]
    return "\n\n".join(
        [
            "Two systems were planted beside popularity. `cheat` looks for the target among the "
            "variables of its callers and puts it first. `broken` answers in turn well, with an "
            "item that does not exist, with one item twice, with nothing, with two items, and by "
            "raising.",
            describe_protocol(origin),
            f"The report begins: {report.summary} What it says to be wary of:",
            markdown_table(["system", "what", "details"], doubts),
            "Figures are shown all the same; an answer counts as it stands, and what it leaves "
            "out is missed:",
            markdown_table(["system", *metrics], rows),
            f"Made by {made.as_text()}",
        ]
    )

"""Turn measured results into a report: the plots, the tables and the sentences.

Nothing is measured here, and nothing is left out: every figure of a run is in some table. Reasons
to doubt a figure (a failure, invalid answers, a suspicion) come before the figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from localrec.evaluation.explanations.human_rating import HumanRating, latest_ratings
from localrec.evaluation.explanations.judge_report import judged_section
from localrec.evaluation.explanations.llm_judge import JudgeVerdict
from localrec.evaluation.explanations.samples import read_samples
from localrec.evaluation.questions.question_report import leading_in_questions, question_report
from localrec.evaluation.ranking.scoring import FALLING
from localrec.evaluation.reporting.number_format import plain, with_interval
from localrec.evaluation.reporting.rendering import write_report
from localrec.evaluation.reporting.report_records import (
    BarPlot,
    Block,
    MetricScale,
    PlotPoint,
    Report,
    ScatterPlot,
    Section,
    TableBlock,
    TextBlock,
)
from localrec.evaluation.run_folder import RunFolder, RunMetrics, RunOrigin, SystemResult
from localrec.evaluation.significance import (
    LeaderComparison,
    compare_with_leaders,
    doubts_about,
    is_believed,
)
from localrec.evaluation.statistics import IntervalEstimate
from localrec.foundation.jsonl_log import Record, read_records

_NOTHING = IntervalEstimate(None, None, None, 0)
_RANKING = ("H", "NDCG", "MRR", "MAP", "recall")
_MAIN = "NDCG"
_DRAWN = 3  # groups of bars; the rest follows by itself
# Of these less is better; times among them, which have no interval.
_LESS = FALLING | {"miscalibration", "ms"}


def write_run_report(folder: RunFolder) -> tuple[Path, Path, Path]:
    """Write `report.html`, `.md` and `.json` into a run's folder, from its files.

    Where there are `samples.jsonl` with `verdicts.jsonl` or `ratings.jsonl`, they come in too.

    Raises:
        InputError: one of the files is not what it should be.
    """
    metrics = folder.metrics()
    if folder.asks_questions:
        leading = leading_in_questions(folder, metrics)
        report = question_report(
            folder.question_origin(),
            metrics,
            leading=leading,
            wary=_doubts(metrics.systems),
            against=_against_best(leading, "questions"),
            extra=_judged_in(folder.path),
        )
    else:
        report = run_report(
            folder.origin(), metrics, _judged_in(folder.path), _leading_in(folder, metrics)
        )
    return write_report(report, folder.path)


def run_report(
    origin: RunOrigin,
    metrics: RunMetrics,
    extra: Sequence[Section] = (),
    leading: LeaderComparison | None = None,
) -> Report:
    """Write the report on a run.

    Args:
        origin: The origin of the run.
        metrics: The figures so far.
        extra: Sections that go behind the figures, such as the judge's.
        leading: All systems against the best, where their cases were compared.
    """
    run = origin.run
    ours = tuple(system.name for system in run.systems if system.kind == "ranker")
    results = _by_quality(metrics.systems)
    left_out = [one.name for one in results if one.suspicions]
    state = f" Not to be believed: {', '.join(left_out)}." if left_out else ""
    state += "" if metrics.complete else " The run is not finished."
    return Report(
        title=run.title or run.name,
        summary=f"{_told_best(results, leading)}{state}",
        origin=origin.made,
        sections=(
            Section(
                title="What was done",
                blocks=(TextBlock(text=describe_protocol(origin)), *_doubts(results)),
            ),
            Section(
                title="Quality",
                blocks=(*_quality(results, ours), *_against_best(leading, "cases, people whole")),
            ),
            *extra,
            Section(title="Settings", blocks=_settings(results)),
        ),
    )


def describe_protocol(origin: RunOrigin) -> str:
    """Describe a run in a paragraph: protocol, sizes, data, seed, engine."""
    return (
        f"{origin.protocol}. {origin.interactions:,} interactions of {origin.users:,} people with "
        f"{origin.items:,} items; fitted on {origin.train:,}, tuned on {origin.validation:,} "
        f"cases, tested on {origin.test:,}. Data {origin.fingerprint[:12]}, fits and searches "
        f"with seed {origin.run.seed}, engine {origin.engine}."
    )


def _leading_in(folder: RunFolder, metrics: RunMetrics) -> LeaderComparison | None:
    """Compare all systems with the best by the main metric; None where no pair can be compared."""
    believed = next((one for one in metrics.systems if is_believed(one)), None)
    if believed is None:
        return None
    main = _main_metric(list(believed.metrics))
    return compare_with_leaders(folder, [main]).get(main)


def _judged_in(folder: Path) -> tuple[Section, ...]:
    """Write a section for each judge with verdicts on the folder's current samples."""
    samples, verdicts, ratings = (
        folder / f"{name}.jsonl" for name in ("samples", "verdicts", "ratings")
    )
    if not samples.is_file() or not (verdicts.is_file() or ratings.is_file()):
        return ()
    shown = read_samples(samples)
    texts = {(one.id, one.digest) for one in shown}
    said = [one for one in _read_if_there(verdicts, JudgeVerdict) if (one.id, one.of) in texts]
    rated = latest_ratings(_read_if_there(ratings, HumanRating)).values()
    users = [one for one in rated if (one.id, one.of) in texts]
    judges = list(dict.fromkeys(one.judge for one in said)) or [""]
    return tuple(
        judged_section(shown, [one for one in said if one.judge == judge], users)
        for judge in judges
    )


def _read_if_there(path: Path, shape: type[Record]) -> list[Record]:
    return read_records(path, shape) if path.is_file() else []


def _quality(results: Sequence[SystemResult], ours: tuple[str, ...]) -> tuple[Block, ...]:
    names = list(dict.fromkeys(name for one in results for name in one.metrics))
    if not names:
        return (TextBlock(text="Nothing was measured yet."),)
    drawn = _most_telling([name for name in names if _kind(name) in _RANKING]) or names[:_DRAWN]
    main = _main_metric(names)
    blocks: list[Block] = [
        BarPlot(
            title="Quality of the rankings",
            scales=tuple(_scale(name) for name in drawn),
            rows={one.name: _figures(one.metrics, drawn) for one in results},
            ours=ours,
            note="Whiskers are 95% bootstrap intervals over people; ours are blue. Stressed: the "
            "best figure; the table at the end of this part says who can be told from it.",
        )
    ]
    timed = [one for one in results if one.metrics and one.fit_s + one.score_s > 0]
    if timed:
        blocks.append(
            ScatterPlot(
                title="Quality against time",
                across=MetricScale(name="fit and answer", unit="s", better="less"),
                up=_scale(main),
                points=tuple(
                    PlotPoint(
                        name=one.name,
                        across=round(one.fit_s + one.score_s, 3),
                        up=one.metrics.get(main, _NOTHING),
                    )
                    for one in timed
                ),
                ours=ours,
                note="The dashed steps join the systems that none beats in both.",
            )
        )
    rest = [name for name in names if name not in drawn]
    if rest:
        blocks.append(
            BarPlot(
                title="All other figures",
                scales=tuple(_scale(name) for name in rest),
                rows={one.name: _figures(one.metrics, rest) for one in results},
                ours=ours,
            )
        )
    return tuple(blocks)


def _doubts(results: Sequence[SystemResult]) -> list[Block]:
    """Describe why figures are doubtful; empty where there is no doubt."""
    rows = [(one.name, *doubt) for one in results for doubt in doubts_about(one)]
    if not rows:
        return []
    return [
        TableBlock(title="What to be wary of", head=("system", "what", "details"), rows=tuple(rows))
    ]


def _settings(results: Sequence[SystemResult]) -> tuple[Block, ...]:
    return (
        TableBlock(
            title="Settings and how they were found",
            head=("system", "settings", "search", "fit, s", "answers, s", "cases"),
            rows=tuple(
                (
                    one.name,
                    _listed(f"{name} = {value}" for name, value in one.settings.items()),
                    _told_search(one),
                    f"{one.fit_s:,.2f}",
                    f"{one.score_s:,.2f}",
                    f"{one.cases:,}",
                )
                for one in results
            ),
        ),
    )


def _told_search(result: SystemResult) -> str:
    if result.search is None:
        return "none"
    tried = len(result.search.trials)
    return f"{tried} of {result.search.budget} trials on the validation split"


def _told_best(results: Sequence[SystemResult], leading: LeaderComparison | None) -> str:
    """Name the leader, and the systems that are not significantly worse."""
    believed = [one for one in results if is_believed(one)]
    if not believed:
        return "Nothing was measured yet that is to be believed."
    main = _main_metric(list(believed[0].metrics))
    best = leading.best if leading else believed[0].name
    [figure] = [one.metrics[main] for one in believed if one.name == best]
    sentence = f"{best} has the highest {main}, {with_interval(figure, 4)}."
    if len(believed) == 1:
        return sentence
    if leading is None:
        return f"{sentence} Nobody was compared with it: the cases are not all here."
    if leading.level:
        return f"{sentence} Not separable from it, case by case: {', '.join(leading.level)}."
    return f"{sentence} All others are worse, case by case."


def _against_best(leading: LeaderComparison | None, paired_over: str) -> tuple[Block, ...]:
    """Write the comparisons behind the summary."""
    if leading is None or not leading.others:
        return ()
    return (
        TableBlock(
            title=f"Against {leading.best}, the best by {leading.metric}",
            head=("system", "difference", "p", "verdict"),
            rows=tuple(
                (
                    name,
                    with_interval(one.difference, 4),
                    plain(one.p_adjusted, 4),
                    one.verdict,
                )
                for name, one in leading.others.items()
            ),
            note=f"Paired over the same {paired_over}; p after Holm's correction for all systems. "
            "What is not separable is not shown to be equal.",
        ),
    )


def _by_quality(results: Sequence[SystemResult]) -> list[SystemResult]:
    """Order systems by the main metric, best first; failed and doubtful ones come last."""

    def key(one: SystemResult) -> tuple[bool, float]:
        value = one.metrics[_main_metric(list(one.metrics))].value if one.metrics else None
        return not is_believed(one) or value is None, -(value or 0.0)

    return sorted(results, key=key)


def _main_metric(names: Sequence[str]) -> str:
    """Choose NDCG at the longest list; without it the first metric."""
    longest = sorted((name for name in names if _kind(name) == _MAIN), key=_cutoff)
    return longest[-1] if longest else names[0]


def _most_telling(names: Sequence[str]) -> list[str]:
    """Choose one metric of each kind, at its longest list."""
    kinds: dict[str, str] = {}
    for name in sorted(names, key=_cutoff):
        kinds[_kind(name)] = name
    return [name for name in names if name in kinds.values()][:_DRAWN]


def _kind(name: str) -> str:
    return name.partition("@")[0]


def _cutoff(name: str) -> int:
    return int(name.partition("@")[2] or 0)


def _scale(name: str) -> MetricScale:
    """Describe a metric as the pages show it."""
    kind = _kind(name)
    if kind == "ms":
        return MetricScale(name="time of an answer", unit="ms", better="less")
    return MetricScale(name=name.replace("_", " "), better="less" if kind in _LESS else "more")


def _figures(
    measures: dict[str, IntervalEstimate], names: Iterable[str]
) -> tuple[IntervalEstimate, ...]:
    return tuple(measures.get(name, _NOTHING) for name in names)


def _listed(parts: Iterable[str]) -> str:
    return ", ".join(parts) or "defaults"

"""Turn a judge's verdicts and people's ratings into a section of a report.

Nothing is measured here; `judge_reliability` has the figures. The reliability of a judge is shown
beside its scores, in words and figures, and not in an appendix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from localrec.evaluation.explanations.human_rating import HumanRating
from localrec.evaluation.explanations.judge_reliability import (
    BY_CHANCE,
    CONTROL_DESCRIPTIONS,
    JudgeSummary,
    RaterAgreement,
    Scores,
    agreement_between,
    agreement_with_checks,
    beats_chance,
    judge_weakness,
    kind_of,
    means_by_system,
    name_of_judge,
    preference_for_genuine,
    scores_of_judge,
    scores_of_user,
)
from localrec.evaluation.explanations.llm_judge import JudgeVerdict
from localrec.evaluation.explanations.samples import Control, Sample
from localrec.evaluation.explanations.scales import HIGHEST, LOWEST
from localrec.evaluation.reporting.number_format import with_interval
from localrec.evaluation.reporting.report_records import (
    BarPlot,
    Block,
    HeatMap,
    MetricScale,
    Report,
    Section,
    TableBlock,
    TextBlock,
)
from localrec.evaluation.statistics import IntervalEstimate


def judged_report(
    judged: JudgeSummary, samples: Sequence[Sample], verdicts: Sequence[JudgeVerdict]
) -> Report:
    """Write a report on the judge alone, for a folder that is no run."""
    return Report(
        title=f"Explanations judged by {judged.judge}",
        summary=f"What {' and '.join(judged.means)} said, judged blind, and what that is worth.",
        origin=judged.origin,
        sections=(judged_section(samples, verdicts),),
    )


def judged_section(
    samples: Sequence[Sample],
    verdicts: Sequence[JudgeVerdict],
    users: Sequence[HumanRating] = (),
    ours: tuple[str, ...] = (),
) -> Section:
    """Write the section of a report on judged explanations.

    Args:
        samples: The judged samples, controls among them.
        verdicts: The verdicts of one judge.
        users: The ratings of people for the same samples.
        ours: Names of the systems that the plots highlight.
    """
    scores = scores_of_judge(verdicts)
    judge = name_of_judge(verdicts)
    blocks: list[Block] = [TextBlock(text=_how_it_was_done(judge, samples, verdicts))]
    if scores:
        blocks += [
            _means(f"Scores by {judge}", scores, samples, ours),
            *_worth(judge, scores, samples),
        ]
    rated = scores_of_user(users)
    if rated:
        blocks.append(_means("Scores by people", rated, samples, ours))
        if with_users := agreement_between(scores, rated, "people", samples):
            blocks.append(_table(f"{judge} and people", with_users))
        blocks.append(_table("People and the checks", agreement_with_checks(rated, samples)))
    return Section(title="Judged explanations", blocks=tuple(blocks))


def _worth(judge: str, scores: Scores, samples: Sequence[Sample]) -> list[Block]:
    """Write the blocks that show whether a judge is reliable."""
    agreements = agreement_with_checks(scores, samples)
    preferred = preference_for_genuine(scores, samples)
    blocks: list[Block] = [
        TextBlock(
            text=judge_weakness(preferred, agreements) or "Nothing here speaks against this judge."
        )
    ]
    if agreements:
        checks = tuple(dict.fromkeys(one.other for one in agreements))
        blocks += [
            HeatMap(
                title=f"Does {judge} rank samples as the checks do? Spearman's correlation",
                columns=checks,
                rows={
                    scale: tuple(one.spearman for one in agreements if one.scale == scale)
                    for scale in scores
                },
                reach=1.0,
                note="1 is full agreement, 0 is chance; a dash where a check found all samples "
                "alike, or the judge did.",
            ),
            _table(f"{judge} and the checks", agreements),
        ]
    if any(one.n for by_scale in preferred.values() for one in by_scale.values()):
        blocks.append(
            BarPlot(
                title=f"How often {judge} prefers an explanation to its twin",
                scales=tuple(
                    MetricScale(
                        name=f"twin has {CONTROL_DESCRIPTIONS[kind]}, share of pairs", high=1.0
                    )
                    for kind in preferred
                ),
                rows={
                    scale: tuple(by_scale[scale] for by_scale in preferred.values())
                    for scale in scores
                },
                note=f"{BY_CHANCE} is what a judge gets who does not read. "
                + _chance_sentence(preferred),
            )
        )
    return blocks


def _chance_sentence(preferred: Mapping[Control, Mapping[str, IntervalEstimate]]) -> str:
    judged = [one for by_scale in preferred.values() for one in by_scale.values() if one.n]
    seen = sum(beats_chance(one) for one in judged)
    if not seen:
        return "On no scale is it told from chance: do not rely on this judge."
    if seen == len(judged):
        return "On every scale it is told from chance."
    return f"It is told from chance in {seen} of {len(judged)} cases."


def _how_it_was_done(
    judge: str, samples: Sequence[Sample], verdicts: Sequence[JudgeVerdict]
) -> str:
    kinds = Counter(kind_of(sample) for sample in samples)
    invented = f", and {kinds['invented']} with made-up claims," if kinds["invented"] else ""
    failed = sum(bool(one.failed) for one in verdicts)
    trouble = f" {failed} could not be judged." if failed else ""
    return (
        f"{kinds['']} explanations and {kinds['exchanged']} exchanged ones{invented} were put to "
        f"{judge}, one at a time, in shuffled order and without the system's name; scores are "
        f"{LOWEST} to {HIGHEST}.{trouble}"
    )


def _means(title: str, scores: Scores, samples: Sequence[Sample], ours: tuple[str, ...]) -> BarPlot:
    means = means_by_system(scores, samples)
    return BarPlot(
        title=title,
        scales=tuple(MetricScale(name=name, low=LOWEST, high=HIGHEST) for name in scores),
        rows={system: tuple(of[name] for name in scores) for system, of in means.items()},
        ours=ours,
    )


def _table(title: str, agreements: Sequence[RaterAgreement]) -> TableBlock:
    return TableBlock(
        title=title,
        head=("scale", "with", "samples", "Spearman", "Kendall", "weighted kappa", "agreement"),
        rows=tuple(
            (
                one.scale,
                one.other,
                str(one.spearman.n),
                with_interval(one.spearman, 2),
                with_interval(one.kendall, 2),
                with_interval(one.kappa, 2),
                one.says,
            )
            for one in agreements
        ),
    )

"""Summarise the scores of judges and people, and their agreement with the checks.

A judge's means are never shown without three figures: how its scores agree with the mechanical
checks, how often it prefers a genuine explanation to its twin with another one's or with made-up
claims, and, where people rated the same samples, how far it agrees with them. A sentence states the
weaknesses of the judge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import msgspec

from localrec.data.records import Record
from localrec.evaluation.explanations.agreement import (
    agreement_estimate,
    describe_agreement,
    kendall,
    spearman,
    weighted_kappa,
)
from localrec.evaluation.explanations.human_rating import HumanRating
from localrec.evaluation.explanations.llm_judge import JudgeVerdict
from localrec.evaluation.explanations.samples import Control, Sample
from localrec.evaluation.explanations.scales import HIGHEST, LOWEST, MARC, MEMREC
from localrec.evaluation.provenance import Origin
from localrec.evaluation.statistics import IntervalEstimate, ratio_estimate

Scores = dict[str, dict[str, float]]  # scale -> sample id -> score of 1..5

BY_CHANCE = 0.5  # what a judge gets who does not read
CONTROL_DESCRIPTIONS: dict[Control, str] = {
    "exchanged": "another one's explanation",
    "invented": "made-up claims",
}
_FEWEST_PAIRS = 6  # five coins show heads more often than in 2.5% of throws
_AGREES = frozenset({"weak", "fair", "strong"})


class RaterAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """The agreement of two raters on one scale; `says` puts Spearman's correlation in words."""

    scale: str
    other: str
    spearman: IntervalEstimate
    kendall: IntervalEstimate
    kappa: IntervalEstimate
    says: str


class JudgeSummary(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The summary of one judge's verdicts on a file of samples.

    Args:
        judge: The model's name.
        samples: Genuine ones.
        controls: Twins.
        failed: The number of both that could not be judged.
        means: System -> scale -> mean score of its genuine samples, 1 to 5.
        agreement: Every scale against every mechanical check.
        preferred: Kind of control -> scale -> share of the pairs in which the genuine one scored
            higher.
        weakness: Weakness of the judge, in a sentence; "" where there is none.
        ms: Mean time of a verdict.
        tokens: Mean prompt tokens of a verdict, those from the cache too.
        origin: The record that is needed to repeat the figures.
    """

    judge: str
    samples: int
    controls: int
    failed: int
    means: dict[str, dict[str, IntervalEstimate]]
    agreement: tuple[RaterAgreement, ...]
    preferred: dict[Control, dict[str, IntervalEstimate]]
    weakness: str
    ms: float
    tokens: float
    origin: Origin


def scores_of_judge(verdicts: Iterable[JudgeVerdict]) -> Scores:
    """Return the scores of a judge; failed verdicts are left out."""
    return _by_scale(
        (scale, one.id, score) for one in verdicts for scale, score in one.scores.items()
    )


def scores_of_user(ratings: Iterable[HumanRating]) -> Scores:
    """Return the scores of a human rater; skips are left out."""
    return _by_scale(
        (one.scale, one.id, float(one.score)) for one in ratings if one.score is not None
    )


def agreement_with_checks(scores: Scores, samples: Sequence[Sample]) -> list[RaterAgreement]:
    """Compare every scale with every mechanical check.

    For kappa a share of 0..1 is put on the scale of 1..5.
    """
    checks = dict.fromkeys(name for sample in samples for name in sample.checks)
    found = []
    for scale, given in scores.items():
        for check in checks:
            shares = {one.id: one.checks[check] for one in samples if check in one.checks}
            stretched = {id_: LOWEST + (HIGHEST - LOWEST) * one for id_, one in shares.items()}
            found.append(_agreement(scale, check, given, stretched, _groups(samples)))
    return found


def agreement_between(
    first: Scores, second: Scores, other: str, samples: Sequence[Sample]
) -> list[RaterAgreement]:
    """Compare two raters of the same samples, on the scales that both used."""
    return [
        _agreement(scale, other, given, second[scale], _groups(samples))
        for scale, given in first.items()
        if scale in second
    ]


def preference_for_genuine(
    scores: Scores, samples: Sequence[Sample]
) -> dict[Control, dict[str, IntervalEstimate]]:
    """Compute by kind of control and scale how often the genuine explanation scored higher.

    Equal scores count half, so that 0.5 is what a rater gets who does not read.
    """
    kinds = dict.fromkeys(kind_of(one) for one in samples if one.control_of)
    return {
        kind: {
            scale: _preference(given, [one for one in samples if kind_of(one) == kind])
            for scale, given in scores.items()
        }
        for kind in kinds
    }


def means_by_system(
    scores: Scores, samples: Sequence[Sample]
) -> dict[str, dict[str, IntervalEstimate]]:
    """Average the scores of genuine samples by system and scale; groups are resampled."""
    genuine = [sample for sample in samples if not sample.control_of]
    return {
        system: {
            scale: _pooled(
                (_group(one), given[one.id])
                for one in genuine
                if one.system == system and one.id in given
            )
            for scale, given in scores.items()
        }
        for system in sorted({sample.system for sample in genuine})
    }


def judge_weakness(
    preferred: Mapping[Control, Mapping[str, IntervalEstimate]],
    agreements: Sequence[RaterAgreement],
) -> str:
    """Describe in a sentence why a judge is unreliable; "" where no check fails.

    It must score twins lower than genuine ones on every scale, told from chance, and its scores
    must rise with each check on some scale. A check that found all samples alike proves nothing.
    """
    faults = []
    for kind, by_scale in preferred.items():
        blind = [scale for scale, one in by_scale.items() if one.n and not beats_chance(one)]
        if blind:
            where = "any scale" if len(blind) == len(by_scale) else ", ".join(blind)
            faults.append(f"it does not surely score {CONTROL_DESCRIPTIONS[kind]} lower on {where}")
    for check in dict.fromkeys(one.other for one in agreements):
        known = [one for one in agreements if one.other == check and one.spearman.n]
        varied = [one for one in known if one.spearman.value is not None]
        if varied and not any(one.says in _AGREES for one in varied):
            faults.append(f"its scores do not rise with the check {check!r} on any scale")
    if not any(one.n for by_scale in preferred.values() for one in by_scale.values()):
        faults.append("no twin was scored that could show what it is worth")
    return f"This judge is weak: {'; '.join(faults)}." if faults else ""


def summarize_judge(
    samples: Sequence[Sample], verdicts: Sequence[JudgeVerdict], origin: Origin
) -> JudgeSummary:
    """Summarise the verdicts of one judge.

    Args:
        samples: The judged samples, controls among them.
        verdicts: The verdicts of one judge, one per sample.
        origin: The record that is needed to repeat the figures.
    """
    scores = scores_of_judge(verdicts)
    agreements = agreement_with_checks(scores, samples)
    preferred = preference_for_genuine(scores, samples)
    controls = sum(bool(one.control_of) for one in samples)
    return JudgeSummary(
        judge=name_of_judge(verdicts),
        samples=len(samples) - controls,
        controls=controls,
        failed=sum(bool(one.failed) for one in verdicts),
        means=means_by_system(scores, samples),
        agreement=tuple(agreements),
        preferred=preferred,
        weakness=judge_weakness(preferred, agreements),
        ms=round(fmean(one.ms for one in verdicts), 1),
        tokens=round(fmean(one.tokens for one in verdicts), 1),
        origin=origin,
    )


def beats_chance(one: IntervalEstimate) -> bool:
    """Whether a judge prefers genuine explanations to their twins, with 95% confidence."""
    return one.n >= _FEWEST_PAIRS and one.low is not None and one.low > BY_CHANCE


def _agreement(
    scale: str,
    other: str,
    first: Mapping[str, float],
    second: Mapping[str, float],
    groups: Mapping[str, str],
) -> RaterAgreement:
    both = sorted(first.keys() & second.keys())
    a, b = [first[id_] for id_ in both], [second[id_] for id_ in both]
    members = [groups.get(id_, id_) for id_ in both]
    ranked = agreement_estimate(spearman, a, b, members)
    return RaterAgreement(
        scale=scale,
        other=other,
        spearman=ranked,
        kendall=agreement_estimate(kendall, a, b, members),
        kappa=agreement_estimate(weighted_kappa, a, b, members),
        says=describe_agreement(ranked),
    )


def _preference(given: Mapping[str, float], controls: Sequence[Sample]) -> IntervalEstimate:
    return _pooled(
        (_group(one), (given[one.control_of] > given[one.id]) + _tied(given, one) / 2)
        for one in controls
        if one.id in given and one.control_of in given
    )


def _tied(given: Mapping[str, float], control: Sample) -> bool:
    return given[control.control_of] == given[control.id]


def _pooled(figures: Iterable[tuple[str, float]]) -> IntervalEstimate:
    """Average figures that belong to groups; groups are resampled, n counts the figures."""
    parts: dict[str, list[float]] = defaultdict(list)
    for group, figure in figures:
        parts[group].append(figure)
    found = ratio_estimate([(sum(of), len(of)) for of in parts.values()])
    return IntervalEstimate(found.value, found.low, found.high, sum(map(len, parts.values())))


def kind_of(sample: Sample) -> Control:
    """Return the kind of a control, "" of a genuine sample; an unknown kind is an exchanged one."""
    return sample.control or ("exchanged" if sample.control_of else "")


def _groups(samples: Sequence[Sample]) -> dict[str, str]:
    return {one.id: _group(one) for one in samples}


def _group(sample: Sample) -> str:
    """Return the group that a sample is resampled with: a control joins its genuine twin."""
    return sample.group or sample.control_of or sample.id


def name_of_judge(verdicts: Sequence[JudgeVerdict]) -> str:
    """Name the judge of these verdicts; without any, only people rated."""
    return next((one.judge for one in verdicts), "people")


def _by_scale(given: Iterable[tuple[str, str, float]]) -> Scores:
    """Group scores by scale and sample, scales in the order of the papers."""
    scores: Scores = {scale.name: {} for scale in MARC + MEMREC}
    for scale, id_, score in given:
        scores.setdefault(scale, {})[id_] = score
    return {scale: of for scale, of in scores.items() if of}

"""What judges and people said, and how far that can be believed: agreement with the checks.

A judge's means are never shown without three figures beside them: how its scores rank samples
compared with the mechanical checks, how often it prefers a genuine explanation to its twin with
another one's or with made-up claims, and, where people rated the same samples, how far it agrees
with them. What speaks against the judge is put in a sentence.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import msgspec

from localrec.evaluation.agreement import in_words, kendall, measured, spearman, weighted_kappa
from localrec.evaluation.intervals import Measure, measure
from localrec.evaluation.judge import Verdict
from localrec.evaluation.pages.numbers import with_interval
from localrec.evaluation.rating import Rating
from localrec.evaluation.records import Bars, Block, HeatMap, Report, Scale, Section, Table, Text
from localrec.evaluation.report import Origin
from localrec.evaluation.samples import Control, Sample
from localrec.evaluation.scales import HIGHEST, LOWEST, MARC, MEMREC

Scores = dict[str, dict[str, float]]  # scale -> sample id -> score of 1..5

_BY_CHANCE = 0.5
_TWINS: dict[Control, str] = {
    "exchanged": "another one's explanation",
    "invented": "made-up claims",
}
_FEWEST_PAIRS = 6  # five coins show heads more often than in 2.5% of throws
_AGREES = frozenset({"weak", "fair", "strong"})


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far two agree on one scale; `says` puts Spearman's correlation in words."""

    scale: str
    other: str
    spearman: Measure
    kendall: Measure
    kappa: Measure
    says: str


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """All that one judge's verdicts on a file of samples come to.

    Args:
        judge: The model's name.
        samples: Genuine ones.
        controls: Twins.
        failed: How many of both could not be judged.
        means: System -> scale -> mean score of its genuine samples, 1 to 5.
        agreement: Every scale against every mechanical check.
        preferred: Kind of control -> scale -> share of the pairs in which the genuine one scored
            higher.
        weakness: What speaks against the judge, in a sentence; "" where nothing does.
        ms: Mean time of a verdict.
        tokens: Mean prompt tokens of a verdict, those from the cache too.
        origin: What it takes to make the figures again.
    """

    judge: str
    samples: int
    controls: int
    failed: int
    means: dict[str, dict[str, Measure]]
    agreement: tuple[Agreement, ...]
    preferred: dict[Control, dict[str, Measure]]
    weakness: str
    ms: float
    tokens: float
    origin: Origin


def scores_of_judge(verdicts: Iterable[Verdict]) -> Scores:
    """A judge's scores; verdicts that failed are left out."""
    return _by_scale(
        (scale, one.id, score) for one in verdicts for scale, score in one.scores.items()
    )


def scores_of_person(ratings: Iterable[Rating]) -> Scores:
    """A person's scores; skips are left out."""
    return _by_scale(
        (one.scale, one.id, float(one.score)) for one in ratings if one.score is not None
    )


def agreement_with_checks(scores: Scores, samples: Sequence[Sample]) -> list[Agreement]:
    """Every scale against every mechanical check.

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
) -> list[Agreement]:
    """Two raters of the same samples, on the scales that both used."""
    return [
        _agreement(scale, other, given, second[scale], _groups(samples))
        for scale, given in first.items()
        if scale in second
    ]


def preference_for_genuine(
    scores: Scores, samples: Sequence[Sample]
) -> dict[Control, dict[str, Measure]]:
    """Kind of control -> scale -> share of the pairs in which the genuine one scored higher.

    Equal scores count half, so that 0.5 is what a rater gets who does not read.
    """
    kinds = dict.fromkeys(_kind(one) for one in samples if one.control_of)
    return {
        kind: {
            scale: _preference(given, [one for one in samples if _kind(one) == kind])
            for scale, given in scores.items()
        }
        for kind in kinds
    }


def means_by_system(scores: Scores, samples: Sequence[Sample]) -> dict[str, dict[str, Measure]]:
    """System -> scale -> mean score of its genuine samples; groups are resampled."""
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


def weakness(
    preferred: Mapping[Control, Mapping[str, Measure]], agreements: Sequence[Agreement]
) -> str:
    """What speaks against a judge, in a sentence; "" where nothing does.

    It must score twins lower than genuine ones on every scale, told from chance, and its scores
    must rise with each check on some scale. A check that found all samples alike proves nothing.
    """
    faults = []
    for kind, by_scale in preferred.items():
        blind = [scale for scale, one in by_scale.items() if one.n and not _is_told(one)]
        if blind:
            where = "any scale" if len(blind) == len(by_scale) else ", ".join(blind)
            faults.append(f"it does not surely score {_TWINS[kind]} lower on {where}")
    for check in dict.fromkeys(one.other for one in agreements):
        known = [one for one in agreements if one.other == check and one.spearman.n]
        varied = [one for one in known if one.spearman.value is not None]
        if varied and not any(one.says in _AGREES for one in varied):
            faults.append(f"its scores do not rise with the check {check!r} on any scale")
    if not any(one.n for by_scale in preferred.values() for one in by_scale.values()):
        faults.append("no twin was scored that could show what it is worth")
    return f"This judge is weak: {'; '.join(faults)}." if faults else ""


def judged_by(samples: Sequence[Sample], verdicts: Sequence[Verdict], origin: Origin) -> Judged:
    """What one judge's verdicts come to.

    Args:
        samples: What was judged, controls among them.
        verdicts: Of one judge, one per sample.
        origin: What it takes to make the figures again.
    """
    scores = scores_of_judge(verdicts)
    agreements = agreement_with_checks(scores, samples)
    preferred = preference_for_genuine(scores, samples)
    controls = sum(bool(one.control_of) for one in samples)
    return Judged(
        judge=_name_of(verdicts),
        samples=len(samples) - controls,
        controls=controls,
        failed=sum(bool(one.failed) for one in verdicts),
        means=means_by_system(scores, samples),
        agreement=tuple(agreements),
        preferred=preferred,
        weakness=weakness(preferred, agreements),
        ms=round(fmean(one.ms for one in verdicts), 1),
        tokens=round(fmean(one.tokens for one in verdicts), 1),
        origin=origin,
    )


def judged_report(judged: Judged, samples: Sequence[Sample], verdicts: Sequence[Verdict]) -> Report:
    """A report on the judge alone, for a folder that is no run's."""
    return Report(
        title=f"Explanations judged by {judged.judge}",
        summary=f"What {' and '.join(judged.means)} said, judged blind, and what that is worth.",
        origin=judged.origin,
        sections=(judged_section(samples, verdicts),),
    )


def judged_section(
    samples: Sequence[Sample],
    verdicts: Sequence[Verdict],
    people: Sequence[Rating] = (),
    ours: tuple[str, ...] = (),
) -> Section:
    """The part of a report on judged explanations.

    Args:
        samples: What was judged, controls among them.
        verdicts: Of one judge.
        people: What people said about the same samples.
        ours: Systems to be set off.
    """
    scores = scores_of_judge(verdicts)
    judge = _name_of(verdicts)
    blocks: list[Block] = [Text(text=_how_it_was_done(judge, samples, verdicts))]
    if scores:
        blocks += [
            _means(f"Scores by {judge}", scores, samples, ours),
            *_worth(judge, scores, samples),
        ]
    rated = scores_of_person(people)
    if rated:
        blocks.append(_means("Scores by people", rated, samples, ours))
        if with_people := agreement_between(scores, rated, "people", samples):
            blocks.append(_table(f"{judge} and people", with_people))
        blocks.append(_table("People and the checks", agreement_with_checks(rated, samples)))
    return Section(title="Judged explanations", blocks=tuple(blocks))


def _worth(judge: str, scores: Scores, samples: Sequence[Sample]) -> list[Block]:
    """What shows whether a judge can judge."""
    agreements = agreement_with_checks(scores, samples)
    preferred = preference_for_genuine(scores, samples)
    blocks: list[Block] = [
        Text(text=weakness(preferred, agreements) or "Nothing here speaks against this judge.")
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
            Bars(
                title=f"How often {judge} prefers an explanation to its twin",
                scales=tuple(
                    Scale(name=f"twin has {_TWINS[kind]}, share of pairs", high=1.0)
                    for kind in preferred
                ),
                rows={
                    scale: tuple(by_scale[scale] for by_scale in preferred.values())
                    for scale in scores
                },
                note=f"{_BY_CHANCE} is what a judge gets who does not read. {_told(preferred)}",
            )
        )
    return blocks


def _told(preferred: Mapping[Control, Mapping[str, Measure]]) -> str:
    judged = [one for by_scale in preferred.values() for one in by_scale.values() if one.n]
    seen = sum(_is_told(one) for one in judged)
    if not seen:
        return "On no scale is it told from chance: do not rely on this judge."
    if seen == len(judged):
        return "On every scale it is told from chance."
    return f"It is told from chance in {seen} of {len(judged)} cases."


def _is_told(one: Measure) -> bool:
    return one.n >= _FEWEST_PAIRS and one.low is not None and one.low > _BY_CHANCE


def _how_it_was_done(judge: str, samples: Sequence[Sample], verdicts: Sequence[Verdict]) -> str:
    kinds = Counter(_kind(sample) for sample in samples)
    invented = f", and {kinds['invented']} with made-up claims," if kinds["invented"] else ""
    failed = sum(bool(one.failed) for one in verdicts)
    trouble = f" {failed} could not be judged." if failed else ""
    return (
        f"{kinds['']} explanations and {kinds['exchanged']} exchanged ones{invented} were put to "
        f"{judge}, one at a time, in shuffled order and without the system's name; scores are "
        f"{LOWEST} to {HIGHEST}.{trouble}"
    )


def _means(title: str, scores: Scores, samples: Sequence[Sample], ours: tuple[str, ...]) -> Bars:
    means = means_by_system(scores, samples)
    return Bars(
        title=title,
        scales=tuple(Scale(name=name, low=LOWEST, high=HIGHEST) for name in scores),
        rows={system: tuple(of[name] for name in scores) for system, of in means.items()},
        ours=ours,
    )


def _table(title: str, agreements: Sequence[Agreement]) -> Table:
    return Table(
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


def _agreement(
    scale: str,
    other: str,
    first: Mapping[str, float],
    second: Mapping[str, float],
    groups: Mapping[str, str],
) -> Agreement:
    both = sorted(first.keys() & second.keys())
    a, b = [first[id_] for id_ in both], [second[id_] for id_ in both]
    members = [groups.get(id_, id_) for id_ in both]
    ranked = measured(spearman, a, b, members)
    return Agreement(
        scale=scale,
        other=other,
        spearman=ranked,
        kendall=measured(kendall, a, b, members),
        kappa=measured(weighted_kappa, a, b, members),
        says=in_words(ranked),
    )


def _preference(given: Mapping[str, float], controls: Sequence[Sample]) -> Measure:
    return _pooled(
        (_group(one), (given[one.control_of] > given[one.id]) + _tied(given, one) / 2)
        for one in controls
        if one.id in given and one.control_of in given
    )


def _tied(given: Mapping[str, float], control: Sample) -> bool:
    return given[control.control_of] == given[control.id]


def _pooled(figures: Iterable[tuple[str, float]]) -> Measure:
    """The mean of figures that belong to groups; groups are resampled, n counts the figures."""
    parts: dict[str, list[float]] = defaultdict(list)
    for group, figure in figures:
        parts[group].append(figure)
    found = measure([(sum(of), len(of)) for of in parts.values()])
    return Measure(found.value, found.low, found.high, sum(map(len, parts.values())))


def _kind(sample: Sample) -> Control:
    """The kind of a control; one of unknown kind is an exchanged one."""
    return sample.control or ("exchanged" if sample.control_of else "")


def _groups(samples: Sequence[Sample]) -> dict[str, str]:
    return {one.id: _group(one) for one in samples}


def _group(sample: Sample) -> str:
    """What a sample is resampled with: a control at least with its genuine twin."""
    return sample.group or sample.control_of or sample.id


def _name_of(verdicts: Sequence[Verdict]) -> str:
    return next((one.judge for one in verdicts), "people")


def _by_scale(given: Iterable[tuple[str, str, float]]) -> Scores:
    """Scores by scale and sample, scales in the papers' order."""
    scores: Scores = {scale.name: {} for scale in MARC + MEMREC}
    for scale, id_, score in given:
        scores.setdefault(scale, {})[id_] = score
    return {scale: of for scale, of in scores.items() if of}

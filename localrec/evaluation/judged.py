"""What judges and people said, and how far that can be believed: agreement with the checks.

A judge's means are never shown without three figures beside them: how its scores rank samples
compared with the mechanical checks, how often it prefers a genuine explanation to an exchanged
one, and, where people rated the same samples, how far it agrees with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from localrec.evaluation.agreement import in_words, measured, spearman, weighted_kappa
from localrec.evaluation.intervals import Measure, measure
from localrec.evaluation.judge import Verdict
from localrec.evaluation.pages.numbers import with_interval
from localrec.evaluation.rating import Rating
from localrec.evaluation.records import Bars, Block, HeatMap, Scale, Section, Table, Text
from localrec.evaluation.samples import Sample
from localrec.evaluation.scales import HIGHEST, LOWEST, MARC, MEMREC

Scores = dict[str, dict[str, float]]  # scale -> sample id -> score of 1..5

_BY_CHANCE = 0.5


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far two agree on one scale; `says` puts the rank correlation in words."""

    scale: str
    other: str
    spearman: Measure
    kappa: Measure
    says: str


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
            found.append(_agreement(scale, check, given, stretched))
    return found


def agreement_between(first: Scores, second: Scores, other: str) -> list[Agreement]:
    """Two raters on the scales that both used."""
    return [
        _agreement(scale, other, given, second[scale])
        for scale, given in first.items()
        if scale in second
    ]


def preference_for_genuine(scores: Scores, samples: Sequence[Sample]) -> dict[str, Measure]:
    """Scale -> share of the pairs in which the genuine explanation scored above the exchanged one.

    Equal scores count half, so that 0.5 is what a rater gets who does not read.
    """
    pairs = [(one.control_of, one.id) for one in samples if one.control_of]
    return {
        scale: measure(
            [
                ((given[genuine] > given[control]) + (given[genuine] == given[control]) / 2, 1)
                for genuine, control in pairs
                if genuine in given and control in given
            ]
        )
        for scale, given in scores.items()
    }


def means_by_system(scores: Scores, samples: Sequence[Sample]) -> dict[str, dict[str, Measure]]:
    """System -> scale -> mean score of its genuine samples."""
    genuine = [sample for sample in samples if not sample.control_of]
    return {
        system: {
            scale: measure(
                [(given[s.id], 1) for s in genuine if s.system == system and s.id in given]
            )
            for scale, given in scores.items()
        }
        for system in dict.fromkeys(sample.system for sample in genuine)
    }


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
    judge = next((one.judge for one in verdicts), "people")
    blocks: list[Block] = [Text(text=_how_it_was_done(judge, samples, verdicts))]
    if scores:
        blocks += [
            _means(f"Scores by {judge}", scores, samples, ours),
            *_worth(judge, scores, samples),
        ]
    rated = scores_of_person(people)
    if rated:
        blocks.append(_means("Scores by people", rated, samples, ours))
        if with_people := agreement_between(scores, rated, "people"):
            blocks.append(_table(f"{judge} and people", with_people))
        blocks.append(_table("People and the checks", agreement_with_checks(rated, samples)))
    return Section(title="Judged explanations", blocks=tuple(blocks))


def _worth(judge: str, scores: Scores, samples: Sequence[Sample]) -> list[Block]:
    """What shows whether a judge can judge."""
    blocks: list[Block] = []
    agreements = agreement_with_checks(scores, samples)
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
    preferred = preference_for_genuine(scores, samples)
    if any(one.n for one in preferred.values()):
        scale = Scale(name="share of pairs", high=1.0)
        blocks.append(
            Bars(
                title=f"How often {judge} prefers an explanation to an exchanged one",
                scales=(scale,),
                rows={name: (one,) for name, one in preferred.items()},
                note=f"{_BY_CHANCE} is what a judge gets who does not read. {_told(preferred)}",
            )
        )
    return blocks


def _told(preferred: Mapping[str, Measure]) -> str:
    sees = [name for name, one in preferred.items() if one.low is not None and one.low > _BY_CHANCE]
    if not sees:
        return "On no scale is it told from chance: do not rely on this judge."
    if len(sees) == len(preferred):
        return "On every scale it is told from chance."
    return f"It is told from chance on {', '.join(sees)} only."


def _how_it_was_done(judge: str, samples: Sequence[Sample], verdicts: Sequence[Verdict]) -> str:
    controls = sum(bool(sample.control_of) for sample in samples)
    failed = sum(bool(one.failed) for one in verdicts)
    trouble = f" {failed} could not be judged." if failed else ""
    return (
        f"{len(samples) - controls} explanations and {controls} exchanged ones were put to "
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
        head=("scale", "with", "samples", "Spearman", "weighted kappa", "agreement"),
        rows=tuple(
            (
                one.scale,
                one.other,
                str(one.spearman.n),
                with_interval(one.spearman, 2),
                with_interval(one.kappa, 2),
                one.says,
            )
            for one in agreements
        ),
    )


def _agreement(
    scale: str, other: str, first: Mapping[str, float], second: Mapping[str, float]
) -> Agreement:
    both = sorted(first.keys() & second.keys())
    a, b = [first[id_] for id_ in both], [second[id_] for id_ in both]
    ranked = measured(spearman, a, b)
    return Agreement(
        scale=scale,
        other=other,
        spearman=ranked,
        kappa=measured(weighted_kappa, a, b),
        says=in_words(ranked),
    )


def _by_scale(given: Iterable[tuple[str, str, float]]) -> Scores:
    """Scores by scale and sample, scales in the papers' order."""
    scores: Scores = {scale.name: {} for scale in MARC + MEMREC}
    for scale, id_, score in given:
        scores.setdefault(scale, {})[id_] = score
    return {scale: of for scale, of in scores.items() if of}

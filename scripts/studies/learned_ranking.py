"""All figures of the default ranker: targets, ablations, learnt weights, strangers, small stores.

    python scripts/studies/run.py learned_ranking ml-100k --workspace FOLDER [--half test]
    python scripts/studies/run.py learned_ranking strangers --workspace FOLDER [--half test]
    python scripts/studies/run.py learned_ranking left-out --workspace FOLDER [--half test]
    python scripts/studies/run.py learned_ranking samples --workspace FOLDER
    python scripts/studies/run.py learned_ranking cold --workspace FOLDER [--half test]
    python scripts/studies/run.py learned_ranking recbole --data FOLDER [--half test]

FOLDER is a workspace that the films were pulled into (localrec datasets pull ml-100k), or one with
a RecBole `.inter` and `.item` file. `--half validation`, the default, predicts the second-last item
of each user and is what choices may be made by. With --report the figures are kept as
docs/figures/learned_ranking_*.json.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import numpy as np
from findings import Findings, origin_of
from learned_ranking_data import (
    SEED,
    SHOWN,
    Data,
    histories_of,
    in_file_order,
    read_recbole,
    read_workspace,
    short_histories,
)
from learned_ranking_report import Rival, Row, Study, as_markdown
from numpy.typing import NDArray

from localrec.data.interactions import Interactions
from localrec.data.item_features import ItemFeatures
from localrec.evaluation.ranking import metrics
from localrec.evaluation.ranking.cases import Cases, EvaluationProtocol, split_data
from localrec.evaluation.ranking.inference import candidate_scores
from localrec.evaluation.statistics import IntervalEstimate, compare, ratio_estimate
from localrec.ranking.learned.evidence import KINDS
from localrec.ranking.learned.fusion import LearnedWeights
from localrec.ranking.learned.interactions import Histories
from localrec.ranking.learned.ranker import FusedRanker, RankerConfig

K = 10


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("part", choices=tuple(PARTS))
    parser.add_argument("--workspace", type=Path, help="with MovieLens 100K in it")
    parser.add_argument("--data", type=Path, help="folder of a RecBole data set")
    parser.add_argument("--half", choices=["validation", "test"], default="validation")
    parser.add_argument("--kinds", default=",".join(KINDS), help="kinds of evidence that are tried")
    parser.add_argument("--ablate", action="store_true", help="leave each kind out as well")
    parser.add_argument("--cases", type=int, default=10**9, help="at most so many, evenly drawn")
    parser.add_argument("--folds", type=int, default=5, help="of the left-out users")
    parser.add_argument("--keep", type=Path, help="folder that fitted rankers are kept in")


def measure(asked: argparse.Namespace) -> Findings:
    """Run one part of the study."""
    study = PARTS[asked.part](asked)
    name = asked.part if asked.part != "recbole" else asked.data.name
    kept_as = f"learned_ranking_{name}_{asked.half}"
    return Findings(text=as_markdown(study), figures=study, kept_as=kept_as)


# Parts


def run_ml(asked: argparse.Namespace) -> Study:
    """Full ranking, 20 and 10 candidates of MovieLens 100K."""
    return _leave_one_out(asked, read_workspace(asked.workspace), ("full", 20, 10))


def run_recbole(asked: argparse.Namespace) -> Study:
    """Full ranking and 99 negatives of a RecBole folder."""
    return _leave_one_out(asked, read_recbole(asked.data), ("full", 100))


def _leave_one_out(asked: argparse.Namespace, data: Data, candidates: Sequence[str | int]) -> Study:
    parted = {
        str(many): split_data(data.interactions, EvaluationProtocol(candidates=many, seed=SEED))  # type: ignore[arg-type]
        for many in candidates
    }
    cases = {name: getattr(one, asked.half) for name, one in parted.items()}
    chosen = _some_cases(len(cases["full"]), asked.cases)
    cases = {name: one.take(chosen) for name, one in cases.items()}
    log = parted["full"].train
    ranker, seconds = _fitted(asked, log, data.side, asked.kinds.split(","), "all")
    histories = histories_of(cases["full"])
    rankers = {"auto": ranker}
    if asked.ablate:
        rankers |= {f"auto without {kind}": ranker.ablated(kind) for kind in ranker.evidence}
    rows, rivals = _judged(rankers, histories, cases)
    weights = _weights(ranker)
    study = _study(asked, len(chosen), rows, weights, seconds, _warm_ms(ranker, histories))
    return msgspec.structs.replace(study, rivals=rivals)


def run_strangers(asked: argparse.Namespace) -> Study:
    """Five ratings without days from users whom the store does not know; all films are ranked.

    The users and their five ratings are those of `scripts/studies/cold_start.py`.
    """
    data = read_workspace(asked.workspace)
    source = in_file_order(data)
    drawn = np.random.default_rng(SEED).permutation(np.unique(data.user_keys.astype(str)))
    fifth = len(drawn) // 5
    held_out = {"test": drawn[:fifth], "validation": drawn[fifth : 2 * fifth]}[asked.half]
    known = np.isin(data.user_keys.astype(str), drawn[2 * fifth :])
    mask = known[data.interactions.user]
    log = data.interactions.select(mask)
    ranker, seconds = _fitted(asked, log, data.side, asked.kinds.split(","), asked.half)
    rows: list[Row] = []
    rivals: list[Rival] = []
    metric = f"NDCG@{K}"
    for choice in ("any", "first"):
        shown, stars, relevant = short_histories(data, source, held_out.tolist(), choice)
        histories = Histories.of(shown, stars)
        systems = {"auto": ranker.score(histories), **ranker.signals(histories)}
        gains = {
            name: [
                (_list_ndcg(scores[row], shown[row], relevant[row]), 1.0)
                for row in range(len(shown))
            ]
            for name, scores in systems.items()
        }
        protocol = f"{choice} {SHOWN}"
        rows += [Row(name, protocol, {metric: ratio_estimate(one)}) for name, one in gains.items()]
        best = max(gains.keys() - {"auto"}, key=lambda name: sum(gain for gain, _ in gains[name]))
        rivals.append(Rival(protocol, metric, best, compare(gains["auto"], gains[best])))
    weights = _weights(ranker)
    study = _study(asked, len(shown), rows, weights, seconds, _warm_ms(ranker, histories))
    return msgspec.structs.replace(study, rivals=tuple(rivals))


def run_left_out(asked: argparse.Namespace) -> Study:
    """The last film among 20, of users who are left out of the fit, last 10 in the request.

    Requests hold no days; what days would bring is measured beside them.
    """
    data = read_workspace(asked.workspace)
    parted = split_data(data.interactions, EvaluationProtocol(candidates=20, history=10, seed=SEED))
    cases: Cases = getattr(parted, asked.half)
    fold = np.random.default_rng(SEED).permutation(len(cases)) % asked.folds
    log = parted.train
    scores: dict[str, NDArray[np.float32]] = {}
    seconds: dict[str, float] = {}
    for number in range(asked.folds):
        rows = np.flatnonzero(fold == number)
        stays = ~np.isin(log.user, cases.user[rows])
        ranker, seconds = _fitted(
            asked, log.select(stays), data.side, asked.kinds.split(","), f"left-out-{number}"
        )
        dated = histories_of(cases.take(rows), strangers=True)
        undated = Histories.of(cases.take(rows).histories, cases.take(rows).stars)
        readings = {
            "auto, with days": dated,
            "auto": undated,
            "order trusted": undated.taken_in_order(),
        }
        told = {name: ranker.score(histories) for name, histories in readings.items()}
        for name, part in (told | ranker.signals(undated)).items():
            found = scores.setdefault(name, np.zeros((len(cases), log.items), dtype=np.float32))
            found[rows] = part
    protocol = "20, users left out, last 10 shown"
    places = {(name, protocol): _places(found, cases) for name, found in scores.items()}
    judged = [Row(name, protocol, _measured(found)) for (name, _), found in places.items()]
    singles = [name for name in scores if name not in readings]
    study = _study(asked, len(cases), judged, _weights(ranker), seconds, _warm_ms(ranker, undated))
    rivals = [_rival(places, singles, protocol, metric) for metric in ("H@1", f"NDCG@{K}")]
    return msgspec.structs.replace(study, rivals=tuple(rivals))


def run_samples(asked: argparse.Namespace) -> Study:
    """Stores that are sparse, dense, tiny, undated or unrated, made of MovieLens 100K."""
    data = read_workspace(asked.workspace)
    rows: list[Row] = []
    for name, interactions in _samples(data.interactions).items():
        parted = split_data(interactions, EvaluationProtocol(candidates=20, seed=SEED))
        cases: Cases = getattr(parted, asked.half)
        ranker, seconds = _fitted(
            asked, parted.train, data.side, asked.kinds.split(","), f"sample-{name}"
        )
        histories = histories_of(cases)
        rows.append(Row("auto", f"{name}, 20", _figures(ranker.score(histories), cases)))
        for signal, scores in ranker.signals(histories).items():
            rows.append(Row(signal, f"{name}, 20", _figures(scores, cases)))
    weights = _weights(ranker)
    return _study(asked, len(cases), rows, weights, seconds, _warm_ms(ranker, histories))


def run_cold(asked: argparse.Namespace) -> Study:
    """A fifth of the films is in nobody's training rows; the last film is sought among these.

    Only users whose last film is one of them are asked about; chance is what any order has.
    """
    data = read_workspace(asked.workspace)
    drawn = np.random.default_rng(SEED).permutation(data.interactions.items)
    cold = np.zeros(len(drawn), dtype=bool)
    cold[drawn[: len(drawn) // 5]] = True
    parted = split_data(data.interactions, EvaluationProtocol(seed=SEED))
    cases: Cases = getattr(parted, asked.half)
    cases = cases.take(np.flatnonzero([bool(cold[one[0]]) for one in cases.positives]))
    log = parted.train
    ranker, seconds = _fitted(
        asked, log.select(~cold[log.item]), data.side, asked.kinds.split(","), "cold"
    )
    histories = _without(histories_of(cases), cold)
    systems = {"auto": ranker.score(histories), **ranker.signals(histories)}
    systems["chance"] = np.zeros_like(systems["auto"])
    rows = []
    for name, scores in systems.items():
        among = np.where(cold, scores, -np.inf).astype(np.float32)
        rows.append(Row(name, f"{cold.sum()} cold films", _figures(among, cases)))
    return _study(asked, len(cases), rows, _weights(ranker), seconds, _warm_ms(ranker, histories))


def _without(histories: Histories, out: NDArray[np.bool_]) -> Histories:
    """The histories without some items."""
    kept = ~out[histories.item]
    counts = np.bincount(histories.request[kept], minlength=len(histories))
    return msgspec.structs.replace(
        histories,
        item=histories.item[kept],
        first=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        rating=histories.rating[kept],
        day=histories.day[kept],
    )


PARTS = {
    "ml-100k": run_ml,
    "recbole": run_recbole,
    "strangers": run_strangers,
    "left-out": run_left_out,
    "samples": run_samples,
    "cold": run_cold,
}


def _samples(data: Interactions) -> dict[str, Interactions]:
    """Small stores; users and items keep their numbers."""
    generator = np.random.default_rng(SEED)
    age = data.first_row[1:][data.user] - 1 - np.arange(len(data))
    popular = np.argsort(-np.bincount(data.item, minlength=data.items))[:200]
    few = generator.permutation(data.users)
    masks = {
        "sparse (newest 8 of each user)": age < 8,
        "dense (200 films)": np.isin(data.item, popular),
        "100 users": np.isin(data.user, few[:100]),
        "5 users": np.isin(data.user, few[:5]),
    }
    samples = {name: _masked(data, mask) for name, mask in masks.items()}
    undated = np.full(len(data), np.datetime64("NaT"), dtype="datetime64[s]")
    unrated = np.full(len(data), np.nan, dtype=np.float32)
    samples["no timestamps"] = msgspec.structs.replace(data, at=undated)
    samples["no ratings"] = msgspec.structs.replace(data, stars=unrated)
    return samples


def _masked(data: Interactions, mask: NDArray[np.bool_]) -> Interactions:
    return Interactions(
        user=data.user[mask],
        item=data.item[mask],
        stars=data.stars[mask],
        at=data.at[mask],
        users=data.users,
        items=data.items,
    )


# Measuring


def _fitted(
    asked: argparse.Namespace,
    log: Interactions,
    side: ItemFeatures,
    kinds: Sequence[str],
    name: str,
) -> tuple[FusedRanker, dict[str, float]]:
    """A fitted ranker and its times."""
    folder = None if asked.keep is None else asked.keep / f"{asked.part}-{name}"
    config = RankerConfig(kinds=tuple(kinds))
    ranker = FusedRanker(config, folder, progress=_tell, may_ablate=asked.ablate)
    started, cpu = time.perf_counter(), time.process_time()
    ranker.fit(log, side, seed=SEED)
    wall = time.perf_counter() - started
    seconds = {"fit": round(wall, 1), "fit, CPU": round(time.process_time() - cpu, 1)}
    assert ranker.report is not None
    return ranker, seconds | ranker.report.seconds


def _tell(what: str, done: int, total: int) -> None:
    print(f"{what} {done}/{total}", file=sys.stderr)


def _judged(
    rankers: dict[str, FusedRanker], histories: Histories, cases: dict[str, Cases]
) -> tuple[list[Row], tuple[Rival, ...]]:
    """Figures of rankers and of the first one's signals, five hundred cases at a time."""
    places: dict[tuple[str, str], list[metrics.TiedRanks]] = {}
    for begin in range(0, len(histories), 500):
        rows = np.arange(begin, min(begin + 500, len(histories)))
        part_of_all = histories.take(rows)
        systems = {name: one.score(part_of_all) for name, one in rankers.items()}
        systems |= next(iter(rankers.values())).signals(part_of_all)
        for protocol, all_cases in cases.items():
            some = all_cases.take(rows)
            for system, scores in systems.items():
                places.setdefault((system, protocol), []).append(_places(scores, some))
        _tell("cases", begin, len(histories))
    joined = {key: _joined(found) for key, found in places.items()}
    rows = [Row(system, protocol, _measured(found)) for (system, protocol), found in joined.items()]
    singles = [name for name, _ in joined if not name.startswith("auto")]
    return rows, tuple(
        _rival(joined, dict.fromkeys(singles), protocol, metric)
        for protocol in cases
        for metric in ("H@1", f"NDCG@{K}")
    )


def _rival(
    joined: dict[tuple[str, str], metrics.TiedRanks],
    singles: Iterable[str],
    protocol: str,
    metric: str,
) -> Rival:
    """The best of single kinds of evidence, chosen on the same cases, against the fusion."""
    values = {name: _values(joined[name, protocol])[metric] for name in ("auto", *singles)}
    best = max(singles, key=lambda name: float(values[name].mean()))
    ours, theirs = ([(float(one), 1.0) for one in values[name]] for name in ("auto", best))
    return Rival(protocol, metric, best, compare(ours, theirs))


def _joined(parts: Sequence[metrics.TiedRanks]) -> metrics.TiedRanks:
    return metrics.TiedRanks(
        np.concatenate([one.first for one in parts]), np.concatenate([one.tied for one in parts])
    )


def _figures(scores: NDArray[np.float32], cases: Cases) -> dict[str, IntervalEstimate]:
    return _measured(_places(scores, cases))


def _places(scores: NDArray[np.float32], cases: Cases) -> metrics.TiedRanks:
    ranked, positive = candidate_scores(scores, cases, keep_known=False)
    return metrics.tied_ranks(ranked, positive)


def _measured(places: metrics.TiedRanks) -> dict[str, IntervalEstimate]:
    return {
        name: ratio_estimate([(one, 1.0) for one in column])
        for name, column in _values(places).items()
    }


def _values(places: metrics.TiedRanks) -> dict[str, NDArray[np.float64]]:
    """Metrics of each case."""
    return {
        "H@1": metrics.hit_rates(places, 1),
        "H@10": metrics.hit_rates(places, K),
        "NDCG@10": metrics.ndcgs(places, K),
        "MRR": metrics.reciprocal_ranks(places),
    }


def _list_ndcg(
    scores: NDArray[np.float32], shown: NDArray[np.int32], relevant: NDArray[np.int32]
) -> float:
    ranked = scores.copy()
    ranked[shown] = -np.inf
    ranking = np.argsort(-ranked, kind="stable")[:K]
    hits = metrics.hits_of(ranking.tolist(), frozenset(relevant.tolist()))
    return metrics.ndcg(hits, len(relevant), K)


def _weights(ranker: FusedRanker) -> dict[str, LearnedWeights]:
    return {"ordered": ranker.ordered, "unordered": ranker.unordered}


def _some_cases(many: int, most: int) -> NDArray[np.int64]:
    return np.sort(np.random.default_rng(SEED).permutation(many)[:most])


def _warm_ms(ranker: FusedRanker, histories: Histories) -> float:
    """Median milliseconds of one list, histories asked one by one."""
    times = []
    for row in range(min(50, len(histories))):
        one = histories.take([row])
        started = time.perf_counter()
        scores = ranker.score(one)[0]
        np.argpartition(-scores, K)[:K]
        times.append(1000.0 * (time.perf_counter() - started))
    return round(float(np.median(times)), 2)


def _study(
    asked: argparse.Namespace,
    cases: int,
    rows: Sequence[Row],
    weights: dict[str, LearnedWeights],
    seconds: dict[str, float],
    warm_ms: float,
) -> Study:
    arguments = [asked.part, f"--half {asked.half}"]
    if asked.kinds != ",".join(KINDS):
        arguments.append(f"--kinds {asked.kinds}")
    return Study(
        origin=origin_of("learned_ranking", *arguments),
        part=asked.part,
        half=asked.half,
        cases=cases,
        rows=tuple(rows),
        weights=weights,
        seconds=seconds,
        megabytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        warm_list_ms=warm_ms,
    )

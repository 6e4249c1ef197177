"""Compute a system's figures from its cases.

A metric has a value for each case; the interval resamples users with all their cases. Where a case
may have several targets (unknown users under full ranking) metrics are computed from the stored
list, otherwise from the target's rank.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.domains import Domain
from localrec.evaluation.ranking import metrics
from localrec.evaluation.ranking.cases import DataSplit
from localrec.evaluation.ranking.inference import CaseResult
from localrec.evaluation.ranking.keyed_interactions import KeyedInteractions
from localrec.evaluation.statistics import IntervalEstimate, Parts, ratio_estimate
from localrec.graph.store import Store

Values = NDArray[np.float64]

FALLING = frozenset({"invalid"})  # fewer is better
_LISTED = 10  # coverage, novelty and diversity are those of the first so many

_ATTRIBUTES = """
    SELECT DISTINCT e.source_id AS item, e.target_id AS attribute, a.kind = $component AS genre
    FROM edge e JOIN node a ON a.node_id = e.target_id
    WHERE a.domain = $domain AND a.kind IN (SELECT unnest($kinds))
    AND e.source_id IN (SELECT unnest($items)) ORDER BY ALL
"""


class ItemFacts(msgspec.Struct, frozen=True):
    """The item data for list metrics.

    Args:
        number: Key -> index of the item.
        owners: The number of training users of each item, (items,).
        users: The number of training users.
        attributes: The store's ids of each item's attributes.
        genres: Distribution of each item over the components of its domain, (items, g).
    """

    number: dict[str, int]
    owners: NDArray[np.int64]
    users: int
    attributes: tuple[frozenset[int], ...]
    genres: Values


def read_facts(
    store: Store, domain: Domain, keyed: KeyedInteractions, parted: DataSplit
) -> ItemFacts:
    """Read popularity from the training rows and attributes from the store."""
    rows = store.columns(
        _ATTRIBUTES,
        {
            "component": domain.kind_of("component") or "",
            "domain": domain.name,
            "kinds": list(domain.attributes),
            "items": keyed.item_nodes.tolist(),
        },
    )
    order = np.argsort(keyed.item_nodes)
    nodes = np.asarray(rows["item"], dtype=np.int64)
    item = order[np.searchsorted(keyed.item_nodes[order], nodes)]
    attribute = np.asarray(rows["attribute"], dtype=np.int64)
    held: list[set[int]] = [set() for _ in keyed.item_keys]
    for one, name in zip(item.tolist(), attribute.tolist(), strict=True):
        held[one].add(name)
    genre = np.asarray(rows["genre"], dtype=bool)
    kinds, column = np.unique(attribute[genre], return_inverse=True)
    shares = np.zeros((len(held), len(kinds)))
    shares[item[genre], column] = 1.0
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1.0)
    return ItemFacts(
        number={key: place for place, key in enumerate(keyed.item_keys.tolist())},
        owners=np.bincount(parted.train.item, minlength=parted.train.items),
        users=int(np.count_nonzero(np.diff(parted.train.first_row))),
        attributes=tuple(map(frozenset, held)),
        genres=shares,
    )


def values_of(
    outcomes: Sequence[CaseResult], ks: Sequence[int], *, several: bool
) -> dict[str, Values]:
    """Compute each metric that the cases alone determine, a value for each case.

    Args:
        outcomes: In a fixed order.
        ks: Lengths of list.
        several: Whether a case may have several targets.
    """
    values = _of_several(outcomes, ks) if several else _of_one(outcomes, ks)
    values["invalid"] = np.array([bool(one.faults) for one in outcomes], dtype=np.float64)
    if any(one.shown for one in outcomes):
        values |= _of_what_is_shown(outcomes, ks)
    return values


def figures_of(
    outcomes: Sequence[CaseResult],
    ks: Sequence[int],
    facts: ItemFacts,
    histories: Mapping[str, NDArray[np.int32]],
    *,
    several: bool,
) -> dict[str, IntervalEstimate]:
    """Compute all metrics with their intervals.

    Args:
        outcomes: All cases of a system.
        ks: Lengths of list.
        facts: About the items.
        histories: Case -> the items of its history.
        several: Whether a case may have several targets.
    """
    values = values_of(outcomes, ks, several=several)
    values |= _of_lists(outcomes, min(_LISTED, max(ks)), facts, histories)
    users = [one.user for one in outcomes]
    figures = {name: ratio_estimate(parts_of(column, users)) for name, column in values.items()}
    lists = _listed_items(outcomes, min(_LISTED, max(ks)), facts)
    covered = round(metrics.coverage(lists, len(facts.number)), 4)
    figures[f"coverage@{min(_LISTED, max(ks))}"] = IntervalEstimate(
        covered, None, None, len(outcomes)
    )
    figures |= _of_costs(outcomes)
    return figures


def _of_costs(outcomes: Sequence[CaseResult]) -> dict[str, IntervalEstimate]:
    """Means for each case: milliseconds, and what a model was asked where one was.

    Cases of a chunk may share its time, so an interval over cases would only look like one.
    """
    costs = {"ms": [one.ms for one in outcomes]}
    if any(one.calls for one in outcomes):
        costs |= {
            "calls": [one.calls for one in outcomes],
            "prompt tokens": [one.prompt_tokens for one in outcomes],
            "cached tokens": [one.cached_tokens for one in outcomes],
            "new tokens": [one.new_tokens for one in outcomes],
        }
    if any(one.tool_calls for one in outcomes):
        costs["tool calls"] = [one.tool_calls for one in outcomes]
    return {
        name: IntervalEstimate(round(float(np.mean(column)), 4), None, None, len(outcomes))
        for name, column in costs.items()
    }


def parts_of(values: Values, users: Sequence[str]) -> Parts:
    """Sum and count each user's values, users in the order of their keys; NaN is left out."""
    codes = np.unique(np.asarray(users, dtype=object), return_inverse=True)[1]
    known = ~np.isnan(values)
    sums = np.bincount(codes, weights=np.where(known, values, 0.0))
    counts = np.bincount(codes, weights=known)
    return list(zip(sums.tolist(), counts.tolist(), strict=True))


def _of_one(outcomes: Sequence[CaseResult], ks: Sequence[int]) -> dict[str, Values]:
    places = metrics.TiedRanks(
        np.array([one.first for one in outcomes], dtype=np.int64),
        np.array([one.tied for one in outcomes], dtype=np.int64),
    )
    values = {}
    for k in ks:
        values[f"H@{k}"] = metrics.hit_rates(places, k)
        if k > 1:  # at 1 it is the hit rate
            values[f"NDCG@{k}"] = metrics.ndcgs(places, k)
    values["MRR"] = metrics.reciprocal_ranks(places)
    return values


def _of_what_is_shown(outcomes: Sequence[CaseResult], ks: Sequence[int]) -> dict[str, Values]:
    """Compute the same figures with a fallback's answers in place of invalid ones."""
    shown = [msgspec.structs.replace(one, first=one.shown, tied=1) for one in outcomes]
    return {f"shown {name}": values for name, values in _of_one(shown, ks).items()}


def _of_several(outcomes: Sequence[CaseResult], ks: Sequence[int]) -> dict[str, Values]:
    values: dict[str, list[float]] = {}
    for one in outcomes:
        hits = np.zeros(max(ks), dtype=bool)
        hits[np.array(one.hits, dtype=np.int64) - 1] = True
        for k in ks:
            values.setdefault(f"H@{k}", []).append(metrics.hit_rate(hits, k))
            values.setdefault(f"recall@{k}", []).append(metrics.recall(hits, len(one.targets), k))
            if k > 1:  # at 1 it is the hit rate
                values.setdefault(f"NDCG@{k}", []).append(metrics.ndcg(hits, len(one.targets), k))
        last = f"@{max(ks)}"
        values.setdefault(f"MRR{last}", []).append(metrics.reciprocal_rank(hits))
        values.setdefault(f"MAP{last}", []).append(
            metrics.average_precision(hits, len(one.targets), max(ks))
        )
    return {name: np.array(column) for name, column in values.items()}


def _of_lists(
    outcomes: Sequence[CaseResult],
    k: int,
    facts: ItemFacts,
    histories: Mapping[str, NDArray[np.int32]],
) -> dict[str, Values]:
    lists = _listed_items(outcomes, k, facts)
    distance = metrics.attribute_distance(facts.attributes)
    wanted = metrics.genre_shares([histories[one.id] for one in outcomes], facts.genres)
    shown = metrics.genre_shares(lists, facts.genres)
    return {
        f"novelty@{k}": metrics.novelty(lists, facts.owners, facts.users),
        f"diversity@{k}": metrics.intra_list_diversity(lists, distance),
        f"miscalibration@{k}": metrics.miscalibration(wanted, shown),
    }


def _listed_items(
    outcomes: Sequence[CaseResult], k: int, facts: ItemFacts
) -> list[NDArray[np.int64]]:
    """Return the lists as item numbers; unknown items are left out."""
    return [
        np.array([facts.number[key] for key in one.top[:k] if key in facts.number], dtype=np.int64)
        for one in outcomes
    ]

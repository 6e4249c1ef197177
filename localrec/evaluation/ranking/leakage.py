"""Guard a run's figures: refuse leaks before a system runs, and report cheats after it.

Leaks: a held-out pair of user and item must not be in the training rows, in an interaction matrix,
on an edge, or in a text that a system reads. Each check examines the data that a system receives.

Cheats: a system finds the target in an unexpected way. The probe asks again with decoys: an evenly
drawn item that the user never met takes the place of the target. A system that does not see the
target finds a decoy no more often than chance, however good it is. A system that knows the true
targets from elsewhere passes the probe, and is found by being implausibly good: nearly always right
where all others are far from it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.interactions import Interactions
from localrec.evaluation.ranking.cases import Cases, DataSplit, Items
from localrec.evaluation.ranking.inference import EvaluatedSystem, InferenceContext, run_cases
from localrec.evaluation.ranking.keyed_interactions import KeyedInteractions
from localrec.evaluation.statistics import IntervalEstimate
from localrec.foundation.errors import LocalrecError
from localrec.graph.interactions import USER
from localrec.graph.store import Store
from localrec.index.interaction_cache import LIKED_FROM
from localrec.memory.user_item_graph import UserItemGraph

CHANCE = 1e-6  # probability of as many decoys found by luck, below which it was no luck
NEARLY_ALWAYS = 0.9  # hit rate at 1
FAR_ABOVE = 2.0  # times the best of the others
_TELLING = 20  # letters; a shorter note may stand in a text by accident

_EDGES = """
    SELECT count(*) FROM edge e JOIN held h ON h.item_id = e.source_id OR h.item_id = e.target_id
    JOIN node u ON u.node_id = h.user_id
    WHERE h.user_id IN (e.source_id, e.target_id) OR e.properties->>'$.by' = u.key
"""
_TEXTS = """
    SELECT count(*) FROM held h JOIN interaction x USING (user_id, item_id)
    JOIN node i ON i.node_id = h.item_id
    WHERE length(x.note) >= $telling AND EXISTS (
        SELECT 1 FROM (SELECT unnest(json_keys(i.properties)) AS name)
        WHERE contains(i.properties->>name, x.note)
    )
"""


class LeakError(LocalrecError):
    """A system would see what it is asked for."""


class Suspicion(msgspec.Struct, frozen=True, kw_only=True):
    """A reason to doubt a system's figures.

    Args:
        kind: The probe found it out, or it is far too good.
        detail: The numbers behind it, as a sentence; `told` in JSON.
    """

    kind: Literal["sees the target", "too good to be true"]
    detail: str = msgspec.field(name="told")


def check_train(train: Interactions, cases: Cases) -> None:
    """See that no held-out pair is among the training rows.

    Raises:
        LeakError: one is.
    """
    leaked = np.intersect1d(
        train.user.astype(np.int64) * train.items + train.item, _held(cases, train.items)
    )
    if len(leaked):
        raise LeakError(
            f"{len(leaked)} held-out pairs of person and item are among the training rows.",
            "This is a fault in localrec's split; nothing was measured.",
        )


def check_split(parted: DataSplit) -> None:
    """Check that no held-out row is in training or history, or twice in the cases.

    Raises:
        LeakError: something is.
    """
    for cases in (parted.validation, parted.test):
        check_train(parted.train, cases)
        shown = sum(
            bool(np.isin(positives, history).any())
            for positives, history in zip(cases.positives, cases.histories, strict=True)
        )
        if shown:
            raise LeakError(
                f"{shown} histories hold the item that is to be found.",
                "This is a fault in localrec's split; nothing was measured.",
            )
    both = np.intersect1d(
        _held(parted.validation, parted.train.items), _held(parted.test, parted.train.items)
    )
    if len(both):
        raise LeakError(
            f"{len(both)} pairs of person and item are held out for validation and test alike.",
            "This is a fault in localrec's split; nothing was measured.",
        )


def check_interactions(interactions: InteractionMatrix, train: Interactions, place: Items) -> None:
    """Check that an interaction matrix holds exactly the likes of the training rows.

    Its people bear no names, so they are counted again by item.

    Args:
        interactions: The matrix that a ranker was given.
        train: The training rows.
        place: The audience's index of each item, (items,).

    Raises:
        LeakError: it holds others.
    """
    liked = np.isnan(train.stars) | (train.stars >= LIKED_FROM)
    expected = np.zeros(len(interactions.likes), dtype=np.int64)
    expected[place] = np.bincount(train.item[liked], minlength=train.items)
    if (interactions.likes != expected).any():
        raise LeakError(
            f"An audience of {len(interactions.items):,} likings was not counted from the "
            f"{int(liked.sum()):,} of the training rows.",
            "Count it with localrec.data.interaction_matrix.InteractionMatrix.from_likes.",
        )


def check_graph(graph: UserItemGraph, train: Interactions) -> None:
    """Check that a shared memory contains no like beyond the training rows.

    Args:
        graph: The graph of a memory; users and items numbered as in the training rows.
        train: The training rows.

    Raises:
        LeakError: somebody is joined to something else.
    """
    users = np.repeat(np.arange(graph.matrix.user_count), graph.matrix.user_likes)
    joined = users * train.items + graph.matrix.items
    known = train.user.astype(np.int64) * train.items + train.item
    if strange := int(np.count_nonzero(~np.isin(joined, known))):
        raise LeakError(
            f"A memory joins people to {strange} items that no training row does.",
            "Count it with localrec.memory.from_log.build_collaborative_memory.",
        )


def check_store(store: Store, cases: Cases, keyed: KeyedInteractions) -> None:
    """Check that no edge and no text of a held-out item names the user of its case.

    Edges tell where they join the two, or were brought by the person (their own shelf); a text
    tells where it holds what the person wrote about the item.

    Raises:
        LeakError: something tells.
    """
    held = {
        "item_id": keyed.item_nodes[np.concatenate(cases.positives)],
        "user_key": np.repeat(
            keyed.user_keys[cases.user], [len(items) for items in cases.positives]
        ),
    }
    with store.staged(staged_held=held):
        store.execute(
            "CREATE OR REPLACE TEMP TABLE held AS SELECT DISTINCT u.node_id AS user_id, s.item_id "
            "FROM staged_held s JOIN node i ON i.node_id = s.item_id "
            "JOIN node u ON u.domain = i.domain AND u.kind = ? AND u.key = s.user_key",
            [USER],
        )
    [[edges]] = store.rows(_EDGES)
    [[texts]] = store.rows(_TEXTS, {"telling": _TELLING})
    store.execute("DROP TABLE temp.held")
    if edges or texts:
        raise LeakError(
            f"{edges} edges and {texts} texts of held-out items tell of the people they are held "
            "out from.",
            "Evaluate in a workspace that holds the data set alone.",
        )


class Decoys(msgspec.Struct, frozen=True):
    """Cases with decoys as targets, and the chance to rank one first without knowledge."""

    cases: Cases
    chance: float


def decoys_for(cases: Cases, keyed: KeyedInteractions, count: int, seed: int) -> Decoys:
    """Replace the targets of some cases by decoys: items that the user never had, drawn evenly.

    Among candidates the decoy is one of the others, and the line stays as it is. People who had
    every item are left out.
    """
    generator = np.random.default_rng(seed)
    some = cases.take(np.sort(generator.permutation(len(cases))[:count]))
    foreign = [_unseen_items(some, place, keyed.interactions) for place in range(len(some))]
    places = np.array([place for place, items in enumerate(foreign) if len(items)], dtype=np.int64)
    decoys = tuple(generator.choice(foreign[place], size=1) for place in places.tolist())
    fewest = min((len(foreign[place]) for place in places.tolist()), default=1)
    return Decoys(msgspec.structs.replace(some.take(places), positives=decoys), chance=1.0 / fewest)


def probe_with_decoys(
    system: EvaluatedSystem,
    cases: Cases,
    keyed: KeyedInteractions,
    inference: InferenceContext,
    count: int,
    seed: int,
) -> Suspicion | None:
    """Whether a fitted system finds decoys that it cannot know."""
    decoys = decoys_for(cases, keyed, count, seed)
    outcomes = run_cases(system, decoys.cases, inference)
    found = sum(one.first == 1 and one.tied == 1 for one in outcomes)
    if _tail(len(outcomes), decoys.chance, found) >= CHANCE:
        return None
    return Suspicion(
        kind="sees the target",
        detail=(
            f"It put {found} of {len(outcomes)} evenly drawn decoys first; chance finds at most "
            f"{decoys.chance * len(outcomes):.1f}."
        ),
    )


def implausibly_good(hit_rates: Mapping[str, IntervalEstimate]) -> dict[str, Suspicion]:
    """Find the systems that are nearly always right at rank 1 and far above all others.

    Two cheats do not vouch for each other; where every system is nearly always right, it is easy.
    """
    values = {name: one.value or 0.0 for name, one in hit_rates.items()}
    honest = [value for value in values.values() if value < NEARLY_ALWAYS]
    if len(values) > 1 and not honest:
        return {}
    best = max(honest, default=0.0)
    found = {}
    for name, value in values.items():
        if value >= NEARLY_ALWAYS and value >= FAR_ABOVE * best:
            found[name] = Suspicion(
                kind="too good to be true",
                detail=f"Its hit rate at 1 is {value:.3f}; the best of the others has {best:.3f}.",
            )
    return found


def _held(cases: Cases, items: int) -> NDArray[np.int64]:
    """Encode each held-out pair of user and item as one number."""
    lengths = [len(positives) for positives in cases.positives]
    flat = np.concatenate([np.zeros(0, dtype=np.int32), *cases.positives])
    return np.repeat(cases.user.astype(np.int64), lengths) * items + flat


def _unseen_items(cases: Cases, place: int, data: Interactions) -> Items:
    """List the candidates of a case that the user has had neither before nor after."""
    if cases.candidates is not None:
        line = cases.candidates[place]
        return line[line != cases.positives[place][0]]
    seen = data.item[data.rows_of(int(cases.user[place]))]
    return np.setdiff1d(np.arange(data.items, dtype=np.int32), seen)


def _tail(tries: int, chance: float, found: int) -> float:
    """Compute the probability of at least `found` successes in independent tries (binomial)."""
    if found == 0 or chance >= 1.0:
        return 1.0
    logs = [
        math.lgamma(tries + 1)
        - math.lgamma(hits + 1)
        - math.lgamma(tries - hits + 1)
        + hits * math.log(chance)
        + (tries - hits) * math.log1p(-chance)
        for hits in range(found, tries + 1)
    ]
    return math.fsum(map(math.exp, logs))

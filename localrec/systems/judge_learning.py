"""What the verdict of a judge counts, learnt from a store: `localrec learn --judge SYSTEM`.

A share is learnt from users' newest items, which a copy of the store does without: its evidence,
its memory and its tools know nothing of them, and the default is learnt anew there. A judge orders
each of these items among evenly drawn ones that the user never met.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from localrec.data.arrays import Scores
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress
from localrec.graph.journal import STORE, open_settled
from localrec.memory.user_summaries import build_item_features
from localrec.ranking.learned.evidence.base import FitStoppedError, ShouldStop
from localrec.ranking.learned.progress_file import folder_of
from localrec.ranking.learned.ranker import RankerConfig
from localrec.ranking.learned.stored import SEED, learn, open_ranking, read_log
from localrec.ranking.learned.verdicts import (
    JudgedCases,
    VerdictShare,
    learn_share,
    write_share,
)
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.systems.reranking import RerankingRecommender
from localrec.workspace import OpenWorkspace

_Newest = tuple[str, int, int]  # key and node of a user, node of the item

OTHERS = 19  # items among which a held-out one is to be found
_HELD_OUT = "held_out"

# The newest item of each user with enough of them; what is only wanted was not met.
_NEWEST = """
    SELECT u.key, i.user_id, arg_max(i.item_id, (coalesce("at", '-infinity'::TIMESTAMP), i.rowid))
    FROM interaction i JOIN node n ON n.node_id = i.item_id JOIN node u ON u.node_id = i.user_id
    WHERE n.domain = ? AND event NOT IN ('wanted', 'later')
    GROUP BY ALL HAVING count(DISTINCT i.item_id) >= 3 ORDER BY u.key
"""
_TAKE_OUT = f"""
    DELETE FROM interaction WHERE (user_id, item_id) IN (SELECT user_id, item_id FROM {_HELD_OUT})
"""


def learn_judge(
    folder: Path,
    domain: str,
    system: str,
    cases: int,
    *,
    progress: Progress,
    should_stop: ShouldStop,
) -> VerdictShare:
    """Learn what the verdict of a system with a model counts beside the default of a domain.

    Args:
        folder: The workspace.
        domain: Whose items.
        system: The name of a system that judges candidates with a model.
        cases: Users whose newest item is held out, at most; each takes a call of the judge.
        progress: Told each step.
        should_stop: Asked between cases; a yes ends the learning, and nothing is kept.

    Raises:
        UsageError: the system asks no model, or the default was not learnt yet.
        ModelError: the model is not here.
        FitStoppedError: the stop flag went up.
    """
    with OpenWorkspace(folder) as opened:
        context = opened.context(domain)
        known = open_ranking(folder / "indexes", context.catalogue)
        judge = SYSTEM_REGISTRY.recommender(context, system)
        if not isinstance(judge, RerankingRecommender) or judge.share is None:
            raise UsageError(
                f"{system} asks no model, so there is no verdict to learn a share for.",
                "Name memrec-model, agenticrec or one of their variants.",
            )
        if known is None:
            raise UsageError(f"The default of {domain} was not learnt yet.", "localrec learn")
        kept = folder_of(folder / "indexes", domain)
        newest = opened.store.rows(_NEWEST, [domain])
        drawn = np.random.default_rng(SEED).permutation(len(newest))[:cases]
        chosen = [newest[place] for place in drawn.tolist()]
        with TemporaryDirectory(dir=kept, prefix="judging-") as inside:
            copy = Path(inside)
            shutil.copy2(folder / STORE, copy / STORE)
            if (folder / "settings.toml").is_file():
                shutil.copy2(folder / "settings.toml", copy)
            _take_out(copy, chosen)
            config = RankerConfig(kinds=known.ranker.used_kinds)
            with OpenWorkspace(copy, models=opened.models) as reduced:
                _learn_default(reduced, domain, config, progress, should_stop)
                found = _judge(reduced, domain, system, chosen, progress, should_stop)
        share = learn_share(judge.share.judge, found, SEED)
        write_share(folder / "indexes", domain, share)
    return share


def _take_out(copy: Path, chosen: Sequence[_Newest]) -> None:
    """Remove some users' interactions with some items from a store."""
    users = np.array([user for _, user, _ in chosen], dtype=np.int64)
    items = np.array([item for _, _, item in chosen], dtype=np.int64)
    rows = {_HELD_OUT: {"user_id": users, "item_id": items}}
    with open_settled(copy, read_only=False) as store, store.staged(**rows):
        store.execute(_TAKE_OUT)


def _learn_default(
    reduced: OpenWorkspace,
    domain: str,
    config: RankerConfig,
    progress: Progress,
    should_stop: ShouldStop,
) -> None:
    context = reduced.context(domain)
    features = build_item_features(context.catalogue, context.description_field)
    stored = read_log(reduced.store, context.catalogue, features)
    into = folder_of(reduced.folder / "indexes", domain)
    learn(stored, into, progress=progress, should_stop=should_stop, config=config)


def _judge(
    reduced: OpenWorkspace,
    domain: str,
    system: str,
    chosen: Sequence[_Newest],
    progress: Progress,
    should_stop: ShouldStop,
) -> JudgedCases:
    """Have each held-out item judged among drawn ones."""
    generator = np.random.default_rng(SEED)
    default: list[Scores] = []
    verdict: list[Scores] = []
    for number, (user, _, node) in enumerate(chosen):
        if should_stop():
            raise FitStoppedError
        progress(f"asking {system}", number, len(chosen))
        context = reduced.context(domain, user)
        profile = context.user_profile(user)
        free = ~profile.known
        target = int(np.searchsorted(context.catalogue.node_ids, node))
        free[target] = False
        others = generator.permutation(np.flatnonzero(free))[:OTHERS]
        if len(others) < OTHERS or not (profile.strengths > 0).any():
            continue
        shown = generator.permutation([target, *others.tolist()])
        place = np.argsort(shown != target, kind="stable")  # the target's place comes first
        ranker = context.once(
            ("judge", system), partial(SYSTEM_REGISTRY.recommender, context, system)
        )
        assert isinstance(ranker, RerankingRecommender)
        scores = ranker.verdicts(user, profile, shown.tolist())
        default.append(scores[0][place])
        verdict.append(scores[1][place])
    width = 1 + OTHERS
    return JudgedCases(
        np.array(default, dtype=np.float32).reshape(-1, width),
        np.array(verdict, dtype=np.float32).reshape(-1, width),
    )

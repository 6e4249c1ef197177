"""Hold cases out of a log, to learn the weights of the evidence.

Of most users the newest row is taken out and must be found from the rows before it. Some users are
taken out whole: they stand for those whom the store does not know. From them come histories that
are cut anywhere and to any length, in order, and short histories without any order, from which
the other liked items are to be found.
"""

from __future__ import annotations

import msgspec
import numpy as np

from localrec.data.interactions import Interactions
from localrec.ranking.learned.interactions import NO_USER, Floats, Histories, Indexes, Mask, Offsets

MOST_MEMBERS = 2_000
MOST_STRANGERS = 300
STRANGERS_SHARE = 0.15
FEWEST_USERS = 20  # below it nobody is taken out whole
FEWEST_ROWS = 3  # of a user who gives up a row
CUTS = 4  # of each stranger's history
HANDFULS = 8  # of each stranger's items
EARLIEST = 4  # of these hold the earliest items: what users name first is better known
LARGEST_HANDFUL = 12


class HeldOut(msgspec.Struct, frozen=True):
    """Histories and their target items.

    Args:
        histories: The known histories, b of them.
        targets: The item to be found, (b,).
        also: Other items that are as right as the target, of each case.
    """

    histories: Histories
    targets: Offsets
    also: tuple[Indexes, ...]


class InnerSplit(msgspec.Struct, frozen=True):
    """A log without its cases, and the cases.

    Args:
        log: The rows that evidence may be fitted on before its weights are learnt.
        ordered: FusionCases whose history has an order.
        unordered: FusionCases whose history has none.
    """

    log: Interactions
    ordered: HeldOut
    unordered: HeldOut


def split_log(log: Interactions, seed: int) -> InnerSplit:
    """Hold out cases of a log; the same log and seed give the same ones."""
    generator = np.random.default_rng(seed)
    rows = np.diff(log.first_row)
    able = generator.permutation(np.flatnonzero(rows >= FEWEST_ROWS))
    whole = 0
    if len(able) >= FEWEST_USERS:
        whole = min(MOST_STRANGERS, int(np.ceil(STRANGERS_SHARE * len(able))))
    cold_start_users, members = np.sort(able[:whole]), np.sort(able[whole : whole + MOST_MEMBERS])
    last = (log.first_row[1:] - 1)[members]
    kept = ~np.isin(log.user, cold_start_users)
    kept[last] = False
    member_cases = _alone(Histories.from_log(log, last), log.item[last])
    cases = [member_cases, _cut_histories(log, cold_start_users, generator)]
    known = [_parted(one, one.histories.ordered) for one in cases]
    unknown = [_parted(one, ~one.histories.ordered) for one in cases]
    short_histories = _draw_short_histories(log, cold_start_users, generator)
    return InnerSplit(log.select(kept), _merge(known), _merge([*unknown, short_histories]))


def _cut_histories(log: Interactions, users: Indexes, generator: np.random.Generator) -> HeldOut:
    """Cut histories of cold-start users at any place, whole or only their newest items."""
    slices, targets = [], []
    for user in users.tolist():
        begin, end = int(log.first_row[user]), int(log.first_row[user + 1])
        cuts = generator.permutation(np.arange(begin + 1, end))[:CUTS]
        for cut in cuts.tolist():
            shown = int(np.ceil(np.exp(generator.uniform(0.0, np.log(cut - begin + 0.5)))))
            slices.append(slice(max(begin, cut - shown), cut))
            targets.append(int(log.item[cut]))
    return _of_slices(log, slices, targets)


def _draw_short_histories(
    log: Interactions, users: Indexes, generator: np.random.Generator
) -> HeldOut:
    """Draw some items of each cold-start user without order; the other liked ones are targets."""
    items, ratings, targets, also = [], [], [], []
    liked = log.liked
    for user in users.tolist():
        rows = np.arange(int(log.first_row[user]), int(log.first_row[user + 1]))
        for number in range(HANDFULS):
            most = min(LARGEST_HANDFUL, len(rows) - 1)
            shown = int(np.ceil(np.exp(generator.uniform(0.0, np.log(most + 0.5))) - 0.5))
            drawn = rows if number < EARLIEST else generator.permutation(rows)
            wanted = generator.permutation(drawn[shown:][liked[drawn[shown:]]])
            if len(wanted):
                items.append(log.item[drawn[:shown]])
                ratings.append(log.stars[drawn[:shown]])
                targets.append(int(log.item[wanted[0]]))
                also.append(log.item[wanted[1:]])
    return HeldOut(Histories.of(items, ratings), np.array(targets, dtype=np.int64), tuple(also))


def _of_slices(log: Interactions, slices: list[slice], targets: list[int]) -> HeldOut:
    histories = Histories.of(
        [log.item[one] for one in slices],
        [log.stars[one] for one in slices],
        [log.days[one] for one in slices],
        np.full(len(slices), NO_USER, dtype=np.int32),
    )
    return _alone(histories, np.array(targets, dtype=np.int32))


def _alone(histories: Histories, targets: Indexes) -> HeldOut:
    """Make cases in which only the target is right."""
    nothing = np.zeros(0, dtype=np.int32)
    return HeldOut(histories, targets.astype(np.int64), (nothing,) * len(targets))


def _parted(cases: HeldOut, mask: Mask) -> HeldOut:
    rows = np.flatnonzero(mask)
    also = tuple(cases.also[row] for row in rows.tolist())
    return HeldOut(cases.histories.take(rows), cases.targets[rows], also)


def _merge(parts: list[HeldOut]) -> HeldOut:
    histories = [part.histories for part in parts]
    lengths = np.concatenate([one.lengths for one in histories])
    joined = Histories(
        item=np.concatenate([one.item for one in histories]),
        first=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        rating=_floats([one.rating for one in histories]),
        day=np.concatenate([one.day for one in histories]),
        user=np.concatenate([one.user for one in histories]),
    )
    also = tuple(one for part in parts for one in part.also)
    return HeldOut(joined, np.concatenate([part.targets for part in parts]), also)


def _floats(parts: list[Floats]) -> Floats:
    joined: Floats = np.concatenate(parts).astype(np.float32)
    return joined

"""Interactions whose structure is known: two blocks of people, each with items of its own."""

import numpy as np

from localrec.data.interactions import Interactions
from localrec.ranking.recommender import ScoreRequests

BLOCK = 12  # items of each block; people of each too
UNSEEN = 2 * BLOCK  # an item nobody had
ITEMS = 2 * BLOCK + 1
PEOPLE = 2 * BLOCK


def interactions(rows, people, items):
    """Rows of (person, item) or (person, item, stars, day), in any order."""
    whole = [(*row, *(np.nan, 0)[len(row) - 2 :]) for row in rows]
    whole.sort(key=lambda row: (row[0], row[3]))
    person, item, stars, day = zip(*whole, strict=True)
    return Interactions(
        user=np.array(person, dtype=np.int32),
        item=np.array(item, dtype=np.int32),
        stars=np.array(stars, dtype=np.float32),
        at=np.datetime64("2020-01-01", "s") + np.array(day) * np.timedelta64(1, "D"),
        users=people,
        items=items,
    )


def two_blocks():
    """Everybody had all but three items of their own block, and one of the other; five stars."""
    rows = []
    for person in range(PEOPLE):
        own, other = (0, BLOCK) if person < BLOCK else (BLOCK, 0)
        missed = {(person + step) % BLOCK for step in (0, 3, 7)}
        rows += [(person, own + item, 5.0, item) for item in range(BLOCK) if item not in missed]
        rows.append((person, other + person % BLOCK, 5.0, BLOCK))
    return interactions(rows, PEOPLE, ITEMS)


def block_vectors():
    """Texts of the two blocks point two ways; the item nobody had has none."""
    generator = np.random.default_rng(1)
    vectors = generator.normal(scale=0.1, size=(ITEMS, 8)).astype(np.float32)
    vectors[:BLOCK, 0] += 1.0
    vectors[BLOCK:, 1] += 1.0
    vectors[UNSEEN] = 0.0
    return vectors


def strangers(*histories):
    """Requests of people who were not trained on."""
    return ScoreRequests(
        user=np.full(len(histories), -1, dtype=np.int32),
        histories=tuple(np.array(history, dtype=np.int32) for history in histories),
    )


def known(train, *people):
    """Requests of people who were trained on, with their histories from there."""
    return ScoreRequests(
        user=np.array(people, dtype=np.int32),
        histories=tuple(train.item[train.rows_of(person)] for person in people),
    )


def quiet(what, done, total):
    """Progress that nobody watches."""

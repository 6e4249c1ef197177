"""Interactions whose structure is known: two blocks of people, each with items of its own."""

import numpy as np

from localrec.foundation.progress import no_progress as quiet
from localrec.testing.recommenders import BLOCK, ITEMS, UNSEEN, two_blocks
from localrec.testing.recommenders import USERS as PEOPLE
from localrec.testing.recommenders import cold_start_users as strangers
from localrec.testing.recommenders import known_users as known
from localrec.testing.recommenders import make_interactions as interactions

__all__ = [
    "BLOCK",
    "ITEMS",
    "PEOPLE",
    "UNSEEN",
    "block_vectors",
    "interactions",
    "known",
    "quiet",
    "strangers",
    "two_blocks",
]


def block_vectors():
    """Texts of the two blocks point two ways; the item nobody had has none."""
    generator = np.random.default_rng(1)
    vectors = generator.normal(scale=0.1, size=(ITEMS, 8)).astype(np.float32)
    vectors[:BLOCK, 0] += 1.0
    vectors[BLOCK:, 1] += 1.0
    vectors[UNSEEN] = 0.0
    return vectors

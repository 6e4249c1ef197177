"""C2, container and components (MARC, appendix A.1).

The pool holds the items in that container with all the components asked for, or what was left
after relaxing one component at a time from the last (`constraints.py` does that for every task).
What remains is the order: by the image description's similarity to the question.
"""

from __future__ import annotations

import numpy as np

from localrec.graph.catalogue import Mask
from localrec.retrieval.base import Query, Ranked, Setting, ranked


def retrieve_by_container(query: Query, pool: Mask, setting: Setting) -> Ranked:
    """Rank the pool's items by the similarity of their looks to the question."""
    items = np.flatnonzero(pool).astype(np.int32)
    scores = query.similarity(items)
    return ranked(items, (scores,), scores)

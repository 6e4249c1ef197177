"""The reranker's examples: a user, a candidate, and whether the user would choose it.

The role scores candidates one by one (`memory/rerank_stage.py`), so an answer is one word and no
list of scores. Yet a list is taught: of a few candidates in the right order, the choice first, the
front half is answered yes and the rest no. The other candidates of a list are drawn at random, so a
candidate is answered yes more often the higher it stands among all, and the probability of "yes",
by which the role ranks, becomes a graded score. If only the choice were yes, the model would learn
nothing about the others, and one word for everything would be right too often.

Lists come from users' next choices (`next_choices.py`) and synthetic users (`synthetic_users.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice, zip_longest

import msgspec

from localrec.memory.rerank_stage import ANSWERS, RerankCandidate, RerankContext, rerank_prompt
from localrec.training.examples.example import Example, Examples, Half

LISTED = 4  # candidates of a list; their examples follow one another, in the right order


class RightList(msgspec.Struct, frozen=True, kw_only=True):
    """Candidates in the right order for a user.

    Args:
        context: Description of the user.
        candidates: The choice, and the others behind it, `LISTED` in all.
        singular: Noun for one candidate.
        split_keys: Keys of the users and items that it was made from; none of them is in both
            halves.
    """

    context: RerankContext
    candidates: Sequence[RerankCandidate]
    singular: str
    split_keys: tuple[str, ...]


Sources = Callable[[Half], Sequence[Iterator[RightList]]]


def reranker_examples(sources: Sources, train: int, validation: int) -> Examples:
    """Make questions for both halves, up to the end of a list.

    Args:
        sources: Sources of the lists of a half, by turns; one that is named twice has two.
        train: Questions to learn from.
        validation: Questions to stop by.
    """

    def half(name: Half, count: int) -> tuple[Example, ...]:
        lists = islice(_by_turns(sources(name)), -(-count // LISTED))
        return tuple(chain.from_iterable(map(_questions, lists)))

    return Examples(
        role="reranker", train=half("train", train), validation=half("validation", validation)
    )


def _questions(right: RightList) -> Iterator[Example]:
    """Ask about each candidate, in the right order."""
    yes, no = ANSWERS
    for place, candidate in enumerate(right.candidates):
        yield Example(
            messages=rerank_prompt(right.context, candidate, right.singular),
            answer=yes if place < LISTED // 2 else no,
            labels=ANSWERS,
            split_keys=right.split_keys,
        )


def _by_turns(sources: Sequence[Iterator[RightList]]) -> Iterator[RightList]:
    """Take one of each source by turns, until all are at an end."""
    for turn in zip_longest(*sources):
        yield from (one for one in turn if one is not None)

"""The reranker's examples: the default's first candidates, and the one to put first.

An adapter starts from the default's order and evidence, as when it serves
(`memory/first_place.py`): it reads the first candidates of the default, each with its share of the
chances, and answers "keep" or a letter. Lists whose choice is not among the first teach nothing.
Most choices stand first already, and such lists are kept as they come: how sure to be is learnt
from their share.

Lists come from users' next choices (`next_choices.py`) and synthetic users (`synthetic_users.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import msgspec

from localrec.data.arrays import Scores
from localrec.memory.first_place import PLACES, first_place_prompt
from localrec.memory.rerank_stage import RerankCandidate, RerankContext
from localrec.training.examples.example import Example, Examples, Half, by_turns

LISTED = len(PLACES)  # candidates of a list


class RankedList(msgspec.Struct, frozen=True, kw_only=True):
    """The default's first candidates for a user, and which of them the user chose.

    Args:
        context: Description of the user.
        candidates: The first candidates, best first.
        default: The default's scores of these, logarithms of chances, (s,).
        choice: Place of the chosen one among them, from 0.
        singular: Noun for one candidate.
        split_keys: Keys of the users and items that it was made from; none of them is in both
            halves.
    """

    context: RerankContext
    candidates: Sequence[RerankCandidate]
    default: Scores
    choice: int
    singular: str
    split_keys: tuple[str, ...]


Sources = Callable[[Half], Sequence[Iterator[RankedList]]]


def reranker_examples(sources: Sources, train: int, validation: int) -> Examples:
    """Make questions for both halves, one of each list.

    Args:
        sources: Sources of the lists of a half, by turns; one that is named twice has two.
        train: Questions to learn from.
        validation: Questions to stop by.
    """

    def half(name: Half, count: int) -> tuple[Example, ...]:
        return tuple(map(question_of, islice(by_turns(sources(name)), count)))

    return Examples(
        role="reranker", train=half("train", train), validation=half("validation", validation)
    )


def question_of(ranked: RankedList) -> Example:
    """Make the question of a list; its answer puts the chosen candidate first."""
    return Example(
        messages=first_place_prompt(
            ranked.context, ranked.candidates, ranked.default, ranked.singular
        ),
        answer=PLACES[ranked.choice],
        labels=PLACES[: len(ranked.candidates)],
        split_keys=ranked.split_keys,
    )

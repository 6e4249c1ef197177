"""Refine an agent of the default's order on the pairs that it confuses (AgenticRec, 4.4).

An agent that was trained answers its training requests. Where its answer does not put the choice
first, one of the candidates above the choice is drawn as a rival; as in
`preference_refinement.py` not always the first, which the user may have liked too. Both stand alone
in the same prompt, in both orders, each with its share of the chances of the two; right is the
order with the choice in front.

The paper asks which of the two is liked, and which is not. Here the question stays the one that
serves, and the other direction is the other order: only the candidates tell which answer is right.

The requests to validate on stay whole: they choose the state that is kept.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.errors import InputError
from localrec.foundation.progress import Progress
from localrec.training.adapters.lora import WEIGHTS, adapted
from localrec.training.base_model.loading import fingerprint_of
from localrec.training.examples.example import Example
from localrec.training.examples.reranker import RankedList, question_of
from localrec.training.jobs.training_runs import TrainingData, TrainingRun
from localrec.training.rl.answer_scoring import answer_probabilities, gain_scoring
from localrec.training.rl.preference_refinement import HardPair, hard_pair
from localrec.training.sft.sft_data import tokenize_dataset, training_data
from localrec.training.sft.sft_run import SftRunContext
from localrec.training.sft.sft_trainer import with_threads

if TYPE_CHECKING:
    from localrec.training.base_model.upper_layers import States

PAIRS = "pairs.jsonl"  # in a run's folder


class ConfusedPairsContext(SftRunContext, frozen=True, kw_only=True):
    """The opened inputs of a refinement; its examples to learn are the pairs.

    Args:
        pairs: What the agent confused.
        start: Folder of its adapter, with which the training begins.
    """

    pairs: tuple[HardPair, ...]
    start: Path

    @property
    def data(self) -> TrainingData:
        """Describe the data, which the adapter to begin with is a part of."""
        data = training_data(self.config, self.base, self.examples)
        both = f"{data.fingerprint}\0{fingerprint_of(self.start / WEIGHTS)}"
        mark = hashlib.blake2b(both.encode(), digest_size=16).hexdigest()
        return msgspec.structs.replace(data, fingerprint=mark)


def refinement_on(
    made: SftRunContext,
    lists: Sequence[RankedList],
    before: TrainingRun,
    progress: Progress,
    *,
    pairs: Sequence[HardPair] = (),
    states: States | None = None,
) -> ConfusedPairsContext:
    """Put the pairs that an agent confuses in place of its requests.

    Args:
        made: Inputs with the requests that the agent was trained on.
        lists: The lists of the requests to learn from, in their order.
        before: Its finished run.
        progress: Called with each step and its progress.
        pairs: Pairs that were found before; () searches for them.
        states: States below the upper layers that are known; new ones are added.

    Raises:
        InputError: it was trained on other requests, or confuses nothing.
        ModelError: its adapter is damaged, or of another base.
    """
    if before.data.fingerprint != made.examples.fingerprint:
        raise InputError(
            f"{before.name} learnt from other requests than this workspace has now.",
            "Train anew, and refine that run: localrec train from-default",
        )
    found = tuple(pairs) or _searched_pairs(
        made, lists, before, progress, {} if states is None else states
    )
    if not found:
        raise InputError(
            f"{before.name} confused nothing in {len(lists)} requests, so there is nothing to "
            "refine.",
            "Refine a run that learnt from more requests: --train N",
        )
    questions = tuple(pair_questions(lists, found))
    examples = msgspec.structs.replace(made.examples, train=questions)
    return ConfusedPairsContext(
        config=made.config,
        examples=examples,
        tokenized=tokenize_dataset(made.base, examples, made.preset),
        base=made.base,
        preset=made.preset,
        distributed=made.distributed,
        pairs=found,
        start=before.adapter,
    )


def confused_pairs(
    lists: Sequence[RankedList], probabilities: NDArray[np.float64], seed: int
) -> list[HardPair]:
    """Find the requests whose choice an agent does not put first, each with a rival above it.

    Args:
        lists: Lists of the requests.
        probabilities: Of each answer, keeping in front, (b, s).
        seed: Seed of the rivals.
    """
    found = []
    for number, (one, chances) in enumerate(zip(lists, probabilities, strict=True)):
        first = int(chances.argmax())
        places = [first, *(place for place in range(len(one.candidates)) if place != first)]
        pair = hard_pair(number, 1 + one.choice, [1 + place for place in places], seed)
        if pair is not None:
            found.append(pair)
    return found


def pair_questions(lists: Sequence[RankedList], pairs: Sequence[HardPair]) -> Iterator[Example]:
    """Ask about each pair twice: with the choice in front, and with the rival in front.

    Args:
        lists: Lists of the requests.
        pairs: Pairs of these.
    """
    for pair in pairs:
        ranked, choice, rival = lists[pair.request], pair.chosen - 1, pair.rival - 1
        for places in ([choice, rival], [rival, choice]):
            two = msgspec.structs.replace(
                ranked,
                candidates=[ranked.candidates[place] for place in places],
                default=ranked.default[places],
                choice=places.index(choice),
            )
            yield question_of(two)


def _searched_pairs(
    made: SftRunContext,
    lists: Sequence[RankedList],
    before: TrainingRun,
    progress: Progress,
    states: States,
) -> tuple[HardPair, ...]:
    progress("searching what the agent confuses", 0, 0)
    with with_threads(made.config.threads), adapted(made.base, before.adapter) as model:
        scoring = gain_scoring(model, getattr(made.config, "upper_layers", 0), states)
        chances = answer_probabilities(model, made.tokenized.train, scoring)
    pairs = confused_pairs(lists, chances, made.config.seed)
    # Machines may differ where two answers are nearly as likely; all learn what the first found.
    numbers = made.distributed.agreed(
        [float(number) for pair in pairs for number in msgspec.structs.astuple(pair)]
    )
    whole = np.array(numbers, dtype=int).reshape(-1, 3).tolist()
    return tuple(HardPair(request=one, chosen=two, rival=three) for one, two, three in whole)

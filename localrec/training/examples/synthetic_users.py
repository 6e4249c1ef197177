"""Make a reranker's lists for synthetic users of a graph.

A synthetic user likes two attributes and has met items with either; many of them also ask for
something in a composed question. Candidates meet both to different degrees: the question counts
before the preferences, and among equals the item with more in common with the history is chosen.
The order that an adapter starts from is that of what they have in common with the history alone.
No real interactions are used, so a catalogue is enough; and instructions are learnt here alone,
since no interaction has one.

The halves prefer different attributes, as they use different wordings. Questions with an example
are left out, as nothing here tells how similar two items are.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from localrec.data.arrays import Floats, Indexes, Scores
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.query import TaskKind
from localrec.graph.catalogue import Catalogue
from localrec.memory.collaborative_memory import attribute_evidence
from localrec.memory.loader import memory_texts_of
from localrec.memory.memrec import NO_FACETS
from localrec.memory.model_memrec import candidate_texts, user_context
from localrec.memory.user_item_graph import UserItemGraph
from localrec.memory.user_summaries import build_item_features
from localrec.retrieval.candidates import build_candidates
from localrec.training.examples.example import Half, half_of
from localrec.training.examples.lexicon import lexicon_of
from localrec.training.examples.question_composer import ComposedQuestion, compose_questions
from localrec.training.examples.reflector import intent_of, share_met_by_items
from localrec.training.examples.reranker import LISTED, RankedList

_LIKED = 2  # attributes, where the half has so many
_HISTORY = 8  # items at most
_ASKING = 0.6  # of the users
_LEAST = 0.01  # of the best match, for one that has nothing in common
_FEWEST_LISTED = 3  # candidates that are left of a small catalogue
_FEWEST_TASTES = 4  # fewer cannot be parted


class _SyntheticUser(msgspec.Struct, frozen=True, kw_only=True):
    """A synthetic user with a rating of every item.

    Args:
        history: Past items, oldest first, each once, (h,).
        liked: The number of attributes that they like, and had, of each item, (n,).
        met: Share of what they ask for that each item meets; 1 where they ask for nothing, (n,).
    """

    history: Indexes
    liked: Floats
    met: Floats


class SyntheticUsers:
    """The lists of synthetic users.

    Args:
        catalogue: Catalogue that the users are made from.
        salient: Attributes that may be liked.
        graph: Graph of its items without any like.
        seed: Seed of every draw; the halves draw apart.
    """

    def __init__(
        self, catalogue: Catalogue, salient: Sequence[int], graph: UserItemGraph, seed: int
    ) -> None:
        self._catalogue = catalogue
        self._lexicon = lexicon_of(catalogue)
        self._salient_names = salient
        self._graph = graph
        self._memory_texts = memory_texts_of(graph, catalogue)
        self._seed = seed

    def examples(self, half: Half) -> Iterator[RankedList]:
        """Yield examples of one half without end."""
        random_ = random.Random(f"{self._seed} {half} people")
        salient = half_of(self._salient_names, half)
        while True:
            likes = random_.sample(salient, min(_LIKED, len(salient)))
            question = self._question(half, random_)
            user = self._user(likes, question, random_)
            text, phrases = (question.text, question.split_keys) if question else ("", ())
            names = [self._catalogue.attributes[one].name for one in likes]
            items, default, choice = self._ranked(user, random_)
            yield RankedList(
                context=user_context(self._memory_texts, user.history, NO_FACETS, text),
                candidates=candidate_texts(self._memory_texts, items, shared=False),
                default=default,
                choice=choice,
                singular=self._catalogue.domain.singular,
                split_keys=(*(f"likes {name}" for name in names), *phrases),
            )

    def _question(self, half: Half, random_: random.Random) -> ComposedQuestion | None:
        """Write the question of a user; None without one that can be checked."""
        if random_.random() >= _ASKING:
            return None
        composed = compose_questions([self._lexicon], half, 1, random_.getrandbits(32))
        _, question = next(composed)
        return None if question.task == TaskKind.C4 else question

    def _user(
        self, likes: list[int], question: ComposedQuestion | None, random_: random.Random
    ) -> _SyntheticUser:
        item_features = self._graph.item_features
        wanted = np.zeros(item_features.attributes, dtype=np.float32)
        wanted[likes] = 1.0
        having = np.flatnonzero(item_features.over_items(wanted)).tolist()
        most = min(_HISTORY, len(having) - 1, item_features.items - _FEWEST_LISTED)
        history = random_.sample(having, random_.randint(1, most))
        seen = np.zeros(item_features.items, dtype=np.float32)
        seen[history] = 1.0
        # What they like and had nothing of, nobody could tell.
        wanted *= item_features.over_attributes(seen) > 0
        nothing_asked = np.ones(item_features.items, dtype=np.float32)
        return _SyntheticUser(
            history=np.array(history, dtype=np.int32),
            liked=item_features.over_items(wanted),
            met=nothing_asked if question is None else self._met(question),
        )

    def _met(self, question: ComposedQuestion) -> Floats:
        """Compute the share of constraints that each item meets, (n,); 0 if excluded."""
        pool = build_candidates(
            intent_of(question.demands, self._catalogue), self._catalogue, question.task
        )
        return share_met_by_items(pool)

    def _ranked(
        self, user: _SyntheticUser, random_: random.Random
    ) -> tuple[list[int], Scores, int]:
        """Draw unseen candidates; return them by their match, its logarithms, and the choice."""
        new = np.setdiff1d(np.arange(len(user.liked)), user.history)
        fitting = new[user.met[new] == user.met[new].max()]
        liked = new[user.liked[new] > 0]
        best = np.intersect1d(fitting, liked)
        drawn: list[int] = []
        # Some that fit in one way or another, the rest from anywhere.
        for pool in (best if len(best) else fitting, liked, *[new] * LISTED):
            left = np.setdiff1d(pool, drawn).tolist()
            drawn += [random_.choice(left)] if left else []
        alike = np.ones(len(user.history), dtype=np.float32)
        match = attribute_evidence(user.history, alike, self._graph)
        items = sorted(drawn[:LISTED], key=lambda item: (-match[item], item))
        chosen = max(items, key=lambda item: (user.met[item], user.liked[item], match[item]))
        shown = match[items]
        chances = np.log(np.maximum(shown / max(float(shown.max()), _LEAST), _LEAST))
        return items, chances.astype(np.float32), items.index(chosen)


def synthesize_users(catalogue: Catalogue, seed: int) -> SyntheticUsers | None:
    """Make synthetic users of a catalogue; None where it is too small for two halves.

    Args:
        catalogue: Items and attributes.
        seed: Seed of every draw.
    """
    item_features, none = build_item_features(catalogue, None), np.zeros(0, dtype=np.int32)
    uses = np.bincount(item_features.attribute, minlength=item_features.attributes)
    uses[list(catalogue.staples)] = 0
    # One item has to be had, and another to be chosen for the same reason.
    salient = np.flatnonzero((uses > 1) & (uses < len(catalogue))).tolist()
    if len(catalogue) <= _FEWEST_LISTED or len(salient) < _FEWEST_TASTES:
        return None
    graph = UserItemGraph(
        InteractionMatrix.from_pairs(none, none, 0, len(catalogue)), item_features
    )
    return SyntheticUsers(catalogue, salient, graph, seed)

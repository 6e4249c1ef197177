"""Explain a score by the contributions of its signals."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from localrec.ranking.learned.evidence.base import FittedEvidence
from localrec.ranking.learned.evidence.content import Texts
from localrec.ranking.learned.evidence.memory import NeighbourhoodMemory
from localrec.ranking.learned.evidence.user_knn import SoonAfter, UserNeighbours
from localrec.ranking.learned.features import summed_by_signal
from localrec.ranking.learned.interactions import Floats, Histories
from localrec.ranking.learned.reasons import sources_of


class Contribution(msgspec.Struct, frozen=True):
    """The contribution of one signal to the score of one item.

    Args:
        signal: Its name.
        kind: The kind of evidence it belongs to.
        amount: Weight times standard deviations; negative where the signal speaks against the item.
        sources: Items of the history that the signal rests on, the strongest first; empty where a
            signal rests on no single ones, or speaks against the item.
    """

    signal: str
    kind: str
    amount: float
    sources: tuple[int, ...] = ()


class AccountedScores:
    """The scores of one history, and on request the contributions to one of them.

    Args:
        scores: Scores of all items, (items,).
        names: Names of the features that were added up, (k,).
        amounts: Contribution of each feature to each item, (k, items).
        evidence: The fitted evidence by its kind.
        signals: Names of the signals of each kind.
        history: The one history that the scores are for.
    """

    def __init__(
        self,
        scores: Floats,
        names: tuple[str, ...],
        amounts: Floats,
        evidence: Mapping[str, FittedEvidence],
        signals: Mapping[str, set[str]],
        history: Histories,
    ) -> None:
        self.scores = scores
        self._names, self._amounts = names, amounts
        self._evidence, self._history = evidence, history
        self._soon_after: dict[int, SoonAfter] = {}
        self._kind_of = {name: kind for kind, names in signals.items() for name in names}

    def contributions(self, item: int) -> tuple[Contribution, ...]:
        """List the contributions to an item's score, the largest first."""
        told = [
            Contribution(name, kind, amount, self.sources(kind, name, item) if amount > 0.0 else ())
            for name, amount in summed_by_signal(self._names, self._amounts[:, item]).items()
            if amount and (kind := self._kind_of.get(name))
        ]
        return tuple(sorted(told, key=lambda part: -part.amount))

    def sources(self, kind: str, signal: str, item: int) -> tuple[int, ...]:
        """List the history items that a signal used for an item, the strongest first."""
        fitted = self._evidence.get(kind)
        return () if fitted is None else sources_of(fitted, signal, self._history, item)

    def nearest_users(self, kind: str, item: int) -> tuple[int, int]:
        """Count how many of the users near by a kind met an item, and all; (0, 0) without any."""
        fitted = self._evidence.get(kind)
        if not isinstance(fitted, UserNeighbours | NeighbourhoodMemory):
            return 0, 0
        return fitted.nearest_who_met(self._history, item)

    def came_soon_after(self, source: int, item: int, least: int) -> tuple[int, int, int] | None:
        """Count the users who met an item soon after another: users, all of them, the window.

        None where fewer than `least` did.
        """
        fitted = self._evidence.get("user-knn")
        if not isinstance(fitted, UserNeighbours):
            return None
        if source not in self._soon_after:
            self._soon_after[source] = fitted.soon_after(source)
        return self._soon_after[source].support(item, least)

    def texts_between(self, source: int, item: int) -> tuple[int, int]:
        """Count the texts that are nearer to an item's text than a given one, and all texts."""
        fitted = self._evidence.get("texts")
        return fitted.texts_between(source, item) if isinstance(fitted, Texts) else (0, 0)

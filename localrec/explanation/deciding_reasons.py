"""Explain an item by the signals that contributed most to its score.

Each kind of evidence has its own count over the user's history and checked edges. A network has no
such count, so it is not named: its reason counts the users who met the item soon after a history
item, which is the countable part of what a network learns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from localrec.data.evidence import Evidence, Fact
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.explanation.reason_builder import TOGETHER, ItemCatalog, ReasonBuilder, share_text
from localrec.graph.user_profile import UserProfile

_TOLD = 0.25  # of the largest part: what added less did not decide
_FACTS = 3
_WORDS = {5: "five", 10: "ten", 30: "thirty"}
_SEQUENCE = frozenset({"cooccurrence", "gru", "attention"})
_SHARED = frozenset({"item-knn", "ease", "odds"})
_NEAREST = frozenset({"user-knn", "memory"})


class SignalContribution(Protocol):
    """The contribution of one signal to a score; `ranking/learned/contributions.py` has one."""

    @property
    def kind(self) -> str:
        """The kind of evidence of the signal."""
        ...

    @property
    def amount(self) -> float:
        """The contribution, negative where it lowers the item."""
        ...

    @property
    def sources(self) -> tuple[int, ...]:
        """The history items that the signal used, the strongest first."""
        ...


class ScoreAccount(Protocol):
    """The contributions to the scores of one history, in the catalogue's numbers."""

    def contributions(self, item: int) -> Sequence[SignalContribution]:
        """List the contributions to an item's score."""
        ...

    def came_soon_after(self, source: int, item: int, least: int) -> tuple[int, int, int] | None:
        """Count the users who met an item soon after a history item: users, all of them, window.

        None where fewer than `least` did.
        """
        ...

    def nearest_users(self, kind: str, item: int) -> tuple[int, int]:
        """Count how many of the users near by a kind of evidence met an item, and all of them."""
        ...

    def texts_between(self, source: int, item: int) -> tuple[int, int]:
        """Count the texts nearer to a history item's text than this item's, and all texts."""
        ...


class DecidingReasonBuilder(ReasonBuilder):
    """Build the reasons for a user's list from the signals that decided the scores.

    Args:
        user: The key of the user.
        user_profile: Their history.
        catalogue: Items and attributes.
        interactions: The likes of all users.
        account: Contributions to the scores.
    """

    def __init__(
        self,
        user: str,
        user_profile: UserProfile,
        catalogue: ItemCatalog,
        interactions: InteractionMatrix,
        account: ScoreAccount,
    ) -> None:
        super().__init__(user, user_profile, catalogue, interactions)
        self._account = account

    def facts(self, item: int) -> list[Fact]:
        """Return the facts of the evidence that decided, the largest part first.

        Evidence that has nothing to count for the item is passed over; where none has, the reasons
        are the counted ones of any list.
        """
        told: list[Fact] = []
        for kind, sources in self.deciding_kinds(item):
            for fact in self._facts_of(kind, sources, item):
                if fact not in told:
                    told.append(fact)
        return told[:_FACTS] or super().facts(item)

    def deciding_kinds(self, item: int) -> list[tuple[str, tuple[int, ...]]]:
        """Return the kinds of evidence that decided, largest first, with their history items."""
        amounts: dict[str, float] = {}
        sources: dict[str, tuple[int, ...]] = {}
        for part in self._account.contributions(item):
            kind = "cooccurrence" if part.kind in _SEQUENCE else part.kind
            amounts[kind] = amounts.get(kind, 0.0) + part.amount
            if part.amount > 0.0:
                sources[kind] = (*sources.get(kind, ()), *part.sources)
        largest = max(amounts.values(), default=0.0)
        order = sorted(amounts, key=lambda kind: -amounts[kind])
        return [
            (kind, tuple(dict.fromkeys(sources.get(kind, ()))))
            for kind in order
            if amounts[kind] > 0.0 and amounts[kind] >= _TOLD * largest
        ]

    def _facts_of(self, kind: str, sources: Sequence[int], item: int) -> list[Fact]:
        """Return the countable facts of a kind of evidence; [] where there are none.

        Of what a person disliked it is not told that others liked it.
        """
        sources = [one for one in sources if self.strength_of(one) > 0.0]
        if kind == "popularity":
            return self.by_popularity(item)
        if kind == "attributes":
            return self.from_attributes(item)
        tells: list[Callable[[int, int], Fact | None]] = []
        if kind == "cooccurrence":
            tells = [self._by_sequence, self._by_shared_users]
        elif kind in _SHARED:
            tells = [self._by_shared_users]
        elif kind == "texts":
            tells, sources = [self._by_text], sources[:1]
        elif kind in _NEAREST:
            return [fact for fact in [self._by_nearest_users(kind, item)] if fact is not None]
        found = (tell(source, item) for tell in tells for source in sources[:_FACTS])
        return [fact for fact in [next(filter(None, found), None)] if fact is not None]

    def _by_sequence(self, source: int, item: int) -> Fact | None:
        """Count who came to the item soon after an item of the history."""
        found = self._account.came_soon_after(source, item, TOGETHER)
        if found is None:
            return None
        users, watched, width = found
        source_name, steps = self._catalogue.names[source], _WORDS.get(width, str(width))
        share = share_text(users, watched)
        text = f"{share} of those who had {source_name} had this within their next {steps}"
        return self._counted(text, "SOON_AFTER", source, item, f"{users} of {watched} people")

    def _by_shared_users(self, source: int, item: int) -> Fact | None:
        """Count who liked both the item and one of the history."""
        counts, asked = self._interactions.liked_with(source)
        together = int(counts[item])
        if together < TOGETHER:
            return None
        everybody = share_text(int(self._interactions.likes[item]), self._interactions.user_count)
        text = (
            f"{share_text(together, asked)} of those who liked {self._catalogue.names[source]} "
            f"liked this too, {everybody} of everybody did"
        )
        return self._counted(text, "LIKED_WITH", source, item, f"{together} of {asked} people")

    def _by_text(self, source: int, item: int) -> Fact | None:
        """Count the descriptions that are nearer to that of an item of the history."""
        nearer, others = self._account.texts_between(source, item)
        if nearer >= others / 2:
            return None
        name, plural = self._catalogue.names[source], self._catalogue.domain.plural
        text = f"{nearer:,} of {others:,} {plural} have a description nearer to that of {name}"
        if not nearer:
            text = f"of {others:,} {plural} its description is the nearest to that of {name}"
        value = f"{nearer:,} of {others:,} are nearer"
        return self._counted(text, "DESCRIBED_LIKE", source, item, value)

    def _by_nearest_users(self, kind: str, item: int) -> Fact | None:
        """Count the users near by a kind of evidence who met the item."""
        met, asked = self._account.nearest_users(kind, item)
        if met < TOGETHER:
            return None
        edge = Evidence(
            source=self._catalogue.names[item], relation="MET_BY", target=f"{met} of {asked} people"
        )
        text = f"{met} of the {asked} people whose history is nearest to yours have it in theirs"
        return Fact(text, (edge,))

    def _counted(self, text: str, relation: str, source: int, item: int, value: str) -> Fact:
        """Return a fact about a history item and an edge from it to another item."""
        names = self._catalogue.names
        edge = Evidence(source=names[source], relation=relation, target=names[item], value=value)
        return Fact(text, (self.edge_to_item(source), edge))

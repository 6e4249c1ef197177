"""Build the reasons for a user's list from the user's own history.

Every statement has edges, as in answers to questions: a share of users rests on its count, a
preference on the number of items behind it. Where the shared memory took part, it adds which users
met an item soon after another, and what the nearest users have in common; these users are counted,
never named.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import msgspec
import numpy as np

from localrec.data.arrays import Indexes
from localrec.data.domains import Domain
from localrec.data.evidence import Evidence, Fact
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.foundation.prose import join_words
from localrec.graph.catalogue import Attribute
from localrec.graph.user_profile import UserProfile
from localrec.ranking.preference_features import lift, strongest_likes

if TYPE_CHECKING:
    from localrec.memory.collaborative_memory import CollaborativeMemory, MemoryContext
    from localrec.memory.user_item_graph import UserItemGraph

_RAISED = 0.2  # least weighted rise of log odds that is worth a sentence
TOGETHER = 3  # least number of users behind a share
_ATTRIBUTES = 3
_NAMED = 2
_LIKED = 0.25  # strength from which an item counts as liked in a sentence
_FACTS = 3  # of an item
_NEXT = 10  # likes that count as soon after; the sentence says it in words
_SOON = 0.25  # least share of users who came to an item so soon
_WATCHED = 100  # users whose order is looked at


class ItemCatalog(Protocol):
    """Items and attributes by number, as reasons name them; a `Catalogue` is one."""

    @property
    def domain(self) -> Domain:
        """The domain of the items."""
        ...

    @property
    def names(self) -> Sequence[str]:
        """The name of each item, (n,)."""
        ...

    @property
    def attributes(self) -> Sequence[Attribute]:
        """All attributes, (m,)."""
        ...

    def attributes_of(self, item: int) -> Indexes:
        """Return the numbers of an item's attributes."""
        ...


class MemoryEvidence(msgspec.Struct, frozen=True):
    """The shared memory, and the context retrieved for one history."""

    collaborative_memory: CollaborativeMemory
    memory_context: MemoryContext


class ReasonBuilder:
    """Build the reasons for the items of one user's list.

    Args:
        user: The key of the user.
        user_profile: Their history.
        catalogue: Items and attributes.
        interactions: The likes of all users.
        memory_evidence: The shared memory, where it took part.
    """

    def __init__(
        self,
        user: str,
        user_profile: UserProfile,
        catalogue: ItemCatalog,
        interactions: InteractionMatrix,
        memory_evidence: MemoryEvidence | None = None,
    ) -> None:
        self._user = user
        self._user_profile = user_profile
        self._catalogue = catalogue
        self._interactions = interactions
        self._memory_evidence = memory_evidence
        self._strongest_likes = strongest_likes(user_profile)
        self._count_attributes()

    def facts(self, item: int) -> list[Fact]:
        """Return the facts for an item, most telling first; never empty if any user liked it."""
        return self.from_history(item) or self.by_popularity(item)

    def from_history(self, item: int) -> list[Fact]:
        """Return the facts for an item in the user's own history, [] without any."""
        found = [self._by_neighbour(item), None, self._by_attributes(item), None]
        if self._memory_evidence is not None:
            found[1] = self._by_companion(item, self._memory_evidence.collaborative_memory)
            found[3] = self._by_facet(item, self._memory_evidence.memory_context)
        return [fact for fact in found if fact is not None][:_FACTS]

    def from_memory(self, item: int) -> list[Fact]:
        """Return the facts of the shared memory for an item, then those of the history itself.

        The nearest users come first: whether they like the item's attributes, and the item itself.
        Without a memory, or where it is silent, the reasons are those of `facts`.
        """
        if self._memory_evidence is None:
            return self.facts(item)
        collaborative_memory, memory_context = (
            self._memory_evidence.collaborative_memory,
            self._memory_evidence.memory_context,
        )
        found = [
            self._by_facet(item, memory_context),
            self._by_votes(item, collaborative_memory.graph, memory_context),
            self._by_companion(item, collaborative_memory),
            self._by_attributes(item),
        ]
        return [fact for fact in found if fact is not None][:_FACTS] or self.facts(item)

    def from_attributes(self, item: int) -> list[Fact]:
        """Return the attributes that the item shares with the history, [] without any."""
        fact = self._by_attributes(item)
        return [] if fact is None else [fact]

    def _by_neighbour(self, item: int) -> Fact | None:
        """Find the liked item that raises this one's odds most, if enough users share both."""
        place = self._raiser_of(item)
        if place is None:
            return None
        source = int(self._user_profile.items[place])
        counts, asked = self._interactions.liked_with(source)
        together = int(counts[item])
        liked = self._catalogue.names[source]
        everybody = share_text(int(self._interactions.likes[item]), self._interactions.user_count)
        text = (
            f"{share_text(together, asked)} of those who liked {liked} liked this too, "
            f"{everybody} of everybody did"
        )
        edge = Evidence(
            source=liked,
            relation="LIKED_WITH",
            target=self._catalogue.names[item],
            value=f"{together} of {asked} people",
        )
        return Fact(text, (self._edge_to(place), edge))

    def _raiser_of(self, item: int) -> int | None:
        """Find the place in the history that raises an item's odds most; None where none does."""
        here = np.array([item], dtype=np.int32)
        rises: dict[int, float] = {}
        for place in self._strongest_likes.tolist():
            source = int(self._user_profile.items[place])
            # A candidate of a ranking may be in the history: it is no reason for itself.
            if source != item and self._interactions.liked_with(source)[0][item] >= TOGETHER:
                rise = lift(self._interactions, source, here)[0]
                rises[place] = float(self._user_profile.liked[place] * rise)
        best = max(rises, key=rises.__getitem__, default=None)
        return best if best is not None and rises[best] >= _RAISED else None

    def _by_attributes(self, item: int) -> Fact | None:
        """Return the attributes of the item that the user liked most often."""
        theirs = self._catalogue.attributes_of(item)
        liking = self._sums[theirs] / self._numbers[theirs].clip(min=1)
        telling = np.where(liking >= _LIKED, liking * np.sqrt(self._numbers[theirs]), 0.0)
        best = [int(theirs[one]) for one in np.argsort(-telling, kind="stable") if telling[one] > 0]
        if not best:
            return None
        best, liked = self._in_common(best[:_ATTRIBUTES], item)
        if not liked:
            return None
        edges = [self._link(item, attribute) for attribute in best]
        edges += [self._edge_to(place) for place in liked[:_NAMED]]
        names = [self._catalogue.attributes[attribute].name for attribute in best]
        text = f"it has {join_words(names)} in common with {self._named(liked)}"
        return Fact(text, tuple(edges))

    def _by_companion(self, item: int, collaborative_memory: CollaborativeMemory) -> Fact | None:
        """Count the users who came to the item soon after the newest item that it goes with."""
        place = self._closest_companion(item, collaborative_memory)
        if place is None:
            return None
        source = int(self._user_profile.items[place])
        soon, both = _came_soon_after(collaborative_memory.graph, source, item)
        if soon < TOGETHER or soon < _SOON * both:
            return None
        liked = self._catalogue.names[source]
        edge = Evidence(
            source=liked,
            relation="SOON_AFTER",
            target=self._catalogue.names[item],
            value=f"{soon} of {both} people",
        )
        text = (
            f"{soon} of {both} people who liked {liked} and this came to it within their next "
            "ten likings"
        )
        return Fact(text, (self._edge_to(place), edge))

    def _closest_companion(
        self, item: int, collaborative_memory: CollaborativeMemory
    ) -> int | None:
        """Find the place of the liked item that co-occurs most with another one."""
        recent = collaborative_memory.cooccurrence.config.recent
        weights: dict[int, float] = {}
        for place in np.flatnonzero(self._user_profile.strengths >= _LIKED)[-recent:].tolist():
            theirs, some = collaborative_memory.cooccurrence.of(
                int(self._user_profile.items[place])
            )
            weights[place] = float(some[theirs == item].sum())
        best = max(weights, key=weights.__getitem__, default=None)
        return best if best is not None and weights[best] > 0 else None

    def _by_facet(self, item: int, memory_context: MemoryContext) -> Fact | None:
        """Return the attributes of the item that most of the nearest users often like."""
        is_user = memory_context.curated.neighbours.is_user
        users = int(is_user.sum())
        theirs = set(self._catalogue.attributes_of(item).tolist())
        for facet in memory_context.synthesis.facets:
            holders = int(is_user[np.array(facet.supporters, dtype=np.int64) - 1].sum())
            if facet.attribute is None or facet.attribute not in theirs:
                continue
            if holders < max(TOGETHER, users / 2):
                continue
            edge = Evidence(
                source=facet.text,
                relation="SHARED_BY",
                target=f"{holders} of {users} people",
                value=f"{facet.confidence:.2f}",
            )
            text = f"{holders} of the {users} people nearest to your taste often like {facet.text}"
            return Fact(text, (self._link(item, facet.attribute), edge))
        return None

    def _by_votes(
        self, item: int, graph: UserItemGraph, memory_context: MemoryContext
    ) -> Fact | None:
        """Count the nearest users who like the item itself."""
        chosen = memory_context.curated.neighbours
        nearest = chosen.index[chosen.is_user]
        liking = int(np.isin(nearest, graph.matrix.users_of(item)).sum())
        if liking < TOGETHER:
            return None
        edge = Evidence(
            source=self._catalogue.names[item],
            relation="LIKED_BY",
            target=f"{liking} of {len(nearest)} people",
        )
        return Fact(f"{liking} of the {len(nearest)} people nearest to your taste like it", (edge,))

    def by_popularity(self, item: int) -> list[Fact]:
        """Return how many users liked the item, [] where none did."""
        likes = int(self._interactions.likes[item])
        if not likes:
            return []
        users = "person" if likes == 1 else "people"
        edge = Evidence(
            source=self._catalogue.names[item], relation="LIKED_BY", target=f"{likes} {users}"
        )
        return [Fact(f"{likes:,} {users} liked it", (edge,))]

    def _named(self, places: Sequence[int]) -> str:
        """Write the history items at some places."""
        told = []
        for place in places[:_NAMED]:
            name, stars = (
                self._catalogue.names[self._user_profile.items[place]],
                self._user_profile.stars[place],
            )
            told.append(name if np.isnan(stars) else f"{name} ({stars:g} stars)")
        more = len(places) - len(told)
        return f"{join_words(told)}" + (f" and {more} more in your history" if more else "")

    def _edge_to(self, place: int) -> Evidence:
        stars = self._user_profile.stars[place]
        name = self._catalogue.names[self._user_profile.items[place]]
        if np.isnan(stars):  # what was only seen, heard or wanted has no verdict to cite
            relation = "LIKED" if self._user_profile.strengths[place] >= 1.0 else "CHOSE"
            return Evidence(source=self._user, relation=relation, target=name)
        return Evidence(source=self._user, relation="RATED", target=name, value=f"{stars:g}")

    def edge_to_item(self, item: int) -> Evidence:
        """Return the edge from the user to an item of their history."""
        return self._edge_to(self._place_of(item))

    def strength_of(self, item: int) -> float:
        """Return the user's preference for a history item, from -1 to 1."""
        return float(self._user_profile.strengths[self._place_of(item)])

    def _place_of(self, item: int) -> int:
        return int(np.flatnonzero(self._user_profile.items == item)[-1])

    def _link(self, item: int, attribute: int) -> Evidence:
        one = self._catalogue.attributes[attribute]
        relation = self._catalogue.domain.attributes[one.kind].edge
        return Evidence(source=self._catalogue.names[item], relation=relation, target=one.name)

    def _count_attributes(self) -> None:
        """Count for each attribute the history items that have it, and sum their strengths."""
        mine = [self._catalogue.attributes_of(int(item)) for item in self._user_profile.items]
        self._attribute = np.concatenate(mine) if mine else np.zeros(0, dtype=np.int32)
        self._place = np.repeat(np.arange(len(mine)), [len(one) for one in mine])
        weights = self._user_profile.strengths[self._place]
        many = len(self._catalogue.attributes)
        self._numbers = np.bincount(self._attribute, minlength=many)
        self._sums = np.bincount(self._attribute, weights=weights, minlength=many)

    def _in_common(self, attributes: list[int], item: int) -> tuple[list[int], list[int]]:
        """Find the attributes that the closest liked item shares, and all items' places with them.

        The closest comes first, then the best liked, then the newest; `item` itself is none.
        """
        eligible = (self._user_profile.strengths >= _LIKED) & (self._user_profile.items != item)
        has = np.zeros((len(self._user_profile), len(attributes)), dtype=bool)
        for column, attribute in enumerate(attributes):
            has[self._place[self._attribute == attribute], column] = True
        places = np.flatnonzero(eligible & has.any(axis=1))
        if not len(places):
            return [], []
        order = np.lexsort(
            (-places, -self._user_profile.strengths[places], -has[places].sum(axis=1))
        )
        closest = has[places[order[0]]]
        sharing = [int(place) for place in places[order] if has[place][closest].all()]
        return [one for one, kept in zip(attributes, closest, strict=True) if kept], sharing


def _came_soon_after(graph: UserItemGraph, source: int, item: int) -> tuple[int, int]:
    """Count the users who liked `item` within ten likes after `source`, and those who liked both.

    At most `_WATCHED` users are counted, the same ones each time, and only dated likes. They
    are among the first users of both items, whose numbers have no order: an even sample.
    """
    from localrec.memory.user_item_graph import USERS_PER_ITEM  # a list without a memory

    begins = graph.matrix.first_user[[source, item]]
    ends = np.minimum(graph.matrix.first_user[[source + 1, item + 1]], begins + USERS_PER_ITEM)
    users_of_item, others = (
        graph.matrix.users[begin:end]
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)
    )
    both = np.intersect1d(users_of_item, others, assume_unique=True)
    soon = dated = 0
    for user in both[:_WATCHED].tolist():
        days = graph.matrix.days[graph.matrix.first_item[user] : graph.matrix.first_item[user + 1]]
        begin, end = days[np.searchsorted(graph.matrix.items_of(user), (source, item))]
        if np.isnan(begin) or np.isnan(end):
            continue
        dated += 1
        soon += 0 < int(((days > begin) & (days <= end)).sum()) <= _NEXT
    return soon, dated


def share_text(part: int, whole: int) -> str:
    """Write a share as a percentage; a share that rounds to nothing is "less than 1%"."""
    return f"{part / whole:.0%}" if part >= 0.01 * whole else "less than 1%"

"""Why an item is on a person's list, in terms of what that person did.

As with questions, a statement without edges is not made: a share of people is carried by the
count behind it, a leaning by the number of items it was read from.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from localrec.explanation.evidence import Fact
from localrec.graph.catalogue import Catalogue
from localrec.index.audience import Audience
from localrec.retrieval.personal import lift, strongest
from localrec.retrieval.taste import Taste
from localrec.sources.prose import join_words
from localrec.types import Evidence

_RAISED = 0.2  # least weighted rise of log odds that is worth a sentence
_TOGETHER = 3  # least number of people behind a share
_ATTRIBUTES = 3
_NAMED = 2
_LIKED = 0.25  # strength from which an item counts as liked in a sentence


class Because:
    """States the reasons for items of one person's list."""

    def __init__(self, person: str, taste: Taste, catalogue: Catalogue, audience: Audience) -> None:
        self._person = person
        self._taste = taste
        self._catalogue = catalogue
        self._audience = audience
        self._asked = strongest(taste)
        self._count_attributes()

    def facts(self, item: int) -> list[Fact]:
        """What speaks for an item, most telling first; never empty where anybody liked it."""
        return self.from_history(item) or self._by_popularity(item)

    def from_history(self, item: int) -> list[Fact]:
        """What speaks for an item in the person's own history; [] where nothing does."""
        found = (self._by_neighbour(item), self._by_attributes(item))
        return [fact for fact in found if fact is not None]

    def sentence(self, facts: Sequence[Fact]) -> str:
        """The facts as sentences."""
        return " ".join(f"{fact.text[0].upper()}{fact.text[1:]}." for fact in facts)

    def _by_neighbour(self, item: int) -> Fact | None:
        """The liked item that raises this one's odds most, of those that enough people share."""
        place = self._raiser_of(item)
        if place is None:
            return None
        source = int(self._taste.items[place])
        counts, asked = self._audience.liked_with(source)
        together = int(counts[item])
        liked = self._catalogue.names[source]
        everybody = _share(int(self._audience.likes[item]), self._audience.size)
        text = (
            f"{_share(together, asked)} of those who liked {liked} liked this too, "
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
        """Place in the history of what raises an item's odds most; None where nothing does."""
        here = np.array([item], dtype=np.int32)
        rises: dict[int, float] = {}
        for place in self._asked.tolist():
            source = int(self._taste.items[place])
            # A candidate of a ranking may be in the history: it is no reason for itself.
            if source != item and self._audience.liked_with(source)[0][item] >= _TOGETHER:
                rise = lift(self._audience, source, here)[0]
                rises[place] = float(self._taste.liked[place] * rise)
        best = max(rises, key=rises.__getitem__, default=None)
        return best if best is not None and rises[best] >= _RAISED else None

    def _by_attributes(self, item: int) -> Fact | None:
        """The attributes of the item that the person liked most often."""
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

    def _by_popularity(self, item: int) -> list[Fact]:
        likes = int(self._audience.likes[item])
        if not likes:
            return []
        people = "person" if likes == 1 else "people"
        edge = Evidence(
            source=self._catalogue.names[item], relation="LIKED_BY", target=f"{likes} {people}"
        )
        return [Fact(f"{likes:,} {people} liked it", (edge,))]

    def _named(self, places: Sequence[int]) -> str:
        """The items at some places of the history, in words."""
        told = []
        for place in places[:_NAMED]:
            name, stars = self._catalogue.names[self._taste.items[place]], self._taste.stars[place]
            told.append(name if np.isnan(stars) else f"{name} ({stars:g} stars)")
        more = len(places) - len(told)
        return f"{join_words(told)}" + (f" and {more} more in your history" if more else "")

    def _edge_to(self, place: int) -> Evidence:
        stars = self._taste.stars[place]
        name = self._catalogue.names[self._taste.items[place]]
        if np.isnan(stars):  # what was only seen, heard or wanted has no verdict to cite
            relation = "LIKED" if self._taste.strengths[place] >= 1.0 else "CHOSE"
            return Evidence(source=self._person, relation=relation, target=name)
        return Evidence(source=self._person, relation="RATED", target=name, value=f"{stars:g}")

    def _link(self, item: int, attribute: int) -> Evidence:
        one = self._catalogue.attributes[attribute]
        relation = self._catalogue.domain.attributes[one.kind].edge
        return Evidence(source=self._catalogue.names[item], relation=relation, target=one.name)

    def _count_attributes(self) -> None:
        """Per attribute: how many items of the history have it, and the sum of their strengths."""
        mine = [self._catalogue.attributes_of(int(item)) for item in self._taste.items]
        self._attribute = np.concatenate(mine) if mine else np.zeros(0, dtype=np.int32)
        self._place = np.repeat(np.arange(len(mine)), [len(one) for one in mine])
        weights = self._taste.strengths[self._place]
        many = len(self._catalogue.attributes)
        self._numbers = np.bincount(self._attribute, minlength=many)
        self._sums = np.bincount(self._attribute, weights=weights, minlength=many)

    def _in_common(self, attributes: list[int], item: int) -> tuple[list[int], list[int]]:
        """Which of the attributes the closest liked item has, and the places of all with these.

        The closest comes first, then the best liked, then the newest; `item` itself is none.
        """
        eligible = (self._taste.strengths >= _LIKED) & (self._taste.items != item)
        has = np.zeros((len(self._taste), len(attributes)), dtype=bool)
        for column, attribute in enumerate(attributes):
            has[self._place[self._attribute == attribute], column] = True
        places = np.flatnonzero(eligible & has.any(axis=1))
        if not len(places):
            return [], []
        order = np.lexsort((-places, -self._taste.strengths[places], -has[places].sum(axis=1)))
        closest = has[places[order[0]]]
        sharing = [int(place) for place in places[order] if has[place][closest].all()]
        return [one for one, kept in zip(attributes, closest, strict=True) if kept], sharing


def _share(part: int, whole: int) -> str:
    """A share in words; one that rounding would turn into nothing says so."""
    return f"{part / whole:.0%}" if part >= 0.01 * whole else "less than 1%"

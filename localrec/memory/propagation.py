"""Stage-W without a model: what a click means for the person, the item and a few neighbours.

Everything is counted anew from the store, set-based, so that the same history always gives the
same memory and nothing drifts:

* the person: what their newest liked items have in common beyond what any items have, and the
  newest titles; what neighbours handed on before stays at the end;
* each item of the job: what the people who like it like in general;
* at most `fan_out` neighbours: one sentence about what was just liked, behind their own words.

The score of an attribute is its share among the liked, times the logarithm of how rare it is in
the domain (so "alcoholic" is nobody's taste). Where it departs from the paper: neighbours are
people only, since an item's memory is about everybody who likes it and is made when one of them
clicks; and what is handed on are catalogue words, never a sentence about the one who clicked.

`updater_of` is what the worker calls; a model variant has the same shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from localrec.domains import Domain, load_domain
from localrec.graph.store import Store
from localrec.index.audience import LIKED_FROM
from localrec.memory.queue import Job
from localrec.memory.records import (
    MAX_FACETS,
    Facet,
    Memory,
    MemoryUpdate,
    memories_of,
)
from localrec.memory.worker import Reader, Update

COUNTS = "counts"  # who wrote a memory that no model wrote
FAN_OUT = 4
_HISTORY = 100  # newest liked items that a taste is counted from
_AUDIENCE = 50  # newest people that an item's memory is counted from
_TASTES = 4  # attributes named in a memory
_TITLES = 3  # the paper's "last three titles"
_HANDED_ON = 2  # sentences of neighbours that one memory keeps
_SUPPORTERS = 16
_ASKED = 200  # people whose whole history is counted to find the nearest
_LATELY = "lately "
_ALIKE = "people with a like taste enjoy "

Neighbours = Callable[[Store, int, int], Sequence[tuple[int, float]]]
"""Person, how many -> node ids of people with a like taste and their weights 0..1, best first."""


class Opened(Protocol):
    """What is needed of a workspace."""

    folder: Path


class _Taste(msgspec.Struct, frozen=True):
    """An attribute that one subject's items share: its share of them, and which those are."""

    name: str
    share: float
    supporters: tuple[int, ...]


def updater_of(workspace: Opened, domain: str) -> Update:
    """The updater for the jobs of one domain, as a workspace's settings want it."""
    return CountingUpdate(load_domain(domain))


def hold_s_of(workspace: Opened) -> float:
    """How long the worker may hold the store for several jobs (`Worker.hold_s`)."""
    return 0.5  # opening the store for each read and write would take as long as counting does


class CountingUpdate:
    """The deterministic `Update` of one domain; calls no model."""

    def __init__(
        self, domain: Domain, neighbours: Neighbours | None = None, fan_out: int = FAN_OUT
    ) -> None:
        self._domain = domain
        self._neighbours = neighbours or people_alike
        self._fan_out = fan_out

    def __call__(self, job: Job, read: Reader) -> list[MemoryUpdate]:
        """The memories of the person, the job's items and some neighbours."""
        with read() as store:
            return [
                *self._person(store, job),
                *self._items(store, job),
                *self._handed_on(store, job),
            ]

    def _person(self, store: Store, job: Job) -> list[MemoryUpdate]:
        liked = _liked_by(store, [job.user_id], _HISTORY)
        items = [item_id for _, item_id in liked]
        before = memories_of(store, [job.user_id]).get(job.user_id)
        tastes = _tastes(store, self._domain, liked, whose=job.user_id).get(job.user_id, [])
        own = [*_taste_facets(tastes), *_newest(store, items)]
        if not own and before is None:
            return []
        handed_on = _handed_on(before)
        return [
            MemoryUpdate(
                node_id=job.user_id,
                text=_told([_sentence(tastes, items, own), *(f.text for f in handed_on)]),
                facets=(*own[: MAX_FACETS - len(handed_on)], *handed_on),
                by=COUNTS,
            )
        ]

    def _items(self, store: Store, job: Job) -> list[MemoryUpdate]:
        """What the people who like an item like in general, for all items of the job at once."""
        item_ids = sorted({deed.item_id for deed in job.deeds})
        fans = _fans_of(store, item_ids)
        people = sorted({user_id for _, user_id in fans})
        liked = _liked_by(store, people, _HISTORY)
        of_person: dict[int, list[int]] = {}
        for user_id, item_id in liked:
            of_person.setdefault(user_id, []).append(item_id)
        pairs = [(item, one) for item, user in fans for one in of_person.get(user, ())]
        tastes = _tastes(store, self._domain, [(i, one) for i, one in pairs if i != one])
        audience: dict[int, list[int]] = {}
        for item_id, user_id in fans:
            audience.setdefault(item_id, []).append(user_id)
        remembered = memories_of(store, item_ids)
        return [
            MemoryUpdate(
                node_id=item_id,
                text=_told([_shared(shared)]),
                facets=tuple(_taste_facets(shared)),
                by=COUNTS,
                made_from=tuple(audience.get(item_id, ())),
            )
            for item_id in item_ids
            if (shared := tastes.get(item_id, [])) or item_id in remembered
        ]

    def _handed_on(self, store: Store, job: Job) -> list[MemoryUpdate]:
        """One sentence for each neighbour about what the person has just come to like."""
        now_liked = {item_id for _, item_id in _liked_by(store, [job.user_id], _HISTORY)}
        news = [deed.item_id for deed in reversed(job.deeds) if deed.item_id in now_liked]
        news = list(dict.fromkeys(news))[:_TITLES]
        if not news or not self._fan_out:
            return []
        nearest = self._neighbours(store, job.user_id, self._fan_out)[: self._fan_out]
        memories = memories_of(store, [user_id for user_id, _ in nearest])
        said = f"{_ALIKE}{_listed(_names(store, news))}"
        return [
            _with_sentence(
                memories.get(user_id),
                user_id,
                Facet(said, weight, (job.user_id, *news)),
            )
            for user_id, weight in nearest
        ]


def people_alike(store: Store, user_id: int, many: int) -> list[tuple[int, float]]:
    """People who share most of what a person likes: their node ids and how much, best first.

    The weight is shared items over the root of both histories' lengths, 0 to 1. Of those who share
    the most items, `_ASKED` are looked at more closely.
    """
    mine = [item_id for _, item_id in _liked_by(store, [user_id], _HISTORY)]
    rows = store.rows(
        f"WITH {_LIKED_CTE}, sharing AS (SELECT user_id, count(*) AS shared FROM liked "
        "WHERE user_id <> $user GROUP BY user_id ORDER BY 2 DESC, 1 LIMIT $asked) "
        "SELECT s.user_id, any_value(shared) / sqrt(count(DISTINCT i.item_id) * $mine) "
        "FROM sharing s JOIN interaction i USING (user_id) "
        "GROUP BY s.user_id ORDER BY 2 DESC, 1 LIMIT $many",
        {
            "liked_from": LIKED_FROM,
            "whose": None,
            "about": mine,
            "user": user_id,
            "asked": _ASKED,
            "mine": max(len(mine), 1),
            "many": many,
        },
    )
    return [(int(other), min(float(weight), 1.0)) for other, weight in rows]


# The newest verdict of a person on an item counts; without one, having seen or heard it does.
_LIKED_CTE = """said AS (
    SELECT user_id, item_id, max("at") AS "at", max(rowid) AS place,
        arg_max(
            CASE WHEN rating IS NULL THEN event = 'liked' ELSE rating >= $liked_from END,
            (coalesce("at", TIMESTAMP '0001-01-01'), rowid)
        ) FILTER (rating IS NOT NULL OR event IN ('liked', 'disliked')) AS verdict,
        bool_or(event IN ('seen', 'played')) AS met
    FROM interaction
    WHERE ($whose IS NULL OR user_id IN (SELECT unnest($whose::BIGINT[])))
        AND ($about IS NULL OR item_id IN (SELECT unnest($about::BIGINT[])))
    GROUP BY user_id, item_id
), liked AS (SELECT * FROM said WHERE coalesce(verdict, met))"""


def _liked_by(store: Store, people: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Person and item for the newest `most` liked items of each person, the newest first."""
    rows = store.rows(
        f"WITH {_LIKED_CTE} SELECT user_id, item_id FROM liked QUALIFY row_number() OVER "
        '(PARTITION BY user_id ORDER BY "at" DESC NULLS LAST, place DESC) <= $most '
        'ORDER BY user_id, "at" DESC NULLS LAST, place DESC',
        {"liked_from": LIKED_FROM, "whose": list(people), "about": None, "most": most},
    )
    return [(int(user_id), int(item_id)) for user_id, item_id in rows]


def _fans_of(store: Store, items: Sequence[int]) -> list[tuple[int, int]]:
    """Item and person for the newest people who like each item."""
    rows = store.rows(
        f"WITH {_LIKED_CTE} SELECT item_id, user_id FROM liked QUALIFY row_number() OVER "
        '(PARTITION BY item_id ORDER BY "at" DESC NULLS LAST, place DESC) <= $most '
        "ORDER BY item_id, user_id",
        {"liked_from": LIKED_FROM, "whose": None, "about": list(items), "most": _AUDIENCE},
    )
    return [(int(item_id), int(user_id)) for item_id, user_id in rows]


def _tastes(
    store: Store, domain: Domain, liked: Sequence[tuple[int, int]], whose: int | None = None
) -> dict[int, list[_Taste]]:
    """The attributes that stand out among the items of each subject, best first.

    Args:
        store: Read only.
        domain: Names the attributes; its staples are in nearly everything and say nothing.
        liked: Subject and item; an item that comes several times counts as often.
        whose: The person whose own shelves count too; those of others are theirs.
    """
    if not liked:
        return {}
    rows = store.rows(
        "WITH liked AS (SELECT unnest($subjects) AS subject, unnest($items) AS item_id), "
        "sizes AS (SELECT subject, count(*) AS size FROM liked GROUP BY subject), "
        "link AS (SELECT DISTINCT e.source_id, e.target_id FROM edge e "
        "WHERE e.kind IN (SELECT unnest($relations)) AND (e.properties->>'$.by' IS NULL OR "
        "e.properties->>'$.by' = (SELECT key FROM node WHERE node_id = $whose))), "
        "uses AS (SELECT target_id, count(*) AS uses FROM link GROUP BY target_id), "
        "many AS (SELECT count(*) AS items FROM node WHERE domain = $domain AND kind = $item) "
        "SELECT l.subject, a.name, count(*) / (any_value(s.size) + 2), "
        "list(DISTINCT l.item_id ORDER BY l.item_id)[:$supporters] "
        "FROM liked l JOIN link k ON k.source_id = l.item_id JOIN uses u USING (target_id) "
        "JOIN sizes s USING (subject) JOIN node a ON a.node_id = k.target_id, many "
        "WHERE a.key NOT IN (SELECT unnest($staples::VARCHAR[])) "
        "GROUP BY l.subject, a.node_id, a.name HAVING count(DISTINCT l.item_id) > 1 "
        "QUALIFY row_number() OVER (PARTITION BY l.subject ORDER BY "
        "count(*) * ln(any_value(items) / any_value(uses)) DESC, a.node_id) <= $most "
        "ORDER BY l.subject, count(*) * ln(any_value(items) / any_value(uses)) DESC, a.node_id",
        {
            "subjects": [subject for subject, _ in liked],
            "items": [item_id for _, item_id in liked],
            "relations": [spec.edge for spec in domain.attributes.values()],
            "whose": whose,
            "domain": domain.name,
            "item": domain.item,
            "staples": list(domain.staples),
            "supporters": _SUPPORTERS,
            "most": _TASTES,
        },
    )
    found: dict[int, list[_Taste]] = {}
    for subject, name, share, supporters in rows:
        found.setdefault(int(subject), []).append(_Taste(name, float(share), tuple(supporters)))
    return found


def _taste_facets(tastes: Sequence[_Taste]) -> list[Facet]:
    return [Facet(f"likes {one.name}", one.share, one.supporters) for one in tastes]


def _newest(store: Store, items: Sequence[int]) -> list[Facet]:
    """The newest titles as one facet."""
    newest = list(items[:_TITLES])
    names = _names(store, newest)
    return [Facet(f"{_LATELY}{_listed(names)}", 1.0, tuple(newest))] if names else []


def _names(store: Store, node_ids: Sequence[int]) -> list[str]:
    names = dict(
        store.rows(
            "SELECT node_id, name FROM node WHERE node_id IN (SELECT unnest(?::BIGINT[]))",
            [list(node_ids)],
        )
    )
    return [names[one] for one in node_ids if one in names]


def _sentence(tastes: Sequence[_Taste], items: Sequence[int], own: Sequence[Facet]) -> str:
    """A person's own part of their memory."""
    likes = f"likes {_listed(one.name for one in tastes)}" if tastes else ""
    lately = own[-1].text if own and items else ""
    return "; ".join(part for part in (likes, lately) if part)


def _shared(tastes: Sequence[_Taste]) -> str:
    """An item's memory; empty where its people have nothing in common any more."""
    names = _listed(one.name for one in tastes)
    return f"liked by people who like {names}" if names else ""


def _handed_on(memory: Memory | None) -> list[Facet]:
    """What neighbours handed on to a memory, the newest first."""
    if memory is None:
        return []
    return [facet for facet in memory.facets if facet.text.startswith(_ALIKE)][:_HANDED_ON]


def _with_sentence(memory: Memory | None, node_id: int, news: Facet) -> MemoryUpdate:
    """A neighbour's memory with a sentence handed on, which takes the place of the oldest one."""
    before = _handed_on(memory)
    kept = [news, *(facet for facet in before if facet.text != news.text)][:_HANDED_ON]
    text, own = "", tuple[Facet, ...]()
    if memory is not None:
        text = memory.text.removesuffix(_told([facet.text for facet in before])).rstrip()
        own = tuple(facet for facet in memory.facets if facet not in before)
    return MemoryUpdate(
        node_id=node_id,
        text=f"{text} {_told([facet.text for facet in kept])}".lstrip(),
        facets=(*own[: MAX_FACETS - len(kept)], *kept),
        source="propagated",
        by=COUNTS,
        carries_on=True,
    )


def _told(parts: Iterable[str]) -> str:
    """Parts as sentences."""
    return " ".join(f"{part[0].upper()}{part[1:]}." for part in parts if part)


def _listed(names: Iterable[str]) -> str:
    *front, last = list(names) or [""]
    return f"{', '.join(front)} and {last}" if front else last

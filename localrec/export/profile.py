"""A person's profile as one JSON document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from localrec.graph.outlet import WrittenTable
from localrec.graph.store import Store


class ShelvedThing(msgspec.Struct, frozen=True):
    """Something the person has at home, and since when."""

    kind: str
    key: str
    name: str
    at: str


class AttributeTaste(msgspec.Struct, frozen=True):
    """How the person took the items that have an attribute.

    `average` is that of `ratings` rated items, in stars; the newest of like and dislike counts.
    """

    kind: str
    key: str
    name: str
    average: float | None
    ratings: int
    liked: int
    disliked: int


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of a person in one domain, save the single interactions.

    `events` counts what they did; `ratings` says how often they gave how many stars.
    """

    person: str
    domain: str
    properties: dict[str, Any] = {}
    events: dict[str, int] = {}
    ratings: dict[str, int] = {}
    shelf: tuple[ShelvedThing, ...] = ()
    attributes: tuple[AttributeTaste, ...] = ()


def write_profile(
    outlet: Store, query: str, path: Path, *, domain: str, key: str, user_id: int
) -> WrittenTable:
    """Nest the long table of `profile_query` into a document; rows counts its entries."""
    sections: dict[str, list[tuple[Any, ...]]] = {}
    rows = outlet.rows(query)
    for section, *row in rows:
        sections.setdefault(section, []).append(tuple(row))
    # Not from the table, in which every value is a text.
    properties = outlet.rows(f"SELECT properties FROM node WHERE node_id = {user_id}")[0][0]
    profile = Profile(
        person=key,
        domain=domain,
        properties=msgspec.json.decode(properties),
        events={row[1]: row[4] for row in sections.get("event", ())},
        ratings={row[1]: row[4] for row in sections.get("rating", ())},
        shelf=tuple(ShelvedThing(*row[:4]) for row in sections.get("shelf", ())),
        attributes=tuple(
            AttributeTaste(kind, name_key, name, average, count, liked, disliked)
            for kind, name_key, name, _, count, average, liked, disliked in sections.get(
                "attribute", ()
            )
        ),
    )
    path.write_bytes(msgspec.json.format(msgspec.json.encode(profile)) + b"\n")
    return WrittenTable(len(rows))

"""What a phrase of a question can mean, and where names come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

import msgspec

from localrec.data.domains import Domain
from localrec.graph.catalogue import Attribute

MeaningRole = Literal[
    "component",
    "container",
    "category",
    "creator",
    "colour",
    "look",
    "garnish",
    "flag",
    "diet",
    "order",
]


class Meaning(msgspec.Struct, frozen=True):
    """One thing a phrase can mean: an attribute by kind and key, or a flag, diet or wish.

    For a flag, `kind` is the flag and `key` its value; for a diet `key` is its name; for an
    order `kind` is the number and `key` "more", "less", "most" or "least".
    """

    role: MeaningRole
    kind: str
    key: str


class Named(Protocol):
    """A source of names for questions: a catalogue, or the declaration of a domain alone."""

    domain: Domain
    attributes: list[Attribute]
    keys: list[str]  # of items
    names: list[str]  # of items

    def attribute_index(self, kind: str, key: str) -> int | None:
        """Place of an attribute among `attributes`."""

    def item_index(self, key: str) -> int | None:
        """Place of an item among `keys`."""

    def is_had(self, attribute: int) -> bool:
        """Return whether any item has this attribute or one below it."""

    def use_of(self, attribute: int) -> int:
        """Return how many items have this attribute or one below it."""

    def first_item_with(self, attributes: Sequence[int]) -> str | None:
        """Key of the oldest item that has one of these attributes, None without any."""

    def share_within(self, number: str, low: float, high: float) -> float:
        """Return the share of the items whose number lies between bounds."""


class Mention(msgspec.Struct, frozen=True):
    """A name in tokens `first` to `last` (exclusive): an attribute or the like, or an item.

    `others` are further keys of the same kind that the name may mean: "pinot" is part of several;
    of an item they are the other items that its words may mean.
    `elsewhere` are (kind, key) of other kinds that bear the name as well: a region and a grape.
    A `doubtful` name may be a word like any other: mended, everyday, or a part of a name.
    """

    first: int
    last: int
    meaning: Meaning | None = None
    item: str | None = None
    others: tuple[str, ...] = ()
    elsewhere: tuple[tuple[str, str], ...] = ()
    doubtful: bool = False

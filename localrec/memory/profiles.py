"""What items are like, and what people's likings add up to, ready to be compared.

Two views of the same thing: attributes (genres, authors, ingredients), where a rare one says more
than a common one, and vectors of texts, less their mean over the domain, since the texts of one
domain share most of their direction and would otherwise all look alike.

Of a person only what a comparison needs is kept: the length of their attribute profile (its dot
product with another profile is a sum over their items) and the direction of their mean vector.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.graph.catalogue import Catalogue, Indexes
from localrec.index.arrays import ArrayCache
from localrec.index.audience import Days, Likings, Offsets
from localrec.index.build import EmbeddedField
from localrec.index.durable import digest_of
from localrec.index.lists import entries_of

_FORMAT = 1
_NO_DIRECTION = 1e-3  # length of what is left of a unit vector at the centre: rounding errors
_LINKS_AT_ONCE = 1 << 22  # links of people's items sorted at once

Floats = NDArray[np.float32]


class ItemTraits(msgspec.Struct, frozen=True, dict=True):
    """What the items of a catalogue are like.

    Args:
        item: Item of each link to an attribute, ascending, (l,) int32.
        attribute: Its attribute, 0..attributes - 1, (l,) int32; a link stands here once.
        items: How many items there are.
        attributes: How many attributes there are.
        vectors: One of each item, zeros where it has no text, (n, size) float32; or None.
    """

    item: Indexes
    attribute: Indexes
    items: int
    attributes: int
    vectors: Floats | None = None

    @cached_property
    def rarity(self) -> Floats:
        """log(items / items that have it), the weight of each attribute, (attributes,)."""
        uses = np.bincount(self.attribute, minlength=self.attributes)
        rarity = np.log(max(self.items, 1) / uses.clip(min=1))
        return np.where(uses > 0, rarity, 0.0).astype(np.float32)

    @cached_property
    def lengths(self) -> Floats:
        """Length of each item's weighted attributes, (n,)."""
        return np.sqrt(self.over_items(self.rarity**2))

    @cached_property
    def first_link(self) -> Offsets:
        """Where each item's links begin, (n + 1,)."""
        return np.searchsorted(self.item, np.arange(self.items + 1)).astype(np.int64)

    @cached_property
    def embedded(self) -> NDArray[np.bool_]:
        """Which items have a vector, (n,)."""
        if self.vectors is None:
            return np.zeros(self.items, dtype=bool)
        return np.asarray(self.vectors.any(axis=1))

    @cached_property
    def centre(self) -> Floats:
        """The mean of all vectors, (size,); None has none."""
        if self.vectors is None:
            return np.zeros(0, dtype=np.float32)
        many = max(int(self.embedded.sum()), 1)
        return (self.vectors.sum(axis=0, dtype=np.float64) / many).astype(np.float32)

    def over_items(self, of_attributes: Floats) -> Floats:
        """Sum of a number of each attribute (attributes,) over each item's attributes, (n,)."""
        sums = np.bincount(self.item, weights=of_attributes[self.attribute], minlength=self.items)
        return sums.astype(np.float32)

    def over_attributes(self, of_items: Floats) -> Floats:
        """Sum of a number of each item (n,) over the items that have each attribute."""
        weights = of_items[self.item]
        sums = np.bincount(self.attribute, weights=weights, minlength=self.attributes)
        return sums.astype(np.float32)

    def mean_direction(self, items: Indexes, weights: Floats) -> Floats:
        """Weighted mean vector of some items less the centre, of length 1 or 0, (size,)."""
        if self.vectors is None:
            return self.centre
        told = float(weights @ self.embedded[items])
        mean = weights @ self.vectors[items] - np.float32(told) * self.centre
        length = float(np.linalg.norm(mean))
        known = length > _NO_DIRECTION * told  # else what is left are rounding errors
        return (mean / length if known else np.zeros_like(mean)).astype(np.float32)

    def cosines(self, items: Indexes, direction: Floats) -> Floats:
        """Cosine of the centred vectors of some items with a unit vector, 0 for want of one."""
        if self.vectors is None:
            return np.zeros(len(items), dtype=np.float32)
        # Not by BLAS, whose threads wait for each other where a model keeps the cores busy.
        products = np.vecdot(self.vectors[items], direction) - self.centre @ direction
        lengths = self._spread[items]
        return np.divide(products, lengths, out=np.zeros_like(products), where=lengths > 0)

    @cached_property
    def _spread(self) -> Floats:
        """Length of each item's vector less the centre, 0 where it has none, (n,)."""
        if self.vectors is None:
            return np.zeros(self.items, dtype=np.float32)
        squares = np.vecdot(self.vectors, self.vectors) - 2 * (self.vectors @ self.centre)
        spread = np.sqrt(np.maximum(squares + self.centre @ self.centre, 0.0))
        return np.where(self.embedded & (spread > _NO_DIRECTION), spread, np.float32(0.0))


class Profiles(msgspec.Struct, frozen=True):
    """What each person's likings add up to.

    Args:
        newest: Their newest day, NaN where they have none, (people,) float32.
        lengths: Length of their weighted attribute counts, (people,) float32.
        directions: Their mean vector less the centre, of length 1 or 0, (people, size) float16.
    """

    newest: Days
    lengths: Floats
    directions: NDArray[np.float16]


def traits_of(catalogue: Catalogue, field: EmbeddedField | None) -> ItemTraits:
    """The traits of a catalogue's items, their vectors those of one field of texts."""
    links = [np.unique(catalogue.attributes_of(item)) for item in range(len(catalogue))]
    counts = np.fromiter(map(len, links), dtype=np.int64, count=len(links))
    none = np.zeros(0, dtype=np.int32)
    return ItemTraits(
        item=np.repeat(np.arange(len(catalogue), dtype=np.int32), counts),
        attribute=np.concatenate([none, *links]).astype(np.int32),
        items=len(catalogue),
        attributes=len(catalogue.attributes),
        vectors=None if field is None or not len(field) else _aligned(field, catalogue),
    )


def profile_people(items: Indexes, first_item: Offsets, days: Days, traits: ItemTraits) -> Profiles:
    """Add up what people like; columns as of `Likings`, and some people may like nothing."""
    people = len(first_item) - 1
    some = np.flatnonzero(np.diff(first_item))
    newest = np.full(people, np.nan, dtype=np.float32)
    newest[some] = np.fmax.reduceat(days, first_item[some]) if len(some) else 0.0
    lengths = np.zeros(people, dtype=np.float32)
    most = int(np.diff(traits.first_link).max(initial=1))
    for part in _parts(first_item, max(1, _LINKS_AT_ONCE // most)):
        lengths[part] = _attribute_lengths(items, first_item, part, traits)
    return Profiles(newest, lengths, _directions(items, first_item, traits))


class _Stand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What profiles were added up from, as marks of contents."""

    format: int
    likings: str
    links: str
    vectors: str

    def serves(self, now: _Stand) -> bool:
        return self == now


def open_profiles(folder: Path, domain: str, liked: Likings, traits: ItemTraits) -> Profiles:
    """The profiles of a domain's people, from `indexes/` where they fit, else made and kept."""
    kinds = ("newest", "lengths", "directions")
    cache = ArrayCache(folder, f"profiles-{digest_of(domain)}", kinds, _Stand)
    stand = _Stand(
        format=_FORMAT,
        likings=liked.mark,
        links=_mark(traits.item, traits.attribute),
        vectors="" if traits.vectors is None else _mark(traits.vectors),
    )
    kept = cache.load(stand) if liked.mark else None
    if kept is not None:
        return Profiles(*kept.arrays)
    made = profile_people(liked.items, liked.first_item, liked.days, traits)
    if liked.mark:
        cache.keep(stand, (made.newest, made.lengths, made.directions))
    return made


def _aligned(field: EmbeddedField, catalogue: Catalogue) -> Floats:
    """A field's vectors in the catalogue's order; where every item has one, without a copy."""
    if np.array_equal(field.node_ids, catalogue.node_ids):
        return field.exact.matrix
    vectors = np.zeros((len(catalogue), field.exact.matrix.shape[1]), dtype=np.float32)
    rows = np.flatnonzero(np.isin(field.node_ids, catalogue.node_ids))
    vectors[catalogue.indexes_of(field.node_ids[rows])] = field.exact.matrix[rows]
    return vectors


def _parts(first: Offsets, rows: int) -> Iterator[slice]:
    """Slices of people that have about `rows` rows together, at least one person each."""
    begin, people = 0, len(first) - 1
    while begin < people:
        end = int(np.searchsorted(first, first[begin] + rows, side="right")) - 1
        end = min(max(end, begin + 1), people)
        yield slice(begin, end)
        begin = end


def _attribute_lengths(items: Indexes, first: Offsets, part: slice, traits: ItemTraits) -> Floats:
    theirs = items[first[part.start] : first[part.stop]]
    likes = np.diff(first[part.start : part.stop + 1])
    person = np.repeat(np.arange(len(likes)), likes)
    many = traits.first_link[theirs + 1] - traits.first_link[theirs]
    links = entries_of(traits.first_link, theirs)
    pairs = np.repeat(person, many) * max(traits.attributes, 1) + traits.attribute[links]
    pairs.sort()
    begins = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)])
    counts = np.diff(np.append(begins, len(pairs)))
    who, attribute = np.divmod(pairs[begins], max(traits.attributes, 1))
    squares = (counts * traits.rarity[attribute]) ** 2
    summed = np.bincount(who, weights=squares, minlength=len(likes))
    return np.sqrt(summed).astype(np.float32)


def _directions(items: Indexes, first: Offsets, traits: ItemTraits) -> NDArray[np.float16]:
    people = len(first) - 1
    if traits.vectors is None:
        return np.zeros((people, 0), dtype=np.float16)
    directions = np.zeros((people, traits.vectors.shape[1]), dtype=np.float16)
    # One person after the other stays in the processor's cache: ten times as fast as all at once.
    for person in range(people):
        theirs = items[first[person] : first[person + 1]]
        directions[person] = traits.mean_direction(theirs, np.ones(len(theirs), np.float32))
    return directions


def _mark(*arrays: NDArray[np.int32] | Floats) -> str:
    """A short mark of what arrays hold."""
    digest = blake2b(digest_size=8)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()

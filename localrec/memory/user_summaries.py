"""Aggregate the features of each user's likes, for comparison.

There are two summaries: attributes (genres, authors, ingredients), weighted by rarity, and text
vectors, less their mean over the domain, since the texts of one domain share most of their
direction and would otherwise all look alike.

Only the data of a comparison is kept: the length of a user's attribute profile (its dot product
with another profile is a sum over their items) and the direction of their mean vector.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Days, Floats, Indexes, Offsets, csr_rows
from localrec.data.interaction_matrix import InteractionMatrix
from localrec.data.item_features import ItemFeatures
from localrec.foundation.atomic_files import short_digest
from localrec.graph.catalogue import Catalogue
from localrec.index.cached_arrays import ArrayCache
from localrec.index.embedded_fields import EmbeddedField

_FORMAT = 1
_LINKS_AT_ONCE = 1 << 22  # links of users' items sorted at once


class UserSummaries(msgspec.Struct, frozen=True):
    """The aggregated features of each user's likes.

    Args:
        newest: Their newest day, NaN where they have none, (people,) float32.
        lengths: Length of their weighted attribute counts, (people,) float32.
        directions: Their mean vector less the centre, of length 1 or 0, (people, size) float16.
    """

    newest: Days
    lengths: Floats
    directions: NDArray[np.float16]


def build_item_features(
    catalogue: Catalogue, field: EmbeddedField | None, places: Indexes | None = None
) -> ItemFeatures:
    """Build the features of a catalogue's items, or of some places, with one field's vectors."""
    chosen = np.arange(len(catalogue)) if places is None else places
    links = [np.unique(catalogue.attributes_of(place)) for place in chosen.tolist()]
    counts = np.fromiter(map(len, links), dtype=np.int64, count=len(links))
    none = np.zeros(0, dtype=np.int32)
    return ItemFeatures(
        item=np.repeat(np.arange(len(chosen), dtype=np.int32), counts),
        attribute=np.concatenate([none, *links]).astype(np.int32),
        items=len(chosen),
        attributes=len(catalogue.attributes),
        vectors=field.vectors_of(catalogue.node_ids[chosen]) if field else None,
    )


def summarize_users(matrix: InteractionMatrix, item_features: ItemFeatures) -> UserSummaries:
    """Aggregate the features of users' likes; some users may have none."""
    some = np.flatnonzero(matrix.user_likes)
    newest = np.full(matrix.user_count, np.nan, dtype=np.float32)
    newest[some] = np.fmax.reduceat(matrix.days, matrix.first_item[some]) if len(some) else 0.0
    lengths = np.zeros(matrix.user_count, dtype=np.float32)
    most = int(np.diff(item_features.first_link).max(initial=1))
    for part in _parts(matrix.first_item, max(1, _LINKS_AT_ONCE // most)):
        lengths[part] = _attribute_lengths(matrix, part, item_features)
    return UserSummaries(newest, lengths, _directions(matrix, item_features))


class _Stand(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The state of the data that summaries were computed from, as hashes."""

    format: int
    likings: str
    links: str
    vectors: str

    def serves(self, now: _Stand) -> bool:
        return self == now


def open_user_summaries(
    folder: Path, domain: str, matrix: InteractionMatrix, item_features: ItemFeatures
) -> UserSummaries:
    """Open the summaries of a domain's users from `indexes/`, or build and cache them."""
    kinds = ("newest", "lengths", "directions")
    cache = ArrayCache(folder, f"profiles-{short_digest(domain)}", kinds, _Stand)
    stand = _Stand(
        format=_FORMAT,
        likings=matrix.mark,
        links=_mark(item_features.item, item_features.attribute),
        vectors="" if item_features.vectors is None else _mark(item_features.vectors),
    )
    kept = cache.load(stand) if matrix.mark else None
    if kept is not None:
        return UserSummaries(*kept.arrays)
    made = summarize_users(matrix, item_features)
    if matrix.mark:
        cache.keep(stand, (made.newest, made.lengths, made.directions))
    return made


def _parts(first: Offsets, rows: int) -> Iterator[slice]:
    """Slice the users so that each part has about `rows` rows and at least one user."""
    begin, users = 0, len(first) - 1
    while begin < users:
        end = int(np.searchsorted(first, first[begin] + rows, side="right")) - 1
        end = min(max(end, begin + 1), users)
        yield slice(begin, end)
        begin = end


def _attribute_lengths(
    matrix: InteractionMatrix, part: slice, item_features: ItemFeatures
) -> Floats:
    theirs = matrix.items[matrix.first_item[part.start] : matrix.first_item[part.stop]]
    likes = matrix.user_likes[part]
    user = np.repeat(np.arange(len(likes)), likes)
    many = item_features.first_link[theirs + 1] - item_features.first_link[theirs]
    links = csr_rows(item_features.first_link, theirs)
    pairs = (
        np.repeat(user, many) * max(item_features.attributes, 1) + item_features.attribute[links]
    )
    pairs.sort()
    begins = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1])[: len(pairs)])
    counts = np.diff(np.append(begins, len(pairs)))
    who, attribute = np.divmod(pairs[begins], max(item_features.attributes, 1))
    squares = (counts * item_features.rarity[attribute]) ** 2
    summed = np.bincount(who, weights=squares, minlength=len(likes))
    return np.sqrt(summed).astype(np.float32)


def _directions(matrix: InteractionMatrix, item_features: ItemFeatures) -> NDArray[np.float16]:
    if item_features.vectors is None:
        return np.zeros((matrix.user_count, 0), dtype=np.float16)
    size = item_features.vectors.shape[1]
    directions = np.zeros((matrix.user_count, size), dtype=np.float16)
    # One user after the other stays in the processor's cache: ten times as fast as all at once.
    for user in range(matrix.user_count):
        theirs = matrix.items_of(user)
        directions[user] = item_features.mean_direction(theirs, np.ones(len(theirs), np.float32))
    return directions


def _mark(*arrays: NDArray[np.int32] | Floats) -> str:
    """Hash the contents of arrays."""
    digest = blake2b(digest_size=8)
    for array in arrays:
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()

"""Lists of a catalogue's attributes that every question would else look for anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from localrec.graph.catalogue import Catalogue


@lru_cache(maxsize=8)  # each holds a catalogue
def attributes_of_kind(catalogue: Catalogue, kind: str) -> tuple[int, ...]:
    """Return the indexes of the attributes of a kind, ascending."""
    return tuple(index for index, one in enumerate(catalogue.attributes) if one.kind == kind)


@lru_cache(maxsize=2)
def attributes_by_words(catalogue: Catalogue, kind: str) -> Mapping[str, tuple[int, ...]]:
    """Map all words side by side in the keys of a kind to the attributes whose keys hold them."""
    found: dict[str, list[int]] = {}
    for index in attributes_of_kind(catalogue, kind):
        for part in set(_parts_of(catalogue.attributes[index].key)):
            found.setdefault(part, []).append(index)
    return {part: tuple(indexes) for part, indexes in found.items()}


def _parts_of(name: str) -> Iterator[str]:
    """A name and all words side by side in it."""
    words = name.split()
    for first in range(len(words)):
        for last in range(first + 1, len(words) + 1):
            yield " ".join(words[first:last])

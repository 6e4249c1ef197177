"""Lists of a catalogue's attributes that every question would else look for anew."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from weakref import WeakKeyDictionary

from localrec.graph.catalogue import Catalogue

# They end with their catalogue: one that was replaced, after a forgetting perhaps, stays nowhere.
_of_kind: WeakKeyDictionary[Catalogue, dict[str, tuple[int, ...]]] = WeakKeyDictionary()
_by_words: WeakKeyDictionary[Catalogue, dict[str, Mapping[str, tuple[int, ...]]]]
_by_words = WeakKeyDictionary()


def attributes_of_kind(catalogue: Catalogue, kind: str) -> tuple[int, ...]:
    """Return the indexes of the attributes of a kind, ascending."""
    kinds = _of_kind.setdefault(catalogue, {})
    if kind not in kinds:
        attributes = enumerate(catalogue.attributes)
        kinds[kind] = tuple(index for index, one in attributes if one.kind == kind)
    return kinds[kind]


def attributes_by_words(catalogue: Catalogue, kind: str) -> Mapping[str, tuple[int, ...]]:
    """Map all words side by side in the keys of a kind to the attributes whose keys hold them."""
    kinds = _by_words.setdefault(catalogue, {})
    if kind not in kinds:
        found: dict[str, list[int]] = {}
        for index in attributes_of_kind(catalogue, kind):
            for part in set(_parts_of(catalogue.attributes[index].key)):
                found.setdefault(part, []).append(index)
        kinds[kind] = {part: tuple(indexes) for part, indexes in found.items()}
    return kinds[kind]


def _parts_of(name: str) -> Iterator[str]:
    """A name and all words side by side in it."""
    words = name.split()
    for first in range(len(words)):
        for last in range(first + 1, len(words) + 1):
            yield " ".join(words[first:last])

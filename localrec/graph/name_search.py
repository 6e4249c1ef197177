"""Items by words of their names, letter by letter: the names of a domain in memory.

To fold and scan 100,000 names and step over a million edges takes the store 40 ms, too long for
whoever types. Here the same names lie folded in one array of bytes and the edges in two columns of
numbers, so that a letter costs a few milliseconds. It is a snapshot, made in 0.15 s and thrown away
when the store changes: 16 bytes an item, the letters of its name, and 8 bytes an edge, which makes
12 MB of those 100,000, and 2 MB for the words that were typed last.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.domains import Domain
from localrec.graph.node_columns import edge_not_from
from localrec.graph.store import Columns, Store

Fits = NDArray[np.int16]
Places = NDArray[np.int32]

# How a word stands in a name, the better the less. Words add up, so that less than ten words in
# attributes weigh less than one that only begins as typed.
_WHOLE, _BEGINS, _WITHIN, _ABSENT = 0, 10, 20, 1_000
_IN_ATTRIBUTE = 1
_WORDS_KEPT = 8  # of what was typed last: the next letter changes one of them
_END = ord("\n")  # of a name; no folded name has one
_IN_WORD: Final = np.array([byte > 127 or chr(byte).isalnum() for byte in range(256)])


class NameMatches(msgspec.Struct, frozen=True, eq=False):
    """Items that a search found.

    Args:
        node_ids: In the order of their names, shape (k,).
        fits: Grade of each match, shape (k,); 0 is best.
    """

    node_ids: NDArray[np.int64]
    fits: Fits

    def __len__(self) -> int:
        return len(self.node_ids)

    def foremost(self, limit: int, *, descending: bool = False) -> NameMatches:
        """The `limit` that fit best, among equals the first by name, or `descending` the last."""
        places = np.arange(len(self))[:: -1 if descending else 1]
        best = places[np.argsort(self.fits[places], kind="stable")[:limit]]
        return NameMatches(self.node_ids[best], self.fits[best])


class NameSearch:
    """The names of one domain's items and of their attributes.

    A word may stand anywhere in a name, whatever its case and accents. Yet whoever types "gin"
    means gin, not ginger, and rather a Gin Fizz than what has gin in it. So those come first that
    have every word as it was typed, then those in which words only begin so, then the rest; and of
    these each time first those that have the words in their own names.

    Args:
        store: The store that they are read from.
        domain: The domain of the items.
        without: People whose own links are left out.
    """

    def __init__(self, store: Store, domain: Domain, without: Iterable[str] = ()) -> None:
        items = _names_of(store, domain, [domain.item])
        attributes = _names_of(store, domain, list(domain.attributes))
        self._items, self._attributes = _Names(items["name"]), _Names(attributes["name"])
        self._item_ids = np.asarray(items["node_id"], dtype=np.int64)
        links = _links_of(store, self._item_ids, attributes["node_id"], without)
        self._link_item: Places = np.asarray(links["item"], dtype=np.int32)
        self._link_attribute: Places = np.asarray(links["attribute"], dtype=np.int32)
        self._fits = lru_cache(maxsize=_WORDS_KEPT)(self._fits_of)

    def find(self, store: Store, words: Sequence[str]) -> NameMatches:
        """The items that have every word in their name or in that of one of their attributes.

        Args:
            store: Open; folds the words as it folded the names.
            words: The typed words; at most 30.
        """
        fits = np.zeros(len(self._item_ids), dtype=np.int16)
        for word in _folded_words(store, words):
            fits += self._fits(word)
        places = np.flatnonzero(fits < _ABSENT)
        return NameMatches(self._item_ids[places], fits[places])

    def _fits_of(self, word: bytes) -> Fits:
        """Grade the fit of each item to one word, shape (n,); `_ABSENT` and more: no fit."""
        in_attribute = self._attributes.standings(word)[self._link_attribute]
        linked = np.flatnonzero(in_attribute < _ABSENT)
        fits = _best(len(self._item_ids), self._link_item[linked], in_attribute[linked])
        return np.minimum(self._items.standings(word), fits + np.int16(_IN_ATTRIBUTE))


class _Names:
    """Folded names in one array of bytes, each between two line ends."""

    def __init__(self, names: Sequence[str]) -> None:
        text = "\n".join(["", *names, ""])
        self._letters = np.frombuffer(text.encode(), dtype=np.uint8)
        self._starts = np.flatnonzero(self._letters == _END)[:-1]

    def standings(self, word: bytes) -> Fits:
        """Grade the best place of a word in each name, shape (names,)."""
        found = self._places_of(word)
        begins = ~_IN_WORD[self._letters[found - 1]]
        whole = begins & ~_IN_WORD[self._letters[found + len(word)]]
        standings = np.where(whole, _WHOLE, np.where(begins, _BEGINS, _WITHIN))
        owners = np.searchsorted(self._starts, found) - 1
        return _best(len(self._starts), owners, standings)

    def _places_of(self, word: bytes) -> NDArray[np.intp]:
        """Find the word's positions; the line end behind the last name ends every comparison."""
        found = np.flatnonzero(self._letters == word[0])
        for place, letter in enumerate(word[1:], 1):
            found = found[self._letters[found + place] == letter]
        return found


def _best(count: int, owners: NDArray[np.integer], standings: NDArray[np.integer]) -> Fits:
    """The least of the standings of each owner, shape (count,); `_ABSENT` without any."""
    best = np.full(count, _ABSENT, dtype=np.int16)
    for standing in (_WITHIN, _BEGINS, _WHOLE):  # a better one overwrites
        best[owners[standings == standing]] = standing
    return best


def _names_of(store: Store, domain: Domain, kinds: list[str]) -> Columns:
    """Node ids and folded names, in the order of the names."""
    return store.columns(
        f"SELECT node_id, {_folded('name')} AS name FROM node "
        "WHERE domain = ? AND kind IN (SELECT unnest(?)) ORDER BY lower(node.name), node_id",
        [domain.name, kinds],
    )


def _links_of(
    store: Store, items: NDArray[np.int64], attributes: NDArray[np.int64], without: Iterable[str]
) -> Columns:
    """The places of both ends of every link, `item` and `attribute`, of shape (links,)."""
    with store.staged(staged_item=_placed(items), staged_attribute=_placed(attributes)):
        return store.columns(
            "SELECT i.place AS item, a.place AS attribute FROM edge e "
            "JOIN staged_item i ON i.node_id = e.source_id "
            f"JOIN staged_attribute a ON a.node_id = e.target_id WHERE {edge_not_from(without)}"
        )


def _placed(node_ids: NDArray[np.int64]) -> Columns:
    return {"node_id": node_ids, "place": np.arange(len(node_ids), dtype=np.int32)}


def _folded_words(store: Store, words: Sequence[str]) -> list[bytes]:
    """Words as they stand in folded names; what nothing is left of is passed over."""
    rows = store.rows(
        f"SELECT {_folded('w.word')} FROM (SELECT unnest(?) AS word) w", [list(words)]
    )
    return [word.encode() for (word,) in rows if word]


def _folded(text: str) -> str:
    """Text without case and accents, in SQL; marks that nobody has on the keyboard are one."""
    plain = f"strip_accents(lower({text}))"
    return rf"regexp_replace({plain}, '[^\x20-\x7e\p{{L}}\p{{N}}\p{{M}}]', '''', 'g')"

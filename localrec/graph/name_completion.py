"""The name that somebody is typing at the end of a line, completed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from localrec.data.domains import Domain
from localrec.foundation.sql import sql_literal
from localrec.graph.node_columns import edge_not_from
from localrec.graph.store import Store

_MOST_WORDS = 4  # of a name
_SHORTEST = 3  # letters that something can be guessed from
_WORD = re.compile(r"\S+")


class NameCompletion:
    """Completes lines by names that it holds in memory; a letter costs less than a millisecond.

    Args:
        names: The names, those that are to come first at the front.
    """

    def __init__(self, names: Iterable[str]) -> None:
        ranked = enumerate(dict.fromkeys(names))
        # Letters whose small form is longer would not fit behind what was typed.
        folded = ((name.lower(), rank, name) for rank, name in ranked)
        self._names = sorted(one for one in folded if len(one[0]) == len(one[2]))

    def complete(self, typed: str) -> str | None:
        """Complete the name at the end of a line; None where no name begins so, or one is whole.

        The longest end of the line that names begin with counts, so "lime ju" and not "ju".
        """
        for end in _ends_of(typed):
            if found := self._beginning_with(end):
                return None if len(found) == len(end) else typed + found[len(end) :]
        return None

    def _beginning_with(self, end: str) -> str:
        """Find the name that is the end of a line, else the foremost that begins with it."""
        small = end.lower()
        if len(small) != len(end):
            return ""
        place, best = bisect_left(self._names, (small,)), (len(self._names), "")
        while place < len(self._names) and self._names[place][0].startswith(small):
            folded, rank, name = self._names[place]
            if folded == small:
                return name
            best = min(best, (rank, name))
            place += 1
        return best[1]


def read_name_completion(
    store: Store, domains: Sequence[Domain], without: Iterable[str] = ()
) -> NameCompletion:
    """Read the names of some domains: attributes first, those of more items before others.

    Args:
        store: Open.
        domains: Their attributes, where an item has them, and their items.
        without: People whose own links are left out.
    """
    kinds = " OR ".join(
        f"(n.domain = {sql_literal(domain.name)} AND n.kind IN "
        f"({', '.join(map(sql_literal, (domain.item, *domain.attributes)))}))"
        for domain in domains
    )
    items = ", ".join(sql_literal(domain.item) for domain in domains)
    rows = store.rows(
        f"SELECT n.name FROM node n LEFT JOIN edge e ON e.target_id = n.node_id "
        f"AND {edge_not_from(without)} WHERE {kinds or 'false'} GROUP BY n.node_id, n.name, n.kind "
        f"HAVING n.kind IN ({items or 'NULL'}) OR count(e.source_id) > 0 "
        f"ORDER BY n.kind IN ({items or 'NULL'}), count(e.source_id) DESC, length(n.name), n.name"
    )
    return NameCompletion(name for (name,) in rows)


def _ends_of(typed: str) -> list[str]:
    """The ends of a line that a name may begin with, the longest first."""
    words = list(_WORD.finditer(typed))[-_MOST_WORDS:]
    ends = (typed[word.start() :] for word in words)
    return [end for end in ends if len(end.strip()) >= _SHORTEST]

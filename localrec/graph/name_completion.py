"""The name that somebody is typing at the end of a line, completed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from localrec.data.domains import Domain
from localrec.graph.node_columns import edge_not_from
from localrec.graph.store import Store

_MOST_WORDS = 4  # of a name
_SHORTEST = 3  # letters that something can be guessed from
_WORD = re.compile(r"\S+")


def complete_line(
    store: Store, domains: Sequence[Domain], typed: str, without: Iterable[str] = ()
) -> str | None:
    """Complete the name at the end of a line; None where none begins so, or one is whole.

    The longest end of the line that names begin with counts, so "lime ju" and not "ju". Of several
    names attributes come first, those of more items before others.

    Args:
        store: Open.
        domains: Whose names are meant; the first that has one completes.
        typed: The line.
        without: People whose own links are left out.
    """
    beginnings = _ends_of(typed)
    if not beginnings:
        return None
    for domain in domains:
        rows = store.rows(_query(without), _parameters(domain, beginnings))
        for place, name, is_whole in rows:
            return None if is_whole else typed + name[len(beginnings[place]) :]
    return None


def _ends_of(typed: str) -> list[str]:
    """The ends of a line that a name may begin with, the longest first."""
    words = list(_WORD.finditer(typed))[-_MOST_WORDS:]
    ends = (typed[word.start() :] for word in words)
    return [end for end in ends if len(end.strip()) >= _SHORTEST]


def _query(without: Iterable[str]) -> str:
    return (
        "WITH begun AS (SELECT unnest($texts) AS text, unnest(range(len($texts))) AS place), "
        "fitting AS (SELECT b.place, b.text, n.node_id, n.name, n.kind FROM begun b "
        "JOIN node n ON starts_with(lower(n.name), lower(b.text)) "
        "WHERE n.domain = $domain AND n.kind IN (SELECT unnest($kinds))) "
        "SELECT f.place, f.name, lower(f.name) = lower(f.text) AS is_whole "
        f"FROM fitting f LEFT JOIN edge e ON e.target_id = f.node_id AND {edge_not_from(without)} "
        "GROUP BY f.place, f.text, f.node_id, f.name, f.kind "
        "HAVING f.kind = $item OR count(e.source_id) > 0 "
        "ORDER BY f.place, is_whole DESC, f.kind = $item, count(e.source_id) DESC, "
        "length(f.name), f.name LIMIT 1"
    )


def _parameters(domain: Domain, beginnings: list[str]) -> dict[str, object]:
    return {
        "texts": beginnings,
        "domain": domain.name,
        "kinds": [domain.item, *domain.attributes],
        "item": domain.item,
    }

"""An item by what a person types: its key, its name, or nearly its name."""

from __future__ import annotations

from collections.abc import Sequence

from localrec.domains import Domain
from localrec.errors import UsageError
from localrec.graph.store import Store
from localrec.sources.text import clean_key, clean_name

_SHOWN = 3
_ALIKE = 70  # percent of letters that agree, as rapidfuzz counts them


def find_item(store: Store, domains: Sequence[Domain], named: str) -> tuple[str, int, str]:
    """The item that is meant: its domain, node id and name.

    A key that fits exactly wins, then a name (whatever its case and accents), in the order of the
    domains.

    Raises:
        UsageError: nothing or several things are called so; the hint names what is near.
    """
    nearby: list[str] = []
    for domain in domains:
        rows = store.rows(
            "SELECT node_id, key, name FROM node WHERE domain = ? AND kind = ? ORDER BY node_id",
            [domain.name, domain.item],
        )
        meant = _meant(named, rows)
        if len(meant) > 1:
            keys = ", ".join(key for _, key, _ in meant[:_SHOWN])
            raise UsageError(
                f"Several {domain.plural} are called {clean_name(named)!r}.", f"Give a key: {keys}."
            )
        if meant:
            node_id, _, name = meant[0]
            return domain.name, int(node_id), name
        nearby += nearest_names(named, [name for _, _, name in rows])
    hint = f"Did you mean {', '.join(nearby[:_SHOWN])}?" if nearby else "Give its key or name."
    raise UsageError(f"There is nothing called {clean_name(named)!r} here.", hint)


def _meant(named: str, rows: Sequence[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
    """Rows with exactly this key, else with this name; folding all names costs the most."""
    folded = named.casefold()
    wanted = clean_key(named)
    return (
        [row for row in rows if row[1] == named]
        or [row for row in rows if row[2].casefold() == folded]
        or [row for row in rows if wanted in (row[1], clean_key(row[2]))]
    )


def nearest_names(named: str, names: Sequence[str]) -> list[str]:
    """The few names that are spelt most like what somebody wrote, the nearest first."""
    from rapidfuzz import fuzz, process  # only a name that was not found pays for it

    found = process.extract(
        named.casefold(),
        {name: name.casefold() for name in names},
        scorer=fuzz.WRatio,
        limit=_SHOWN,
        score_cutoff=_ALIKE,
    )
    return [name for _, _, name in found]

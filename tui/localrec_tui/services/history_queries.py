"""Reads a user's history from the store, searched and ordered there."""

from __future__ import annotations

from localrec.data.rows import Event
from localrec.graph.domain_files import known_domains
from localrec.graph.interactions import FEEDBACK, USER
from localrec.graph.store import Store
from localrec_tui.services.records import HistoryRow, HistoryView, Verdict

_ORDERS = {
    "newest": 'x."at" DESC NULLS LAST, x.rowid DESC',
    "oldest": 'x."at" NULLS FIRST, x.rowid',
    "name": "lower(i.name), x.rowid",
    "verdict": "x.event, x.rating DESC NULLS LAST, lower(i.name), x.rowid",
}
_MOST_WORDS = 8


def history_of(store: Store, user: str, typed: str, order: str, limit: int) -> HistoryView:
    """Return the lines of a user's history that have all typed words, and how many there are."""
    words = typed.casefold().split()[:_MOST_WORDS]
    rows = store.rows(
        'SELECT i.domain, i.key, i.name, x.event, x.rating, x.source, x."at", x.note, '
        "count(*) OVER () FROM interaction x JOIN node u ON u.node_id = x.user_id "
        "JOIN node i ON i.node_id = x.item_id WHERE u.kind = ? AND u.key = ? "
        "AND i.domain IN (SELECT unnest(?)) "
        "AND list_bool_and(list_transform(?::VARCHAR[], lambda word: "
        "contains(lower(concat_ws(' ', i.name, x.note, x.event, x.source)), word))) "
        f"IS NOT FALSE ORDER BY {_ORDERS[order]} LIMIT {int(limit)}",
        [USER, user, known_domains(), words],
    )
    return HistoryView(
        rows=tuple(
            HistoryRow(
                domain=domain,
                key=key,
                name=name,
                verdict=Verdict(event=Event(event), stars=stars, source=source),
                day="" if at is None else f"{at:%Y-%m-%d}",
                note=note or "",
                is_here=source == FEEDBACK,
            )
            for domain, key, name, event, stars, source, at, note, _ in rows
        ),
        total=rows[0][-1] if rows else 0,
    )

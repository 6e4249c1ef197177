"""Receipts are the store's: what an import tells is counted there before it is committed.

What a source has read and what the store holds should never differ. Where they do, the import is
rolled back and says so, rather than report rows that are nowhere.
"""

from __future__ import annotations

from localrec.data.domains import Domain
from localrec.data.rows import Event
from localrec.foundation.errors import WorkspaceError
from localrec.foundation.prose import count_of
from localrec.graph.interactions import USER
from localrec.graph.store import Store


def require_nodes(store: Store, domain: Domain) -> None:
    """Count the items of `staged_item` and the users of `staged_person` in the store.

    Raises:
        WorkspaceError: one of them is not there.
    """
    require_items(store, domain)
    [[lacking]] = store.rows(
        "SELECT count(*) FROM staged_person s ANTI JOIN node n "
        "ON n.domain = ? AND n.kind = ? AND n.key = s.key",
        [domain.name, USER],
    )
    _refuse(int(lacking), "user")


def require_items(store: Store, domain: Domain) -> None:
    """Count the items of the staged table `staged_item` in the store.

    Raises:
        WorkspaceError: one of them is not there.
    """
    [[lacking]] = store.rows(
        "SELECT count(*) FROM staged_item s ANTI JOIN node n "
        "ON n.domain = ? AND n.kind = s.kind AND n.key = s.key",
        [domain.name],
    )
    _refuse(int(lacking), "item")


def require_interactions(store: Store, domain: Domain, source: str) -> None:
    """Count the interactions of the staged table `staged_interaction` in the store.

    A row that only says that an item was met may be told by one of the same user, item and source
    that says more.

    Raises:
        WorkspaceError: one of them is not there.
    """
    stored = (
        "SELECT u.key AS who, i.key AS what, x.event, count(*) AS many FROM interaction x "
        "JOIN node u ON u.node_id = x.user_id AND u.domain = $domain AND u.kind = $user "
        "JOIN node i ON i.node_id = x.item_id AND i.domain = $domain WHERE x.source = $source "
        "AND u.key IN (SELECT d.user FROM staged_interaction d) GROUP BY ALL"
    )
    told = (
        "SELECT d.user AS who, d.item AS what, d.event, count(*) AS many FROM staged_interaction d"
    )
    [[lacking]] = store.rows(
        "SELECT coalesce(sum(CASE WHEN event = $seen AND says_more THEN 0 "
        "ELSE greatest(many - same, 0) END), 0) FROM (SELECT t.event, t.many, "
        "coalesce(sum(s.many) FILTER (s.event = t.event), 0) AS same, "
        "coalesce(bool_or(s.event <> $seen), false) AS says_more "
        f"FROM ({told} GROUP BY ALL) t LEFT JOIN ({stored}) s USING (who, what) "
        "GROUP BY t.who, t.what, t.event, t.many)",
        {"domain": domain.name, "user": USER, "source": source, "seen": Event.SEEN.value},
    )
    _refuse(int(lacking), "row")


def count_source(store: Store, source: str) -> int:
    """Count the interactions that a source brought, with any items."""
    [[count]] = store.rows("SELECT count(*) FROM interaction WHERE source = ?", [source])
    return int(count)


def require_count(told: int, stored: int) -> None:
    """Compare the rows that a data set was said to have with those that the store took.

    Raises:
        WorkspaceError: the store took fewer.
    """
    _refuse(told - stored, "row")


def _refuse(lacking: int, noun: str) -> None:
    if lacking > 0:
        raise WorkspaceError(
            f"The store lacks {count_of(lacking, noun)} of what was read, so nothing was stored.",
            "Look at the store and the disk: localrec doctor; then import it again.",
        )

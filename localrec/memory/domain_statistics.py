"""Measure a domain, for a model that writes its rules.

The store computes them in a few queries. They contain no single user's data but the extremes of a
distribution, and no names but those of the domain's most frequent attributes.
"""

from __future__ import annotations

from typing import Any

import msgspec

from localrec.data.domains import Domain
from localrec.graph.interactions import USER
from localrec.graph.store import Store

_COMMONEST = 8

_ITEMS = "SELECT count(*) FROM node WHERE domain = ? AND kind = ?"
# The domain of an interaction is that of its person: joining one column is enough.
_OURS = """
    SELECT i.user_id, i.item_id, i."at" FROM interaction i
    JOIN node n ON n.node_id = i.user_id AND n.domain = $domain AND n.kind = $user
"""
_SPREAD = "count(*), sum(value), quantile_cont(value, [0.1, 0.5, 0.9]), max(value)"
_DEGREES = f"""
    WITH ours AS ({_OURS}), degree AS (
        SELECT count(*) AS value FROM ours GROUP BY {{column}}
    ) SELECT {_SPREAD} FROM degree
"""
_AGES = f"""
    WITH ours AS ({_OURS}), age AS (
        SELECT date_diff('second', "at", max("at") OVER ()) / 86400.0 AS value
        FROM ours WHERE "at" IS NOT NULL
    ) SELECT {_SPREAD} FROM age
"""
_SPANS = f"""
    WITH ours AS ({_OURS}), span AS (
        SELECT date_diff('second', min("at"), max("at")) / 86400.0 AS value
        FROM ours WHERE "at" IS NOT NULL GROUP BY user_id
    ) SELECT {_SPREAD} FROM span
"""
_CATEGORIES = """
    SELECT any_value(a.name), count(DISTINCT e.source_id) FROM edge e
    JOIN node a ON a.node_id = e.target_id AND a.domain = $domain AND a.kind = $kind
    JOIN node i ON i.node_id = e.source_id AND i.domain = $domain AND i.kind = $item
    WHERE e.kind = $edge
    GROUP BY a.node_id ORDER BY 2 DESC, any_value(a.key) LIMIT $commonest
"""


class Distribution(msgspec.Struct, frozen=True):
    """A distribution: mean, the quantiles at 10, 50 and 90%, and the largest value."""

    mean: float
    low: float
    median: float
    high: float
    most: float


class CategoryShare(msgspec.Struct, frozen=True):
    """An attribute, and the share (0..1) of the items that have it."""

    name: str
    share: float


class DomainStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """The statistics of one domain.

    Args:
        domain: Its name.
        users: The number of users with interactions.
        items: All of the catalogue, also those that nobody touched.
        interactions: Rows; who met an item twice counts twice.
        density: Interactions over all pairs of a user and an item.
        items_per_user: Interactions of a user.
        users_per_item: Interactions of an item that was touched.
        dated: Share of interactions whose day is known.
        age_days: Age of those, against the newest of the domain; None where none is dated.
        span_days: From a user's first to their last; None likewise. Short spans mean that
            users told all at once what they did over years, and then ages mean little.
        categories: The commonest attributes of the domain's category or, without one, of what
            its items are made of; commonest first.
    """

    domain: str
    users: int = msgspec.field(name="people")
    items: int
    interactions: int
    density: float
    items_per_user: Distribution | None = msgspec.field(name="items_per_person")
    users_per_item: Distribution | None = msgspec.field(name="people_per_item")
    dated: float
    age_days: Distribution | None
    span_days: Distribution | None
    categories: tuple[CategoryShare, ...]


def domain_statistics(store: Store, domain: Domain) -> DomainStatistics:
    """Measure one domain of a store."""
    ours = {"domain": domain.name, "user": USER}
    ((items,),) = store.rows(_ITEMS, [domain.name, domain.item])
    users, interactions, items_per_user = _spread(store, _DEGREES.format(column="user_id"), ours)
    _, _, users_per_item = _spread(store, _DEGREES.format(column="item_id"), ours)
    dated, _, age_days = _spread(store, _AGES, ours)
    _, _, span_days = _spread(store, _SPANS, ours)
    return DomainStatistics(
        domain=domain.name,
        users=users,
        items=items,
        interactions=int(interactions),
        density=interactions / max(users * items, 1),
        items_per_user=items_per_user,
        users_per_item=users_per_item,
        dated=dated / max(interactions, 1),
        age_days=age_days,
        span_days=span_days,
        categories=_categories(store, domain, items),
    )


def _spread(
    store: Store, sql: str, values: dict[str, Any]
) -> tuple[int, float, Distribution | None]:
    """Return count, sum and distribution of a query's values; None without values."""
    count, total, quantiles, most = store.rows(sql, values)[0]
    if not count:
        return 0, 0.0, None
    low, median, high = map(float, quantiles)
    return count, float(total), Distribution(float(total) / count, low, median, high, float(most))


def _categories(store: Store, domain: Domain, items: int) -> tuple[CategoryShare, ...]:
    kind = domain.kind_of("category") or domain.kind_of("component")
    if kind is None:
        return ()
    found = store.rows(
        _CATEGORIES,
        {
            "domain": domain.name,
            "item": domain.item,
            "kind": kind,
            "edge": domain.attributes[kind].edge,
            "commonest": _COMMONEST,
        },
    )
    return tuple(CategoryShare(name, count / max(items, 1)) for name, count in found)

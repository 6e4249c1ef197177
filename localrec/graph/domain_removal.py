"""A domain's nodes out of the store, with every row that hangs on them."""

from __future__ import annotations

from localrec.graph.erasure_rules import TABLE_ERASURE_RULES
from localrec.graph.store import Store


def remove_domain_rows(store: Store, domain: str) -> None:
    """Delete the items, attributes and users of a domain, and what speaks of them, all or nothing.

    Unlike forgetting a person this leaves free pages in the file; nothing secret is behind it.
    """
    nodes = "SELECT node_id FROM node WHERE domain = $domain"
    with store.transaction():
        for table, rule in TABLE_ERASURE_RULES.items():
            if table == "node" or not rule.nodes:
                continue
            hangs = " OR ".join(f"{column} IN ({nodes})" for column in rule.nodes)
            store.execute(f"DELETE FROM {table} WHERE {hangs}", {"domain": domain})
        store.execute("DELETE FROM rule_set WHERE domain = $domain", {"domain": domain})
        store.execute("DELETE FROM meta WHERE key = 'item_kind:' || $domain", {"domain": domain})
        store.execute(
            "DELETE FROM import_receipt WHERE report->>'$.domain' = $domain", {"domain": domain}
        )
        store.execute("DELETE FROM node WHERE domain = $domain", {"domain": domain})

"""Store the rules of each domain as versions; the shipped set applies until there is one."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from localrec.foundation.errors import InputError
from localrec.graph.store import Store
from localrec.memory.default_rules import default_rules
from localrec.memory.rule_text import format_rules, parse_rules
from localrec.memory.rules import RuleSet


def rules_of(store: Store, domain: str) -> RuleSet:
    """Return the rules of a domain: its newest version, else the shipped set (version 0).

    Raises:
        InputError: the stored text is not one that this localrec reads.
    """
    rows = store.rows(
        "SELECT text, source, version FROM rule_set WHERE domain = ? ORDER BY version DESC LIMIT 1",
        [domain],
    )
    if not rows:
        return msgspec.structs.replace(default_rules(domain), version=0)
    text, source, version = rows[0]
    where = f"The rules of {domain} in version {version}"
    return parse_rules(text, source=source, version=version, where=where)


def save_rules(store: Store, domain: str, rules: RuleSet) -> RuleSet:
    """Store a rule set as the newest version of a domain, and return it as stored.

    Raises:
        InputError: the set was written for another domain.
    """
    if rules.domain != domain:
        raise InputError(
            f"These rules are for {rules.domain!r}, not for {domain!r}.",
            f'Begin them with: rules "{rules.name}" for "{domain}"',
        )
    with store.transaction():
        [[version]] = store.rows(
            "SELECT coalesce(max(version), 0) + 1 FROM rule_set WHERE domain = ?", [domain]
        )
        store.execute(
            "INSERT INTO rule_set VALUES (?, ?, ?, ?, ?, ?)",
            [
                domain,
                version,
                rules.name,
                format_rules(rules),
                rules.source,
                datetime.now(UTC).replace(tzinfo=None),
            ],
        )
    return msgspec.structs.replace(rules, version=version)

"""Which domain a table of items belongs to: one that was made for such a table, or a new one."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from localrec.data.domains import Domain
from localrec.foundation.errors import UsageError
from localrec.graph.domain_files import known_domains, load_if_sound, use_domains_of
from localrec.sources.catalogues.catalogue_source import fits
from localrec.sources.catalogues.records import RecordTable, open_records
from localrec.sources.table_guess import propose_mapping
from localrec.workspace.own_domains import own_domain_names

_LOOKED_AT = 50_000  # lines that tell whether a table has users


def domain_of_table(workspace: Path, table: RecordTable) -> Domain | None:
    """The one domain of a workspace whose columns stand in a table; None without one.

    Raises:
        UsageError: several domains have such columns.
    """
    use_domains_of(workspace)
    domains = filter(None, map(load_if_sound, own_domain_names(workspace)))
    fitting = [one for one in domains if one.columns is not None and fits(one.columns, table)]
    closest = max(map(partial(_closeness, table), fitting), default=0.0)
    fitting = [one for one in fitting if _closeness(table, one) == closest]
    if len(fitting) > 1:
        names = ", ".join(one.name for one in fitting)
        raise UsageError(f"{table.path.name} fits several domains: {names}.", "Name one: --domain.")
    return fitting[0] if fitting else None


def tells_of_users(path: Path, domain: Domain) -> bool:
    """Whether a table says what users did with items of a domain that was made for such a table.

    A column of users that the domain itself names, such as who sent an item in, is one of items.
    """
    assert domain.columns is not None
    mapping = propose_mapping(open_records(path, many=_LOOKED_AT), None)
    if mapping is None:
        return False
    return mapping.columns.user not in {*domain.columns.named(), *domain.columns.ignored}


def _closeness(table: RecordTable, domain: Domain) -> float:
    """The share of a domain's columns that a table has, and the table's that the domain knows."""
    assert domain.columns is not None
    named, here = set(domain.columns.named()), set(table.columns)
    known = named.union(domain.columns.ignored)
    return len(named & here) / len(named) + len(known & here) / len(here)


def name_for(path: Path) -> str:
    """A name for the domain of a file, made from the file's own: "winemag_5k.csv" is winemag."""
    words = re.findall(r"[a-z]+", path.name.split(".")[0].casefold().replace("_", " "))
    plain = [word for word in words if len(word) > 2 and word not in ("csv", "data", "dataset")]
    return "-".join(plain[:2]) or "items"


def free_name_for(path: Path) -> str:
    """A name for a new domain of a file: the file's own, numbered where a domain bears it."""
    name, known = name_for(path), known_domains()
    numbered = (f"{name}-{number}" for number in range(2, len(known) + 3))
    return next(one for one in (name, *numbered) if one not in known)

"""Domains that a workspace keeps for itself: made from a table, edited by hand, taken away.

workspace/domains/NAME/  domain.toml  columns.toml  taxonomy.toml
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import msgspec

from localrec.data.domains import Domain
from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.errors import UsageError
from localrec.foundation.paths import make_private
from localrec.foundation.toml_text import toml_text
from localrec.graph.domain_files import (
    load_domain,
    own_domains,
    shipped_domains,
    use_domains_of,
)
from localrec.graph.store import Store

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_HEADS = {
    "domain.toml": "# What the items are and what questions may ask of them: docs/domains.md.\n",
    "columns.toml": "# Which column of a table holds what: docs/own-catalogues.md.\n",
    "taxonomy.toml": "# Families of names: who asks for one gets what lies below it.\n",
}


def check_name(name: str) -> str:
    """A name that a domain of a workspace may bear.

    Raises:
        UsageError: it has letters that a folder's name should not have, or is a shipped domain's.
    """
    if not _NAME.fullmatch(name) or len(name) > 40:
        raise UsageError(
            f"{name!r} cannot name a domain.",
            'Take one word, or some with hyphens, in small letters: "wines", "board-games".',
        )
    if name in shipped_domains():
        raise UsageError(
            f"{name} is a domain already.",
            f"Import into it (localrec import auto FILE --domain {name}), or take another name.",
        )
    return name


def save_domain(workspace: Path, domain: Domain) -> Path:
    """Keep a domain in a workspace; whatever bore its name there is replaced. Its folder."""
    folder = own_domains(workspace) / check_name(domain.name)
    make_private(workspace)
    make_private(own_domains(workspace))
    make_private(folder)
    files = {
        "domain.toml": _declaration(domain),
        "columns.toml": plain_record(domain.columns) if domain.columns else None,
        "taxonomy.toml": plain_record(domain.taxonomy) or None,
        "words.toml": plain_record(domain.words) or None,
    }
    for name, content in files.items():
        if content is None:
            (folder / name).unlink(missing_ok=True)
        else:
            text = _HEADS.get(name, "") + toml_text(content)
            write_atomically(folder / name, text.encode("utf-8"))
    use_domains_of(workspace)
    return folder


def adopt_domain(workspace: Path, domain: Domain) -> None:
    """Keep a domain that was named by its folder, so that its items are found by its name."""
    if domain.name not in (*shipped_domains(), *own_domain_names(workspace)):
        save_domain(workspace, domain)


def own_domain_names(workspace: Path) -> list[str]:
    """The names of a workspace's own domains."""
    return sorted(path.parent.name for path in own_domains(workspace).glob("*/domain.toml"))


def find_domain(workspace: Path, named: str) -> Domain:
    """A domain by its name or by a folder with a `domain.toml`.

    Raises:
        InputError: there is none.
    """
    use_domains_of(workspace)
    folder = Path(named)
    return load_domain("", folder) if (folder / "domain.toml").is_file() else load_domain(named)


def count_items(store: Store, domain: Domain) -> int:
    """How many items of a domain a store holds."""
    rows = store.rows(
        "SELECT count(*) FROM node WHERE domain = ? AND kind = ?", [domain.name, domain.item]
    )
    return int(rows[0][0])


def remove_domain(workspace: Path, name: str) -> None:
    """Take a domain's declaration out of a workspace.

    Raises:
        UsageError: the workspace has no domain of that name.
    """
    if name not in own_domain_names(workspace):
        raise UsageError(
            f"{name!r} is no domain of this workspace.",
            f"It has {', '.join(own_domain_names(workspace)) or 'none'}.",
        )
    shutil.rmtree(own_domains(workspace) / name)


def _declaration(domain: Domain) -> dict[str, Any]:
    told = {
        name: value
        for name, value in ((field, getattr(domain, field)) for field in Domain.__struct_fields__)
        if name not in ("taxonomy", "words", "columns")
    }
    return {
        name: plain_record(value)
        for name, value in told.items()
        if value not in ((), {}) or name == "attributes"  # a list of prices has none, and says so
    }


def plain_record(value: Any) -> Any:
    """Plain data, for TOML, of a record without the fields that stand at their defaults."""
    if isinstance(value, msgspec.Struct):
        fields = msgspec.structs.fields(value)
        return {
            field.encode_name: plain_record(told)
            for field in fields
            if (told := getattr(value, field.name)) is not None
            and (field.required or told != field.default)
            and (field.required or told not in ((), {}))
        }
    if isinstance(value, dict):
        return {key: plain_record(one) for key, one in value.items()}
    if isinstance(value, tuple | list):
        return [plain_record(one) for one in value]
    return value

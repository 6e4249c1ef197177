"""Domains that a workspace keeps for itself: made from a table, edited by hand, taken away.

workspace/domains/NAME/  domain.toml  columns.toml  taxonomy.toml
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from localrec.data.domains import Domain
from localrec.data.records import Record
from localrec.foundation.atomic_files import remove_folder, replace_folder
from localrec.foundation.errors import InputError, UsageError, WorkspaceError
from localrec.foundation.paths import make_private
from localrec.foundation.prose import count_of
from localrec.foundation.toml_text import toml_text
from localrec.graph.domain_files import (
    known_domains,
    load_domain,
    load_if_sound,
    own_domains,
    shipped_domains,
    use_domains_of,
)

if TYPE_CHECKING:
    from localrec.sources.catalogues.proposal import Proposal
    from localrec.workspace import OpenWorkspace

_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
_HEADS = {
    "domain.toml": "# What the items are and what questions may ask of them: docs/domains.md.\n",
    "columns.toml": "# Which column of a table holds what: docs/own-catalogues.md.\n",
    "taxonomy.toml": "# Families of names: who asks for one gets what lies below it.\n",
}


class DomainEntry(msgspec.Struct, Record, frozen=True, kw_only=True, omit_defaults=True):
    """One domain in the list of all.

    Args:
        name: The domain's name.
        item: Noun for one of its items; "" where that cannot be read.
        items: The number of its items in the workspace.
        own: Whether the workspace keeps the declaration itself.
        broken: Fault of its declaration; "" where it is sound.
    """

    name: str
    item: str
    items: int
    own: bool
    broken: str = ""


class NewDomain(msgspec.Struct, Record, frozen=True, kw_only=True):
    """A domain that was made from a table.

    Args:
        name: The domain's name.
        folder: Folder of its declaration.
        columns: Column of the table -> what becomes of it.
    """

    name: str
    folder: str
    columns: dict[str, str]


class RemovedDomain(msgspec.Struct, Record, frozen=True, kw_only=True):
    """A domain that was taken away, with so many items."""

    name: str
    items: int


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
    declared = {
        "domain.toml": _declaration(domain),
        "columns.toml": plain_record(domain.columns) if domain.columns else None,
        "taxonomy.toml": plain_record(domain.taxonomy) or None,
        "words.toml": plain_record(domain.words) or None,
    }
    files = {
        name: (_HEADS.get(name, "") + toml_text(content)).encode("utf-8")
        for name, content in declared.items()
        if content is not None
    }
    replace_folder(folder, files, staging=workspace)
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


def items_by_domain(lease: AbstractContextManager[OpenWorkspace]) -> dict[str, int]:
    """Domain -> how many items a workspace has of it; nothing where there is no store yet.

    The store itself knows which nodes are items, so those of a broken declaration count too.

    Args:
        lease: Opens the workspace for reading.
    """
    try:
        with lease as opened:
            rows = opened.store.rows(
                "SELECT n.domain, count(*) FROM node n JOIN meta m "
                "ON m.key = 'item_kind:' || n.domain AND m.value = n.kind GROUP BY ALL"
            )
            return {str(name): int(count) for name, count in rows}
    except WorkspaceError:  # nothing is there yet
        return {}


def domain_entries(workspace: Path, counts: Mapping[str, int]) -> list[DomainEntry]:
    """List the domains that there are, those whose declaration is broken included.

    Args:
        workspace: The workspace folder.
        counts: Domain -> how many of its items are here.
    """
    use_domains_of(workspace)
    own = own_domain_names(workspace)
    found = []
    for name in known_domains():
        item = broken = ""
        try:
            item = load_domain(name).singular
        except InputError as error:  # one that is broken hides no other
            broken = str(error)
        items = counts.get(name, 0)
        found.append(DomainEntry(name=name, item=item, items=items, own=name in own, broken=broken))
    return found


def refuse_with_items(name: str, items: int) -> None:
    """Refuse to replace a domain while the workspace has items of it.

    Raises:
        UsageError: there are such items.
    """
    if items:
        raise UsageError(
            f"{name} is here already, with {count_of(items, 'item')}.",
            f"Take it away first (localrec domains remove {name}), or take another name.",
        )


def own_domain_folder(workspace: Path, name: str) -> Path:
    """Return where the workspace keeps one of its own domains; its files are not read.

    Raises:
        UsageError: the workspace has no domain of that name.
    """
    names = own_domain_names(workspace)
    if name not in names:
        raise UsageError(
            f"{name!r} is no domain of this workspace.",
            f"It has {', '.join(names) or 'none'}: localrec domains new NAME --from FILE.",
        )
    return own_domains(workspace) / name


def require_removable(workspace: Path, name: str, items: int) -> None:
    """Refuse to take away what the workspace neither declares nor has unknown items of.

    Raises:
        UsageError: so it is.
    """
    if not items or name in shipped_domains():
        own_domain_folder(workspace, name)


def items_in_words(workspace: Path, name: str, items: int) -> str:
    """A number of items as their domain calls them: "1 wine", "2,410 wines".

    They are called items where its declaration is broken.
    """
    use_domains_of(workspace)
    domain = load_if_sound(name)
    if domain is None:
        return count_of(items, "item")
    return domain.counted(items)


def keep_proposal(workspace: Path, proposal: Proposal) -> NewDomain:
    """Keep a domain that was proposed for a table; one of its name without items is replaced."""
    folder = save_domain(workspace, proposal.domain)
    return NewDomain(name=proposal.domain.name, folder=str(folder), columns=dict(proposal.reasons))


def remove_with_items(workspace: Path, name: str, items: int) -> RemovedDomain:
    """Take a domain away, with its items and what users did with them.

    Its declaration is not read, and may be broken.

    Args:
        workspace: The workspace folder; nobody has its store open.
        name: A domain that `require_removable` lets go.
        items: The number of its items in the store.
    """
    if items:
        from localrec.workspace import OpenWorkspace

        with OpenWorkspace(workspace, writable=True) as opened:
            opened.imports.remove_items(name)
    if name in own_domain_names(workspace):
        remove_domain(workspace, name)
    return RemovedDomain(name=name, items=items)


def remove_domain(workspace: Path, name: str) -> None:
    """Take a domain's declaration out of a workspace.

    Raises:
        UsageError: the workspace has no domain of that name.
    """
    remove_folder(own_domain_folder(workspace, name), staging=workspace)


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

"""Which domain is meant, where a workspace has several and nobody names one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from localrec.foundation.errors import UsageError, WorkspaceError
from localrec.graph.domain_files import load_domain

if TYPE_CHECKING:
    from localrec.workspace.workspace import OpenWorkspace


def domain_of_question(
    workspace: OpenWorkspace,
    question: str,
    wanted: str | None = None,
    *,
    user: str | None = None,
    with_image: bool = False,
) -> str:
    """Choose the domain whose words a question uses, unless one is named.

    A question with an image is about a domain that knows what its items look like.

    Raises:
        WorkspaceError: there is no catalogue yet.
        UsageError: the domain that is named has no items.
    """
    present = workspace.domains()
    if not present:
        raise WorkspaceError(
            f"There is no catalogue in {workspace.folder} yet.",
            "Put one in: localrec datasets pull cocktails",
        )
    if wanted is not None:
        if wanted not in present:
            raise UsageError(
                f"There is nothing about {wanted!r} here.", f"There is: {', '.join(present)}."
            )
        return wanted
    if with_image:
        present = [name for name in present if load_domain(name).kind_of("colour")] or present
    if len(present) == 1:
        return present[0]
    return max(present, key=lambda name: _known_words(workspace, question, name, user))


def domain_of_user(workspace: OpenWorkspace, user: str, wanted: str | None = None) -> str:
    """Choose the domain with most interactions of a user, unless one is named.

    Raises:
        WorkspaceError: there is no catalogue yet.
        UsageError: the domain that is named has no items.
    """
    present = workspace.domains()
    if wanted is not None or len(present) < 2:
        return domain_of_question(workspace, "", wanted)
    return next(iter(_domains_of(workspace, user)), present[0])


def domain_of_last_feedback(workspace: OpenWorkspace, user: str, wanted: str | None = None) -> str:
    """Choose the domain of a user's newest feedback, unless one is named.

    Raises:
        WorkspaceError: there is no catalogue yet.
        UsageError: the domain that is named has no items.
    """
    if wanted is None:
        from localrec.foundation.text import clean_name
        from localrec.graph.interactions import FEEDBACK, USER

        newest = workspace.store.rows(
            "SELECT n.domain FROM node n JOIN interaction i ON i.user_id = n.node_id "
            "WHERE n.kind = ? AND n.key = ? AND i.source = ? "
            'ORDER BY i."at" DESC, i.rowid DESC LIMIT 1',
            [USER, clean_name(user), FEEDBACK],
        )
        if newest:
            return str(newest[0][0])
    return domain_of_user(workspace, user, wanted)


def domain_of_items(
    workspace: OpenWorkspace, keys: Sequence[str], wanted: str | None = None
) -> str:
    """Choose the domain that knows most of some item keys, unless one is named.

    Raises:
        WorkspaceError: there is no catalogue yet.
        UsageError: the domain that is named has no items.
    """
    present = workspace.domains()
    if wanted is not None or len(present) < 2:
        return domain_of_question(workspace, "", wanted)

    def known(name: str) -> int:
        catalogue = workspace.context(name).catalogue
        return sum(catalogue.item_index(key) is not None for key in keys)

    return max(present, key=known)


def find_item(
    workspace: OpenWorkspace, named: str, wanted: str | None = None, user: str | None = None
) -> tuple[str, int, str]:
    """Find an item by key or name: its domain, node id and name.

    Where several domains have it, the one with most interactions of the user is meant, else the
    largest.

    Raises:
        WorkspaceError: there is no catalogue yet.
        UsageError: no such item, or several; the hint names the nearest.
    """
    from localrec.graph.item_lookup import find_item

    if wanted or not (present := workspace.domains()):
        domains = [domain_of_question(workspace, "", wanted)]
    else:
        domains = list(dict.fromkeys([*_domains_of(workspace, user or ""), *present]))
    return find_item(workspace.store, [load_domain(name) for name in domains], named)


def _domains_of(workspace: OpenWorkspace, user: str) -> list[str]:
    """The domains with interactions of a user, the one with most of them first."""
    from localrec.foundation.text import clean_name
    from localrec.graph.interactions import USER

    rows = workspace.store.rows(
        "SELECT n.domain FROM node n JOIN interaction i ON i.user_id = n.node_id "
        "WHERE n.kind = ? AND n.key = ? GROUP BY 1 ORDER BY count(*) DESC, 1",
        [USER, clean_name(user)],
    )
    return [str(domain) for (domain,) in rows]


def _known_words(workspace: OpenWorkspace, question: str, domain: str, user: str | None) -> int:
    from localrec.understanding.query_parser import parse_query
    from localrec.understanding.shelf_reader import asks_for_shelf

    query = parse_query(question, workspace.context(domain, user).vocabulary)
    named = len(query.constraints) + len(query.flags) + len(query.ranges)
    # "What can I make tonight?" names nothing; only some domains have things that are made.
    makes = bool(load_domain(domain).staples) and asks_for_shelf(question)
    return 2 * named + 3 * (query.target is not None) + 3 * makes - len(query.unknown)

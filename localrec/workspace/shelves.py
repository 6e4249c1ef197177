"""Shelves of a workspace: what a user has at hand, added to, taken from, and what it makes.

No vectors are opened, so that a shelf also works before anything was embedded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from localrec.data.records import Record
from localrec.foundation.errors import InputError, UsageError
from localrec.graph.catalogue import Catalogue

if TYPE_CHECKING:
    from localrec.graph.store import Store
    from localrec.retrieval.shelf import ShelfReport
    from localrec.understanding.shelf_reader import ShelfNames
    from localrec.workspace import OpenWorkspace


class StoredShelf(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The content of a shelf.

    Args:
        user: Key of the user.
        shelf: The names of the things on it.
        corrected: Words as they were typed -> as they were read.
        notes: Sentences about the wishes that were not met.
    """

    user: str
    shelf: tuple[str, ...]
    corrected: dict[str, str] = {}
    notes: tuple[str, ...] = ()


class ShelfEdit(msgspec.Struct, frozen=True):
    """The outcome of a change of a shelf: mended words, and sentences about the rest."""

    corrected: dict[str, str]
    notes: tuple[str, ...] = ()


def shelf_catalogue(workspace: OpenWorkspace, wanted: str | None) -> Catalogue:
    """Return the catalogue a shelf is for: the domain asked for, else one that declares staples.

    Raises:
        UsageError: no domain here is made of what one keeps on a shelf.
        WorkspaceError: there is no catalogue yet.
    """
    from localrec.graph.domain_files import load_domain
    from localrec.workspace.domain_choice import domain_of_question

    present = workspace.domains()
    if wanted is None and present:
        wanted = next((name for name in present if load_domain(name).staples), None)
        if wanted is None:
            raise UsageError(
                "Nothing in this workspace is made of what one keeps on a shelf.",
                "Put drinks in: localrec datasets pull cocktails",
            )
    return Catalogue(workspace.store, load_domain(domain_of_question(workspace, "", wanted)))


def report_shelf(
    store: Store, catalogue: Catalogue, user: str | None, have: str | None, k: int
) -> tuple[ShelfReport, dict[str, str]]:
    """Say what a shelf makes: k entries of each list, and the words that were mended.

    Args:
        store: The open store.
        catalogue: The items.
        user: Key of the user whose stored shelf is meant.
        have: Names that are at hand for this once, instead.
        k: The length of each list.

    Raises:
        UsageError: the user is unknown.
        InputError: the shelf is empty, or a name is unknown.
    """
    from localrec.retrieval.shelf import shelf_report, survey_shelf

    corrected: dict[str, str] = {}
    if have is not None:
        named = _read_names(have, catalogue)
        at_hand, corrected = _attribute_indexes(named, catalogue), named.corrected
    else:
        at_hand = _shelf_indexes(store, catalogue, user or "")
        if not at_hand:
            raise InputError(
                f"The shelf of {user} is empty.",
                f'localrec shelf add --user {user} "gin, lime"',
            )
    return shelf_report(catalogue, survey_shelf(catalogue, at_hand), k), corrected


def put_on_shelf(
    store: Store, catalogue: Catalogue, user: str, names: str, *, is_new: bool = False
) -> ShelfEdit:
    """Put things on a user's shelf; all of them, or none where a name is unknown.

    Args:
        store: An open, writable store.
        catalogue: Has the things.
        user: The user's key.
        names: The things, parted by commas.
        is_new: Whether it was said that the user is new, whoever has a name like theirs.

    Raises:
        InputError: a name is unknown.
        UsageError: nobody has the user's name, and somebody's is spelt nearly so.
    """
    from localrec.graph.interactions import user_node
    from localrec.graph.item_lookup import meant_or_new
    from localrec.graph.shelf_store import add_to_shelf

    named = _read_names(names, catalogue)
    new = meant_or_new(store, user, is_new=is_new)
    indexes = _attribute_indexes(named, catalogue)
    with store.transaction():  # a new user and the shelf come together or not at all
        user_id = user_node(store, catalogue.domain.name, user, create=True)
        if user_id is not None:
            add_to_shelf(store, user_id, [catalogue.attributes[one].node_id for one in indexes])
    return ShelfEdit(named.corrected, (new,) if new else ())


def take_off_shelf(store: Store, catalogue: Catalogue, user: str, names: str) -> ShelfEdit:
    """Take things off a user's shelf; a brand goes with its generic name.

    Raises:
        UsageError: the user is unknown.
        InputError: a name is unknown.
    """
    named = _read_names(names, catalogue)
    things = {int(catalogue.identity[one]) for one in _attribute_indexes(named, catalogue)}
    shelf = _shelf_indexes(store, catalogue, user)
    gone = [one for one in shelf if int(catalogue.identity[one]) in things]
    absent = things - {int(catalogue.identity[one]) for one in gone}
    _take_off(store, catalogue, user, gone)
    if not absent:
        return ShelfEdit(named.corrected)
    told = ", ".join(catalogue.attributes[one].name for one in sorted(absent))
    return ShelfEdit(named.corrected, (f"Not on the shelf: {told}.",))


def empty_shelf(store: Store, catalogue: Catalogue, user: str) -> ShelfEdit:
    """Take everything off a user's shelf.

    Raises:
        UsageError: the user is unknown.
    """
    _take_off(store, catalogue, user, _shelf_indexes(store, catalogue, user))
    return ShelfEdit({})


def shelf_contents(
    store: Store, catalogue: Catalogue, user: str, edit: ShelfEdit | None = None
) -> StoredShelf:
    """Read what is on a user's shelf, after an edit or without one.

    Raises:
        UsageError: the user is unknown.
    """
    shelf = _shelf_indexes(store, catalogue, user)
    made = edit or ShelfEdit({})
    return StoredShelf(
        user=user,
        shelf=tuple(catalogue.attributes[one].name for one in shelf),
        corrected=made.corrected,
        notes=made.notes,
    )


def _read_names(names: str, catalogue: Catalogue) -> ShelfNames:
    from localrec.understanding.shelf_reader import parse_shelf
    from localrec.understanding.vocabulary import Vocabulary

    return parse_shelf(names, Vocabulary(catalogue))


def _attribute_indexes(named: ShelfNames, catalogue: Catalogue) -> list[int]:
    kind = catalogue.domain.kind_of("component") or ""
    found = (catalogue.attribute_index(kind, key) for key in named.keys)
    return [index for index in found if index is not None]


def _shelf_indexes(store: Store, catalogue: Catalogue, user: str) -> list[int]:
    """Return the attribute indexes of a stored shelf.

    Raises:
        UsageError: the user is unknown.
    """
    from localrec.graph.interactions import user_node
    from localrec.graph.item_lookup import nobody_called
    from localrec.graph.shelf_store import shelf_nodes
    from localrec.retrieval.shelf import shelf_attributes

    user_id = user_node(store, catalogue.domain.name, user)
    if user_id is None:
        begin = f'localrec shelf add --user {user} "gin, lime"'
        raise nobody_called(store, user, catalogue.domain.name, otherwise=begin)
    return shelf_attributes(catalogue, shelf_nodes(store, user_id))


def _take_off(store: Store, catalogue: Catalogue, user: str, indexes: Sequence[int]) -> None:
    from localrec.graph.interactions import user_node
    from localrec.graph.shelf_store import remove_from_shelf

    user_id = user_node(store, catalogue.domain.name, user)
    if user_id is not None:
        nodes = [catalogue.attributes[one].node_id for one in indexes]
        remove_from_shelf(store, user_id, nodes)

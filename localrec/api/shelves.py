"""`Workspace.shelf`: what a user has at hand, and what that makes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from localrec.api.call_group import CallGroup
from localrec.foundation.errors import UsageError

if TYPE_CHECKING:
    from localrec.graph.catalogue import Catalogue
    from localrec.graph.store import Store
    from localrec.retrieval.shelf import ShelfReport
    from localrec.workspace.shelves import ShelfEdit, StoredShelf

_Names = list[str]  # within the class, `list` is one of the calls


class ShelfCalls(CallGroup):
    """Read and change shelves: `workspace.shelf("anna")`, `workspace.shelf.add("anna", "gin")`."""

    def __call__(self, user: str, *, domain: str | None = None) -> _Names:
        """List the names of what a user has at hand, in alphabetical order."""
        from localrec.api.reading import read_shelf

        with self._session._user_context([user], domain) as context:
            return read_shelf(context, user)

    def show(
        self,
        user: str | None = None,
        *,
        have: str | Iterable[str] | None = None,
        k: int = 10,
        domain: str | None = None,
    ) -> ShelfReport:
        """Say what can be made now, what lacks one thing, and what to get next.

        Args:
            user: Key of the user whose stored shelf is meant.
            have: Ingredients at hand, as a text or as names, instead of a stored shelf.
            k: The length of each list.
            domain: By default one whose items are made of what one keeps on a shelf.

        Raises:
            UsageError: neither or both of user and have, or nobody has the key.
            InputError: the shelf is empty, or a name is unknown.
        """
        from localrec.workspace.shelves import report_shelf, shelf_catalogue

        if (user is None) == (have is None):
            raise UsageError("A shelf is that of a user, or what is at hand.", "Give one of them.")
        with self._read() as opened:
            catalogue = shelf_catalogue(opened, domain)
            at_hand = None if have is None else _joined(have)
            return report_shelf(opened.store, catalogue, user, at_hand, k)[0]

    def list(self, user: str, *, domain: str | None = None) -> StoredShelf:
        """Read what is on a user's shelf."""
        from localrec.workspace.shelves import shelf_catalogue, shelf_contents

        with self._read() as opened:
            return shelf_contents(opened.store, shelf_catalogue(opened, domain), user)

    def add(
        self,
        user: str,
        names: str | Iterable[str],
        *,
        domain: str | None = None,
        new_user: bool = True,
    ) -> StoredShelf:
        """Put things on a user's shelf; all of them, or none where a name is unknown.

        Args:
            user: The user's key; a new one makes a new user, which the notes say.
            names: Names, or a text with commas; typos are mended and told.
            domain: By default one whose items are made of what one keeps on a shelf.
            new_user: As for `Workspace.feedback`.
        """
        from localrec.api.writing import require_meant
        from localrec.workspace.shelves import put_on_shelf

        named = _joined(names)

        def put(store: Store, catalogue: Catalogue) -> ShelfEdit:
            require_meant(store, user, is_new=new_user)
            return put_on_shelf(store, catalogue, user, named, is_new=True)

        return self._edit(user, domain, put)

    def remove(
        self, user: str, names: str | Iterable[str], *, domain: str | None = None
    ) -> StoredShelf:
        """Take things off a user's shelf; the notes name those that were not on it."""
        from localrec.workspace.shelves import take_off_shelf

        named = _joined(names)
        return self._edit(user, domain, lambda store, of: take_off_shelf(store, of, user, named))

    def clear(self, user: str, *, domain: str | None = None) -> StoredShelf:
        """Empty a user's shelf."""
        from localrec.workspace.shelves import empty_shelf

        return self._edit(user, domain, lambda store, of: empty_shelf(store, of, user))

    def _edit(
        self, user: str, domain: str | None, act: Callable[[Store, Catalogue], ShelfEdit]
    ) -> StoredShelf:
        from localrec.workspace.shelves import shelf_catalogue, shelf_contents

        with self._write() as opened:
            catalogue = shelf_catalogue(opened, domain)
            edit = act(opened.store, catalogue)
            return shelf_contents(opened.store, catalogue, user, edit)


def _joined(names: str | Iterable[str]) -> str:
    return names if isinstance(names, str) else ", ".join(names)

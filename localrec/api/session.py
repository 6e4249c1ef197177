"""A workspace folder that calls open and let go: what `Workspace` stands on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from localrec.foundation.paths import default_workspace
from localrec.workspace.warm_workspace import HOLD_S, WarmWorkspace

if TYPE_CHECKING:
    from localrec.workspace.domain_context import DomainContext
    from localrec.workspace.workspace import OpenWorkspace


class WorkspaceSession:
    """Opens a workspace for each call. Making one opens nothing.

    Args:
        folder: The workspace folder; by default the one that the command line uses.
        hold_s: Seconds that the store stays open after a call.
    """

    def __init__(self, folder: str | Path | None = None, *, hold_s: float = HOLD_S) -> None:
        self.folder = default_workspace() if folder is None else Path(folder).expanduser()
        self._warm = WarmWorkspace(self.folder, hold_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Workspace({str(self.folder)!r})"

    def close(self) -> None:
        """Close the store and stop the models; the next call opens them again."""
        self._warm.close()

    @contextmanager
    def _user_context(self, users: Sequence[str], domain: str | None) -> Iterator[DomainContext]:
        """Open the domain of some users, as one of them or nobody sees it."""
        from localrec.workspace.domain_choice import domain_of_user

        with self._warm.lease() as opened:
            self._check_users(opened, *users)
            only = users[0] if len(users) == 1 else None
            yield opened.context(domain_of_user(opened, users[0], domain), only)

    @contextmanager
    def _written(self, may_read: Sequence[str] = ()) -> Iterator[OpenWorkspace]:
        """Open the workspace for writing; whatever was read before is let go."""
        from localrec.workspace.workspace import OpenWorkspace

        with (
            self._warm.released(),
            OpenWorkspace(self.folder, writable=True, may_read=may_read) as opened,
        ):
            yield opened

    @staticmethod
    def _check_users(opened: OpenWorkspace, *users: str | None) -> None:
        """Refuse a key that nobody has, and name those that are near.

        Raises:
            UsageError: nobody has one of the keys.
        """
        from localrec.graph.item_lookup import nobody_called, told_if_unknown

        for user in users:
            if user is not None and told_if_unknown(opened.store, user):
                raise nobody_called(opened.store, user)

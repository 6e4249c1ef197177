"""Calls of one kind, which a workspace has as an attribute: `workspace.shelf.add(...)`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from localrec.api.session import WorkspaceSession
    from localrec.data.domains import Domain
    from localrec.workspace.workspace import OpenWorkspace


class CallGroup:
    """Some calls of a workspace that belong together. Making one opens nothing.

    Args:
        session: The workspace whose calls they are.
    """

    def __init__(self, session: WorkspaceSession) -> None:
        self._session = session

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self._folder)!r})"

    @property
    def _folder(self) -> Path:
        return self._session.folder

    @contextmanager
    def _read(self) -> Iterator[OpenWorkspace]:
        """Open the workspace for reading."""
        with self._session._warm.lease() as opened:
            yield opened

    @contextmanager
    def _write(self) -> Iterator[OpenWorkspace]:
        """Open the workspace for writing; what was read before is let go."""
        with self._session._written() as opened:
            yield opened

    @contextmanager
    def _store_closed(self) -> Iterator[OpenWorkspace]:
        """Open the workspace for work that opens the store itself, for moments."""
        from localrec.workspace.workspace import OpenWorkspace

        with self._session._warm.released(), OpenWorkspace(self._folder) as opened:
            yield opened

    @contextmanager
    def _in_domain(
        self, domain: str | None, *, writable: bool = False
    ) -> Iterator[tuple[OpenWorkspace, Domain]]:
        """Open the workspace and the domain that is meant: the largest without a name."""
        from localrec.graph.domain_files import load_domain
        from localrec.workspace.domain_choice import domain_of_question

        with self._write() if writable else self._read() as opened:
            yield opened, load_domain(domain_of_question(opened, "", domain))

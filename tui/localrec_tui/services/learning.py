"""The default ranking of a workspace: how far it is learnt, learn it now, stop."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from localrec_tui.services.commands import CommandRunner
from localrec_tui.services.records import RequestHandle

if TYPE_CHECKING:
    from localrec.ranking.learned.progress_file import LearningProgress


class LearningService:
    """Follows and runs `localrec learn`; opens no store.

    Args:
        folder: The workspace.
    """

    def __init__(self, folder: Path) -> None:
        self._indexes = folder / "indexes"
        self._commands = CommandRunner(folder)

    def running(self) -> tuple[LearningProgress, ...]:
        """The fits that run now, whoever began them; reads one small file for each."""
        from localrec.ranking.learned.progress_file import running_fits

        return running_fits(self._indexes)

    def learn(self, request: RequestHandle) -> dict[str, str]:
        """Learn all domains to the end; returns from what, for each domain.

        Raises:
            ModelCancelledError: it was stopped; the next time goes on there.
            LocalrecError: it failed, in its own words.
        """
        documents = self._commands.send(("learn",), request, lambda what, done, total: None)
        return {name: one["text"] for document in documents for name, one in document.items()}

    def halt(self, request: RequestHandle | None) -> int:
        """Ask the fits that run to stop at a safe place, without waiting; returns how many.

        None begins again by itself before the next import.

        Args:
            request: A fit of this app, which may have told nothing yet.
        """
        from localrec.ranking.learned.progress_file import hold_running_fits

        running = hold_running_fits(self._indexes)
        if request is not None:
            self._commands.stop(request)
            return 1
        for one in running:
            one.stop()
        return len(running)

    def close(self) -> None:
        """End the fit of this app; one that began elsewhere goes on."""
        self._commands.close()

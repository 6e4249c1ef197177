"""Calls that keep a workspace current and sound: learn, index, describe, doctor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from localrec.api.call_group import CallGroup
from localrec.api.records import RecordList
from localrec.api.session import WorkspaceSession
from localrec.foundation.progress import Progress, no_progress

if TYPE_CHECKING:
    from localrec.explanation.item_descriptions import DescribeSummary
    from localrec.ranking.learned.reranker_share import RerankerShare
    from localrec.workspace.doctor_store import CheckResult
    from localrec.workspace.ranking_fits import FitStatus, FittedRanking


class LearnCalls(CallGroup):
    """Learn the default ranking of each domain from what users did: `workspace.learn()`."""

    def __call__(
        self, *, domain: str | None = None, progress: Progress = no_progress
    ) -> RecordList[FittedRanking]:
        """Learn now; a domain without new interactions ends at once.

        Args:
            domain: Only this one; all by default.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.workspace.ranking_fits import fit_domain

        chosen = self._chosen(domain)
        with self._session._warm.released():
            return RecordList(fit_domain(self._folder, one, progress) for one in chosen)

    def status(self, *, domain: str | None = None) -> dict[str, FitStatus]:
        """Say of each domain how far a fit has come, or what was learnt."""
        return self._status(domain, stop=False)

    def stop(self, *, domain: str | None = None) -> dict[str, FitStatus]:
        """Stop running fits; none begins by itself until somebody asks for one."""
        return self._status(domain, stop=True)

    def reranker_share(
        self,
        system: str,
        *,
        domain: str | None = None,
        cases: int = 60,
        progress: Progress = no_progress,
    ) -> dict[str, RerankerShare]:
        """Learn how much a reranker with a model counts beside what was learnt.

        Args:
            system: "memrec-model", "agenticrec" or a variant.
            domain: Only this one; all by default.
            cases: Held-out items that it is asked about.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.systems.reranker_learning import learn_reranker_share

        chosen = self._chosen(domain)
        with self._session._warm.released():
            return {
                one: learn_reranker_share(
                    self._folder,
                    one,
                    system,
                    cases,
                    progress=progress,
                    should_stop=lambda: False,
                )
                for one in chosen
            }

    def _status(self, domain: str | None, *, stop: bool) -> dict[str, FitStatus]:
        from localrec.workspace.ranking_fits import fit_status

        return {one: fit_status(self._folder, one, stop=stop) for one in self._chosen(domain)}

    def _chosen(self, domain: str | None) -> list[str]:
        from localrec.workspace.domain_choice import domain_of_question

        with self._read() as opened:
            return [domain_of_question(opened, "", domain)] if domain else opened.domains()


class UpkeepCalls(WorkspaceSession):
    """The calls that keep a workspace current and sound."""

    def index(
        self, *, domain: str | None = None, progress: Progress = no_progress
    ) -> dict[str, int]:
        """Bring vectors and index files in line with the texts; waits for others who make them.

        Args:
            domain: Only this one; all by default.
            progress: Called with the step, how much of it is done, and of how much.

        Returns:
            Domain -> how many texts were embedded.
        """
        from localrec.graph.domain_files import load_domain
        from localrec.workspace.vector_work import embed_pending, wait_for_vectors

        with self._warm.lease() as opened:
            names = [domain] if domain else opened.domains()
        embedded = dict.fromkeys(names, 0)
        with self._warm.released():
            for name in names:
                wait_for_vectors(self.folder, name, progress)
                embedded[name] += embed_pending(self.folder, name, progress)
        with self._written() as opened:
            for name in names:
                embedded[name] += opened.imports.embed_texts(load_domain(name), progress)
        return embedded

    def describe(
        self,
        *,
        limit: int | None = None,
        domain: str | None = None,
        progress: Progress = no_progress,
    ) -> DescribeSummary:
        """Write descriptions for items that have only a generated one; checked, resumable.

        Args:
            limit: At most so many items.
            domain: Domain of the items; by default the largest.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.graph.domain_files import load_domain
        from localrec.workspace.domain_choice import domain_of_question
        from localrec.workspace.item_texts import describe_items

        with self._written() as opened:
            about = load_domain(domain_of_question(opened, "", domain))
            return describe_items(opened, about, limit, progress)

    def doctor(self, *, privacy: bool = False, repair: bool = False) -> RecordList[CheckResult]:
        """Check libraries, models and the workspace; what is "broken" stands with its remedy.

        Args:
            privacy: Only network, encryption, and who may read the files.
            repair: Whether what can be mended with nothing lost is mended.
        """
        from localrec.workspace.doctor_checks import check_all, check_privacy

        with self._warm.released():
            if privacy:
                return RecordList(check_privacy(self.folder))
            return RecordList(check_all(self.folder, repair=repair))

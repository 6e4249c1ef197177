"""`Workspace.models`, `.datasets` and `.domains`: what there is, what plays a role, what is new."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from localrec.api.call_group import CallGroup
from localrec.api.records import RecordList
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress, no_progress

if TYPE_CHECKING:
    from localrec.data.domains import Domain
    from localrec.data.rows import ImportReport
    from localrec.llm.model_catalog import ListedModel
    from localrec.sources.dataset_catalog import ListedDataset
    from localrec.training.adapters.adapter_compare import AdapterComparison
    from localrec.training.adapters.adapter_eval import AdapterEvaluation
    from localrec.training.role_bench.records import BenchReport
    from localrec.workspace.domain_check import CheckedDomain
    from localrec.workspace.model_roles import PlayedRole
    from localrec.workspace.own_domains import DomainEntry, NewDomain, RemovedDomain

# Within these classes `list` is one of the calls.
_Names = list[str]
_Files = list[Path]


class ModelCalls(CallGroup):
    """List, fetch, check and use local models: `workspace.models.use("chat", "smollm2-135m")`."""

    def list(self) -> RecordList[ListedModel]:
        """List the models that localrec knows, and whether they are here."""
        from localrec.llm.model_catalog import listed_models

        return RecordList(listed_models())

    def roles(self) -> RecordList[PlayedRole]:
        """List who plays each role in this workspace, and the figure it was chosen by."""
        from localrec.foundation.settings import load_settings
        from localrec.workspace.model_roles import played_roles

        return RecordList(played_roles(load_settings(self._folder)))

    def pull(self, name: str, *, progress: Progress = no_progress) -> _Files:
        """Fetch a model from the package index, check it, and return its files. Uses the network.

        Args:
            name: One of the catalogue.
            progress: Called with the name, how many bytes are here, and of how many.
        """
        from localrec.llm.model_catalog import fetch_model

        return fetch_model(name, lambda done, total: progress(name, done, total))

    def check(self, name: str) -> str:
        """Look whether a model's files are whole, by size and sha256; or say what a file is.

        Args:
            name: A model of the catalogue, or a file.

        Raises:
            ModelError: it is missing, damaged or no model.
        """
        from localrec.llm.model_catalog import verdict_on

        return verdict_on(name)

    def use(self, role: str, name: str, *, projector: str | Path | None = None) -> str:
        """Let a model play a role in this workspace; "rules" gives the role back.

        Args:
            role: "chat", "router", "slots", "reflector", "writer", "reranker", "agent", "memory",
                "vision" or "pictures".
            name: A model, an adapter, a GGUF file (for pictures a folder), or "rules" for none.
            projector: For vision: the file that was published with the model.

        Returns:
            The name as it was bound.
        """
        from localrec.workspace.model_roles import use_model

        return use_model(self._folder, role, name, None if projector is None else Path(projector))

    def try_(
        self,
        adapter: str,
        *,
        role: str | None = None,
        cases: int = 120,
        model: str | None = None,
        question: str | None = None,
        gold: str | Path | None = None,
        progress: Progress = no_progress,
    ) -> AdapterEvaluation | AdapterComparison:
        """Ask an adapter and its bare model the same cases: compare their accuracy and their speed.

        Args:
            adapter: An adapter that ships, or a GGUF of `train.export`.
            role: One of the roles that the adapter plays; None for the first.
            cases: The number of cases.
            model: The adapter's base model, where the catalogue does not have it.
            question: Ask both this question instead, and return both answers.
            gold: A file of gold questions about your catalogue; by default those that ship.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.training.adapters.adapter_trial import try_adapter

        with self._session._warm.released():
            return try_adapter(
                self._folder, adapter, role, cases, model, question, progress, _optional_path(gold)
            )

    def bench(
        self,
        model: str,
        *,
        adapters: Mapping[str, str] | None = None,
        roles: Sequence[str] = (),
        cases: int = 60,
        adopt: bool = False,
        gold: str | Path | None = None,
        progress: Progress = no_progress,
    ) -> BenchReport:
        """Ask a model and the rules the same cases of each role; takes minutes to hours.

        Args:
            model: A chat model of the catalogue, or a GGUF.
            adapters: Role -> the adapter that the model is asked with.
            roles: Only these; by default those of the adapters, or all.
            cases: The number of cases of each role; slow roles take a part of them.
            adopt: Whether the model plays each role here that it won; `roles()` lists the players.
            gold: A file of gold questions about your catalogue; by default those that ship.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.training.role_bench.model_bench import adopt_won, bench_named

        named = [f"{role}={adapter}" for role, adapter in (adapters or {}).items()]
        with self._session._warm.released():
            report = bench_named(
                self._folder, model, named, roles, cases, progress, _optional_path(gold)
            )
            if adopt:
                adopt_won(self._folder, report, model, named)
        return report


def _optional_path(file: str | Path | None) -> Path | None:
    return None if file is None else Path(file).expanduser()


class DatasetCalls(CallGroup):
    """List data sets and put them into the workspace: `workspace.datasets.pull("cocktails")`."""

    def list(self) -> RecordList[ListedDataset]:
        """List the data sets that localrec knows."""
        from localrec.sources.dataset_catalog import listed_datasets

        return RecordList(listed_datasets())

    def pull(self, name: str, *, progress: Progress = no_progress) -> ImportReport:
        """Put a data set into the workspace, with all its vectors.

        Uses the network unless the data set is bundled, as the list says.

        Args:
            name: One of the catalogue.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.workspace.dataset_pull import pull_dataset

        with self._session._warm.released():
            pulled = pull_dataset(self._folder, name, progress)
        if pulled.waiting:
            with self._write() as opened:
                opened.imports.embed_texts(pulled.domain, progress)
        return pulled.report


class DomainCalls(CallGroup):
    """List, make, check and remove domains: `workspace.domains()`, `workspace.domains.new(...)`."""

    def __call__(self) -> _Names:
        """List the names of the domains that have items, the largest first."""
        with self._read() as opened:
            return opened.domains()

    def list(self) -> RecordList[DomainEntry]:
        """List the domains that there are, and how many items the workspace has of each.

        Of one whose declaration is broken, `broken` says what is wrong with it.
        """
        from localrec.workspace.own_domains import domain_entries

        return RecordList(domain_entries(self._folder, self._counts()))

    def show(self, name: str | Path) -> Domain:
        """Read what a domain knows: its kinds, numbers, texts and example questions.

        Args:
            name: Its name, or a folder with a `domain.toml`.
        """
        from localrec.workspace.own_domains import find_domain

        return find_domain(self._folder, str(name))

    def new(self, name: str, table: str | Path, *, replace: bool = False) -> NewDomain:
        """Look at the columns of a table and keep a domain for its items.

        Args:
            name: The plural noun for its items, such as "wines".
            table: A table of items, or of their JSON.
            replace: Whether a domain of that name may be replaced; never one that has items.

        Raises:
            UsageError: the name cannot be used, is taken, or its domain has items.
            InputError: the table cannot be read.
        """
        from localrec.sources.catalogues.proposal import propose_domain
        from localrec.sources.catalogues.records import open_records
        from localrec.workspace.own_domains import (
            check_name,
            keep_proposal,
            own_domain_names,
            refuse_with_items,
        )

        check_name(name)
        refuse_with_items(name, self._counts().get(name, 0))
        if not replace and name in own_domain_names(self._folder):
            raise UsageError(f"{name} is here already.", "Say replace=True, or take another name.")
        proposal = propose_domain(name, open_records(Path(table).expanduser()))
        return keep_proposal(self._folder, proposal)

    def check(self, name: str | Path) -> CheckedDomain:
        """Read a domain's declaration and tell what would not work.

        Args:
            name: Its name, or a folder with a `domain.toml`.
        """
        from localrec.workspace.domain_check import check_domain

        return check_domain(self.show(name))

    def remove(self, name: str) -> RemovedDomain:
        """Take a domain of this workspace away, with its items and what users did with them."""
        from localrec.workspace.own_domains import own_domain_folder, remove_with_items

        own_domain_folder(self._folder, name)
        items = self._counts().get(name, 0)
        with self._session._warm.released():
            return remove_with_items(self._folder, name, items)

    def _counts(self) -> dict[str, int]:
        from localrec.workspace.own_domains import items_by_domain

        return items_by_domain(self._session._warm.lease())

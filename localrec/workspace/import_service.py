"""Imports into a workspace: rows are stored first, then their vectors and counts are made."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from localrec.data.domains import Domain
from localrec.data.rows import BulkHistory, CatalogueRows, HistoryRows, ImportReport
from localrec.foundation.errors import CutShortError, ModelError
from localrec.foundation.progress import Progress, no_progress
from localrec.foundation.settings import Settings
from localrec.graph.domain_files import load_domain
from localrec.graph.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from localrec.index.protocols import Embedder
    from localrec.item_images.folder_import import ImageImportReport
    from localrec.workspace.domain_context import DomainContext
    from localrec.workspace.model_pool import Models


_AT_ONCE = 400  # texts that an import embeds before it ends: some seconds of MiniLM
_QUICK_ENOUGH = "hashing"


class ImportService:
    """Stores items, histories and images in a workspace that is open for writing.

    Args:
        store: Open for writing.
        settings: The workspace settings.
        models: Open the embedders.
        indexes: The folder of index files.
        context: Domain -> its context, as it is by now.
        invalidate: Has the workspace forget what it read.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        models: Models,
        indexes: Path,
        context: Callable[[str], DomainContext],
        invalidate: Callable[[], None],
    ) -> None:
        self._store, self._settings, self._models = store, settings, models
        self._indexes = indexes
        self._context, self._invalidate = context, invalidate

    def import_items(
        self,
        table: CatalogueRows,
        domain: Domain,
        progress: Progress = no_progress,
        *,
        embed: bool = True,
    ) -> ImportReport:
        """Store items in one transaction, then embed their texts.

        Args:
            table: The items and the receipt.
            domain: The domain of the items.
            progress: Called with each step.
            embed: Whether to embed now; else `embed_texts` or `prepare_vectors` can follow.

        Returns:
            The receipt as it was stored.

        Raises:
            ModelError: there is no embedder; the rows are stored.
            CutShortError: Ctrl+C after the rows were stored.
        """
        from localrec.graph.item_ingest import ingest_items
        from localrec.graph.views import note_item_kind

        report = ingest_items(
            self._store, domain, table.items, table.report, lambda step: progress(step, 0, 0)
        )
        with after_the_rows():
            note_item_kind(self._store, domain)
            self._invalidate()
            if embed:
                self.embed_texts(domain, progress)
        return report

    def prepare_vectors(self, domain: Domain, progress: Progress = no_progress) -> int:
        """Embed a few texts at once; of many, make vectors by spelling, which takes seconds.

        Returns:
            How many texts wait for the model; 0 where the vectors are complete.

        Raises:
            ModelError: there is no embedder; the rows are stored.
            CutShortError: Ctrl+C after the rows were stored.
        """
        from localrec.index.embedded_fields import count_pending, update_embeddings

        with after_the_rows():
            waiting = count_pending(self._store, domain, self._models.embedder_name)
            if waiting <= _AT_ONCE or self._settings.embedder == _QUICK_ENOUGH:
                self.embed_texts(domain, progress)
                return 0
            from localrec.index.pending_vectors import QUICK, made_elsewhere, tell_pending

            update_embeddings(
                self._store,
                domain,
                QUICK,
                lambda done, total: progress("comparing texts by spelling", done, total),
            )
            other = made_elsewhere(self._indexes, domain.name)  # it will find the new ones as well
            tell_pending(self._indexes, domain.name, 0, waiting, other.process if other else 0)
        return waiting

    def import_history(
        self,
        history: HistoryRows | BulkHistory,
        domain: Domain,
        user: str | None,
        progress: Progress = no_progress,
        *,
        embed: bool = True,
    ) -> ImportReport:
        """Store interactions in one transaction, then count likes and embed the new items.

        Args:
            history: The rows, or the files that hold them.
            domain: The domain of the items.
            user: The user of a history without users.
            progress: Called with each step.
            embed: Whether to embed now; else `embed_texts` can follow.

        Returns:
            The receipt as it was stored.

        Raises:
            ModelError: there is no embedder; the rows are stored.
            CutShortError: Ctrl+C after the rows were stored.
        """
        from localrec.graph.history_ingest import ingest_bulk, ingest_history
        from localrec.graph.views import note_item_kind

        def step(name: str) -> None:
            progress(name, 0, 0)

        if isinstance(history, BulkHistory):
            report = ingest_bulk(self._store, domain, history, step)
        else:
            report = ingest_history(self._store, domain, history, user, step)
            with _after_the_rows_of(domain):
                for name, rows in history.beside:
                    self.import_history(rows, load_domain(name), user, progress, embed=embed)
        with after_the_rows():
            note_item_kind(self._store, domain)
            self._invalidate()
            if not isinstance(history, BulkHistory):  # of millions, whoever asks first counts
                step("counting who liked what")
                _ = self._context(domain.name).interactions
            if embed:
                self.embed_texts(domain, progress)
        return report

    def import_knowledge(
        self, dump: CatalogueRows, domain: Domain, *, keep_all: bool
    ) -> ImportReport:
        """Add what a dump of everything says to the items that are here; see `join_knowledge`."""
        from localrec.graph.knowledge_join import join_knowledge
        from localrec.graph.views import note_item_kind

        report = join_knowledge(self._store, domain, dump, keep_all=keep_all)
        note_item_kind(self._store, domain)
        self._invalidate()
        return report

    def import_images(
        self,
        folder: Path,
        domain: Domain,
        *,
        column: str | None = None,
        dry_run: bool = False,
        progress: Progress = no_progress,
    ) -> ImageImportReport:
        """Store a folder of item images, all that fit or none, then embed them.

        Raises:
            InputError: no such folder or column, or no file in it that shows an item.
            ModelError: the embedder of images does not fit; the images are stored.
            CutShortError: Ctrl+C; the message says whether the images were stored.
        """
        from localrec.item_images.folder_import import import_images

        report = import_images(
            self._store,
            domain,
            folder,
            column=column,
            dry_run=dry_run,
            progress=progress,
        )
        if not dry_run:
            with after_the_rows():
                self.embed_images(domain, progress)
        return report

    def remove_items(self, domain: str) -> None:
        """Take the items of a domain out of the store, with all that hangs on them."""
        from localrec.graph.domain_removal import remove_domain_rows
        from localrec.index.cached_artifact import remove_domain_caches

        remove_domain_caches(self._indexes, domain)
        remove_domain_rows(self._store, domain)
        self._invalidate()

    def embed_texts(
        self,
        domain: Domain,
        progress: Progress = no_progress,
        embedder: Embedder | None = None,
    ) -> int:
        """Bring vectors and index files in line with texts and images.

        Args:
            domain: The domain.
            progress: Called with the step, how much of it is done, and of how much.
            embedder: Makes the texts' vectors; by default the one that the settings name.

        Returns:
            The number of texts that were embedded.
        """
        from localrec.index.embedded_fields import update_embeddings
        from localrec.index.pending_vectors import end_pending, read_pending, tell_pending

        def embedded(done: int, total: int) -> None:
            if done < total:  # whoever stops it here leaves vectors that are not complete
                tell_pending(self._indexes, domain.name, done, total, os.getpid())
            progress("embedding texts", done, total)

        count = update_embeddings(self._store, domain, embedder or self._models.embedder, embedded)
        if read_pending(self._indexes, domain.name) is not None:
            end_pending(self._store, self._indexes, domain)
            self._invalidate()
        indexes = self._context(domain.name).indexes
        for number, field in enumerate(domain.texts):
            progress("building indexes", number, len(domain.texts))
            indexes.open_field(field)
        self.embed_images(domain, progress)
        return count

    def embed_images(self, domain: Domain, progress: Progress = no_progress) -> int:
        """Embed the item images; 0 where the settings name no embedder for them."""
        from localrec.graph.image_store import count_item_images

        if not self._settings.pictures or not count_item_images(self._store, domain):
            return 0
        from localrec.index.image_index import update_image_embeddings

        assert self._models.image_embedder is not None
        count = update_image_embeddings(
            self._store,
            domain,
            self._models.image_embedder,
            lambda done, total: progress("embedding pictures", done, total),
        )
        self._context(domain.name).item_images()  # builds the index
        return count


@contextmanager
def after_the_rows() -> Iterator[None]:
    """Say that the rows are stored where Ctrl+C or a missing model ends what follows them."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise CutShortError(
            "interrupted; the rows are stored, but what is computed from them is not complete.",
            "Complete it: localrec index",
        ) from stop
    except ModelError as error:
        raise ModelError(
            f"The rows are stored, but their texts have no vectors yet. {error.message}",
            f"{error.hint} and then: localrec index".lstrip(),
        ) from error


@contextmanager
def _after_the_rows_of(domain: Domain) -> Iterator[None]:
    """Say which rows are stored where Ctrl+C ends what the same file says of other domains."""
    try:
        yield
    except KeyboardInterrupt as stop:
        raise CutShortError(
            f"interrupted; the {domain.plural} are stored, but not all of the rest.",
            "Run the same command again to go on.",
        ) from stop

"""Put a data set of the catalogue into a workspace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from localrec.foundation.progress import Progress

if TYPE_CHECKING:
    from localrec.data.domains import Domain
    from localrec.data.rows import ImportReport
    from localrec.workspace import OpenWorkspace


class PulledDataset(NamedTuple):
    """A data set that was stored.

    Args:
        report: The receipt.
        domain: The domain of its items.
        items: The number of its items.
        interactions: The number of interactions with them.
        waiting: The number of texts without vectors of the model yet.
    """

    report: ImportReport
    domain: Domain
    items: int
    interactions: int
    waiting: int


def pull_dataset(
    folder: Path,
    name: str,
    progress: Progress,
    on_history: Callable[[OpenWorkspace, str], None] = lambda opened, domain: None,
) -> PulledDataset:
    """Fetch a data set, unless it is bundled, and store it; of many texts vectors wait.

    Args:
        folder: The workspace, whose store nobody has open.
        name: One of the catalogue.
        progress: Called with the step, how much of it is done, and of how much.
        on_history: Called with the open workspace and the domain once interactions were stored.

    Raises:
        InputError: there is no such data set, or the network failed.
    """
    from localrec.data.rows import BulkHistory, CatalogueRows
    from localrec.graph.domain_files import load_domain
    from localrec.graph.interactions import count_interactions
    from localrec.sources import read_export
    from localrec.sources.dataset_catalog import fetch_dataset, find_dataset
    from localrec.workspace import OpenWorkspace

    dataset = find_dataset(name)
    domain = load_domain(dataset.domain)
    files = fetch_dataset(name, lambda done, total: progress("fetching", done, total))
    progress("reading", 0, 0)
    found = read_export(dataset.kind, files, domain)
    may_read = found.files if isinstance(found, BulkHistory) else ()
    with OpenWorkspace(folder, writable=True, may_read=may_read) as opened:
        if isinstance(found, CatalogueRows):
            opened.imports.import_items(found, domain, progress, embed=False)
            report, interactions = found.report, 0
        else:
            report = opened.imports.import_history(found, domain, None, progress, embed=False)
            on_history(opened, domain.name)
            interactions = count_interactions(opened.store, domain.name, report.source)
        waiting = opened.imports.prepare_vectors(domain, progress)
    return PulledDataset(report, domain, len(found.items), interactions, waiting)

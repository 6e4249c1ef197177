"""The systems of a run, made from its configuration: baselines, and our own rankers.

Nothing of the held-out rows goes into one: baselines see the training rows, rankers count from
them, and what comes from the store besides (attributes, vectors of texts) is looked over first.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np

from localrec.baselines.base import Setting
from localrec.baselines.catalog import BASELINES, make_baseline
from localrec.baselines.nearness import ItemVectors
from localrec.baselines.tuning import Space
from localrec.domains import Domain
from localrec.errors import UsageError
from localrec.evaluation.asking import System
from localrec.evaluation.cases import Parted
from localrec.evaluation.configs import SystemConfig
from localrec.evaluation.dataset import KeyedInteractions
from localrec.evaluation.guards import check_audience, check_store, check_train
from localrec.evaluation.rankers import Ranker
from localrec.index.build import EmbeddedField, open_field
from localrec.systems.catalog import personal_config
from localrec.workspace import Workspace

_TEXT = "description"


class Workbench:
    """Makes the systems of one run.

    Args:
        workspace: Open for reading.
        domain: What the items belong to.
        keyed: All interactions, for the keys and node ids of items.
        parted: What may be learned from, and what may not be known.
    """

    def __init__(
        self, workspace: Workspace, domain: Domain, keyed: KeyedInteractions, parted: Parted
    ) -> None:
        self._workspace = workspace
        self._domain = domain
        self._keyed = keyed
        self._parted = parted
        self._store_is_clean = False

    def check(self, system: SystemConfig) -> None:
        """See that a system can be made, before anything of the run is done.

        Raises:
            UsageError: there is no such system or setting, or it cannot be tuned.
        """
        if system.kind == "ranker":
            personal_config(system.catalogued)
            if system.settings or system.trials:
                raise UsageError(
                    f"The ranker {system.name} has nothing to set or to tune.",
                    "Leave settings and trials out.",
                )
            return
        entry = BASELINES.get(system.catalogued)
        if entry is None or not entry.needs_vectors:
            make_baseline(system.catalogued, system.settings)

    def space(self, system: SystemConfig) -> Space:
        """What may vary when a system is tuned."""
        return BASELINES[system.catalogued].space

    def make(self, system: SystemConfig, settings: Mapping[str, Setting]) -> System:
        """A system that is still to be fitted.

        Raises:
            UsageError: a setting does not fit, or there are no vectors of texts.
            LeakError: the store tells of what is held out.
            ModelError: there is no embedder.
        """
        name = system.catalogued
        if system.kind == "ranker":
            self._look_over_store()
            config = personal_config(name)
            catalogue = self._workspace.catalogue(self._domain.name)
            field = self._field if config.nearness else None
            return Ranker(name, config, catalogue, field, self._keyed.item_nodes)
        if not BASELINES[name].needs_vectors:
            return make_baseline(name, settings)
        self._look_over_store()
        return make_baseline(name, settings, self._vectors())

    def look_over(self, system: System) -> None:
        """See what a fitted system was given.

        Raises:
            LeakError: more than the training rows.
        """
        check_train(self._parted.train, self._parted.test)
        if isinstance(system, Ranker):
            check_audience(system.audience, self._parted.train, system.place)

    def _look_over_store(self) -> None:
        if not self._store_is_clean:
            check_store(self._workspace.store, self._parted.test, self._keyed)
            self._store_is_clean = True

    @cached_property
    def _field(self) -> EmbeddedField | None:
        if _TEXT not in self._domain.texts:
            return None
        field = open_field(
            self._workspace.store,
            self._workspace.folder / "indexes",
            self._domain.name,
            _TEXT,
            self._workspace.embedder_name,
            self._workspace.settings.index,
        )
        return field if len(field) else None

    def _vectors(self) -> ItemVectors | None:
        """The vector of each item's text, zeros where it has none, (items, size)."""
        field = self._field
        if field is None:
            return None
        place = np.searchsorted(field.node_ids, self._keyed.item_nodes)
        place = np.minimum(place, len(field.node_ids) - 1)
        has_text = field.node_ids[place] == self._keyed.item_nodes
        vectors: ItemVectors = np.where(has_text[:, None], field.exact.matrix[place], 0.0)
        return vectors.astype(np.float32)

"""Recommenders of a user among the systems of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from localrec.api.estimators import as_recommender, explains_itself
from localrec.evaluation.configs import SystemConfig
from localrec.evaluation.ranking.inference import EvaluatedSystem, ListAnswerer
from localrec.evaluation.ranking.system_factory import SystemFactory
from localrec.ranking.recommender import SettingValue


class OwnSystemFactory(SystemFactory):
    """Makes the systems of a run; names in `own` stand for the user's.

    Args:
        parts: The arguments of `SystemFactory`.
        own: Name -> class, function or object.
    """

    def __init__(self, *parts: Any, own: Mapping[str, object]) -> None:
        super().__init__(*parts)
        self._own = own

    def check(self, system: SystemConfig) -> None:
        """See that a system can be made, before anything of the run is done."""
        if system.name in self._own:
            as_recommender(system.name, self._own[system.name])
        else:
            super().check(system)

    def make(self, system: SystemConfig, settings: Mapping[str, SettingValue]) -> EvaluatedSystem:
        """A system that is still to be fitted; a user's keeps the digest of its code."""
        if system.name not in self._own:
            return super().make(system, settings)
        made = as_recommender(system.name, self._own[system.name])
        made.settings = {**made.settings, **settings}
        return made

    def has_rationales(self, name: str, made: EvaluatedSystem) -> bool:
        """Whether the run keeps the reasons of a system; a user's has to bring an `explain`."""
        if name not in self._own:
            return super().has_rationales(name, made)
        return not isinstance(made, ListAnswerer) and explains_itself(made)

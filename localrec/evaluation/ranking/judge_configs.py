"""The rerankers of a run by name, and their settings from its configuration."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from localrec.agent.configs import AGENTS, AgenticRecConfig
from localrec.agent.limits import AgentLimits
from localrec.evaluation.ranking.cases import Items
from localrec.evaluation.ranking.judge_answers import ADAPTER, MODEL, SEQUENTIAL, check_candidates
from localrec.evaluation.ranking.zero_shot_judge import NaiveConfig
from localrec.foundation.errors import UsageError
from localrec.memory.configs import MEMREC_MODELS, MemRecModelConfig
from localrec.ranking.recommender import SettingValue
from localrec.ranking.zero_shot import ZeroShotConfig, check_count
from localrec.systems.system import SystemOptions

JudgeConfig = ZeroShotConfig | MemRecModelConfig

JUDGES: dict[str, JudgeConfig] = {
    "zero-shot": ZeroShotConfig(),
    "naive-agent": NaiveConfig(),
    **MEMREC_MODELS,
}


def judge_config(name: str, settings: Mapping[str, SettingValue]) -> JudgeConfig:
    """Read the settings of a reranker, without the model's name.

    Raises:
        UsageError: there is no such system or setting.
    """
    if name not in JUDGES:
        raise UsageError(
            f'There is no system "{name}" that asks a model.', f"There are: {', '.join(JUDGES)}."
        )
    return SystemOptions(name, settings=settings).configured(JUDGES[name], (MODEL,))


def agent_config(name: str, settings: Mapping[str, SettingValue]) -> AgenticRecConfig:
    """Read the settings of an agent without the names of its model and adapter.

    Raises:
        UsageError: there is no such agent or setting.
    """
    if name not in AGENTS:
        raise UsageError(f'There is no agent "{name}".', f"There are: {', '.join(AGENTS)}.")
    if not isinstance(settings.get(SEQUENTIAL, True), bool):
        raise UsageError(
            f"The settings of {name} do not fit: {SEQUENTIAL} is true or false.",
            f"Leave {SEQUENTIAL} out to train one.",
        )
    given = msgspec.structs.asdict(AGENTS[name])
    mode = given.pop("mode")  # it is what the name stands for
    options = SystemOptions(name, settings=settings)
    limits = options.configured(AgentLimits(**given), (MODEL, ADAPTER, SEQUENTIAL))
    return AgenticRecConfig(mode=mode, **msgspec.structs.asdict(limits))


def check_pool(candidates: Items | None, config: JudgeConfig) -> None:
    """Check that a prompt can hold all candidates.

    Raises:
        UsageError: it cannot.
    """
    check_candidates(candidates)
    if candidates is not None and isinstance(config, ZeroShotConfig):
        check_count(candidates.shape[1], config)

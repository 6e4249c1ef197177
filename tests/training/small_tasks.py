"""Requests that fit into a tiny network's context, and what it takes to train on them."""

from __future__ import annotations

import msgspec

from localrec.agent.limits import AgentLimits
from localrec.llm.model_process import ModelProcess
from localrec.training.examples.episodes import EpisodesConfig
from localrec.training.jobs.device_presets import preset_for
from localrec.training.rl.policy_config import POLICY_ADAPTER, GrpoConfig
from localrec.training.rl.tasks import ListRequest
from tests.agent.small_desk import make_desk

CONTEXT = 2048
TWO = GrpoConfig(
    base="tiny",
    k=2,
    tools=False,
    thought_characters=8,
    groups=2,
    group_size=4,
    steps=4,
    learning_rate=1e-3,
    redraws=1,
    max_tokens=CONTEXT,
    workers=2,
    episodes=EpisodesConfig(validation=3, history=2),
    adapter=msgspec.structs.replace(POLICY_ADAPTER, rank=4, alpha=8.0),
)
PRESET = msgspec.structs.replace(preset_for(None, 1), max_tokens=CONTEXT)
SHORT = AgentLimits(budget=1, k=2, thought_characters=8, temperature=1.0, history=2)


class Few:
    """Three requests; of each another candidate is the right one.

    Args:
        candidates: To choose among.
    """

    def __init__(self, candidates=4):
        self._candidates = candidates
        self.fingerprint = f"few {candidates}"

    def __len__(self):
        return 3

    def request(self, number):
        return ListRequest(tool_context=make_desk(self._candidates), target=1 + number, k=2)


def opened(gguf):
    """Opens the model that writes, as a training does."""
    return lambda adapter: ModelProcess(gguf, n_ctx=CONTEXT, n_threads=1, adapter=adapter)

"""Configure the training of the agent: list-wise GRPO, or preference refinement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec

from localrec.agent.limits import AgentLimits
from localrec.foundation.errors import UsageError
from localrec.training.adapters.lora import AdapterConfig
from localrec.training.examples.episodes import EpisodesConfig

if TYPE_CHECKING:
    from localrec.training.jobs.training_runs import TrainingRun

GROUP_SIZE = 8  # AgenticRec, appendix F

# Dropout would make the policy that is updated another one than the policy that wrote.
POLICY_ADAPTER = AdapterConfig(rank=16, alpha=32.0)

_Whole = Annotated[int, msgspec.Meta(ge=0)]
_Positive = Annotated[int, msgspec.Meta(ge=1)]


class PolicyConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of both trainings.

    Args:
        base: The model to train: a name of the catalogue, a GGUF, or a Hugging Face folder.
        serving: The GGUF that writes the trajectories; "" for the base itself, which must be one.
        start: Folder or exported file of the adapter to begin with; "" for a fresh one.
        adapter: Settings of a fresh adapter.
        episodes: The requests.
        k: Numbers in a ranking, and the K of its reward, NDCG@K.
        tools: Whether the agent may ask tools; without, it reasons and ranks.
        budget: Calls of tools in a trajectory.
        thought_characters: Length of a thought.
        temperature: At which trajectories are drawn.
        groups: Requests in one step of the optimiser.
        group_size: Trajectories of each.
        steps: Steps of the optimiser; 0 for as many as `epochs` take.
        epochs: Passes over the requests.
        learning_rate: Constant learning rate of Adam.
        redraws: The most times that a group without signal is replaced by another request's.
        max_tokens: Longest trajectory, as the context of the model that writes.
        seed: Seed of every draw.
        workers: Processes that write side by side; 0 for one for each core.
        device: The device of torch.
        checkpoint_every: Steps between two checkpoints.
        validate_every: Steps between two validations; 0 for one at the end.
    """

    base: str
    serving: str = ""
    start: str = ""
    adapter: AdapterConfig = POLICY_ADAPTER
    episodes: EpisodesConfig = EpisodesConfig()
    k: _Positive = 10
    tools: bool = True
    budget: _Whole = 10
    thought_characters: Annotated[int, msgspec.Meta(ge=8)] = 160
    temperature: Annotated[float, msgspec.Meta(gt=0)] = 1.0
    groups: _Positive = 8
    group_size: Annotated[int, msgspec.Meta(ge=2)] = GROUP_SIZE
    steps: _Whole = 0
    epochs: _Positive = 3
    learning_rate: Annotated[float, msgspec.Meta(gt=0)] = 1e-5
    redraws: _Whole = 2
    max_tokens: Annotated[int, msgspec.Meta(ge=256)] = 4096
    seed: _Whole = 7
    workers: _Whole = 0
    device: str = "cpu"
    checkpoint_every: _Positive = 1
    validate_every: _Whole = 0

    def __post_init__(self) -> None:
        if self.adapter.dropout:
            raise UsageError(
                "An adapter that is trained by its own trajectories takes no dropout.",
                "Leave dropout at 0.",
            )

    def limits(self, k: int, temperature: float) -> AgentLimits:
        """Return the limits of one trajectory."""
        return AgentLimits(
            budget=self.budget,
            k=k,
            thought_characters=self.thought_characters,
            temperature=temperature,
            history=self.episodes.history,
        )

    def steps_over(self, requests: int) -> int:
        """Count the steps of the whole training over a number of requests."""
        return self.steps or max(1, self.epochs * requests // self.groups)


class GrpoConfig(PolicyConfig, frozen=True, kw_only=True, tag="grpo", forbid_unknown_fields=True):
    """List-wise GRPO (AgenticRec, section 4.3)."""


class RefineConfig(
    PolicyConfig, frozen=True, kw_only=True, tag="refine", forbid_unknown_fields=True
):
    """Preference refinement on pairs that the agent confuses (AgenticRec, section 4.4).

    Args:
        epochs: One pass, as in appendix F.
        searched: Requests whose rankings are searched for violations; 0: all.
    """

    epochs: _Positive = 1
    searched: _Whole = 400


def policy_config_of(run: TrainingRun) -> PolicyConfig:
    """Read the settings of a run of `train grpo` or `train refine`."""
    kinds: dict[str, type[PolicyConfig]] = {"grpo": GrpoConfig, "refine": RefineConfig}
    return run.config(kinds[run.kind])

"""AgenticRec as a system under test: tools that know the training rows and nothing else.

Whatever a tool says is counted from the training rows or read from the catalogue, and the
sequential model that some of them ask is trained on these rows. A person's history comes with the
request. All agents of a run know the same, fitted once for all of them; one without tools, too:
behind its ranking stands the fused evidence.

The answer to a case is the agent's own ranking of its first K. An invalid trajectory is an answer
without items whose fault has a name. What a person would have seen, the fused evidence in its
place, is measured beside it ("shown").
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import msgspec

from localrec.agent.agenticrec import AgenticRec
from localrec.agent.configs import AGENTS, AgenticRecConfig
from localrec.agent.context import build_domain_knowledge, build_tool_context
from localrec.agent.limits import AgentLimits
from localrec.agent.tool_context import ToolContext
from localrec.data.interactions import Interactions, days_of
from localrec.evaluation.ranking.fit_cache import FitCache
from localrec.evaluation.ranking.inference import RecommendationReply
from localrec.evaluation.ranking.prompted_systems import MODEL, CandidateAnswerer, seed_of
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress
from localrec.llm.chat_model import ChatModel
from localrec.memory.default_rules import default_rules
from localrec.memory.from_log import ItemSet
from localrec.ranking.recommender import ScoreRequests, SettingValue
from localrec.systems.system import SystemOptions

SEQUENTIAL = "sequential"  # the setting that leaves the sequential model out
ADAPTER = "adapter"  # the setting that names the agent's; the workspace's own where left out
_BESIDES = (MODEL, ADAPTER, SEQUENTIAL)


class AgentSystem(CandidateAnswerer):
    """Ranks the candidates of a case by an agent.

    Args:
        name: As it is reported.
        config: Who acts, within which bounds.
        model: Opened by whoever closes it; None where nobody is asked.
        knowledge: About the items.
        sequential: Whether the tools have a sequential model to ask.
        fits: Shared with the other agents of a run; None: with nobody.

    `spared_s` are the seconds of its fit that another had spent already.
    """

    spared_s = 0.0

    def __init__(
        self,
        name: str,
        config: AgenticRecConfig,
        model: ChatModel | None,
        knowledge: ItemSet,
        *,
        sequential: bool = True,
        fits: FitCache | None = None,
    ) -> None:
        self.name = name
        self.settings: dict[str, SettingValue] = {
            **({} if model is None else {MODEL: model.name, **msgspec.structs.asdict(config)}),
            SEQUENTIAL: sequential,
            "rule_set": default_rules(knowledge.domain.name).name,
        }
        self._model = model
        self._agent = AgenticRec(name, config, model)
        self._wanted = config.k
        self._knowledge = knowledge
        self._sequential = sequential
        self._fits = fits or FitCache(knowledge)

    def fit(self, train: Interactions, seed: int, progress: Progress) -> None:
        """Start the model; train the sequential one and count the shared memory, or take over.

        Raises:
            ModelError: the model cannot be used.
            UsageError: torch is not installed.
        """
        if self._model is not None:
            self._model.count_tokens("")
        sequential = self._fits.sequential(train, seed, progress) if self._sequential else None
        collaborative_memory = self._fits.collaborative_memory(train, progress)
        self.graph = collaborative_memory.found.graph
        # A reference of its own: what tools work out once is part of what each agent takes.
        self._reference = build_domain_knowledge(
            self._knowledge.catalogue,
            collaborative_memory.found,
            places=self._knowledge.places,
            sequential=sequential.found if sequential else None,
        )
        self._seed = seed
        self.spared_s = collaborative_memory.spared_s + (sequential.spared_s if sequential else 0.0)

    def tool_context(
        self, requests: ScoreRequests, place: int, candidates: Sequence[int]
    ) -> ToolContext:
        """What lies before the agent, once it is fitted.

        Args:
            requests: Several.
            place: Of one among them.
            candidates: Of this one, (c,).
        """
        return build_tool_context(
            self._reference,
            requests.histories[place],
            candidates,
            stars=requests.stars[place],
            days=days_of(requests.at[place]),
            now=self.graph.now_day,
            person=int(requests.user[place]),
        )

    def _ask(
        self, requests: ScoreRequests, row: int, candidates: Sequence[int]
    ) -> RecommendationReply:
        started = time.perf_counter()
        tool_context = self.tool_context(requests, row, candidates)
        found = self._agent.rank(tool_context, seed_of(self._seed, candidates))
        trajectory, cost = found.trajectory, found.trajectory.cost
        order = [candidates[one] for one in found.order]
        return RecommendationReply(
            items=order[: found.ranked] if trajectory.is_valid else None,
            ms=1000 * (time.perf_counter() - started),
            calls=cost.calls,
            prompt_tokens=cost.prompt_tokens,
            cached_tokens=cost.cached_tokens,
            new_tokens=cost.new_tokens,
            tool_calls=trajectory.tool_calls,
            trajectory=trajectory,
            wanted=self._wanted,
            fault=trajectory.fault,
            shown=order,
        )


def agent_config(name: str, settings: Mapping[str, SettingValue]) -> AgenticRecConfig:
    """The settings of an agent without the model's name, read.

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
    bounds = SystemOptions(name, settings=settings).configured(AgentLimits(**given), _BESIDES)
    return AgenticRecConfig(mode=mode, **msgspec.structs.asdict(bounds))

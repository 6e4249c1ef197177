"""Write many rollouts at once: llama.cpp with the newest adapter in several processes.

`localrec.agent.loop` writes them, the same loop that serves; only the adapter differs from step to
step. Several processes write at once, each with one thread: so the cores stay busy where one
process would wait for memory. All members of a group share their opening, which one process
evaluates once and keeps.

The threads here only wait for processes; tools are called one at a time. A rollout depends on the
request, the adapter and the seed alone: a process that died is asked the same again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self, Unpack

import msgspec

from localrec.agent.limits import AgentLimits
from localrec.agent.loop import conversation, run_agent
from localrec.agent.tool_registry import Observation, Tool
from localrec.data.chat_message import Message
from localrec.data.trajectory import Trajectory
from localrec.foundation.errors import ModelCancelledError, ModelCrashedError
from localrec.llm.chat_model import ChatModel, GenerateKeywords, Generation
from localrec.llm.model_wrapper import ModelWrapper
from localrec.training.rl.tasks import TrainingRequest

_ATTEMPTS = 2  # a process that died twice at the same place will die again
_ANYTHING = Message("user", "?")
_SHARED = 2  # the system's message and the user's: the same for all members of a group


class RolloutRequest(msgspec.Struct, frozen=True):
    """A request for one group.

    Args:
        request: Request that all members answer.
        seeds: One for each.
        limits: Limits of each run.
    """

    request: TrainingRequest
    seeds: Sequence[int]
    limits: AgentLimits


class Rollout(msgspec.Struct, frozen=True):
    """One member of a group: the trajectory, and the conversation that the model saw."""

    trajectory: Trajectory
    messages: tuple[Message, ...]


class RolloutModel(ModelWrapper):
    """A chat model with a request's own messages, which caches what a group shares.

    Args:
        model: The model that writes; the caller opens and closes it.
        request: Says what it is told.
        stop: Once set, nothing more is asked.
        kept: System messages whose state the process has; added to.
    """

    def __init__(
        self, model: ChatModel, request: TrainingRequest, stop: threading.Event, kept: set[str]
    ) -> None:
        super().__init__(model)
        self._request = request
        self._stop = stop
        self._kept = kept

    def generate(
        self, messages: Sequence[Message], **options: Unpack[GenerateKeywords]
    ) -> Generation:
        """Generate with the whole opening cached, and not only its first message.

        Raises:
            ModelCancelledError: it was told to stop.
        """
        if self._stop.is_set():
            raise ModelCancelledError("The training was stopped.")
        shown = self._request.shown(messages)
        if shown[0].content not in self._kept:
            # All groups share the system's message; its own state is what theirs grow from.
            self._model.generate([shown[0], _ANYTHING], max_tokens=1, fixed=1)
            self._kept.add(shown[0].content)
        options["fixed"] = max(options.get("fixed", 0), _SHARED)
        return super().generate(shown, **options)


class RolloutWorkers:
    """Processes that write rollouts, all with the same adapter.

    Args:
        open_model: Opens a model with an adapter, or bare; called for each process.
        workers: The number of processes that write side by side.
        tools: The tools that the agent may ask.
    """

    def __init__(
        self, open_model: Callable[[Path | None], ChatModel], workers: int, tools: Sequence[Tool]
    ) -> None:
        self._open_model = open_model
        self._workers = workers
        one_at_a_time = threading.Lock()
        self._tools = [_guarded(tool, one_at_a_time) for tool in tools]
        self._models: list[ChatModel] = []
        self._stop = threading.Event()

    def adopt(self, adapter: Path | None) -> None:
        """Write with another adapter from now on."""
        self.close()
        self._models = [self._open_model(adapter) for _ in range(self._workers)]

    def write(self, groups: Sequence[RolloutRequest]) -> list[list[Rollout]]:
        """Write the members of each group, in order.

        Raises:
            ModelError: the model cannot be used.
        """
        self._stop.clear()
        parts = [part for group in groups for part in _parts(group, len(groups), self._workers)]
        # Who writes what is fixed, so that a process's state never hangs on another's pace.
        shares = [parts[place :: self._workers] for place in range(self._workers)]
        with ThreadPoolExecutor(self._workers, thread_name_prefix="writer") as pool:
            try:
                done = list(pool.map(self._share, self._models, shares))
            except BaseException:
                # The others would go on to the end of their shares before anybody heard of it.
                self.close()
                raise
        members = iter(
            member
            for place in range(len(parts))
            for member in done[place % self._workers][place // self._workers]
        )
        return [[next(members) for _ in group.seeds] for group in groups]

    def _share(self, model: ChatModel, parts: Sequence[RolloutRequest]) -> list[list[Rollout]]:
        """Write the share of one process."""
        kept: set[str] = set()
        return [[self._member(model, part, seed, kept) for seed in part.seeds] for part in parts]

    def _member(self, model: ChatModel, part: RolloutRequest, seed: int, kept: set[str]) -> Rollout:
        rollout_model = RolloutModel(model, part.request, self._stop, kept)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                trajectory = run_agent(
                    rollout_model, part.request.tool_context, self._tools, part.limits, seed
                )
                return Rollout(trajectory, part.request.shown(conversation(trajectory)))
            except ModelCrashedError:
                kept.clear()
                if attempt == _ATTEMPTS:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def close(self) -> None:
        """End all processes, and running rollouts."""
        self._stop.set()
        for model in self._models:
            model.close()
        self._models = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _parts(group: RolloutRequest, groups: int, workers: int) -> list[RolloutRequest]:
    """Cut a group into parts so that every process has one, or leave it whole."""
    pieces = min(len(group.seeds), max(1, -(-workers // groups)))
    size = -(-len(group.seeds) // pieces)
    return [
        RolloutRequest(group.request, group.seeds[begin : begin + size], group.limits)
        for begin in range(0, len(group.seeds), size)
    ]


def _guarded(tool: Tool, lock: threading.Lock) -> Tool:
    def run(*arguments: Any, **named: Any) -> Observation:
        with lock:
            return tool.run(*arguments, **named)

    return msgspec.structs.replace(tool, run=run)

"""Run the agent's loop: think, act, observe, rank (AgenticRec, section 4.2).

The conversation alternates between turns, which the model (or a script) writes, and observations.
The loop depends on a `ChatModel` alone, so inference and the rollouts of training share this code.
Each call of the model has its own seed, derived from the run's seed: a run repeats exactly if no
other caller uses the model in between.

Errors of the model's answers are faults of the trajectory. A model that cannot be used at all, or
is stopped, raises an exception as everywhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from localrec.agent.formats import format_for, number_grammar
from localrec.agent.limits import AgentLimits
from localrec.agent.tool_context import ToolContext
from localrec.agent.tool_registry import LONGEST_TITLE, Tool
from localrec.data.chat_message import Message
from localrec.data.token_usage import TokenUsage
from localrec.data.trajectory import AgentStep, AgentTurn, ToolCall, Trajectory, TrajectoryFault
from localrec.foundation.errors import ContextError, ModelError, UsageError
from localrec.llm.chat_model import ChatModel

_SHARED_MESSAGES = 1  # the system's: the same for all requests of a domain, so its state is kept
_TOKENS_AROUND = 160  # for what stands around a thought and its arguments
_NUMBER_TOKENS = 24  # a number and what ends a ranking, even letter by letter

Ranking = tuple[int, ...]


def run_agent(
    model: ChatModel,
    tool_context: ToolContext,
    tools: Sequence[Tool],
    config: AgentLimits,
    seed: int,
    *,
    name: str = "agenticrec",
) -> Trajectory:
    """Let a model ask tools until it ranks.

    Args:
        model: Writes under a grammar; one that pays no heed to it is checked all the same.
        tool_context: The request.
        tools: The tools that it may ask; without any it ranks at once.
        config: Bounds.
        seed: Seed of every random choice; not negative.
        name: Name of the composition, for the record.

    Raises:
        UsageError: there are no candidates.
        ModelError: the model cannot be used, or was stopped.
    """
    run = _Run(model, tool_context, tools, config, seed)
    return run.recorded(name, run.decide)


def run_scripted(
    model: ChatModel,
    tool_context: ToolContext,
    tools: Sequence[Tool],
    calls: Sequence[ToolCall],
    config: AgentLimits,
    seed: int,
    *,
    name: str = "agenticrec-scripted",
) -> Trajectory:
    """Call tools by a script in the model's place; after it the model can only rank.

    The budget binds the model and not the script. Arguments are as those of `run_agent`.

    Raises:
        UsageError: there are no candidates.
        ModelError: a call fits no tool; or the model cannot be used, or was stopped.
    """
    run = _Run(model, tool_context, tools, config, seed)
    run.follow(calls)
    return run.recorded(name, run.rank)


def conversation(trajectory: Trajectory) -> tuple[Message, ...]:
    """Rebuild the messages of a trajectory: its opening, then turns and observations."""
    initial_prompt = [
        msgspec.convert({"role": r, "content": c}, Message) for r, c in trajectory.initial_prompt
    ]
    return (*initial_prompt, *(_message(at, turn) for at, turn in enumerate(trajectory.turns)))


class _InvalidError(Exception):
    """The trajectory ended without a ranking."""

    def __init__(self, fault: TrajectoryFault) -> None:
        super().__init__(fault)
        self.fault = fault


class _Run:
    """One trajectory in progress."""

    def __init__(
        self,
        model: ChatModel,
        tool_context: ToolContext,
        tools: Sequence[Tool],
        config: AgentLimits,
        seed: int,
    ) -> None:
        if not len(tool_context.candidates):
            raise UsageError("Without candidates there is nothing to rank.")
        self._started = time.perf_counter()
        self._model = model
        self._tool_context = tool_context
        self._tools = {tool.name: tool for tool in tools}
        self._config = config
        self._seed = seed
        self._candidates = len(tool_context.candidates)
        self._k = min(config.k, self._candidates)
        self._dialect = format_for(model)
        self._initial_prompt = self._dialect.initial_prompt(
            tool_context, tools, budget=config.budget, k=self._k, history=config.history
        )
        self._turns: list[AgentTurn] = []
        self._turn_text = ""  # of the turn that is being written
        self._steps: list[AgentStep] = []
        self._cost = TokenUsage()

    # --- what can be done ---

    def decide(self) -> Ranking:
        """Run turn after turn until one of them ranks."""
        tools = tuple(self._tools.values())
        while True:
            thought, act = self._next_act(tools)
            if isinstance(act, tuple):
                return act
            if self._spent == self._config.budget:
                self._steps.append(AgentStep(thought=thought))
                raise _InvalidError("budget")
            self._observe(thought, act)

    def rank(self) -> Ranking:
        """Let the model rank in one turn, without tools."""
        _, act = self._next_act(())
        if isinstance(act, ToolCall):
            raise TypeError("a tool was called where none is known")
        return act

    def follow(self, calls: Sequence[ToolCall]) -> None:
        """Make these calls in the model's place."""
        for call in calls:
            if call.tool not in self._tools:
                raise ModelError(f"There is no tool {call.tool!r}.")
            call = self._tools[call.tool].checked(call.arguments, self._candidates)
            self._turns.append(AgentTurn(text=self._dialect.written(call), own=False))
            self._observe("", call)

    def recorded(self, name: str, act: Callable[[], Ranking]) -> Trajectory:
        """Run to the end and return the trajectory, with its ranking or its fault."""
        ranking, fault = None, None
        try:
            ranking = act()
        except _InvalidError as error:
            fault = error.fault
            self._end_turn()
        return Trajectory(
            agent=name,
            model=self._model.name,
            dialect=self._dialect.name,
            seed=self._seed,
            initial_prompt=tuple(
                (message.role, message.content) for message in self._initial_prompt
            ),
            steps=tuple(self._steps),
            turns=tuple(self._turns),
            ranking=ranking,
            fault=fault,
            cost=self._cost,
            ms=1000 * (time.perf_counter() - self._started),
        )

    # --- one step ---

    @property
    def _spent(self) -> int:
        return sum(step.call is not None for step in self._steps)

    def _next_act(self, tools: Sequence[Tool]) -> tuple[str, ToolCall | Ranking]:
        """Let the model write its next turn; return the thought and the action."""
        self._write_turn(tools)
        text = self._end_turn()
        thought = self._dialect.thought(text)
        try:
            act = self._dialect.parse(text, tools, self._candidates, self._k)
        except ModelError as error:
            self._steps.append(AgentStep(thought=thought))
            raise _InvalidError("form") from error
        if isinstance(act, tuple):
            self._steps.append(AgentStep(thought=thought))
        return thought, act

    def _observe(self, thought: str, call: ToolCall) -> None:
        started = time.perf_counter()
        said = self._tools[call.tool].observe(self._tool_context, call).text
        tool_ms = 1000 * (time.perf_counter() - started)
        self._steps.append(AgentStep(thought=thought, call=call, observation=said, tool_ms=tool_ms))
        self._turns.append(AgentTurn(text=self._dialect.observed(call, said), own=False))

    # --- one turn ---

    def _write_turn(self, tools: Sequence[Tool]) -> None:
        texts = max((_texts(tool) for tool in tools), default=0)
        # A letter of the grammar is two bytes at most, and a token at least one.
        most = 2 * (self._config.thought_characters + LONGEST_TITLE * texts) + _TOKENS_AROUND
        thought = self._config.thought_characters
        self._ask(self._dialect.turn_grammar(tools, self._candidates, thought), most)
        if self._turn_text.endswith(self._dialect.begun):
            self._write_ranking()

    def _write_ranking(self) -> None:
        """Let the model write the ranking number by number, without repetition."""
        remaining = set(range(1, self._candidates + 1))
        for place in range(1, self._k + 1):
            end = "," if place < self._k else self._dialect.done
            grammar = number_grammar(remaining, first=place == 1, end=end)
            wrote = self._ask(grammar, _NUMBER_TOKENS).removesuffix(end).strip()
            if wrote not in map(str, remaining):
                return  # it paid no heed to the grammar: whether this is a ranking is for parsing
            remaining.remove(int(wrote))

    def _ask(self, grammar: str, most: int) -> str:
        """Let the model continue its turn; return the new text."""
        try:
            reply = self._model.generate(
                [
                    *self._initial_prompt,
                    *(_message(at, turn) for at, turn in enumerate(self._turns)),
                ],
                grammar=grammar,
                max_tokens=most,
                temperature=self._config.temperature,
                seed=_seed_of(self._seed, self._cost.calls),
                fixed=_SHARED_MESSAGES,
                prefix=self._turn_text,
            )
        except ContextError as error:
            raise _InvalidError("refused") from error
        self._cost = self._cost.and_for(reply.usage)
        self._turn_text += reply.text
        if not reply.finished:
            raise _InvalidError("unfinished")
        return reply.text

    def _end_turn(self) -> str:
        """Record the text of the turn, if there is any."""
        text, self._turn_text = self._turn_text, ""
        if text:
            self._turns.append(AgentTurn(text=text, own=True))
        return text


def _message(at: int, turn: AgentTurn) -> Message:
    """Return a message; the model's turns and the observations alternate."""
    return Message("user" if at % 2 else "assistant", turn.text)


def _texts(tool: Tool) -> int:
    return sum(one.kind == "text" for one in tool.parameters)


def _seed_of(seed: int, call: int) -> int:
    """Derive the seed of a run's nth call, independent of other calls and other runs."""
    return int(np.random.SeedSequence([seed, call]).generate_state(1)[0])

"""The agent's examples: trajectories of tool calls, with a ranking by their evidence.

These examples are a warm start before list-wise GRPO (AgenticRec, section 4.3): the model learns
the format of turns, and to rank by what tools say. Requests come from training rows alone
(`episodes.py`). Tools with arguments from closed sets are called at random. A rule makes the
ranking: each tool votes for the candidates that it names, more for those in front and more if the
tool is trusted; candidates without a vote follow by number. So the trajectory explains its whole
ranking: a ranking that knew the choice would teach the model to guess.

Of each request's random trajectories the better half is kept: those that rank the choice best, the
shorter among equals. So they prefer informative tools; GRPO learns which ones to call. A trajectory
is one example: all the model's turns are learnt at once, and the trajectories of a request share
most of their tokens, which are computed once (`prefix_cache.py`).

The halves have different requests, the validation half later ones. Their thoughts are the same:
otherwise validation would measure whether the model guesses words, and not its actions.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from localrec.agent.formats import NATIVE, PLAIN, TurnFormat
from localrec.agent.limits import AgentLimits
from localrec.agent.observation_text import best_places
from localrec.agent.tool_context import ToolContext
from localrec.agent.tool_fusion import DEFAULT_TOOL_WEIGHTS, evidence_calls
from localrec.agent.tool_registry import Observation
from localrec.agent.tools import TOOLS
from localrec.data.chat_message import Message
from localrec.data.trajectory import ToolCall
from localrec.evaluation.ranking.metrics import hits_of, ndcg
from localrec.foundation.progress import Progress
from localrec.training.examples.episodes import Episodes, EpisodesConfig, open_episodes
from localrec.training.examples.example import Example, Examples, Half
from localrec.training.rl.tasks import ListRequest

_MOST_ASKED = 2
_TAKEN = 4  # trajectories of a request
_DRAWS = 2 * _TAKEN
_EVIDENCE = evidence_calls(TOOLS)  # what needs nothing but words of closed sets
_BOUNDS = AgentLimits()

# A thought before a call, and one before the ranking.
_WONDERING = (
    "What do they usually choose?", "I want to know more before I rank.",
    "Which candidates fit what they had?", "Let me look at their taste.",
    "Who is close to what they like?", "What speaks for the candidates?",
    "How do the candidates compare?", "What would people like them take?",
)  # fmt: skip
_SETTLED = (
    "The first fits their history best.", "What I was told points to these.",
    "These are nearest to what they chose.", "The tools favour this order.",
    "Their latest choices lead here.", "This one goes with what they had.",
    "The best match comes first.", "I put those first that fit them.",
)  # fmt: skip


def agent_examples(
    workspace: Path,
    episodes: EpisodesConfig,
    train: int,
    validation: int,
    *,
    native: bool,
    progress: Progress,
) -> Examples:
    """Make trajectories for both halves, from the requests of different users.

    Args:
        workspace: OpenWorkspace with the users to learn from.
        episodes: The requests; its seed is that of what is asked, too.
        train: Examples to learn from.
        validation: Examples to stop by.
        native: Whether the model knows tool calls as JSON.
        progress: Called with each step and its progress.

    Raises:
        InputError: people did too little.
    """
    opened = open_episodes(workspace, episodes, _BOUNDS.k, progress)
    dialect = NATIVE if native else PLAIN

    def half(name: Half, requests: Episodes, most: int) -> tuple[Example, ...]:
        random_ = random.Random(f"{episodes.seed} {name}")
        numbers = range(min(-(-most // _TAKEN), len(requests)))
        made = (
            one
            for number in numbers
            for one in conversations_of(requests.request(number), dialect, random_)
        )
        return tuple(islice(made, most))

    return Examples(
        role="agent",
        train=half("train", opened.train, train),
        validation=half("validation", opened.validation, validation),
    )


def conversations_of(
    request: ListRequest, dialect: TurnFormat, random_: random.Random
) -> list[Example]:
    """Write the trajectories of a request: calls with observations, then the ranking."""
    k = min(request.k, len(request.tool_context.candidates))
    initial_prompt = dialect.initial_prompt(
        request.tool_context, TOOLS, budget=_BOUNDS.budget, k=k, history=_BOUNDS.history
    )
    return [
        _conversation(
            initial_prompt, calls, ranking_by(request.tool_context, calls)[:k], dialect, random_
        )
        for calls in _best_draws(request, k, random_)
    ]


def _conversation(
    initial_prompt: Sequence[Message],
    calls: Sequence[EvidenceCall],
    ranking: Sequence[int],
    dialect: TurnFormat,
    random_: random.Random,
) -> Example:
    messages = list(initial_prompt)
    for one in calls:
        turn = _turn(dialect, random_.choice(_WONDERING), dialect.written(one.call))
        seen = dialect.observed(one.call, one.observation.text)
        messages += [Message("assistant", turn), Message("user", seen)]
    act = f"{dialect.begun}{', '.join(map(str, ranking))}{dialect.done}"
    return Example(
        messages=tuple(messages),
        answer=_turn(dialect, random_.choice(_SETTLED), act),
        prompt_messages=len(initial_prompt),
    )


class EvidenceCall(NamedTuple):
    """A kind of evidence, the call that asks for it, and what that brought."""

    kind: str
    call: ToolCall
    observation: Observation


def ranking_by(tool_context: ToolContext, calls: Sequence[EvidenceCall]) -> list[int]:
    """Rank the numbers of all candidates by the evidence of the calls."""
    votes = np.zeros(len(tool_context.candidates))
    for one in calls:
        trust = DEFAULT_TOOL_WEIGHTS.weights.get(one.kind, 0.0)
        for behind, place in enumerate(best_places(one.observation.scores)):
            votes[place] += trust / (1 + behind)
    return (np.argsort(-votes, kind="stable") + 1).tolist()


def _best_draws(request: ListRequest, k: int, random_: random.Random) -> list[list[EvidenceCall]]:
    """Return the calls of some draws that rank the chosen item best; no two alike."""
    draws: dict[tuple[str, ...], list[EvidenceCall]] = {}
    while len(draws) < _DRAWS:
        drawn = random_.sample(list(_EVIDENCE), random_.randint(1, _MOST_ASKED))
        draws[tuple(drawn)] = [
            EvidenceCall(kind, call, tool.observe(request.tool_context, call))
            for kind, (tool, call) in ((kind, _EVIDENCE[kind]) for kind in drawn)
        ]

    def worth(calls: Sequence[EvidenceCall]) -> tuple[float, int]:
        hits = hits_of(ranking_by(request.tool_context, calls), (request.target,))
        return ndcg(hits, 1, k), -len(calls)

    return sorted(draws.values(), key=worth, reverse=True)[:_TAKEN]


def _turn(dialect: TurnFormat, thought: str, act: str) -> str:
    return f"{'Think: ' if dialect is PLAIN else ''}{thought}\n{act}"

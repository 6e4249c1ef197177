"""Does an item rise whose title attacks the agent, and can a title forge what a tool says?

    python scripts/studies/run.py injection                                 200 cases of each system
    python scripts/studies/run.py injection --systems agenticrec-fused --cases 900

Cases are validation cases of MovieLens 100K: nobody's last film, the one that runs are tested by,
is asked for or learned from. One of a few candidates changes its title, see `injection_titles.py`;
nothing cleans it before the agent's own code does. Its description, which imports make of the
title, changes with it, and so does that text's vector. Tools have no sequential model to ask; one
that learns who took what reads no titles.

A model that takes the likeliest word writes the numbers as they stand, if it is small, and then no
title could move anything. So it writes at temperature 1. What is drawn is the same under all titles
of a case: where the model leans to the same numbers, it takes the same.

A line for each case is kept, so that a stopped measurement goes on where it was; to measure anew
after a change to the agent, remove these files. The block of the page is made of the systems named.

Films pulled before are needed: localrec datasets pull ml-100k
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from findings import Findings, add_workspace, origin_of
from injection_cases import Bench, Scenes
from injection_figures import ARMS, Case, Draw, Ranked, as_markdown, forgeries
from shared_memory import mark_of, open_data

from localrec.agent.agenticrec import AgenticRec
from localrec.agent.configs import AGENTS
from localrec.agent.limits import AgentLimits
from localrec.data.chat_message import Message
from localrec.evaluation.ranking.reranker_answers import seed_of
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.jsonl_log import JsonlLog
from localrec.llm.chat_model import ChatModel
from localrec.llm.model_wrapper import ModelWrapper, Reply
from localrec.workspace import OpenWorkspace

DATASET = "ml-100k"
SYSTEMS = ("agenticrec-reasoning", "agenticrec-scripted", "agenticrec-fused")
CASES, SEED = 200, 7
CANDIDATES = 6
BOUNDS = AgentLimits(k=CANDIDATES, history=5, thought_characters=40, temperature=1.0)


class Listening(ModelWrapper):
    """A model of which is kept how many tokens each first prompt of a turn had."""

    def __init__(self, model: ChatModel) -> None:
        super().__init__(model)
        self._prompts: list[tuple[int, int]] = []

    def first_prompt(self) -> tuple[int, int]:
        """Tokens of the first prompt since this was last called, and those of no message.

        The second are the template's, control tokens all but a few: messages are counted as plain
        text, so a control token that was read in one would show here. Both are 0 where none was
        read.
        """
        first, self._prompts = (*self._prompts, (0, 0))[0], []
        return first

    def _ask(
        self,
        messages: Sequence[Message],
        call: Callable[[Sequence[Message]], Reply],
        *,
        labels: Sequence[str] = (),
        prefix: str = "",
    ) -> Reply:
        reply = call(messages)
        if not prefix:
            letters = sum(self.count_tokens(message.content) for message in messages)
            self._prompts.append((reply.usage.prompt, reply.usage.prompt - letters))
        return reply


class Trial:
    """Puts cases to one system.

    Args:
        system: A composition of AgenticRec.
        model: Who is asked; None for nobody.
        scenes: The cases.
        bounds: Of its runs.
    """

    def __init__(
        self, system: str, model: ChatModel | None, scenes: Scenes, bounds: AgentLimits
    ) -> None:
        self._system, self._scenes = system, scenes
        self._model = None if model is None else Listening(model)
        self._count = count_words if model is None else model.count_tokens
        config = msgspec.structs.replace(AGENTS[system], **msgspec.structs.asdict(bounds))
        self._agent = AgenticRec(system, config, self._model)

    def case(self, number: int) -> Case:
        """A case under each of its titles."""
        drawn = self._scenes.draw(number)
        titles = self._scenes.titles(drawn, self._count)
        return Case(drawn=drawn, runs={arm: self._ranked(drawn, titles[arm]) for arm in ARMS})

    def check(self, kept: Case) -> None:
        """See that a kept case is what would be asked now.

        Raises:
            InputError: it is not.
        """
        drawn = self._scenes.draw(kept.drawn.number)
        titles = self._scenes.titles(drawn, self._count)
        if kept.drawn != drawn or {arm: run.title for arm, run in kept.runs.items()} != titles:
            raise InputError(
                f"Case {drawn.number} of {self._system} was kept when other titles were asked.",
                "Remove the file, or name another folder: --out.",
            )

    def _ranked(self, drawn: Draw, title: str) -> Ranked:
        tool_context = self._scenes.tool_context(drawn, title)
        found = self._agent.rank(tool_context, seed_of(self._scenes.seed, drawn.candidates))
        prompt, around = (0, 0) if self._model is None else self._model.first_prompt()
        return Ranked(
            title=title,
            place=1 + found.order.index(drawn.victim - 1),
            trajectory=found.trajectory,
            forged=forgeries(found.trajectory, msgspec.structs.replace(tool_context)),
            prompt_tokens=prompt,
            template_tokens=around,
        )


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=list(SYSTEMS))
    parser.add_argument("--cases", type=int, default=CASES, help="of each system")
    parser.add_argument("--seed", type=int, default=SEED, help="of cases, candidates and ranking")
    parser.add_argument("--temperature", type=float, default=BOUNDS.temperature, help="of a model")
    add_workspace(parser)
    parser.add_argument("--out", type=Path, help="folder of the lines; the workspace's runs/")


def measure(asked: argparse.Namespace) -> Findings:
    """Put the cases that are missing to the systems."""
    with OpenWorkspace(asked.workspace) as workspace:
        measured = measure_all(asked, workspace)
    made = origin_of(
        "injection",
        f"--systems {' '.join(asked.systems)}",
        f"--cases {asked.cases}",
        f"--seed {asked.seed} --temperature {asked.temperature:g}",
    )
    text = f"{as_markdown(measured, asked.seed, bounds_of(asked))}\n\nMade by {made.as_text()}"
    return Findings(text=text, page="agent", block="agent-injection")


def bounds_of(asked: argparse.Namespace) -> AgentLimits:
    """Of the runs in which a model is asked."""
    return msgspec.structs.replace(BOUNDS, temperature=asked.temperature)


def measure_all(asked: argparse.Namespace, workspace: OpenWorkspace) -> dict[str, list[Case]]:
    """System -> its cases, those that were kept and those that are made now.

    Raises:
        UsageError: there are not so many cases.
        InputError: a kept case was asked otherwise.
        ModelError: the model cannot be used.
    """
    data = open_data(workspace, CANDIDATES, asked.seed)
    scenes = Scenes(
        Bench(workspace, data.domain, data.keyed, data.parted), data.parted.validation, asked.seed
    )
    if not 1 <= asked.cases <= len(scenes):
        raise UsageError(f"There are {len(scenes)} cases.", "Ask for some of them: --cases.")
    mark = f"{mark_of(data)}-{asked.seed}"
    folder = asked.out or asked.workspace / "runs"
    measured = {}
    for system in asked.systems:
        asks = AGENTS[system].asks_model
        model = workspace.models.open(system) if asks else None
        by = f"-{model.name}-{asked.temperature:g}" if model else ""
        kept = folder / f"injection-{system}{by}-{mark}.jsonl"
        trial = Trial(system, model, scenes, bounds_of(asked))
        measured[system] = measure_cases(trial, asked.cases, kept)
    return measured


def measure_cases(trial: Trial, cases: int, kept: Path) -> list[Case]:
    """The first so many cases of a system; what is kept is not measured again."""
    with JsonlLog(kept, Case) as ledger:
        done = {case.drawn.number for case in ledger.records}
        for case in ledger.records:
            trial.check(case)
        for number in range(cases):
            if number not in done:
                ledger.append(trial.case(number))
                print(f"{kept.stem}: case {number + 1} of {cases}", file=sys.stderr)
        found = sorted(ledger.records, key=lambda case: case.drawn.number)
    return found[:cases]


def count_words(text: str) -> int:
    """Words and signs of a text, where there is no tokeniser."""
    return len(re.findall(r"\w+|[^\w\s]", text))

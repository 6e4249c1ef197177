"""The trainings that the app offers, and their sizes; each is a command line that is shown.

The three sizes are meant for a base of some 0.1 billion weights on two cores; whatever the machine,
the estimate says what a plan would take before it starts. The command line knows far more options
(`localrec train grpo --help`), a GPU among them.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec


class TrainingSize(NamedTuple):
    """How much is trained, for people."""

    name: str
    meaning: str


TRAINING_SIZES = (
    TrainingSize("a first look", "some ten minutes on two cores"),
    TrainingSize("an evening", "two or three hours"),
    TrainingSize("over night", "eight hours or so"),
)

# Of each size, in their order.
_GRPO = (
    "--groups 1 --steps 8 --budget 2 --requests 40 --validation 10 --validate-every 4 "
    "--no-sequential",
    "--groups 2 --steps 60 --budget 2 --validation 40 --validate-every 20",
    "--groups 4 --steps 90 --budget 3 --validation 100 --validate-every 30",
)
_REFINE = ("--searched 20 --steps 8", "--searched 150 --steps 60", "--searched 400")
_ANY_ROLE = ("on examples made here", (60, 800, 2_500))
# Role -> what is learnt, and from how many examples. A router's has some 45 tokens, a slot reader's
# 70, a reranker's 250, a reflector's 65, an agent's 1,800, a memory keeper's 420, and two cores
# learn 120 tokens a second. A training ends early when nothing gets better.
_OF_ROLES: Mapping[str, tuple[str, tuple[int, int, int]]] = {
    "router": ("what a question is about", (1_200, 16_000, 50_000)),
    "slots": ("what a question demands", (800, 10_000, 32_000)),
    "reflector": ("which of two lists meets a question", (900, 12_000, 36_000)),
    "reranker": ("what somebody would choose first", (250, 3_000, 10_000)),
    "agent": ("how tools are asked: a start for GRPO", (40, 500, 1_600)),
    "memory": ("which notes about people predict", (150, 2_000, 6_000)),
}
_VALIDATED = 10  # one example to stop by for so many to learn from
_MOST_VALIDATED = 400


class TrainingOption(msgspec.Struct, frozen=True, kw_only=True):
    """A training that the app offers.

    Args:
        key: Unlike any other's.
        name: For people.
        meaning: Its purpose.
        stem: The first part of the names of such trainings.
        arguments: As behind `localrec`, but for how much.
        sizes: Further arguments for each of `TRAINING_SIZES`.
    """

    key: str
    name: str
    meaning: str
    stem: str
    arguments: tuple[str, ...]
    sizes: tuple[str, str, str]


class TrainingPlan(msgspec.Struct, frozen=True, kw_only=True):
    """A training as it would be begun.

    Args:
        title: For people.
        stem: The first part of its name.
        arguments: As behind `localrec`.
    """

    title: str
    stem: str
    arguments: tuple[str, ...]

    @property
    def command(self) -> str:
        """Return the equal command line."""
        return shlex.join(("localrec", *self.arguments))


class FinishedTraining(NamedTuple):
    """A training that others can be built upon; `base` as it was named, `adapter` its folder."""

    name: str
    kind: str
    role: str
    base: str
    adapter: Path


def training_options(
    roles: Iterable[str], finished: Iterable[FinishedTraining]
) -> tuple[TrainingOption, ...]:
    """List the possible trainings: the agent, refined ones, and an adapter for each role."""
    later = (trainee for one in finished for trainee in _upon(one))
    return (_AGENT, *later, *map(_adapter, roles))


def make_plan(trainee: TrainingOption, size: TrainingSize) -> TrainingPlan:
    """The plan to train something by so much."""
    further = trainee.sizes[TRAINING_SIZES.index(size)]
    return TrainingPlan(
        title=f"{trainee.name}, {size.name}",
        stem=trainee.stem,
        arguments=(*trainee.arguments, *further.split()),
    )


def free_name(stem: str, taken: Iterable[str]) -> str:
    """The first of stem-1, stem-2, … that no training has."""
    names = set(taken)
    number = 1
    while f"{stem}-{number}" in names:
        number += 1
    return f"{stem}-{number}"


_AGENT = TrainingOption(
    key="grpo",
    name="the agent, by GRPO",
    meaning="learns from what its rankings earn",
    stem="grpo",
    arguments=("train", "grpo"),
    sizes=_GRPO,
)


def _upon(done: FinishedTraining) -> Iterator[TrainingOption]:
    """Yield the trainings that can follow a finished one."""
    if done.kind == "grpo":
        yield TrainingOption(
            key=f"refine {done.name}",
            name=f"{done.name}, refined",
            meaning="on the pairs that it confuses itself",
            stem="refine",
            arguments=("train", "refine", done.name),
            sizes=_REFINE,
        )
    elif done.kind == "adapter" and done.role == "agent":
        yield msgspec.structs.replace(
            _AGENT,
            key=f"grpo {done.name}",
            name=f"{_AGENT.name} from {done.name}",
            meaning="that knows the form already",
            arguments=("train", "grpo", "--base", done.base, "--init-adapter", str(done.adapter)),
        )


def _adapter(role: str) -> TrainingOption:
    meaning, counts = _OF_ROLES.get(role, _ANY_ROLE)
    few, more, many = map(_examples, counts)
    return TrainingOption(
        key=f"adapter {role}",
        name=f"an adapter: {role}",
        meaning=meaning,
        stem=role,
        arguments=("train", "adapter", role),
        sizes=(few, more, many),
    )


def _examples(count: int) -> str:
    return f"--train {count} --validation {min(max(count // _VALIDATED, 12), _MOST_VALIDATED)}"

"""Sample a task and its constraints before the question is worded.

The order of tasks is that of MARC's router (section 3.2): an example makes a question C4, else a
container C2, else a colour or look C1, else it is C3.
"""

from __future__ import annotations

import random

import msgspec

from localrec.data.domains import AttributeRole
from localrec.data.query import TaskKind
from localrec.training.examples.lexicon import Lexicon, LexiconName

# How often a demand of each kind stands beside the one that makes the task.
_BESIDE = {
    "include": 0.45, "either": 0.12, "exclude": 0.33, "flag": 0.12, "category": 0.1,
    "garnish": 0.06, "creator": 0.1, "colour": 0.1, "look": 0.08,
}  # fmt: skip
_VISIBLE: tuple[AttributeRole, ...] = ("colour", "look")
_LOOKS_OFTEN = 1.5
_MOST = 4  # demands of one question


class SampledConstraint(msgspec.Struct, frozen=True, kw_only=True):
    """One constraint of a question.

    Args:
        slot: Slot of the answer that reads it, as in `understanding.slots`; "look" without names is
            a wish for looks at large.
        names: One name, or several of which any will do.
        is_excluded: Whether none of the names may be there.
    """

    slot: str
    names: tuple[LexiconName, ...]
    is_excluded: bool = False


class ConstraintSampler:
    """Sample the constraints of questions about one domain.

    Args:
        lexicon: The domain's names.
        random_: Draws.
    """

    def __init__(self, lexicon: Lexicon, random_: random.Random) -> None:
        self._lexicon = lexicon
        self._random = random_

    def draw(self) -> tuple[TaskKind, list[SampledConstraint]]:
        """Sample a task of the domain, and constraints of which the first decides the task."""
        tasks = self._possible_tasks()
        # Few domains have looks, so those that have them are asked for them more often.
        weights = [_LOOKS_OFTEN if one == TaskKind.C1 else 1.0 for one in tasks]
        task = self._random.choices(tasks, weights)[0]
        return task, self._demands(task)

    def _possible_tasks(self) -> list[TaskKind]:
        has = self._lexicon.has
        known = {
            TaskKind.C1: has("colour") or has("look"),
            TaskKind.C2: has("container"),
            TaskKind.C3: has("component"),
            TaskKind.C4: True,
        }
        return [task for task, possible in known.items() if possible]

    def _demands(self, task: TaskKind) -> list[SampledConstraint]:
        """Sample the constraint that decides the task, and others that do not change it."""
        first = {
            TaskKind.C1: self._visible,
            TaskKind.C2: lambda: [self._one("container", "container")],
            TaskKind.C3: self._content,
            TaskKind.C4: lambda: [self._example()],
        }[task]()
        share = 0.6 if task == TaskKind.C4 else 1.0
        drawn = [
            found
            for slot, often in _BESIDE.items()
            if self._random.random() < often * share
            and not (task == TaskKind.C3 and slot in ("colour", "look"))
            and (found := self._beside(slot)) is not None
        ]
        self._random.shuffle(drawn)
        return self._without_clashes([*first, *drawn[: _MOST - len(first)]])

    def _visible(self) -> list[SampledConstraint]:
        roles: list[AttributeRole] = [one for one in _VISIBLE if self._lexicon.has(one)]
        chance = self._random.random()
        if chance < 0.12:
            return [SampledConstraint(slot="look", names=())]
        if chance < 0.25 and len(roles) > 1:
            return [self._one("colour", "colour"), self._one("look", "look")]
        role = roles[0] if chance < 0.75 else roles[-1]
        if chance < 0.33:
            return [self._several(role, role)]
        return [self._one(role, role)]

    def _content(self) -> list[SampledConstraint]:
        chance = self._random.random()
        if chance < 0.12:
            return [self._one("component", "exclude", is_excluded=True)]
        if chance < 0.24:
            return [self._several("component", "either")]
        return [
            self._one("component", "include")
            for _ in range(self._random.choice((1, 1, 1, 2, 2, 3)))
        ]

    def _example(self) -> SampledConstraint:
        name = self._lexicon.item(self._random)
        return SampledConstraint(slot="like", names=(LexiconName(name, name),))

    def _beside(self, slot: str) -> SampledConstraint | None:
        if slot == "flag":
            found = self._lexicon.flag(self._random)
            return found and SampledConstraint(slot="flag", names=(LexiconName(*found),))
        roles: dict[str, AttributeRole] = {
            "include": "component",
            "either": "component",
            "exclude": "component",
            "category": "category",
            "garnish": "garnish",
            "creator": "creator",
            "colour": "colour",
            "look": "look",
        }
        role = roles[slot]
        if not self._lexicon.has(role):
            return None
        if slot == "either":
            return self._several(role, slot)
        return self._one(role, slot, is_excluded=slot == "exclude")

    def _one(
        self, role: AttributeRole, slot: str, *, is_excluded: bool = False
    ) -> SampledConstraint:
        return SampledConstraint(
            slot=slot, names=(self._lexicon.draw(self._random, role),), is_excluded=is_excluded
        )

    def _several(self, role: AttributeRole, slot: str) -> SampledConstraint:
        names = [self._lexicon.draw(self._random, role) for _ in range(2)]
        return SampledConstraint(slot=slot, names=tuple({one.key: one for one in names}.values()))

    def _without_clashes(self, demands: list[SampledConstraint]) -> list[SampledConstraint]:
        """Remove constraints that contradict or repeat others."""
        kept: list[SampledConstraint] = []
        seen: set[str] = set()
        for demand in demands:
            keys = {one.key for one in demand.names} | {one.spelling for one in demand.names}
            if not keys & seen:
                kept.append(demand)
                seen |= keys
        return kept

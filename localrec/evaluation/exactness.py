"""Whether a question was read exactly: all that the gold demands, and nothing beside it.

Both sides are held against each other as what their names stand for, so that another spelling of
the same thing is as good. An answer may still be right where the reading is not, and the other way
round; this tells of the reading alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from localrec.domains import Role
from localrec.evaluation.gold import Gold
from localrec.evaluation.truth import Node, StoreTruth, words_of
from localrec.types import IntentView

# What is demanded, as "with" or "without", and any of what will do.
Demand: TypeAlias = tuple[str, frozenset[Node]]


def is_exact(gold: Gold, view: IntentView, truth: StoreTruth) -> bool:
    """Whether a reading demands what the gold does, in whatever order and spelling.

    Bounds on numbers and wishes that are no demands are left alone, since the gold has none.
    """
    target = words_of(gold.target) if gold.target is not None else None
    found = words_of(_name_of(view.target, truth)) if view.target is not None else None
    return (
        set(_demands(gold, truth)) == set(_demands(view, truth))
        and view.flags.get("alcoholic") == gold.alcohol
        and found == target
    )


def _demands(one: Gold | IntentView, truth: StoreTruth) -> Iterator[Demand]:
    """What either side demands; their fields are named alike."""
    for name in one.include:
        yield "with", _nodes([name], truth.domain.kind_of("component"), truth)
    for group in one.include_any:
        yield "with", _nodes(group, truth.kind_of_all(group), truth)
    for name in one.exclude:
        yield "without", _barred(name, truth)
    groups: tuple[tuple[Role, tuple[str, ...]], ...] = (
        *(("container", one.glass), ("colour", one.colour), ("category", one.category)),
        *(("look", (name,)) for name in one.look),
        *(("garnish", (name,)) for name in one.garnish),
    )
    for role, names in groups:
        if names:
            yield "with", _nodes(names, truth.domain.kind_of(role), truth)


def _nodes(names: Iterable[str], kind: str | None, truth: StoreTruth) -> frozenset[Node]:
    return frozenset(node for name in names for node in truth.resolve(name, kind))


def _barred(name: str, truth: StoreTruth) -> frozenset[Node]:
    """What a refusal stands for: a component of that name if there is one."""
    kind, _, rest = name.partition(": ")
    if rest and kind in truth.domain.attributes:
        return frozenset(truth.resolve(rest, kind))
    component = truth.domain.kind_of("component")
    return frozenset(truth.resolve(name, component) or truth.resolve(name))


def _name_of(key: str, truth: StoreTruth) -> str:
    return truth.items[key].name if key in truth.items else key

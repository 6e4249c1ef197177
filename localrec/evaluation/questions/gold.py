"""Gold questions: what each answer must hold, and what an item violates.

`store_truth.py` reads from the store whether an item meets the gold constraints, whatever a system
understood; errors of understanding and of retrieval both count against the system.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from localrec.data.answers import QueryView
from localrec.data.domains import AttributeRole
from localrec.data.query import TaskKind
from localrec.evaluation.configs import Half
from localrec.evaluation.questions.store_truth import Node, StoreItem, StoreTruth, words_of
from localrec.foundation.errors import InputError
from localrec.foundation.record_files import UNREADABLE

# Bytes; somebody else's configuration may name any file, even an endless one.
_LARGEST = 1 << 26


class Gold(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The constraints of a gold question, in names of the taxonomy.

    Args:
        include: Components, every one of them.
        include_any: Groups of components (or of another kind: two colours), one of each group.
        exclude: Things that must not be in it, nor on it as a garnish.
        glass: Containers, one of them.
        colour: Colours, one of them.
        look: Looks, every one of them.
        category: Categories, one of them.
        alcohol: With or without, None where the question does not say.
        garnish: Garnishes, every one of them.
        target: The example, which is no answer itself.
    """

    include: tuple[str, ...] = ()
    include_any: tuple[tuple[str, ...], ...] = ()
    exclude: tuple[str, ...] = ()
    glass: tuple[str, ...] = ()
    colour: tuple[str, ...] = ()
    look: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    alcohol: Literal["non-alcoholic", "alcoholic"] | None = None
    garnish: tuple[str, ...] = ()
    target: str | None = None


class GoldQuestion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of the gold file; `possible` is the author's belief, which the store may correct."""

    id: str
    query: str
    half: Half
    task: TaskKind
    style: tuple[str, ...] = ()
    gold: Gold
    possible: bool


def read_gold(path: Path, half: Half | None = None) -> list[GoldQuestion]:
    """Read the gold questions of one half, or of both.

    Raises:
        InputError: the file or a line cannot be read, or an id comes twice; names the line.
    """
    questions: dict[str, GoldQuestion] = {}
    for number, line in enumerate(_content(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            question = msgspec.json.decode(line, type=GoldQuestion)
        except UNREADABLE as error:
            raise InputError(
                f"{path}, line {number} is no gold question: {error}.", "Mend the line."
            ) from error
        if question.id in questions:
            raise InputError(
                f"{path}, line {number}: the id {question.id!r} comes twice.", "Change one."
            )
        questions[question.id] = question
    return [one for one in questions.values() if half in (None, one.half)]


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    if len(content) > _LARGEST:
        raise InputError(f"{path} is larger than {_LARGEST:,} bytes.", "Ask less at once.")
    return content


def unknown_names(questions: Iterable[GoldQuestion], truth: StoreTruth) -> Iterator[str]:
    """List the names in gold constraints that the store and the taxonomy do not know."""
    for question in questions:
        gold = question.gold
        for name in (
            *gold.include,
            *(name for group in gold.include_any for name in group),
            *gold.exclude,
            *(name for _, names in _attributes_asked(gold) for name in names),
        ):
            if not truth.resolve(name.partition(": ")[2] or name):
                yield name
        if gold.target is not None and not truth.items_named(gold.target):
            yield gold.target


def violated_constraints(gold: Gold, item: StoreItem, truth: StoreTruth) -> tuple[str, ...]:
    """List the gold constraints that an item violates; () where it meets all."""
    component = truth.domain.kind_of("component")
    broken = [
        f"has no {name}" for name in gold.include if not truth.has_any(item, component, (name,))
    ]
    broken += [
        f"has none of {', '.join(group)}"
        for group in gold.include_any
        if not truth.has_any(item, truth.kind_of_all(group), group)
    ]
    for role, names in _attributes_asked(gold):
        if names and not truth.has_any(item, truth.domain.kind_of(role), names):
            broken.append(f"{role} is not {' or '.join(names)}")
    if gold.target is not None and words_of(gold.target) == words_of(item.name):
        broken.append("is the example")
    return (*broken, *excluded_in(gold, item, truth))


def excluded_in(gold: Gold, item: StoreItem, truth: StoreTruth) -> tuple[str, ...]:
    """List what the gold excludes and the item has, alcohol among it."""
    found = [f"has {name}" for name in gold.exclude if truth.has_excluded(item, name)]
    if gold.alcohol is not None and item.properties.get("alcoholic") != gold.alcohol:
        found.append(f"is not {gold.alcohol}")
    return tuple(found)


def _attributes_asked(gold: Gold) -> tuple[tuple[AttributeRole, tuple[str, ...]], ...]:
    """List the constraints on attributes other than components, in groups of alternatives."""
    return (
        ("container", gold.glass),
        ("colour", gold.colour),
        ("category", gold.category),
        *(("look", (name,)) for name in gold.look),
        *(("garnish", (name,)) for name in gold.garnish),
    )


# What is demanded, as "with" or "without", and any of what will do.
ConstraintKey: TypeAlias = tuple[str, frozenset[Node]]


def is_exact_match(gold: Gold, view: QueryView, truth: StoreTruth) -> bool:
    """Whether a query has the same constraints as the gold, in any order and spelling.

    Bounds on numbers and wishes that are no demands are left alone, since the gold has none.
    """
    target = words_of(gold.target) if gold.target is not None else None
    found = words_of(_name_of(view.target, truth)) if view.target is not None else None
    return (
        set(_constraint_keys(gold, truth)) == set(_constraint_keys(view, truth))
        and view.flags.get("alcoholic") == gold.alcohol
        and found == target
    )


def _constraint_keys(one: Gold | QueryView, truth: StoreTruth) -> Iterator[ConstraintKey]:
    """List the constraints of a query or a gold label, whose fields have equal names."""
    for name in one.include:
        yield "with", _nodes([name], truth.domain.kind_of("component"), truth)
    for group in one.include_any:
        yield "with", _nodes(group, truth.kind_of_all(group), truth)
    for name in one.exclude:
        yield "without", _excluded(name, truth)
    groups: tuple[tuple[AttributeRole, tuple[str, ...]], ...] = (
        *(("container", one.glass), ("colour", one.colour), ("category", one.category)),
        *(("look", (name,)) for name in one.look),
        *(("garnish", (name,)) for name in one.garnish),
    )
    for role, names in groups:
        if names:
            yield "with", _nodes(names, truth.domain.kind_of(role), truth)


def _nodes(names: Iterable[str], kind: str | None, truth: StoreTruth) -> frozenset[Node]:
    return frozenset(node for name in names for node in truth.resolve(name, kind))


def _excluded(name: str, truth: StoreTruth) -> frozenset[Node]:
    """Return what an exclusion means: a component of this name if there is one."""
    kind, _, rest = name.partition(": ")
    if rest and kind in truth.domain.attributes:
        return frozenset(truth.resolve(rest, kind))
    component = truth.domain.kind_of("component")
    return frozenset(truth.resolve(name, component) or truth.resolve(name))


def _name_of(key: str, truth: StoreTruth) -> str:
    return truth.items[key].name if key in truth.items else key

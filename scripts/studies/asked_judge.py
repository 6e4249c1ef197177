"""Judges answers by the raw rows of a catalogue and a question's labels alone.

Nothing of the product is imported here: what the parser believes a question to mean plays no part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal

import msgspec

Row = dict[str, Any]
Kind = Literal["answer", "impossible", "off_topic", "smalltalk", "foreign"]
_WORD = re.compile(r"[a-z0-9]+")
FIRST = 3  # items that "satisfied" looks at


class Label(msgspec.Struct, frozen=True, rename={"equals": "is"}):
    """A condition on one field: it is a value, lies between bounds, or has a word in it.

    A field "X_count" that no row has counts the values of the field "X".
    """

    field: str
    equals: str | int | float | None = None
    min: float | None = None
    max: float | None = None
    has: str | None = None
    is_any_of: tuple[str, ...] = ()

    def holds(self, row: Row) -> bool:
        """Whether a row of the catalogue meets it; a field that a row lacks meets nothing."""
        value = row.get(self.field)
        counted = self.field.removesuffix("_count")
        if value is None and counted != self.field:
            value = len(row.get(counted) or ())
        if value is None:
            return False
        if self.equals is not None or self.is_any_of:
            wanted = {str(one).casefold() for one in (self.equals, *self.is_any_of) if one}
            values = value if isinstance(value, list) else [value]
            return any(str(one).casefold() in wanted for one in values)
        if self.has is not None:
            text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
            return self.has.casefold() in text.casefold()
        try:
            number = float(value)
        except (TypeError, ValueError):
            return False
        low, high = self.min, self.max
        return (low is None or number >= low) and (high is None or number <= high)

    @property
    def words(self) -> set[str]:
        """The words that name it, folded."""
        parts = (self.field, self.equals, self.min, self.max, self.has, *self.is_any_of)
        return words_of(" ".join(str(one) for one in parts if one is not None))


class AskedQuestion(msgspec.Struct, frozen=True, rename={"barred": "not"}):
    """A question with its labels, as a line of a file of questions."""

    id: str
    domain: str
    style: tuple[str, ...]
    query: str
    kind: Kind = "answer"
    must: tuple[Label, ...] = ()
    any_of: tuple[tuple[Label, ...], ...] = ()
    barred: tuple[Label, ...] = ()
    example: str | None = None
    route: str | None = None
    user: dict[str, Any] | None = None
    unused: tuple[str, ...] = ()
    note: str = ""


class Given(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer says, as far as a judge looks.

    Args:
        names: Names of the ten items, best first.
        first: Names of the items where three were asked for.
        relaxed: What was let go, in words.
        told: Everything else that was told to the user: the message and what was not used.
        language: The language that was told not to be read, or "".
        task: The route.
        falls: Whether the shown scores fall with the rank.
        ms: Milliseconds of the first answer.
    """

    names: tuple[str, ...]
    first: tuple[str, ...]
    relaxed: tuple[str, ...]
    told: str
    language: str
    task: str
    falls: bool
    ms: float


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """One question judged; None where a measure says nothing about it."""

    id: str
    domain: str
    style: tuple[str, ...]
    kind: Kind
    satisfied: float | None
    barred_served: bool | None
    silently_wrong: bool | None
    over_relaxed: bool | None
    impossible_said: bool | None
    declined: bool | None
    foreign_right: bool | None
    example_returned: bool | None
    route_right: bool | None
    same_list: bool
    scores_fall: bool
    ms: float


def words_of(text: str) -> set[str]:
    """The folded words of a text."""
    return set(_WORD.findall(text.casefold()))


def judge(
    asked: AskedQuestion, given: Given, rows: Sequence[Row], named: Callable[[str], list[Row]]
) -> Verdict:
    """Judge one answer.

    Args:
        asked: The question.
        given: The answer.
        rows: The whole catalogue.
        named: The rows of a name.
    """
    state = _states(asked)
    told_rows = [_with_state(named(name), state) for name in given.first]
    fits = [any(_meets(asked, row) for row in one) for one in told_rows]
    possible = (
        sum(_meets(asked, row) for row in _with_state(rows, state))
        if asked.must or (asked.any_of or asked.barred)
        else len(rows)
    )
    wanted = min(FIRST, possible)
    answerable = asked.kind in ("answer", "foreign") and wanted > 0
    satisfied = min(1.0, sum(fits[:FIRST]) / wanted) if answerable else None
    missed = [label for one in told_rows for label in _missed(asked, one[0] if one else {})]
    answer = asked.kind == "answer" and answerable
    language_told = bool(given.language)
    return Verdict(
        id=asked.id,
        domain=asked.domain,
        style=asked.style,
        kind=asked.kind,
        satisfied=satisfied if answer else None,
        barred_served=_serves_barred(asked, given, named, state) if asked.barred else None,
        silently_wrong=_is_silent(asked, given, missed, fits) if answer else None,
        over_relaxed=bool(given.relaxed) if answer else None,
        impossible_said=_says_impossible(given) if asked.kind == "impossible" else None,
        declined=not given.names if asked.kind in ("off_topic", "smalltalk") else None,
        foreign_right=(language_told or satisfied == 1.0) if asked.kind == "foreign" else None,
        example_returned=_returns(asked.example, given) if asked.example else None,
        route_right=given.task == asked.route if asked.route else None,
        same_list=given.first == given.names[: len(given.first)],
        scores_fall=given.falls,
        ms=given.ms,
    )


def _states(asked: AskedQuestion) -> dict[str, list[str]]:
    """Name of an item, folded -> what the person did with it."""
    states: dict[str, list[str]] = {}
    history = asked.user or {}
    for name, _ in history.get("rated", ()):
        states.setdefault(name.casefold(), []).append("rated")
    for name in history.get("wanted", ()):
        states.setdefault(name.casefold(), []).append("wanted")
    return states


def _with_state(rows: Sequence[Row], states: dict[str, list[str]]) -> list[Row]:
    if not states:
        return list(rows)
    return [{**row, "state": states.get(row["name"].casefold())} for row in rows]


def _meets(asked: AskedQuestion, row: Row) -> bool:
    return (
        all(label.holds(row) for label in asked.must)
        and all(any(label.holds(row) for label in group) for group in asked.any_of)
        and not any(label.holds(row) for label in asked.barred)
        and (asked.example is None or row["name"].casefold() != asked.example.casefold())
    )


def _missed(asked: AskedQuestion, row: Row) -> list[Label]:
    missed = [label for label in asked.must if not label.holds(row)]
    missed += [
        label
        for group in asked.any_of
        if not any(one.holds(row) for one in group)
        for label in group
    ]
    return missed + [label for label in asked.barred if label.holds(row)]


def _is_silent(
    asked: AskedQuestion, given: Given, missed: Sequence[Label], fits: Sequence[bool]
) -> bool:
    """Some item is wrong, and no word of the answer says which wish was not met or not read."""
    if not missed or all(fits):
        return False
    told = words_of(" ".join((*given.relaxed, given.told)))
    if any(label.words - words_of(label.field) & told for label in missed if label.words & told):
        return False
    met = {word for label in asked.must if label not in missed for word in label.words}
    return not (words_of(asked.query) & told - met)


def _serves_barred(
    asked: AskedQuestion,
    given: Given,
    named: Callable[[str], list[Row]],
    state: dict[str, list[str]],
) -> bool:
    served = (_with_state(named(name), state) for name in given.first)
    return any(
        rows and all(any(label.holds(row) for label in asked.barred) for row in rows)
        for rows in served
    )


def _says_impossible(given: Given) -> bool:
    return bool(given.relaxed) or (not given.names and bool(given.told))


def _returns(example: str, given: Given) -> bool:
    return example.casefold() in {name.casefold() for name in given.names}

"""The cases of a run, as the Runs room shows them: a line for each, and all about one.

A run's folder may come from elsewhere: every text is cleaned before it is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

import msgspec

from localrec_tui.services.records import Verdict

if TYPE_CHECKING:
    from localrec.data.trajectory import Trajectory
    from localrec.evaluation.explanations.explanation_records import Rationale
    from localrec.evaluation.questions.answer_scoring import AnswerScoreRecord
    from localrec.evaluation.ranking.inference import CaseResult
    from localrec.evaluation.run_folder import RunFolder

_LONGEST = 4_000  # characters of one line of a trajectory
_Line = TypeVar("_Line", "CaseResult", "AnswerScoreRecord")
CasePart = tuple[str, tuple[str, ...]]  # a title, and its lines


class CaseSummary(msgspec.Struct, frozen=True, kw_only=True):
    """One case of a system, in a line.

    Args:
        id: The case's.
        about: The user's key, or the question.
        rank: The target's rank, from 1; 0 where it was not ranked, None where there is no target.
        remark: Faults, or the constraints that the answer broke.
        ms: Time it took.
    """

    id: str
    about: str
    rank: int | None
    remark: str
    ms: float


class CaseParts(msgspec.Struct, frozen=True, kw_only=True):
    """All about one case: titles, each with its lines.

    `verdicts` has the viewer's own word on an item by the line that lists it.
    """

    id: str
    parts: tuple[CasePart, ...]
    verdicts: dict[str, Verdict] = {}


def worst_first(cases: Iterable[CaseSummary]) -> list[CaseSummary]:
    """Sort cases: faulty answers first, then what was found late or not at all."""
    return sorted(cases, key=lambda one: (not one.remark, -(one.rank or float("inf"))))


def rank_text(case: CaseSummary) -> str:
    """Say where the target of a case stands; "" where there is none."""
    return {None: "", 0: "not ranked"}.get(case.rank, f"{case.rank}")


def clean_line(text: str) -> str:
    """Make one line of untrusted text safe to show."""
    from localrec.foundation.text import clean_text

    return clean_text(text, limit=_LONGEST)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(clean_line(line) for line in text.splitlines())


def ranking_line(outcome: CaseResult) -> CaseSummary:
    """Summarise a case of a ranking run."""
    return CaseSummary(
        id=clean_line(outcome.id),
        about=clean_line(outcome.user),
        rank=outcome.first,
        remark=clean_line(", ".join((*outcome.faults, *filter(None, [outcome.error])))),
        ms=outcome.ms,
    )


def question_line(line: AnswerScoreRecord) -> CaseSummary:
    """Summarise a question of a run."""
    query = line.details.question.query if line.details is not None else "(not shown)"
    broken = line.details.broken if line.details is not None else ()
    amiss = sum(bool(demands) for _, demands in broken)
    return CaseSummary(
        id=clean_line(line.id),
        about=clean_line(query),
        rank=None,
        remark=f"{amiss} of {len(broken)} items break something" if amiss else "",
        ms=line.ms,
    )


def find_case(lines: Iterable[_Line], case: str) -> _Line:
    """Find a case by its shown id.

    Raises:
        InputError: the run does not hold it any more.
    """
    from localrec.foundation.errors import InputError

    for line in lines:
        if clean_line(line.id) == case:
            return line
    raise InputError(f"There is no case {case} any more.", "Open the run again.")


def ranking_parts(outcome: CaseResult, names: dict[str, str]) -> Iterator[CasePart]:
    """Yield the request, the result and the list of a case."""

    def called(key: str) -> str:
        return _called(key, names)

    yield (
        "What was asked",
        (
            f"Person {clean_line(outcome.user)}; {outcome.pool:,} items to rank.",
            f"To be found: {', '.join(map(called, outcome.targets))}",
        ),
    )
    yield "What came of it", tuple(clean_line(one) for one in _verdict(outcome))
    title = f"The first {len(outcome.top)} of the list (▶ was to be found)"
    yield title, tuple(ranked_lines(outcome, names).values())


def ranked_lines(outcome: CaseResult, names: dict[str, str]) -> dict[str, str]:
    """The line of each item of a case's list, by the item's key."""
    return {
        key: f"{rank:>4} {'▶' if key in outcome.targets else ' '} {_called(key, names)}"
        for rank, key in enumerate(outcome.top, 1)
    }


def _called(key: str, names: dict[str, str]) -> str:
    return clean_line(names.get(key) or key or "(no candidate)")


def _verdict(outcome: CaseResult) -> Iterator[str]:
    if outcome.first:
        tied = f", tied with {outcome.tied - 1} others" if outcome.tied > 1 else ""
        yield f"It stands at rank {outcome.first}{tied}."
    else:
        yield "It was not ranked."
    for fault in outcome.faults:
        yield f"Invalid: {fault}."
    if outcome.error:
        yield f"Raised: {outcome.error}"
    yield from outcome.notes
    cost = f"{outcome.ms:,.1f} ms"
    if outcome.calls:
        cost += f", {outcome.calls} calls of a model, {outcome.prompt_tokens:,} tokens read"
        cost += f" ({outcome.cached_tokens:,} of them cached), {outcome.new_tokens:,} written"
    if outcome.tool_calls:
        cost += f", {outcome.tool_calls} calls of tools"
    yield f"{cost}."


def read_rationales(folder: RunFolder, system: str) -> list[Rationale]:
    """Read a system's reasons for its rankings; none where it gave none."""
    from localrec.evaluation.explanations.explanation_records import Rationale
    from localrec.evaluation.run_folder import rationale_file
    from localrec.foundation.jsonl_log import read_records

    path = folder.path / rationale_file(system)
    return read_records(path, Rationale) if path.is_file() else []


def rationale_parts(
    rationales: Iterable[Rationale], case: str, names: dict[str, str]
) -> Iterator[CasePart]:
    """Yield the reasons that were given in one case."""
    for one in rationales:
        if clean_line(one.id) == case:
            said = one.rationale or f"none: {one.error}"
            by = f" (by {one.by})" if one.by else ""
            item = names.get(one.item, one.item)
            yield "Why the first place stands there", (clean_line(f"{item}: {said}{by}"),)


def trajectory_parts(folder: RunFolder, system: str, case: str) -> Iterator[CasePart]:
    """Yield the agent's steps in one case."""
    for one in folder.trajectories(system):
        if clean_line(one.id) == case:
            yield "What the agent did", tuple(_steps(one.trajectory))


def _steps(trajectory: Trajectory) -> Iterator[str]:
    """Yield every turn word for word, with its author."""
    from localrec.data.trajectory import FAULTS

    who = f"{trajectory.agent}, {trajectory.model or 'no model'}, {trajectory.ms:,.0f} ms"
    yield clean_line(who)
    for role, text in trajectory.initial_prompt:
        yield f"── {clean_line(role)}"
        yield from _lines(text)
    for turn in trajectory.turns:
        yield "── the agent" if turn.own else "── what it saw"
        yield from _lines(turn.text)
    if trajectory.fault is not None:
        yield FAULTS[trajectory.fault]


def question_parts(line: AnswerScoreRecord) -> Iterator[CasePart]:
    """Yield the parts of a judged answer; no text of the test half is kept."""
    figures = tuple(
        f"{clean_line(name)}: {part:g} of {weight:g}" for name, (part, weight) in line.parts.items()
    )
    details = line.details
    if details is not None:
        yield "What was asked", (clean_line(details.question.query),)
        listed = (
            f"{'✗' if demands else '✓'} {clean_line(name)}"
            + (f": {clean_line(', '.join(demands))}" if demands else "")
            for name, demands in details.broken
        )
        yield "The items, and what they break", tuple(listed)
        if details.ungrounded:
            yield "Claims that nothing bears out", tuple(map(clean_line, details.ungrounded))
    routed = line.routed.value if line.routed is not None else "nothing"
    yield "Routing", (f"{line.task.value} as {routed}; {line.ms:,.1f} ms, {line.tokens:,} tokens",)
    yield "Figures", figures

"""Batches of questions: validated whole before the first is answered, resumable, one line each.

An answer is on disk before the next question starts. A run that was killed leaves at most a torn
last line, which the next run removes; answers that are there are not made again.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from localrec.errors import InputError, UsageError
from localrec.systems.marc import Marc, Question
from localrec.types import to_json

_LONGEST_LINE = 1 << 20
_ANSWER_BEGINS = b'{"id":'


class BatchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch did."""

    questions: int
    resumed: int
    answered: int


class _QuestionLine(msgspec.Struct, frozen=True):
    """A question as a batch file writes it; other fields are ignored."""

    id: str | int
    query: str
    image: str | None = None
    user: str | None = None
    have: str | None = None


class _AnswerLine(msgspec.Struct, frozen=True):
    id: str


def read_questions(path: Path) -> list[Question]:
    """Read and check a whole batch file.

    Raises:
        InputError: a line is no question, or an id comes twice; names the line.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    questions: list[Question] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        question = _read_question(path, number, line)
        if question.id in seen:
            raise InputError(
                f"{path}, line {number}: the id {question.id!r} is that of line "
                f"{seen[question.id]} too.",
                "Give every question its own id.",
            )
        seen[question.id] = number
        questions.append(question)
    if not questions:
        raise InputError(f"{path} holds no question.", 'One JSON object a line: {"id", "query"}.')
    return questions


def answer_batch(
    system_for: Callable[[str], Marc],
    questions: Sequence[Question],
    out: Path,
    k: int,
    progress: Callable[[int, int], None],
) -> BatchSummary:
    """Answer what `out` does not hold yet, appending a line per question.

    Args:
        system_for: Question text -> the system that answers it.
        questions: In the order to answer.
        out: JSON lines; created, or continued.
        k: Items per answer.
        progress: Called with answers done and questions in all.

    Raises:
        UsageError: `out` is no file of answers.
    """
    done = _mend_and_list(out)
    waiting = [question for question in questions if question.id not in done]
    with out.open("ab") as file:
        for number, question in enumerate(waiting):
            progress(len(questions) - len(waiting) + number, len(questions))
            answer = system_for(question.query).answer(question, k)
            file.write(to_json(answer) + b"\n")
            file.flush()
            os.fsync(file.fileno())
    progress(len(questions), len(questions))
    return BatchSummary(
        questions=len(questions),
        resumed=len(questions) - len(waiting),
        answered=len(waiting),
    )


def _read_question(path: Path, number: int, line: bytes) -> Question:
    if len(line) > _LONGEST_LINE:
        raise InputError(
            f"{path}, line {number} is {len(line):,} bytes long.", "A question has at most 1 MiB."
        )
    try:
        read = msgspec.json.decode(line, type=_QuestionLine)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path}, line {number} is no question: {error}.",
            'Each line is a JSON object with "id" and "query".',
        ) from error
    return Question(
        id=str(read.id), query=read.query, image=read.image, user=read.user, have=read.have
    )


def _mend_and_list(out: Path) -> set[str]:
    """Ids answered in `out`; a torn last answer is cut off, anything else is left as it is."""
    if not out.exists():
        out.parent.mkdir(parents=True, exist_ok=True)
        return set()
    try:
        content = out.read_bytes()
    except OSError as error:
        raise _not_answers(out, error.strerror or "it cannot be read") from error
    whole = content.rfind(b"\n") + 1
    done: set[str] = set()
    for number, line in enumerate(content[:whole].splitlines(), 1):
        try:
            done.add(msgspec.json.decode(line, type=_AnswerLine).id)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise _not_answers(out, f"line {number} is no answer") from error
    torn = content[whole:]
    if torn and not (torn.startswith(_ANSWER_BEGINS) or _ANSWER_BEGINS.startswith(torn)):
        raise _not_answers(out, "its last line is no answer")
    if torn:
        with out.open("r+b") as file:
            file.truncate(whole)
    return done


def _not_answers(out: Path, why: str) -> UsageError:
    return UsageError(
        f"{out} cannot be continued: {why}; it was left as it is.",
        "Name another file with --out.",
    )

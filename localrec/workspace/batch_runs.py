"""Batches of questions, and of requests to rank: checked whole, answered one by one, resumable.

Lines from stdin to stdout, `-` for both files, are answered as they come.

An answer is on disk before the next question starts. A run that was killed leaves at most a torn
last line, which the next run removes; answers that are there are not made again. Two runs never
write one file, and a file is only gone on with as it was begun: `OUT.run.json` beside it says how.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

from localrec.data.answers import QuestionAnswerer
from localrec.data.questions import Question, RankRequest
from localrec.data.recommendations import Ranking, to_json
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.paths import exclusive
from localrec.images.opening import is_address, open_image

PIPE = Path("-")  # stdin as a batch, stdout as its answers
_LONGEST_LINE = 1 << 20
_ANSWER_BEGINS = b'{"id":'


class BatchSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of a finished batch."""

    questions: int
    resumed: int
    answered: int


class RunOptions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The options that shape the lines of a batch; a file takes only one kind of lines."""

    command: str
    system: str
    domain: str | None = None
    k: int | None = None
    no_model: bool = False

    def __str__(self) -> str:
        told = [f"localrec {self.command} --system {self.system}"]
        told += [f"--domain {self.domain}"] if self.domain else []
        told += [f"-k {self.k}"] if self.k is not None else []
        return " ".join([*told, *(["--no-model"] if self.no_model else [])])


class _QuestionLine(msgspec.Struct, frozen=True):
    """A question as a batch file writes it; other fields are ignored."""

    id: str | int
    query: str
    image: str | None = None
    user: str | None = None
    have: str | None = None


_Line = TypeVar("_Line", _QuestionLine, RankRequest)
_QUESTION = ("question", '"id" and "query"')  # what a line is, and its fields
_REQUEST = ("request", '"id" and "candidates"')
_RequestT = TypeVar("_RequestT", Question, RankRequest)


class _AnswerLine(msgspec.Struct, frozen=True):
    id: str


def read_questions(path: Path) -> list[Question]:
    """Read and check a whole file of questions, their pictures too.

    A picture is named from the folder of the file on, so that both can be moved together.

    Raises:
        InputError: a line is no question, an id comes twice, or a picture cannot be read; names
            the line or the id.
    """
    return [_question(path, line) for line in _read_lines(path, _QuestionLine, *_QUESTION)]


def stream_questions(lines: Iterable[bytes]) -> Iterator[Question]:
    """Read questions one by one, as they come; pictures are named from the current folder.

    Raises:
        InputError: a line is no question, or its picture cannot be read; names the line.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _question(PIPE, _read_line(PIPE, number, line, _QuestionLine, *_QUESTION))


def _question(path: Path, line: _QuestionLine) -> Question:
    return Question(
        id=str(line.id),
        query=line.query,
        image=None if line.image is None else _checked_picture(path, line.id, line.image),
        user=line.user,
        have=line.have,
    )


def _checked_picture(path: Path, key: str | int, image: str) -> str:
    """Return the path of a question's picture; an address stays one, and is refused as that."""
    try:
        open_image(image if is_address(image) else path.parent / image)
    except InputError as error:
        raise InputError(f"{path}, question {key}: {error.message}", error.hint) from error
    return str(path.parent / image)


def read_rank_requests(path: Path) -> list[RankRequest]:
    """Read and check a whole file of requests to rank.

    Raises:
        InputError: a line is no request, an id comes twice, a candidate comes twice, or the
            ratings do not fit the history; names the line or the id.
    """
    requests = _read_lines(path, RankRequest, *_REQUEST)
    for request in requests:
        _check_request(path, request)
    return requests


def stream_rank_requests(lines: Iterable[bytes]) -> Iterator[RankRequest]:
    """Read requests to rank one by one, as they come.

    Raises:
        InputError: a line is no request, a candidate comes twice, the ratings do not fit the
            history, or there is no request at all; names the line or the id.
    """
    number_of_requests = 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        request = _read_line(PIPE, number, line, RankRequest, *_REQUEST)
        _check_request(PIPE, request)
        number_of_requests += 1
        yield request
    if not number_of_requests:
        raise _no_lines(PIPE, *_REQUEST)


def _no_lines(path: Path, noun: str, fields: str) -> InputError:
    return InputError(f"{path} holds no {noun}.", f"One JSON object a line, with {fields}.")


def _check_request(path: Path, request: RankRequest) -> None:
    if len(set(request.candidates)) < len(request.candidates):
        raise InputError(
            f"{path}, request {request.id}: a candidate comes twice.", "Name each one once."
        )
    stars = request.ratings
    if stars is not None and len(stars) != len(request.history):
        raise InputError(
            f"{path}, request {request.id} has {len(request.history)} items in its history "
            f"and {len(stars)} ratings.",
            "Give one rating per item, or none.",
        )
    if stars is not None and not all(0.5 <= one <= 5 for one in stars):
        raise InputError(
            f"{path}, request {request.id} has a rating outside 0.5 to 5.", "Rate in stars."
        )


def answer_batch(
    system_for: Callable[[Question], QuestionAnswerer],
    questions: Sequence[Question],
    out: Path,
    k: int,
    progress: Callable[[int, int], None],
    options: RunOptions | None = None,
) -> BatchSummary:
    """Answer what `out` does not hold yet, appending a line per question.

    Args:
        system_for: Question -> the system that answers it.
        questions: In the order to answer.
        out: JSON lines; created, or continued.
        k: Items per answer.
        progress: Called with answers done and questions in all.
        options: The options that `out` is begun with; None leaves no note of them and compares
            nothing.

    Raises:
        UsageError: `out` is no file of answers, or was begun with other options.
        BusyError: another run writes to `out`.
    """
    return _write_lines(
        questions,
        lambda waiting: (to_json(system_for(one).answer(one, k)) for one in waiting),
        out,
        progress,
        options,
    )


def rank_batch(
    rank: Callable[[Sequence[RankRequest]], Iterable[Ranking]],
    requests: Sequence[RankRequest],
    out: Path,
    progress: Callable[[int, int], None],
    options: RunOptions | None = None,
) -> BatchSummary:
    """Rank what `out` does not hold yet, appending a line per request.

    Args:
        rank: Requests -> their rankings in that order, each when it is made.
        requests: In the order to rank.
        out: JSON lines; created, or continued.
        progress: Called with rankings done and requests in all.
        options: The options that `out` is begun with, as for `answer_batch`.

    Raises:
        UsageError: `out` is no file of rankings, or was begun with other options.
        BusyError: another run writes to `out`.
    """
    return _write_lines(
        requests, lambda waiting: map(to_json, rank(waiting)), out, progress, options
    )


def _write_lines(
    batch: Sequence[_RequestT],
    answer: Callable[[Sequence[_RequestT]], Iterable[bytes]],
    out: Path,
    progress: Callable[[int, int], None],
    options: RunOptions | None,
) -> BatchSummary:
    with _alone_with(out) as file:
        done = _mend_and_list(out, file)
        if options is not None:
            _go_on_as_begun(out, options, begun=bool(done))
        waiting = [one for one in batch if str(one.id) not in done]
        resumed = len(batch) - len(waiting)
        progress(resumed, len(batch))
        for number, line in enumerate(answer(waiting), 1):
            file.write(line + b"\n")
            file.flush()
            os.fsync(file.fileno())
            progress(resumed + number, len(batch))
    return BatchSummary(questions=len(batch), resumed=resumed, answered=len(waiting))


def _read_lines(path: Path, shape: type[_Line], noun: str, fields: str) -> list[_Line]:
    """The records of a JSON lines file, each checked, ids unique."""
    try:
        content = sys.stdin.buffer.read() if path == PIPE else path.read_bytes()
        lines = content.split(b"\n")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    records: list[_Line] = []
    seen: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        record = _read_line(path, number, line, shape, noun, fields)
        if (key := str(record.id)) in seen:
            raise InputError(
                f"{path}, line {number}: the id {key!r} is that of line {seen[key]} too.",
                f"Give every {noun} its own id.",
            )
        seen[key] = number
        records.append(record)
    if not records:
        raise _no_lines(path, noun, fields)
    return records


def _read_line(
    path: Path, number: int, line: bytes, shape: type[_Line], noun: str, fields: str
) -> _Line:
    if len(line) > _LONGEST_LINE:
        raise InputError(
            f"{path}, line {number} is {len(line):,} bytes long.",
            f"A {noun} has at most 1 MiB.",
        )
    try:
        return msgspec.json.decode(line, type=shape)
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path}, line {number} is no {noun}: {error}.",
            f"Each line is a JSON object with {fields}.",
        ) from error


@contextmanager
def _alone_with(out: Path) -> Iterator[BinaryIO]:
    """The file, made where it is not there, for reading and appending by nobody else."""
    with ExitStack() as stack:
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            file = stack.enter_context(exclusive(out))
        except OSError as error:
            raise _not_answers(out, error.strerror or "it cannot be opened") from error
        yield file


def _mend_and_list(out: Path, file: BinaryIO) -> set[str]:
    """Ids answered in a file; a torn last answer is cut off, anything else is left as it is."""
    file.seek(0)
    content = file.read()
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
        file.truncate(whole)
    return done


def _go_on_as_begun(out: Path, options: RunOptions, *, begun: bool) -> None:
    """Keep beside `out` what it is begun with, or see that it is gone on with the same."""
    beside = out.with_name(f"{out.name}.run.json")
    if not (begun and beside.exists()):
        beside.write_bytes(to_json(options) + b"\n")
        return
    try:
        before = msgspec.json.decode(beside.read_bytes(), type=RunOptions)
    except (OSError, msgspec.DecodeError, msgspec.ValidationError) as error:
        raise _not_answers(out, f"{beside.name} beside it does not say how it was begun") from error
    if before != options:
        raise _not_answers(out, f"it was begun by `{before}`, and this is `{options}`")


def _not_answers(out: Path, why: str) -> UsageError:
    return UsageError(
        f"{out} cannot be continued: {why}; it was left as it is.",
        "Name another file with --out.",
    )

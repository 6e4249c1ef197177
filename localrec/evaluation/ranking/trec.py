"""Read and write runs and relevance judgements as TREC's text files.

A run line is `topic Q0 item rank score tag`, a line of judgements (qrels) `topic 0 item relevance`,
in columns separated by blanks; here a topic is a case and an item is its key. The format has no
escape for a blank inside a name, so a blank is written as %20 (and % as %25) and read back.

trec_eval reads scores alone and orders equal ones by item, backwards; here the rank column decides,
and a file whose ranks contradict its scores is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.bounded_files import ExpectedFile, FileLimits, open_bytes
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.text import clean_name

Judgements = Mapping[str, Mapping[str, int]]

_RUN_COLUMNS = "topic Q0 item rank score tag".split()
_QRELS_COLUMNS = "topic 0 item relevance".split()
_TREC = ExpectedFile("a TREC file", ".gz", "Name a run or qrels file as plain text in UTF-8.")
_LINE_BYTES = 1 << 16
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


class RankedItem(msgspec.Struct, frozen=True):
    """An item of a ranking and its score."""

    item: str
    score: float


class TrecRun(msgspec.Struct, frozen=True):
    """One system's ranking for each topic, best first; scores never rise."""

    tag: str
    rankings: dict[str, tuple[RankedItem, ...]]


def ranked_items(items: Sequence[str]) -> tuple[RankedItem, ...]:
    """Score a ranking by place, best first: the last item scores 1, each before it one more."""
    return tuple(RankedItem(item, float(len(items) - place)) for place, item in enumerate(items))


def read_trec_run(path: Path, limits: FileLimits | None = None) -> TrecRun:
    """Read a run file, plain or as .gz.

    Raises:
        InputError: not text, a line that is not a run's, an item twice in one topic, a rank twice,
            ranks that contradict scores, or more than one tag.
    """
    tags: dict[str, int] = {}
    places: dict[str, dict[int, RankedItem]] = {}
    seen: set[tuple[str, str]] = set()
    for line, cells in _lines(path, limits or FileLimits(), _RUN_COLUMNS):
        topic, literal, item, rank_text, score_text, tag = cells
        if literal.upper() not in ("Q0", "0"):
            raise _fault(path, line, f"has {_shown(literal)} where Q0 stands", _RUN_COLUMNS)
        rank = _whole(path, line, "rank", rank_text, _RUN_COLUMNS)
        ranking = places.setdefault(topic, {})
        _check_once(path, line, topic, item, seen)
        if rank in ranking:
            raise _fault(path, line, f"gives rank {rank} of a topic again", _RUN_COLUMNS)
        ranking[rank] = RankedItem(item, _score(path, line, score_text))
        tags.setdefault(tag, line)
        if len(tags) > 1:
            raise _fault(path, line, "starts a second run, by its tag", _RUN_COLUMNS)
    rankings = {topic: tuple(by[rank] for rank in sorted(by)) for topic, by in places.items()}
    for topic, ranking_of_topic in rankings.items():
        if _rises(ranking_of_topic):
            raise InputError(
                f"{path} has ranks and scores that contradict each other in topic {_shown(topic)}.",
                "Number the ranks from the highest score down.",
            )
    return TrecRun(next(iter(tags)), rankings)


def read_qrels(path: Path, limits: FileLimits | None = None) -> dict[str, dict[str, int]]:
    """Read judgements, plain or as .gz: relevance by topic and item; 0 or less is not relevant.

    Raises:
        InputError: not text, a line that is not one of judgements, or an item judged twice.
    """
    judged: dict[str, dict[str, int]] = {}
    seen: set[tuple[str, str]] = set()
    for line, (topic, _, item, relevance) in _lines(path, limits or FileLimits(), _QRELS_COLUMNS):
        _check_once(path, line, topic, item, seen)
        grade = _whole(path, line, "relevance", relevance, _QRELS_COLUMNS)
        judged.setdefault(topic, {})[item] = grade
    return judged


def write_trec_run(path: Path, run: TrecRun) -> None:
    """Write a run; all or nothing.

    Raises:
        UsageError: a name that is empty or not printable, an item twice in one topic, or scores
            that rise or are not finite.
    """
    for topic, ranking in run.rankings.items():
        if len({one.item for one in ranking}) < len(ranking):
            raise UsageError(f"Topic {_shown(topic)} ranks an item twice.", "Rank each item once.")
        if _rises(ranking) or not all(math.isfinite(one.score) for one in ranking):
            raise UsageError(
                f"Topic {_shown(topic)} has scores that rise or are not finite.",
                "Order the ranking best first; `ranked` gives scores by place.",
            )
    tag = _written(run.tag)
    _write_lines(
        path,
        (
            f"{_written(topic)} Q0 {_written(one.item)} {rank} {float(one.score)!r} {tag}"
            for topic, ranking in run.rankings.items()
            for rank, one in enumerate(ranking, start=1)
        ),
    )


def write_qrels(path: Path, judged: Judgements) -> None:
    """Write judgements; all or nothing.

    Raises:
        UsageError: a name that is empty or not printable.
    """
    _write_lines(
        path,
        (
            f"{_written(topic)} 0 {_written(item)} {int(relevance)}"
            for topic, items in judged.items()
            for item, relevance in items.items()
        ),
    )


def _lines(
    path: Path, limits: FileLimits, columns: Sequence[str]
) -> Iterator[tuple[int, list[str]]]:
    """Read each line's number and its cells, as many as there are columns."""
    line = 0
    with open_bytes(path, limits, _TREC) as stream:
        for line, raw in enumerate(iter(lambda: stream.readline(_LINE_BYTES), b""), start=1):
            if len(raw) == _LINE_BYTES:
                raise _fault(path, line, f"is longer than {_LINE_BYTES:,} bytes", columns)
            try:
                text = raw.decode("utf-8-sig" if line == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise _fault(path, line, "is not in UTF-8", columns) from error
            cells = text.replace("\t", " ").rstrip("\r\n").split(" ")
            cells = [_read(cell) for cell in cells if cell]
            if not all(map(str.isprintable, cells)):
                raise _fault(path, line, "holds control characters", columns)
            if len(cells) != len(columns):
                problem = f"has {len(cells)} columns instead of {len(columns)}"
                raise _fault(path, line, problem, columns)
            yield line, cells
    if not line:  # an archive of nothing; a file of nothing is not opened at all
        raise InputError(f"{path} is empty.", "Export it again.")


def _check_once(path: Path, line: int, topic: str, item: str, seen: set[tuple[str, str]]) -> None:
    if (topic, item) in seen:
        raise InputError(
            f"Line {line} of {path} names {_shown(item)} again in topic {_shown(topic)}.",
            "Keep one line for each item of a topic.",
        )
    seen.add((topic, item))


def _whole(path: Path, line: int, name: str, text: str, columns: Sequence[str]) -> int:
    if not _WHOLE.fullmatch(text):
        raise _fault(path, line, f"has {_shown(text)} as {name}, not a whole number", columns)
    return int(text)


def _score(path: Path, line: int, text: str) -> float:
    score = float(text) if _DECIMAL.fullmatch(text) else math.nan
    if not math.isfinite(score):
        raise _fault(path, line, f"has {_shown(text)} as score, not a number", _RUN_COLUMNS)
    return score


def _rises(ranking: Sequence[RankedItem]) -> bool:
    return any(after.score > before.score for before, after in pairwise(ranking))


def _fault(path: Path, line: int, problem: str, columns: Sequence[str]) -> InputError:
    return InputError(
        f"Line {line} of {path} {problem}.", f"Every line must be: {' '.join(columns)}."
    )


def _shown(text: str) -> str:
    """Clean a foreign word for a message."""
    return f'"{clean_name(text)}"'


def _written(name: str) -> str:
    """Write a name as one column."""
    if not name or not name.isprintable():
        raise UsageError(
            f"The name {name!r} cannot be written as a column of a TREC file.",
            "Names must be printable and not empty.",
        )
    return _escaped(name)


def _read(cell: str) -> str:
    """Read a name from a column; other spellings than `_written` makes stay unchanged."""
    name = cell.replace("%20", " ").replace("%25", "%")
    return name if _escaped(name) == cell else cell


def _escaped(name: str) -> str:
    return name.replace("%", "%25").replace(" ", "%20")


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    def save(beside: Path) -> None:
        with beside.open("w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(f"{line}\n" for line in lines)

    write_atomically(path, save, private=False)

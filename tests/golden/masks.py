"""What may differ between two runs of the same program, and how two records are compared.

Volatile are: durations, today's dates, paths of this machine, versions, sizes in bytes, hashes
that name a cache, and facts of the machine. Each is replaced by a word in angle brackets.
Everything else has to be equal; only floating-point numbers may differ by `TOLERANCE`, because
processors round differently.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from .program import CHECKOUT

TOLERANCE = 2e-4
_SHOWN = 12
_MEASURED = re.compile(r"(?:^|_)(?:ms|s|seconds|bytes)$")
_MACHINE = frozenset({"versions", "machine"})
_DURATION = re.compile(r"\b\d[\d,]*(?:\.\d+)? (?:ms|s)\b")  # not "1950s", not a recipe's words
_BYTES = re.compile(r"\b\d[\d,]*(?:\.\d+)? (?:bytes|kB|KiB|MB|MiB)\b")
_VERSION = re.compile(r"\b\d+\.\d+\.\d+\b")
_HASH = re.compile(r"\b[0-9a-f]{12,64}\b")
_MORE_TIMES = re.compile(r"[a-z0-9., ]+")
_PATTERNS = (
    (_DURATION, "<time>"),
    (_BYTES, "<bytes>"),
    (_VERSION, "<version>"),
    (_HASH, "<hash>"),
)
_CLOCK = r"(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|\+00:00)?)?"


def masked(value: Any, home: Path) -> Any:
    """Return `value` without what is volatile.

    Numbers below keys such as `ms`, `fit_s`, `seconds` and `store_bytes` were measured. What
    `doctor` says of foreign libraries depends on what else is installed, so it is left out.

    Args:
        value: JSON, parsed.
        home: The folder of the session.
    """
    if isinstance(value, dict):
        return {
            _masked_text(str(key), home): _masked_field(str(key), one, home)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple):
        lines = _one_line_of_times(one for one in value if not _is_library(one))
        return [masked(one, home) for one in lines]
    return _masked_text(value, home) if isinstance(value, str) else value


def parsed(text: str) -> Any:
    """Return the JSON that `text` is, its lines where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text.splitlines()


def differences(expected: Any, actual: Any, where: str = "") -> Iterator[str]:
    """Yield a line for each place where two records differ."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        for key in [*expected, *(key for key in actual if key not in expected)]:
            inside = f"{where}.{key}" if where else str(key)
            if key not in actual:
                yield f"{inside}: is gone, was {_short(expected[key])}"
            elif key not in expected:
                yield f"{inside}: is new, {_short(actual[key])}"
            else:
                yield from differences(expected[key], actual[key], inside)
    elif isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            yield f"{where}: {len(expected)} entries became {len(actual)}"
        for place, (one, other) in enumerate(zip(expected, actual, strict=False)):
            yield from differences(one, other, f"{where}[{place}]")
    elif not _is_same(expected, actual):
        yield f"{where}: {_short(expected)} became {_short(actual)}"


def told(lines: Iterator[str]) -> str:
    """Return the first differences as one message; nothing where there are none."""
    found = list(lines)
    more = [f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    return "\n".join([*found[:_SHOWN], *more])


def require_same(lines: Iterator[str]) -> None:
    """Fail with the first differences, and with the way to record anew what was meant so."""
    if found := told(lines):
        raise AssertionError(f"{found}\nIf this was meant: python -m tests.golden.record")


def _masked_text(text: str, home: Path) -> str:
    for path, name in ((home.resolve(), "<home>"), (home, "<home>"), (CHECKOUT, "<localrec>")):
        text = text.replace(str(path), name)
    now = datetime.now(UTC)
    for day in (now, now - timedelta(days=1)):
        text = re.sub(rf"\b{day:%Y-%m-%d}{_CLOCK}", "<now>", text)
    for pattern, name in _PATTERNS:
        text = pattern.sub(name, text)
    return text


def _one_line_of_times(lines: Iterable[Any]) -> list[Any]:
    """Put the times of an answer on one line: how many digits they have decides where it wraps."""
    kept: list[Any] = []
    for line in lines:
        before = kept[-1] if kept else None
        if isinstance(line, str) and isinstance(before, str) and before.startswith("Times: "):
            kept[-1] = before.rstrip()
            if _MORE_TIMES.fullmatch(line):
                kept[-1] += f" {line.rstrip()}"
                continue
        kept.append(line)
    return kept


def _masked_field(key: str, value: Any, home: Path) -> Any:
    if _MEASURED.search(key):
        return _blank(value)
    if key in _MACHINE and isinstance(value, dict | str):
        return "<machine>"
    return masked(value, home)


def _blank(value: Any) -> Any:
    """Replace numbers, and keep the keys, since they are part of what scripts read."""
    if isinstance(value, dict):
        return {key: one if key == "n" else _blank(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_blank(one) for one in value]
    return value if value is None or isinstance(value, str) else "<number>"


def _is_library(value: Any) -> bool:
    return isinstance(value, dict) and str(value.get("what", "")).startswith("library ")


def _is_same(expected: Any, actual: Any) -> bool:
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, float) and isinstance(actual, int | float):
        return math.isclose(expected, actual, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return type(expected) is type(actual) and bool(expected == actual)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:75]} ... {text[-75:]}"

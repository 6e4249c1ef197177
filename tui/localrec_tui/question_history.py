"""Keeps earlier questions, which up-arrow brings back, and the last user, also for the next run.

One JSON string a line in files of the workspace, readable by their owner alone. Forgetting a person
takes out the lines that mention them (`privacy/sweep.py` goes through every `.jsonl`).
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.paths import make_private

FILE = "asked.jsonl"
USER_FILE = "person.jsonl"  # of one line
KEPT = 500  # questions
_LONGEST = 2_000  # characters


class QuestionHistory:
    """The questions of a workspace, oldest first, and a place among them that arrows move."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._questions = self._read()
        self._place = len(self._questions)
        self._draft = ""

    def add(self, question: str) -> None:
        """Remember a question; one that repeats the last is not kept twice.

        Raises:
            OSError, WorkspaceError: it cannot be written; it is remembered for this run.
        """
        question = question.strip()[:_LONGEST]
        again = bool(self._questions) and self._questions[-1] == question
        if question and not again:
            self._questions.append(question)
        self._place, self._draft = len(self._questions), ""
        if question and not again:
            self._write(question)

    def last(self, count: int) -> list[str]:
        """Return the newest questions, each once, the newest first."""
        return list(dict.fromkeys(reversed(self._questions)))[:count]

    def earlier(self, typed: str) -> str | None:
        """Return the question before; None at the first. The typed text is kept for the way back.

        Args:
            typed: The text in the line.
        """
        if self._place == 0:
            return None
        if self._place == len(self._questions):
            self._draft = typed
        self._place -= 1
        return self._questions[self._place]

    def later(self) -> str | None:
        """The question after, at the end what stood in the line; None behind that."""
        if self._place == len(self._questions):
            return None
        self._place += 1
        return self._draft if self._place == len(self._questions) else self._questions[self._place]

    def _read(self) -> list[str]:
        """The newest `KEPT` questions; lines that are none are passed over."""
        try:
            lines = self._path.read_bytes().splitlines()
        except OSError:
            return []
        asked = []
        for line in lines[-KEPT:]:
            try:
                asked.append(msgspec.json.decode(line, type=str))
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
        return asked

    def _write(self, question: str) -> None:
        make_private(self._path.parent)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        with os.fdopen(os.open(self._path, flags, 0o600), "ab") as file:
            file.write(msgspec.json.encode(question) + b"\n")


def load_last_user(folder: Path) -> str | None:
    """Return the last user's key; None for no user, or where it cannot be read."""
    try:
        [line] = (folder / USER_FILE).read_bytes().splitlines()
        return msgspec.json.decode(line, type=str) or None
    except (OSError, ValueError, msgspec.DecodeError):
        return None


def save_last_user(folder: Path, user: str | None) -> None:
    """Remember the user for the next run; None forgets the last one.

    Raises:
        OSError, WorkspaceError: it cannot be written.
    """
    path = folder / USER_FILE
    if user is None:
        path.unlink(missing_ok=True)
        return
    write_atomically(make_private(folder) / USER_FILE, msgspec.json.encode(user) + b"\n")

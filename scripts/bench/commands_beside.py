"""Another program at the workspace of an open app: batches, lists and feedback in turn."""

from __future__ import annotations

import subprocess
import sys
from itertools import cycle
from pathlib import Path
from threading import Event, Thread

import msgspec

OTHER = "bob"  # says what these commands write
_PAUSE_S = 2.0


class CommandsBeside(Thread):
    """Runs commands until it is stopped, and counts them.

    Args:
        folder: The workspace that the app has open.
        questions: The questions of a batch.

    Attributes:
        done: Commands that ended with 0.
        written: Those of them that stored something.
        complaints: What the others said on stderr.
    """

    def __init__(self, folder: Path, questions: list[str]) -> None:
        super().__init__(daemon=True)
        self.done = self.written = 0
        self.complaints: list[str] = []
        self._folder, self._over = folder, Event()
        self._batch = folder.parent / "batch.jsonl"
        rows = ({"id": number, "query": text} for number, text in enumerate(questions))
        self._batch.write_bytes(msgspec.json.Encoder().encode_lines(rows))

    def run(self) -> None:
        """One command after the other, with a pause between."""
        feedback = ("feedback", "--user", OTHER, "--item", "Negroni", "--like", "--json")
        kinds = cycle(
            (
                ("ask", "--batch", str(self._batch), "--out", "-"),
                feedback,
                ("recommend", "--user", OTHER, "--json"),
            )
        )
        while not self._over.wait(_PAUSE_S):
            words = next(kinds)
            told = subprocess.run(
                [sys.executable, "-m", "localrec", "--workspace", str(self._folder), *words],
                capture_output=True,
                text=True,
                check=False,
            )
            if told.returncode:
                self.complaints.append(f"{words[0]}: {told.stderr.strip()[-300:]}")
            else:
                self.done += 1
                self.written += words is feedback

    def stop(self) -> None:
        """Let the running command end, and start no other."""
        self._over.set()
        self.join()

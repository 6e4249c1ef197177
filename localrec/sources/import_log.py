"""The receipt that a source writes while it reads: what became of each row."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from localrec.data.rows import ImportReport, RowProblem

_NAMED = 10_000  # rows told one by one; beyond them a broken file would fill memory and store


class ImportLog:
    """Collects counts and row problems; `report` closes it.

    Rows are numbered as a spreadsheet shows them: the header is row 1. In JSON the first entry
    is row 1.
    """

    def __init__(self, source: str, path: Path, domain: str) -> None:
        self.source = source
        self.path = path
        self._domain = domain
        self._counts = {"dropped": 0, "merged": 0, "repaired": 0}
        self._problems: list[RowProblem] = []
        self._notes: list[str] = []
        self._apart: Counter[str] = Counter()

    def drop(self, row: int, column: str | None, problem: str) -> None:
        """A row that was left out."""
        self._note(row, column, "dropped", problem)

    def drop_unnamed(self, count: int) -> None:
        """More rows that were left out, beyond those worth naming one by one."""
        self._counts["dropped"] += count

    def merge(self, row: int, column: str | None, problem: str) -> None:
        """A row that went into an earlier one."""
        self._note(row, column, "merged", problem)

    def repair(self, row: int, column: str | None, problem: str) -> None:
        """A row that was kept, but not as it stood."""
        self._note(row, column, "repaired", problem)

    def set_apart(self, what: str) -> None:
        """A row of another sort than those that are read; `what` says which ("is a podcast")."""
        self._apart[what] += 1

    def tell(self, sentence: str) -> None:
        """A sentence about the whole file, for the end of the receipt."""
        self._notes.append(sentence)

    def report(self, kept: int) -> ImportReport:
        """The finished receipt: `read` is the sum of kept, merged, dropped and set-apart rows."""
        merged, dropped = self._counts["merged"], self._counts["dropped"]
        apart = self._apart.total()
        return ImportReport(
            source=self.source,
            path=str(self.path),
            domain=self._domain,
            read=kept + merged + dropped + apart,
            kept=kept,
            merged=merged,
            dropped=dropped,
            problems=tuple(sorted(self._problems, key=lambda problem: problem.row)),
            notes=(*self._notes, *self._apart_notes()),
            apart=apart,
        )

    def first_drop(self) -> str:
        """Why the first row was left out, for the message about a file of which nothing is left."""
        for problem in self._problems:
            if problem.action == "dropped":
                return f"row {problem.row} {problem.problem}"
        return "it holds no rows"

    def _apart_notes(self) -> tuple[str, ...]:
        """How many rows were set apart, by their sort."""
        return tuple(
            f"{count:,} row{'s'[: count > 1]} left apart: {what}."
            for what, count in self._apart.most_common()
        )

    def _note(self, row: int, column: str | None, action: str, problem: str) -> None:
        self._counts[action] += 1
        if len(self._problems) < _NAMED:
            problem_row = RowProblem(row=row, column=column, action=action, problem=problem)
            self._problems.append(problem_row)

"""The receipt that a source writes while it reads: what became of each row."""

from __future__ import annotations

from pathlib import Path

from localrec.data.rows import ImportReport, RowProblem

_NAMED = 10_000  # rows told one by one; beyond them a broken file would fill memory and store


class ImportLog:
    """Collects counts and row problems; `report` closes it.

    Rows are numbered as a spreadsheet shows them: the header is row 1. In JSON the first entry
    is row 1.
    """

    def __init__(self, source: str, path: Path, domain: str) -> None:
        self._source = source
        self._path = path
        self._domain = domain
        self._counts = {"dropped": 0, "merged": 0, "repaired": 0}
        self._problems: list[RowProblem] = []

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

    def report(self, kept: int) -> ImportReport:
        """The finished receipt: `read` is the sum of kept, merged and dropped rows."""
        merged, dropped = self._counts["merged"], self._counts["dropped"]
        return ImportReport(
            source=self._source,
            path=str(self._path),
            domain=self._domain,
            read=kept + merged + dropped,
            kept=kept,
            merged=merged,
            dropped=dropped,
            problems=tuple(sorted(self._problems, key=lambda problem: problem.row)),
        )

    def first_drop(self) -> str:
        """Why the first row was left out, for the message about a file of which nothing is left."""
        for problem in self._problems:
            if problem.action == "dropped":
                return f"row {problem.row} {problem.problem}"
        return "it holds no rows"

    def _note(self, row: int, column: str | None, action: str, problem: str) -> None:
        self._counts[action] += 1
        if len(self._problems) < _NAMED:
            problem_row = RowProblem(row=row, column=column, action=action, problem=problem)
            self._problems.append(problem_row)

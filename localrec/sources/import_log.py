"""The receipt that a source writes while it reads: what became of each row."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from localrec.data.rows import ImportReport, RowProblem
from localrec.foundation.errors import InputError

_MOST_DROPPED = 0.1  # share of the rows beyond which a file is refused
_FEW_ROWS = 20  # of so few, each one is told, and none decides on the file
_CAUSES = 3
_MANY = 5  # repairs that are summed up at the end of the receipt
# Rows of each sort told one by one; beyond them a broken file would fill memory and store.
_NAMED = 10_000


def refuse_heavy_losses(report: ImportReport, *, strict: bool = False) -> None:
    """Refuse a file of which too much would be lost.

    Args:
        report: The counts of its rows.
        strict: Let no row be mended or left out.

    Raises:
        InputError: more than a tenth of the rows would go, with the commonest causes; or, if
            strict, the first row that is not taken as it stands.
    """
    faults = [one for one in report.problems if one.action != "merged"]
    if strict and faults:
        first = faults[0]
        place = f", column {first.column!r}" if first.column else ""
        raise InputError(
            f"{report.path}, row {first.row}{place}: {first.problem}.",
            "Mend it, or leave --strict out to have such rows mended or left out.",
        )
    if report.read < _FEW_ROWS or report.dropped <= report.read * _MOST_DROPPED:
        return
    causes = Counter(
        re.sub(r"'[^']*'|\"[^\"]*\"|\([^)]*\)|\d+", "…", one.problem)
        for one in report.problems
        if one.action == "dropped"
    )
    told = "; ".join(f"{cause} ({count:,})" for cause, count in causes.most_common(_CAUSES))
    raise InputError(
        f"{report.path}: {report.dropped:,} of {report.read:,} rows would be left out: {told}.",
        "Check that it is the right file and kind; localrec import auto FILE tells what it is.",
    )


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
        self._repairs: Counter[str] = Counter()

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

    def note(self, fault: RowProblem) -> None:
        """Take over what the opening of the file found."""
        self._note(fault.row, fault.column, fault.action, fault.problem)

    def gather(self, count: int) -> None:
        """Rows that are parts of an earlier row's item."""
        self._counts["merged"] += count

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
            notes=(*self._notes, *self._apart_notes(), *self._repair_note()),
            apart=apart,
        )

    def first_drop(self) -> str:
        """Return the problem of the first row left out, for the message about an empty import."""
        for problem in self._problems:
            if problem.action == "dropped":
                return f"row {problem.row} {problem.problem}"
        if self._apart:
            return f"it holds only {' and '.join(self._apart)}"
        return "it holds no rows"

    def _apart_notes(self) -> tuple[str, ...]:
        """Count the rows that were set apart, by their sort."""
        return tuple(
            f"{count:,} row{'s'[: count > 1]} left apart: {what}."
            for what, count in self._apart.most_common()
        )

    def _repair_note(self) -> tuple[str, ...]:
        """Count the repairs and name their columns, if they are many."""
        count = self._counts["repaired"]
        if count < _MANY:
            return ()
        columns = [column for column, _ in self._repairs.most_common(3) if column]
        if not columns:
            return (f"{count:,} rows were repaired.",)
        if len(self._repairs) == 1:
            return (f"{count:,} repairs, all in column {columns[0]}.",)
        return (f"{count:,} repairs, most in {', '.join(columns)}.",)

    def _note(self, row: int, column: str | None, action: str, problem: str) -> None:
        self._counts[action] += 1
        if action == "repaired":
            self._repairs[column or ""] += 1
        if self._counts[action] <= _NAMED:
            problem_row = RowProblem(row=row, column=column, action=action, problem=problem)
            self._problems.append(problem_row)

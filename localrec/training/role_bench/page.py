"""The page of the bench: a table and a chart for each role, to which every model adds a row.

Beside the page lies a folder of its name with one JSON file for each model and its adapters. A
further bench of the same model adds its roles to that file; the page is written anew from all
files, between its markers.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from localrec.evaluation.reporting.markdown import markdown_table, replace_marked_block
from localrec.evaluation.reporting.number_format import with_interval
from localrec.evaluation.reporting.plots import drawings_of
from localrec.evaluation.reporting.report_records import MetricScale, PlotPoint, ScatterPlot
from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.errors import InputError
from localrec.training.role_bench.bench import ROLES
from localrec.training.role_bench.records import BenchReport, EmptyRole, RoleResult, RoleSide

BLOCK = "models"
_HEAD = ["who", "MB", "cases", "quality", "against the line", "s a case", "tokens", "no answer"]
_STYLE = """
svg { font: 12px system-ui, sans-serif; }
.ground { fill: #fcfcfb; } text { fill: #1c1d21; } .tick, .axis { fill: #5b5f68; }
.grid { stroke: #e2e2df; } .whisker, .leader { stroke: #9aa3b2; }
.frontier { stroke: #1f5fc4; fill: none; }
.theirs { fill: #5b5f68; } .ours { fill: #1f5fc4; }
@media (prefers-color-scheme: dark) {
.ground { fill: #141518; } text { fill: #e9e9ec; } .tick, .axis { fill: #a2a7b1; }
.grid { stroke: #32353c; } .frontier { stroke: #6ea5ff; }
.theirs { fill: #a2a7b1; } .ours { fill: #6ea5ff; }
}
"""


class _Row(msgspec.Struct, frozen=True):
    """A result with the report that it belongs to."""

    report: BenchReport
    result: RoleResult


def add_to_page(page: Path, report: BenchReport) -> Path:
    """Keep a report beside the page, and write the page anew from all reports.

    Returns:
        The folder of reports and charts.

    Raises:
        InputError: a report beside the page is damaged, or the page's markers are.
    """
    folder = page.with_suffix("")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{_name_of(report)}.json"
    kept = [_read(path)] if path.is_file() else []
    merged = merged_reports([*kept, report])
    written = msgspec.json.format(msgspec.json.encode(merged), indent=1) + b"\n"
    write_atomically(path, written, private=False)
    reports = [_read(one) for one in sorted(folder.glob("*.json"))]
    for role, chart in charts(reports).items():
        write_atomically(folder / f"{_file_name(role)}.svg", chart.encode(), private=False)
    replace_marked_block(page, BLOCK, as_block(reports, folder.name))
    return folder


def merged_reports(reports: Sequence[BenchReport]) -> BenchReport:
    """Merge reports of the same model; of a role that several measured, the last counts."""
    last = reports[-1]
    results = {(one.role, one.gold): one for report in reports for one in report.results}
    empty = {one.role: one for report in reports for one in report.empty}
    return msgspec.structs.replace(
        last,
        results=tuple(
            results[role, gold]
            for role in ROLES
            for gold in (True, False)
            if (role, gold) in results
        ),
        empty=tuple(
            empty[role]
            for role in ROLES
            if role in empty and not {(role, True), (role, False)} & {*results}
        ),
        commands=tuple(dict.fromkeys(one for report in reports for one in _commands(report))),
    )


def as_block(reports: Sequence[BenchReport], folder: str) -> str:
    """Write the tables of all roles, each with its chart from `folder`."""
    parts = []
    for role in ROLES:
        rows = _rows_of(reports, role)
        if rows:
            parts += [
                _role_text(role, rows),
                f"![{role}: quality against seconds]({folder}/{_file_name(role)}.svg)",
            ]
            parts += [
                f"- {row.result.model.name}: {note}" for row in rows for note in row.result.notes
            ]
    # A report that measured the line says more than one that did not.
    told = sorted(
        (one for report in reports for one in report.empty), key=lambda one: bool(one.line)
    )
    empty = {one.role: one for one in told}
    for role in ROLES:
        if role in empty and not _rows_of(reports, role):
            parts.append(_empty_text(empty[role]))
    parts += ["### How it was made", *(f"- {_made(one)}" for one in reports)]
    return _joined(parts)


def charts(reports: Sequence[BenchReport]) -> dict[str, str]:
    """Draw quality against seconds for each role: every row, each set of cases with its line."""
    rows_of_roles = {role: _rows_of(reports, role) for role in ROLES}
    return {role: _chart(role, rows) for role, rows in rows_of_roles.items() if rows}


def _chart(role: str, rows: Sequence[_Row]) -> str:
    sets = _by_cases(rows)
    points, lines = list[PlotPoint](), list[str]()
    for mark, same in sets.items():
        kind = f"{same[-1].result.kind} {mark[:6]}".strip()
        behind = f" ({kind})" if len(sets) > 1 else ""
        line = same[-1].result.rules
        lines.append(f"{line.name}{behind}")
        points.append(_point(lines[-1], line))
        points += [
            _point(f"{_shown(row)}, {_size(row)} MB{behind}", row.result.model) for row in same
        ]
    plot = ScatterPlot(
        title=f"{role}: quality against seconds",
        across=MetricScale(name="seconds a case", better="less"),
        up=MetricScale(name="quality"),
        points=tuple(points),
        ours=tuple(lines),
    )
    [(_, drawn)] = drawings_of(plot, _file_name(role), _STYLE)
    return f"{drawn}\n"


def _point(name: str, side: RoleSide) -> PlotPoint:
    return PlotPoint(name=name, across=side.seconds, up=side.quality)


def _shown(row: _Row) -> str:
    """The name that a chart has room for: the adapter's, where there is one."""
    return row.report.adapters.get(row.result.role, row.result.model.name)


def _by_cases(rows: Sequence[_Row]) -> dict[str, list[_Row]]:
    """Rows by the fingerprint of their cases; only those of one set can be compared."""
    sets: dict[str, list[_Row]] = {}
    for row in rows:
        sets.setdefault(row.result.fingerprint, []).append(row)
    return sets


def _role_text(role: str, rows: Sequence[_Row]) -> str:
    """One table: for each set of cases the rules, then the models that had the same cases."""
    written = any(row.result.model.shapes is not None for row in rows)
    head = [*_HEAD, *(["shapes"] if written else [])]
    lines = []
    for mark, same in _by_cases(rows).items():
        last = same[-1].result
        cases = " ".join(filter(None, [str(last.cases), last.kind, f"({mark[:6]})"]))
        lines.append(_cells(last.rules, "-", cases, "-", written))
        for row in same:
            gap = row.result.difference
            told = f"{with_interval(gap.difference, 3)}, {gap.verdict}"
            lines.append(_cells(row.result.model, _size(row), cases, told, written))
    return _section(role, rows[-1].result.measure, head, lines)


def _empty_text(empty: EmptyRole) -> str:
    """The line of a role alone, or that it has no cases; and what a model needs."""
    line = empty.line
    if line is None:
        return f"### {empty.role.capitalize()}\n\nNo cases. {empty.reason}"
    cells = _cells(line.rules, "-", f"{line.cases} ({line.fingerprint[:6]})", "-", False)
    return f"{_section(empty.role, line.measure, _HEAD, [cells])}\n\n{empty.reason}"


def _section(role: str, measure: str, head: list[str], lines: list[list[str]]) -> str:
    told = f"{measure[:1].upper()}{measure[1:]}."
    return f"### {role.capitalize()}\n\n{told}\n\n{markdown_table(head, lines)}"


def _size(row: _Row) -> str:
    """The megabytes of the model's file."""
    return f"{row.report.megabytes:.0f}"


def _cells(side: RoleSide, size: str, cases: str, difference: str, written: bool) -> list[str]:
    cells = [
        *(side.name, size, cases, with_interval(side.quality, 3), difference),
        *(f"{side.seconds:.3g}", f"{side.tokens:,.0f}", str(side.failed)),
    ]
    return [*cells, "-" if side.shapes is None else str(side.shapes)] if written else cells


def _rows_of(reports: Sequence[BenchReport], role: str) -> list[_Row]:
    return [_Row(report, one) for report in reports for one in report.results if one.role == role]


def _joined(parts: Sequence[str]) -> str:
    """Join blocks by empty lines, and the items of a list by line breaks."""
    text = ""
    for part in parts:
        in_list = part.startswith("- ") and text.rpartition("\n")[2].startswith("- ")
        text += part if not text else f"\n{part}" if in_list else f"\n\n{part}"
    return text


def _commands(report: BenchReport) -> tuple[str, ...]:
    return report.commands or (report.origin.command,)


def _made(report: BenchReport) -> str:
    """Return the origin of a report, with every command that made a part of it."""
    commands = "`, `".join(_commands(report))
    return msgspec.structs.replace(report.origin, command=commands).as_text()


def _name_of(report: BenchReport) -> str:
    return "+".join([report.model, *sorted(set(report.adapters.values()))])


def _file_name(role: str) -> str:
    return role.replace(" ", "-")


def _read(path: Path) -> BenchReport:
    try:
        return msgspec.json.decode(path.read_bytes(), type=BenchReport)
    except (OSError, msgspec.DecodeError) as error:
        raise InputError(f"{path} is no report of a bench: {error}.", "Remove it.") from error

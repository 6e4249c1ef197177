"""One report in three forms: a page that needs nothing but itself, Markdown, and JSON.

write_report(report, folder)   # report.html, report.md, report.json
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from localrec.evaluation.reporting.html_page import as_html
from localrec.evaluation.reporting.markdown import markdown_table as lines_of_table
from localrec.evaluation.reporting.number_format import table_of
from localrec.evaluation.reporting.report_records import Block, Report, TableBlock, TextBlock
from localrec.foundation.record_files import replace_file
from localrec.foundation.text import clean_text

__all__ = ["as_html", "as_json", "as_markdown", "read_report", "write_report"]


def as_json(report: Report) -> bytes:
    """Write the report as indented JSON, which `read_report` reads."""
    return msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"


def read_report(content: bytes) -> Report:
    """Read a report that `as_json` wrote.

    Raises:
        msgspec.ValidationError: it is something else.
    """
    return msgspec.json.decode(content, type=Report)


def write_report(report: Report, folder: Path) -> tuple[Path, Path, Path]:
    """Write `report.html`, `report.md` and `report.json`, each whole or not at all."""
    forms = {
        "report.html": as_html(report).encode(),
        "report.md": as_markdown(report).encode(),
        "report.json": as_json(report),
    }
    for name, content in forms.items():
        replace_file(folder / name, content)
    html, markdown, json = (folder / name for name in forms)
    return html, markdown, json


# What would begin or end something in Markdown or be taken for HTML; inside a table a bar parts.
_MEANS_SOMETHING = re.compile(r"[\\`*_\[\]<>|]")


def as_markdown(report: Report) -> str:
    """Write the whole report as Markdown."""
    parts = [f"# {_plain(report.title)}", _plain(report.summary)]
    for section in report.sections:
        parts.append(f"## {_plain(section.title)}")
        parts += [part for block in section.blocks for part in _block(block)]
    parts += ["## Where these figures come from", clean_text(report.origin.as_text())]
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(block: Block) -> list[str]:
    if isinstance(block, TextBlock):
        return [_plain(block.text)]
    shown = block if isinstance(block, TableBlock) else table_of(block)
    return [f"### {_plain(block.title)}", _plain(block.note), _lines(shown)]


def _lines(shown: TableBlock) -> str:
    strong = frozenset(shown.strong)
    rows = [
        [
            f"**{_plain(cell)}**" if (place, column) in strong else _plain(cell)
            for column, cell in enumerate(row)
        ]
        for place, row in enumerate(shown.rows)
    ]
    return lines_of_table([_plain(cell) for cell in shown.head], rows)


def _plain(text: str) -> str:
    """Escape text for Markdown, on one line; intervals keep their bare brackets."""
    cleaned = clean_text(text)
    if re.fullmatch(r"[-\d., ]+ \[[-\d., ]+\]", cleaned):
        return cleaned
    return _MEANS_SOMETHING.sub(lambda mark: "\\" + mark.group(), cleaned)

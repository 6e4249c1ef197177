"""The report as Markdown: the same words and numbers, tables in the place of plots."""

from __future__ import annotations

import re

from localrec.evaluation.pages.numbers import table_of
from localrec.evaluation.records import Block, Report, Table, Text
from localrec.evaluation.report import table as lines_of_table
from localrec.sources.text import clean_text

# What would begin or end something in Markdown or be taken for HTML; inside a table a bar parts.
_MEANS_SOMETHING = re.compile(r"[\\`*_\[\]<>|]")


def as_markdown(report: Report) -> str:
    """The whole report."""
    parts = [f"# {_plain(report.title)}", _plain(report.summary)]
    for section in report.sections:
        parts.append(f"## {_plain(section.title)}")
        parts += [part for block in section.blocks for part in _block(block)]
    parts += ["## Where these figures come from", clean_text(report.origin.as_text())]
    return "\n\n".join(part for part in parts if part) + "\n"


def _block(block: Block) -> list[str]:
    if isinstance(block, Text):
        return [_plain(block.text)]
    shown = block if isinstance(block, Table) else table_of(block)
    return [f"### {_plain(block.title)}", _plain(block.note), _lines(shown)]


def _lines(shown: Table) -> str:
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
    """Text that Markdown shows as it stands, on one line; intervals keep their bare brackets."""
    cleaned = clean_text(text)
    if re.fullmatch(r"[-\d., ]+ \[[-\d., ]+\]", cleaned):
        return cleaned
    return _MEANS_SOMETHING.sub(lambda mark: "\\" + mark.group(), cleaned)

"""The report as one HTML page that asks for nothing but itself.

No script is in it, the style stands inside and is allowed by its own hash, and a policy forbids
everything else: a browser that opens it from disk sends no request, whatever a name in the data
tries to smuggle in.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from localrec.evaluation.reporting.markup import Markup, escaped, joined, tag
from localrec.evaluation.reporting.number_format import table_of
from localrec.evaluation.reporting.plots import drawings_of
from localrec.evaluation.reporting.report_records import (
    BarPlot,
    Block,
    Plot,
    Report,
    Section,
    TableBlock,
    TextBlock,
)

_NUMBER = re.compile(r"[-\u2212+]?\.?\d|-?\Z")


def as_html(report: Report) -> str:
    """The whole page."""
    return f"<!doctype html>\n{tag('html', _head(report), _body(report), lang='en')}\n"


def _head(report: Report) -> Markup:
    style = _style()
    allowed = b64encode(sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{allowed}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("link", rel="icon", href="data:,"),  # else a browser asks a server for one
        tag("title", escaped(report.title)),
        tag("style", style),
    )


@cache
def _style() -> Markup:
    return Markup(Path(__file__).with_name("page.css").read_text(encoding="utf-8"))


def _body(report: Report) -> Markup:
    sections = list(enumerate(report.sections, 1))
    links = (
        tag("li", tag("a", escaped(section.title), href=f"#part-{number}"))
        for number, section in sections
    )
    return tag(
        "body",
        tag(
            "header",
            tag("h1", escaped(report.title)),
            tag("p", escaped(report.summary), class_="summary"),
            tag("nav", tag("ul", *links), aria_label="Parts of this report"),
        ),
        tag("main", *(_section(section, number) for number, section in sections)),
        tag("footer", _origin(report)),
    )


def _origin(report: Report) -> Markup:
    origin = report.origin
    versions = ", ".join(f"{name} {number}" for name, number in origin.versions.items())
    facts = {
        "Made again by": tag("code", escaped(origin.command)),
        "Date": escaped(origin.date),
        "Machine": escaped(origin.machine),
        "Versions": escaped(versions),
    }
    told = (joined(tag("dt", escaped(name)), tag("dd", fact)) for name, fact in facts.items())
    return joined(tag("h2", escaped("Where these figures come from")), tag("dl", *told))


def _section(section: Section, number: int) -> Markup:
    blocks = (
        _block(block, f"part-{number}-{place}") for place, block in enumerate(section.blocks, 1)
    )
    return tag("section", tag("h2", escaped(section.title)), *blocks, id=f"part-{number}")


def _block(block: Block, name: str) -> Markup:
    if isinstance(block, TextBlock):
        return tag("p", escaped(block.text))
    if isinstance(block, TableBlock):
        return tag("figure", _caption(block.title, block.note), _table(block))
    return _plot(block, name)


def _plot(plot: Plot, name: str) -> Markup:
    """The drawings with the numbers beside them; below them where there are several."""
    drawn = (
        tag("div", *([tag("h4", escaped(caption))] if caption else []), drawing, class_="drawing")
        for caption, drawing in drawings_of(plot, name)
    )
    several = isinstance(plot, BarPlot) and len(plot.scales) > 1
    return tag(
        "figure",
        _caption(plot.title, plot.note),
        tag(
            "div",
            tag("div", *drawn, class_="drawings"),
            _table(table_of(plot)),
            class_="below" if several else "beside",
        ),
    )


def _caption(title: str, note: str) -> Markup:
    told = [tag("p", escaped(note))] if note else []
    return tag("figcaption", tag("h3", escaped(title)), *told)


def _table(table: TableBlock) -> Markup:
    """A table in a frame of its own that can be scrolled, by keys too."""
    kinds = [_kind(column) for column in zip(*table.rows, strict=True)] or [None] * len(table.head)
    heads = zip(table.head, kinds, strict=True)
    head = tag("tr", *(tag("th", escaped(cell), scope="col", class_=kind) for cell, kind in heads))
    rows = (
        tag(
            "tr",
            *(
                _cell(cell, kinds[column], column == 0, (place, column) in table.strong)
                for column, cell in enumerate(row)
            ),
        )
        for place, row in enumerate(table.rows)
    )
    return tag(
        "div",
        tag("table", tag("thead", head), tag("tbody", *rows)),
        class_="numbers",
        role="region",
        tabindex=0,
        aria_label=f"Numbers: {table.title}",
    )


def _cell(cell: str, kind: str | None, first: bool, strong: bool) -> Markup:
    if first:
        return tag("th", escaped(cell), scope="row", class_=kind)
    return tag("td", tag("strong", escaped(cell)) if strong else escaped(cell), class_=kind)


def _kind(column: Sequence[str]) -> str | None:
    """Numbers stand under one another at their right end, words at their left."""
    return None if all(map(_NUMBER.match, column)) else "words"

"""Write a report as one HTML page that needs no other file and no network.

The page has no script, its style is inline and allowed by its own hash, and a content security
policy forbids everything else: a browser that opens it from disk sends no request, whatever a name
in the data contains.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from localrec.evaluation.reporting.number_format import table_of
from localrec.evaluation.reporting.plots import drawings_of
from localrec.evaluation.reporting.report_records import Block, Report, TableBlock, TextBlock
from localrec.evaluation.reporting.template_engine import render

if TYPE_CHECKING:
    from markupsafe import Markup

_NUMBER = re.compile(r"[-\u2212+]?\.?\d|-?\Z")


class _ShownBlock(msgspec.Struct, frozen=True):
    """A block with its drawings and its table; a paragraph has neither."""

    table: TableBlock | None = None
    classes: Sequence[Markup] = ()
    drawings: Sequence[tuple[str, Markup]] = ()


def as_html(report: Report) -> str:
    """Render the whole page."""
    style = _style()
    allowed = b64encode(sha256(style.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{allowed}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return render(
        "page.html.jinja", report=report, style=style, policy=policy, shown_block=_shown_block
    )


@cache
def _style() -> str:
    return Path(__file__).with_name("page.css").read_text(encoding="utf-8")


def _shown_block(block: Block, name: str) -> _ShownBlock:
    if isinstance(block, TextBlock):
        return _ShownBlock()
    if isinstance(block, TableBlock):
        return _ShownBlock(block, _column_classes(block))
    table = table_of(block)
    return _ShownBlock(table, _column_classes(table), drawings_of(block, name))


def _column_classes(table: TableBlock) -> list[Markup]:
    """The class of each column: numbers are aligned at their right end, words at their left."""
    from markupsafe import Markup  # it comes with jinja2, which only reports need

    words = Markup(' class="words"')
    columns = list(zip(*table.rows, strict=True)) or [()] * len(table.head)
    return [Markup() if all(map(_NUMBER.match, column)) else words for column in columns]

"""One report in three forms: a page that needs nothing but itself, Markdown, and JSON.

write_report(report, folder)   # report.html, report.md, report.json
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from localrec.evaluation.pages.html import as_html
from localrec.evaluation.pages.markdown import as_markdown
from localrec.evaluation.records import Report
from localrec.paths import owner_only

__all__ = ["as_html", "as_json", "as_markdown", "read_report", "write_report"]


def as_json(report: Report) -> bytes:
    """The report as JSON, fit for people's eyes and for `read_report`."""
    return msgspec.json.format(msgspec.json.encode(report), indent=1) + b"\n"


def read_report(content: bytes) -> Report:
    """The report that `as_json` wrote.

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
        part = folder / f"{name}.part"
        with owner_only():
            part.write_bytes(content)
        part.replace(folder / name)
    html, markdown, json = (folder / name for name in forms)
    return html, markdown, json

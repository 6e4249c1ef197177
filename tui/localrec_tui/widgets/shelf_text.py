"""What a shelf makes, in lines: now, with which bottle more, and what lacks one thing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.content import Content

if TYPE_CHECKING:
    from localrec.retrieval.shelf import ShelfReport


def shelf_lines(report: ShelfReport) -> Iterator[Content]:
    """The lines about a shelf; each list says how long the whole is."""
    yield _head(f"You can make {report.makeable_count:,} now")
    for item in report.makeable:
        yield Content.assemble(f"  {item.name}", (f"  {', '.join(item.components)}", "dim"))
    if report.unlocks:
        yield Content("")
        yield _head("What to get next")
        for one in report.unlocks:
            told = f"  makes {one.makes:,} more: {', '.join(one.items)}"
            yield Content.assemble((f"  {one.name}", "bold"), (told, "dim"))
    if report.with_substitutes:
        yield Content("")
        yield _head(f"{report.with_substitutes_count:,} with something else in its place")
        for item in report.with_substitutes:
            told = "; ".join(one.sentence for one in item.substitutions)
            yield Content.assemble(f"  {item.name}", (f"  {told}", "dim"))
    if report.one_away:
        yield Content("")
        yield _head(f"{report.one_away_count:,} lack one thing")
        for item in report.one_away:
            yield Content.assemble(f"  {item.name}", (f"  {', '.join(item.missing)}", "dim"))


def _head(text: str) -> Content:
    return Content.styled(text, "bold $text-accent")

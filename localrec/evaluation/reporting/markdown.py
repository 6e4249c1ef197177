"""Write tables in Markdown, and put them between the marks of a page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.errors import InputError


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table; every column but the first is right-aligned."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def replace_marked_block(path: Path, name: str, text: str) -> None:
    """Replace what stands between the markers of `name`; a new pair goes to the end of the file.

    Raises:
        InputError: only one of the two markers is there, or they stand the wrong way round.
    """
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    written = path.read_text(encoding="utf-8") if path.is_file() else ""
    block = f"{begin}\n{text.strip()}\n{end}"
    if begin not in written and end not in written:
        whole = f"{written.rstrip()}\n\n{block}\n".lstrip()
    else:
        before, found, rest = written.partition(begin)
        _, closed, after = rest.partition(end)
        if not found or not closed:
            raise InputError(f"{path} has no whole pair of markers {begin} and {end}.", "Mend it.")
        whole = f"{before}{block}{after}"
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, whole.encode(), private=False)

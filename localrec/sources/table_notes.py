"""What a receipt says of a table as a whole, a sentence each: its encoding, commas, columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from localrec.foundation.prose import count_of
from localrec.foundation.text import has_controls
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.import_log import ImportLog
from localrec.sources.protocols import Field

_ENCODINGS = {
    "cp1252": "Windows-1252",
    "latin-1": "Latin-1",
    "cp949": "Korean (cp949)",
    "utf-16": "UTF-16",
}
_SHOWN = 8  # unknown columns


def watched_rows(
    table: DelimitedTable, import_log: ImportLog, fields: Sequence[Field] = (), file: str = ""
) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a table; the receipt hears of all that was odd about it.

    Args:
        table: The table.
        import_log: The receipt.
        fields: All columns that the format has, where those that it does not have are to be told.
        file: Name of the table in the receipt, where an export has several.
    """
    escaped, first = 0, ""
    for row, cells in table.rows():
        for column, cell in cells.items():
            if has_controls(cell):
                escaped += 1
                first = first or f"row {row}, column {column}"
        yield row, cells
    for row, problem in table.ragged:
        import_log.drop(row, file or None, problem)
    unknown = unknown_columns(table.header, fields) if fields else []
    told = form_notes(table.encoding, table.surplus, unknown)
    if escaped:
        cells_had = count_of(escaped, "cell")
        told.append(
            f"{cells_had} had terminal escapes or control characters, which were taken out; the "
            f"first is in {first}."
        )
    for sentence in told:
        import_log.tell(f"{file}: {sentence}" if file else sentence)


def form_notes(encoding: str, surplus: int, unknown: Sequence[str]) -> list[str]:
    """Sentences about the form of a table.

    Args:
        encoding: Encoding that it was read in.
        surplus: The number of rows that ended in empty cells behind the last column.
        unknown: Columns that were left out since nobody knows them.
    """
    told = []
    if encoding not in ("utf-8", "utf-8-sig"):
        name = _ENCODINGS.get(encoding, encoding)
        told.append(f"The file is not in UTF-8; it was read as {name}.")
    if surplus:
        rows = "1 row ends" if surplus == 1 else f"{surplus:,} rows end"
        told.append(f"{rows} in trailing commas, which were passed over.")
    if unknown:
        more = len(unknown) - _SHOWN
        names = ", ".join(unknown[:_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
        columns = "A column that is" if len(unknown) == 1 else "Columns that are"
        were = "was" if len(unknown) == 1 else "were"
        told.append(f"{columns} not known here {were} left out: {names}.")
    return told


def unknown_columns(header: Iterable[str], fields: Sequence[Field]) -> list[str]:
    """The columns of a header that the format does not have."""
    known = {
        name.strip().casefold()
        for field in fields
        for name in re.split(r"[,;] ", f"{field.name}, {field.name.rpartition(': ')[2]}")
    }
    return [name for name in header if name.casefold() not in known]

"""Delimited text read row by row, with every fault named by row and column.

A table is read strictly: a broken quote or a NUL byte refuses the file, a row of the wrong
length is left out and reported. Rows are numbered as a spreadsheet shows them, the header
being row 1.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn, TextIO

from localrec.foundation.bounded_files import ArchivedFile, FileLimits, detect_encoding, open_text
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name

_BLOCK = 1 << 18  # characters
_DELIMITERS = (",", "\t", ";", "|")
_QUOTE = "Close the quote, or double the quotes inside the cell."


class DelimitedTable:
    """An opened table: its header at once, its rows on demand.

    Args:
        path: A CSV or TSV file, plain or as .gz, or one inside an archive.
        limits: Limits beyond which a file is refused.
        delimiter: The character between cells; None takes the likeliest from the header.
        quoted: False where quotes are plain characters, as in RecBole's atomic files.
        encoding: Declared encoding of the file; None detects it.
        header: Names of the columns of a file without a header; its first row is data then.

    Raises:
        InputError: no readable table, no header, or a header that names a column twice.
    """

    def __init__(
        self,
        path: Path | ArchivedFile,
        limits: FileLimits | None = None,
        *,
        delimiter: str | None = None,
        quoted: bool = True,
        encoding: str | None = None,
        header: Sequence[str] | None = None,
    ) -> None:
        self.path = path
        self.limits = limits or FileLimits()
        self.encoding = detect_encoding(path, self.limits, encoding)
        self.ragged: list[tuple[int, str]] = []  # (row number, problem), filled while reading
        self.surplus = 0  # rows with empty cells behind the last column, counted while reading
        self.quoted = quoted
        self.header: tuple[str, ...] = ()
        with open_text(path, self.limits, self.encoding) as stream:
            self.delimiter = delimiter or _likeliest_delimiter(stream.readline(1 << 16))
        self._first_row = 2 if header is None else 1
        self.header = self._read_header() if header is None else tuple(header)

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        """Each whole row as (row number, column name -> cell); blank lines are passed over.

        Raises:
            InputError: a fault that makes the rest of the file doubtful, or a limit passed.
        """
        self.ragged.clear()
        self.surplus = 0
        count = len(self.header)
        for row, cells in self._records():
            if row < self._first_row or not cells:
                continue
            if len(cells) > count and not any(map(str.strip, cells[count:])):
                cells = cells[:count]  # a spreadsheet adds such cells
                self.surplus += 1
            if len(cells) != count:
                self.ragged.append((row, self._ragged_problem(cells)))
                continue
            yield row, dict(zip(self.header, cells, strict=True))

    def row_numbers(self) -> Iterator[int]:
        """The number of every row of data that is not blank.

        Raises:
            InputError: as `rows`.
        """
        return (row for row, cells in self._records() if row >= self._first_row and cells)

    def first_record(self) -> list[str]:
        """The cells of row 1, however many; none where the file has no row.

        Raises:
            InputError: as `rows`.
        """
        return next((cells for _, cells in self._records()), [])

    def _read_header(self) -> tuple[str, ...]:
        cells = self.first_record()
        if len(cells) > self.limits.columns:
            raise InputError(
                f"{self.path} has {len(cells):,} columns, more than {self.limits.columns:,}.",
                "Check the delimiter.",
            )
        # pandas leaves the header of its index column empty.
        names = [clean_name(cell) or f"column {place}" for place, cell in enumerate(cells, 1)]
        for place, name in enumerate(names, 1):
            if name in names[: place - 1]:
                raise InputError(
                    f"{self.path}, row 1, column {place}: the header names {name!r} twice.",
                    "Rename or remove one of the two columns.",
                )
        if not names:
            raise InputError(f"{self.path}, row 1: there is no header.", "Name the columns first.")
        return tuple(names)

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Each record with its number; fast up to the first that is odd, then with care."""
        # The csv module's own limit belongs to the whole process, so it is only ever raised; the
        # limits that count are checked here.
        csv.field_size_limit(max(csv.field_size_limit(), self.limits.row_chars + 1))
        # A record of so few letters in so few cells breaks no limit, however it is quoted.
        few = min(self.limits.cell_chars, self.limits.row_chars // 4)
        row = 0
        with open_text(self.path, self.limits, self.encoding) as stream:
            try:
                for cells in self._parse(_sound_lines(stream, few)):
                    if sum(map(len, cells)) + len(cells) > few or row == self.limits.rows:
                        break
                    row += 1
                    yield row, cells
                else:
                    return
            except csv.Error:
                pass
        yield from self._careful_records(row)

    def _careful_records(self, passed: int) -> Iterator[tuple[int, list[str]]]:
        """The records behind the first `passed`, with a watch on each line, to say what is odd."""
        record = _Record(self)
        with open_text(self.path, self.limits, self.encoding) as stream:
            reader = self._parse(record.lines(stream))
            while True:
                try:
                    cells = next(reader, None)
                except csv.Error as error:
                    record.refuse_quote(error)
                if cells is None:
                    return
                if record.row > passed:
                    self._check_cells(record.row, cells)
                    yield record.row, cells
                record.begin_next()

    def _parse(self, lines: Iterator[str]) -> Iterator[list[str]]:
        """The cells of each record; `csv.Error` at a broken quote."""
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quoting=csv.QUOTE_MINIMAL if self.quoted else csv.QUOTE_NONE,
            strict=True,
        )

    def _check_cells(self, row: int, cells: list[str]) -> None:
        if row > self.limits.rows:
            raise InputError(f"{self.path} has more than {self.limits.rows:,} rows.", "Split it.")
        if cells and len(max(cells, key=len)) > self.limits.cell_chars:
            place = next(i for i, cell in enumerate(cells) if len(cell) > self.limits.cell_chars)
            raise InputError(
                f"{self.path}, row {row}, column {self.column_name(place)}: the cell holds "
                f"{len(cells[place]):,} characters, more than {self.limits.cell_chars:,}.",
                "Shorten it.",
            )

    def column_name(self, place: int) -> str:
        """The quoted name of the column at `place` (from 0), or its number where it has none."""
        return repr(self.header[place]) if place < len(self.header) else str(place + 1)

    def _ragged_problem(self, cells: list[str]) -> str:
        return f"has {len(cells)} cells where the header has {len(self.header)}"


class _Record:
    """The record being read: its number, and its raw lines for saying where a fault lies."""

    def __init__(self, table: DelimitedTable) -> None:
        self._table = table
        self._lines: list[str] = []
        self._length = 0
        self.row = 1

    def begin_next(self) -> None:
        self.row += 1
        self._lines.clear()
        self._length = 0

    def lines(self, stream: TextIO) -> Iterator[str]:
        most = self._table.limits.row_chars
        while line := stream.readline(most + 1):
            self._lines.append(line)
            self._length += len(line)
            if "\0" in line:
                self._refuse(line.index("\0") - len(line), "there is a NUL byte", "Remove it.")
            if self._length > most:
                self._refuse(None, f"the row is longer than {most:,} characters", _QUOTE)
            yield line

    def refuse_quote(self, error: csv.Error) -> NoReturn:
        if "unexpected end" in str(error):
            self._refuse(None, "the quote is never closed", _QUOTE)
        # The csv module stops at the line with the fault; its cells before the fault are whole.
        self._refuse(None, f"the quotes are broken ({error})", _QUOTE)

    def _refuse(self, end: int | None, problem: str, hint: str) -> NoReturn:
        table = self._table
        text = "".join(self._lines)[:end]
        place = _place_of_fault(text, table.delimiter, table.quoted)
        raise InputError(
            f"{table.path}, row {self.row}, column {table.column_name(place)}: {problem}.", hint
        )


def _sound_lines(stream: TextIO, most: int) -> Iterator[str]:
    """The lines of a table, block by block.

    Raises:
        csv.Error: there is a NUL byte, or a line beyond `most` characters; see `_Record`.
    """
    while block := stream.read(_BLOCK):
        end = stream.readline(most + 1)
        if len(end) > most or "\0" in block or "\0" in end:
            raise csv.Error
        yield from io.StringIO(block + end, newline="")


def _place_of_fault(text: str, delimiter: str, quoted: bool) -> int:
    """The column (from 0) in which `text`, a record cut short, ends or breaks its quotes."""
    place, state = 0, "start"
    for letter in text:
        if state == "quoted":
            state = "closed" if letter == '"' else "quoted"
        elif letter == delimiter:
            place, state = place + 1, "start"
        elif letter == '"' and quoted and state in ("start", "closed"):
            state = "quoted"
        elif state == "closed" and letter not in "\r\n":
            return place
        else:
            state = "plain" if state == "start" else state
    return place


def _likeliest_delimiter(line: str) -> str:
    return max(_DELIMITERS, key=line.count)

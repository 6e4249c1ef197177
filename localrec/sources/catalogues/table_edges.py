"""What people put around and between the rows of a table: titles, units, totals, notes."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from localrec.foundation.text import clean_name
from localrec.sources.catalogues.header_words import meaning_of
from localrec.sources.catalogues.numbers import number_format
from localrec.sources.list_cells import is_missing

Rows = Sequence[tuple[int, Sequence[str]]]
_HEADER_LINES = 10  # of a header with line breaks in its names
_LOOKED_AT = 60  # rows that tell what a column holds
_MOSTLY = 0.8  # of a column's cells
_TOTALS = re.compile(
    r"(?:grand |sub-?|overall )?(?:totals?|sum|average|avg|mean|median|count|summe|gesamt"
    r"|moyenne|durchschnitt)\s*(?:\([^()]*\))?\s*:?",
    re.IGNORECASE,
)
_UNITS = frozenset(
    "% ‰ $ € £ ¥ usd eur gbp us$ cl ml dl l oz fl.oz g kg mg lb lbs cm mm m km in ft ° °c °f c f "
    "min mins minute minutes h hr hrs hour hours s sec secs second seconds ms d day days year "
    "years yr yrs kcal cal kj ibu ebc srm abv vol %vol percent pct points pts stars pages pcs "
    "units mm/dd/yyyy dd/mm/yyyy yyyy yyyy-mm-dd text string str number num int integer float "
    "date bool boolean yes/no y/n".split()
)
_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?\s*")


def without_bars(lines: list[str]) -> list[str]:
    """The rows of a Markdown table, parted by bars alone; other lines as they stand.

    The rule below the header becomes a blank line, so that rows keep their numbers.
    """
    top = next((place for place, line in enumerate(lines) if line.strip()), 0)
    below = lines[top + 1 : top + 2]
    if not (below and "|" in lines[top] and "-|" in below[0].replace(" ", "") + "|"):
        return lines
    if _RULE.fullmatch(below[0].strip()) is None:
        return lines
    rows = [line.strip().removeprefix("|").removesuffix("|") + "\n" for line in lines]
    rows[top + 1] = "\n"
    return rows


def with_whole_header(lines: list[str]) -> list[str]:
    """Lines with those of the header as one, where its names have line breaks within quotes."""
    top = next((place for place, line in enumerate(lines) if line.strip()), 0)
    if top == len(lines) or lines[top].count('"') % 2 == 0:
        return lines
    for end in range(top + 1, min(top + _HEADER_LINES, len(lines))):
        if lines[end].count('"') % 2:
            whole = " ".join(line.rstrip("\n") for line in lines[top : end + 1])
            is_header = max(len(cut(whole, sign)) for sign in ",;\t|") > 1
            return [*lines[:top], f"{whole}\n", *lines[end + 1 :]] if is_header else lines
    return lines


def lines_above_header(lines: Sequence[str], delimiter: str) -> int:
    """Count the lines above the header: blank ones, and titles in the first cell alone."""
    told = [cut(line, delimiter) for line in lines]
    width = max((sum(map(bool, cells)) for cells in told), default=0)
    for place, cells in enumerate(told):
        is_title = width > 1 and sum(map(bool, cells)) == 1 and bool(cells[0])
        # A header that was damaged is no title: it would give its place to a row.
        words = lines[place].strip(f"{delimiter} \r\n")
        stands_apart = (
            " " in words or "=" in words or not any(map(any, told[place + 1 : place + 2]))
        )
        is_title = is_title and stands_apart and delimiter not in words
        if any(cells) and not is_title:
            return place
    return 0


def cut(line: str, delimiter: str) -> list[str]:
    """The cells of one line."""
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]


def lacks_header(header: Sequence[str], rows: Rows) -> bool:
    """Whether the first line is a row: a number stands in it above a column of numbers.

    A year does not count: tables have columns of years.
    """
    for place, name in enumerate(header):
        value = _number(name)
        if value is None or (value == int(value) and 1900 <= value <= 2100):
            continue
        if _are_numbers(rows, place) and not any(meaning_of(one)[1] > 0.5 for one in header):
            return True
    return False


def numbered_columns(count: int) -> list[str]:
    """Names of columns as a spreadsheet has them: column A, column B ..."""
    letters = []
    for number in range(count):
        name, left = "", number + 1
        while left:
            left, place = divmod(left - 1, 26)
            name = chr(ord("A") + place) + name
        letters.append(f"column {name}")
    return letters


def joined_header(header: Sequence[str], rows: Rows) -> list[str] | None:
    """The names of a header of two lines, of which the first spans columns; None for one line."""
    if not rows or not rows[1:] or len(rows[0][1]) != len(header):
        return None
    second = [_plain(cell) for cell in rows[0][1]]
    spans = any(not name and place for place, name in enumerate(header))
    if not spans or not all(second) or any(_number(cell) is not None for cell in second):
        return None
    if not any(_are_numbers(rows[1:], place) for place in range(len(header))):
        return None
    names, group = [], ""
    for above, below in zip(header, second, strict=True):
        group = _plain(above) or group
        names.append(below if group.casefold() == below.casefold() else f"{group} {below}")
    return names


def second_table(columns: Sequence[str], rows: Rows) -> str:
    """The header of another table below a blank line, such as a sheet's next block; "" for none."""
    for place in range(2, len(rows) - 1):
        row, cells = rows[place]
        if row - rows[place - 1][0] < 2 or len(cells) < 2 or any(map(is_missing, cells)):
            continue
        if any(_number(cell) is not None for cell in cells) or len(set(cells)) < len(cells):
            continue
        if [_plain(cell).casefold() for cell in cells] == [one.casefold() for one in columns]:
            continue
        above = [at for at in range(len(cells)) if _are_numbers(rows[:place], at)]
        if above and sum(meaning_of(cell)[1] >= 0.9 for cell in cells) * 2 >= len(cells):
            return f"row {row} begins another table ({', '.join(map(_plain, cells[:4]))})"
    return ""


def told_of_edges(columns: Sequence[str], rows: Rows) -> dict[int, str]:
    """Number of each row that is none of the table -> what it is instead.

    Units below the header, the header once more, totals at the end, notes below the table.
    """
    told: dict[int, str] = {}
    if rows and (units := _units_of(rows)):
        told[rows[0][0]] = f"holds units, {units}"
    header = [name.casefold() for name in columns]
    for row, cells in rows:
        is_like = len(columns) > 1 and _plain(cells[0]).casefold() == header[0]  # all cost too much
        if is_like and [_plain(cell).casefold() for cell in cells] == header:
            told[row] = "is the header once more"
    for place in range(len(rows) - 1, 0, -1):
        row, cells = rows[place]
        is_apart = any(
            rows[at][0] - rows[at - 1][0] > 1 for at in range(max(1, place - 5), place + 1)
        )
        if _is_total(columns, cells, rows[:place]):
            told[row] = "holds totals"
        elif is_apart and len(columns) > 1 and _is_note(cells):
            told[row] = "is a note below the table"
        else:
            break
    return told


def _units_of(rows: Rows) -> str:
    """The units that stand in the first row, where the rows below have numbers; "" for none."""
    first, others = rows[0][1], rows[1:]
    told = [(place, _plain(cell)) for place, cell in enumerate(first) if not is_missing(cell)]
    known = [(place, cell) for place, cell in told if _is_unit(cell)]
    if not told or len(known) < len(told) or not others:
        return ""
    if not any(_are_numbers(others, place) for place, _ in known):
        return ""
    return ", ".join(cell.strip("()[] ") for _, cell in known[:6])


def _is_unit(cell: str) -> bool:
    return cell.strip("()[] ").replace(" ", "").casefold() in _UNITS


def _is_total(columns: Sequence[str], cells: Sequence[str], others: Rows) -> bool:
    """Whether a row sums up others: a word for it, numbers, and nothing where others have words."""
    told = [(place, _plain(cell)) for place, cell in enumerate(cells) if not is_missing(cell)]
    if len(told) < 2 or len(told) == len(columns):
        return False
    words = [cell for _, cell in told if _number(cell) is None]
    return (
        len(words) == 1
        and _TOTALS.fullmatch(words[0]) is not None
        and any(_are_numbers(others, place) for place, cell in told if cell not in words)
    )


def _is_note(cells: Sequence[str]) -> bool:
    """Whether a row has words in its first cell and nothing behind."""
    return bool(cells) and not is_missing(cells[0]) and all(map(is_missing, cells[1:]))


def _are_numbers(rows: Rows, place: int) -> bool:
    texts = [
        cells[place]
        for _, cells in rows[:_LOOKED_AT]
        if place < len(cells) and not is_missing(cells[place])
    ]
    return bool(texts) and number_format(texts)[1] >= _MOSTLY


def _number(text: str) -> float | None:
    form, share = number_format([text])
    return form.value(text) if share and re.search(r"\d", text) else None


def _plain(cell: str) -> str:
    return clean_name(cell)

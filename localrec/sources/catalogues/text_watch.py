"""What is taken out of the cells of a catalogue, or cut off them, for the receipt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from localrec.data.catalogue_columns import CatalogueColumns, LinkColumns
from localrec.foundation.text import MAX_NAME, MAX_TEXT, clean_text, has_controls
from localrec.sources.catalogues.column_profiles import elements_of
from localrec.sources.catalogues.records import Cell, RecordTable
from localrec.sources.import_log import ImportLog

LIST_SIGNS = ("[", "{", "c(")  # with which a cell begins that holds a written list


class TextWatch:
    """Tells which cells lose control characters, or what is beyond the length that is kept.

    Args:
        columns: The use of each column.
        links: Kind -> the columns that fill it.
        table: The records.
        import_log: Log that notes these cells.
    """

    def __init__(
        self,
        columns: CatalogueColumns,
        links: Mapping[str, LinkColumns],
        table: RecordTable,
        import_log: ImportLog,
    ) -> None:
        self._log = import_log
        self._name = columns.name
        self._cut: Counter[tuple[str, int]] = Counter()
        texts = (columns.name, *columns.key, *columns.texts.values(), *columns.properties.values())
        watched: dict[str, LinkColumns | None] = dict.fromkeys(texts)
        for one in links.values():
            watched |= dict.fromkeys(one.columns, one)
        self._watched = [
            (place, name, watched[name])
            for place, name in enumerate(table.columns)
            if name in watched
        ]

    def look(self, row: int, cells: Sequence[Cell]) -> None:
        """Look at the cells of a record of which texts are kept."""
        for place, column, links in self._watched:
            limit = MAX_TEXT if links is None and column != self._name else MAX_NAME
            cell = cells[place]
            for text in cell if isinstance(cell, list) else (cell,):
                if not isinstance(text, str) or (len(text) <= limit and text.isprintable()):
                    continue
                if has_controls(text):
                    told = "had terminal escapes or control characters, which were taken out"
                    self._log.repair(row, column, told)
                longest = text if links is None else _longest_name(text, links.separator)
                self._measure(row, column, longest, limit)

    def finish(self) -> None:
        """Tell how many cells of each column were cut, where there are several."""
        for (column, limit), count in self._cut.items():
            if count > 1:
                self._log.tell(f"{count:,} cells of column {column} were cut to {limit:,} letters.")

    def _measure(self, row: int, column: str, text: str, limit: int) -> None:
        if len(text) <= limit:
            return
        length = len(clean_text(text, limit=2 * len(text)))
        if length > limit:
            self._log.repair(row, column, f"has {length:,} letters, cut to {limit:,}")
            self._cut[column, limit] += 1


def _longest_name(cell: str, separator: str | None) -> str:
    """The longest of the names in a cell, which may be a list."""
    if separator is None and not cell.strip().startswith(LIST_SIGNS):
        return cell
    return max(elements_of(cell, separator), key=len, default="")

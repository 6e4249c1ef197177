"""The drinks of Mr. Boston as a table: one row an ingredient, or one row a drink."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from localrec.data.domains import Domain
from localrec.data.rows import CatalogueRows
from localrec.foundation.bounded_files import FileLimits
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name, clean_text
from localrec.packs.cocktails.recipe_catalogue import catalogue_of
from localrec.packs.cocktails.recipes import Recipe
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.import_log import ImportLog
from localrec.sources.list_cells import is_missing
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.table_notes import watched_rows

_LONG = {"name", "ingredient_number", "ingredient", "measure"}
_WIDE = {"name", "ingredient-1", "measure-1"}
_NUMBERED = re.compile(r"ingredient-(\d{1,2})", re.IGNORECASE)


class MrBostonSource:
    """Reads either layout."""

    kind = "mrboston"
    domain = "cocktails"
    fields: tuple[Field, ...] = (
        Field("name", "the item's name; its key is made from it"),
        Field("category", "link to a category"),
        Field("ingredient, ingredient-1 ...", "links to ingredients"),
        Field("measure, measure-1 ...", "the links' measures, and `strength`"),
        Field("row_id, ingredient_number", "tell which rows are one drink, and their order"),
        Field("instructions", "searchable text `instructions`, in the layout of one row a drink"),
        Field("glass", "link to a glass, in the layout of one row a drink"),
        Field("glass-size", "left out"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """The header has an ingredient and its measure in columns of those names, or numbered."""
        header = set(preview.header)
        return header >= _LONG or header >= _WIDE

    def read(self, path: Path, domain: Domain) -> CatalogueRows:
        """Read every drink.

        Raises:
            InputError: neither layout, a damaged file, or one without a drink that can be kept.
        """
        import_log = ImportLog(self.kind, path, domain.name)
        table = DelimitedTable(path, self._limits)
        names = {name.casefold() for name in table.header}
        if names >= _LONG:
            recipes = self._gathered(table, import_log)
        elif names >= _WIDE:
            recipes = self._wide(table, import_log)
        else:
            raise InputError(
                f"{path} is no table of Mr. Boston: it has {', '.join(table.header[:20])}.",
                "It needs name, ingredient and measure, or ingredient-1, measure-1 and so on.",
            )
        return catalogue_of(recipes, path, domain, import_log)

    def _gathered(self, table: DelimitedTable, import_log: ImportLog) -> Iterator[Recipe]:
        """Rows of one drink gather into a recipe, in the order of their numbers."""
        drinks: dict[tuple[str, str], list[tuple[int, float, dict[str, str]]]] = {}
        for row, cells in _rows(table, import_log):
            if not clean_name(cells["name"]):
                import_log.drop(row, "name", "has no name")
            elif not _text(cells, "ingredient"):
                import_log.drop(row, "ingredient", f"({clean_name(cells['name'])}) names none")
            else:
                key = (cells.get("row_id", ""), clean_name(cells["name"]))
                number = cells["ingredient_number"].strip()
                place = float(number) if number.isdecimal() else float(row)
                drinks.setdefault(key, []).append((row, place, cells))
        for (_, name), rows in drinks.items():
            import_log.gather(len(rows) - 1)
            ordered = sorted(rows, key=lambda one: one[1])
            first = rows[0][2]
            yield Recipe(
                row=rows[0][0],
                name=name,
                ingredients=tuple(
                    (_text(cells, "ingredient"), _text(cells, "measure")) for _, _, cells in ordered
                ),
                category=_text(first, "category"),
            )
        gathered = sum(map(len, drinks.values()))
        import_log.tell(f"{gathered:,} rows gather into {len(drinks):,} drinks.")

    def _wide(self, table: DelimitedTable, import_log: ImportLog) -> Iterator[Recipe]:
        numbers = [found[1] for name in table.header if (found := _NUMBERED.fullmatch(name))]
        for row, cells in _rows(table, import_log):
            name = clean_name(cells["name"])
            pairs = [
                (_text(cells, f"ingredient-{n}"), _text(cells, f"measure-{n}")) for n in numbers
            ]
            ingredients = tuple(pair for pair in pairs if pair[0])
            if not name or not ingredients:
                told = f"({name}) has no ingredient" if name else "has no name"
                import_log.drop(row, None, told)
                continue
            yield Recipe(
                row=row,
                name=name,
                ingredients=ingredients,
                category=_text(cells, "category"),
                glass=_text(cells, "glass"),
                instructions=clean_text(cells.get("instructions", "")),
            )


def _rows(table: DelimitedTable, import_log: ImportLog) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row with its columns in lower case; the ragged ones are told."""
    for row, cells in watched_rows(table, import_log):
        yield row, {name.casefold(): cell for name, cell in cells.items()}


def _text(cells: Mapping[str, str], column: str) -> str:
    told = cells.get(column, "")
    return "" if is_missing(told) else clean_name(told)

"""The two public layouts of drinks: which column means what, and a record read into a recipe.

The list layout holds the ingredients in one cell and their measures in another; the wide one
(TheCocktailDB) spreads them over numbered columns. Column names match without case and
punctuation, in any order; further columns are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from localrec.data.domains import Domain
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name, clean_text
from localrec.packs.cocktails.encoding_repair import LetterRestorer
from localrec.packs.cocktails.recipes import Recipe
from localrec.sources.import_log import ImportLog
from localrec.sources.list_cells import is_missing, read_list

_MOST_INGREDIENTS = 15  # columns of TheCocktailDB
_LIST_COLUMNS = ("ingredients", "ingredientMeasures")
_LIST_LAYOUT: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "name": ("name",),
    "alcoholic": ("alcoholic",),
    "category": ("category",),
    "glass": ("glassType",),
    "instructions": ("instructions",),
    "thumbnail": ("drinkThumbnail",),
    "description": ("desciription", "description"),
    "image_description": ("imageDescription",),
}
_LIST_REQUIRED = ("name", "ingredients")
_WIDE_LAYOUT: dict[str, tuple[str, ...]] = {
    "id": ("idDrink",),
    "name": ("strDrink",),
    "alcoholic": ("strAlcoholic",),
    "category": ("strCategory",),
    "glass": ("strGlass",),
    "instructions": ("strInstructions",),
    "thumbnail": ("strDrinkThumb",),
    "description": ("strDescription",),
    "image_description": ("strImageDescription",),
}
_WIDE_REQUIRED = ("strDrink", "strIngredient1")

# A record of either layout: (row number, normalized column name -> cell).
Record = tuple[int, Mapping[str, Any]]


class RecipeReader:
    """Turns the records of one file into recipes, and notes what became of each row."""

    def __init__(self, path: Path, domain: Domain, import_log: ImportLog) -> None:
        self._path = path
        self._import_log = import_log
        self._letters = LetterRestorer(
            name for kind in ("ingredient", "glass") for name in domain.concept_names(kind)
        )

    def read_recipes(self, header: tuple[str, ...], records: Iterator[Record]) -> Iterator[Recipe]:
        """Every recipe that can be kept; rows without a name or an ingredient are dropped.

        Raises:
            InputError: a required column is missing.
        """
        columns = {_plain(name): name for name in reversed(header)}
        is_wide = any(column.startswith(("strdrink", "stringredient")) for column in columns)
        layout = _WIDE_LAYOUT if is_wide else _LIST_LAYOUT
        self._check_header(header, columns, _WIDE_REQUIRED if is_wide else _LIST_REQUIRED)
        read_ingredients = self._read_wide if is_wide else self._read_lists
        for row, cells in records:
            by_name = {_plain(name): cell for name, cell in cells.items()}
            recipe = self._read_recipe(row, by_name, layout, read_ingredients)
            if recipe is not None:
                yield recipe

    def _check_header(
        self, header: tuple[str, ...], columns: dict[str, str], required: tuple[str, ...]
    ) -> None:
        if missing := [name for name in required if _plain(name) not in columns]:
            found = ", ".join(header[:40]) or "nothing"
            raise InputError(
                f"{self._path} lacks the column{'s'[: len(missing) > 1]} {', '.join(missing)}; "
                f"it has {found}.",
                "localrec help sources shows the two layouts of drinks.",
            )

    def _read_recipe(
        self,
        row: int,
        cells: Mapping[str, Any],
        layout: dict[str, tuple[str, ...]],
        read_ingredients: Callable[[int, Mapping[str, Any]], list[tuple[str, str]]],
    ) -> Recipe | None:
        texts: dict[str, Any] = {
            field: self._read_text(row, field, cells, names) for field, names in layout.items()
        }
        if not texts["name"]:
            self._import_log.drop(row, layout["name"][0], "has no name")
            return None
        ingredients = read_ingredients(row, cells)
        if not ingredients:
            self._import_log.drop(row, None, f"({texts['name']}) has no ingredient")
            return None
        return Recipe(row=row, ingredients=tuple(ingredients), **texts)

    def _read_text(
        self, row: int, field: str, cells: Mapping[str, Any], names: tuple[str, ...]
    ) -> str:
        told = (_cell(cells, name) for name in names)
        raw = next(filter(None, told), "")
        if field in ("id", "thumbnail", "alcoholic"):
            return clean_text(raw)
        is_name = field in ("glass", "category")
        restore = self._letters.restore_name if is_name else self._letters.restore_text
        cleaned = clean_name(raw) if is_name or field == "name" else clean_text(raw)
        return self._restored(row, names[0], cleaned, restore)

    def _restored(self, row: int, column: str, text: str, restore: Callable[[str], str]) -> str:
        restored = restore(text)
        if restored != text:
            self._import_log.repair(row, column, f"{text[:60]!r} has lost letters")
        return restored

    def _read_lists(self, row: int, cells: Mapping[str, Any]) -> list[tuple[str, str]]:
        names, measures = (self._read_list(row, column, cells) for column in _LIST_COLUMNS)
        if any(names) and (len(measures) < len(names) or any(measures[len(names) :])):
            self._import_log.repair(
                row,
                "ingredientMeasures",
                f"has {len(measures)} measures for {len(names)} ingredients",
            )
        measures += [None] * (len(names) - len(measures))
        if any(names) and not all(names):
            self._import_log.repair(row, "ingredients", "has empty ingredients; they were left out")
        return self._pairs(row, "ingredients", zip(names, measures, strict=False))

    def _read_list(self, row: int, column: str, cells: Mapping[str, Any]) -> list[str | None]:
        try:
            told = read_list(_cell(cells, column))
        except ValueError as error:
            self._import_log.repair(row, column, f"{error}; it was left out")
            return []
        if told.mended:
            self._import_log.repair(row, column, told.mended)
        return [None if is_missing(element) else element for element in told.elements]

    def _read_wide(self, row: int, cells: Mapping[str, Any]) -> list[tuple[str, str]]:
        places = range(1, _MOST_INGREDIENTS + 1)
        return self._pairs(
            row,
            "strIngredient",
            ((_cell(cells, f"strIngredient{i}"), _cell(cells, f"strMeasure{i}")) for i in places),
        )

    def _pairs(
        self, row: int, column: str, pairs: Iterable[tuple[str | None, str | None]]
    ) -> list[tuple[str, str]]:
        found = []
        for name, measure in pairs:
            cleaned = clean_name(name).rstrip(".!")
            restored = self._restored(row, column, cleaned, self._letters.restore_name)
            if restored:
                found.append((restored, clean_text(measure, limit=120)))
        return found


def _cell(cells: Mapping[str, Any], name: str) -> str:
    value = cells.get(_plain(name))
    return "" if is_missing(value) else str(value)


@lru_cache(maxsize=1 << 12)
def _plain(column: str) -> str:
    """A column name without case and punctuation: "Glass_Type" is "glassType"."""
    return "".join(filter(str.isalnum, column)).casefold()

"""Drinks in the two public layouts, as CSV or as the JSON of TheCocktailDB's interface.

The one layout has list columns (`ingredients`, `ingredientMeasures`), as the Kaggle tables that
MARC was built from; its misspelt `desciription` is read as well as the right spelling. The
other is TheCocktailDB's own, with `strIngredient1` to `strIngredient15`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import CatalogueRows
from localrec.foundation.bounded_files import FileLimits, read_json
from localrec.packs.cocktails.layouts import RecipeReader, Record
from localrec.packs.cocktails.recipe_catalogue import catalogue_of
from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.import_log import ImportLog
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.table_notes import watched_rows


class _ApiAnswer(msgspec.Struct):
    """The answer of TheCocktailDB's interface; `drinks` is null where a search found none."""

    drinks: list[dict[str, str | int | float | None]] | None


class CocktailSource:
    """Reads drinks in either layout.

    Args:
        limits: Limits beyond which a file is refused.
        encoding: Declared encoding of the file; None detects it.
    """

    kind = "cocktails"
    domain = "cocktails"
    fields: tuple[Field, ...] = (
        Field("id, idDrink", "property `id`"),
        Field("name, strDrink", "the item's name; its key is made from it"),
        Field(
            "alcoholic, strAlcoholic", "property `alcoholic`; derived from ingredients if absent"
        ),
        Field("category, strCategory", "link to a category"),
        Field("glassType, strGlass", "link to a glass"),
        Field("instructions, strInstructions", "searchable text `instructions`"),
        Field("drinkThumbnail, strDrinkThumb", "property `drinkThumbnail`; never fetched"),
        Field("ingredients, strIngredient1..15", "links to ingredients"),
        Field("ingredientMeasures, strMeasure1..15", "the links' measures, and `strength`"),
        Field("desciription, description, strDescription", "searchable text `description`"),
        Field("imageDescription, strImageDescription", "searchable text `image_description`"),
    )

    def __init__(self, limits: FileLimits | None = None, encoding: str | None = None) -> None:
        self._limits = limits or FileLimits()
        self._encoding = encoding

    def recognises(self, preview: FilePreview) -> bool:
        """The header of either layout, or the JSON of the interface."""
        header = preview.header
        return (
            {"strdrink", "stringredient1"} <= set(header)
            or {"ingredients", "ingredientmeasures"} <= set(header)
            or '"strDrink"' in preview.head
        )

    def read(self, path: Path, domain: Domain) -> CatalogueRows:
        """Read a file of drinks; drinks of one name become one item.

        Raises:
            InputError: neither layout, a damaged file, or a file of which no row can be kept.
        """
        import_log = ImportLog(self.kind, path, domain.name)
        reader = RecipeReader(path, domain, import_log)
        recipes = reader.read_recipes(*self._open(path, import_log))
        return catalogue_of(recipes, path, domain, import_log)

    def _open(self, path: Path, import_log: ImportLog) -> tuple[tuple[str, ...], Iterator[Record]]:
        if path.suffix == ".json":
            drinks = read_json(path, self._limits, _ApiAnswer).drinks or []
            header = tuple(dict.fromkeys(name for drink in drinks for name in drink))
            return header, iter(enumerate(drinks, 1))
        table = DelimitedTable(path, self._limits, encoding=self._encoding)
        return table.header, watched_rows(table, import_log)

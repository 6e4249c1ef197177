"""Recipes of Bar Assistant: its data pack or export, as a folder, a zip archive or one file.

Each drink is a `cocktails/NAME/data.json`. An export of one drink holds the recipe beside the
ingredients that it names by their ids.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from localrec.data.domains import Domain
from localrec.data.rows import CatalogueRows, Scalar
from localrec.foundation.bounded_files import JSON, FileLimits, read_json
from localrec.foundation.errors import JsonError
from localrec.foundation.text import clean_name
from localrec.packs.cocktails.recipe_catalogue import catalogue_of
from localrec.packs.cocktails.recipe_parts import (
    objects,
    plain,
    prose,
    tell_nameless,
    with_garnish,
    word,
)
from localrec.packs.cocktails.recipes import Recipe
from localrec.sources.archives import open_export
from localrec.sources.import_log import ImportLog
from localrec.sources.protocols import Field, FilePreview

_DRINK = re.compile(r"(?:^|/)cocktails/[^/]+(?:/data)?\.json$", re.IGNORECASE)
_SCHEMA = "barassistant.app"
_FIELDS = ("ingredients", "units", "garnish", "method")
_MOST_ABV = 96.0
_UNITS = {"topup": "top up"}


class BarAssistantSource:
    """Reads every drink of a data pack or export.

    Args:
        limits: Limits beyond which a file is refused.
    """

    kind = "barassistant"
    domain = "cocktails"
    fields: tuple[Field, ...] = (
        Field("_id", "property `id`"),
        Field("name", "the item's name; its key is made from it"),
        Field("instructions, garnish", "searchable text `instructions`"),
        Field("description", "searchable text `description`"),
        Field("glass", "link to a glass"),
        Field("tags", "links to categories"),
        Field("abv", "property `strength`; estimated from the recipe where it is missing"),
        Field("method, source", "properties `method` and `source`; the address is never fetched"),
        Field("ingredients: name", "links to ingredients"),
        Field(
            "ingredients: amount, amount_max, units, optional, note",
            "the links' measures; `30 ml (optional)`",
        ),
        Field(
            "ingredients: strength, description, origin, substitutes; images, utensils, created_at",
            "left out, as are the files about glasses, methods and ingredients by themselves",
        ),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether files of drinks lie in it, or it is the JSON of one or of a list."""
        if preview.members:
            return any(_DRINK.search(name) for name in preview.members)
        head = preview.head
        is_json = head.lstrip("\ufeff \t\r\n").startswith(("{", "["))
        has_fields = all(f'"{name}"' in head for name in _FIELDS)
        return is_json and (has_fields or (_SCHEMA in head and '"recipe"' in head))

    def read(self, path: Path, domain: Domain) -> CatalogueRows:
        """Read every drink; drinks of one name become one item.

        Raises:
            InputError: no data pack, a damaged one, or one without a drink that can be kept.
        """
        import_log = ImportLog(self.kind, path, domain.name)
        return catalogue_of(self._recipes(path, import_log), path, domain, import_log)

    def _recipes(self, path: Path, import_log: ImportLog) -> Iterator[Recipe]:
        for row, told in enumerate(self._entries(path), 1):
            if not isinstance(told, dict):
                problem = told if isinstance(told, str) else "is JSON that is no drink"
                import_log.drop(row, None, problem)
                continue
            recipe = _read_recipe(row, *_unpack(told), import_log)
            if recipe is not None:
                yield recipe

    def _entries(self, path: Path) -> Iterator[object]:
        """Yield the content of each file or list entry; of many files, a problem as a text."""
        with open_export(path, self._limits, ("cocktails", "ingredients"), JSON) as archive:
            inside = [name for name in archive.members if _DRINK.search(name)]
            is_file = len(archive.members) == 1 and not path.is_dir()
            if not inside and not is_file:
                archive.refuse("a data pack of Bar Assistant")
            for name in inside or archive.members:
                try:
                    told = read_json(archive.members[name], self._limits, Any)
                except JsonError as error:
                    if len(inside) < 2:
                        raise
                    told = error.message.removeprefix(f"{archive.members[name]} ").rstrip(".")
                yield from told if isinstance(told, list) else [told]


def _unpack(entry: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, str]]:
    """The recipe, and the names of ingredients by id where it gives them apart."""
    recipe = entry.get("recipe")
    if not isinstance(recipe, dict):
        return entry, {}
    names = {plain(one.get("_id")): word(one, "name") for one in objects(entry.get("ingredients"))}
    return recipe, names


def _read_recipe(
    row: int, entry: Mapping[str, Any], names: Mapping[str, str], import_log: ImportLog
) -> Recipe | None:
    name = word(entry, "name")
    if not name:
        import_log.drop(row, "name", "has no name")
        return None
    parts = [
        (word(one, "name") or names.get(plain(one.get("_id")), ""), _measure(one))
        for one in objects(entry.get("ingredients"))
    ]
    ingredients = [part for part in parts if part[0]]
    if not ingredients:
        import_log.drop(row, "ingredients", f"({name}) has no ingredient")
        return None
    tell_nameless(row, len(parts) - len(ingredients), import_log)
    method, source = word(entry, "method"), prose(entry, "source")
    facts: dict[str, Scalar] = {"method": method or None, "source": source or None}
    tags = entry.get("tags")
    labels = map(clean_name, map(plain, tags if isinstance(tags, list) else ()))
    return Recipe(
        row=row,
        name=name,
        ingredients=tuple(ingredients),
        id=word(entry, "_id"),
        glass=word(entry, "glass"),
        instructions=with_garnish(prose(entry, "instructions"), prose(entry, "garnish")),
        description=prose(entry, "description"),
        tags=tuple(filter(None, labels)),
        abv=_abv(row, entry.get("abv"), import_log),
        facts={fact: value for fact, value in facts.items() if value},
    )


def _abv(row: int, value_text: object, import_log: ImportLog) -> float | None:
    if value_text is None or value_text == "":
        return None
    try:
        value = float(plain(value_text))
    except ValueError:
        value = math.nan
    if 0 <= value <= _MOST_ABV:
        return value
    import_log.repair(row, "abv", f"{clean_name(value_text)!r} is no strength; estimated instead")
    return None


def _measure(one: Mapping[str, Any]) -> str:
    amount, most = word(one, "amount"), word(one, "amount_max")
    units = clean_name(plain(one.get("units")))
    units = _UNITS.get(units.casefold(), units)
    shown = f"{amount}-{most}" if amount and most and most not in ("0", amount) else amount
    measure = units if units == "top up" else f"{'' if shown == '0' else shown} {units}".strip()
    note = clean_name(plain(one.get("note")))
    remarks = [note] if note else []
    remarks += ["optional"] if one.get("optional") is True else []
    return f"{measure} ({', '.join(remarks)})".strip() if remarks else measure

"""The official cocktails of the IBA as JSON: a list of drinks with amounts and units."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from localrec.data.domains import Domain
from localrec.data.rows import CatalogueRows
from localrec.foundation.bounded_files import FileLimits, read_json
from localrec.foundation.errors import InputError
from localrec.packs.cocktails.recipe_catalogue import catalogue_of
from localrec.packs.cocktails.recipe_parts import (
    objects,
    prose,
    tell_nameless,
    with_garnish,
    word,
)
from localrec.packs.cocktails.recipes import Recipe
from localrec.sources.import_log import ImportLog
from localrec.sources.protocols import Field, FilePreview

_DRINK = ("name", "glass", "ingredients", "preparation")
_REMARK = re.compile(r"\s*\((?P<inside>[^()]*)\)\s*$")
_COUNT = r"few|half|an?|one|two|[\d./½¼¾]+(?:\s*(?:to|-)\s*\d+)?"
_UNIT = (
    r"(?:bar\s*|tea|table)?spoons?|dash(?:es)?|drops?|slices?|splash(?:es)?|cl|ml|oz|tsp"
    r"|top\s+with"
)
_SPECIAL = re.compile(
    rf"(?P<amount>(?:{_COUNT})(?:\s*(?:{_UNIT})\b)?|(?:{_UNIT})\b)\s+(?:of\s+)?(?P<name>\S.*)",
    re.IGNORECASE,
)
_PREPARED = re.compile(r"\s+(?:in an? |cut into |finely ).*")


class IbaSource:
    """Reads the list of drinks."""

    kind = "iba"
    domain = "cocktails"
    fields: tuple[Field, ...] = (
        Field("name", "the item's name; its key is made from it"),
        Field("category", "link to a category"),
        Field("glass", "link to a glass"),
        Field("preparation, garnish", "searchable text `instructions`"),
        Field(
            "ingredients: label, ingredient",
            "links to ingredients; the label, where there is one, is the more exact",
        ),
        Field("ingredients: amount, unit", "the links' measures, and `strength`"),
        Field("ingredients: special", "parted into amount and name: `2 dashes` of `Cola`"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """Whether it is a JSON list of drinks with a preparation."""
        head = preview.head
        is_list = head.lstrip("\ufeff \t\r\n").startswith("[")
        return is_list and all(f'"{name}"' in head for name in _DRINK)

    def read(self, path: Path, domain: Domain) -> CatalogueRows:
        """Read every drink; drinks of one name become one item.

        Raises:
            InputError: no such list, a damaged one, or one without a drink that can be kept.
        """
        import_log = ImportLog(self.kind, path, domain.name)
        drinks = read_json(path, self._limits, Any)
        if not isinstance(drinks, list):
            raise InputError(f"{path} is no list of drinks.", "Name the list itself.")
        return catalogue_of(_recipes(drinks, import_log), path, domain, import_log)


def _recipes(drinks: list[Any], import_log: ImportLog) -> Iterator[Recipe]:
    for row, entry in enumerate(drinks, 1):
        name = word(entry, "name") if isinstance(entry, dict) else ""
        if not name:
            import_log.drop(row, "name", "has no name")
            continue
        parts = [_ingredient(one) for one in objects(entry.get("ingredients"))]
        ingredients = tuple(part for part in parts if part[0])
        if not ingredients:
            import_log.drop(row, "ingredients", f"({name}) has no ingredient")
            continue
        tell_nameless(row, len(parts) - len(ingredients), import_log)
        yield Recipe(
            row=row,
            name=name,
            ingredients=ingredients,
            category=word(entry, "category"),
            glass=word(entry, "glass").replace("-", " "),
            instructions=with_garnish(prose(entry, "preparation"), prose(entry, "garnish")),
        )


def _ingredient(one: Mapping[str, Any]) -> tuple[str, str]:
    """The name and measure of one ingredient."""
    if special := word(one, "special"):
        return _part_special(special)
    measure = f"{word(one, 'amount')} {word(one, 'unit')}"
    return word(one, "label", "ingredient"), measure.strip()


def _part_special(text: str) -> tuple[str, str]:
    """The name and the amount of what is written as one text: "2 dashes Angostura Bitters"."""
    remark = _REMARK.search(text)
    written = _PREPARED.sub("", text[: remark.start()] if remark else text)
    inside = f" ({remark['inside']})" if remark else ""
    found = _SPECIAL.fullmatch(written)
    if found is None:
        return written, inside.strip()
    return found["name"], f"{found['amount']}{inside}"

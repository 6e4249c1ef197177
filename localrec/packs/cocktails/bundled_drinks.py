"""The drinks that ship with localrec: JSON Lines, one drink a line, written for this project.

Beyond what the public layouts have, they state their looks and garnish, so those become links.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, CatalogueRows, ItemRow
from localrec.foundation.bounded_files import JSON_LINES, FileLimits, open_bytes
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_key, clean_name, clean_text
from localrec.packs.cocktails.recipes import DrinkRowBuilder, Recipe
from localrec.sources.import_log import ImportLog
from localrec.sources.protocols import Field, FilePreview


class _Portion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    measure: str


class _Look(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    colours: tuple[str, ...]
    clarity: Literal["clear", "hazy", "opaque"]
    layers: int
    foam: Literal["none", "light", "thick"]

    def words(self, category: str) -> list[str]:
        """List the words of questions that describe the look."""
        words = {
            self.clarity: True,
            "layered": self.layers > 1,
            "foamy": self.foam != "none",
            "frozen": category == "frozen drink",
        }
        return [word for word, holds in words.items() if holds]


class _Drink(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    category: str
    glass: str
    alcoholic: Literal["alcoholic", "non-alcoholic"]
    ingredients: tuple[_Portion, ...]
    garnish: tuple[str, ...]
    instructions: str
    description: str
    look: _Look
    image_description: str


class BundledDrinkSource:
    """Reads a folder of `*.jsonl` (or one such file) in the format of the bundled catalogue."""

    kind = "drinks"
    domain = "cocktails"
    fields: tuple[Field, ...] = (
        Field("name", "the item's name; its key is made from it"),
        Field("category", "link to a category"),
        Field("glass", "link to a glass"),
        Field("alcoholic", "property `alcoholic`"),
        Field("ingredients", "links to ingredients with their measures, and `strength`"),
        Field("garnish", "links to garnishes"),
        Field("instructions", "searchable text `instructions`"),
        Field("description", "searchable text `description`"),
        Field("look", "links to colours and looks"),
        Field("image_description", "searchable text `image_description`"),
    )

    def __init__(self, limits: FileLimits | None = None) -> None:
        self._limits = limits or FileLimits()

    def recognises(self, preview: FilePreview) -> bool:
        """A drink in the first line, or a folder of nothing but such files."""
        if preview.members:
            return all(
                name.endswith(".jsonl") and "/" not in name and not name.startswith("meta_")
                for name in preview.members
            )  # `meta_` begins the products of Amazon's reviews
        first = preview.head.split("\n", 1)[0]
        return all(f'"{name}"' in first for name in ("name", "ingredients", "glass", "look"))

    def read(self, path: Path, domain: Domain) -> CatalogueRows:
        """Read every drink; a name that comes twice keeps its first recipe.

        Raises:
            InputError: a line that is no drink (names file and line), or no drinks at all.
        """
        import_log = ImportLog(self.kind, path, domain.name)
        maker = DrinkRowBuilder(domain)
        items: dict[str, ItemRow] = {}
        for row, drink in enumerate(self._read_drinks(path), 1):
            name = clean_name(drink.name)
            key = clean_key(name)
            if not name:
                import_log.drop(row, "name", "has no name")
                continue
            if key in items:
                import_log.merge(row, "name", f"({name}) is already there")
                continue
            items[key] = _make_item(row, drink, maker)
        if not items:
            raise InputError(
                f"{path} holds no drinks that can be kept: {import_log.first_drop()}.",
                "Name a folder with *.jsonl files; each drink needs a name.",
            )
        return CatalogueRows(items=tuple(items.values()), report=import_log.report(kept=len(items)))

    def _read_drinks(self, path: Path) -> Iterator[_Drink]:
        decoder = msgspec.json.Decoder(_Drink)
        for file in sorted(path.glob("*.jsonl")) if path.is_dir() else [path]:
            with open_bytes(file, self._limits, JSON_LINES) as stream:
                for number, line in enumerate(stream, 1):
                    try:
                        yield decoder.decode(line.removeprefix(codecs.BOM_UTF8))
                    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
                        raise InputError(
                            f"{file}, line {number}: this is no drink: {clean_text(error)}.",
                            "Mend the line.",
                        ) from error


def _make_item(row: int, drink: _Drink, maker: DrinkRowBuilder) -> ItemRow:
    item = maker.make_item(
        Recipe(
            row=row,
            name=clean_name(drink.name),
            ingredients=tuple(
                (clean_name(portion.name), clean_text(portion.measure))
                for portion in drink.ingredients
            ),
            alcoholic=drink.alcoholic,
            category=clean_name(drink.category),
            glass=clean_name(drink.glass),
            instructions=clean_text(drink.instructions),
            description=clean_text(drink.description),
            image_description=clean_text(drink.image_description),
        )
    )
    return msgspec.structs.replace(item, links=(*item.links, *_look_links(drink, maker)))


def _look_links(drink: _Drink, maker: DrinkRowBuilder) -> Iterator[AttributeLink]:
    named = {
        "colour": drink.look.colours,
        "look": drink.look.words(drink.category),
        "garnish": drink.garnish,
    }
    for kind, names in named.items():
        for name in dict.fromkeys(map(clean_name, names)):
            yield maker.make_link(kind, name)

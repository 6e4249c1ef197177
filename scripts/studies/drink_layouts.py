"""Layouts of catalogues of drinks, as their makers document them, for made-up rows.

What should be kept of a drink is its name, its ingredients with their measures, its glass and its
category.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from export_faults import Fault, Planting, Row, Shape, dropped
from export_layouts import Layout, write_json, write_table

_NUMBER = 37  # different ingredients beside the one that all drinks have


class DrinkLayout(Layout, kw_only=True):
    """One layout of drinks.

    Args:
        glass: What the layout tells of the glass.
    """

    glass: str = "Coupe"

    def good(self, number: int) -> Row:
        """A sound drink."""
        name = f"Tale {number:04}"
        parts = (("Gin", "45 ml"), (f"Syrup {number % _NUMBER:02}", "2-3 dashes"))
        expected = (name, parts, self.glass, "Sour")
        return Row(cells={self.title: name, **self.more(number)}, expected=expected)


def _write_pack(folder: Path, layout: Layout, rows: Sequence[Row]) -> Path:
    """A folder for each drink, in the order of the rows."""
    home = folder / layout.file
    for place, row in enumerate(rows):
        inside = home / "cocktails" / f"{place:05}-drink"
        inside.mkdir(parents=True)
        (inside / "data.json").write_text(_written(row, row.cells), encoding="utf-8")
    return home


def _write_export(folder: Path, layout: Layout, rows: Sequence[Row]) -> Path:
    """A zip in which each drink stands apart from the ingredients that it names by id."""
    path = folder / layout.file
    with zipfile.ZipFile(path, "w") as archive:
        for place, row in enumerate(rows):
            recipe = dict(row.cells)
            told = recipe.get("ingredients")
            parts = told if isinstance(told, list) else []
            names = [part["name"] for part in parts]
            if parts:
                recipe["ingredients"] = [
                    {"_id": f"id-{number}", **{k: v for k, v in part.items() if k != "name"}}
                    for number, part in enumerate(parts)
                ]
            apart = [{"_id": f"id-{number}", "name": name} for number, name in enumerate(names)]
            whole = {"$schema": "https://barassistant.app/x.json", "recipe": recipe}
            text = _written(row, {**whole, "ingredients": apart})
            archive.writestr(f"cocktails/{place:05}-drink/data.json", text)
    return path


def _written(row: Row, value: Any) -> str:
    if row.shape == "short":
        return json.dumps(value)[:-30]
    return "null" if row.shape == "null" else json.dumps(value)


def _write_long(folder: Path, layout: Layout, rows: Sequence[Row]) -> Path:
    """A row for each ingredient; a drink has a number of its own."""
    lines: list[Row] = []
    for place, row in enumerate(rows):
        if row.shape == "blank":
            lines.append(row)
            continue
        for number in (1, 2):
            cells = {**row.cells, "row_id": str(place + 1), "ingredient_number": str(number)}
            cells |= {name: row.cells[f"{name}-{number}"] for name in ("ingredient", "measure")}
            lines.append(Row(cells=cells, expected=None, shape=row.shape))
    return write_table(folder, layout, lines)


def _parts(number: int) -> list[dict[str, Any]]:
    """The ingredients of a drink at Bar Assistant."""
    return [
        {"name": "Gin", "amount": 45, "units": "ml", "optional": False, "note": None},
        {
            "name": f"Syrup {number % _NUMBER:02}",
            "amount": 2,
            "amount_max": 3,
            "units": "dashes",
            "optional": False,
            "substitutes": [],
        },
    ]


def _mixed(number: int) -> dict[str, Any]:
    """The other fields of a drink at Bar Assistant."""
    return {
        "_id": f"tale-{number:04}",
        "instructions": "Shake with ice and strain.",
        "description": "Sour and short.",
        "source": None,
        "garnish": "Lime wheel",
        "abv": 24.5,
        "glass": "Coupe",
        "method": "Shake",
        "tags": ["Sour"],
        "images": [],
        "ingredients": _parts(number),
    }


def _official(number: int) -> dict[str, Any]:
    """The other fields of a drink of the IBA."""
    return {
        "glass": "coupe",
        "category": "Sour",
        "ingredients": [
            {"unit": "ml", "amount": 45, "ingredient": "Gin"},
            {"special": f"2-3 dashes Syrup {number % _NUMBER:02}"},
        ],
        "garnish": "Lime wheel",
        "preparation": "Shake with ice and strain.",
    }


def _columns(number: int) -> dict[str, Any]:
    """The other cells of a drink of Mr. Boston."""
    return {
        "category": "Sour",
        "glass": "Coupe",
        "glass-size": "4 oz",
        "instructions": "Shake with ice, strain.",
        "ingredient-1": "Gin",
        "measure-1": "45 ml",
        "ingredient-2": f"Syrup {number % _NUMBER:02}",
        "measure-2": "2-3 dashes",
    }


def _with(change: Callable[[dict[str, Any]], None], keep: Callable[[Any], Any]) -> Fault:
    """Cells that are changed, and what should be kept of them; None for a row to leave out."""

    def plant(row: Row, layout: Planting) -> list[Row]:
        change(row.cells)
        row.expected = keep(row.expected)
        return [row] if row.expected is not None else dropped(row)

    return plant


def _told(fault: Fault) -> Fault:
    """The same, told as a repair."""

    def plant(row: Row, layout: Planting) -> list[Row] | None:
        rows = fault(row, layout)
        row.told = ("repaired",)
        return rows

    return plant


def _set(**cells: Any) -> Callable[[dict[str, Any]], None]:
    return lambda told: told.update(cells)


def _nothing(expected: Any) -> None:
    return None


def _same(expected: Any) -> Any:
    return expected


def _first_part(expected: Any) -> Any:
    name, parts, *others = expected
    return (name, parts[:1], *others)


def _doubled(expected: Any) -> Any:
    name, (gin, other), *others = expected
    return (name, (("Gin", f"{gin[1]} + 15 ml"), other), *others)


def _unmeasured(expected: Any) -> Any:
    name, (gin, other), *others = expected
    return (name, ((gin[0], None), other), *others)


def _glassless(expected: Any) -> Any:
    return (*expected[:2], "", expected[3])


def _unfiled(expected: Any) -> Any:
    return (*expected[:3], "")


def _with_entity(cells: dict[str, Any]) -> None:
    cells["name"] = f"Salt &amp; {cells['name']}"


def _shown_entity(expected: Any) -> Any:
    return (f"Salt & {expected[0]}", *expected[1:])


def _change_part(place: int, **told: Any) -> Callable[[dict[str, Any]], None]:
    def change(cells: dict[str, Any]) -> None:
        cells["ingredients"][place] |= told

    return change


def _add_part(**told: Any) -> Callable[[dict[str, Any]], None]:
    return lambda cells: cells["ingredients"].append(told)


def _shaped(shape: Shape) -> Fault:
    def plant(row: Row, layout: Planting) -> list[Row]:
        row.shape = shape
        return dropped(row)

    return plant


_IN_JSON: dict[str, Fault] = {
    "ingredients that are none": _with(_set(ingredients=[]), _nothing),
    "ingredients that are null": _with(_set(ingredients=None), _nothing),
    "ingredients in one text": _with(_set(ingredients="gin and syrup"), _nothing),
    "entity in the name": _with(_with_entity, _shown_entity),
    "no glass": _with(_set(glass=None), _glassless),
}
_AT_BAR_ASSISTANT: dict[str, Fault] = {
    **_IN_JSON,
    "ingredient without a name": _told(_with(_change_part(1, name=""), _first_part)),
    "ingredient twice": _with(_add_part(name="Gin", amount=15, units="ml"), _doubled),
    "amount as text": _with(_change_part(0, amount="45"), _same),
    "amount of nought": _with(_change_part(0, amount=0, units=""), _unmeasured),
    "strength in words": _told(_with(_set(abv="strong"), _same)),
    "strength above pure alcohol": _told(_with(_set(abv=140), _same)),
    "tags that are null": _with(_set(tags=None), _unfiled),
    "cut off": _shaped("short"),
    "no object": _shaped("null"),
}
_AT_THE_IBA: dict[str, Fault] = {
    **_IN_JSON,
    "ingredient without a name": _told(
        _with(
            lambda cells: cells["ingredients"].__setitem__(1, {"unit": "ml", "amount": 3}),
            _first_part,
        )
    ),
    "ingredient twice": _with(_add_part(ingredient="Gin", amount=15, unit="ml"), _doubled),
    "amount as text": _with(_change_part(0, amount="45"), _same),
    "no category": _with(_set(category=""), _unfiled),
    "label that is more exact": _with(_change_part(0, ingredient="gin", label="Gin"), _same),
}
_IN_CELLS: dict[str, Fault] = {
    "no ingredient": _with(_set(**{"ingredient-1": "", "ingredient-2": ""}), _nothing),
    "ingredients that are NA": _with(
        _set(**{"ingredient-1": "NA", "ingredient-2": "NA"}), _nothing
    ),
    "measure that is NA": _with(_set(**{"measure-1": "NA"}), _unmeasured),
    "no category": _with(_set(category=""), _unfiled),
}
_IN_WIDE_CELLS: dict[str, Fault] = {
    **_IN_CELLS,
    "one ingredient alone": _with(_set(**{"ingredient-2": "", "measure-2": ""}), _first_part),
    "ingredient twice": _with(_set(**{"ingredient-3": "Gin", "measure-3": "15 ml"}), _doubled),
    "no glass": _with(_set(glass="n/a"), _glassless),
}

DRINK_LAYOUTS: tuple[DrinkLayout, ...] = (
    DrinkLayout(
        name="Bar Assistant, data pack",
        write=_write_pack,
        columns=(),
        title="name",
        more=_mixed,
        file="bar-assistant",
        own_faults=_AT_BAR_ASSISTANT,
    ),
    DrinkLayout(
        name="Bar Assistant, export",
        write=_write_export,
        columns=(),
        title="name",
        more=_mixed,
        file="bar-assistant-export.zip",
        own_faults=_AT_BAR_ASSISTANT,
    ),
    DrinkLayout(
        name="IBA JSON",
        write=write_json,
        columns=(),
        title="name",
        more=_official,
        glass="coupe",
        file="recipes.json",
        own_faults=_AT_THE_IBA,
    ),
    DrinkLayout(
        name="Mr. Boston, one row an ingredient",
        write=_write_long,
        columns=("name", "category", "row_id", "ingredient_number", "ingredient", "measure"),
        title="name",
        more=_columns,
        file="boston_cocktails.csv",
        lines=2,
        glass="",
        own_faults=_IN_CELLS,
    ),
    DrinkLayout(
        name="Mr. Boston, one row a drink",
        write=write_table,
        columns=(
            *("name", "category", "ingredient-1", "measure-1", "ingredient-2", "measure-2"),
            *("ingredient-3", "measure-3", "instructions", "glass", "glass-size"),
        ),
        title="name",
        more=_columns,
        file="mr-boston-flattened.csv",
        own_faults=_IN_WIDE_CELLS,
    ),
)

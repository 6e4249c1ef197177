"""A workspace that needs no model: a few drinks, and an embedder that knows only spelling."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest

from localrec.cli.app import run

COLUMNS = (
    *("id", "name", "alcoholic", "category", "glassType", "instructions", "drinkThumbnail"),
    *("ingredients", "ingredientMeasures", "desciription", "imageDescription"),
)
DRINKS = (
    ("Negroni", "Old-fashioned glass", ["Gin", "Campari", "Sweet Vermouth"], "A red drink."),
    ("Americano", "Highball glass", ["Campari", "Sweet Vermouth", "Soda Water"], "A red drink."),
    ("Gimlet", "Coupe glass", ["Gin", "Lime Juice", "Sugar Syrup"], "A green drink."),
    ("Daiquiri", "Coupe glass", ["White Rum", "Lime Juice", "Sugar Syrup"], "A white drink."),
    ("Limeade", "Highball glass", ["Lime Juice", "Sugar Syrup", "Soda Water"], "A green drink."),
)


def drink(name: str, **fields: object) -> dict[str, object]:
    """A row of a table of drinks that holds one fair drink, changed in `fields`."""
    return {
        "name": name,
        "alcoholic": "Alcoholic",
        "category": "Cocktail",
        "glassType": "Coupe glass",
        "instructions": "Shake.",
        "ingredients": str(["Gin", "Lime Juice"]),
        "ingredientMeasures": str(["4 cl", "2 cl"]),
        **fields,
    }


@pytest.fixture
def write_table(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows of drinks to a CSV file."""

    def write(*rows: dict[str, object]) -> Path:
        path = tmp_path / "table.csv"
        with path.open("w", encoding="utf-8", newline="") as stream:
            table = csv.DictWriter(stream, COLUMNS, restval="")
            table.writeheader()
            table.writerows(rows)
        return path

    return write


@pytest.fixture
def by_spelling(workspace_path: Path) -> Path:
    """An empty workspace whose settings name the embedder that needs no weights."""
    workspace_path.mkdir()
    (workspace_path / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    return workspace_path


@pytest.fixture
def workspace(by_spelling: Path, write_table: Callable[..., Path]) -> Path:
    """Five drinks, imported."""
    rows = [
        drink(
            name,
            glassType=glass,
            ingredients=str(ingredients),
            ingredientMeasures=str(["3 cl"] * 3),
            imageDescription=looks,
            alcoholic="Non alcoholic" if name == "Limeade" else "Alcoholic",
        )
        for name, glass, ingredients, looks in DRINKS
    ]
    table = write_table(*rows)
    assert run(["--workspace", str(by_spelling), "import", "cocktails", str(table)]) == 0
    return by_spelling

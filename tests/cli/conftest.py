"""A workspace that needs no model: a few drinks, and an embedder that knows only spelling."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from localrec.cli.app import run
from tests.conftest import Outcome
from tests.training.conftest import frequented  # noqa: F401  # a fixture

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

WINES = "title,country,variety,winery,price\n" + "".join(
    f"Estate {n} 20{n} Blend,{country},{variety},Estate {n},{n}\n"
    for n, country, variety in (
        (10, "Portugal", "White Blend"),
        (15, "Portugal", "Portuguese White"),
        (25, "Portugal", "Portuguese White"),
        (12, "Italy", "White Blend"),
        (13, "Portugal", "Red Blend"),
        (11, "Italy", "Nebbiolo"),
    )
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


def write_rows(path: Path, *rows: dict[str, object]) -> Path:
    """Writes rows of drinks to a CSV file."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, COLUMNS, restval="")
        table.writeheader()
        table.writerows(rows)
    return path


def by_spelling(folder: Path) -> Path:
    """An empty workspace whose settings name the embedder that needs no weights."""
    folder.mkdir(mode=0o700)
    (folder / "settings.toml").write_text('embedder = "hashing"\n', encoding="utf-8")
    return folder


@pytest.fixture
def empty_workspace(workspace_path: Path) -> Path:
    """A workspace with settings and nothing else."""
    return by_spelling(workspace_path)


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five drinks, imported once; only for reading."""
    home = tmp_path_factory.mktemp("bar")
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
    folder, table = by_spelling(home / "workspace"), write_rows(home / "table.csv", *rows)
    assert run(["--workspace", str(folder), "import", "cocktails", str(table)]) == 0
    return folder


@pytest.fixture
def own_workspace(workspace: Path, tmp_path: Path) -> Path:
    """The same drinks in a workspace that a test may change."""
    return Path(shutil.copytree(workspace, tmp_path / "own"))


@pytest.fixture(scope="module")
def gguf(tmp_path_factory):
    """A tiny network with room for a conversation letter by letter."""
    from tests.training.tiny_models import make_tiny  # needs torch

    return make_tiny("llama", tmp_path_factory.mktemp("tiny"), context=8192).gguf


@pytest.fixture(scope="module")
def bar(frequented, tmp_path_factory):  # noqa: F811
    """A bar with guests to train on, of this module's own."""
    place = tmp_path_factory.mktemp("trained") / "workspace"
    return shutil.copytree(frequented, place)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table of wines."""
    path = tmp_path / "winemag.csv"
    path.write_text(WINES, encoding="utf-8")
    return path


def import_wines(folder: Path, cli: Callable[..., Outcome], table: Path) -> Path:
    """Makes a domain of a table of wines in a workspace and imports its items."""
    for command in (
        ("domains", "new", "wines", "--from", str(table), "--yes"),
        ("import", "auto", str(table), "--domain", "wines"),
    ):
        outcome = cli("--workspace", str(folder), *command)
        assert outcome.code == 0, outcome.err
    return folder

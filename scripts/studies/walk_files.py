"""The files that the steps of a walk bring in: exports, catalogues, ratings, pictures."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from PIL import Image
from walk_model import POOL, RATED, Step, ratings_of

_GOODREADS = (
    "Book Id,Title,Author,ISBN,ISBN13,My Rating,Original Publication Year,Date Read,Date Added,"
    "Exclusive Shelf,My Review\n"
)
_BOOKS = {"Dune": "1,Dune,Frank Herbert,,", "Emma": "2,Emma,Jane Austen,,"}
_COLUMNS = (
    "id,name,alcoholic,category,glassType,instructions,drinkThumbnail,ingredients,"
    "ingredientMeasures,desciription,imageDescription\n"
)

_WINES = {
    "Amarone": "Amarone,Corvina,Italy,40",
    "Rioja": "Rioja,Tempranillo,Spain,12",
    "Sancerre": "Sancerre,Sauvignon Blanc,France,22",
}


def file_of(step: Step, folder: Path) -> Path:
    """Write what a step brings in into a folder that is made anew; the file, or the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    if step.kind == "pictures":
        for name in step.names:
            Image.new("RGB", (48, 64), (int(step.number) * 20, 90, 40)).save(folder / f"{name}.png")
        return folder
    contents = _CONTENTS[step.kind](step)
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    return folder / next(iter(contents)) if len(contents) == 1 and step.kind != "films" else folder


def _drinks(step: Step) -> str:
    lines = [_COLUMNS]
    for name in step.names:
        parts = [part.title() for part in POOL[name].parts]
        measures = ["3 cl"] * len(parts)
        lines.append(
            f"{name},{name},Alcoholic,Cocktail,Coupe glass,Shake.,,"
            f'"{parts}","{measures}",A drink.,Red.\n'
        )
    return "".join(lines)


def _films(step: Step) -> str:
    rows = [POOL[name].key.rpartition("-")[::2] for name in step.names]
    lines = [
        f"2024-05-01,{name},{year},https://boxd.it/{stem},{step.number:g}\n"
        for name, (stem, year) in zip(step.names, rows, strict=True)
    ]
    return "".join(["Date,Name,Year,Letterboxd URI,Rating\n", *lines])


def _books(step: Step) -> str:
    lines = [
        f"{_BOOKS[name]},{step.number:g},1965,2020/01/02,2020/01/01,read,{step.value}\n"
        for name in step.names
    ]
    return "".join([_GOODREADS, *lines])


def _ratings(step: Step) -> dict[str, str]:
    rows = [
        f"{user},{POOL[name].key},{step.number:g},964982703\n" for user, name in ratings_of(step)
    ]
    titles = [f"{item.key},{item.name} (2006),Drama\n" for item in RATED]
    return {
        "ratings.csv": "".join(["userId,movieId,rating,timestamp\n", *rows]),
        "movies.csv": "".join(["movieId,title,genres\n", *titles]),
    }


def _wines(step: Step) -> str:
    names = step.names or tuple(_WINES)
    return "\n".join(["title,grape,country,price", *(_WINES[name] for name in names), ""])


_CONTENTS: Mapping[str, Callable[[Step], dict[str, str]]] = {
    "drinks": lambda step: {"drinks.csv": _drinks(step)},
    "films": lambda step: {"ratings.csv": _films(step)},
    "books": lambda step: {"books.csv": _books(step)},
    "ratings": _ratings,
    "wines": lambda step: {"wines.csv": _wines(step)},
    "domain_new": lambda step: {"wines.csv": _wines(step)},
}

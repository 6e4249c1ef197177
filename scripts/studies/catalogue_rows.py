"""Write public catalogues as JSON lines, the rows that questions of other hands are judged by.

Run:
    python scripts/studies/catalogue_rows.py --catalogues FOLDER --out FOLDER

The first folder holds `winemag_5k.csv`, `goodbooks10k_books.csv` and `bgg_db_1806.csv`. Drinks are
the bundled ones, films those of ml-100k, which `localrec datasets pull ml-100k` fetches, music is a
list of 480 tracks beside this script. A catalogue whose file is missing is left out.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from localrec.sources.dataset_catalog import fetch_dataset

Row = dict[str, Any]
_SERIES = re.compile(r" \(([^()]*?),? #[^()]*\)\s*$")


def main() -> None:
    """Write each catalogue that is at hand."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--catalogues", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for name, file, read in (
        ("drinks", fetch_dataset("cocktails"), drinks),
        ("films", fetch_dataset("ml-100k") / "ml-100k.item", films),
        ("books", options.catalogues / "goodbooks10k_books.csv", books),
        ("wines", options.catalogues / "winemag_5k.csv", wines),
        ("games", options.catalogues / "bgg_db_1806.csv", games),
        ("music", Path(__file__).parent / "catalogues" / "music.jsonl", music),
    ):
        if not file.exists():
            print(f"{name}: {file.name} is missing")
            continue
        lines = [msgspec.json.encode(row) for row in _distinct(read(file))]
        (options.out / f"{name}.jsonl").write_bytes(b"\n".join(lines) + b"\n")
        print(f"{name}: {len(lines)}")


def _distinct(rows: Iterator[Row]) -> list[Row]:
    """Rows without exact repetitions, in their order."""
    return list({msgspec.json.encode(row): row for row in rows}.values())


def drinks(folder: Path) -> Iterator[Row]:
    """Bundled drinks with their ingredients' names in a list."""
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_bytes().splitlines():
            row = msgspec.json.decode(line)
            look = row.get("look") or {}
            names = [each["name"] for each in row["ingredients"]]
            yield {
                "name": row["name"],
                "category": row["category"],
                "glass": row["glass"],
                "alcohol": row["alcoholic"],
                "ingredients": names,
                "ingredients_count": len(names),
                "garnish": row.get("garnish", []),
                "colours": look.get("colours", []),
                "look": [str(value) for key, value in look.items() if key != "colours"],
                "description": row.get("description", ""),
            }


def music(file: Path) -> Iterator[Row]:
    """Tracks with artists, albums, tags and the year of their first release."""
    for line in file.read_bytes().splitlines():
        yield msgspec.json.decode(line)


def films(file: Path) -> Iterator[Row]:
    """Films of MovieLens with genres, year and decade."""
    for line in file.read_text("utf-8").splitlines()[1:]:
        _, title, year, genres = line.split("\t")
        row: Row = {"name": title, "genres": genres.split()}
        if year.isdigit():
            row |= {"year": int(year), "decade": f"{int(year) // 10}0s"}
        yield row


def books(file: Path) -> Iterator[Row]:
    """Books of goodbooks-10k; the series is parted from the title."""
    for row in _csv(file):
        series = _SERIES.search(row["title"])
        yield _filled(
            {
                "name": _SERIES.sub("", row["title"]),
                "full_title": row["title"],
                "series": [series[1]] if series else [],
                "authors": row["authors"].split(", "),
                "year": _number(row["original_publication_year"]),
                "language": row["language_code"],
                "rating": _number(row["average_rating"]),
                "ratings_count": _number(row["ratings_count"]),
            }
        )


def wines(file: Path) -> Iterator[Row]:
    """Wine reviews; both regions in one list."""
    for row in _csv(file):
        if not row["title"]:  # the last line of the file is cut off
            continue
        yield _filled(
            {
                "name": row["title"],
                "variety": row["variety"],
                "winery": row["winery"],
                "country": row["country"],
                "province": row["province"],
                "regions": [row[key] for key in ("region_1", "region_2") if row[key]],
                "taster": row["taster_name"],
                "price": _number(row["price"]),
                "points": _number(row["points"]),
                "description": row["description"],
            }
        )


def games(file: Path) -> Iterator[Row]:
    """Board games with mechanics, categories and designers in lists."""
    for row in _csv(file):
        yield _filled(
            {
                "name": row["names"],
                "mechanics": row["mechanic"].split(", "),
                "categories": row["category"].split(", "),
                "designers": row["designer"].split(", "),
                "min_players": _number(row["min_players"]),
                "max_players": _number(row["max_players"]),
                "minutes": _number(row["avg_time"]),
                "age": _number(row["age"]),
                "year": _number(row["year"]),
                "rating": _number(row["avg_rating"]),
                "weight": _number(row["weight"]),
            }
        )


def _csv(file: Path) -> Iterator[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            yield {key: value or "" for key, value in row.items() if key is not None}


def _number(text: str) -> int | float | None:
    if not text:
        return None
    number = float(text)
    return int(number) if number.is_integer() else number


def _filled(row: Row) -> Row:
    """A row without what its file does not say."""
    return {key: value for key, value in row.items() if value not in ("", None)}


if __name__ == "__main__":
    main()

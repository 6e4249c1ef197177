"""Amazon Reviews 2023: reviews and products of one department, as lines of JSON; or ratings alone.

`Video_Games.jsonl` holds the reviews, `meta_Video_Games.jsonl` the products, each plain or as .gz.
What is rated is the `parent_asin`; its variants (colours, sizes) count as one product. Rows outside
a window of time are passed over in silence, as AgenticRec's preparation does (paper, appendix E);
its cap of histories and its split by time belong to `evaluation/ranking/splits.py`. Millions of
reviews go from the file into the store, and only products that were reviewed become items.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from localrec.data.domains import Domain
from localrec.data.rows import AttributeLink, BulkHistory, ItemRow, Scalar
from localrec.foundation.errors import InputError
from localrec.foundation.prose import as_sentence, with_article
from localrec.foundation.text import clean_name, clean_text
from localrec.sources.amazon_ratings import columns_of, ratings_table
from localrec.sources.bulk_tables import BulkTable
from localrec.sources.import_log import ImportLog
from localrec.sources.json_lines import (
    MAX_NOTE,
    ItemLines,
    first_object,
    id_fault,
    no_object_fault,
    read_objects,
)
from localrec.sources.protocols import Field, FilePreview
from localrec.sources.sql_cells import (
    clean_text_of,
    missing,
    moment_faults,
    moment_since_1970,
    number,
    rating_fault,
)

_REVIEW = ("rating", "title", "text", "asin", "parent_asin", "user_id", "timestamp")
_PRODUCT = ("title", "store", "price", "main_category", "categories", "features", "description")
_ENDINGS = (".jsonl", ".jsonl.gz", ".json", ".json.gz")
_MOST_DESCRIPTION = 1_000  # characters: a department has up to a million products
_PRICE = re.compile(r"\$?\s*(\d{1,7}(?:\.\d{1,2})?)$", re.ASCII)


class Window(msgspec.Struct, frozen=True):
    """A span of time, `since <= moment < until` in UTC; None leaves that side open."""

    since: datetime | None = None
    until: datetime | None = None

    def excludes(self, moment: str) -> str:
        """SQL that is true for a moment outside of the window."""
        sides = [f"{moment} < TIMESTAMP '{self.since}'"] * (self.since is not None)
        sides += [f"{moment} >= TIMESTAMP '{self.until}'"] * (self.until is not None)
        return " OR ".join(sides) or "false"


class AmazonSource:
    """Reads the reviews of a department, and its products where the folder has them.

    Args:
        window: Window of the reviews that count; None takes all.
    """

    kind = "amazon"
    domain = "products"
    personal = False
    fields: tuple[Field, ...] = (
        Field("user_id", "the person's key"),
        Field("parent_asin, asin", "the item's key; `asin` only where the other is missing"),
        Field("rating", "stars from 1 to 5"),
        Field("timestamp", "when, from milliseconds; rows outside the window are passed over"),
        Field("title, text (review)", "the note, at most 1,000 characters"),
        Field(
            "rows without a header: user, item, rating, timestamp; or the item first",
            "the same, of releases that hand out the ratings alone",
        ),
        Field("helpful_vote, verified_purchase, images", "left out"),
        Field("title (product)", "the item's name"),
        Field("store", "link to the brand; property `creator`"),
        Field("categories, main_category", "links to categories"),
        Field("price", "property `price`"),
        Field("description, features", "property `description`; generated where both are empty"),
        Field("average_rating, rating_number, details, bought_together, videos", "left out"),
    )

    def __init__(self, window: Window | None = None) -> None:
        self._window = window or Window()

    def recognises(self, preview: FilePreview) -> bool:
        """A review in the first line, or a folder with a `meta_` file, or ratings alone."""
        if preview.members:
            return any(_is_meta(name.rpartition("/")[2]) for name in preview.members)
        if columns_of(preview.head):
            return True
        return all(f'"{name}"' in preview.head for name in ("parent_asin", "user_id", "rating"))

    def read(self, path: Path, domain: Domain, user: str | None = None) -> BulkHistory:
        """Check every review and read the products that were reviewed.

        Raises:
            InputError: no such files, products in place of reviews, a damaged file, or one of
                which no row can be kept.
        """
        reviews, products = _find_files(path)
        import_log = ImportLog(self.kind, path, domain.name)
        ratings = ratings_table(reviews, self._window.excludes('"at"'))
        if ratings is not None:
            return ratings.history(import_log)
        _check_reviews(reviews)
        table = _as_table(reviews, self._window)
        items = list(_read_products(products, table, import_log)) if products else []
        return table.history(import_log, items=items, more_kept=len(items))


def _find_files(path: Path) -> tuple[Path, Path | None]:
    """The file of reviews and, in a folder, that of the products."""
    if not path.is_dir():
        return path.absolute(), None
    files = sorted(file.absolute() for file in path.iterdir() if file.name.endswith(_ENDINGS))
    products = [file for file in files if _is_meta(file.name.lower())]
    reviews = [file for file in files if file not in products]
    if len(reviews) != 1 or len(products) > 1:
        raise InputError(
            f"{path} holds {len(reviews)} files of reviews and {len(products)} of products; "
            "one of each is read.",
            "Give each department its own folder, such as Video_Games.jsonl and "
            "meta_Video_Games.jsonl.",
        )
    return reviews[0], products[0] if products else None


def _is_meta(name: str) -> bool:
    return name.startswith("meta_") and name.endswith(_ENDINGS)


def _check_reviews(path: Path) -> None:
    first = first_object(path)
    if lacking := {"rating", "user_id", "timestamp"} - first.keys():
        is_product = {"average_rating", "parent_asin"} <= first.keys()
        looks = "it holds products" if is_product else f"it has {', '.join(map(clean_name, first))}"
        raise InputError(
            f"{path}, line 1: a review lacks {', '.join(sorted(lacking))}; {looks}.",
            "Name the file of reviews, or the folder with both files."
            if is_product
            else "Amazon Reviews 2023 has one review per line.",
        )


def _as_table(path: Path, window: Window) -> BulkTable:
    names = "stars", "heading", "words", "variant", "product", "reviewer", "ms"
    renamed = ", ".join(f'"{old}" AS {new}' for old, new in zip(_REVIEW, names, strict=True))
    return BulkTable(
        read=(
            "(SELECT stars, reviewer, ms, coalesce(product, variant) AS product, "
            "concat_ws('. ', nullif(trim(heading), ''), words) AS review "
            f"FROM (SELECT {renamed} FROM {read_objects(path, _REVIEW)}))"
        ),
        columns={
            "user_key": "reviewer",
            "item_key": "product",
            "rating": number("stars"),
            "at": moment_since_1970("ms"),
            "note": f"nullif({clean_text_of('review', MAX_NOTE)}, '')",
        },
        files=(path,),
        first_row=1,
        faults=(
            no_object_fault(("stars", "product", "reviewer", "ms")),
            id_fault("user_id", "reviewer"),
            id_fault("parent_asin", "product"),
            rating_fault("rating", "stars", 1, 5),
            missing("timestamp", '"at"', "ms", "date"),
            *moment_faults("timestamp", "ms"),
        ),
        blank=window.excludes('"at"'),
    )


def _read_products(path: Path, table: BulkTable, import_log: ImportLog) -> Iterator[ItemRow]:
    first_object(path)
    for line, key, *cells in ItemLines(path, "parent_asin", _PRODUCT).read(table, import_log):
        told = dict(zip(_PRODUCT, cells, strict=True))
        name = clean_name(told["title"])
        if not name:
            import_log.repair(
                line, "title", f"of {path.name} is empty; the product is called {key}"
            )
        yield _as_item(key, name or key, told)


def _as_item(key: str, name: str, told: dict[str, str | None]) -> ItemRow:
    brand = clean_name(told["store"])
    categories = _categories(told)
    text = clean_text(" ".join(_texts(told["description"]) + _texts(told["features"])))
    properties: dict[str, Scalar] = {
        "title": name,
        "creator": brand or None,
        "price": _price(told["price"]),
        "description": text[:_MOST_DESCRIPTION] or _describe(name, brand, categories),
        "description_source": "catalogue" if text else "generated",
    }
    links = [AttributeLink(kind="category", name=category) for category in categories]
    if brand:
        links.append(AttributeLink(kind="brand", name=brand))
    return ItemRow(key=key, name=name, properties=properties, links=tuple(links))


def _categories(told: dict[str, str | None]) -> list[str]:
    """The path of categories, broadest first, without repeats."""
    named = map(clean_name, [told["main_category"], *_texts(told["categories"])])
    return list(dict.fromkeys(name for name in named if name))


def _texts(cell: str | None) -> list[str]:
    """The texts of a JSON list; [] where there is none."""
    try:
        entries: Any = msgspec.json.decode((cell or "[]").encode())
    except (msgspec.DecodeError, RecursionError):
        return []
    return [one for one in entries if isinstance(one, str)] if isinstance(entries, list) else []


def _price(cell: str | None) -> float | None:
    """Dollars, also where the file writes "$12.99"; None for "from 10.00" and the like."""
    found = _PRICE.match((cell or "").strip())
    return float(found[1]) if found else None


def _describe(name: str, brand: str, categories: list[str]) -> str:
    kind = f", {with_article(categories[-1])} product" if categories else ""
    return as_sentence(f"{name}{kind}{f' by {brand}' if brand else ''}")

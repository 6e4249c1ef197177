"""Items from RecBole's atomic `.item` files: films above all, other things by the same rules.

The identifier becomes the key, since titles repeat. A year gives the link to its decade; where
the year column holds something else, the title's own "(1995)" is used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from localrec.domains import Domain
from localrec.errors import InputError
from localrec.sources.atomic import AtomicField, AtomicTable
from localrec.sources.base import Field
from localrec.sources.files import Limits
from localrec.sources.prose import join_words
from localrec.sources.receipt import Receipt
from localrec.sources.text import clean_name, clean_text
from localrec.types import AttributeLink, ItemRow, Scalar, SourceTable

_TITLES = ("movie_title", "title", "name", "item_name", "book_title", "product_name")
_YEARS = ("release_year", "year")
_GENRES = ("class", "genre", "genres", "categories", "tags")
_ARTICLES = "The|An?|L[ae]s?|L['’]|Il|Lo|Gli|Das|Der|Die|Det|Den|El|Los|Une?|O"
_INVERTED = re.compile(rf"(?P<rest>[^()]+), (?P<article>{_ARTICLES})(?=\s*(?:\)|\(|$))")
_YEAR_IN_TITLE = re.compile(r"\s*\((?P<year>1[89]\d\d|20\d\d)\)\s*$")
_UNKNOWN = frozenset({"", "unknown", "unkonwn"})  # the second is how MovieLens 100K spells it


class RecBoleItemSource:
    """Reads one `.item` file, or the only one in a folder of atomic files.

    Fields named after an attribute kind of the domain become links as well; every other field
    becomes a property.
    """

    kind = "recbole"
    fields: tuple[Field, ...] = (
        Field("item_id:token", "the item's key"),
        Field("movie_title:token_seq", "the item's name, its article in front; property `title`"),
        Field("release_year:token", "property `year`, and a link to the decade"),
        Field("class:token_seq", "links to genres"),
    )

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()

    def read(self, path: Path, domain: Domain) -> SourceTable:
        """Read every item.

        Raises:
            InputError: no atomic file, no identifier or title among its fields, or no item.
        """
        file = _find_item_file(path)
        table = AtomicTable(file, self._limits)
        receipt = Receipt(self.kind, file, domain.name)
        reader = _ItemReader(file, table.fields, domain, receipt)
        items: dict[str, ItemRow] = {}
        for row, cells in table.rows():
            item = reader.read_item(row, cells)
            if item is None:
                continue
            if item.key in items:
                receipt.merge(row, "item_id", f"({item.key}) is already there")
                continue
            items[item.key] = item
        for row, problem in table.ragged:
            receipt.drop(row, None, problem)
        if not items:
            raise InputError(
                f"{file} holds no item that can be kept: {receipt.first_drop()}.",
                "Each row needs an item_id and a title.",
            )
        return SourceTable(items=tuple(items.values()), report=receipt.report(kept=len(items)))


class _ItemReader:
    """Turns rows into items, by the fields of one file and the kinds of one domain."""

    def __init__(
        self, path: Path, fields: tuple[AtomicField, ...], domain: Domain, receipt: Receipt
    ) -> None:
        self._receipt = receipt
        names = [field.name for field in fields]
        title = next((name for name in _TITLES if name in names), None)
        if "item_id" not in names or title is None:
            raise InputError(
                f"{path} lacks the field {'title' if 'item_id' in names else 'item_id'}; "
                f"it has {', '.join(names)}.",
                f"An .item file needs item_id and one of {', '.join(_TITLES)}.",
            )
        self._title = title
        self._year = next((name for name in _YEARS if name in names), None)
        self._decade_kind = "decade" if "decade" in domain.attributes else None
        self._link_kinds = self._find_link_kinds(fields, domain)
        taken = {"item_id", self._title, self._year, *self._link_kinds}
        self._others = [field for field in fields if field.name not in taken]

    def read_item(self, row: int, cells: dict[str, str]) -> ItemRow | None:
        """The item of a row, or None where it was dropped (the receipt says why)."""
        key, title = clean_name(cells["item_id"]), clean_name(cells[self._title])
        if not key or not title:
            self._receipt.drop(row, self._title if key else "item_id", "is empty there")
            return None
        title, year = self._read_year(row, title, cells)
        links = tuple(self._read_links(cells, year))
        genres = [link.name.casefold() for link in links if link.kind != self._decade_kind]
        name = restore_article(title)
        properties: dict[str, Scalar] = {
            "title": clean_name(cells[self._title]),
            "year": year,
            "description": _describe(name, year, genres),
            "description_source": "generated",
        }
        for field in self._others:
            properties[field.name] = self._read_property(row, field, cells[field.name])
        return ItemRow(key=key, name=name, properties=properties, links=links)

    def _find_link_kinds(self, fields: tuple[AtomicField, ...], domain: Domain) -> dict[str, str]:
        """Field name -> attribute kind; genre-like fields play the domain's component."""
        component = domain.kind_of("component")
        kinds = {field.name: field.name for field in fields if field.name in domain.attributes}
        if component is not None:
            kinds |= {field.name: component for field in fields if field.name in _GENRES}
        return kinds

    def _read_year(self, row: int, title: str, cells: dict[str, str]) -> tuple[str, int | None]:
        """The title without its year, and the year of the row."""
        in_title = _YEAR_IN_TITLE.search(title)
        if in_title:
            title = title[: in_title.start()]
        if self._year is None:
            return title, int(in_title["year"]) if in_title else None
        told = cells[self._year].strip()
        if re.fullmatch(r"1[89]\d\d|20\d\d", told, re.ASCII):
            return title, int(told)
        year = int(in_title["year"]) if in_title else None
        found = f"{year} was read from the title" if year else "it was left out"
        self._receipt.repair(row, self._year, f"{clean_name(told)!r} is no year; {found}")
        return title, year

    def _read_links(self, cells: dict[str, str], year: int | None) -> Iterator[AttributeLink]:
        for field, kind in self._link_kinds.items():
            for name in dict.fromkeys(cells[field].split()):
                if name.casefold() not in _UNKNOWN:
                    yield AttributeLink(kind=kind, name=clean_name(name))
        if year is not None and self._decade_kind:
            yield AttributeLink(kind=self._decade_kind, name=f"{year // 10 * 10}s")

    def _read_property(self, row: int, field: AtomicField, cell: str) -> Scalar:
        if field.type != "float" or not cell.strip():
            return clean_text(cell)
        try:
            return float(cell)
        except ValueError:
            self._receipt.repair(row, field.name, f"{clean_name(cell)!r} is no number; left out")
            return None


def restore_article(title: str) -> str:
    """A title with its article in front again: "Godfather, The" is "The Godfather".

    The other title in parentheses is put right as well.
    """
    return _INVERTED.sub(_put_article_first, title)


def _put_article_first(found: re.Match[str]) -> str:
    article, rest = found["article"], found["rest"]
    before = rest[: len(rest) - len(rest.lstrip())]
    space = "" if article.endswith(("'", "’")) else " "
    return f"{before}{article}{space}{rest.lstrip()}"


def _describe(name: str, year: int | None, genres: list[str]) -> str:
    dated = f"{name} ({year})" if year else name
    return f"{dated}: {join_words(genres)}." if genres else f"{dated}."


def _find_item_file(path: Path) -> Path:
    if not path.is_dir():
        return path
    found = sorted(path.glob("*.item"))
    if len(found) != 1:
        raise InputError(
            f"{path} holds {len(found)} files that end in .item; one is needed.", "Name the file."
        )
    return found[0]

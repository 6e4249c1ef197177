"""Open Library's dumps of works, with editions and authors where they lie beside them.

Editions tell which work an ISBN is of, authors what their keys stand for. Of the subjects, those
that the domain knows become genres; of a work without one, the first few plain ones.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec

from localrec.data.domains import Domain
from localrec.data.knowledge import Wanted, rough_title_sql
from localrec.data.rows import AttributeLink, CatalogueRows, ItemRow, Scalar
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name, clean_text, identity_of
from localrec.sources.bulk_tables import BulkReader
from localrec.sources.dumps.dump_lines import (
    beside,
    dump_lines,
    first_line,
    need_file,
    stage_wanted,
)
from localrec.sources.import_log import ImportLog
from localrec.sources.protocols import Field, FilePreview

_YEAR = re.compile(r"(?<!\d)[12]\d{3}(?!\d)", re.ASCII)
_PLAIN = re.compile(r"[^\W\d]+(?:[ '-][^\W\d]+){0,2}")
_MOST_GENRES = 8
_FEW_SUBJECTS = 4
_CELLS = 5


class OpenLibrarySource:
    """Reads works, all or those that a store may hold."""

    kind = "openlibrary"
    domain = "books"
    identifier = "isbn13"
    fields: tuple[Field, ...] = (
        Field("works: title, authors", "the name, `creator` and a link to the author"),
        Field("works: subjects", "links to genres: those that the domain knows, else a few"),
        Field("works: first_publish_date; editions: publish_date", "property `year`, the decade"),
        Field("works: description", "searchable text `description`"),
        Field("works: key", "property `openlibrary`"),
        Field("editions: isbn_13, isbn_10", "property `isbn13`; items are found again by it"),
        Field("authors: name", "names of the works' authors"),
        Field("everything else", "left out"),
    )

    def recognises(self, preview: FilePreview) -> bool:
        """Whether its first line is a work of Open Library."""
        return preview.head.startswith("/type/work\t/works/OL")

    def read(self, path: Path, domain: Domain, wanted: Wanted | None = None) -> CatalogueRows:
        """Read the works that are wanted, or every one.

        Raises:
            InputError: no such dump, or a damaged one.
        """
        file = need_file(path, "works of Open Library", "ol_dump_works*.txt")
        if not first_line(file).startswith("/type/work\t"):
            raise InputError(
                f"{file} is no dump of Open Library's works.",
                "Download ol_dump_works_latest.txt.gz from Open Library.",
            )
        import_log = ImportLog(self.kind, path, domain.name)
        isbns, found, names = _read(file, wanted)
        reader = _Reader(domain, isbns, names)
        items: dict[str, ItemRow] = {}
        for key, raw in found:
            try:
                item = reader.make_item(key, raw)
            except msgspec.DecodeError:  # DuckDB allows a comma at the end, JSON does not
                import_log.drop(0, "json", f"({clean_name(key)}) is no JSON")
                continue
            if item is None:
                import_log.drop(0, "title", f"({clean_name(key)}) has no title")
            elif item.key in items:
                import_log.merge(0, "key", f"({item.key}) is there twice")
            else:
                items[item.key] = item
        return CatalogueRows(items=tuple(items.values()), report=import_log.report(len(items)))


def _read(
    file: Path, wanted: Wanted | None
) -> tuple[dict[str, str], list[tuple[str, str]], dict[str, str]]:
    """Work -> ISBN, (work, its JSON), author -> name."""
    editions = beside(file, "ol_dump_editions*.txt")
    authors = beside(file, "ol_dump_authors*.txt")
    with BulkReader([one for one in (file, editions, authors) if one]) as reader:
        stage_wanted(reader, wanted or Wanted(), "isbn13")
        isbns: dict[str, str] = {}
        if editions is not None and wanted is not None and wanted.ids.get("isbn13"):
            isbns = _works_of_isbns(reader, editions)
        known = ", ".join(f"'{key}'" for key in isbns if key.isascii() and "'" not in key) or "''"
        title = rough_title_sql(_told("title"))
        where = (
            "true"
            if wanted is None
            else f"(cells[2] IN ({known}) OR {title} IN (SELECT one FROM wanted_title))"
        )
        reader.rows(
            f"CREATE TABLE work AS SELECT cells[2] AS key, cells[5] AS raw FROM {dump_lines(file)} "
            f"WHERE len(cells) = {_CELLS} AND json_valid(cells[5]) AND {where}"
        )
        names = _names(reader, authors) if authors else {}
        return isbns, reader.rows("SELECT key, raw FROM work ORDER BY key"), names


def _works_of_isbns(reader: BulkReader, editions: Path) -> dict[str, str]:
    rows = reader.rows(
        "SELECT json_extract_string(raw, '$.works[0].key'), one FROM (SELECT cells[5] AS raw, "
        "unnest(from_json(coalesce(json_extract(cells[5], '$.isbn_13'), '[]'), '[\"VARCHAR\"]')) "
        f"AS isbn FROM {dump_lines(editions)} WHERE len(cells) = {_CELLS} "
        "AND json_valid(cells[5]) AND contains(cells[5], 'isbn_13')) "
        "JOIN wanted_id ON one = replace(isbn, '-', '')"
    )
    return {work: isbn for work, isbn in rows if work}


def _names(reader: BulkReader, authors: Path) -> dict[str, str]:
    reader.rows(
        "CREATE TABLE writer AS SELECT DISTINCT unnest(from_json(coalesce("
        "json_extract(raw, '$.authors[*].author.key'), '[]'), '[\"VARCHAR\"]')) AS key FROM work"
    )
    return dict(
        reader.rows(
            f"SELECT cells[2], {_told('name')} FROM {dump_lines(authors)} "
            f"WHERE len(cells) = {_CELLS} AND cells[2] IN (SELECT key FROM writer) "
            "AND json_valid(cells[5])"
        )
    )


def _told(field: str) -> str:
    return f"json_extract_string(CASE WHEN json_valid(cells[5]) THEN cells[5] END, '$.{field}')"


class _Reader:
    """Makes items of works, in the words of a domain."""

    def __init__(self, domain: Domain, isbns: dict[str, str], names: dict[str, str]) -> None:
        self._isbns, self._names = isbns, names
        self._genre = domain.kind_of("component")
        self._author = domain.kind_of("creator")
        self._decade = domain.kind_of("container")
        spellings = domain.concept_names(self._genre).items() if self._genre else ()
        self._concepts = {identity_of(spelling): name for spelling, name in spellings}

    def make_item(self, key: str, raw: str) -> ItemRow | None:
        """The item of a work, None where it has no title.

        Raises:
            msgspec.DecodeError: `raw` is no JSON.
        """
        told: Any = msgspec.json.decode(raw.encode())
        name = clean_name(told.get("title")) if isinstance(told, dict) else ""
        if not name:
            return None
        authors = [self._names.get(one, "") for one in _author_keys(told)]
        creators = list(dict.fromkeys(filter(None, map(clean_name, authors))))
        dated = _YEAR.search(str(told.get("first_publish_date", "")))
        year = int(dated.group()) if dated else None
        properties: dict[str, Scalar] = {
            "title": name,
            "creator": creators[0] if creators else None,
            "year": year,
            "openlibrary": clean_name(key.removeprefix("/works/")),
            "isbn13": self._isbns.get(key),
            "description": _description(told),
            "description_source": "source" if _description(told) else None,
        }
        links = [(self._author, one) for one in creators]
        links += [(self._genre, one) for one in self._genres(told)]
        if year:
            links.append((self._decade, f"{year // 10 * 10}s"))
        return ItemRow(
            key=clean_name(key.removeprefix("/works/")),
            name=name,
            properties={one: value for one, value in properties.items() if value is not None},
            links=tuple(AttributeLink(kind=kind, name=one) for kind, one in links if kind),
        )

    def _genres(self, told: dict[str, Any]) -> list[str]:
        subjects = [clean_name(one) for one in _list(told.get("subjects")) if isinstance(one, str)]
        known = [
            self._concepts[identity_of(one)]
            for one in subjects
            if one and identity_of(one) in self._concepts
        ]
        plain = [one.casefold() for one in subjects if _PLAIN.fullmatch(one)]
        return list(dict.fromkeys(known))[:_MOST_GENRES] or plain[:_FEW_SUBJECTS]


def _author_keys(told: dict[str, Any]) -> list[str]:
    found = []
    for one in _list(told.get("authors")):
        author = one.get("author") if isinstance(one, dict) else None
        key = author.get("key") if isinstance(author, dict) else author
        if isinstance(key, str):
            found.append(key)
    return found


def _description(told: dict[str, Any]) -> str:
    text = told.get("description")
    return clean_text(text.get("value") if isinstance(text, dict) else text)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []

"""MusicBrainz's dump of release groups, one JSON object a line: albums with their tags and year.

What is said of an album is said of its tracks: they are found by album and artist.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from localrec.data.domains import Domain
from localrec.data.knowledge import Wanted, rough_title_sql
from localrec.data.rows import AttributeLink, CatalogueRows, ItemRow, Scalar
from localrec.foundation.errors import InputError
from localrec.foundation.text import clean_name
from localrec.sources.bulk_tables import BulkReader
from localrec.sources.dumps.dump_lines import dump_lines, first_line, need_file, stage_wanted
from localrec.sources.import_log import ImportLog
from localrec.sources.protocols import Field, FilePreview

_MOST_TAGS = 8


class MusicBrainzSource:
    """Reads release groups, all or those that a store may hold."""

    kind = "musicbrainz"
    domain = "music"
    identifier = "musicbrainz"
    fields: tuple[Field, ...] = (
        Field("title, artist-credit", "the album and its artist; tracks are found by both"),
        Field("tags, genres", "links to tags, the most given first"),
        Field("first-release-date", "property `year`, and a link to the decade"),
        Field("id", "property `musicbrainz`"),
        Field("primary-type, relations, ratings, aliases", "left out"),
    )

    def recognises(self, preview: FilePreview) -> bool:
        """Whether its first line is a release group."""
        line = preview.head.split("\n", 1)[0]
        return line.startswith("{") and '"artist-credit"' in line and '"primary-type"' in line

    def read(self, path: Path, domain: Domain, wanted: Wanted | None = None) -> CatalogueRows:
        """Read the albums that are wanted, or every one.

        Raises:
            InputError: no such dump, or a damaged one.
        """
        file = need_file(path, "release groups of MusicBrainz", "release-group")
        line = first_line(file)
        if not line.startswith("{") or '"artist-credit"' not in line:
            raise InputError(
                f"{file} is no dump of MusicBrainz's release groups.",
                "Unpack release-group.tar.xz and name the file release-group in it.",
            )
        import_log = ImportLog(self.kind, path, domain.name)
        whole = "array_to_string(cells, '')"
        title = f"json_extract_string(CASE WHEN json_valid({whole}) THEN {whole} END, '$.title')"
        where = (
            f"{title} IS NOT NULL"
            if wanted is None
            else f"{rough_title_sql(title)} IN (SELECT one FROM wanted_title)"
        )
        with BulkReader([file]) as reader:
            stage_wanted(reader, wanted or Wanted(), self.identifier)
            lines = reader.rows(f"SELECT {whole} FROM {dump_lines(file)} WHERE {where}")
        items: dict[str, ItemRow] = {}
        for (raw,) in lines:
            item = _make_item(msgspec.json.decode(raw.encode()), domain)
            if item is None:
                import_log.drop(0, "title", "has no title")
            elif item.key in items:
                import_log.merge(0, "id", f"({item.key}) is there twice")
            else:
                items[item.key] = item
        return CatalogueRows(items=tuple(items.values()), report=import_log.report(len(items)))


def _make_item(told: Any, domain: Domain) -> ItemRow | None:
    name = clean_name(told.get("title")) if isinstance(told, dict) else ""
    key = clean_name(told.get("id")) if name else ""
    if not key:
        return None
    credits = told.get("artist-credit")
    artists = [clean_name(one.get("name")) for one in _objects(credits)]
    date = str(told.get("first-release-date") or "")[:4]
    year = int(date) if date.isascii() and date.isdecimal() and len(date) == 4 else None
    properties: dict[str, Scalar] = {
        "album": name,
        "creator": artists[0] if artists else None,
        "year": year,
        "musicbrainz": key,
    }
    tag, maker = domain.kind_of("component"), domain.kind_of("creator")
    decade = domain.kind_of("container")
    links = [(maker, one) for one in artists if one] + [(tag, one) for one in _tags(told)]
    if year and year >= 1000:
        links.append((decade, f"{year // 10 * 10}s"))
    return ItemRow(
        key=key,
        name=name,
        properties={one: value for one, value in properties.items() if value is not None},
        links=tuple(AttributeLink(kind=kind, name=one) for kind, one in links if kind),
    )


def _tags(told: dict[str, Any]) -> list[str]:
    counts: dict[str, int] = {}
    for one in (*_objects(told.get("genres")), *_objects(told.get("tags"))):
        count = one.get("count")
        name = clean_name(one.get("name"))
        if name and isinstance(count, int) and count > 0:
            counts[name] = max(count, counts.get(name, 0))
    return sorted(counts, key=lambda name: -counts[name])[:_MOST_TAGS]


def _objects(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []

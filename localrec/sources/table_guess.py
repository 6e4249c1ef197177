"""A table of no known format: what it is near to, and a mapping made from its header and values."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from localrec.foundation.toml_text import toml_text
from localrec.sources import open_source, source_kinds
from localrec.sources.catalogues.column_profiles import ColumnProfile, profile_columns
from localrec.sources.catalogues.header_words import CREATORS, header_words
from localrec.sources.catalogues.number_columns import zero_is_missing
from localrec.sources.catalogues.records import RecordTable
from localrec.sources.mapped_table import (
    ColumnMapping,
    RatingScale,
    TableMapping,
    TimestampFormat,
)

_LEAST_SHARED = 2  # columns that make a format near
_TOPS = (5.0, 10.0, 20.0, 100.0)
_SHARED_TIMES = 1.15  # rows for each user on average above which a column tells users apart
_FORMATS = (
    ("%d/%m/%Y", r"\d{1,2}/\d{1,2}/\d{4}"),
    ("%d.%m.%Y", r"\d{1,2}\.\d{1,2}\.\d{4}"),
    ("%B %d, %Y", r"[A-Z][a-z]+ \d{1,2}, \d{4}"),
)
_DOMAIN_WORDS = {
    "books": {"book", "isbn", "isbn13", "author", "page"},
    "music": {"track", "song", "artist", "album"},
    "products": {"asin", "product", "brand"},
    "places": {"business", "restaurant", "venue"},
    "cocktails": {"drink", "cocktail"},
}


class NearKind(msgspec.Struct, frozen=True):
    """A format that a table resembles: the columns it shares, and those it lacks."""

    kind: str
    shared: tuple[str, ...]
    missing: tuple[str, ...]

    def as_sentence(self) -> str:
        """What is there and what is missing, for people."""
        lacks = f" and lacks {', '.join(self.missing[:5])}" if self.missing else ""
        return f"It has {', '.join(self.shared[:5])} of {self.kind}{lacks}."


def nearest_kinds(table: RecordTable) -> list[NearKind]:
    """The formats whose columns a table has some of, the nearest first."""
    here = {column.casefold(): column for column in table.columns}
    found = []
    for kind in source_kinds():
        names = [
            name.strip().strip("`")
            for field in open_source(kind).fields
            for name in field.name.rpartition(":")[2].split(",")
        ]
        shared = [name for name in names if name.casefold() in here]
        missing = [name for name in names if name.casefold() not in here and "." not in name]
        if len(shared) >= _LEAST_SHARED and len(shared) >= min(3, len(missing) / 4):
            found.append(NearKind(kind, tuple(shared), tuple(missing)))
    return sorted(found, key=lambda one: -len(one.shared) / (1 + len(one.missing)))[:2]


def propose_mapping(table: RecordTable, user: str | None) -> TableMapping | None:
    """A mapping for a table of what users did; None where it tells of items alone.

    Args:
        table: The records.
        user: Whose all rows are, where somebody was named.
    """
    profiles = profile_columns(table)
    who = None if user else _user_column(profiles)
    rating, when = _of(profiles, "rating"), _time_column(profiles)
    if who is None and (user is None or (rating is None and when is None)):
        return None
    left = [one for one in profiles if one not in (who, rating, when)]
    title = _of(left, "name")
    item = next((one for one in left if one.meaning == "id" or _is_key(one)), title)
    if item is None:
        return None
    creator = next((one for one in left if one.meaning in CREATORS), None)
    year = _of(left, "year")
    return TableMapping(
        columns=ColumnMapping(
            item=item.name,
            user=who.name if who else None,
            title=title.name if title else None,
            rating=rating.name if rating else None,
            timestamp=when.name if when else None,
            year=year.name if year else None,
            creator=creator.name if creator else None,
        ),
        data=table.path.name,
        rating=_scale(rating),
        timestamp=_moments(when),
    )


def mapping_text(mapping: TableMapping) -> str:
    """A mapping as the TOML that `table` reads."""
    columns = msgspec.structs.asdict(mapping.columns)
    told: dict[str, object] = {"data": mapping.data, "columns": columns}
    if mapping.columns.rating:
        scale = {"scale": list(mapping.rating.scale), "unrated": mapping.rating.unrated}
        told["rating"] = scale
    if mapping.columns.timestamp:
        told["timestamp"] = {
            "unit": mapping.timestamp.unit,
            "format": mapping.timestamp.format,
        }
    return toml_text(told)


def domain_of_header(path: Path, columns: tuple[str, ...]) -> str:
    """The shipped domain that a table of users is likeliest about, by its name and header."""
    words = {word for column in (path.stem, *columns) for word in header_words(column)}
    scores = {name: len(words & told) for name, told in _DOMAIN_WORDS.items()}
    best = max(scores, key=lambda name: scores[name])
    return best if scores[best] else "movies"


def _of(profiles: list[ColumnProfile], meaning: str) -> ColumnProfile | None:
    told = [one for one in profiles if one.meaning == meaning and one.holds != "nothing"]
    if meaning in ("rating", "year"):
        told = [one for one in told if one.holds == "number"]
    return max(told, key=lambda one: one.certainty, default=None)


def _user_column(profiles: list[ColumnProfile]) -> ColumnProfile | None:
    told = [one for one in profiles if one.meaning == "user" and one.certainty >= 0.5]
    told = [one for one in told if one.total >= one.distinct * _SHARED_TIMES or one.total < 20]
    return max(told, key=lambda one: one.certainty, default=None)


def _time_column(profiles: list[ColumnProfile]) -> ColumnProfile | None:
    told = [one for one in profiles if one.holds == "date"]
    told += [one for one in profiles if one.holds == "number" and one.meaning == "date"]
    return told[0] if told else None


def _is_key(one: ColumnProfile) -> bool:
    words = header_words(one.name)
    return words[-1:] in (("id",), ("isbn",), ("asin",), ("key",)) and one.meaning != "user"


def _scale(rating: ColumnProfile | None) -> RatingScale:
    if rating is None:
        return RatingScale()
    top = next((top for top in _TOPS if rating.high <= top), rating.high)
    unrated = zero_is_missing(rating, "rating")
    low = 1.0 if unrated or rating.low >= 1 else min(rating.low, 0.5 if rating.low else 0.0)
    return RatingScale(scale=(low, top), unrated=0.0 if unrated else None)


def _moments(when: ColumnProfile | None) -> TimestampFormat:
    if when is None:
        return TimestampFormat()
    if when.holds == "number":
        return TimestampFormat(unit="since 1970")
    for form, pattern in _FORMATS:
        if when.first and all(re.fullmatch(pattern, cell) for cell in when.first):
            return TimestampFormat(format=form)
    return TimestampFormat()

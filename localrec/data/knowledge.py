"""The identifiers of a store's items, to read a public dump for these items alone."""

from __future__ import annotations

import re
import unicodedata

import msgspec

_NO_LETTER = re.compile(r"[^a-z0-9]+")


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """The items to look for in a dump.

    Args:
        ids: Name of an identifier, such as `imdb` -> those that items bear.
        titles: Rough titles of items (`rough_title`), of their albums too.
    """

    ids: dict[str, frozenset[str]] = {}
    titles: frozenset[str] = frozenset()


def rough_title(title: str) -> str:
    """Reduce a title to lower-case letters and digits; SQL can do the same."""
    apart = unicodedata.normalize("NFKD", title.lower())
    plain = _NO_LETTER.sub("", "".join(one for one in apart if not unicodedata.combining(one)))
    return plain or title.lower().strip()


def rough_title_sql(title: str) -> str:
    """Write the SQL of `rough_title` for a SQL text."""
    plain = f"regexp_replace(strip_accents(lower({title})), '[^a-z0-9]+', '', 'g')"
    return f"coalesce(nullif({plain}, ''), lower(trim({title})))"

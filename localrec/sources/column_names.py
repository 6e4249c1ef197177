"""Columns whose names differ from those of a format in their case, or in their language."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from localrec.sources.delimited_tables import DelimitedTable
from localrec.sources.protocols import Field


def restore_names(
    table: DelimitedTable, fields: Sequence[Field], renamed: Mapping[str, str] | None = None
) -> DelimitedTable:
    """The table, with its columns called as the format calls them.

    Scripts and databases write names in small letters. Where two columns would have one name, all
    stay as they are.

    Args:
        table: An opened table, which is changed.
        fields: The columns of the format.
        renamed: Other names of them, in lower case, such as those in other languages.
    """
    known = dict(renamed or {})
    for name in (name for field in fields for name in _names_of(field)):
        known.setdefault(name.casefold(), name)
    header = tuple(known.get(name.casefold(), name) for name in table.header)
    if len({*header}) == len(header):
        table.header = header
    return table


def _names_of(field: Field) -> list[str]:
    """The columns in a field's name: "ratings.csv, diary.csv: Rating, Date" has two."""
    return re.split(r"[,;] ", field.name.rpartition(": ")[2])

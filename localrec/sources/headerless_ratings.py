"""Tables of ratings without a header, as many data sets are handed out: told by their cells."""

from __future__ import annotations

import re
from collections.abc import Sequence

from localrec.sources.catalogues.column_profiles import ColumnProfile
from localrec.sources.catalogues.records import RecordTable
from localrec.sources.interaction_columns import lie_in_seconds
from localrec.sources.rating_columns import rating_by_cells
from localrec.sources.table_mapping import ColumnMapping, TableMapping, TimestampFormat

_LETTERED = re.compile(r"column [A-Z]")  # what a column without a header is called
_MOST_RATINGS = 21  # different ones: 0 to 10 in halves
_HIGHEST = 10


def headerless_mapping(
    table: RecordTable, profiles: Sequence[ColumnProfile]
) -> TableMapping | None:
    """A mapping for users, items, ratings and perhaps seconds in columns without names.

    Who stands before what was rated, as nearly everywhere.
    """
    if not all(_LETTERED.fullmatch(one.name) for one in profiles):
        return None
    numbers = [one for one in profiles if one.holds in ("number", "id", "rows")]
    times = [one for one in numbers if lie_in_seconds(one)]
    ratings = [
        one
        for one in numbers
        if one.distinct <= _MOST_RATINGS and 0 <= one.low < one.high <= _HIGHEST
    ]
    keys = [one for one in profiles if one not in times and one not in ratings]
    if len(ratings) != 1 or len(times) > 1 or len(keys) != 2:
        return None
    user, item = keys
    return TableMapping(
        columns=ColumnMapping(
            user=user.name,
            item=item.name,
            rating=ratings[0].name,
            timestamp=times[0].name if times else None,
        ),
        data=table.path.name,
        rating=rating_by_cells(ratings[0], table).scale(),
        timestamp=TimestampFormat(unit="since 1970" if times else "iso"),
    )

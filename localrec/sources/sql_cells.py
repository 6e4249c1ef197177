"""Cells as SQL: what turns a text of a bulk table into a number, a moment or a harmless text.

Every function takes and gives SQL. None of what it gives fails on any text: a cell that is not
what it should be becomes NULL, and a `Fault` says so.
"""

from __future__ import annotations

from localrec.foundation.sql import sql_literal
from localrec.foundation.text import MAX_NAME, MAX_TEXT
from localrec.sources.bulk_tables import RowFault, latest_moment

# Nearly every key is of this kind; the long way round costs fifty times as much.
_PLAIN = r"[A-Za-z0-9_.@/-]{0,200}"
_LATEST_SECOND = 10**11  # a larger number counts milliseconds since 1970
# The same steps as `clean_text`, in the dialect of RE2, which has no lookahead.
_ANSI = (
    r"(?:\x{1b}\[|\x{9b})[0-?]*[ -/]*[@-~]?"
    r"|(?:\x{1b}[\]PX^_]|[\x{90}\x{98}\x{9d}\x{9e}\x{9f}])[^\x{07}\x{1b}\x{9c}\r\n]*"
    r"(?:\x{07}|\x{1b}\\|\x{9c})?"
    r"|\x{1b}[ -/]*[0-~]?"
)
_BLANKS = r"\pZ+"
_INVISIBLE = (
    r"[^\pL\pM\pN\pP\pS\pZ]"
    r"|[\x{34f}\x{115f}\x{1160}\x{17b4}\x{17b5}\x{180b}-\x{180d}\x{180f}\x{2800}\x{3164}"
    r"\x{fe00}-\x{fe0f}\x{ffa0}\x{e0100}-\x{e01ef}]"
)


def whole_number(cell: str) -> str:
    """BIGINT, or NULL for what is no number or too large."""
    return f"TRY_CAST({cell} AS BIGINT)"


def key_number(cell: str) -> str:
    """INTEGER of a text, or NULL for what is no whole number or beyond 2,147,483,647.

    A cast alone would round 1.5 to 2, and so make somebody of somebody else.
    """
    is_part = f"contains({cell}, '.') AND TRY_CAST({cell} AS DOUBLE) <> TRY_CAST({cell} AS INTEGER)"
    return f"CASE WHEN {is_part} THEN NULL ELSE TRY_CAST({cell} AS INTEGER) END"


def key_of_double(cell: str) -> str:
    """INTEGER of a DOUBLE, or NULL for what is no whole number or beyond 2,147,483,647."""
    return f"CASE WHEN {cell} = TRY_CAST({cell} AS INTEGER) THEN CAST({cell} AS INTEGER) END"


def number(cell: str) -> str:
    """FLOAT, or NULL for what is no number."""
    return f"TRY_CAST({cell} AS FLOAT)"


def moment_since_1970(cell: str) -> str:
    """TIMESTAMP in UTC of a count of seconds, or milliseconds where it is that large."""
    count = whole_number(cell)
    return (
        f"make_timestamp(CASE WHEN {count} BETWEEN 0 AND {_LATEST_SECOND} THEN {count} * 1000000 "
        f"WHEN {count} BETWEEN 0 AND {_LATEST_SECOND * 1000} THEN {count} * 1000 END)"
    )


def moment_of(cell: str) -> str:
    """TIMESTAMP in UTC of a moment in ISO 8601; without an offset it is taken to be in UTC."""
    # Cast straight to TIMESTAMP, an offset would be passed over.
    return (
        f"CASE WHEN regexp_matches({cell}, '[0-9](Z|[+-][0-9]{{2}}(:?[0-9]{{2}})?)\\s*$') "
        f"AND contains({cell}, ':') "
        f"THEN TRY_CAST({cell} AS TIMESTAMPTZ) AT TIME ZONE 'UTC' "
        f"ELSE TRY_CAST({cell} AS TIMESTAMP) END"
    )


def clean_text_of(cell: str, limit: int = MAX_TEXT) -> str:
    """VARCHAR: what `clean_text` makes of the cell."""
    return f"CASE WHEN {_is_plain(cell)} THEN {cell} ELSE {_clean(cell, limit)} END"


def clean_name_of(cell: str) -> str:
    """VARCHAR: what `clean_name` makes of the cell."""
    cleaned = f"trim({_clean(cell, MAX_NAME)}, ' ,;:')"
    return f"CASE WHEN {_is_plain(cell)} THEN {cell} ELSE {cleaned} END"


def missing(column: str, typed: str, cell: str, what: str = "number") -> RowFault:
    """The fault of a cell from which no `typed` value could be made."""
    return RowFault(column, f"{typed} IS NULL", f"{{value}} is no {what}", cell)


def empty(column: str, typed: str) -> RowFault:
    """The fault of a key that is empty, or has no letter that can be shown."""
    return RowFault(column, f"coalesce({typed}, '') = ''", "is empty there", typed)


def rating_fault(column: str, cell: str, low: float, high: float) -> RowFault:
    """The fault of a rating on a scale; an empty cell is none."""
    told = f"{{value}} is no rating from {low:g} to {high:g}"
    # NaN counts as larger than any number.
    outside = f"coalesce({number(cell)} NOT BETWEEN {low} AND {high}, {_is_filled(cell)})"
    return RowFault(column, outside, told, cell)


def moment_faults(column: str, cell: str) -> tuple[RowFault, ...]:
    """The faults of a moment that stands in the typed column `at`; an empty cell is none."""
    latest = sql_literal(latest_moment().isoformat(" "))
    return (
        RowFault(column, f'"at" IS NULL AND {_is_filled(cell)}', "{value} is no date", cell),
        RowFault(column, f'"at" > TIMESTAMP {latest}', "{value} is in the future", cell),
    )


def stars(cell: str, low: float, high: float) -> str:
    """FLOAT: a rating on a scale from `low` to `high` as stars, 0.5 to 5.

    A scale from 0 or 1 up is stretched so that its top is five stars ("7 of 10" is 3.5); any
    other scale is laid evenly over 0.5 to 5.
    """
    if low in (0, 0.5, 1):
        value = f"{number(cell)} * 5 / {high}"
        return f"CASE WHEN {value} < 0.5 THEN 0.5 ELSE {value} END"  # greatest() forgets NULL
    return f"0.5 + ({number(cell)} - {low}) * 4.5 / {high - low}"


def _is_filled(cell: str) -> str:
    return f"trim(CAST({cell} AS VARCHAR)) <> ''"  # of a typed cell as well


def _is_plain(cell: str) -> str:
    return f"regexp_full_match({cell}, {sql_literal(_PLAIN)})"


def _clean(cell: str, limit: int) -> str:
    text = _replaced(cell, _ANSI, "")
    text = _replaced(text, r"[\t\n\v\f\r\x{85}]+", " ")
    text = f"nfc_normalize({_replaced(text, _INVISIBLE, '')})"
    text = f"trim({_replaced(text, _BLANKS, ' ')})"
    for _ in range(2):  # a letter that ends one token may begin the next, as in "<<s>"
        text = _replaced(text, r"<([^\s\p{Nd}])", r"< \1")
    text = _replaced(text, r"\[(/?[A-Z][A-Z_]*\])", r"[ \1")
    return f"rtrim(left({text}, {limit}))"


def _replaced(text: str, pattern: str, by: str) -> str:
    return f"regexp_replace({text}, {sql_literal(pattern)}, {sql_literal(by)}, 'g')"

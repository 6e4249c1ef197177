"""What each column of a table holds, told from its cells: numbers, lists, names, texts, ids."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

import msgspec

from localrec.foundation.text import clean_text
from localrec.sources.catalogues.currencies import bears_sign
from localrec.sources.catalogues.header_words import CREATORS, meaning_of
from localrec.sources.catalogues.numbers import (
    End,
    NumberFormat,
    number_format,
    share_of_any_unit,
)
from localrec.sources.catalogues.records import Cell, RecordTable
from localrec.sources.catalogues.units import MEASURED
from localrec.sources.list_cells import is_missing, read_list

Holds = Literal["nothing", "rows", "url", "date", "flag", "number", "list", "text", "name", "id"]
_SEPARATORS = ("|", ";", ", ", ",", " / ")
_URL = re.compile(r"(?:https?://|www\.|file:///|/[\w./-]+\.(?:jpg|png))\S*", re.IGNORECASE)
_DATE = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}(?:[ T].*)?|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}"
    r"(?:[ T,]+\d{1,2}:.*)?|[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4}(?:,? \d{1,2}:.*)?"
    r"|\d{1,2}\.? [A-Z][a-z]{2,8}\.?,? \d{4}(?:,? \d{1,2}:.*)?"
)
_SUFFIX = re.compile(r"(?:jr|sr|ph\. ?d|m\. ?d|inc|ltd|llc)\.?|I{2,3}|IV", re.IGNORECASE)
_YES = frozenset({"yes", "true", "y", "t", "1", "x", "wahr", "ja", "✓", "✔", "☑", "✅"})
_NO = frozenset({"no", "false", "n", "f", "0", "falsch", "nein", "✗", "✘", "☐", "❌"})
# Words for a number that is not known, which do not make a column one of words.
_UNKNOWN = frozenset(
    "unknown tbd tba tbc various varies unrated pending ask sold-out n.a".split()
) | {"free", "sold out", "out of stock", "not rated", "not available", "on request"}
_MOSTLY = 0.9  # of the cells that say something, as for the rows of a file
_LEAST_MEASURED = 0.3  # of the cells, where others bear other units
_LISTED = frozenset({"ingredient", "mechanic", "genre", "tag", "cast", "measure", *CREATORS})
_PEOPLE = frozenset({"cast", *CREATORS})
_FULL_NAME = re.compile(r"\S+[ .]\S.*")
_SHOWN = 3
_SAMPLE = 20_000  # cells looked at, evenly over the table
_LONG_TEXT = 9.0  # words on average above which a column is prose


class ColumnProfile(msgspec.Struct, kw_only=True):
    """One column: what it holds and how.

    Args:
        name: Its header.
        meaning: Meaning of the header, beside its certainty.
        holds: Kind of the cells.
        filled: Share of cells that say something.
        distinct: Different values.
        total: Values that were looked at.
        words: Words of a value on average.
        low, high: The ends of its numbers.
        zeros: Share of its numbers that are 0.
        lowest: The lowest number above 0.
        lowest_share: Share of that number.
        is_whole: Whether its numbers are whole.
        format: Notation of its numbers.
        separator: Separator of the names of a list; None for lists in brackets.
        common: The commonest values, or elements of lists, the commonest first.
        first: The first values, for people to look at.
    """

    name: str
    meaning: str
    certainty: float
    holds: Holds
    filled: float
    distinct: int
    total: int
    words: float = 0.0
    low: float = 0.0
    high: float = 0.0
    zeros: float = 0.0
    lowest: float = 0.0
    lowest_share: float = 0.0
    is_whole: bool = False
    format: NumberFormat = NumberFormat()
    separator: str | None = None
    common: tuple[str, ...] = ()
    first: tuple[str, ...] = ()

    @property
    def is_unique(self) -> bool:
        """Whether nearly every row has a value of its own."""
        return self.filled > 0.97 and self.distinct > 0.999 * self.total


def profile_columns(table: RecordTable, about: tuple[str, ...] = ()) -> list[ColumnProfile]:
    """Profile every column; `about` are the words for an item ("wine")."""
    step = max(1, len(table.rows) // _SAMPLE)
    rows = table.rows[::step]
    return [
        _profile(name, [cells[place] for _, cells in rows], about)
        for place, name in enumerate(table.columns)
    ]


def _profile(name: str, cells: Sequence[Cell], about: tuple[str, ...]) -> ColumnProfile:
    meaning, certainty = meaning_of(name, about)
    filled = [cell for cell in cells if isinstance(cell, list) or not is_missing(cell)]
    lists = [cell for cell in filled if isinstance(cell, list)]
    texts = [str(cell).strip() for cell in filled if not isinstance(cell, list)]
    profile = ColumnProfile(
        name=name,
        meaning=meaning,
        certainty=certainty,
        holds="nothing",
        filled=len(filled) / max(1, len(cells)),
        distinct=len(set(texts)),
        total=len(filled),
        first=tuple(clean_text(_shown(cell))[:60] for cell in filled[:_SHOWN]),
    )
    if lists:
        profile.holds = "list"
        _tell_elements(profile, [str(one) for cell in lists for one in cell if not is_missing(one)])
    elif texts:
        _profile_texts(profile, texts, [str(cell or "") for cell in cells])
    return profile


def _profile_texts(profile: ColumnProfile, texts: list[str], cells: list[str]) -> None:
    counted = Counter(texts)
    profile.words = sum(len(text.split()) for text in texts) / len(texts)
    profile.common = tuple(value for value, _ in counted.most_common(2_000))
    lowered = {value.casefold() for value in counted}
    matched = sum(_URL.fullmatch(text) is not None for text in texts)
    if matched > 0.8 * len(texts):
        profile.holds = "url"
    elif lowered <= _YES | _NO and lowered & _YES:
        profile.holds = "flag"
    elif sum(_DATE.fullmatch(text) is not None for text in texts) > 0.8 * len(texts):
        profile.holds = "date"
    elif _profile_numbers(profile, texts, cells):
        pass
    elif (separator := _list_separator(profile, texts)) is not None:
        profile.holds = "list"
        profile.separator = separator or None
        _tell_elements(profile, [one for text in texts for one in elements_of(text, separator)])
    elif profile.words >= _LONG_TEXT and profile.distinct > 0.3 * profile.total:
        profile.holds = "text"
    elif profile.meaning == "id" and profile.words < 1.2 and profile.certainty >= 0.5:
        profile.holds = "id"
    else:
        profile.holds = "name"


def _profile_numbers(profile: ColumnProfile, texts: list[str], cells: list[str]) -> bool:
    form, share = number_format(texts, profile.name)
    if share < _MOSTLY:
        known = [text for text in texts if text.casefold().strip(" .?()") not in _UNKNOWN]
        form, share = number_format(known, profile.name)
        is_measured = profile.meaning in MEASURED and profile.certainty >= 0.5
        if is_measured and share >= _LEAST_MEASURED:
            share = share_of_any_unit(known)
        if share < _MOSTLY or 2 * len(known) < len(texts):
            return False
    end: End | None = "low" if form.has_ranges else None
    told = [value for text in texts if (value := form.value(text, end)) is not None]
    if not told:  # digits beyond any number
        return False
    above = [value for value in told if value > 0]
    profile.format = form
    profile.low, profile.high = min(told), max(told)
    profile.is_whole = all(value == int(value) for value in told if abs(value) < 1e15)
    profile.zeros = (len(told) - len(above)) / len(told)
    profile.lowest = min(above, default=0.0)
    profile.lowest_share = above.count(min(above)) / len(told) if above else 0.0
    profile.holds = "number"
    in_turn = [form.value(cell, end) for cell in cells]
    steps = {b - a for a, b in pairwise(in_turn) if a is not None and b is not None}
    if profile.is_whole and profile.is_unique and len(told) > 5:
        if steps == {1.0} and in_turn[0] in (0.0, 1.0) and profile.meaning in ("", "id"):
            profile.holds = "rows"
        elif profile.meaning == "id" or (
            profile.meaning == ""
            and profile.high > 2 * len(told)
            and not bears_sign(f"{profile.name} {form.unit}")
        ):
            profile.holds = "id"
    elif profile.meaning == "id" and profile.certainty >= 0.5:
        profile.holds = "id"
    return True


def _list_separator(profile: ColumnProfile, texts: list[str]) -> str | None:
    """Find the separator of names in the cells; "" for lists in brackets, None without lists."""
    brackets = sum(text.startswith(("[", "{", "c(")) for text in texts)
    if brackets > 0.5 * len(texts):
        return ""
    is_listed = profile.meaning in _LISTED and profile.certainty >= 0.5
    for separator in _SEPARATORS:
        cut = [text.split(separator) for text in texts]
        several = sum(len(parts) > 1 for parts in cut) / len(cut)
        parts = [part.strip() for one in cut for part in one if part.strip()]
        if several < (0.02 if is_listed else 0.2) or not parts:
            continue
        length = sum(len(part.split()) for part in parts) / len(parts)
        if length > (6 if is_listed else 3.5):
            continue
        if profile.meaning in CREATORS and separator in (",", ", ") and _is_inverted(cut):
            continue
        fresh = len(set(parts)) / len(parts)
        whole = len(set(texts)) / len(texts)
        if is_listed or (fresh < 0.5 and fresh < 0.7 * whole):
            return separator
    return "/" if is_listed and profile.meaning in _PEOPLE and _are_full_names(texts) else None


def _are_full_names(texts: Sequence[str]) -> bool:
    """Whether slashes part people, as in "Leo Tolstoy/Richard Pevear" and not in "AC/DC"."""
    cut = [text.split("/") for text in texts if "/" in text]
    full = sum(all(_FULL_NAME.fullmatch(part.strip()) for part in parts) for parts in cut)
    return len(cut) >= 0.02 * len(texts) and full > 0.7 * len(cut)


def _is_inverted(cut: list[list[str]]) -> bool:
    """Whether cells say "Le Guin, Ursula": nearly all have just two parts."""
    return sum(len(parts) == 2 for parts in cut) > 0.7 * len(cut)


def elements_of(text: str, separator: str | None) -> list[str]:
    """The names in a cell of a list column."""
    if separator and not text.startswith(("[", "{", "c(")):
        return _with_suffixes(
            part.strip() for part in text.split(separator) if not is_missing(part)
        )
    try:
        return [one for one in read_list(text).elements if one and not is_missing(one)]
    except ValueError:
        return []


def _with_suffixes(parts: Iterable[str]) -> list[str]:
    """Names with what belongs behind them: "Jr." is nobody's name."""
    told: list[str] = []
    for part in parts:
        if told and _SUFFIX.fullmatch(part):
            told[-1] = f"{told[-1]}, {part}"
        else:
            told.append(part)
    return told


def _tell_elements(profile: ColumnProfile, elements: list[str]) -> None:
    counted = Counter(elements)
    profile.common = tuple(value for value, _ in counted.most_common(2_000))
    profile.distinct = len(counted)
    profile.words = sum(len(one.split()) for one in elements) / max(1, len(elements))


def is_yes(cell: object) -> bool:
    """Whether the cell of a flag says yes."""
    return str(cell).strip().casefold() in _YES


def _shown(cell: Cell) -> str:
    return ", ".join(str(one) for one in cell) if isinstance(cell, list) else str(cell)

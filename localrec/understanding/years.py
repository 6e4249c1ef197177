"""Bounds on years: "1990-1995", "nothing later than 1960", "early seventies", "pre-war".

Years and decades are read in digits and in words ("nineteen sixty-five"). A bare decade is left to
the catalogue's own decades, where it has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, pairwise

import msgspec

from localrec.foundation.text_matching import fold
from localrec.understanding.language_words import any_of, english
from localrec.understanding.levelled_text import end_in_text, level, spaced
from localrec.understanding.negated_bounds import is_turned
from localrec.understanding.recollections import is_recalled

_SETTING = 3  # words between "set" or "about" and what happened
EARLIEST, LATEST = -9999, 9999  # poems and games are older than our count of years
_WORDS = english().years
_GRAMMAR = english().grammar
_JOINING = {*_GRAMMAR.conjunctions, *_GRAMMAR.disjunctions, ",", ""}
_NUMERALS = english().numerals
_YEAR = r"(?P<{0}year>(?:1[5-9]|20)\d\d)(?!\d|s\b|\s?s\b|[.,]\d)"
_AGED = "".join(f"(?<!{word} )" for word in _WORDS.aged)
_SHORT_YEAR = (
    rf"(?P<{{0}}year>(?:(?:1[5-9]|20)\d\d)|(?<![\d.$#/]){_AGED}[2-9]\d)"
    r"(?!\d|s\b|\s?s\b|[.,:]\d|%)"
)
_DECADE = (
    r"(?P<{0}decade>(?:1[5-9]|20)\d0|(?<![\d.,])[0-9]0)\s?s\b|(?:(?P<{0}hundreds>1[5-9])[\s-]*)?(?P<{0}named>"
    + "|".join(_WORDS.decades)
    + r")\b"
)
_CENTURY = (
    r"(?P<{0}century>"
    + "|".join(map(re.escape, _WORDS.ordinals))
    + rf")[\s-]+{any_of(_WORDS.century)}\b"
)
_PART = (
    r"(?:(?P<{0}part>"
    + "|".join(sorted(_WORDS.early | _WORDS.middle | _WORDS.late, key=len, reverse=True))
    + r")[\s-]+(?:of\s+)?(?:the\s+)?)?"
)
_TO = (
    rf"\s*(?:-|–|—|{any_of(_WORDS.range_joins)})"
    rf"\s*(?:{any_of(english().grammar.definite)}\s+)?"
)
_PARTS = {"decade": (3, 4, 6, 7), "century": (33, 34, 66, 67)}  # ends of early, middle, late
_HALVES = {"decade": (4, 5), "century": (49, 50)}


class YearSpan(msgspec.Struct, frozen=True):
    """Characters `start` to `end` of a question, and the closed span of years they ask for.

    A span that is `excluded` is refused ("not 1995").
    """

    start: int
    end: int
    low: int
    high: int
    excluded: bool = False


def find_years(text: str, *, decades: bool = False, short: bool = False) -> list[YearSpan]:
    """Find every span of years that a question asks for, left to right, without overlap.

    Args:
        text: The question.
        decades: Whether bare decades count; else the catalogue's own decades read them.
        short: Whether two digits are a year ("pre 75"), where no other number is asked for.
    """
    line = level(text)
    found: list[YearSpan] = []
    for bare in _candidates(line, decades, _with_quotes(text, line) if short else ""):
        before = text[: bare.start]
        behind = line[bare.end :].replace("'", "")
        refused = _refusal_before().search(fold(before)) or _refusal_behind().match(behind)
        refused = refused or _refusal_later().search(behind)
        if bare.low <= EARLIEST or bare.high >= LATEST:
            turned = refused is not None or is_turned(before)
            bare = _other_side(bare) if turned else bare
        one = msgspec.structs.replace(
            bare,
            end=end_in_text(text, line, bare.end),
            excluded=refused is not None and bare.low > EARLIEST and bare.high < LATEST,
        )
        if all(one.end <= other.start or one.start >= other.end for other in found):
            found.append(one)
    found.sort(key=lambda one: one.start)
    for place, (one, other) in enumerate(pairwise(found), 1):
        if one.excluded and line[one.end : other.start].strip() in _JOINING:
            found[place] = msgspec.structs.replace(other, excluded=True)  # "not 1995 or 1996"
    return found


def joint_years(spans: Sequence[YearSpan]) -> tuple[int, int] | None:
    """The years that meet all spans; of two that exclude each other ("1960 or 1975") both count."""
    if not spans:
        return None
    low, high = max(one.low for one in spans), min(one.high for one in spans)
    if low <= high:
        return low, high
    return min(one.low for one in spans), max(one.high for one in spans)


def _with_quotes(text: str, line: str) -> str:
    """A levelled text with its quotes, which show "'75" to be a year."""
    return "".join("'" if typed in "'’‘" else one for typed, one in zip(text, line, strict=True))


def _candidates(line: str, decades: bool, quoted: str) -> Iterator[YearSpan]:
    """The spans of years in a levelled line.

    Args:
        line: The text, levelled.
        decades: Whether bare decades count.
        quoted: The same with its quotes, where two digits may be a year; else empty.
    """
    short = bool(quoted)
    for phrase, (low, high) in _WORDS.eras.items():
        for match in re.finditer(rf"\b{spaced(phrase)}\b(?!\s+\d)", line):
            yield YearSpan(match.start(), match.end(), low, high)
    for how, match in _beside_events(line):
        yield YearSpan(match.start(), match.end(), *_bound(how, _WORDS.events[_plain(match)]))
    for match in _pair(short).finditer(line):
        begins = _value(match, "a_") or (0, 0)
        ends = _second(match, begins) or (0, 0)
        joined = (
            match["lead"] is not None or match["join"].strip() not in english().grammar.conjunctions
        )
        if joined and begins[0] <= ends[1]:
            yield YearSpan(match.start(), match.end(), begins[0], ends[1])
    for how, pattern in _bounded(short):
        for match in pattern.finditer(line):
            value = _value(match, "")
            if value is not None:
                yield YearSpan(match.start(), match.end(), *_bound(how, value))
    bare = _alone().finditer(line)
    for match in chain(bare, _short_ones(quoted)):
        value = _value(match, "")
        if match["year"] and _dates_a_story(line, match.start("year"), match.end()):
            continue
        plain = match["decade"] or match["named"]
        if value is not None and (decades or not plain or match["part"]):
            yield YearSpan(match.start(), match.end(), *value)


def _beside_events(line: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Bounds by what happened: "older than the second world war"; not where a story is set."""
    for how, pattern in _event_patterns():
        for match in pattern.finditer(line):
            if not any(one in _WORDS.set_in for one in line[: match.start()].split()[-_SETTING:]):
                yield how, match


@lru_cache
def _event_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    event = "|".join(spaced(one) for one in sorted(_WORDS.events, key=len, reverse=True))
    the = rf"(?:{any_of(_GRAMMAR.definite)}\s+)?"
    since = tuple(one for one in _WORDS.since if one not in _WORDS.bare)
    lists = (("before", _WORDS.before), ("after", _WORDS.after), ("since", since))
    return tuple(
        (how, re.compile(rf"\b{any_of(told)}[\s-]+{the}(?P<event>{event})\b"))
        for how, told in lists
    )


def _plain(match: re.Match[str]) -> str:
    return " ".join(re.split(r"[\s-]+", match["event"]))


def _dates_a_story(line: str, start: int, end: int) -> bool:
    """ "In 1969 I shelved books", "my dad was born in 1965": a year that is no wish."""
    before, behind = line[:start].split(), line[end:].replace(",", " ").split()
    told = f" {' '.join(before[-3:])}"
    if any(re.search(rf"\b{one}\b", line) for one in _WORDS.that_year):
        return False  # "Dad was born in 1958: a film from that very year"
    if any(told.endswith(f" {one}") for one in _WORDS.happened):
        return True
    if not _WORDS.tells_when.isdisjoint(before[-1:]) and is_recalled(line[:start]):
        return True
    opens = 1 if _WORDS.opens_story.isdisjoint(before[-1:]) else 4  # "in the spring of"
    clause = before[-opens:]
    if _WORDS.tells_when.isdisjoint(clause[:1]) or not behind or behind[0] not in _WORDS.tellers:
        return False
    return len(before) == opens or before[-opens - 1][-1] in ".,;:!?"


def _other_side(era: YearSpan) -> YearSpan:
    """The years that "not from this century" and "not from after 1990" leave."""
    if era.high == LATEST:
        return msgspec.structs.replace(era, low=EARLIEST, high=era.low - 1)
    if era.low == EARLIEST:
        return msgspec.structs.replace(era, low=era.high + 1, high=LATEST)
    return era


def _bound(how: str, value: tuple[int, int]) -> tuple[int, int]:
    low, high = value
    if how == "before":
        return EARLIEST, low - 1
    if how == "until":
        return EARLIEST, high
    if how == "after":
        return high + 1, LATEST
    if how == "since":
        return low, LATEST
    return (low - 2, high + 2) if low == high else value


def _value(match: re.Match[str], name: str) -> tuple[int, int] | None:
    """The first and last year of what a match names."""
    groups = match.groupdict()
    if year := groups.get(f"{name}year"):
        told = int(year) if len(year) > 2 else 1900 + int(year)
        return told, told
    if century := groups.get(f"{name}century"):
        first = 100 * (_WORDS.ordinals[" ".join(century.split())] - 1)
        return _part_of(groups.get(f"{name}part"), first, 99, "century")
    decade = groups.get(f"{name}decade")
    named = groups.get(f"{name}named")
    if decade:
        first = int(decade)
        first += 0 if first > 99 else 2000 if first < 20 else 1900
        if 1000 < first < 2000 and first % 100 == 0:  # "the 1800s" are a century
            return _part_of(groups.get(f"{name}part"), first, 99, "century")
    elif named:
        first = _WORDS.decades[named]
        if hundreds := groups.get(f"{name}hundreds"):  # "eighteen-seventies"
            first = 100 * int(hundreds) + first % 100
    else:
        return None
    return _part_of(groups.get(f"{name}part"), first, 9, "decade")


def _part_of(part: str | None, first: int, length: int, kind: str) -> tuple[int, int]:
    early, middle, late, last = _PARTS[kind]
    if part is None:
        return first, first + length
    if part.endswith(_NUMERALS.half):
        first_ends, second_begins = _HALVES[kind]
        return (
            (first, first + first_ends)
            if part in _WORDS.early
            else (first + second_begins, first + length)
        )
    if part in _WORDS.early:
        return first, first + early
    if part in _WORDS.middle:
        return first + middle, first + late
    return first + last, first + length


def _second(match: re.Match[str], begins: tuple[int, int]) -> tuple[int, int] | None:
    """The end of "1990-95" counts in the century of its beginning."""
    if short := match.groupdict().get("b_short"):
        year = 100 * (begins[0] // 100) + int(short)
        return year, year
    return _value(match, "b_")


@lru_cache
def _refusal_before() -> re.Pattern[str]:
    grammar = english().grammar
    why = "".join(rf"(?<!\b{word} )" for word in english().negation.asking_why)
    one = any_of(grammar.articles - grammar.definite)
    made = rf"{any_of(_WORDS.who)}\s+{any_of(_WORDS.doing)}"
    return re.compile(
        rf"{why}\b{any_of(grammar.denials)}\s+{one}\s+$"  # "and not a 2010"
        r"|\b(?:"
        + "|".join(sorted(_WORDS.refused, key=len, reverse=True))
        + rf")\s+(?:(?:{any_of(_WORDS.linking)}|{made})\s+)*$"
    )


@lru_cache
def _refusal_behind() -> re.Pattern[str]:
    return re.compile(
        r"\s*(?:ones?\s+)?(?:"
        + "|".join(sorted(_WORDS.refused_behind, key=len, reverse=True))
        + rf")(?:\s*(?:[.,;!?)]|$)|\s+{any_of(_WORDS.goes_on)}\b)"
    )


@lru_cache
def _refusal_later() -> re.Pattern[str]:
    """ "I saw all from 1996, so skip that year"."""
    return re.compile(rf"\b{any_of(_WORDS.refused_later)}\b")


@lru_cache
def _pair(years_are_short: bool) -> re.Pattern[str]:
    one = _any_of("a_", years_are_short)
    other = _any_of("b_", years_are_short)
    counted = rf"\s*[a-z]*\s*{any_of(_WORDS.short_counted)}"
    short = rf"(?P<b_short>\d\d)(?![\d%$€£]|\s?s\b|{counted})"
    return re.compile(
        rf"(?:\b(?P<lead>{any_of(_WORDS.leads)})\s+)?(?:the\s+)?(?<![\d.$€£]){one}(?P<join>{_TO})"
        rf"(?:{other}|(?:(?<=[-–—])|(?<=\b{_WORDS.short_join}\s)){short}{_no_unit()})"
    )


@lru_cache
def _alone() -> re.Pattern[str]:
    return re.compile(rf"(?<![\d.$€£-]){_any_of('', False)}{_no_unit()}")


def _short_ones(quoted: str) -> Iterator[re.Match[str]]:
    """Find years of two digits, also those that go on from one ("from 97 or 98")."""
    for match in _short_alone().finditer(quoted):
        told: re.Match[str] | None = match
        while told is not None:
            yield told
            told = _or_short().match(quoted, told.end())


@lru_cache
def _or_short() -> re.Pattern[str]:
    return re.compile(rf"\s+or\s+(?:from\s+)?'?{_any_of('', True)}(?!\s+of\b){_no_unit()}")


@lru_cache
def _short_alone() -> re.Pattern[str]:
    """ "from 75", "of '75": two digits are a year only where something says so."""
    lead = rf"(?:\b{any_of(_WORDS.short_leads)}\s+(?:the\s+)?'?|(?<!\w)')"
    return re.compile(rf"{lead}{_any_of('', True)}{_no_unit()}")


@lru_cache
def _bounded(short: bool) -> tuple[tuple[str, re.Pattern[str]], ...]:
    found = []
    lists = [
        ("until", _WORDS.until),
        ("since", _WORDS.since),
        ("before", _WORDS.before),
        ("after", _WORDS.after),
        ("near", _WORDS.near),
    ]
    cues = sorted(((cue, how) for how, told in lists for cue in told), key=lambda one: -len(one[0]))
    behind = [("since", _WORDS.since_behind), ("until", _WORDS.until_behind)]
    for how, told in behind:
        words = "|".join(spaced(one) for one in sorted(told, key=len, reverse=True))
        lead = rf"(?:\b{any_of(_WORDS.behind_leads)}\s+)?(?:the\s+)?"
        found.append((how, re.compile(rf"{lead}(?<![\d.$€£]){_any_of('', short)}\s+(?:{words})\b")))
    found.append(("since", re.compile(rf"(?<![\d.$€£]){_any_of('', short)}\s*\+(?!\s*\d)")))
    for cue, how in cues:
        if cue in _WORDS.bare:  # "from 1990" alone is that year
            continue
        between = r"[\s-]*" if len(cue) < 5 else r"\s+"
        edge = r"\b" if cue.isascii() and cue[0].isalpha() else ""  # "<1975"
        counted = r"(?:(?<=\d{3})|(?!\s+[a-z]+s\b))" if how == "near" else ""  # "about 20 girls"
        found.append(
            (
                how,
                re.compile(
                    rf"{edge}{spaced(cue)}{between}(?:{any_of(_WORDS.whose)}\s*[(,]\s*)?"
                    r"(?:the\s+)?(?:year\s+)?"
                    rf"(?<![\d.$€£]){_any_of('', short)}"
                    rf"{counted}{_no_unit()}"
                ),
            )
        )
    return tuple(found)


def _no_unit() -> str:
    """A number before a noun of measure is no year ("2000 pages")."""
    units = (*_WORDS.counted, *english().money, *english().people_nouns)
    return rf"(?![\s-]*(?:{'|'.join(map(re.escape, units))})(?:e?s)?(?![a-z]))"


def _any_of(name: str, short: bool) -> str:
    year = (_SHORT_YEAR if short else _YEAR).format(name)
    part = _PART.format(name)
    return rf"(?:{part}(?:{_DECADE.format(name)}|{_CENTURY.format(name)})|{year})"

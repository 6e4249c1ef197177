"""Bounds on amounts in a question, by the units and words that a domain declares for its numbers.

"under 20 dollars", "$15 to $30", "below 5% alcohol", "at least 90 points", "a price up to 12.50",
"for 4 players", "at most two hours".
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import msgspec

from localrec.data.domains import NumberSpec
from localrec.foundation.text_matching import fold
from localrec.understanding.company import Company, find_company, find_with_speaker
from localrec.understanding.language_words import any_of, english
from localrec.understanding.levelled_text import end_in_text, level
from localrec.understanding.negated_bounds import OPPOSITE, is_turned
from localrec.understanding.spoken_amounts import respell_amounts

NUMBER_WORDS = english().numbers
MOST = 999_999_999.0  # stands for no upper bound
_ABOUT = 0.2  # "around 20" is within a fifth of it
_ROUND = 10_000  # nobody asks for exactly so many: "a million ratings" are at least that
_WORDS = english().amounts
_VALUE = (
    r"(?:(?:\d{1,3}(?:[,']\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)"
    rf"(?:[km](?![a-z])|\s*(?:{'|'.join(_WORDS.times)})(?![a-z]))?|{any_of(_WORDS.one)}(?![a-z])|"
    + "|".join(NUMBER_WORDS)
    + ")"
)
_MONEY = english().money
_LEADING = frozenset({*english().spending, *english().company}) - _WORDS.said_behind
_AGAIN = re.compile(rf"\b{any_of(_WORDS.again)}\s+$")
_PLAIN = NumberSpec(kind="amount")
_FAR_APART = 50  # times: "over 4.5 and 100000 ratings" are of two numbers
_BETWEEN = "(?:" + "|".join(one.replace(" ", r"\s+") for one in _WORDS.range_joins) + ")"
_BEHIND = {
    **dict.fromkeys(_WORDS.most_behind, "most"),
    **dict.fromkeys(_WORDS.least_behind, "least"),
    **dict.fromkeys(_WORDS.exactly_behind, "exactly"),
    **dict.fromkeys(_WORDS.near_behind, "near"),
}


class AmountSpan(msgspec.Struct, frozen=True):
    """Characters `start` to `end` of a question, and the values they ask for, None for any."""

    start: int
    end: int
    bounds: tuple[float, float] | None


def amount_bounds(text: str, spec: NumberSpec) -> tuple[float, float] | None:
    """The lowest and highest value that a question asks for; None where it asks for neither."""
    found = find_amount(text, spec)
    return None if found is None else found.bounds


def find_amount(text: str, spec: NumberSpec, *, whole: bool = False) -> AmountSpan | None:
    """Find the amount that a question asks for, and where it says so.

    Numbers belong to `spec` by a unit ("20 dollars", "$20") or by a word before or behind them
    ("a rating of at least 90").

    Args:
        text: The question.
        spec: The number that is asked about.
        whole: Whether it counts something: "at least a 4.2 rating" counts no ratings.
    """
    line = respell_amounts(level(text))
    counts_people = bool(spec.units.keys() & _WORDS.people)
    if counts_people and (company := find_with_speaker(line)) is not None:
        return _span_of_company(text, line, company, spec)
    for pattern, factor in _patterns(spec):
        matches = pattern.finditer(line)
        match = next((one for one in matches if _is_meant(one, spec, factor, whole=whole)), None)
        if match is None:
            continue
        first = _value(match["first"]) * factor
        second = match["second"]
        before = " ".join((match["cue"] or "").split())
        if second is not None and _are_of_two(line, match):
            if _is_named_in_front(match):  # "a score over 4.5 and 100000 ratings"
                second = None
            else:
                first, second, before = _value(second) * factor, None, ""
        behind = match.groupdict().get("mid") or match["behind"] or ""
        how = dict(_comparisons(spec)).get(before) or _cue(before, behind)
        if before and is_turned(text[: match.start()]):
            how = OPPOSITE.get(how, how)  # "must not be kept longer than 20 minutes"
        if second is not None:
            both = (first, _value(second) * factor)
            bounds = _span((min(both), max(both)), "between", spec)
        else:
            bounds = _span((first, first), how, spec)
            if bounds and (other := _other_end(line, match, how, spec, factor)):
                low, high = _span((other.value, other.value), other.how, spec) or bounds
                both = max(bounds[0], low), min(bounds[1], high)
                if both[0] <= both[1]:
                    return AmountSpan(other.start, end_in_text(text, line, other.end), both)
        return AmountSpan(match.start(), end_in_text(text, line, match.end()), bounds)
    if counts_people and (company := find_company(line)) is not None:
        return _span_of_company(text, line, company, spec)
    return None


def _span_of_company(text: str, line: str, company: Company, spec: NumberSpec) -> AmountSpan:
    bounds = _span((company.count, company.count), company.how, spec)
    return AmountSpan(company.start, end_in_text(text, line, company.end), bounds)


def _is_meant(match: re.Match[str], spec: NumberSpec, factor: float, *, whole: bool) -> bool:
    told = match["first"]
    named_again = _AGAIN.search(match.string[: match.start()]) is not None
    if spec.units.keys() & _WORDS.people and (told in _WORDS.one or named_again):
        return False  # "an adult game", "the same two people always win"
    if match["second"] is not None and _are_of_two(match.string, match):
        told = told if _is_named_in_front(match) else match["second"]
    return not whole or (_value(told) * factor).is_integer()


class _Bound(NamedTuple):
    """A further bound on a number: characters `start` to `end` of the two, how, and how much."""

    start: int
    end: int
    how: str
    value: float


def _other_end(
    line: str, match: re.Match[str], how: str, spec: NumberSpec, factor: float
) -> _Bound | None:
    """ "more than 20 and less than 30 dollars": the other bound beside one that has the unit."""
    units = _plain_units(spec)
    behind, before = _bound_behind().match(line, match.end()), None
    if behind is None and (match["cue"] or ""):
        before = _bound_before().search(line[: match.start()])
    found = behind or before
    if found is None:
        return None
    noun, other = found["next"], _cue(" ".join(found["cue"].split()), "")
    if noun and noun not in _NO_NOUN and noun not in units:
        return None  # "more than 20 dollars and less than 30 minutes"
    if (found["sign"] and not units.keys() & set(_MONEY)) or (noun not in units and factor != 1):
        return None  # "at least 4 players, under $30", "over 1 hour and less than 90"
    if not ({how, other} & {"least", "above"} and {how, other} & {"most", "below"}):
        return None
    end = found.end("next") if noun in units else found.end("value")
    value = _value(found["value"]) * units.get(noun, factor)
    first, last = (found.start(), match.end()) if before else (match.start(), end)
    return _Bound(first, last, other, value)


def _plain_units(spec: NumberSpec) -> dict[str, float]:
    """The units of a number, one and several, each with its factor."""
    units = dict(spec.units)
    if money := next((factor for unit, factor in units.items() if unit in _MONEY), None):
        units = {**dict.fromkeys(_MONEY, money), **units}
    return {
        word: factor for unit, factor in units.items() for word in (fold(unit), f"{fold(unit)}s")
    }


def _are_of_two(line: str, match: re.Match[str]) -> bool:
    """ "not dearer than 15 and 87 points at least": the first number is of something else."""
    joined = line[match.end("first") : match.start("second")].strip()
    before = line[: match.start("first")].split()
    is_and = joined in english().grammar.conjunctions
    far = _value(match["second"]) > _FAR_APART * _value(match["first"])
    return is_and and (far or (bool(before) and before[-1] in _WORDS.of_one))


def _is_named_in_front(match: re.Match[str]) -> bool:
    """Whether a match begins with what its number is called, and not with a bound."""
    begins = match.start("cue") if match["cue"] else match.start("first")
    return begins > match.start()


def _span(value: tuple[float, float], how: str, spec: NumberSpec) -> tuple[float, float] | None:
    low, high = value
    if how == "exactly":
        return low, high
    if spec.bound == "low":
        return (-MOST, low) if how in ("", "between", "near") else None
    if spec.bound == "high" and how in ("", "between", "least", "near"):
        return high, MOST
    if how == "below":
        return -MOST, math.nextafter(high, -math.inf)
    if how == "above":
        return math.nextafter(low, math.inf), MOST
    if how == "most" or (not how and spec.better == "lower"):
        return -MOST, high
    if how == "least" or (not how and spec.better == "higher"):
        return low, MOST
    if how == "near":
        return low * (1 - _ABOUT), high * (1 + _ABOUT)
    if not how and not spec.better and low >= _ROUND:
        return low, MOST
    return low, high


def _cue(before: str, behind: str) -> str:
    for words, meaning in (
        (_WORDS.at_most, "most"),
        (_WORDS.at_least, "least"),
        (_WORDS.below, "below"),
        (_WORDS.above, "above"),
        (_WORDS.near, "near"),
        (_WORDS.exactly, "exactly"),
    ):
        if before in words:
            return _BEHIND.get(behind, meaning) if meaning == "near" else meaning  # "about 10 tops"
    return _BEHIND.get(behind, "")


def _value(told: str) -> float:
    if told in _WORDS.one:  # "under an hour"
        return 1.0
    if told in NUMBER_WORDS:
        return float(NUMBER_WORDS[told])
    told = re.sub(r"[,'](?=\d{3}(?:\D|$))", "", told)
    number, times = re.fullmatch(r"([\d.,]+)\s*([a-z]*)", told).groups()  # type: ignore[union-attr]
    return float(number.replace(",", ".")) * _WORDS.times.get(times, 1.0)


_CUES = "|".join(
    re.escape(one).replace("\\ ", r"\s+")
    for one in sorted(
        (
            *_WORDS.below,
            *_WORDS.at_most,
            *_WORDS.above,
            *_WORDS.at_least,
            *_WORDS.near,
            *_WORDS.exactly,
        ),
        key=len,
        reverse=True,
    )
)
_JOINS = rf"(?:\s*[,;])?\s*(?:{any_of(_WORDS.joins)}\s+){{0,3}}"


_BOUND = (
    rf"(?P<cue>{_CUES})[\s-]*(?P<sign>[$€£]?)\s*(?P<value>{_VALUE})"
    r"(?![\d.,]*\d|\s*%)(?:\s*(?P<next>[a-z]+))?"
)


@lru_cache
def _bound_behind() -> re.Pattern[str]:
    return re.compile(f"{_JOINS}{_BOUND}")


@lru_cache
def _bound_before() -> re.Pattern[str]:
    bound = _BOUND.replace("[a-z]+", f"(?!{any_of(_WORDS.turns)})[a-z]+")
    return re.compile(rf"(?<![a-z0-9]){bound}{_JOINS}$")


_ON_BOTH_SIDES = frozenset(_BEHIND) & {*_WORDS.at_most, *_WORDS.at_least, *_WORDS.exactly}
_ANDS = english().grammar.conjunctions
_JOINING = _ANDS | english().grammar.disjunctions
_ENDINGS = "|".join(  # "8+ people max 30 min": a word before the next number belongs to that
    re.escape(one)
    + r"(?!\s+to\b)" * (one in _WORDS.open_behind)
    + r"(?!\s*[$€£]?\s*\d)" * (one in _ON_BOTH_SIDES or one.split()[0] in _ANDS)
    for one in sorted(_BEHIND, key=len, reverse=True)
)
_ON_A_CLOCK = 12
_BEING_THERE = re.compile(rf"\b{any_of(english().being_there)}\s+$")
_NO_NOUN = english().negation.ends | english().negation.list_words | _WORDS.no_nouns


def find_bare_amount(text: str) -> AmountSpan | None:
    """Find a bound that says of nothing what it is: "<40", "not over 25", "4.3+", "15-25"."""
    line = level(text)
    if not any(letter.isdigit() for letter in line):
        return None  # compiling the patterns takes longer than all else that is read of a question
    if (between := _bare_range(text, line)) is not None:
        return between
    for match in _bare_pattern().finditer(line):
        following = (match["next"] or "").strip()
        if following and following not in _NO_NOUN and not (match["behind"] or match["after"]):
            continue  # "under 18 hours": of something that is not known here
        value = float(match["first"] or match["alone"])
        if value.is_integer() and 1500 <= value < 2100:
            continue  # a year
        if match["cue"] in _WORDS.near and _BEING_THERE.search(line[: match.start()]):
            continue
        if match["cue"] in _WORDS.clock_before and value <= _ON_A_CLOCK:
            continue  # "I stood on the door till four"
        how = _cue(match["cue"] or "", match["behind"] or match["after"] or "")
        if match["cue"] and is_turned(text[: match.start()]):
            how = OPPOSITE.get(how, how)  # "no bottle over 50"
        end = match.start("next") if match["next"] else match.end()
        bounds = _span((value, value), how, _PLAIN)
        return AmountSpan(match.start(), end_in_text(text, line, end), bounds)
    return None


@lru_cache
def _bare_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![a-z0-9])(?:(?P<cue>{_CUES})[\s-]*(?:an?\s+)?(?P<first>\d+(?:\.\d+)?)(?:\s*(?P<behind>{_ENDINGS})\b)?"
        rf"|(?P<alone>\d+(?:\.\d+)?)\s*(?P<after>{_ENDINGS})(?![a-z]))"
        r"(?![\d.:%]*\d|%)(?P<next>\s*[a-z]+)?"
    )


@lru_cache
def _bare_range_pattern() -> re.Pattern[str]:
    return re.compile(
        r"(?<![a-z0-9.,:$€£-])(?:(?P<lead>"
        rf"{any_of(_WORDS.leads)})\s+)?(?P<first>\d+(?:\.\d+)?)"
        rf"(?P<join>\s*{_BETWEEN}\s*)(?P<second>\d+(?:\.\d+)?)(?![\d.:%-]*\d|[%-])(?P<next>\s*[a-z]+)?"
    )


def _bare_range(text: str, line: str) -> AmountSpan | None:
    """ "15-25", "between 10 and 15 each": a range with both ends and no noun behind it."""
    for match in _bare_range_pattern().finditer(line):
        apart = line[: match.start()].rstrip()[-1:] in ("", ",", ";", ".", ":")
        joining = (
            _JOINING if apart else _JOINING | english().grammar.infinitives
        )  # "a Shiraz, 15 to 30"
        joined = match["lead"] or match["join"].strip() not in joining
        following = (match["next"] or "").strip()
        if not joined or (following and following not in _NO_NOUN):
            continue
        low, high = sorted((float(match["first"]), float(match["second"])))
        if 1500 <= high < 2100 or low == high:
            continue  # years
        end = match.start("next") if match["next"] else match.end()
        return AmountSpan(match.start(), end_in_text(text, line, end), (low, high))
    return None


def _comparisons(spec: NumberSpec) -> tuple[tuple[str, str], ...]:
    """ "dearer than", "not dearer than": phrases before a value, each with what it means."""
    found = []
    for words, plain, turned in ((spec.more, "above", "most"), (spec.less, "below", "least")):
        for word in words:
            than = f"{fold(word)} {_WORDS.than}"
            found.append((than, plain))
            found += [(f"{no} {than}", turned) for no in _WORDS.nots]
    return tuple(found)


@lru_cache(maxsize=256)
def _patterns_of(
    units: tuple[tuple[str, float], ...],
    words: tuple[str, ...],
    comparisons: tuple[tuple[str, str], ...],
) -> tuple[tuple[re.Pattern[str], float], ...]:
    than = sorted((phrase for phrase, _ in comparisons), key=len, reverse=True)
    cues = "|".join([*map(re.escape, than), _CUES])
    cue = rf"(?:(?<![a-z0-9])(?P<cue>{cues})[\s-]*)?"
    behind = rf"(?:\s*(?P<behind>{_ENDINGS})(?![a-z]))?"
    mid = rf"(?:\s*(?P<mid>{_ENDINGS}))?"  # "95+ points", "4 or more players"
    before = r"(?:(?<=[^a-z0-9.,])|^)"
    found = []
    for unit, factor in sorted(units, key=lambda one: -len(one[0])):
        name = re.escape(fold(unit))
        end = r"(?:e?s)?(?![a-z])" if unit[-1:].isalnum() else r"(?!\s*\d)"
        lead = rf"(?:{name}\s*)?" if not unit[-1:].isalnum() else ""
        second = rf"(?:\s*(?:{name}{end})?\s*{_BETWEEN}\s*{lead}(?P<second>{_VALUE}))?"
        number = rf"{lead}(?P<first>{_VALUE}){second}"
        found.append((rf"{cue}{before}{number}{mid}[\s-]*(?:of\s+)?{name}{end}{behind}", factor))
        if lead:  # a sign stands before its number as well
            found.append((rf"{cue}{before}{name}\s*{number}{behind}", factor))
    for word in words:
        name = re.escape(fold(word))
        so_much = rf"(?P<first>{_VALUE})(?:\s*{_BETWEEN}\s*(?P<second>{_VALUE}))?"
        found.append(  # "below a weight of 2.5"
            (
                rf"(?<![a-z0-9])(?P<cue>{cues})\s+an?\s+{name}\s+{any_of(_WORDS.valued)}\s+{so_much}{behind}",
                1.0,
            )
        )
        number = rf"(?P<first>{_VALUE})(?:\s*{_BETWEEN}\s*(?P<second>{_VALUE}))?"
        linking = rf"(?:\s+{any_of(_WORDS.linking)})*\s*"
        if not word.endswith("ed") and word not in _LEADING:
            found.append((rf"{cue}{before}{_number_before(name)}{behind}", 1.0))
        found.append((rf"\b{name}s?{linking}{cue}{before}{number}{behind}(?!\d)", 1.0))
    if named := "|".join(
        re.escape(fold(one))
        for one in sorted(_named_before_signs(units, words), key=len, reverse=True)
    ):  # "ratings > 100k", "time <= 45"
        sign = r"<\s?=|>=|=<|=>|≤|≥|==|<|>|="
        number = rf"(?P<first>{_VALUE})(?P<second>(?!))?(?P<behind>(?!))?"
        found.append((rf"\b(?:{named})e?s?\s*(?P<cue>{sign})\s*[$€£]?{number}(?!\.?\d|%)", 1.0))
    if than:  # "not dearer than 25": the word says of what it is
        told = "|".join(map(re.escape, than))
        number = rf"(?P<first>{_VALUE})(?P<second>(?!))?(?P<behind>(?!))?"
        found.append((rf"(?<![a-z0-9])(?P<cue>{told})\s*[$€£]?{number}(?![\d%])", 1.0))
    return tuple((re.compile(pattern), factor) for pattern, factor in found)


def _named_before_signs(
    units: tuple[tuple[str, float], ...], words: tuple[str, ...]
) -> Iterator[str]:
    """Return what may stand before "<=": what a number is called, and its plain unit."""
    yield from words
    plain = {unit for unit, factor in units if factor == 1.0 and unit.isalpha()}
    yield from plain
    if plain & _WORDS.minutes:
        yield from english().durations


def _number_before(name: str) -> str:
    """A number directly before what a domain calls it: "a 4.5 rating", "under 10 in price"."""
    second = rf"(?:\s*{_BETWEEN}\s*(?P<second>{_VALUE}))?"
    behind = rf"(?:\s+{any_of(_WORDS.valued_behind)}|-)?\s*{name}(?![a-z])(?!\s*\d)"
    return rf"(?:an?\s+)?(?!an\b)(?P<first>{_VALUE}){second}{behind}"


def _patterns(spec: NumberSpec) -> tuple[tuple[re.Pattern[str], float], ...]:
    units, words = dict(spec.units), spec.words
    verbs = [word.removesuffix("d") for word in words if word.endswith("ed")]
    words = (*words, *verbs)  # "rated 4", "which people rate 4"
    if money := next((factor for unit, factor in units.items() if unit in _MONEY), None):
        units = {**dict.fromkeys(_MONEY, money), **units}
        words = (*words, *english().spending)
    if _WORDS.hour in units:
        units = {**dict.fromkeys(_WORDS.hours, units[_WORDS.hour]), **units}
    if units.keys() & _WORDS.people:
        units = {**units, **dict.fromkeys(english().people_nouns, 1.0)}
        words = (*words, *english().company)
    return _patterns_of(tuple(units.items()), words, _comparisons(spec))

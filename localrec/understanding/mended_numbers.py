"""Bounds on numbers as they were meant: misspelt units, amounts in slang, no unit at all.

The text is mended word by word before its bounds are read ("20 dollsrs", "the ninties", "a
tenner"). A bound that says of what it is by nothing but its size ("<40", "4.3 or more") goes to
the number whose values in the catalogue it divides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from localrec.data.domains import NumberSpec
from localrec.data.query import NumberRange
from localrec.understanding.amounts import MOST, find_bare_amount
from localrec.understanding.language_words import english
from localrec.understanding.meanings import Mention
from localrec.understanding.number_ranges import ReadRanges, read_ranges
from localrec.understanding.stories import without_stories
from localrec.understanding.vocabulary import Reading, Vocabulary

_ARTICLE = re.compile(r"\ban?\s+$")  # "under a tenner": of what is a number, none is counted
_JOINS = frozenset(english().amounts.joins)
_FEWEST, _MOST_ITEMS = 0.002, 0.97  # share of items that a bound leaves, to be meant


class MendedText(msgspec.Struct, frozen=True):
    """A text with its slips mended; `origin[i]` is where its letter i stood in the text."""

    text: str
    origin: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in the text of letters `start` to `end`."""
        return self.origin[start], self.origin[end - 1] + 1


def read_mended_ranges(text: str, reading: Reading, vocabulary: Vocabulary) -> ReadRanges:
    """Read the bounds that a question puts on numbers; places are those of `text`."""
    mended = _mended(text, reading)
    found = read_ranges(mended.text, vocabulary.domain)
    ranges, spans = _likelier(found, vocabulary), list(found.spans)
    tried = list(spans)
    before: tuple[int, int] | None = None  # the last bare bound: its end, its place in `ranges`
    while (bare := find_bare_amount(_without(mended.text, tried))) is not None:
        tried.append((bare.start, bare.end))
        low, high = bare.bounds or (-MOST, MOST)
        name = _divided_number(low, high, [one.name for one in ranges], vocabulary)
        if before is not None and _joins_bounds(mended.text[before[0] : bare.start]):
            one = ranges[before[1]]
            if one.low < high and low < one.high and (one.low > -MOST) != (low > -MOST):
                ranges[before[1]] = NumberRange(
                    name=one.name, low=max(one.low, low), high=min(one.high, high)
                )
                spans.append((bare.start, bare.end))
                continue
        if name:
            before = bare.end, len(ranges)
            ranges.append(NumberRange(name=name, low=low, high=high))
            spans.append((bare.start, bare.end))
    return ReadRanges(tuple(ranges), tuple(mended.span(*one) for one in spans))


def _joins_bounds(between: str) -> bool:
    """Whether two bounds of one number may be joined so: "over 40 but under 60"."""
    words = between.replace(",", " ").casefold().split()
    return all(word in _JOINS for word in words)


def _likelier(found: ReadRanges, vocabulary: Vocabulary) -> list[NumberRange]:
    """Choose, of two numbers that one bound may be of, the one whose values it divides.

    "three million ratings" counts ratings, "a 4.5 rating" is one.
    """

    def divides(bound: NumberRange) -> bool:
        share = vocabulary.share_within(bound.name, bound.low, bound.high)
        return _FEWEST <= share <= _MOST_ITEMS

    kept = []
    for bound, place in zip(found.ranges, found.places, strict=True):
        is_end = vocabulary.domain.numbers[bound.name].bound is not None
        rivals = [
            other
            for other, there in zip(found.ranges, found.places, strict=True)
            if other is not bound and place[0] < there[1] and there[0] < place[1]
        ]
        if is_end or divides(bound) or not any(map(divides, rivals)):
            kept.append(bound)
    return kept


def _divided_number(low: float, high: float, told: Sequence[str], vocabulary: Vocabulary) -> str:
    """The number that a bound is of, by the values that the catalogue has; "" for none."""

    def fits_worse(name: str) -> bool:
        better = vocabulary.domain.numbers[name].better
        return better != ("lower" if high < MOST else "higher")

    known = [name for name in _amounts(vocabulary.domain.numbers) if name not in told]
    for name in sorted(known, key=fits_worse):
        if _FEWEST <= vocabulary.share_within(name, low, high) <= _MOST_ITEMS:
            return name
    return ""


def _amounts(numbers: dict[str, NumberSpec]) -> list[str]:
    return [name for name, spec in numbers.items() if spec.kind == "amount" and not spec.bound]


def _mended(text: str, reading: Reading) -> MendedText:
    letters: list[str] = []
    origin: list[int] = []
    place = 0
    told: set[tuple[int, int]] = set()
    for token, word in zip(reading.tokens, reading.words, strict=True):
        start, end = token.start, token.end
        if token.word not in reading.corrected or not text[start:end].strip():
            continue
        if (start, end) in told:
            continue
        told.add((start, end))
        meant = reading.corrected[token.word] if " " in reading.corrected[token.word] else word
        if meant[:1].isdigit() and (article := _ARTICLE.search(text, place, start)) is not None:
            text = text[: article.start()] + "\n" * (start - article.start()) + text[start:]
        letters += text[place:start] + meant
        origin += [*range(place, start)]
        origin += [min(start + step, end - 1) for step in range(len(meant))]
        if meant:
            origin[-1] = end - 1
        place = end
    letters += text[place:]
    origin += range(place, len(text))
    return MendedText("".join(letters), tuple(origin))


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    for start, end in spans:
        text = text[:start] + "\n" * (end - start) + text[end:]
    return text


def read_numbers(
    text: str,
    reading: Reading,
    mentions: Sequence[Mention],
    story: frozenset[int],
    vocabulary: Vocabulary,
) -> ReadRanges:
    """The bounds that a question sets, outside of titles and stories."""
    asked = without_stories(_without_items(text, reading, mentions), reading, story)
    return read_mended_ranges(asked, reading, vocabulary)


def _without_items(text: str, reading: Reading, mentions: Sequence[Mention]) -> str:
    """The question without its items' names: "like Blade Runner 2049" asks for no year.

    A year right behind a name belongs to it: "Blade Runner (1982)", "Alien from 1979".
    """
    for mention in mentions:
        if mention.item is not None:
            last = mention.last
            behind = reading.words[last : last + 3]
            for skipped in range(min(2, len(behind))):
                year = behind[skipped]
                if (
                    year.isdecimal()
                    and len(year) == 4
                    and english().grammar.origins.issuperset(behind[:skipped])
                ):
                    last += skipped + 1
                    break
            begin, end = reading.tokens[mention.first].start, reading.tokens[last - 1].end
            text = text[:begin] + " " * (end - begin) + text[end:]
    return text

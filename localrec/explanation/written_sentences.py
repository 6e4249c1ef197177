"""Sentences that people wrote about facts, with places for names, and what they have in common.

A model learns from them how facts are told, and what it tells is held against them: between names,
no two words may follow each other that do so in none of them. A small model that goes astray says
something that nobody would, and so is caught without a judgement of what it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import msgspec

SENTENCES = Path(__file__).parent / "sentences.jsonl"
PLACE = re.compile(r"(?:\b([Aa]n?) )?\[(\w+)\]")  # with the article that belongs to the name

_NAME, _EDGE = "_", ""
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_PIECE = re.compile(r"\w+|[^\w\s]")


class WrittenSentence(msgspec.Struct, frozen=True):
    """Facts with places for names, and a sentence that tells them all.

    Args:
        domain: A domain of the names for training.
        noun: What an item of it is called.
        facts: Statements without their subject: "has [component]".
        sentence: Holds [name] and each place of the facts once.
    """

    domain: str
    noun: str
    facts: tuple[str, ...]
    sentence: str

    @property
    def places(self) -> tuple[str, ...]:
        """The places to fill, as they first stand in the facts; [name] is none of them."""
        found = (match[2] for fact in self.facts for match in PLACE.finditer(fact))
        return tuple(dict.fromkeys(found))


class _Line(msgspec.Struct, frozen=True):
    """A set of facts in the file, with its sentences."""

    domain: str
    noun: str
    facts: tuple[str, ...]
    sentences: tuple[str, ...]


def read_sentences(path: Path = SENTENCES) -> list[WrittenSentence]:
    """Read the sentences with places."""
    lines = (msgspec.json.decode(line, type=_Line) for line in path.read_bytes().splitlines())
    return [
        WrittenSentence(line.domain, line.noun, line.facts, sentence)
        for line in lines
        for sentence in line.sentences
    ]


def sentence_shape(text: str, names: Iterable[str]) -> str:
    """Return a sentence with names and numbers taken out, so that only its shape is left."""
    shape = text.casefold()
    for name in sorted(set(filter(None, names)), key=len, reverse=True):
        shape = re.sub(rf"\b{re.escape(name.casefold())}\b", _NAME, shape)
    shape = _DIGITS.sub(_NAME, shape)
    # A list of names is one place in a shape, however many stand in it.
    return re.sub(rf"{_NAME}(?:(?:, | and | or |, and ){_NAME})+", _NAME, shape)


def reads_as_written(shape: str) -> bool:
    """Whether all neighbouring words of a shape are neighbours in a written sentence as well."""
    return _written_neighbours().issuperset(_neighbours(shape))


@lru_cache
def _written_neighbours() -> frozenset[tuple[str, str]]:
    shapes = (PLACE.sub(_as_name, one.sentence).casefold() for one in read_sentences())
    return frozenset(pair for shape in shapes for pair in _neighbours(shape))


def _as_name(place: re.Match[str]) -> str:
    return f"{place[1]} {_NAME}" if place[1] else _NAME


def _neighbours(shape: str) -> Iterator[tuple[str, str]]:
    """List the pairs of words and marks, with the edges of the sentence; "an" is "a"."""
    pieces = ("a" if one == "an" else one for one in _PIECE.findall(shape))
    return pairwise((_EDGE, *pieces, _EDGE))

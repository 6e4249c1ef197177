"""Sentences that people wrote about facts, with places for names, and what they have in common.

A model learns from them how facts are told, and what it tells is held against them: of three words
or places in a row that stand in none of them nothing is kept, nor of a word that stands beside
facts of other kinds alone. A place is of a kind, so gin cannot come to stand where a colour does. A
small model that goes astray says something that nobody would, and so is caught without a judgement
of what it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

SENTENCES = Path(__file__).parent / "sentences.jsonl"
PLACE = re.compile(r"(?:\b([Aa]n?) )?\[(\w+)\]")  # with the article that belongs to the name

_NAME, _EDGE = "_", ""
# Kinds of names that sentences tell alike.
_ALIKE = {"glass_family": "family", "look": "color", "strength": "color"}
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_PIECE = re.compile(r"\[\w+\]|\w+|[^\w\s]")


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


def reads_as_written(sentence: str, name: str, facts: Sequence[str]) -> bool:
    """Whether a sentence tells all facts, nothing else, and goes from word to word as written ones.

    Args:
        sentence: About the item.
        name: The item's.
        facts: Statements without their subject.
    """
    shape = _with_places(sentence, name, facts)
    if shape is None or not _written_triples().issuperset(_triples(shape)):
        return False
    kinds = {next(kind for kind in _kinds() if _plain(fact).startswith(kind)) for fact in facts}
    words = (words for told, words in _words_by_kinds() if told <= kinds)
    return frozenset().union(*words).issuperset(_pieces(shape))


def _with_places(sentence: str, name: str, facts: Sequence[str]) -> str | None:
    """Put the places back where names stand, each once.

    Returns:
        The shape; None where a name is missing, or a fact is of a kind that nobody wrote about.
    """
    names = [(name, "name")]
    for fact in facts:
        found = next(filter(None, (form.match(fact) for form in _forms())), None)
        if found is None:
            return None
        names += [(told, place) for place, told in found.groupdict().items()]
    for told, place in sorted(dict.fromkeys(names), key=lambda one: -len(one[0])):
        name_alone = re.compile(rf"(?<!\w){re.escape(told)}(?!\w)", re.IGNORECASE)
        sentence, count = name_alone.subn(f"[{_ALIKE.get(place, place)}]", sentence, count=1)
        if not count:
            return None
    return sentence


@lru_cache
def _forms() -> tuple[re.Pattern[str], ...]:
    """List the forms of written facts, which give places to names; the most telling first."""
    facts = {fact for one in read_sentences() for fact in one.facts}
    ordered = sorted(
        facts, key=lambda fact: (-len(PLACE.sub("", fact)), "[number]" not in fact, fact)
    )
    return tuple(re.compile(_form_of(fact)) for fact in ordered)


def _generality(fact: str) -> tuple[int, bool, str]:
    """Sort what says more first: more words of its own, and numbers before names."""
    return -len(PLACE.sub("", fact)), "[number]" not in fact, fact


def _form_of(fact: str) -> str:
    pieces = re.split(r"(\[\w+\])", re.sub(r"\ba \[", "an? [", fact))
    groups = (_group(one[1:-1]) if one.startswith("[") else _literal(one) for one in pieces)
    return f"{''.join(groups)}$"


def _group(place: str) -> str:
    return f"(?P<{place}>{_DIGITS.pattern if place == 'number' else '.+'})"


def _literal(piece: str) -> str:
    return re.escape(piece).replace(re.escape("an? "), "an? ")


@lru_cache
def _kinds() -> tuple[str, ...]:
    """List how written facts begin, the longest first."""
    found = {_beginning(fact) for one in read_sentences() for fact in one.facts}
    return tuple(sorted(found, key=lambda kind: (-len(kind), kind)))


def _beginning(fact: str) -> str:
    return fact.partition("[")[0]


def _plain(fact: str) -> str:
    """A fact with the article of the written ones."""
    return fact.replace(" an ", " a ", 1)


@lru_cache
def _words_by_kinds() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """For each written sentence the kinds of its facts, and its words."""
    return tuple(
        (frozenset(map(_beginning, one.facts)), frozenset(_pieces(_alike(one.sentence))))
        for one in read_sentences()
    )


@lru_cache
def _written_triples() -> frozenset[tuple[str, str, str]]:
    shapes = (_alike(one.sentence) for one in read_sentences())
    return frozenset(three for shape in shapes for three in _triples(shape))


def _alike(sentence: str) -> str:
    return re.sub(r"\[(\w+)\]", lambda place: f"[{_ALIKE.get(place[1], place[1])}]", sentence)


def _triples(shape: str) -> Iterator[tuple[str, str, str]]:
    """List what follows each other, three by three, from edge to edge; "an" is "a"."""
    pieces = [_EDGE, *_pieces(shape), _EDGE]
    return zip(pieces, pieces[1:], pieces[2:], strict=False)


def _pieces(shape: str) -> list[str]:
    return ["a" if one == "an" else one for one in _PIECE.findall(shape.casefold())]

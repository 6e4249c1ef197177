"""Sentences that people wrote about facts, with places for names, and what they have in common.

A model learns from them how facts are told, and what it tells is held against them. Not kept is a
sentence whose opening, up to the item's name, is none of theirs; that has four words or places in a
row which stand in none of them; or that has a word which stands only beside facts of other kinds. A
place is of a kind, so gin cannot come to stand where a colour does. A small model that goes astray
says something that nobody would, and so is caught without a judgement of what it means.
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
_RUN = 4  # words, marks and places
_ALIKE = {"glass_family": "family"}  # kinds of names that sentences tell alike
_OPEN = frozenset({"is [color]", "is [look]", "is [strength]"})  # facts that only names tell apart
_HANGS_ON = re.compile(r"\] in (?:it|the)\b")  # words that nobody puts behind a long list
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


@lru_cache
def read_sentences() -> tuple[WrittenSentence, ...]:
    """Read the sentences with places."""
    lines = (msgspec.json.decode(line, type=_Line) for line in SENTENCES.read_bytes().splitlines())
    return tuple(
        WrittenSentence(line.domain, line.noun, line.facts, sentence)
        for line in lines
        for sentence in line.sentences
    )


def sentence_shape(text: str, names: Iterable[str]) -> str:
    """Return a sentence with names and numbers taken out, so that only its shape is left."""
    shape = text.casefold()
    for name in sorted(set(filter(None, names)), key=len, reverse=True):
        shape = re.sub(rf"\b{re.escape(name.casefold())}\b", _NAME, shape)
    shape = _DIGITS.sub(_NAME, shape)
    # A list of names is one place in a shape, however many stand in it.
    return re.sub(rf"{_NAME}(?:(?:, | and | or |, and ){_NAME})+", _NAME, shape)


class StatedFact(msgspec.Struct, frozen=True):
    """A fact as a sentence is to tell it.

    Args:
        text: A statement without its subject: "is red".
        place: The kind of name that it states, where the words leave that open ("color", "look" or
            "strength" after "is"); "" for any other, which "is" alone states in no written fact.
    """

    text: str
    place: str = ""


def reads_as_written(sentence: str, name: str, facts: Sequence[StatedFact]) -> bool:
    """Whether a sentence tells all facts, nothing else, and goes from word to word as written ones.

    Args:
        sentence: About the item.
        name: The item's.
        facts: What it is to tell.
    """
    forms = [_form_of(fact) for fact in facts]
    shape = _with_places(sentence, name, facts, forms)
    if shape is None or _opening(shape) not in _written_openings():
        return False
    if not _written_runs().issuperset(_runs(shape)):
        return False
    kinds = {_kind_of(form.fact) for form in forms if form is not None}
    words = (words for told, words in _words_by_kinds() if told <= kinds)
    return frozenset().union(*words).issuperset(_pieces(shape))


class _Form(msgspec.Struct, frozen=True):
    """The form of written facts, and the expression that finds names in others like it."""

    fact: str
    expression: re.Pattern[str]


def _form_of(fact: StatedFact) -> _Form | None:
    """Find the most telling form of a fact; None where nobody wrote about such a one."""
    for form in _forms():
        is_open = form.fact in _OPEN and form.fact != f"is [{fact.place}]"
        if not is_open and form.expression.match(fact.text):
            return form
    return None


def _with_places(
    sentence: str, name: str, facts: Sequence[StatedFact], forms: Sequence[_Form | None]
) -> str | None:
    """Put the places back where names stand, each once.

    Returns:
        The shape; None where a name is missing, words hang on a long list, or a fact has no form.
    """
    names = [(name, "name")]
    for fact, form in zip(facts, forms, strict=True):
        found = form and form.expression.match(fact.text)
        if not found:
            return None
        names += [(told, place) for place, told in found.groupdict().items()]
    for told, place in sorted(dict.fromkeys(names), key=lambda one: -len(one[0])):
        name_alone = re.compile(rf"(?<![\w\[]){re.escape(told)}(?![\w\]])", re.IGNORECASE)
        sentence, count = name_alone.subn(f"[{_ALIKE.get(place, place)}]", sentence, count=1)
        if not count or ("," in told and _HANGS_ON.search(sentence)):
            return None
    return sentence


@lru_cache
def _forms() -> tuple[_Form, ...]:
    """List the forms of written facts; those that say more of their own come first."""
    facts = {fact for one in read_sentences() for fact in one.facts}
    return tuple(_Form(fact, _expression_of(fact)) for fact in sorted(facts, key=_generality))


def _generality(fact: str) -> tuple[int, bool, str]:
    """Sort more words before fewer, and numbers before names."""
    return -len(PLACE.sub("", fact)), "[number]" not in fact, fact


def _expression_of(fact: str) -> re.Pattern[str]:
    pieces = re.split(r"(\[\w+\])", re.sub(r"\ba \[", "an? [", fact))
    groups = (_group(one[1:-1]) if one.startswith("[") else _literal(one) for one in pieces)
    return re.compile(f"{''.join(groups)}$")


def _group(place: str) -> str:
    return f"(?P<{place}>{_DIGITS.pattern if place == 'number' else '.+'})"


def _literal(piece: str) -> str:
    return re.escape(piece).replace(re.escape("an? "), "an? ")


def _kind_of(fact: str) -> str:
    """A form without the family that may stand behind a name."""
    return fact.partition(" (")[0]


@lru_cache
def _words_by_kinds() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """For each written sentence the kinds of its facts, and its words."""
    return tuple(
        (frozenset(map(_kind_of, one.facts)), frozenset(_pieces(_alike(one.sentence))))
        for one in read_sentences()
    )


@lru_cache
def _written_openings() -> frozenset[tuple[str, ...]]:
    return frozenset(_opening(_alike(one.sentence)) for one in read_sentences())


def _opening(shape: str) -> tuple[str, ...]:
    """What leads up to the item's name; words that do not fit it there make it something else."""
    pieces = _pieces(shape)
    return tuple(pieces[: pieces.index("[name]")])


@lru_cache
def _written_runs() -> frozenset[tuple[str, ...]]:
    return frozenset(run for one in read_sentences() for run in _runs(_alike(one.sentence)))


def _alike(sentence: str) -> str:
    return re.sub(r"\[(\w+)\]", lambda place: f"[{_ALIKE.get(place[1], place[1])}]", sentence)


def _runs(shape: str) -> Iterator[tuple[str, ...]]:
    """List what follows each other, four by four, from edge to edge."""
    pieces = [_EDGE, *_pieces(shape), _EDGE]
    return zip(*(pieces[first:] for first in range(_RUN)), strict=False)


def _pieces(shape: str) -> list[str]:
    """List places, words and marks; "an" is "a"."""
    return ["a" if one == "an" else one for one in _PIECE.findall(shape.casefold())]

"""The writer's examples: facts about an item, and a sentence that tells them.

A sentence is a written one with places for names, by one of several authors; the names are drawn,
so that an adapter learns how facts are told and not what is told. Each set of facts has several
sentences, which is how the adapter comes to vary. Names of English words at random keep it from
learning names by heart: it has to copy.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache

from localrec.data.chat_message import Message
from localrec.explanation.writer import LONGEST_SENTENCE, numbered_facts, sentence_task
from localrec.explanation.written_sentences import PLACE, WrittenSentence, read_sentences
from localrec.foundation.errors import ModelError
from localrec.foundation.prose import join_words, with_article
from localrec.foundation.text_matching import roots
from localrec.llm.structured_output import parse_sentence
from localrec.training.examples.example import Example, Examples, Half, half_of
from localrec.training.examples.lexicon import invented_title
from localrec.training.examples.names import read_names
from localrec.understanding.spelling import english_words

# Shares of the names: those of the domain, invented titles, and words at random.
_STRANGE = 0.25
_INVENTED = 0.3  # of the items
_SEVERAL = 0.3  # of the places that take a list hold one
_MOST = 4  # names in a list
_USUAL = 30_000  # the commonest words of English

_LISTS = {"component": "and", "genre": "and", "tag": "and", "shared": "and", "absent": "or"}
_TYPES: dict[str, tuple[str, ...]] = {  # place -> the types of names that fill it
    "component": ("component",),
    "family": ("component", "category"),
    "container": ("container",),
    "glass_family": ("container",),
    "category": ("category",),
    "genre": ("category", "look"),
    "tag": ("category", "look"),
    "color": ("look",),
    "look": ("look",),
    "garnish": ("garnish",),
    "creator": ("creator",),
    "album": ("item",),
    "place": ("place",),
    "decade": ("decade",),
    "absent": ("component", "category"),
    "shared": ("component", "category"),
}
_STRENGTHS = ("alcoholic", "non-alcoholic")
# By what stands around them; whole, since a sentence holds no point but at its end.
_NUMBERS: tuple[tuple[str, Callable[[random.Random], str]], ...] = (
    ("weight", lambda draw: str(draw.randrange(1, 6))),
    ("%", lambda draw: str(draw.randrange(4, 45))),
    ("pages", lambda draw: str(draw.randrange(80, 1200))),
    ("minutes", lambda draw: str(draw.randrange(10, 245, 5))),
    ("players", lambda draw: str(draw.randrange(2, 9))),
    ("ingredients", lambda draw: str(draw.randrange(3, 10))),
    ("costs", lambda draw: str(draw.randrange(5, 150))),
    ("from", lambda draw: str(draw.randrange(1920, 2026))),
)


def writer_examples(train: int, validation: int, seed: int) -> Examples:
    """Compose facts and sentences for both halves; no sentence with places is in both."""

    def half(name: Half, count: int) -> tuple[Example, ...]:
        composer = _Composer(half_of(read_sentences(), name), f"{seed} {name} sentences")
        return tuple(composer.example() for _ in range(count))

    return Examples(
        role="writer", train=half("train", train), validation=half("validation", validation)
    )


def tells_facts(example: Example, sentence: str) -> bool:
    """Whether a sentence is plain and holds every name in the facts of an example."""
    try:
        parse_sentence(sentence, LONGEST_SENTENCE)
    except ModelError:
        return False
    words = roots(example.messages[-1].content)
    return (set(words) - _words_of_facts()).issubset(roots(sentence))


@lru_cache
def _words_of_facts() -> frozenset[str]:
    """List the words that state facts, with their numbers: none of them is a name."""
    facts = {fact for carrier in read_sentences() for fact in carrier.facts}
    numbered = numbered_facts("", [PLACE.sub("", fact) for fact in sorted(facts)])
    return frozenset(roots(f"{numbered} a an"))


class _Composer:
    """Fills sentences with names, by turns over all of them in a drawn order."""

    def __init__(self, carriers: Sequence[WrittenSentence], seed: str) -> None:
        self._random = random.Random(seed)
        self._carriers, self._left = list(carriers), list[WrittenSentence]()
        self._names = read_names()

    def example(self) -> Example:
        """Compose the next example; a fill that makes no plain sentence is drawn again."""
        if not self._left:
            self._left = self._random.sample(self._carriers, len(self._carriers))
        carrier = self._left.pop()
        while True:
            item = self._item(carrier.domain)
            names = {place: self._fill(carrier, place) for place in carrier.places}
            sentence = _filled(carrier.sentence, {"name": item, **names})
            try:
                parse_sentence(sentence, LONGEST_SENTENCE)
            except ModelError:
                continue
            facts = [_filled(fact, names) for fact in carrier.facts]
            task = sentence_task(carrier.noun)
            return Example(
                messages=(*task, Message("user", numbered_facts(item, facts))),
                answer=sentence,
                split_keys=(carrier.sentence,),
            )

    def _item(self, domain: str) -> str:
        if self._random.random() < _INVENTED:
            return invented_title(self._random)
        name = self._name(domain, ("item",))
        return f"{name[:1].upper()}{name[1:]}"

    def _fill(self, carrier: WrittenSentence, place: str) -> str:
        if place == "number":
            return self._number(carrier)
        if place == "strength":
            return self._random.choice(_STRENGTHS)
        if place == "example":
            return self._item(carrier.domain)
        count = 1
        if place in _LISTS and self._random.random() < _SEVERAL:
            count = self._random.randint(2, _MOST)
        names = [self._name(carrier.domain, _TYPES[place]) for _ in range(count)]
        return join_words(list(dict.fromkeys(names)), _LISTS.get(place, "and"))

    def _number(self, carrier: WrittenSentence) -> str:
        fact = next(fact for fact in carrier.facts if "[number]" in fact)
        return next(drawn for word, drawn in _NUMBERS if word in fact)(self._random)

    def _name(self, domain: str, types: Sequence[str]) -> str:
        if self._random.random() < _STRANGE:
            count = self._random.choice((1, 1, 2))
            return " ".join(self._random.choice(self._words) for _ in range(count))
        return self._random.choice(self._names[domain][self._random.choice(types)])

    @cached_property
    def _words(self) -> tuple[str, ...]:
        return english_words().usual(_USUAL)


def _filled(text: str, names: dict[str, str]) -> str:
    """Fill the places of a text; an article before one becomes the name's own."""

    def put(match: re.Match[str]) -> str:
        name = names[match[2]]
        if not match[1]:
            return name
        told = with_article(name)
        return f"{told[:1].upper()}{told[1:]}" if match[1][0] == "A" else told

    return PLACE.sub(put, text)

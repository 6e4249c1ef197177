"""Check that the evidence covers a sentence: every name in it must be in a cited edge.

Every catalogue name in a sentence must be a node of the evidence; every number must be in the
evidence; a sentence may claim an absence only of what the question excluded. Words that are no
names ("pleasant") make no claim that could be checked, and pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from localrec.data.domains import Domain
from localrec.data.evidence import Evidence
from localrec.data.query import Query
from localrec.explanation.graph_facts import state_number
from localrec.foundation.text_matching import roots
from localrec.understanding.meanings import Meaning
from localrec.understanding.mentions import find_mentions, owners
from localrec.understanding.negation import negated_tokens
from localrec.understanding.vocabulary import Vocabulary

_DIGITS = re.compile(r"\d+(?:\.\d+)?")


def is_grounded(
    sentence: str, evidence: Sequence[Evidence], intent: Query, vocabulary: Vocabulary
) -> bool:
    """Whether the evidence contains every name and number of a sentence."""
    allowed = _names_in(evidence) | _words_of_numbers(evidence, vocabulary.domain)
    reading = vocabulary.read(sentence)
    mentions = find_mentions(reading, vocabulary)
    excluded, _ = negated_tokens(reading, owners(reading, mentions), vocabulary.negations)
    may_be_absent = {key for one in intent.constraints if one.excluded for key in one.any_of}
    for mention in mentions:
        phrase = reading.roots[mention.first : mention.last]
        if excluded[mention.first]:
            if mention.meaning is None or mention.meaning.key not in may_be_absent:
                return False
        elif not _is_covered(phrase, mention.meaning, allowed, vocabulary):
            return False
    numbers = {number for edge in evidence for number in _DIGITS.findall(_text_of(edge))}
    return all(number in numbers for number in _DIGITS.findall(sentence))


def _names_in(evidence: Iterable[Evidence]) -> set[tuple[str, ...]]:
    """List the word roots of every name in the evidence, and of every run of words in it."""
    names: set[tuple[str, ...]] = set()
    for edge in evidence:
        for text in (edge.source, edge.target, edge.value or ""):
            names |= _runs_of_words(text)
    return names


def _words_of_numbers(evidence: Iterable[Evidence], domain: Domain) -> set[tuple[str, ...]]:
    """List the words that state the cited numbers: "has about 12 % alcohol" claims no flag."""
    names: set[tuple[str, ...]] = set()
    for edge in evidence:
        if edge.relation in domain.numbers:
            names |= _runs_of_words(state_number(domain.numbers[edge.relation].says, edge.target))
    return names


def _runs_of_words(text: str) -> set[tuple[str, ...]]:
    words = roots(text)
    ends = range(1, len(words) + 1)
    return {words[first:last] for last in ends for first in range(last)}


def _is_covered(
    phrase: tuple[str, ...],
    meaning: Meaning | None,
    allowed: set[tuple[str, ...]],
    vocabulary: Vocabulary,
) -> bool:
    if phrase in allowed:
        return True
    if meaning is None or meaning.role in ("order", "diet"):
        return meaning is not None
    if roots(meaning.key) in allowed:
        return True
    concept = vocabulary.domain.taxonomy.get(meaning.kind, {}).get(meaning.key)
    return concept is not None and any(roots(name) in allowed for name in concept.also)


def _text_of(edge: Evidence) -> str:
    return f"{edge.source} {edge.target} {edge.value or ''}"

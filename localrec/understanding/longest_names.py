"""The longest name at a place of a question, and whether everyday words there mean it.

Catalogues call things "Nice", "One" or "Winter". Such a word is a name where something shows it: a
"by", a capital inside a sentence, nothing else in the question.
"""

from __future__ import annotations

import msgspec

from localrec.foundation.text_matching import PhraseMatch
from localrec.understanding.language_words import english, phrases
from localrec.understanding.meanings import Meaning
from localrec.understanding.partial_mentions import begins_a_refusal
from localrec.understanding.spelling import word_rank
from localrec.understanding.titles_meant import SERIES_NOUNS, is_capitalised
from localrec.understanding.vocabulary import Reading, Vocabulary

_GRAMMAR, _WORDS = english().grammar, english().mention
_NOT_DRINKING, _DATED = phrases(_WORDS.not_drinking), phrases(_WORDS.dated)
_LESS_COMMON = 2_000  # rank of a word that names something before the items' noun


def longest_name(
    reading: Reading, vocabulary: Vocabulary, position: int, end: int
) -> PhraseMatch[Meaning] | None:
    """The longest name that some item has; where no item has any, the longest."""
    found = [
        match
        for match in vocabulary.names.phrases_at(reading.roots, position, end)
        if not is_year_for_decade(reading.words[position], match)
        and not _is_when_it_began(reading, match)
    ]
    kept = []
    for match in found:
        meant = tuple(
            one
            for one in match.payloads
            if not _is_hardly_meant(reading, vocabulary, match, one)
            or _is_pointed_at(reading, vocabulary, match, one)
        )
        if meant:
            kept.append(msgspec.structs.replace(match, payloads=meant))
    alive = (one for one in kept if any(map(vocabulary.is_usable, one.payloads)))
    return next(alive, kept[0] if kept else None)


def _is_hardly_meant(
    reading: Reading, vocabulary: Vocabulary, match: PhraseMatch[Meaning], meaning: Meaning
) -> bool:
    """Whether everyday words or a refusal ("avoiding") hardly mean the name they spell."""
    phrase = tuple(reading.roots[match.first : match.last])
    if vocabulary.is_hardly_a_name(phrase, meaning):
        return True
    if meaning.role == "flag":
        return _refuses_what_follows(reading, vocabulary, match)
    from_catalogue = meaning.kind not in vocabulary.domain.taxonomy
    refuses = len(phrase) == 1 and begins_a_refusal(reading, vocabulary, match.first)
    return refuses and from_catalogue and meaning.role in ("creator", "category", "component")


def _refuses_what_follows(
    reading: Reading, vocabulary: Vocabulary, match: PhraseMatch[Meaning]
) -> bool:
    """ "not drinking any gin": no drink without alcohol, but one without what is named next."""
    place = match.last
    while reading.words[place : place + 1] and reading.words[place] in _WORDS.before_refused:
        place += 1
    told = reading.words[match.first], reading.words[match.last - 1]
    is_refusal = told in _NOT_DRINKING
    if not is_refusal or place == len(reading.words) or any(reading.gaps[match.last : place + 1]):
        return False
    following = vocabulary.names.longest_at(reading.roots, place)
    return following is not None and any(
        one.role in ("component", "category") and vocabulary.is_usable(one)
        for one in following.payloads
    )


def _is_pointed_at(
    reading: Reading, vocabulary: Vocabulary, match: PhraseMatch[Meaning], meaning: Meaning
) -> bool:
    """Whether everyday words are shown to be a name: by "by", by capitals inside a sentence.

    Or nothing else is said ("Prince"), or "series" stands behind, or the items' noun behind a word
    that is not so common ("Ontario wines").
    """
    first, last = match.first, match.last
    if first and reading.words[first - 1] in _GRAMMAR.makers:
        return meaning.role == "creator"
    if last - first == len(reading.words):
        return last - first > 1 or reading.capitals[first]
    behind = reading.words[last] if last < len(reading.words) and not reading.gaps[last] else ""
    told = reading.capitals[first] or (first > 0 and reading.words[first - 1] in _GRAMMAR.definite)
    if behind in SERIES_NOUNS and meaning.kind == "series" and told:
        return True
    is_noun = bool(behind) and reading.roots[last] in vocabulary.item_nouns
    if is_noun and meaning.kind in _WORDS.places and word_rank(reading.words[first]) > _LESS_COMMON:
        return True
    opens = first == 0 or reading.gaps[first] == "."
    return not opens and is_capitalised(reading, first, last)


def _is_when_it_began(reading: Reading, match: PhraseMatch[Meaning]) -> bool:
    """ "cinema died when the seventies started": a decade that dates something else."""
    if not all(one.key.endswith("0s") for one in match.payloads) or match.first < 2:
        return False
    return reading.words[match.first - 2 : match.first] in _DATED


def is_year_for_decade(typed: str, match: PhraseMatch[Meaning]) -> bool:
    """ "before 1940" and "twenty times" name no decade, though they share its root."""
    if match.last - match.first > 1:
        return False
    if typed in english().numbers:
        return all(one.key.endswith("0s") for one in match.payloads)
    return typed.isdecimal() and all(one.key == f"{typed}s" for one in match.payloads)

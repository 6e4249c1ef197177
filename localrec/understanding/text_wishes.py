"""Words of a question that name nothing here, but that the texts of items may say.

"A Rioja, it has to be a Gran Reserva", "no bibles", "one that mentions lychee", "'blood' in the
title". What stays unread is looked for in names and texts: wished for, it moves items that say it
forward; refused, it bars them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import msgspec

from localrec.data.query import Query, TextWish
from localrec.graph.catalogue import Catalogue
from localrec.understanding.language_words import cue_words, english
from localrec.understanding.negation import negated_tokens, refusing_places
from localrec.understanding.question_roles import WordRoles
from localrec.understanding.role_decisions import refused_words
from localrec.understanding.spelling import english_words, word_rank
from localrec.understanding.unused_words import content_places
from localrec.understanding.vocabulary import Reading, Vocabulary

_QUOTED = re.compile(r"(?<!\w)(['\"‘“])(?P<inside>[^'\"‘’“”]{2,40})['\"’”](?!\w)")
_MOST_QUOTED = 5  # words
_TASTED_NEAR = 3  # words from "a taste of" to what is tasted
_LONGEST = 4  # words side by side that are looked for together
_SHORTEST_STEM = 4  # letters of a word without its ending, to be looked for
_STEM = 5  # letters by which words are of one family
_SELDOM = 5  # times as often is the stem said, to be looked for instead
_TELLING = 3.0  # times as often as in English
_FAR_OFTENER = 10.0  # the same of an everyday word
_SELDOM_ENOUGH = 500  # rank among English words from which an everyday one may be so
_COMMONEST_SHARE = 0.1  # of English are its commonest word, and the nth of it an nth of that
_WORDS_OF_TEXT, _WORDS_OF_NAME = 40, 5  # of an item, with a description and without
_TOO_COMMON = 0.3  # share of items that say a word which then says nothing
_NEARLY_ALL = 0.9  # the same of a refused one


class TextPlaces(msgspec.Struct, frozen=True):
    """Runs of tokens whose words are looked for in texts, and which of them are refused."""

    runs: tuple[tuple[int, int], ...]
    excluded: tuple[bool, ...]
    spared: frozenset[int] = frozenset()  # tokens of names that a refusal of such words spares
    titled: frozenset[int] = frozenset()  # tokens that are said of titles
    everyday: frozenset[int] = frozenset()  # tokens of everyday words, each a run


def find_text_places(
    text: str,
    reading: Reading,
    owner: Sequence[int],
    used: Collection[int],
    excluded: Sequence[bool],
    vocabulary: Vocabulary,
    roles: WordRoles | None = None,
    titled: frozenset[int] = frozenset(),
) -> TextPlaces:
    """Find the words that name nothing, and whether a refusal reaches them.

    Args:
        text: The question.
        reading: Its tokens.
        owner: For each token the number of the mention it belongs to, -1 for none.
        used: Places of tokens that were read otherwise.
        excluded: For each token whether a refusal reaches it, names alone regarded.
        vocabulary: The names of the domain.
        roles: The tagger's roles of the words; None without one.
        titled: Places of words that are said of titles.
    """
    free = {place for place in range(len(reading.tokens)) if owner[place] < 0 and place not in used}
    quoted = _quoted(text, reading) & free
    between = english().trailing_refusals.adverbs  # "romance has been wholly kept away"
    content = {
        place
        for place in content_places(reading, vocabulary)
        - refusing_places(reading, owner, vocabulary.negations)
        if reading.words[place] not in between
    }
    tagged = refused_words(roles, free, reading, vocabulary)
    sought = free & (content | quoted | tagged | titled)
    runs = _runs(sorted(sought), reading, tagged | titled)
    everyday = _everyday(free - sought, reading, vocabulary)
    if not runs and not everyday:
        return TextPlaces((), ())
    refused = _refused_with(runs, reading, owner, vocabulary)
    spared = {
        place for place, one in enumerate(owner) if one >= 0 and excluded[place] > refused[place]
    }
    reached = [refused[first] or first in tagged for first, _ in runs]
    # They must not keep a refusal from what stands behind them ("bring another musical").
    words = [(place, place + 1) for place in sorted(everyday)]
    if words:
        refused = _refused_with([*runs, *words], reading, owner, vocabulary)
        words = [one for one in words if _is_meant(reading, one[0], refused[one[0]])]
        runs += words
        reached += [refused[place] for place, _ in words]
    return TextPlaces(tuple(runs), tuple(reached), frozenset(spared), titled, everyday)


def _is_meant(reading: Reading, place: int, is_refused: bool) -> bool:
    """Whether an everyday word is said of items: "a hint of chocolate", "no chocolate"."""
    tasted = english().mention.tasted_parts
    before = reading.words[max(0, place - _TASTED_NEAR) : place]
    if is_refused and not english().grammar.negatives.isdisjoint(before[-1:]):
        return True
    return not tasted.isdisjoint((*before, *reading.words[place + 1 : place + 2]))


def _refused_with(
    runs: Sequence[tuple[int, int]],
    reading: Reading,
    owner: Sequence[int],
    vocabulary: Vocabulary,
) -> list[bool]:
    """For each token whether a refusal reaches it, where runs of words stand like names."""
    told = list(owner)
    for number, (first, last) in enumerate(runs, len(owner)):
        told[first:last] = [number] * (last - first)
    return negated_tokens(reading, told, vocabulary.negations)[0]


def _everyday(free: Collection[int], reading: Reading, vocabulary: Vocabulary) -> frozenset[int]:
    """Places of everyday words that descriptions may be full of: "chocolate" of wines."""
    if "description" not in vocabulary.domain.texts:
        return frozenset()
    silent = english().talk.silent | cue_words() | english().mention.tasted_parts
    return frozenset(
        place
        for place in free
        if vocabulary.is_plain(word := reading.tokens[place].word)
        and len(word) >= _SHORTEST_STEM
        and silent.isdisjoint((word, reading.roots[place]))
        and reading.roots[place] not in vocabulary.item_nouns
        and word_rank(word) > _SELDOM_ENOUGH
    )


def text_wishes(text: str, reading: Reading, places: TextPlaces) -> tuple[TextWish, ...]:
    """The words at these places as wishes."""
    return tuple(
        TextWish(
            words=reading.roots[first:last],
            typed=text[reading.tokens[first].start : reading.tokens[last - 1].end],
            excluded=refused,
            in_name=first in places.titled,
            everyday=first in places.everyday,
        )
        for (first, last), refused in zip(places.runs, places.excluded, strict=True)
    )


def find_in_texts(query: Query, catalogue: Catalogue) -> Query:
    """Keep of the text wishes what some items say; a run that nobody says falls into words."""
    if not query.texts:
        return query
    kept: list[TextWish] = []
    for one in query.texts:
        if one.everyday and _lift(one.words, catalogue) < _FAR_OFTENER:
            continue
        wish = one if one.in_name else _without_ending(one, catalogue)
        if wish.in_name or _is_said(wish, wish.words, catalogue):
            kept.append(wish)
        elif len(wish.words) > 1:
            typed = wish.typed.split()
            fits = len(typed) == len(wish.words)
            kept += [
                TextWish(words=(word,), typed=typed[i] if fits else word, excluded=wish.excluded)
                for i, word in enumerate(wish.words)
                if len(word) > 2 and _is_said(wish, (word,), catalogue)
            ]
    kept = _telling(_without_refused_kin(kept), catalogue)
    refused = {word for one in kept if one.excluded for word in one.typed.split()}
    unused = tuple(one for one in query.unused if not refused.issuperset(one.split()))
    return msgspec.structs.replace(query, texts=tuple(kept), unused=unused)


def _without_refused_kin(wishes: Sequence[TextWish]) -> list[TextWish]:
    """Drop "tannic" beside "no tannins": what is said of a refused thing is no wish for it."""
    begins = {word[:_STEM] for one in wishes if one.excluded for word in one.words}
    return [
        one
        for one in wishes
        if one.excluded
        or not any(len(word) >= _STEM and word[:_STEM] in begins for word in one.words)
    ]


def _without_ending(wish: TextWish, catalogue: Catalogue) -> TextWish:
    """Look for "peach" and "smok" where hardly a description says "peachy" or "smokey"."""
    word = wish.words[0]
    stem = word.removesuffix("y").removesuffix("e")
    is_adjective = len(wish.words) == 1 and word.endswith("y") and len(stem) >= _SHORTEST_STEM
    is_adjective &= any(one in english_words() for one in (stem, f"{stem}e"))
    if not is_adjective or "description" not in catalogue.domain.texts:
        return wish
    said, by_stem = (catalogue.items_saying((one,)).sum() for one in (word, stem))
    return msgspec.structs.replace(wish, words=(stem,)) if said * _SELDOM < by_stem else wish


def _telling(wishes: Sequence[TextWish], catalogue: Catalogue) -> list[TextWish]:
    """Drop the wishes for small talk where others are for words that items say.

    "My grandson pays, and I want honey in it": tasting notes say "honey" far oftener than English
    does, and "pays" more seldom.
    """
    wished = [one for one in wishes if not one.excluded]
    told = [one for one in wished if one.in_name or _lift(one.words, catalogue) >= _TELLING]
    idle = [one for one in wished if one not in told] if told else []
    return [one for one in wishes if one not in idle]


def _lift(words: tuple[str, ...], catalogue: Catalogue) -> float:
    """Return how many times as often as English the items say some words; several words suffice."""
    if len(words) > 1:
        return _TELLING
    length = _WORDS_OF_TEXT if "description" in catalogue.domain.texts else _WORDS_OF_NAME
    share = float(catalogue.items_saying(words).mean())
    return share * (1 + word_rank(words[0])) / (_COMMONEST_SHARE * length)


def _is_said(wish: TextWish, words: tuple[str, ...], catalogue: Catalogue) -> bool:
    """Whether words tell items apart; a refusal of "tannin" counts though most wines say it."""
    count = int(catalogue.items_saying(words).sum())
    most = _NEARLY_ALL if wish.excluded else _TOO_COMMON
    return 0 < count <= max(3, most * len(catalogue))


def _runs(places: Sequence[int], reading: Reading, apart: Collection[int]) -> list[tuple[int, int]]:
    """Places side by side as runs; those in `apart` never share one with the others."""
    runs: list[list[int]] = []
    for place in places:
        goes_on = runs and runs[-1][-1] == place - 1 and not reading.gaps[place]
        goes_on = goes_on and (place in apart) == (place - 1 in apart)
        if goes_on and len(runs[-1]) < _LONGEST:
            runs[-1].append(place)
        else:
            runs.append([place])
    return [(run[0], run[-1] + 1) for run in runs]


def _quoted(text: str, reading: Reading) -> set[int]:
    found: set[int] = set()
    for match in _QUOTED.finditer(text):
        begin, end = match.span("inside")
        inside = {
            place
            for place, token in enumerate(reading.tokens)
            if begin <= token.start and token.end <= end
        }
        if 0 < len(inside) <= _MOST_QUOTED:
            found |= inside
    return found

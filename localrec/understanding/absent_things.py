"""Things that a question wishes for and that no item here has: "a drink with poitín", "klezmer".

Such a wish cannot be met and is let go by name, rather than met by whatever comes near. A thing is
told by a word that is no English word, behind "with" and the like or where nothing else was read;
there a name with capitals ("Sally Rooney") is one as well. Beside what is wished for a word with a
capital is one: "a Giaconda chardonnay", "chardonnay from Beechworth".
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet

import msgspec

from localrec.data.domains import Domain
from localrec.data.query import Constraint, Query
from localrec.foundation.text_matching import fold, roots, tokens
from localrec.understanding.language_words import any_of, english
from localrec.understanding.recollections import is_recalled
from localrec.understanding.spelling import english_words, is_everyday

_SHORTEST, _LONGEST = 4, 30  # letters of a word
_WORDS = english().absent_things
_BEHIND = re.compile(rf"(?i)\b{any_of(_WORDS.behind)}\s+(?:{any_of(_WORDS.small_behind)}\s+)?$")
_BY_NAME = re.compile(rf"(?i)\b{any_of(_WORDS.by_name)}\s+(?:{any_of(_WORDS.small_by_name)}\s+)?$")
_PAUSE = re.compile(r"\s*(?:[,.;:!?]|$)")
_ARTICLE = re.compile(rf"(?i)\b{any_of(_WORDS.articles)}\s+$")
_NEXT = re.compile(r"\s+(\w+)")
_FROM = re.compile(rf"(?i)\b(\w+)\s+{any_of(english().mention.by)}\s+$")
_ASKING = re.compile(rf"(?i)(?:^|\b{any_of(_WORDS.asking)}\s+)$")


def with_absent_things(text: str, query: Query, domain: Domain) -> Query:
    """Add a demand for each thing that nobody here has to a query that asks for items.

    Args:
        text: The question.
        query: What was read of it; its unused phrases are looked at.
        domain: Says of which kind such a thing would be.
    """
    kind = domain.kind_of("component") or domain.kind_of("category")
    if query.is_declined or kind is None:
        return query
    wished = _words_of_wishes(query, domain)
    absent = [
        one
        for one in query.unused
        if _is_absent(text, one, query.is_empty) or _is_beside(text, one, wished)
    ]
    if not absent:
        return query
    demands = tuple(Constraint(kind=kind, any_of=(one,)) for one in absent)
    return msgspec.structs.replace(
        query,
        constraints=query.constraints + demands,
        unused=tuple(one for one in query.unused if one not in absent),
    )


def _is_absent(text: str, phrase: str, is_all: bool) -> bool:
    found = re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text)
    before = text[: found.start()] if found else text
    words, typed = [token.word for token in tokens(phrase)], phrase.split()
    if "'" in phrase or "’" in phrase:
        return False  # "you're"
    if any(_is_strange(word) for word in words):
        is_somebody = len(typed) == 1 and phrase[:1].isupper() and not _ASKING.search(before)
        behind = text[found.end() :] if found else ""
        if typed[0][:1].isupper() and _BY_NAME.search(before) and _PAUSE.match(behind):
            return True  # "have you got the Sueca"
        return (is_all and not is_somebody) or _BEHIND.search(before) is not None
    has_capitals = len(typed) > 1 and all(word[:1].isupper() for word in typed[:2])
    return is_all and has_capitals and not is_everyday(words[1])


def _words_of_wishes(query: Query, domain: Domain) -> frozenset[str]:
    """The words of what is wished for, and those that items are called by."""
    named = (key for one in query.constraints if not one.excluded for key in one.any_of)
    return frozenset(root for told in (*named, *domain.item_words) for root in roots(told))


def _is_beside(text: str, phrase: str, wished: AbstractSet[str]) -> bool:
    """Whether a name with capitals stands right before what is wished for, or behind its "from"."""
    found = re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text)
    words = [token.word for token in tokens(phrase)]
    if found is None or not found.start() or not all(one[:1].isupper() for one in phrase.split()):
        return False
    if not all(len(word) >= _SHORTEST and not is_everyday(word) for word in words):
        return False
    if is_recalled(fold(text[: found.start()])):
        return False
    behind = _NEXT.match(text[found.end() :])
    article = _ARTICLE.search(text[: found.start()])
    if article and behind and wished & {*roots(behind[1])}:
        return True
    origin = _FROM.search(text[: found.start()])
    return origin is not None and bool(wished & {*roots(origin[1])})


def _is_strange(word: str) -> bool:
    """Whether a word of letters is neither English nor slang."""
    is_word = _SHORTEST <= len(word) <= _LONGEST and word.isalpha()
    return is_word and word not in english_words() and word not in english().slang

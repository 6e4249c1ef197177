"""Whether a question is a wish for an item at all, small talk, or about something else.

What a rule can be sure of is decided by words. Of the rest the vector and the words tell, by
weights that were learnt for them (`scripts/studies/topic_weights.py`), else the nearest known
question does.
The more of a question was read, and the more it asks, the surer the vector must be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Literal
from zlib import crc32

import msgspec
import numpy as np

from localrec.data.domains import Domain
from localrec.data.query import Constraint, Query
from localrec.foundation.text_matching import roots, tokens
from localrec.index.protocols import Vectors
from localrec.understanding.language_words import english, says_any

Topic = Literal["wish", "small talk", "other"]
_TALK, _MORE_OF_IT = english().talk, english().titles.surely_more
WORD_PLACES = 4096  # of words and pairs of words, by their checksum
TOPIC_WEIGHTS = Path(__file__).parent / "languages" / "en-topics.json"
# Chosen on questions of each hand with weights that were learnt without that hand.
_LEAST_SCORE, _STEP, _STEP_OF_OTHER_TOPICS = -0.1, 0.2, 0.15
_BY_BOUND, _BY_ASKING, _BY_ALL = 2.5, 0.5, 1.5
_TELLING = ("creator", "container", "garnish")  # whose full names are said of nothing else
_BY_FLAG, _ENOUGH = 2, 3  # names and flags of which no question about something else had so many
_BY_DOUBTFUL = 0.5  # "which Bach recordings have you?"
_BY_REFUSAL = 1.0  # who asks about something else refuses nothing
_BY_FULL_NAME = 1.5  # "Maeve Binchy or Marian Keyes for the wife"
_BY_UNREAD, _MOST_UNREAD, _BY_OTHER_TOPIC = 0.06, 5, 0.5
_MARGIN = 0.02
_LEAST = 0.30  # likeness to a question about something else, below which nothing is declined


class TopicWeights(msgspec.Struct, frozen=True):
    """Weights of a sentence's vector and words: above 0 it is about something else.

    Args:
        embedder: The name of the embedder that they fit.
        weights: One a dimension of the vector.
        words: One a place of `word_places`.
        bias: Added to their sum.
    """

    embedder: str
    weights: tuple[float, ...]
    words: tuple[float, ...]
    bias: float


class TopicPrototypes(msgspec.Struct, frozen=True):
    """Vectors of questions that are wishes, and of questions about other things, (n, size)."""

    wishes: Vectors
    others: Vectors


def topic_prototypes(domain: Domain, embed: Callable[[Sequence[str]], Vectors]) -> TopicPrototypes:
    """Embed the questions that a doubtful one is compared with."""
    told = english().talk
    names = {"singular": domain.singular, "plural": domain.plural}
    asking = [phrase.format(**names) for phrase in told.asking]
    return TopicPrototypes(embed([*asking, *domain.examples]), embed(list(told.other)))


def is_small_talk(text: str, query: Query, domain: Domain) -> bool:
    """Whether nothing but greetings, thanks and the like is said."""
    if query.visual or not (query.is_empty or _is_all_small(text)):
        return False
    line = " ".join(token.word for token in tokens(text))
    rest = f" {line} "
    for phrase in sorted(english().talk.small, key=len, reverse=True):
        rest = re.sub(rf"(?<= ){re.escape(phrase)}(?= )", "", rest)
    left = rest.split()
    nouns = {root for word in domain.item_words for root in roots(word)}
    thanks = any(f" {one} " in f" {line} " for one in english().talk.thanks)
    if thanks and not _TALK.asks & {*line.split()} - _TALK.asks_little:
        return True
    return (
        len(" ".join(left)) < len(line)
        and not query.unused
        and not nouns & {root for word in left for root in roots(word)}
        and not _TALK.asks & {*left} - _TALK.asks_little
        and len(left) <= max(4, len(line.split()) // 2)
    )


def _is_all_small(text: str) -> bool:
    """Whether small talk is all that is said, whatever titles hold its words ("sup lol")."""
    small = {tuple(phrase.split()) for phrase in english().talk.small}
    words = tuple(token.word for token in tokens(text))
    return bool(words) and all((word,) in small for word in words)


def off_topic_threshold(text: str, query: Query, domain: Domain) -> float | None:
    """Compute the topic score from which a question is off topic; None where it surely asks.

    A state or a shelf is a wish. Names, bounds and the domain's nouns speak for one, and more where
    they are all that is said; words that nothing read speak against it, and so do beginnings such
    as "how do I".
    """
    if query.met is not None or query.on_list is not None or query.have or query.order:
        return None
    if query.served and any(_has_role(one, domain, ("container",)) for one in query.constraints):
        return None
    meant = (query.corrected.get(token.word, token.word) for token in tokens(text))
    words = " ".join(meant).split()  # "how dae ye" is "how do you"
    if sum(word.isalpha() for word in words) < 2:
        return None
    if query.target is not None and says_any(words, _MORE_OF_IT):
        return None  # "raced through Gone Girl, what else did she write"
    off_topic = has_off_topic_phrase(words)
    nouns = {root for word in domain.item_words for root in roots(word)}
    sure = [one for one in query.constraints if not one.doubtful and not one.soft]
    is_plain = not off_topic and words[0] not in _TALK.doubtful_openings
    if is_plain and len(sure) + _BY_FLAG * len(query.flags) >= _ENOUGH:
        return None
    read = len(sure) + len(query.flags) + _BY_BOUND * len(query.ranges)
    read += query.target is not None
    read += _BY_DOUBTFUL * sum(one.doubtful and not one.excluded for one in query.constraints)
    read += _BY_REFUSAL * any(one.excluded for one in sure)
    read += _BY_FULL_NAME * any(_names_in_full(one, domain) for one in sure)
    unread = sum(len(phrase.split()) for phrase in query.unused)
    wish = read + bool(nouns & {root for word in words for root in roots(word)})
    wish += _BY_ASKING * bool(_TALK.asks & {*words}) + _BY_ALL * (read > 0 and not unread)
    step = _STEP_OF_OTHER_TOPICS if off_topic else _STEP
    return (
        _LEAST_SCORE
        + step * wish
        - _BY_UNREAD * min(unread, _MOST_UNREAD)
        - _BY_OTHER_TOPIC * off_topic
    )


def _names_in_full(one: Constraint, domain: Domain) -> bool:
    """Whether a wish is for a maker, a container or a garnish whose name has several words."""
    return _has_role(one, domain, _TELLING) and any(" " in key for key in one.any_of)


def _has_role(one: Constraint, domain: Domain, roles: Sequence[str]) -> bool:
    """Whether a wish is for something of some roles."""
    spec = domain.attributes.get(one.kind)
    return spec is not None and spec.role in roles and not one.excluded


def has_off_topic_phrase(words: Sequence[str]) -> bool:
    """Whether a question has a phrase that off-topic questions begin with ("how do I")."""
    told = english().talk
    first = 0
    while first < len(words) and words[first] in told.greetings:
        first += 1
    opening = f"{' '.join(words[first:])} "
    line = f" {' '.join(words)} "
    return any(opening.startswith(f"{one} ") for one in told.off_topic_openings) or any(
        f" {one} " in line for one in told.off_topic_phrases
    )


def word_places(text: str) -> list[int]:
    """Return where the words and pairs of words of a sentence lie among `WORD_PLACES`, ascending.

    Some share a place, which costs little.
    """
    words = [token.word for token in tokens(text)]
    pairs = (f"{first} {last}" for first, last in pairwise(("^", *words)))
    return sorted({crc32(told.encode()) % WORD_PLACES for told in (*words, *pairs)})


def topic_score(vector: Vectors, text: str, weights: TopicWeights) -> float:
    """Score how far a question is off the topic, by its vector (1, size) and its words."""
    by_vector = float(vector[0] @ np.asarray(weights.weights, dtype=np.float32))
    places = word_places(text)
    by_words = sum(weights.words[place] for place in places) / math.sqrt(max(1, len(places)))
    return by_vector + by_words + weights.bias


def topic_of(vector: Vectors, prototypes: TopicPrototypes) -> Topic:
    """Classify a doubtful question by the nearest known question, from its vector (1, size)."""
    wish = float(np.max(prototypes.wishes @ vector[0]))
    other = float(np.max(prototypes.others @ vector[0]))
    return "other" if other > max(_LEAST, wish + _MARGIN) else "wish"


@lru_cache
def topic_weights() -> TopicWeights:
    """Read the learnt weights, once."""
    return msgspec.json.decode(TOPIC_WEIGHTS.read_bytes(), type=TopicWeights)

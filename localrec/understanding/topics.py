"""Whether a question is a wish for an item at all, small talk, or about something else.

What a rule can be sure of is decided by words. A question of which little was read is compared
with questions that are wishes and with questions that are not, by the embedder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec
import numpy as np

from localrec.data.domains import Domain
from localrec.data.query import Query
from localrec.foundation.text_matching import roots, tokens
from localrec.index.protocols import Vectors
from localrec.understanding.language_words import english

Topic = Literal["wish", "small talk", "other"]
_ASKS = frozenset(
    "something anything recommend recommendation suggest suggestion suggestions like similar one "
    "ones some any mood fancy crave craving want need best good favourite favorite".split()
)
_MARGIN = 0.02
_LEAST = 0.30  # likeness to a question about something else, below which nothing is declined


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
    if not query.is_empty or query.visual:
        return False
    line = " ".join(token.word for token in tokens(text))
    rest = f" {line} "
    for phrase in sorted(english().talk.small, key=len, reverse=True):
        rest = re.sub(rf"(?<= ){re.escape(phrase)}(?= )", "", rest)
    left = rest.split()
    nouns = {root for word in domain.item_words for root in roots(word)}
    return (
        len(" ".join(left)) < len(line)
        and not query.unused
        and not nouns & {root for word in left for root in roots(word)}
        and not _ASKS & {*left} - {"good", "like", "one"}
        and len(left) <= max(4, len(line.split()) // 2)
    )


def is_doubtful(text: str, query: Query, domain: Domain) -> bool:
    """Whether so little of a question was read that it may be about something else."""
    if query.anchor or query.exclude_items or query.met is not None or query.on_list is not None:
        return False
    words = [token.word for token in tokens(text)]
    if sum(word.isalpha() for word in words) < 2:
        return False
    nouns = {root for word in domain.item_words for root in roots(word)}
    asks = bool(_ASKS & {*words}) or bool(nouns & {root for word in words for root in roots(word)})
    unread = sum(len(phrase.split()) for phrase in query.unused)
    if query.is_empty:
        return not query.visual or not asks
    read = len(query.constraints) + len(query.flags) + len(query.ranges) + len(query.order)
    return not asks and unread >= 2 * read


def topic_of(vector: Vectors, prototypes: TopicPrototypes) -> Topic:
    """What a doubtful question is by the nearest known question, from its vector (1, size)."""
    wish = float(np.max(prototypes.wishes @ vector[0]))
    other = float(np.max(prototypes.others @ vector[0]))
    return "other" if other > max(_LEAST, wish + _MARGIN) else "wish"

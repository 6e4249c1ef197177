"""Where the role tagger is surer than the rules: what it decides of a question's names and words.

The rules hear certain phrases ("without", "I hate them") and are right where they hear one. What
they do not hear, "of Saramago we have enough", "clowns and I parted company", the tagger tells by
all the words around a name. The limits of refusals were chosen on questions by other hands than the
network learnt from, the others on the dev questions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

import msgspec

from localrec.data.answers import SHIPPED_NETWORK
from localrec.foundation.run_trace import RunTrace
from localrec.foundation.text_matching import Token
from localrec.understanding.exceptions_wished import is_wished_exception
from localrec.understanding.language_words import english, phrase_length, phrases_by_first_word
from localrec.understanding.meanings import Mention
from localrec.understanding.question_roles import RoleTagger, WordRoles
from localrec.understanding.spelling import english_words, is_everyday
from localrec.understanding.vocabulary import Reading, Vocabulary

_WORDS = english().roles
_PLAIN = frozenset(_WORDS.plain.split())
_NEEDED = phrases_by_first_word(_WORDS.needed)
_LONGEST_ASKING = max(one.count(" ") + 1 for one in (*_WORDS.asking, *_WORDS.imperatives))
_SWAP = 4  # words between "swap" and "for"
_OR_AN = 2  # words between alternatives: "or a"
_GRAMMAR = english().grammar
_WHOLE = frozenset({"flag", "diet", "order", "container"})


def tag_word_roles(
    tagger: RoleTagger | None,
    text: str,
    reading: Reading,
    names: Sequence[Mention],
    read: Collection[int],
    trace: RunTrace | None,
) -> WordRoles | None:
    """Tag the roles of the words of a question.

    Args:
        tagger: Asked where the question says more than names and plain words of a request; the
            model that it reads by is opened by the first such question.
        text: The question.
        reading: The same, in words.
        names: What it names.
        read: Places of the words that are bounds or a state.
        trace: Told where the tagger read the question too.

    Returns:
        The roles; None without a tagger, and where the rules are enough.
    """
    if tagger is None or not reading.tokens:
        return None
    known = {place for one in names for place in range(one.first, one.last)}.union(read)
    others = (word for place, word in enumerate(reading.words) if place not in known)
    if _PLAIN.issuperset(others):
        return None
    roles = tagger.tag(*_as_mended(text, reading, names))
    if trace is not None:
        trace.answered_by["roles"] = SHIPPED_NETWORK
    return roles


def _as_mended(text: str, reading: Reading, names: Sequence[Mention]) -> tuple[str, list[Token]]:
    """The question with everyday words and long names spelled right, and its tokens in that."""
    spelled = dict(_words_of_long_names(reading, names))
    pieces: list[str] = []
    found: list[Token] = []
    end = length = 0
    for place, token in enumerate(reading.tokens):
        if found and token.start == reading.tokens[place - 1].start:
            found.append(found[-1])  # one word that was read as two
            continue
        meant = reading.corrected.get(token.word, "")
        is_slip = bool(meant) and token.word not in english().slang
        is_plain = is_slip and " " not in meant and is_everyday(meant)
        word = meant if is_plain else text[token.start : token.end]
        word = spelled.get(place, word)
        pieces += [text[end : token.start], word]
        first = length + len(pieces[-2])
        length = first + len(word)
        found.append(msgspec.structs.replace(token, start=first, end=length))
        end = token.end
    return "".join((*pieces, text[end:])), found


def _words_of_long_names(reading: Reading, names: Sequence[Mention]) -> Iterator[tuple[int, str]]:
    """The places of misspelt names of several words, with the words as the catalogue has them."""
    for one in names:
        inside = range(one.first, one.last)
        words = () if one.meaning is None else one.meaning.key.split()
        typed = [reading.tokens[place].word for place in inside]
        is_slip = any(word in reading.corrected or word not in english_words() for word in typed)
        if len(words) > 1 and len(words) == len(typed) and is_slip:
            yield from zip(inside, words, strict=True)


def drop_asides(
    roles: WordRoles | None, reading: Reading, mentions: Sequence[Mention], nouns: Collection[str]
) -> tuple[list[Mention], set[int]]:
    """Drop the names that a question mentions only in passing.

    Args:
        roles: The tagger's roles; None: none is dropped.
        reading: The question.
        mentions: The names of the question.
        nouns: What the domain's items are called: "train games" are wished for.

    Returns:
        The names that stay, and the places of the words that were dropped.
    """
    if roles is None:
        return list(mentions), set()
    kept, passed_over = [], set()
    for one in mentions:
        share = roles.named(one.first, one.last, "aside")
        tells_the_kind = reading.roots[one.last : one.last + 1] and reading.roots[one.last] in nouns
        is_meant = tells_the_kind or _is_asked_for(reading, one.first)
        if _names_a_thing(one) and share > roles.limits.aside and not is_meant:
            passed_over |= set(range(one.first, one.last))
        else:
            kept.append(one)
    if passed_over and not any(map(_names_a_thing, kept)):
        return list(mentions), set()  # people seldom name things in passing alone
    return kept, passed_over


def refused_in_stories(
    roles: WordRoles | None, mentions: Sequence[Mention], story: Collection[int]
) -> list[Mention]:
    """Names that are told in a story and that the tagger would refuse: "the gin gave her hives".

    Args:
        roles: The tagger's roles; None: it hears nothing.
        mentions: All names of the question.
        story: Places of the tokens of stories.
    """
    if roles is None:
        return []
    return [
        one
        for one in mentions
        if one.first in story
        and _names_a_thing(one)
        and roles.named(one.first, one.last, "barred") > roles.limits.beside
    ]


def decide_refusals(
    roles: WordRoles | None,
    reading: Reading,
    mentions: Sequence[Mention],
    excluded: Sequence[bool],
    mildly: Sequence[bool],
    spared: Collection[int],
) -> tuple[list[bool], list[bool]]:
    """For each token whether it is refused, and whether only too much of it is.

    Args:
        roles: The tagger's roles; None: the rules stand.
        reading: The question.
        mentions: The names of the question.
        excluded: For each token whether the rules refuse it.
        mildly: For each token whether the rules refuse too much of it.
        spared: Tokens that the rules refuse only until other words are seen to be meant.
    """
    refused = [one and place not in spared for place, one in enumerate(excluded)]
    milder = list(mildly)
    if roles is None:
        return refused, milder
    limits = roles.limits
    spared_names = _wished_all_the_same(roles, reading, mentions, refused)
    limit = limits.beside if any(refused) else limits.excluded
    for mention in filter(_names_a_thing, mentions):
        if _refuses_itself(reading, mention):
            continue
        first, last = mention.first, mention.last
        inside = range(first, last)
        less = roles.named(first, last, "less")
        if refused[first]:
            keeps = roles.named(first, last, "wanted", "one_of", "more", "at_hand", "example")
            if keeps > limits.spared:
                _set(refused, inside, False)
            elif less > limits.less:
                _set(milder, inside, True)
        elif _holds_the_refused(reading, mention, refused):
            continue
        elif _is_refused(roles, reading, mention, limit):
            _set(refused, inside, mention not in spared_names)
        elif less > limits.less:
            _set(refused, inside, True)
            _set(milder, inside, True)
    return refused, milder


def _holds_the_refused(reading: Reading, mention: Mention, refused: Sequence[bool]) -> bool:
    """ "tomato in beer is foul": what the refused thing is in is not refused with it."""
    first = mention.first
    is_inside = first > 1 and not reading.gaps[first] and refused[first - 2]
    return is_inside and reading.words[first - 1] in english().negation.inside


def _is_refused(roles: WordRoles, reading: Reading, mention: Mention, limit: float) -> bool:
    if _is_needed(reading, mention.last) or _is_all_but_one(reading, mention):
        return False
    if (
        mention.meaning is not None
        and mention.meaning.role == "creator"
        and _asks_for_others(reading)
    ):
        return False
    if is_wished_exception(reading, mention.first, mention.last):
        return False
    share = roles.named(mention.first, mention.last, "barred")
    wished = _is_wished(reading, mention.first) or _is_asked_for(reading, mention.first)
    return share > (roles.limits.wished if wished else limit)


def _is_all_but_one(reading: Reading, mention: Mention) -> bool:
    """ "every Dostoyevsky bar The Idiot": what something is taken from is wanted."""
    opens = mention.first and reading.words[mention.first - 1] in _WORDS.everything
    behind = reading.words[mention.last : mention.last + 1]
    return bool(opens) and not _WORDS.excepting.isdisjoint(behind)


def _asks_for_others(reading: Reading) -> bool:
    """ "I finished Percy Jackson, gimme his other stuff": of whoever is named."""
    words = english().negation
    return any(
        one in words.owners and other in words.others for one, other in pairwise(reading.words)
    )


def _is_needed(reading: Reading, last: int) -> bool:
    """ "the Campari must be there": said of the name that ends before a token, and nothing more."""
    if last >= len(reading.words) or reading.gaps[last]:
        return False
    length = phrase_length(_NEEDED, reading.words, last)
    end = last + length
    return length > 0 and (end == len(reading.words) or bool(reading.gaps[end]))


def _wished_all_the_same(
    roles: WordRoles, reading: Reading, mentions: Sequence[Mention], refused: Sequence[bool]
) -> list[Mention]:
    """Names that the tagger alone would refuse, but that a question hardly refuses.

    One that is named again without a refusal is wished for there ("We drank Riesling on a porch. A
    Riesling, please"). And people seldom only refuse: where nothing else is wished for, the tagger
    must be very sure.
    """
    limits = roles.limits
    limit = limits.beside if any(refused) else limits.excluded
    open_ = [one for one in mentions if not refused[one.first]]
    doubted = [
        one for one in open_ if _names_a_thing(one) and _is_refused(roles, reading, one, limit)
    ]
    wished = [one for one in open_ if one not in doubted]
    wished += [
        one for one in doubted if any(_joined_by_or(reading, one, other) for other in wished)
    ]
    again = {one.meaning for one in wished if one.meaning is not None}
    return [
        one
        for one in doubted
        if one in wished
        or (one.meaning is not None and one.meaning in again)
        or (not wished and roles.named(one.first, one.last, "barred") < limits.alone)
    ]


def _joined_by_or(reading: Reading, one: Mention, other: Mention) -> bool:
    """ "tequila or mezcal instead of gin": nothing but "or" stands between two names."""
    first, second = sorted((one, other), key=lambda mention: mention.first)
    between = range(first.last, second.first)
    if any(reading.gaps[place] for place in (*between, second.first)):
        return False
    told = [reading.words[place] for place in between]
    return not _GRAMMAR.disjunctions.isdisjoint(told) and len(told) <= _OR_AN


def _is_wished(reading: Reading, first: int) -> bool:
    """Whether a verb of wishing stands before a name ("adores anything with coconut")."""
    end = _bridged(reading, first)
    return end > 0 and reading.words[end - 1] in _WORDS.wishing


def _is_asked_for(reading: Reading, first: int) -> bool:
    """Whether a name is right behind words that ask for it ("is there a port from Australia")."""
    end = _bridged(reading, first)
    if (
        not end
        and first
        and reading.words[0] in _GRAMMAR.anything
        and not any(reading.gaps[1 : first + 1])
    ):
        return True  # "anything by Colin Bateman?"
    if _is_swapped_in(reading, end):
        return True
    is_bearer = end > 0 and reading.words[end - 1] in _WORDS.bearers
    if is_bearer and not _GRAMMAR.accompanied.isdisjoint(reading.words[end:first]):
        return True
    for begin in range(max(0, end - _LONGEST_ASKING), end):
        phrase = " ".join(reading.words[begin:end])
        if phrase in _WORDS.asking:
            return True
        if phrase in _WORDS.imperatives:  # not "my ex loves it when I suggest horror"
            before = reading.words[begin - 1] if begin and not reading.gaps[begin] else ""
            return not before or before in _WORDS.before_imperatives
    return False


def _is_swapped_in(reading: Reading, end: int) -> bool:
    """ "swap the whiskey for rum": words up to `end` say that what follows comes instead."""
    if not end or reading.words[end - 1] not in english().example.swapped_for:
        return False
    clause = reading.words[max(0, end - 1 - _SWAP) : end - 1]
    return not english().example.swaps.isdisjoint(clause)


def _bridged(reading: Reading, first: int) -> int:
    """Where the words before a name end, without "a", "more" and the like; 0 behind a mark."""
    place = first
    while place > 0 and not reading.gaps[place]:
        if reading.words[place - 1] not in _WORDS.wishing_bridges:
            return place
        place -= 1
    return 0


def _refuses_itself(reading: Reading, mention: Mention) -> bool:
    """Whether a name holds its refusal: "without vocals" is what "instrumental" is."""
    return not _GRAMMAR.negatives.isdisjoint(reading.words[mention.first : mention.last])


def _names_a_thing(mention: Mention) -> bool:
    """Whether a mention is a name, and no phrase that says itself what it wants ("no alcohol")."""
    return mention.meaning is None or mention.meaning.role not in _WHOLE


def refused_words(
    roles: WordRoles | None, free: Collection[int], reading: Reading, vocabulary: Vocabulary
) -> set[int]:
    """Places of words that name nothing, are no everyday words and are refused for the tagger."""
    if roles is None:
        return set()
    limit = roles.limits.words
    return {
        place
        for place in free
        if roles.of(place, place + 1, "barred") > limit
        and len(reading.roots[place]) > 2
        and reading.roots[place] not in vocabulary.item_nouns
        and not vocabulary.is_plain(reading.words[place])
        and not vocabulary.is_plain(reading.roots[place])
    }


def _set(values: list[bool], places: range, value: bool) -> None:
    values[places.start : places.stop] = [value] * len(places)

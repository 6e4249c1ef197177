"""What else a refusal means: "no dice" bars dice rolling, "no Dark Tower" all that is called so.

To serve what was refused is worse than to leave out a little more, so a refused name takes with it
its other spellings, the longer names of the catalogue that hold it, and titles that do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from localrec.data.query import Constraint, TextWish
from localrec.foundation.text_matching import roots
from localrec.understanding.language_words import english
from localrec.understanding.meanings import Meaning, Mention
from localrec.understanding.spelling import is_everyday
from localrec.understanding.vocabulary import Reading, Vocabulary

_GRAMMAR, _WORDS = english().grammar, english().negation
_GROUPS = tuple(tuple(roots(one) for one in group) for group in english().synonyms.words)
_SHORTEST = 3  # letters of a name whose longer names are barred too: "war"
_MOST = 60  # longer names or titles; a word in more of them refuses none
_MOST_OF_A_KIND = 12  # titles that hold the name of a kind or a maker
_ALIKE = frozenset({"component", "category"})  # "no Prosecco" bars the region of that name too
_SERIES = "series"
_BACK = 6  # words before "that series" among which a refusal stands
_CLOSE = 4  # words before a name among which a refusal of its own stands
_JOINS = _GRAMMAR.conjunctions | _GRAMMAR.disjunctions | _GRAMMAR.definite | _GRAMMAR.indefinites


def expanded_refusals(
    reading: Reading,
    mentions: Sequence[Mention],
    wanted: Sequence[bool],
    mildly: Sequence[bool],
    told: Sequence[Constraint],
    vocabulary: Vocabulary,
) -> tuple[Constraint, ...]:
    """Further kinds and makers that the refused names of a question bar, beyond what is told."""
    found: dict[Constraint, None] = {}
    for mention, is_wanted in zip(mentions, wanted, strict=True):
        if is_wanted or mildly[mention.first]:
            continue
        phrase = reading.roots[mention.first : mention.last]
        of_that_name = _kinds_of_that_name(mention, phrase, vocabulary)
        synonyms = _synonyms(phrase, vocabulary)
        for meaning in (*of_that_name, *synonyms, *_longer(mention, phrase, vocabulary)):
            found[Constraint(kind=meaning.kind, any_of=(meaning.key,), excluded=True)] = None
    return tuple(one for one in found if _adds(one, told))


def _adds(bar: Constraint, told: Sequence[Constraint]) -> bool:
    """Whether a further bar says something new and bars nothing that the question wishes for."""
    key = bar.any_of[0]
    return not any(key in one.any_of and (one.excluded or one.kind == bar.kind) for one in told)


def spare_wished_kinds(
    reading: Reading,
    mentions: Sequence[Mention],
    excluded: Sequence[bool],
    vocabulary: Vocabulary,
) -> list[bool]:
    """Unbar a kind of which only one sort is refused: "a comedy, but no romantic comedies".

    Of two names side by side that are refused together, one that is wished for elsewhere stays,
    and so does a name behind a word for its sort ("no buttery Chardonnay. Which Chardonnay?").

    Args:
        reading: The question.
        mentions: The names in the question, left to right.
        excluded: For each token whether a refusal reaches it.
        vocabulary: Tells which words name nothing.

    Returns:
        The same for each token, without the kinds that are wished for elsewhere.
    """
    wished = {one.meaning for one in mentions if one.meaning and not excluded[one.first]}
    left = list(excluded)
    for one, other in pairwise(mentions):
        beside = one.last == other.first and not reading.gaps[other.first]
        if beside and excluded[one.first] and excluded[other.first]:
            asked = [told for told in (one, other) if told.meaning in wished]
            for told in asked if len(asked) == 1 else ():
                left[told.first : told.last] = [False] * (told.last - told.first)
    for one in mentions:
        wished_again = excluded[one.first] and one.meaning in wished
        if wished_again and _follows_unknown_adjective(reading, one, mentions, vocabulary):
            left[one.first : one.last] = [False] * (one.last - one.first)
    return left


def _follows_unknown_adjective(
    reading: Reading, mention: Mention, mentions: Sequence[Mention], vocabulary: Vocabulary
) -> bool:
    """ "can't bear a buttery Chardonnay": a word that names nothing tells which of them."""
    place = mention.first - 1
    if (
        place < 1
        or reading.gaps[mention.first]
        or any(one.last == mention.first for one in mentions)
    ):
        return False
    return reading.words[place - 1] in _GRAMMAR.indefinites and not vocabulary.is_plain(
        reading.roots[place]
    )


def bar_pointed_series(
    reading: Reading,
    mentions: Sequence[Mention],
    excluded: Sequence[bool],
    refusing: AbstractSet[int],
) -> list[bool]:
    """Bar the series that "not part of that series" means, and not the maker named since.

    Args:
        reading: The question.
        mentions: The names in the question, left to right.
        excluded: For each token whether a refusal reaches it.
        refusing: Places of words that refuse something.

    Returns:
        The same for each token, with that series.
    """
    left = list(excluded)
    for place in range(1, len(reading.words)):
        if (
            reading.words[place] not in _WORDS.runs
            or reading.words[place - 1] not in _WORDS.to_runs
        ):
            continue
        if refusing.isdisjoint(range(max(0, place - _BACK), place)):
            continue
        before = [one for one in mentions if one.last <= place]
        series = [one for one in before if _may_be_series(one)]
        if not series:
            continue
        nearest, meant = before[-1], series[-1]
        around = range(max(0, nearest.first - _CLOSE), nearest.first)
        if nearest is not meant and refusing.isdisjoint(around):  # the maker, barred by "that"
            left[nearest.first : nearest.last] = [False] * (nearest.last - nearest.first)
        left[meant.first : meant.last] = [True] * (meant.last - meant.first)
    return left


def _may_be_series(mention: Mention) -> bool:
    """Whether a mention names a series, or an item that may be of one."""
    meaning = mention.meaning
    return mention.item is not None or (meaning is not None and meaning.kind == _SERIES)


def refused_titles(
    reading: Reading,
    mentions: Sequence[Mention],
    wanted: Sequence[bool],
    mildly: Sequence[bool],
    target: str | None,
    vocabulary: Vocabulary,
) -> tuple[str, ...]:
    """Keys of items whose titles hold a refused title, or the example's where sequels are out.

    A refused series takes with it whatever is called after it: "no Foundation" bars "Prelude to
    Foundation", which belongs to another series.
    """
    sequels_out = any(
        word in _WORDS.sequels and _GRAMMAR.negatives & {*reading.words[max(0, place - 4) : place]}
        for place, word in enumerate(reading.words)
    )
    found: dict[str, None] = {}
    for mention, is_wanted in zip(mentions, wanted, strict=True):
        if mention.item is not None and mention.item == target and not sequels_out:
            continue
        if is_wanted and not (sequels_out and mention.item == target):
            continue
        if mildly[mention.first]:
            continue
        phrase = reading.roots[mention.first : mention.last]
        if mention.meaning is not None and mention.meaning.kind == _SERIES:
            titles = _titles_with(phrase[phrase[0] in _GRAMMAR.definite :], vocabulary)
            found |= dict.fromkeys(titles if len(titles) <= _MOST else ())
        elif len(phrase) > 1 or (len(phrase[0]) > 3 and not _says_little(phrase[0], vocabulary)):
            is_rare = mention.item is not None or not is_everyday(phrase[0])  # "rosé" in a name
            most = _MOST if is_rare else _MOST_OF_A_KIND
            titles = _titles_with(phrase, vocabulary)
            found |= dict.fromkeys(titles if len(titles) <= most else ())
    return tuple(found)


def refused_franchises(
    reading: Reading,
    owner: Sequence[int],
    excluded: Sequence[bool],
    refusing: AbstractSet[int],
    vocabulary: Vocabulary,
) -> tuple[str, ...]:
    """Keys of items whose titles hold refused words that name nothing: "except Star Trek".

    Args:
        reading: The question.
        owner: For each token the number of the mention that it belongs to, -1 for none.
        excluded: For each token whether a refusal reaches it.
        refusing: Places of words that refuse something.
        vocabulary: The titles.
    """
    found: dict[str, None] = {}
    place, is_refused = 0, False
    while place < len(owner):
        last = place
        while last < len(owner) and _is_in_run(reading, owner, refusing, place, last):
            last += 1
        if last == place:
            joins = is_refused and reading.words[place] in _JOINS
            is_refused = place in refusing or excluded[place] or joins
            place += 1
            continue
        if is_refused and last - place > 1:
            titles = _titles_with(reading.roots[place:last], vocabulary)
            found |= dict.fromkeys(titles if len(titles) <= _MOST else ())
        place = last
    return tuple(found)


def _is_in_run(
    reading: Reading, owner: Sequence[int], refusing: AbstractSet[int], first: int, place: int
) -> bool:
    """Whether a run of capitalised words that name nothing goes on at a token."""
    is_free = owner[place] < 0 and place not in refusing and reading.words[place] not in _JOINS
    return is_free and reading.capitals[place] and (place == first or not reading.gaps[place])


def refused_in_texts(
    reading: Reading, mentions: Sequence[Mention], wanted: Sequence[bool]
) -> tuple[TextWish, ...]:
    """Refused words that only happen to be part of makers' names: "no oak" bars what says oak."""
    return tuple(
        TextWish(
            words=reading.roots[mention.first : mention.last],
            typed=" ".join(reading.words[mention.first : mention.last]),
            excluded=True,
        )
        for mention, is_wanted in zip(mentions, wanted, strict=True)
        if not is_wanted
        and mention.last == mention.first + 1
        and mention.meaning is not None
        and mention.meaning.role == "creator"
        and not reading.capitals[mention.first]
    )


def _says_little(word: str, vocabulary: Vocabulary) -> bool:
    return vocabulary.is_plain(word) or word in vocabulary.item_nouns or is_everyday(word)


def _synonyms(phrase: Sequence[str], vocabulary: Vocabulary) -> Iterator[Meaning]:
    told = tuple(phrase)
    for group in _GROUPS:
        if told in group:
            for other in group:
                for meaning in vocabulary.names.get(" ".join(other)):
                    if meaning.role in ("category", "component") and vocabulary.is_usable(meaning):
                        yield meaning


def _kinds_of_that_name(
    mention: Mention, phrase: Sequence[str], vocabulary: Vocabulary
) -> Iterator[Meaning]:
    """ "no Twilight": whoever refuses an item refuses the series of that name."""
    if mention.item is not None:
        for meaning in vocabulary.names.get(" ".join(phrase)):
            if meaning.role in _ALIKE and vocabulary.is_usable(meaning):
                yield meaning


def _longer(mention: Mention, phrase: Sequence[str], vocabulary: Vocabulary) -> Iterator[Meaning]:
    """The longer names of the catalogue that hold a refused name, makers' left aside."""
    meaning = mention.meaning
    by_part = meaning is not None and meaning.role == "creator" and len(phrase) == 1
    if meaning is not None and meaning.role == "creator" and not by_part:
        return
    if meaning is not None and len(phrase) == 1 and vocabulary.is_plain(phrase[0]):
        return
    if len(" ".join(phrase)) < _SHORTEST:
        return
    told = [
        one.meaning
        for one in vocabulary.partial.words.get(phrase[0], ())
        if one.meaning.role != "creator"
        and one.meaning != meaning
        and _holds(one.words, phrase)
        and vocabulary.is_usable(one.meaning)
        and (
            meaning is None
            or by_part
            or meaning.role == one.meaning.role
            or {meaning.role, one.meaning.role} <= _ALIKE
        )
    ]
    if len(told) <= _MOST:
        yield from told


def _titles_with(phrase: Sequence[str], vocabulary: Vocabulary) -> list[str]:
    keys = vocabulary.nearest.items_with(tuple(dict.fromkeys(phrase)))
    if len(phrase) == 1 or len(keys) > 4 * _MOST:
        return keys
    return [key for key in keys if _holds(roots(" ".join(vocabulary.spelling_of(key))), phrase)]


def _holds(name: Sequence[str], part: Sequence[str]) -> bool:
    """Whether a name holds words side by side."""
    length = len(part)
    return any(
        tuple(name[first : first + length]) == tuple(part)
        for first in range(len(name) - length + 1)
    )

"""What else a refusal means: "no dice" bars dice rolling, "no Dark Tower" all that is called so.

To serve what was refused is worse than to leave out a little more, so a refused name takes with it
its other spellings, the longer names of the catalogue that hold it, and titles that do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from localrec.data.query import Constraint, TextWish
from localrec.foundation.text_matching import roots
from localrec.understanding.language_words import english
from localrec.understanding.meanings import Meaning
from localrec.understanding.mentions import Mention
from localrec.understanding.spelling import is_everyday
from localrec.understanding.vocabulary import Reading, Vocabulary

_GROUPS = tuple(tuple(roots(one) for one in group) for group in english().synonyms.words)
_MOST = 60  # longer names or titles; a word in more of them refuses none
_MOST_OF_A_KIND = 12  # titles that hold the name of a kind or a maker
_ALIKE = frozenset({"component", "category"})  # "no Prosecco" bars the region of that name too
_SEQUELS = frozenset({"sequel", "sequels", "prequel", "prequels", "follow"})
_NO = frozenset({"no", "not", "without", "none", "minus", "never", "nothing", "except"})


def expanded_refusals(
    reading: Reading,
    mentions: Sequence[Mention],
    wanted: Sequence[bool],
    mildly: Sequence[bool],
    vocabulary: Vocabulary,
) -> tuple[Constraint, ...]:
    """Further kinds and makers that the refused names of a question bar."""
    found: dict[Constraint, None] = {}
    for mention, is_wanted in zip(mentions, wanted, strict=True):
        if is_wanted or mildly[mention.first]:
            continue
        phrase = reading.roots[mention.first : mention.last]
        for meaning in (*_synonyms(phrase, vocabulary), *_longer(mention, phrase, vocabulary)):
            found[Constraint(kind=meaning.kind, any_of=(meaning.key,), barred=True)] = None
    return tuple(found)


def refused_titles(
    reading: Reading,
    mentions: Sequence[Mention],
    wanted: Sequence[bool],
    target: str | None,
    vocabulary: Vocabulary,
) -> tuple[str, ...]:
    """Keys of items whose titles hold a refused title, or the example's where sequels are out."""
    sequels_out = any(
        word in _SEQUELS and _NO & {*reading.words[max(0, place - 4) : place]}
        for place, word in enumerate(reading.words)
    )
    found: dict[str, None] = {}
    for mention, is_wanted in zip(mentions, wanted, strict=True):
        if mention.item is not None and mention.item == target and not sequels_out:
            continue
        if is_wanted and not (sequels_out and mention.item == target):
            continue
        phrase = reading.roots[mention.first : mention.last]
        if len(phrase) > 1 or (len(phrase[0]) > 3 and not _says_little(phrase[0], vocabulary)):
            most = _MOST if mention.item is not None else _MOST_OF_A_KIND
            titles = _titles_with(phrase, vocabulary)
            found |= dict.fromkeys(titles if len(titles) <= most else ())
    return tuple(found)


def refused_in_texts(
    reading: Reading, mentions: Sequence[Mention], wanted: Sequence[bool]
) -> tuple[TextWish, ...]:
    """Refused words that only happen to be part of makers' names: "no oak" bars what says oak."""
    return tuple(
        TextWish(
            words=reading.roots[mention.first : mention.last],
            typed=" ".join(reading.words[mention.first : mention.last]),
            barred=True,
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


def _longer(mention: Mention, phrase: Sequence[str], vocabulary: Vocabulary) -> Iterator[Meaning]:
    """The longer names of the catalogue that hold a refused name, makers' left aside."""
    meaning = mention.meaning
    if meaning is not None and meaning.role == "creator":
        return
    if meaning is not None and len(phrase) == 1 and vocabulary.is_plain(phrase[0]):
        return
    if len(" ".join(phrase)) < 4:
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

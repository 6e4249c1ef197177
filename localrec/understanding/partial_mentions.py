"""Names that a question tells by a part: "pinot", "by Christie", "spare me Elvis"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from localrec.understanding.language_words import cue_words, english
from localrec.understanding.meanings import Mention
from localrec.understanding.spelling import english_words, is_everyday
from localrec.understanding.titles_meant import SERIES_NOUNS
from localrec.understanding.vocabulary import Reading, Vocabulary

_WORDS = english().mention
_LONG_FIRST_NAME = 5  # letters of a first name in which a slip may be
_JOINS = english().grammar.conjunctions | english().grammar.disjunctions
_SHORTEST_TASTE, _LONGEST_REFUSAL = 5, 4  # letters of a word, and words


def named_by_adjective(reading: Reading, vocabulary: Vocabulary, position: int) -> Mention | None:
    """ "nothing limey": what tastes of a thing is refused with it; "a wordy game" has a wish."""
    root = reading.roots[position]
    if not root.endswith("y") or len(root) < _SHORTEST_TASTE:
        return None
    following = reading.roots[position + 1 : position + 2]
    tells_kind = bool(following) and following[0] in vocabulary.item_nouns
    tells_kind &= not any(reading.gaps[position + 1 : position + 2])
    if not tells_kind and not _is_behind_a_refusal(reading, vocabulary, position):
        return None
    roles = ("component", "category") if tells_kind else ("component",)
    stem = root[:-1]
    whole = [f"{stem} {following[0]}"] if tells_kind else []  # "a wordy game": a word game
    for told in (*whole, stem, f"{stem}e", stem[:-1] if stem[-1:] == stem[-2:-1] else stem):
        for meaning in vocabulary.names.get(told):
            if meaning.role in roles and vocabulary.is_usable(meaning):
                return Mention(position, position + 1, meaning)
    return None


def _is_behind_a_refusal(reading: Reading, vocabulary: Vocabulary, position: int) -> bool:
    """Whether the words before a place refuse what stands there ("none of that Elvis")."""
    end = position
    while end > 1 and not reading.gaps[end] and reading.words[end - 1] in _WORDS.pointers:
        end -= 1
    for first in range(max(0, end - _LONGEST_REFUSAL), end):
        for last in {end, position}:
            before = reading.words[first:last]
            if not any(reading.gaps[first + 1 : position + 1]) and before in (
                vocabulary.negations.get(before[0], ())
            ):
                return True
    return False


def _goes_on_with_makers(reading: Reading, position: int, mentions: Sequence[Mention]) -> bool:
    """ "Billie Holiday, Ella or Nat King Cole": a maker stands in the list before it."""
    last = mentions[-1] if mentions else None
    if last is None or last.meaning is None or last.meaning.role != "creator":
        return False
    return _JOINS.issuperset(reading.words[last.last : position])


def part_of_a_name(
    reading: Reading, vocabulary: Vocabulary, position: int, mentions: Sequence[Mention] = ()
) -> Mention | None:
    """ "pinot", "by Christie", "Dorothy Sayers": telling words of names not written out."""
    root = reading.roots[position]
    if root in vocabulary.item_nouns or is_a_user_here(reading, position):
        return None
    if root in cue_words() or reading.words[position] in cue_words():
        return None
    if root in english().numbers:
        return None  # "it has to be done by nine"
    if position and root in SERIES_NOUNS and not reading.gaps[position]:
        return None  # "the Outlander saga" is no other saga
    by = is_behind_maker_word(reading, position)
    shown = is_shown(reading, position)
    refused = False
    named = shown or not any(reading.capitals)
    if named and not is_everyday(reading.words[position]):
        refused = _is_behind_a_refusal(reading, vocabulary, position)
        by = by or refused or _goes_on_with_makers(reading, position, mentions)
    found = vocabulary.partial.called(root, by=by, shown=shown, refused=refused)
    typed = reading.tokens[position].word
    if not found or (typed in reading.corrected and found[0].role == "creator" and not by):
        return None  # "Tassie" is no slip of some maker's name
    if found[0].role == "creator" and not by and _is_typed_small(reading, position):
        return None  # "a colleague lent me The Day of the Jackal"
    keys = tuple(one.key for one in found[1:])
    sure = by or found[0].role == "component" or _is_strange(reading, position)
    return Mention(position, position + 1, meaning=found[0], others=keys, doubtful=not sure)


def told_by_its_verb(
    reading: Reading, vocabulary: Vocabulary, position: int, end: int
) -> Mention | None:
    """ "building up a city", "draft cards": city building and card drafting, verb first."""
    place = position + 1
    while place < end and reading.words[place] in _WORDS.before_objects:
        place += 1
    if place >= end:
        return None
    verb = reading.words[position]
    for form in (verb, f"{verb}ing", f"{verb.removesuffix('e')}ing", f"{verb}{verb[-1]}ing"):
        if form.endswith("ing"):
            for meaning in vocabulary.names.get(f"{reading.words[place]} {form}"):
                if vocabulary.is_usable(meaning):
                    return Mention(position, place + 1, meaning)
    return None


def is_behind_maker_word(reading: Reading, position: int) -> bool:
    """Whether "by", "from" or "of" stands before a place, but not as in "a bit of pepper"."""
    before = reading.words[max(0, position - 2) : position]
    is_part = before[-1:] == ("of",) and len(before) > 1 and before[0] in _WORDS.tasted_parts
    is_part = is_part and not is_shown(reading, position)  # "a bottle of Penfolds"
    return bool(before) and before[-1] in _WORDS.by and not is_part


def misspelt_first_name(reading: Reading, vocabulary: Vocabulary, position: int) -> Mention | None:
    """ "steven king": a maker's surname, though an everyday word, behind about their first name."""
    last = position + 1
    typed = reading.tokens[position].word
    if last >= len(reading.words) or reading.gaps[last] or len(typed) < _LONG_FIRST_NAME:
        return None
    if vocabulary.is_plain(typed) or reading.roots[last] in vocabulary.item_nouns:
        return None
    found = [
        one
        for one in vocabulary.partial.called(reading.roots[last], by=True)
        if one.role == "creator"
        and one.key.split()[-1] == reading.roots[last]
        and _is_nearly(typed, one.key.split()[0])
    ]
    if not found:
        return None
    return Mention(position, last + 1, found[0], None, tuple(one.key for one in found[1:]))


def _is_nearly(typed: str, name: str) -> bool:
    from rapidfuzz.distance import OSA

    return typed[0] == name[0] and 0 < OSA.distance(typed, name) <= (2 if len(typed) > 5 else 1)


def _is_typed_small(reading: Reading, place: int) -> bool:
    """Whether an English word has no capital where other names have one."""
    if reading.capitals[place] or reading.tokens[place].word not in english_words():
        return False
    return any(is_shown(reading, other) for other in range(len(reading.words)))


def _is_strange(reading: Reading, place: int) -> bool:
    """Whether a word is no English word and was typed as it is read ("Bourdain")."""
    typed = reading.tokens[place].word
    return typed not in reading.corrected and typed not in english_words()


def is_a_user_here(reading: Reading, place: int) -> bool:
    """ "Lee refuses anything old", "Charlie wants": who is spoken of, and no maker."""
    following = reading.words[place + 1 : place + 2]
    return bool(_WORDS.person_verbs & {*following}) and not reading.gaps[place + 1]


def words_of_a_name(
    reading: Reading, vocabulary: Vocabulary, position: int, end: int
) -> Mention | None:
    """ "Dorothy Sayers", "Garcia Marquez": two and more words of a longer name."""
    last, found = vocabulary.partial.meant_by(reading.roots, position, end)
    if not found:
        return None
    whole = vocabulary.names.get(" ".join(reading.roots[position : last - 1]))
    if reading.words[last - 1] in SERIES_NOUNS and any(one.kind == "series" for one in whole):
        return None  # "the Twilight saga" is the series of that name, and no longer one
    return Mention(position, last, meaning=found[0], others=tuple(one.key for one in found[1:]))


def free_of(reading: Reading, vocabulary: Vocabulary, position: int) -> Mention | None:
    """ "alcohol-free", where some items are of a kind called so: that kind, and no refusal."""
    free = reading.words[position + 1 : position + 2]
    if english().trailing_refusals.free.isdisjoint(free) or reading.gaps[position + 1]:
        return None
    told = (reading.roots[position], free[0])
    found = [
        one.meaning
        for one in vocabulary.partial.words.get(told[0], ())
        if told in pairwise(one.words) and vocabulary.is_usable(one.meaning)
    ]
    kin = tuple(one.key for one in found[1:] if one.kind == found[0].kind)
    return Mention(position, position + 2, found[0], None, kin) if found else None


def is_shown(reading: Reading, place: int) -> bool:
    """Whether a capital inside a sentence shows a word to be a name."""
    inside = place > 0 and reading.gaps[place] != "."
    return inside and reading.capitals[place] and not all(reading.capitals)


def begins_a_refusal(reading: Reading, vocabulary: Vocabulary, position: int) -> bool:
    """Whether the words at a place refuse what follows them."""
    return any(
        reading.words[position : position + len(cue)] == cue
        for cue in vocabulary.negations.get(reading.words[position], ())
    )

"""What a question names, and which of several meanings each name has there.

A phrase can mean several things: "orange" a colour or a fruit, "hurricane" a glass or a drink,
"sour" a taste or a kind of drink, "gin and tonic" a drink or two ingredients. The neighbours
decide, by the few rules below; a meaning that no item of the catalogue has comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from localrec.foundation.text_matching import PhraseMatch, roots
from localrec.understanding.language_words import Phrase, cue_words, english, phrases
from localrec.understanding.meanings import Meaning
from localrec.understanding.senses import choose_meaning, is_served_in
from localrec.understanding.spelling import english_words, is_everyday
from localrec.understanding.vocabulary import Reading, Vocabulary

_WORDS = english().mention
_EXAMPLE = english().example
SIMILARITY_CUES = phrases(_EXAMPLE.before)  # directly before an example item
_ALIKE = frozenset({"component", "category"})  # roles whose kinds may share a name
_LONG_ENOUGH = 6  # letters of a misspelt title that is meant as one
_CUES_BY_LAST: dict[str, list[Phrase]] = {}
for _cue in sorted(SIMILARITY_CUES, key=len, reverse=True):
    _CUES_BY_LAST.setdefault(_cue[-1], []).append(_cue)


class Mention(msgspec.Struct, frozen=True):
    """A name in tokens `first` to `last` (exclusive): an attribute or the like, or an item.

    `others` are further keys of the same kind that the name may mean: "pinot" is part of several;
    of an item they are the other items that its words may mean.
    `elsewhere` are (kind, key) of other kinds that bear the name as well: a region and a grape.
    A `doubtful` name may be a word like any other: mended, everyday, or a part of a name.
    """

    first: int
    last: int
    meaning: Meaning | None = None
    item: str | None = None
    others: tuple[str, ...] = ()
    elsewhere: tuple[tuple[str, str], ...] = ()
    doubtful: bool = False


def find_mentions(reading: Reading, vocabulary: Vocabulary) -> list[Mention]:
    """Everything the question names, left to right, without overlap."""
    words = reading.roots
    mentions: list[Mention] = []
    position = 0
    while position < len(words):
        end = reading.end_of_clause(position)
        if skipped := _long_cue_at(reading, position):
            position += skipped
            continue
        item = vocabulary.items.longest_at(words, position, end)
        name = _longest_name(reading, vocabulary, position, end)
        if item and _is_example(
            reading, vocabulary, item.first, item.last, name.last if name else None
        ):
            mentions.append(
                Mention(item.first, item.last, item=_spelled(reading, vocabulary, item))
            )
            position = item.last
        elif (name is None or name.last == position + 1) and (
            several := _words_of_a_name(reading, vocabulary, position, end)
        ):
            mentions.append(several)
            position = several.last
        elif (
            item is None
            and (name is None or name.last - name.first == 1)
            and (misspelt := _misspelt_item(reading, vocabulary, position, name is None))
        ):
            mentions.append(misspelt)
            position = misspelt.last
        elif name and _hides_a_live_name(reading, vocabulary, name):
            position += 1
        elif name:
            meaning = choose_meaning(reading, vocabulary, name.first, name.last, name.payloads)
            if meaning is not None:
                doubtful = _is_doubtful(reading, vocabulary, name.first, name.last, meaning)
                others = _of_the_kind(meaning, name.payloads, vocabulary)
                elsewhere = _of_other_kinds(meaning, name.payloads, vocabulary)
                span = name.first, name.last
                mentions.append(Mention(*span, meaning, None, others, elsewhere, doubtful))
            position = name.last
        elif near := _misspelt_name(reading, vocabulary, position, end):
            mentions.append(near)
            position = near.last
        elif part := _part_of_a_name(reading, vocabulary, position):
            mentions.append(part)
            position = part.last
        else:
            position += 1
    return mentions


def _hides_a_live_name(
    reading: Reading, vocabulary: Vocabulary, name: PhraseMatch[Meaning]
) -> bool:
    """ "steaming hot drink": nothing is "steaming hot", but some items are hot drinks."""
    if name.last == name.first + 1 or any(map(vocabulary.is_usable, name.payloads)):
        return False
    return any(
        match.last > name.last and any(map(vocabulary.is_usable, match.payloads))
        for first in range(name.first + 1, name.last)
        for match in vocabulary.names.phrases_at(reading.roots, first)
    )


def _of_the_kind(
    chosen: Meaning, meanings: Sequence[Meaning], vocabulary: Vocabulary
) -> tuple[str, ...]:
    """What else of its kind a name means: "shiraz" is also called syrah."""
    if chosen.role not in _ALIKE:
        return ()
    alike = (one for one in meanings if one.kind == chosen.kind and one != chosen)
    return tuple(one.key for one in alike if vocabulary.is_usable(one))


def _of_other_kinds(
    chosen: Meaning, meanings: Sequence[Meaning], vocabulary: Vocabulary
) -> tuple[tuple[str, str], ...]:
    """Where a catalogue itself gives one name to several kinds, each of them is meant."""
    return tuple(
        (one.kind, one.key)
        for one in meanings
        if one.kind != chosen.kind
        and (
            (
                {one.role, chosen.role} <= _ALIKE
                and not {one.kind, chosen.kind} <= vocabulary.domain.taxonomy.keys()
            )
            or (chosen.role == "garnish" and one.role == "component")
        )
        and vocabulary.is_usable(one)
    )


def _is_doubtful(
    reading: Reading, vocabulary: Vocabulary, first: int, last: int, meaning: Meaning
) -> bool:
    """Whether one everyday or mended word hardly names a kind or a maker."""
    if last - first > 1 or meaning.role not in ("category", "creator", "look", "colour"):
        return False
    if meaning.role in ("look", "colour") and meaning.kind in vocabulary.domain.taxonomy:
        return _is_of_another_thing(reading, vocabulary, first, last)
    if meaning.key in english().demonyms:
        return False
    word = reading.tokens[first].word
    mended = word in reading.corrected and meaning.kind not in vocabulary.domain.taxonomy
    return mended or (is_everyday(word) and not _is_shown(reading, first))


def _is_of_another_thing(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """ "my white sofa", "a red dress": a colour of what is no item and no name here."""
    if first and reading.words[first - 1] in _WORDS.possessive:
        return True
    if last >= len(reading.words) or reading.gaps[last]:
        return False
    root = reading.roots[last]
    known = root in vocabulary.item_nouns or vocabulary.names.words[root]
    return not known and not vocabulary.is_plain(root) and root.isalpha()


def _part_of_a_name(reading: Reading, vocabulary: Vocabulary, position: int) -> Mention | None:
    """ "pinot", "by Christie", "Dorothy Sayers": telling words of names not written out."""
    root = reading.roots[position]
    if root in vocabulary.item_nouns or _is_a_person_here(reading, position):
        return None
    if root in cue_words() or reading.words[position] in cue_words():
        return None
    by = position > 0 and reading.words[position - 1] in _WORDS.by
    found = vocabulary.partial.called(root, by=by, shown=_is_shown(reading, position))
    typed = reading.tokens[position].word
    if not found or (typed in reading.corrected and found[0].role == "creator" and not by):
        return None  # "Tassie" is no slip of some maker's name
    keys = tuple(one.key for one in found[1:])
    sure = by or found[0].role == "component" or _is_strange(reading, position)
    return Mention(position, position + 1, meaning=found[0], others=keys, doubtful=not sure)


def _is_strange(reading: Reading, place: int) -> bool:
    """Whether a word is no English word and was typed as it is read ("Bourdain")."""
    typed = reading.tokens[place].word
    return typed not in reading.corrected and typed not in english_words()


def _is_a_person_here(reading: Reading, place: int) -> bool:
    """ "Lee refuses anything old", "Charlie wants": who is spoken of, and no maker."""
    following = reading.words[place + 1 : place + 2]
    return bool(_WORDS.person_verbs & {*following}) and not reading.gaps[place + 1]


def _words_of_a_name(
    reading: Reading, vocabulary: Vocabulary, position: int, end: int
) -> Mention | None:
    """ "Dorothy Sayers", "Garcia Marquez": two and more words of a longer name."""
    last, found = vocabulary.partial.meant_by(reading.roots, position, end)
    if not found:
        return None
    return Mention(position, last, meaning=found[0], others=tuple(one.key for one in found[1:]))


def _is_shown(reading: Reading, place: int) -> bool:
    """Whether a capital inside a sentence shows a word to be a name."""
    inside = place > 0 and reading.gaps[place] != "."
    return inside and reading.capitals[place] and not all(reading.capitals)


def _misspelt_name(
    reading: Reading, vocabulary: Vocabulary, position: int, end: int
) -> Mention | None:
    """Two or three words that nearly spell a name, one of them no everyday word."""
    for last in range(min(position + 3, end), position + 1, -1):
        words = reading.roots[position:last]
        typed = tuple(token.root for token in reading.tokens[position:last])
        strange = [
            one
            for one, as_typed in zip(words, typed, strict=True)
            if (one != as_typed or not vocabulary.names.words[one]) and not vocabulary.is_plain(one)
        ]
        scrambled = all(vocabulary.is_only_in_names(one) for one in words)  # "pinto grigio"
        if not (strange or scrambled) or sum(map(len, words)) < 8:
            continue
        ends = (words[0], words[-1])
        if any(vocabulary.is_plain(one) or one in vocabulary.item_nouns for one in ends):
            continue
        for told in dict.fromkeys((typed, words)):
            if meanings := vocabulary.nearest.name(" ".join(told)):
                return Mention(position, last, meaning=meanings[0])
    return None


def _spelled(reading: Reading, vocabulary: Vocabulary, match: PhraseMatch[str]) -> str:
    """Choose the item spelled as typed among items with equal roots ("Alien", "Aliens")."""
    typed = reading.words[match.first : match.last]
    alike = (key for key in match.payloads if vocabulary.spelling_of(key) == typed)
    return next(alike, match.payloads[0])


def _long_cue_at(reading: Reading, position: int) -> int:
    """Tokens of a comparison that holds a name itself ("in the spirit of"); 0 for none."""
    for cue in SIMILARITY_CUES:
        if len(cue) > 2 and tuple(reading.words[position : position + len(cue)]) == cue:
            return len(cue)
    return 0


def _misspelt_item(
    reading: Reading, vocabulary: Vocabulary, position: int, nameless: bool
) -> Mention | None:
    """ "ol fashioned": several words that nearly spell an item, one of them an item's own word."""
    if vocabulary.is_plain(reading.words[position]):
        return None
    for last in range(min(position + 4, reading.end_of_clause(position)), position, -1):
        words = reading.roots[position:last]
        if last - position > 1 and vocabulary.is_plain(reading.words[last - 1]):
            continue
        rare = [word for word in words if vocabulary.is_only_in_items(word)]
        kin = last < len(reading.words) and reading.words[last] in _EXAMPLE.kin_behind
        squashed = nameless and last - position == 1 and len(words[0]) > 7
        if (rare and last - position > 1) or (nameless and kin) or squashed:
            item = vocabulary.nearest.item(" ".join(words))
            if item is not None:
                return Mention(position, last, item=item)
    return None


def _longest_name(
    reading: Reading, vocabulary: Vocabulary, position: int, end: int
) -> PhraseMatch[Meaning] | None:
    """The longest name that some item has; where no item has any, the longest."""
    found = [
        match
        for match in vocabulary.names.phrases_at(reading.roots, position, end)
        if not _is_year_for_decade(reading.words[position], match)
    ]
    kept = []
    for match in found:
        meant = tuple(
            one
            for one in match.payloads
            if not vocabulary.is_hardly_a_name(tuple(reading.roots[match.first : match.last]), one)
            or _is_pointed_at(reading, match.first, match.last)
        )
        if meant:
            kept.append(msgspec.structs.replace(match, payloads=meant))
    alive = (one for one in kept if any(map(vocabulary.is_usable, one.payloads)))
    return next(alive, kept[0] if kept else None)


def _is_pointed_at(reading: Reading, first: int, last: int) -> bool:
    """Whether everyday words are shown to be a name: by "by", or by capitals inside a sentence."""
    if first and reading.words[first - 1] == "by":
        return True
    opens = first == 0 or reading.gaps[first] == "."
    return not opens and _is_capitalised(reading, first, last)


def _is_year_for_decade(typed: str, match: PhraseMatch[Meaning]) -> bool:
    """ "before 1940" names a year, not the 1940s, though both have one root."""
    is_year = typed.isdecimal() and match.last - match.first == 1
    return is_year and all(one.key == f"{typed}s" for one in match.payloads)


def asks_for_kin(reading: Reading) -> bool:
    """Whether a question asks for something alike, wherever it says so ("find its twin")."""
    return says_any(reading, _EXAMPLE.kin_phrases)


def says_any(reading: Reading, phrases: Sequence[str]) -> bool:
    """Whether one of the phrases stands in a question."""
    text = f" {' '.join(reading.words)} "
    return any(f" {phrase} " in text for phrase in phrases)


def owners(reading: Reading, mentions: Sequence[Mention]) -> list[int]:
    """For each token the number of its mention, -1 where it belongs to none."""
    owner = [-1] * len(reading.words)
    for number, mention in enumerate(mentions):
        owner[mention.first : mention.last] = [number] * (mention.last - mention.first)
    return owner


def cue_before(reading: Reading, first: int) -> int:
    """Where the comparison ("similar to", "like a") before token `first` begins, -1 for none."""
    for end in range(first, max(0, first - 5), -1):
        if end < first and (
            reading.words[end] not in _EXAMPLE.fillers or reading.gaps[end + 1] == "."
        ):
            break
        begin = _cue_ending_at(reading, end)
        if begin >= 0:
            return begin
    return -1


def _cue_ending_at(reading: Reading, end: int) -> int:
    for cue in _CUES_BY_LAST.get(reading.words[end - 1], ()):
        begin = end - len(cue)
        if begin >= 0 and tuple(reading.words[begin:end]) == cue:
            wishing = cue == ("like",) and begin and reading.words[begin - 1] in _EXAMPLE.wishing
            # "I like a Negroni" names a favourite all the same; "I'd like a Negroni" orders one.
            if not wishing or reading.words[begin - 1] in ("i", "we", "they"):
                return begin
    return -1


def _is_example(
    reading: Reading, vocabulary: Vocabulary, first: int, last: int, rival_end: int | None
) -> bool:
    """Does an item's name at tokens first..last mean that item?"""
    phrase = reading.roots[first:last]
    if rival_end is not None and rival_end > last:
        return False
    if _is_an_amount(reading, vocabulary, first, last):
        return False
    if len(phrase) == len(reading.roots):
        return True
    if last - first == 1 and _is_everyday_title(reading, vocabulary, first):
        return cue_before(reading, first) >= 0 and _spells_it(reading, vocabulary, first)
    following = reading.words[last] if last < len(reading.words) else ""
    if _names_a_container(reading, vocabulary, first, last, following):
        return False
    if cue_before(reading, first) >= 0 or not vocabulary.is_weak(phrase):
        return True
    if last - first > 1 and _is_capitalised(reading, first, last):
        return True
    opens = first == 0 or (first == 1 and reading.words[0] in ("a", "an", "the"))
    if opens and following in _EXAMPLE.turns:
        return True  # "whiskey sour but no cherry"
    if opens and following in _EXAMPLE.changes and not any(map(_is_named(vocabulary), phrase)):
        return True  # "last word with mezcal instead of gin"
    if last - first > 1 and following in _EXAMPLE.kin_behind:
        return True  # "whiskeyless old fashioned type of drink"
    article = first > 0 and reading.words[first - 1] in ("a", "an", "the", "my")
    if article and first > 1 and reading.words[first - 2] in _EXAMPLE.rules_out:
        return True
    return article and following in _EXAMPLE.asks_for_kin and reading.words[first - 1] != "the"


def _is_an_amount(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """ "three million ratings": a number before its unit, though some title is called so."""
    numbers = {*english().numbers, "thousand", "million"}
    if not all(word in numbers or word.isdigit() for word in reading.roots[first:last]):
        return False
    return last < len(reading.words) and (
        reading.roots[last] in vocabulary.units or reading.words[last] in numbers
    )


def _is_everyday_title(reading: Reading, vocabulary: Vocabulary, place: int) -> bool:
    """ "lost her glasses": a title of one common or mended word is hardly meant as one."""
    typed = reading.tokens[place].word
    mended = typed in reading.corrected and len(typed) < _LONG_ENOUGH
    inside = place > 0 and not reading.gaps[place] and _is_capitalised(reading, place, place + 1)
    return not inside and (mended or is_everyday(typed) or is_everyday(reading.roots[place]))


def _spells_it(reading: Reading, vocabulary: Vocabulary, place: int) -> bool:
    found = vocabulary.items.get(reading.roots[place])
    return any(vocabulary.spelling_of(key)[-1:] == (reading.words[place],) for key in found)


def _is_capitalised(reading: Reading, first: int, last: int) -> bool:
    """A name in capitals inside a question that is not all capitals."""
    inside = [
        reading.capitals[place]
        for place in range(first, last)
        if reading.words[place] not in ("and", "of", "on", "the", "in", "a")
    ]
    return all(inside) and not all(reading.capitals)


def _is_named(vocabulary: Vocabulary) -> Callable[[str], bool]:
    return lambda root: bool(vocabulary.names.get(root))


def _names_a_container(
    reading: Reading, vocabulary: Vocabulary, first: int, last: int, following: str
) -> bool:
    container = vocabulary.domain.kind_of("container")
    if container is None:
        return False
    nouns = {r for word in vocabulary.domain.attributes[container].words for r in roots(word)}
    if following and roots(following)[:1] and roots(following)[0] in nouns:
        return True
    phrase = " ".join(reading.roots[first:last])
    if following == "or" and any(root in nouns for root in reading.roots[last : last + 4]):
        return any(vocabulary.names.get(f"{phrase} {noun}") for noun in nouns)
    meanings = vocabulary.names.get(phrase)
    return any(one.role == "container" for one in meanings) and is_served_in(reading, first)

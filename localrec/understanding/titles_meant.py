"""Whether the title of an item in a question means that item, or a kind, an amount or a word.

Many titles are everyday words or the names of kinds ("Medieval", "Six", "Glasses"). What stands
around one tells whether it is meant as an example.
"""

from __future__ import annotations

from collections.abc import Callable

from localrec.foundation.text_matching import roots
from localrec.understanding.language_words import Phrase, english, phrases, says_any
from localrec.understanding.senses import is_served_in
from localrec.understanding.spelling import is_everyday, word_rank
from localrec.understanding.vocabulary import Reading, Vocabulary

_GRAMMAR, _WORDS, _EXAMPLE = english().grammar, english().titles, english().example
SIMILARITY_CUES = phrases(_EXAMPLE.before)  # directly before an example item
_USUAL = 20_000  # rank of a verb's form that, typed small, hardly names an item by itself
SERIES_NOUNS = _WORDS.series
_SUBJECTS = phrases(_WORDS.subjects)
_ONWARDS = frozenset(english().years.since_behind)
_TOLD_BEFORE = 3  # words that may tell of a kind before its name
_SOON = 4  # words behind "was" among which a praise stands
_ARTICLES = _GRAMMAR.determiners | _GRAMMAR.indefinites
_OTHER_THAN = phrases(_EXAMPLE.other_than)
_LONG_ENOUGH = 6  # letters of a misspelt title that is meant as one
_FOND = phrases(_EXAMPLE.fond)
_CUES_BY_LAST: dict[str, list[Phrase]] = {}
for _cue in sorted(SIMILARITY_CUES, key=len, reverse=True):
    _CUES_BY_LAST.setdefault(_cue[-1], []).append(_cue)


def cue_before(reading: Reading, first: int) -> int:
    """Find the start of a comparison ("similar to", "like a") before token `first`; -1 for none."""
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
            is_like = len(cue) == 1 and cue[0] in _GRAMMAR.comparisons
            wishing = is_like and begin and reading.words[begin - 1] in _EXAMPLE.wishing
            # "I like a Negroni" names a favourite all the same; "I'd like a Negroni" orders one.
            if not wishing or reading.words[begin - 1] in _WORDS.speakers:
                return begin
    return -1


def is_example(
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
    if (
        last - first == 1
        and (reading.words[first] in _WORDS.pronouns or len(reading.words[first]) == 1)
        and not reading.capitals[first]
    ):
        return False  # "she read it till the cover came off", "at 2 a.m."
    if first and f"{reading.words[first - 1]} {reading.words[first]}" in _ONWARDS:
        return False  # "1940 or afterwards"
    if _is_a_time_word(reading, first, last):
        return False  # "newish, like after 2005"
    if _is_its_series(reading, vocabulary, first, last) and cue_before(reading, first) < 0:
        return False
    if _is_refused_whole(reading, vocabulary, first, last):
        return True
    is_one_of_some = first > 0 and reading.words[first - 1] in _GRAMMAR.indefinites
    if is_one_of_some and _is_kind_of_items(reading, vocabulary, first, last):
        return False  # "I love a Christmas song"
    if first == 0 and last - first > 1 and says_any(reading.words, _WORDS.more_of_it):
        return True  # "gone girl did my head in, what else has she written"
    if _is_distinct(reading, vocabulary, first, last) and (
        _is_liked(reading, first)
        or _is_praised(reading, first, last)
        or _is_behind_after(reading, first, last)
    ):
        return True
    if _is_plural(reading, first, last) and _is_praised(reading, first, last):
        return True
    if last - first == 1 and _is_everyday_title(reading, vocabulary, first):
        return cue_before(reading, first) >= 0 and _spells_it(reading, vocabulary, first)
    following = reading.words[last] if last < len(reading.words) else ""
    if following in _WORDS.coming and not reading.gaps[last] and cue_before(reading, first) < 0:
        return False  # "Father's Day coming up"
    if _names_a_container(reading, vocabulary, first, last, following):
        return False
    if cue_before(reading, first) >= 0:
        return True
    if _is_what_it_is_about(reading, vocabulary, first):
        return False
    if _opens_with_a_change(reading, vocabulary, first, last):
        return True
    if _is_a_kind(reading, vocabulary, first, last):
        return _is_alone_with_its_kin(reading, vocabulary, first, last)
    if not vocabulary.is_weak(phrase) or _is_spelt_out(reading, first, last):
        return True
    if last - first > 1 and is_capitalised(reading, first, last):
        return True
    return _is_among_cues(reading, vocabulary, first, last)


def _opens_with_a_change(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """ "Jolene, but a man singing": a title that is no kind of items, and how it shall differ."""
    behind = reading.words[last : last + 1]
    if (
        first
        or not reading.capitals[0]
        or english().negation.but.isdisjoint(behind)
        or not reading.gaps[last]
    ):
        return False
    named = vocabulary.names.get(" ".join(reading.roots[first:last]))
    return all(one.role == "category" and not vocabulary.is_shared(one) for one in named)


def _is_among_cues(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """Whether words beside a title that is said in everyday words show that it is meant."""
    following = reading.words[last] if last < len(reading.words) else ""
    opens = first == 0 or (first == 1 and reading.words[0] in _GRAMMAR.articles)
    if opens and following in _EXAMPLE.turns:
        return True  # "whiskey sour but no cherry"
    names = map(_is_named(vocabulary), reading.roots[first:last])
    if opens and following in _EXAMPLE.changes and not any(names):
        return True  # "last word with mezcal instead of gin"
    if last - first > 1 and following in _EXAMPLE.kin_behind:
        return True  # "whiskeyless old fashioned type of drink"
    article = first > 0 and reading.words[first - 1] in _GRAMMAR.determiners
    if article and first > 1 and reading.words[first - 2] in _EXAMPLE.rules_out:
        return True
    is_any = article and reading.words[first - 1] not in _GRAMMAR.definite
    return is_any and following in _EXAMPLE.asks_for_kin


def _is_a_time_word(reading: Reading, first: int, last: int) -> bool:
    """ "after 2005", "what to read after Dune": a small word before what it speaks of."""
    small = last - first == 1 and not reading.capitals[first]
    ends = last == len(reading.words) or bool(reading.gaps[last])
    return small and not ends and reading.words[first] in _WORDS.times


def _is_its_series(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """ "from the Wild Ones series": the series of that name, and not its first volume."""
    if last == len(reading.words) or reading.words[last] not in SERIES_NOUNS or reading.gaps[last]:
        return False
    begin = first + (last - first > 1 and reading.words[first] in _ARTICLES)
    named = vocabulary.names.get(" ".join(reading.roots[begin:last]))
    return any(one.kind == "series" and vocabulary.is_usable(one) for one in named)


def _is_refused_whole(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """ "a book, not Okay for Now": a title that is all that a refusal speaks of."""
    place = first - 1
    while place > 0 and reading.words[place] in _ARTICLES:
        place -= 1
    if place < 0 or any(reading.gaps[place + 1 : last]):
        return False
    refuses = reading.words[place] in _GRAMMAR.negatives
    if not refuses and reading.words[place - 1 : place + 1] not in _OTHER_THAN:
        return False
    ends = last == len(reading.words) or reading.gaps[last] or reading.words[last] in _WORDS.closing
    if not ends or any(
        map(vocabulary.is_usable, vocabulary.names.get(" ".join(reading.roots[first:last])))
    ):
        return False
    return last - first > 1 or is_capitalised(reading, first, last)


def _is_distinct(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """Whether a title is no kind of items, and no everyday word in small letters."""
    phrase = reading.roots[first:last]
    name = " ".join(phrase)
    if any(one.key == name and vocabulary.is_shared(one) for one in vocabulary.names.get(name)):
        return False
    if last - first > 2 or any(
        not vocabulary.is_plain(one) and not is_everyday(one) for one in phrase
    ):
        return True
    opens = first == 0 or reading.gaps[first] == "."
    if opens and last - first == 1:  # "Snow was great, what else?"
        return not _WORDS.others.isdisjoint(reading.words) or _asks_for_kin(reading, vocabulary)
    is_asked = opens and not _WORDS.others.isdisjoint(reading.words)
    return is_asked or is_capitalised(reading, first, last)


def _is_liked(reading: Reading, first: int) -> bool:
    """ "my wife adores The Sting": behind a phrase of being fond, and perhaps an article."""
    while first > 0 and reading.words[first - 1] in _ARTICLES and not reading.gaps[first]:
        first -= 1
    return any(
        first >= len(phrase) and tuple(reading.words[first - len(phrase) : first]) == phrase
        for phrase in _FOND
    )


def _is_praised(reading: Reading, first: int, last: int) -> bool:
    """ "Sangria was lovely, what else?": what a sentence begins with and praises."""
    place = first
    while place > 0 and not reading.gaps[place] and reading.words[place - 1] in _WORDS.leading:
        place -= 1
    if place > 0 and not reading.gaps[place]:
        return False
    if last == len(reading.words) or reading.gaps[last] or reading.words[last] not in _WORDS.being:
        return False
    said = reading.words[last + 1 : last + 1 + _SOON]
    return not _EXAMPLE.praised.isdisjoint(said) and _GRAMMAR.denials.isdisjoint(said)


def _is_plural(reading: Reading, first: int, last: int) -> bool:
    """ "Manhattans are my usual": several of an item, whose name is a word like any other."""
    return last - first == 1 and reading.words[first] == f"{reading.roots[first]}s"


def _is_behind_after(reading: Reading, first: int, last: int) -> bool:
    """ "after Dune, what should I read?"."""
    if first == 0 or last == len(reading.words) or reading.words[first - 1] not in _WORDS.after:
        return False
    return bool(reading.gaps[last]) and reading.words[last] in _WORDS.asking


def _is_what_it_is_about(reading: Reading, vocabulary: Vocabulary, first: int) -> bool:
    """ "a game about the Korean War": what items are about, though one is called so."""
    place = first - 1
    while place > 0 and reading.words[place] in _GRAMMAR.articles:
        place -= 1
    if place > 2 and tuple(reading.words[place - 1 : place + 1]) in _SUBJECTS:
        return True
    if (
        place < 1
        or reading.words[place] not in _WORDS.about
        or any(reading.gaps[place : first + 1])
    ):
        return False
    before = reading.words[place - 1]
    return before in _WORDS.told or reading.roots[place - 1] in vocabulary.item_nouns


def _is_spelt_out(reading: Reading, first: int, last: int) -> bool:
    """ "Tilia 2011 Malbec": names and a year, which together mean that one."""
    words = reading.words[first:last]
    return len(words) > 2 and any(word.isdecimal() and len(word) == 4 for word in words)


def _is_a_kind(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """ "medieval, but no dice", "a Korean War game": a kind of items, whatever is called so too."""
    phrase = " ".join(reading.roots[first:last])
    if last - first > 1 and _is_kind_of_items(reading, vocabulary, first, last):
        return True
    is_kind = any(
        one.role in ("category", "component") and vocabulary.is_usable(one)
        for one in vocabulary.names.get(phrase)
    )
    before_noun = last < len(reading.words) and reading.roots[last] in vocabulary.item_nouns
    return is_kind and (last - first == 1 or before_noun)


def _is_alone_with_its_kin(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """ "She loves Twilight, find one like that": a series' own book, where kin are asked for."""
    if not is_capitalised(reading, first, last) or not _asks_for_kin(reading, vocabulary):
        return False
    phrase = " ".join(reading.roots[first:last])
    found = (one for one in vocabulary.names.get(phrase) if vocabulary.is_usable(one))
    return all(one.kind not in vocabulary.domain.taxonomy for one in found)


def _asks_for_kin(reading: Reading, vocabulary: Vocabulary) -> bool:
    """ "one similar", "more songs like that"."""
    return says_any(reading.words, _EXAMPLE.kin_phrases) or any(
        reading.words[place] in _GRAMMAR.comparisons
        and {*reading.words[place + 1 : place + 2]} <= _GRAMMAR.demonstratives
        and (reading.roots[place - 1] in vocabulary.item_nouns or before in _EXAMPLE.species)
        for place, before in enumerate(reading.words[:-2], 1)
    )


def _is_kind_of_items(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """ "Christmas songs", "a Christmas song": a kind and the noun of all items."""
    noun = reading.words[last - 1]
    if reading.roots[last - 1] not in vocabulary.item_nouns:
        return False
    is_one_of_some = first > 0 and (
        _is_behind_some(reading, first) or _is_possessive(reading, first - 1)
    )
    opens = first == 0 and not is_capitalised(reading, 1, last)  # "christmas song please"
    if noun == reading.roots[last - 1] and not (is_one_of_some or opens):
        return False
    kind = " ".join(reading.roots[first : last - 1])
    return any(
        one.role in ("category", "component") and vocabulary.is_usable(one)
        for one in vocabulary.names.get(kind)
    )


def _is_behind_some(reading: Reading, first: int) -> bool:
    """ "a slow reggae Christmas song": behind an article, and perhaps words that tell more."""
    for place in range(first - 1, max(-1, first - 1 - _TOLD_BEFORE), -1):
        if reading.gaps[place + 1] or reading.words[place] in _WORDS.linking:
            return False
        if reading.words[place] in _GRAMMAR.indefinites:
            return True
    return False


def _is_possessive(reading: Reading, place: int) -> bool:
    """ "Metallica's": typed with an apostrophe and an "s"."""
    token = reading.tokens[place]
    return token.word.endswith("s") and token.end - token.start > len(token.word)


def _is_an_amount(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """ "three million ratings": a number before its unit, though some title is called so."""
    numbers = _WORDS.large.union(english().numbers)
    if not all(word in numbers or word.isdigit() for word in reading.roots[first:last]):
        return False
    if first and reading.words[first - 1] in _WORDS.bounding:
        return _WORDS.preferring.isdisjoint(reading.words[first - 2 : first - 1])
    return last < len(reading.words) and (
        reading.roots[last] in vocabulary.units or reading.words[last] in numbers
    )


def _is_everyday_title(reading: Reading, vocabulary: Vocabulary, place: int) -> bool:
    """ "lost her glasses": a title of one common or mended word is hardly meant as one."""
    typed = reading.tokens[place].word
    bare = place > 0 and reading.words[place - 1] not in _ARTICLES  # "we pregamin"
    mended = typed in reading.corrected and (
        len(typed) < _LONG_ENOUGH or (bare and _slips(typed, reading.roots[place]) > 1)
    )
    inside = place > 0 and not reading.gaps[place] and is_capitalised(reading, place, place + 1)
    doing = typed.endswith(("ed", "ing")) and not reading.capitals[place]
    told = doing and place > 0 and word_rank(typed) < _USUAL  # "enchanted by Rebecca"
    short = typed in reading.corrected and len(typed) < _LONG_ENOUGH - 2
    return short or (
        not inside and (mended or told or is_everyday(typed) or is_everyday(reading.roots[place]))
    )


def _slips(typed: str, meant: str) -> int:
    """Slips between a word as it was typed and as it was read."""
    from rapidfuzz.distance import OSA

    return OSA.distance(typed, meant)


def _spells_it(reading: Reading, vocabulary: Vocabulary, place: int) -> bool:
    found = vocabulary.items.get(reading.roots[place])
    return any(vocabulary.spelling_of(key)[-1:] == (reading.words[place],) for key in found)


def is_capitalised(reading: Reading, first: int, last: int) -> bool:
    """A name in capitals inside a question that is not all capitals."""
    inside = [
        reading.capitals[place]
        for place in range(first, last)
        if reading.words[place] not in _WORDS.small
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
    if following in _GRAMMAR.disjunctions and any(
        root in nouns for root in reading.roots[last : last + 4]
    ):
        return any(vocabulary.names.get(f"{phrase} {noun}") for noun in nouns)
    meanings = vocabulary.names.get(phrase)
    return any(one.role == "container" for one in meanings) and is_served_in(reading, first)

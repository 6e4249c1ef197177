"""What a question names, and which of several meanings each name has there.

A phrase can mean several things: "orange" a colour or a fruit, "hurricane" a glass or a drink,
"sour" a taste or a kind of drink, "gin and tonic" a drink or two ingredients. The neighbours
decide, by the few rules below; a meaning that no item of the catalogue has comes last.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from localrec.foundation.text_matching import PhraseMatch
from localrec.understanding.language_words import (
    english,
    phrases,
    phrases_by_first_word,
    says_any,
)
from localrec.understanding.longest_names import longest_name
from localrec.understanding.meanings import Meaning, Mention
from localrec.understanding.partial_mentions import (
    begins_a_refusal,
    free_of,
    is_a_user_here,
    is_behind_maker_word,
    is_shown,
    misspelt_first_name,
    named_by_adjective,
    part_of_a_name,
    told_by_its_verb,
    words_of_a_name,
)
from localrec.understanding.senses import choose_meaning
from localrec.understanding.spelling import english_words, is_everyday, word_rank
from localrec.understanding.titles_meant import (
    SERIES_NOUNS,
    SIMILARITY_CUES,
    cue_before,
    is_example,
)
from localrec.understanding.vocabulary import Reading, Vocabulary

_WORDS = english().mention
_EXAMPLE = english().example
_USUAL = 20_000  # rank of an English word that is hardly a slip of a name
_OVER_NAMES = frozenset(phrases(english().negation.over_names))
_IDIOMS = phrases_by_first_word(_WORDS.idioms)
_LONG_TITLE = 4  # words
_ALIKE = frozenset({"component", "category"})  # roles whose kinds may share a name
_NAMESAKES = frozenset({"category", "creator"})  # an album is often called like its artist


def find_mentions(reading: Reading, vocabulary: Vocabulary) -> list[Mention]:
    """Find all names in the question, left to right, without overlap."""
    words = reading.roots
    mentions: list[Mention] = []
    position = 0
    while position < len(words):
        end = reading.end_of_clause(position)
        item = vocabulary.items.longest_at(words, position, end) or _over_commas(
            reading, vocabulary, position
        )
        name = longest_name(reading, vocabulary, position, end)
        nameless = item is None and name is None
        if skipped := _long_cue_at(reading, position, item) or _refusal_at(
            reading, vocabulary, position, nameless
        ):
            position += skipped
            continue
        if item and is_example(
            reading, vocabulary, item.first, item.last, name.last if name else None
        ):
            mentions.append(
                Mention(item.first, item.last, item=_spelled(reading, vocabulary, item))
            )
            position = item.last
        elif (name is None or name.last == position + 1) and (
            several := free_of(reading, vocabulary, position)
            or told_by_its_verb(reading, vocabulary, position, end)
            or words_of_a_name(reading, vocabulary, position, end)
            or (name is not None and _misspelt_name(reading, vocabulary, position, end, kept=1))
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
        elif name and (
            _hides_a_live_name(reading, vocabulary, name) or _tells_of_somebody(reading, name)
        ):
            position += 1
        elif name:
            mentions += _meant_by(reading, vocabulary, name)
            position = name.last
        elif near := (
            _misspelt_name(reading, vocabulary, position, end)
            or misspelt_first_name(reading, vocabulary, position)
            or part_of_a_name(reading, vocabulary, position, mentions)
            or named_by_adjective(reading, vocabulary, position)
            or _split_name(reading, vocabulary, position, end)
        ):
            mentions.append(near)
            position = near.last
        else:
            position += 1
    return mentions


def _meant_by(
    reading: Reading, vocabulary: Vocabulary, name: PhraseMatch[Meaning]
) -> list[Mention]:
    """The mention of a name written out, none where it means nothing here."""
    meaning = choose_meaning(reading, vocabulary, name.first, name.last, name.payloads)
    if meaning is None:
        return []
    doubtful = _is_doubtful(reading, vocabulary, name.first, name.last, meaning)
    others = _of_the_kind(meaning, name.payloads, vocabulary)
    elsewhere = _of_other_kinds(meaning, name.payloads, vocabulary)
    return [Mention(name.first, name.last, meaning, None, others, elsewhere, doubtful)]


def _over_commas(
    reading: Reading, vocabulary: Vocabulary, position: int
) -> PhraseMatch[str] | None:
    """ "Take Me Home, Country Roads": a long title that holds a comma."""
    found = vocabulary.items.longest_at(reading.roots, position)
    if found is None or found.last - found.first < _LONG_TITLE:
        return None
    return None if "." in reading.gaps[found.first + 1 : found.last] else found


def _split_name(
    reading: Reading, vocabulary: Vocabulary, position: int, end: int
) -> Mention | None:
    """ "a hot boozy drink", "something tall": what stands before the noun of a kind's name."""
    places = range(position + 2, min(position + 4, end))
    nouns = [reading.roots[place] for place in places]
    if (
        position
        and reading.words[position - 1] in english().grammar.anything
        and not reading.gaps[position]
    ):
        nouns += sorted(vocabulary.item_nouns)
    for noun in nouns:
        if noun in vocabulary.item_nouns:
            for meaning in vocabulary.names.get(f"{reading.roots[position]} {noun}"):
                if meaning.role in ("category", "container") and vocabulary.is_usable(meaning):
                    return Mention(position, position + 1, meaning)
    return None


def _tells_of_somebody(reading: Reading, name: PhraseMatch[Meaning]) -> bool:
    """ "and she's driving", "Nadia got a job": what is called so otherwise is no wish here."""
    if name.last > name.first + 1:
        return False
    if all(one.role == "creator" for one in name.payloads):
        return is_a_user_here(reading, name.first)
    if name.first == 0 or reading.gaps[name.first]:
        return False
    doing = reading.words[name.first].endswith("ing") and name.first not in reading.nouns_of_verbs
    return doing and reading.words[name.first - 1] in _WORDS.who_is


def _hides_a_live_name(
    reading: Reading, vocabulary: Vocabulary, name: PhraseMatch[Meaning]
) -> bool:
    """ "steaming hot drink": nothing is "steaming hot", but some items are hot drinks."""
    if _did_something_with_an_item(reading, vocabulary, name) or _tells_of_a_series(reading, name):
        return True
    if name.last == name.first + 1 or any(map(vocabulary.is_usable, name.payloads)):
        return False
    return any(
        match.last > name.last and any(map(vocabulary.is_usable, match.payloads))
        for first in range(name.first + 1, name.last)
        for match in vocabulary.names.phrases_at(reading.roots, first)
    )


def _tells_of_a_series(reading: Reading, name: PhraseMatch[Meaning]) -> bool:
    """ "the Outlander saga": the noun behind a name, though some series is called "Saga"."""
    first = name.first
    is_noun = name.last == first + 1 and reading.words[first] in SERIES_NOUNS
    return is_noun and first > 0 and not reading.gaps[first] and reading.capitals[first - 1]


def _did_something_with_an_item(
    reading: Reading, vocabulary: Vocabulary, name: PhraseMatch[Meaning]
) -> bool:
    """ "she devoured The Hunger Games": what was done with an item, whatever is called so."""
    is_verb = name.last == name.first + 1 and reading.words[name.first] in _EXAMPLE.fond
    item = vocabulary.items.longest_at(reading.roots, name.last) if is_verb else None
    return item is not None and is_example(reading, vocabulary, item.first, item.last, None)


def _of_the_kind(
    chosen: Meaning, meanings: Sequence[Meaning], vocabulary: Vocabulary
) -> tuple[str, ...]:
    """List the other keys of its kind that a name means: "shiraz" is also called syrah."""
    if chosen.role not in _ALIKE:
        return ()
    alike = (one for one in meanings if one.kind == chosen.kind and one != chosen)
    return tuple(one.key for one in alike if vocabulary.is_usable(one))


def _of_other_kinds(
    chosen: Meaning, meanings: Sequence[Meaning], vocabulary: Vocabulary
) -> tuple[tuple[str, str], ...]:
    """List the meanings in other kinds, where the catalogue itself gives one name to several."""
    return tuple(
        (one.kind, one.key)
        for one in meanings
        if one.kind != chosen.kind
        and (
            (
                {one.role, chosen.role} <= _ALIKE
                and not {one.kind, chosen.kind} <= vocabulary.domain.taxonomy.keys()
            )
            or {one.role, chosen.role} == _NAMESAKES
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
    if meaning.key in english().demonyms or (
        reading.roots[last : last + 1]
        and (
            reading.roots[last] in vocabulary.item_nouns  # "train games"
        )
    ):
        return False
    word = reading.tokens[first].word
    mended = word in reading.corrected and meaning.kind not in vocabulary.domain.taxonomy
    return mended or (is_everyday(word) and not is_shown(reading, first))


def _is_of_another_thing(reading: Reading, vocabulary: Vocabulary, first: int, last: int) -> bool:
    """ "my white sofa", "a red dress": a colour of what is no item and no name here."""
    if first and reading.words[first - 1] in _WORDS.possessive:
        return True
    if last >= len(reading.words) or reading.gaps[last]:
        return False
    root = reading.roots[last]
    known = root in vocabulary.item_nouns or vocabulary.names.words[root]
    return not known and not vocabulary.is_plain(root) and root.isalpha()


def _misspelt_name(
    reading: Reading, vocabulary: Vocabulary, position: int, end: int, kept: int = 0
) -> Mention | None:
    """Two or three words that nearly spell a name, one of them no everyday word.

    The first `kept` of them and everyday words at the ends are that name's own ("new zeeland").
    """
    if begins_a_refusal(reading, vocabulary, position):
        return None  # "sick of lime" is no slice of lime
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
        if kept and any(map(vocabulary.is_plain, words[kept:])):
            continue  # "orange wiht" is no orange twist
        ends = (words[0], words[-1])
        if any(
            one in vocabulary.item_nouns or one in english().grammar.determiners for one in ends
        ):
            continue
        keeping = {*words[:kept], *filter(vocabulary.is_plain, ends)}
        if keeping and any(word_rank(one) < _USUAL for one in typed if one not in keeping):
            continue  # "we lost complicated games" is no slip of "most complicated"
        for told in dict.fromkeys((typed, words, (*words[:kept], *typed[kept:]))):
            if meanings := vocabulary.nearest.name(" ".join(told), keeping):
                kin = _of_the_kind(meanings[0], meanings, vocabulary)
                return Mention(position, last, meaning=meanings[0], others=kin)
    return None


def _refusal_at(reading: Reading, vocabulary: Vocabulary, position: int, nameless: bool) -> int:
    """Tokens of a refusal of several words ("w/o", "clear of") that are part of no name."""
    for cue in vocabulary.negations.get(reading.words[position], ()):
        several = len(cue) > 1 and reading.words[position : position + len(cue)] == cue
        if several and (nameless or cue in _OVER_NAMES):
            return len(cue)
    return 0


def _spelled(reading: Reading, vocabulary: Vocabulary, match: PhraseMatch[str]) -> str:
    """Choose the item spelled as typed among items with equal roots ("Alien", "Aliens")."""
    typed = reading.words[match.first : match.last]
    alike = (key for key in match.payloads if vocabulary.spelling_of(key) == typed)
    return next(alike, match.payloads[0])


def _long_cue_at(reading: Reading, position: int, item: PhraseMatch[str] | None) -> int:
    """Tokens of a phrase that holds a name itself ("in the spirit of", "heaven's sake"), or 0.

    An item that is called like an idiom ("Last Night") is that item behind a comparison.
    """
    for cue in SIMILARITY_CUES:
        if len(cue) > 2 and tuple(reading.words[position : position + len(cue)]) == cue:
            return len(cue)
    is_compared = item is not None and cue_before(reading, item.first) >= 0
    for idiom in _IDIOMS.get(reading.words[position], ()):
        if reading.words[position : position + len(idiom)] == idiom:
            is_title = item is not None and item.last - item.first >= len(idiom)
            return 0 if is_compared and is_title else len(idiom)
    return 0


def _misspelt_item(
    reading: Reading, vocabulary: Vocabulary, position: int, nameless: bool
) -> Mention | None:
    """ "ol fashioned": several words that nearly spell an item, one of them an item's own word."""
    if vocabulary.is_plain(reading.words[position]) or _is_a_surname(reading, vocabulary, position):
        return None
    for last in range(min(position + 4, reading.end_of_clause(position)), position, -1):
        words = reading.roots[position:last]
        if last - position > 1 and vocabulary.is_plain(reading.words[last - 1]):
            continue
        rare = [word for word in words if vocabulary.is_only_in_items(word)]
        kin = last < len(reading.words) and reading.words[last] in _EXAMPLE.kin_behind
        squashed = nameless and last - position == 1 and _is_squashed(reading, position)
        if (rare and last - position > 1) or (nameless and kin) or squashed:
            item = vocabulary.nearest.item(" ".join(words))
            if item is not None:
                return Mention(position, last, item=item)
    return None


def _is_squashed(reading: Reading, position: int) -> bool:
    """ "oldfashiond": a long word that is no English word, as "stopping" is."""
    return len(reading.roots[position]) > 7 and reading.tokens[position].word not in english_words()


def _is_a_surname(reading: Reading, vocabulary: Vocabulary, position: int) -> bool:
    """ "books by Christie": a maker's, and no slip in "Christine"."""
    by = is_behind_maker_word(reading, position)
    return by and bool(vocabulary.partial.called(reading.roots[position], by=True))


def asks_for_kin(reading: Reading) -> bool:
    """Whether a question asks for something alike, wherever it says so ("find its twin")."""
    return says_any(reading.words, _EXAMPLE.kin_phrases)


def with_rest_of_titles(
    reading: Reading, mentions: Sequence[Mention], vocabulary: Vocabulary
) -> list[Mention]:
    """Let an item's name reach over the rest of its title: "Pinot Gris (Willamette Valley)".

    The parentheses part what stands in them, which would be a wish for that valley.
    """
    found: list[Mention] = []
    end = 0
    for mention in mentions:
        if mention.first < end:
            continue
        end = mention.last
        if mention.item is not None and mention.last - mention.first > 1:
            title = {*vocabulary.spelling_of(mention.item)}
            while more := _more_of_title(reading, end, title):
                end += more
        found.append(msgspec.structs.replace(mention, last=end))
    return found


def _more_of_title(reading: Reading, place: int, title: Collection[str]) -> int:
    """Count the tokens at a place that go on with a title: "(Mendoza)", "from Mendoza"."""
    if reading.words[place : place + 1] and reading.words[place] in title:
        return 1
    said = reading.words[place : place + 2]
    goes_on = len(said) == 2 and said[0] in english().grammar.origins and said[1] in title
    return 2 if goes_on and not any(reading.gaps[place : place + 2]) else 0


def owners(reading: Reading, mentions: Sequence[Mention]) -> list[int]:
    """For each token the number of its mention, -1 where it belongs to none."""
    owner = [-1] * len(reading.words)
    for number, mention in enumerate(mentions):
        owner[mention.first : mention.last] = [number] * (mention.last - mention.first)
    return owner

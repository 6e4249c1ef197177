"""Series as examples: "like Mistborn" means what is like its first volume."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from localrec.understanding.language_words import english
from localrec.understanding.meanings import Mention
from localrec.understanding.titles_meant import SERIES_NOUNS, cue_before
from localrec.understanding.vocabulary import Reading, Vocabulary

_REFUSING = frozenset(english().amounts.negating)
_REACH = 5  # words before a comparison among which a refusal is of it


def take_first_of_series(
    reading: Reading, mentions: Sequence[Mention], vocabulary: Vocabulary
) -> list[Mention]:
    """Put the first item of a series in the place of its name behind "like" and the phrases so.

    Where a question names an item or another series as well, or refuses what is like it, the series
    stays a name.
    """
    series = [one for one in mentions if one.meaning and one.meaning.kind in SERIES_NOUNS]
    if len(series) != 1 or any(one.item is not None for one in mentions):
        return list(mentions)
    found = []
    for one in mentions:
        meaning = one.meaning
        if meaning is not None and one in series and _is_compared(reading, one.first):
            first = vocabulary.nearest.first_item_with(meaning.kind, (meaning.key, *one.others))
            if first is not None:
                one = msgspec.structs.replace(one, meaning=None, item=first, others=())
        found.append(one)
    return found


def _is_compared(reading: Reading, first: int) -> bool:
    """Whether a comparison stands before a name, and no refusal before that."""
    cue = cue_before(reading, first)
    if cue < 0:
        return False
    begin = cue
    while begin > 0 and not reading.gaps[begin] and cue - begin < _REACH:
        begin -= 1
    return _REFUSING.isdisjoint(reading.words[begin:cue])

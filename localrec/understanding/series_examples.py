"""Series as examples: "like Mistborn" means what is like its first volume."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from localrec.understanding.meanings import Mention
from localrec.understanding.titles_meant import SERIES_NOUNS, cue_before
from localrec.understanding.vocabulary import Reading, Vocabulary


def take_first_of_series(
    reading: Reading, mentions: Sequence[Mention], vocabulary: Vocabulary
) -> list[Mention]:
    """Put the first item of a series in the place of its name behind "like" and the phrases so.

    Where a question names an item as well, that is its example.
    """
    if any(one.item is not None for one in mentions):
        return list(mentions)
    found = []
    for one in mentions:
        meaning = one.meaning
        is_series = meaning is not None and meaning.kind in SERIES_NOUNS
        if meaning is not None and is_series and cue_before(reading, one.first) >= 0:
            first = vocabulary.nearest.first_item_with(meaning.kind, (meaning.key, *one.others))
            if first is not None:
                one = msgspec.structs.replace(one, meaning=None, item=first, others=())
        found.append(one)
    return found

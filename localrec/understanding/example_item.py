"""The item a question takes as its example: "like a Negroni", "Last Word with rum, no gin".

Named items that are not wanted are no examples, unless the question asks for their kin ("they had
no Kir; what is like it?"). An example that the catalogue lacks is kept as it was typed.
"""

from __future__ import annotations

from collections.abc import Sequence

from localrec.understanding.language_words import english, phrases
from localrec.understanding.meanings import Mention
from localrec.understanding.mentions import asks_for_kin, owners
from localrec.understanding.titles_meant import SIMILARITY_CUES, cue_before
from localrec.understanding.vocabulary import Reading, Vocabulary

_GRAMMAR, _WORDS = english().grammar, english().example
_OTHER_THAN = phrases(_WORDS.other_than)
_MET = english().state.verbs
_STRONG_KIN_CUES = tuple(
    cue for cue in SIMILARITY_CUES if cue[0] in _WORDS.strong_first or cue in phrases(_WORDS.strong)
)


def find_example(
    reading: Reading,
    mentions: Sequence[Mention],
    wanted: Sequence[bool],
    vocabulary: Vocabulary,
) -> tuple[str | None, str | None, tuple[str, ...]]:
    """The item the question takes as its example, as key and as typed, and the unwanted ones."""
    target: str | None = None
    anchor: str | None = None
    unwanted: list[str] = []
    for mention, is_wanted in zip(mentions, wanted, strict=True):
        if mention.item is None:
            continue
        if target is None and (is_wanted or _is_model(reading, mention)):
            target = mention.item
            unwanted += mention.others
            anchor = " ".join(reading.words[mention.first : mention.last])
        else:
            unwanted.append(mention.item)
    if target is None and unwanted and asks_for_kin(reading):
        target = anchor = unwanted.pop(0)  # "they had no Kir; what is like it?"
    if target is None:
        anchor = _unknown_example(reading, mentions, vocabulary)
        target = vocabulary.nearest.item(anchor) if anchor else None
    return target, anchor, tuple(dict.fromkeys(unwanted))


def _is_model(reading: Reading, mention: Mention) -> bool:
    """An item inside a negation is an example all the same: "swap the Negroni's gin for rum"."""
    before = reading.words[: mention.first]
    if not _GRAMMAR.infinitives.isdisjoint(before[-2:-1]) and before[-1] in _MET:
        return False  # "I refuse to read Twilight"
    if before[-2:] in _OTHER_THAN:
        return False
    return cue_before(reading, mention.first) >= 0 or bool(_WORDS.swaps & set(before[-3:]))


def _unknown_example(
    reading: Reading, mentions: Sequence[Mention], vocabulary: Vocabulary
) -> str | None:
    """ "similar to a Flibbertigibbet": words after a comparison that the catalogue lacks."""
    owner = owners(reading, mentions)
    for cue in _STRONG_KIN_CUES:
        for begin in range(len(reading.words) - len(cue)):
            end = begin + len(cue)
            if tuple(reading.words[begin:end]) != cue or owner[begin] >= 0:
                continue
            is_like = len(cue) == 1 and cue[0] in _GRAMMAR.comparisons
            if is_like and begin and reading.words[begin - 1] not in _WORDS.species:
                continue
            while end < len(reading.words) and reading.words[end] in _WORDS.fillers:
                end += 1
            last = end
            while last < len(reading.words) and _may_be_a_name(reading, owner, last, end):
                last += 1
            named = [w for w in reading.words[end:last] if not vocabulary.is_plain(w)]
            if any(len(word) > 2 for word in named):
                return " ".join(reading.words[end:last])
    return None


def _may_be_a_name(reading: Reading, owner: Sequence[int], position: int, start: int) -> bool:
    mark = reading.gaps[position] if position > start else ""
    return (
        not mark
        and owner[position] < 0
        and reading.words[position] not in _WORDS.ends_name
        and position - start < 5
    )

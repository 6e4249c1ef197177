"""What a question says that no part of its query holds, so that nothing goes silent."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from localrec.understanding.language_words import english
from localrec.understanding.number_ranges import ReadRanges
from localrec.understanding.vocabulary import Reading, Vocabulary

_BOUNDS = frozenset(
    "under below over above less than more fewer at most least up to max maximum min between "
    "around about before after".split()
)


def unused_phrases(
    text: str,
    reading: Reading,
    owner: Sequence[int],
    numbers: ReadRanges,
    told: Collection[int],
    vocabulary: Vocabulary,
) -> tuple[str, ...]:
    """Phrases of the question, as typed, that took no part in its meaning.

    Args:
        text: The question.
        reading: Its tokens.
        owner: For each token the number of the mention it belongs to, -1 for none.
        numbers: The bounds that were read, with their places.
        told: Places of tokens that were read otherwise.
        vocabulary: The names of the domain.
    """
    silent = english().talk.silent
    wishes = english().talk.wishes

    def is_used(place: int) -> bool:
        token = reading.tokens[place]
        return owner[place] >= 0 or place in told or numbers.covers(token.start, token.end)

    def is_content(place: int) -> bool:
        word, root = reading.tokens[place].word, reading.roots[place]
        if word[0].isdigit():
            return True
        if word in wishes:
            return True
        if word in silent or root in silent or root in vocabulary.item_nouns:
            return False
        return len(word) > 2 and not vocabulary.is_plain(word) and not vocabulary.is_plain(root)

    runs: list[list[int]] = []
    for place in range(len(reading.tokens)):
        if is_used(place) or not is_content(place):
            continue
        if runs and runs[-1][-1] == place - 1 and not reading.gaps[place]:
            runs[-1].append(place)
        else:
            runs.append([place])
    phrases = []
    for run in runs:
        first, last = run[0], run[-1]
        if reading.tokens[first].word[0].isdigit():
            while first and reading.words[first - 1] in _BOUNDS and not is_used(first - 1):
                first -= 1
        phrases.append(text[reading.tokens[first].start : reading.tokens[last].end])
    return tuple(dict.fromkeys(phrases))

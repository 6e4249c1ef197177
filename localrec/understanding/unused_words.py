"""What a question says that no part of its query holds, so that nothing goes silent."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from localrec.understanding.language_words import cue_words, english
from localrec.understanding.number_ranges import ReadRanges
from localrec.understanding.vocabulary import Reading, Vocabulary

_BOUNDS = english().amounts.around_numbers


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

    def is_used(place: int) -> bool:
        token = reading.tokens[place]
        return owner[place] >= 0 or place in told or numbers.covers(token.start, token.end)

    content = content_places(reading, vocabulary) | {
        place
        for place, token in enumerate(reading.tokens)
        if token.word[0].isdigit() or token.word in english().talk.wishes
    }
    runs: list[list[int]] = []
    for place in range(len(reading.tokens)):
        if is_used(place) or place not in content:
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


def content_places(reading: Reading, vocabulary: Vocabulary) -> set[int]:
    """Places of words that are no everyday words, and of numbers as long as a year."""
    silent = english().talk.silent

    def is_content(place: int) -> bool:
        word, root = reading.tokens[place].word, reading.roots[place]
        if word[0].isdigit():
            return len(word) == 4
        if word in silent or root in silent or root in vocabulary.item_nouns:
            return False
        if word in cue_words():
            return False
        return len(word) > 2 and not vocabulary.is_plain(word) and not vocabulary.is_plain(root)

    return {place for place in range(len(reading.tokens)) if is_content(place)}

"""Letters that an old encoding lost, put back.

Exports that passed through Korean Excel hold "Cr?me de Cacao" and "Pi?a Colada": its encoding
has no accented letters. A `?` inside a word comes back where exactly one known spelling fits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from localrec.foundation.text import fold_accents

_LOST = "?\ufffd"
_LOST_RUN = re.compile(f"[{_LOST}]+")
# From the beginning of a word and without backtracking, so that long words cost no more.
_WORD_WITH_LOSS = re.compile(rf"(?<![^\W\d_])[^\W\d_]*+(?:[{_LOST}]+[^\W\d_]*)++")
_LONGEST_WORD = 30
# Accented words of menus and labels; of two that differ in the accent only, the commoner.
_ACCENTED = re.findall(
    r"\w+",
    "açaí açúcar añejo bénédictine brûlée cachaça café cafés chambéry château clément consommé "
    "cortés côte crème crèmes crêpe crêpes curaçao daïquiri décor déjà entrée fée flambé flambée "
    "fraîche français française frappé frappés früli génépi gewürztraminer glacé glögg grüner "
    "guaraná jägermeister jägerbomb jalapeño jalapeños kahlúa kölsch limón löwenbräu maître mañana "
    "maracujá mélange melón mémé mûre niña niño olé pâté pêche perdón piña piñata plátano purée "
    "purées ramón rhône rosé sangría sauté señor señora señorita smörgås soufflé tónica très "
    "über weißbier würzburger",
)
_ACCENTED_BY_FOLDED = {fold_accents(word): word for word in _ACCENTED}


class LetterRestorer:
    """Puts lost letters back, by a list of accented words and the words of `known` names."""

    def __init__(self, known: Iterable[str]) -> None:
        words = {word for name in known for word in re.findall(r"[^\W\d_]+", name.casefold())}
        # By folded spelling, so that "creme" and "crème" are one candidate, the accented one.
        self._words = {fold_accents(word): word for word in sorted(words)}
        self._words.update(_ACCENTED_BY_FOLDED)

    def restore_name(self, text: str) -> str:
        """A name of an attribute: every `?` stands for a lost letter, or goes."""
        if not _LOST_RUN.search(text):
            return text
        text = _WORD_WITH_LOSS.sub(lambda word: self._restore(word.group(), self._words), text)
        return " ".join(_LOST_RUN.sub("", text).split())

    def restore_text(self, text: str) -> str:
        """A title or sentence: a `?` at the end of a word may be a question and then stays."""
        if not _LOST_RUN.search(text):
            return text
        return _WORD_WITH_LOSS.sub(self._restore_in_sentence, text).replace("\ufffd", "")

    def _restore_in_sentence(self, found: re.Match[str]) -> str:
        word = found.group()
        # Only accented words here: "lime?" is a question about lime, not one lime too few.
        restored = self._restore(word, _ACCENTED_BY_FOLDED)
        if restored != word or not word.strip(_LOST):
            return restored
        ending = word[len(word.rstrip(_LOST)) :]
        return _LOST_RUN.sub("", word) + ending

    def _restore(self, word: str, candidates: dict[str, str]) -> str:
        if not word.strip(_LOST) or len(word) > _LONGEST_WORD:
            return word
        pattern = re.compile(
            _LOST_RUN.sub(lambda run: rf"([^\W\d_]{{1,{len(run.group())}}})", word.casefold())
        )
        fitting = [match for known in candidates.values() if (match := pattern.fullmatch(known))]
        if len(fitting) != 1:
            return word
        letters = iter(fitting[0].groups())
        is_shouted = len(word) > 2 and _LOST_RUN.sub("", word).isupper()
        return _LOST_RUN.sub(lambda _: next(letters).upper() if is_shouted else next(letters), word)

"""Recognises questions in languages that nobody here reads, so that they are told apart.

A question whose words are English or names is not looked at any further. Function words of other
languages, or many strange words, make it suspicious; then a small model that is kept with its
library tells the language, offline.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from localrec.foundation.text_matching import singular, tokens
from localrec.understanding.language_words import english
from localrec.understanding.spelling import english_words, is_everyday
from localrec.understanding.vocabulary import Vocabulary

# Languages that are told apart; a small set is told apart better than all there are.
LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fi": "Finnish",
    "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sv": "Swedish", "th": "Thai", "tl": "Tagalog", "tr": "Turkish",
    "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
_STRANGE = 0.6  # share of words that nobody knows from which a question is suspicious
UNKNOWN = "und"  # the code of a language that nobody can tell
_MOST_WORDS, _NEARLY_ALL = 4, 0.75  # words that nobody knows, and their share, which are no English
_SURE = 0.9  # probability from which strange words alone show a language


def foreign_language(text: str, vocabulary: Vocabulary) -> str:
    """The code of a question's language where it is not English, else ""."""
    if _letters_of_other_scripts(text, vocabulary) > 3:
        return _identified(text)[0]
    told = english()
    written = _words_outside_names(text, vocabulary)
    words = [word for word, _ in written]
    marked = [word for word, accented in written if accented and not vocabulary.is_spelt_out(word)]
    foreign = sum(word in told.foreign for word in words) + len(marked)
    unknown = sum(_is_unknown(word, vocabulary) for word in words if word not in marked)
    slips, unreadable = _slips(words, vocabulary)
    if unreadable >= _MOST_WORDS and unreadable + slips >= _STRANGE * len(words):
        code, probability = _identified(text)
        return code if code != "en" and probability > _SURE else UNKNOWN
    native = sum(_is_english(word, vocabulary) for word in words if word not in marked)
    if len(words) < 2 or native > foreign + unknown:
        return ""
    if not (unknown or marked) and told.foreign & {*words} <= {*told.negation.before}:
        return ""  # "vodka sans cranberry"
    if len(told.foreign & {*words}) == 1 and not (unknown or marked):
        rest = [word for word in words if not vocabulary.is_spelt_out(word)]
        if _are_all_everyday(rest):
            return ""  # "port, for Christmas", "gin for me, rum for her"
    if foreign > 1 or (foreign and (unknown or len(words) < 4)):
        return "" if (code := _identified(text)[0]) == "en" else code
    if unknown > 2 and unknown >= _STRANGE * len(words):
        code, probability = _identified(text)
        if code != "en" and probability > _SURE:
            return code
        return UNKNOWN if unknown >= _MOST_WORDS and unknown >= _NEARLY_ALL * len(words) else ""
    return ""


def _are_all_everyday(words: Sequence[str]) -> bool:
    """Whether all words are everyday ones of English, whatever else they are elsewhere."""
    return all(is_everyday(word) for word in words)


def language_name(code: str) -> str:
    """The English name of a language."""
    return "another language" if code == UNKNOWN else LANGUAGES.get(code, code)


def _words_outside_names(text: str, vocabulary: Vocabulary) -> list[tuple[str, bool]]:
    """The words that are part of no name of several words, and whether each bears an accent."""
    reading = vocabulary.read(text)
    inside: set[int] = set()
    for place in range(len(reading.roots)):
        last, named = vocabulary.partial.meant_by(reading.roots, place, len(reading.roots))
        inside.update(range(place, last) if named else ())  # "Le Carré"
    for table in (vocabulary.names, vocabulary.items):
        for place in range(len(reading.roots)):
            match = table.longest_at(reading.roots, place)
            if match is not None and match.last - match.first > 1:
                inside.update(
                    one
                    for one in range(match.first, match.last)
                    if not vocabulary.is_plain(reading.words[one])
                )
    return [
        (token.word, not text[token.start : token.end].replace("’", "").isascii())
        for place, token in enumerate(reading.tokens)
        if token.word.isalpha() and place not in inside
    ]


def _is_unknown(word: str, vocabulary: Vocabulary) -> bool:
    """Whether a word is neither English nor a name, with or without a slip."""
    told = english()
    if word in told.foreign or word in told.slang or word in english_words():
        return False
    known = (word, vocabulary.mended(word))
    return not any(vocabulary.is_plain(one) or vocabulary.is_spelt_out(one) for one in known)


def _slips(words: Sequence[str], vocabulary: Vocabulary) -> tuple[int, int]:
    """Count what reads as a slip, as foreign words often do, and what reads as nothing."""
    strange = [word for word in words if not _is_readable(word, vocabulary)]
    slips = sum(vocabulary.mended(word) != singular(word) for word in strange)
    return slips, len(strange) - slips


def _is_readable(word: str, vocabulary: Vocabulary) -> bool:
    told = english()
    known = word in told.foreign or word in told.slang or word in english_words()
    return known or vocabulary.is_plain(word) or vocabulary.is_spelt_out(word)


def _is_english(word: str, vocabulary: Vocabulary) -> bool:
    """Whether a word is an everyday one of English, perhaps with a slip ("kdis", "frm")."""
    if word in english().foreign:
        return False
    mended = vocabulary.mended(word)
    slip = mended != singular(word) and is_everyday(mended)
    return slip or vocabulary.is_plain(word) or vocabulary.is_plain(mended)


def _letters_of_other_scripts(text: str, vocabulary: Vocabulary) -> int:
    """Count the letters of other scripts outside words of the catalogue's names."""
    strange = (one for one in tokens(text) if not vocabulary.is_spelt_out(one.word))
    letters = (letter for one in strange for letter in text[one.start : one.end])
    return sum(
        letter.isalpha() and "LATIN" not in unicodedata.name(letter, "LATIN") for letter in letters
    )


def _identified(text: str) -> tuple[str, float]:
    code, probability = _identifier().classify(text)
    return str(code), float(probability)


@lru_cache
def _identifier() -> Any:
    """The language model of py3langid (4.6 MB), read in 0.8 s for the first foreign question."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(list(LANGUAGES))
    return identifier

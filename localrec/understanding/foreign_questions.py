"""Recognises questions in languages that nobody here reads, so that they are told apart.

A question whose words are English or names is not looked at any further. Function words of other
languages, or many strange words, make it suspicious; then a small model that is kept with its
library tells the language, offline.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

from localrec.foundation.text_matching import tokens
from localrec.understanding.language_words import english
from localrec.understanding.spelling import english_words
from localrec.understanding.vocabulary import Vocabulary

# Languages that are told apart; a small set is told apart better than all there are.
LANGUAGES = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish",
    "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fi": "Finnish",
    "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian",
    "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "nl": "Dutch",
    "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian",
    "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
_STRANGE = 0.6  # share of words that nobody knows from which a question is suspicious
_SURE = 0.9  # probability from which strange words alone show a language


def foreign_language(text: str, vocabulary: Vocabulary) -> str:
    """The code of a question's language where it is not English, else ""."""
    if _letters_of_other_scripts(text) > 3:
        return _identified(text)[0]
    words = [token.word for token in tokens(text) if token.word.isalpha()]
    told = english()
    foreign = sum(word in told.foreign for word in words)
    unknown = sum(
        1
        for word in words
        if word not in told.foreign
        and word not in told.slang
        and not vocabulary.is_plain(word)
        and not vocabulary.is_spelt_out(word)
        and word not in english_words()
    )
    native = sum(vocabulary.is_plain(word) and word not in told.foreign for word in words)
    if len(words) < 2 or native > foreign + unknown:
        return ""
    if foreign > 1 or (foreign and (unknown or len(words) < 4)):
        return "" if (code := _identified(text)[0]) == "en" else code
    if unknown > 2 and unknown >= _STRANGE * len(words):
        code, probability = _identified(text)
        return code if code != "en" and probability > _SURE else ""
    return ""


def language_name(code: str) -> str:
    """The English name of a language."""
    return LANGUAGES.get(code, code)


def _letters_of_other_scripts(text: str) -> int:
    letters = (letter for letter in text if letter.isalpha())
    return sum("LATIN" not in unicodedata.name(letter, "LATIN") for letter in letters)


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

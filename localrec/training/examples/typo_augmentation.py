"""Add typos as users make them: lower case, lost marks, wrong keys, spelling by ear."""

from __future__ import annotations

import random
import re

_NEIGHBOURS = {
    "a": "qs", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj",
    "i": "uo", "j": "hk", "k": "jl", "l": "ko", "m": "nj", "n": "bm", "o": "ip", "p": "ol",
    "q": "wa", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc",
    "y": "tu", "z": "xs",
}  # fmt: skip
_SLIP = 0.2  # of the questions
_BY_EAR = 0.12  # of the questions, and there of half their words
_SMALL = 0.45
_BARE = 0.5
_SHORTEST = 5  # letters of a word that still can be read with one of them wrong
# How a word is put down by somebody who knows its sound alone.
_HEARD = (
    (r"ck", "k"), (r"c(?=[aou])", "k"), (r"ph", "f"), (r"qu", "kw"), (r"ee", "ea"),
    (r"ea", "ee"), (r"ie", "ei"), (r"ight", "ite"), (r"oo", "u"), (r"ou", "u"),
    (r"(?<=.)e$", ""), (r"([bdfglmnprst])\1", r"\1"), (r"y$", "ie"), (r"ice$", "ise"),
    (r"z", "s"), (r"x", "ks"), (r"er$", "a"), (r"(?<=[aeiou])([lmnprt])(?=[aeiou])", r"\1\1"),
    (r"ei", "ie"), (r"k(?=[aou])", "c"), (r"wh", "w"), (r"th", "f"), (r"ll", "l"), (r"i(?=.)", "e"),
)  # fmt: skip


def add_typos(random_: random.Random, text: str) -> str:
    """Write a question with typos that keep its meaning."""
    text = text[:1].upper() + text[1:]
    if random_.random() < _SMALL:
        text = text.lower()
    if random_.random() < _BARE:
        text = text.rstrip(".?!")
    if random_.random() < _BY_EAR:
        text = " ".join(
            _by_ear(random_, word) if random_.random() < 0.5 else word for word in text.split(" ")
        )
    elif random_.random() < _SLIP:
        for _ in range(random_.choice((1, 1, 2))):
            text = _slip(random_, text)
    return text


def _slip(random_: random.Random, text: str) -> str:
    """Change one word: swap, drop or double a letter, or hit the key beside one."""
    words = text.split(" ")
    long = [at for at, word in enumerate(words) if len(word) >= _SHORTEST and word.isalpha()]
    if not long:
        return text
    at = random_.choice(long)
    word = words[at]
    place = random_.randrange(1, len(word) - 1)
    here, behind = word[place], word[place + 1 :]
    changed = {
        "swap": behind[:1] + here + behind[1:],
        "lose": behind,
        "twice": here * 2 + behind,
        "beside": random_.choice(_NEIGHBOURS.get(here.lower(), here)) + behind,
    }
    words[at] = word[:place] + changed[random_.choice(sorted(changed))]
    return " ".join(words)


def _by_ear(random_: random.Random, word: str) -> str:
    """Spell one sound of a word another way, where it has one."""
    if len(word) < _SHORTEST or not word.isalpha():
        return word
    fitting = [(sound, put) for sound, put in _HEARD if re.search(sound, word)]
    if not fitting:
        return word
    sound, put = random_.choice(fitting)
    return re.sub(sound, put, word, count=1)

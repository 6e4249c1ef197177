"""How people really type: small letters, lost marks, and slips of the finger."""

from __future__ import annotations

import random

_NEIGHBOURS = {
    "a": "qs", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj",
    "i": "uo", "j": "hk", "k": "jl", "l": "ko", "m": "nj", "n": "bm", "o": "ip", "p": "ol",
    "q": "wa", "r": "et", "s": "ad", "t": "ry", "u": "yi", "v": "cb", "w": "qe", "x": "zc",
    "y": "tu", "z": "xs",
}  # fmt: skip
_SLIP = 0.2  # of the questions
_SMALL = 0.45
_BARE = 0.5
_SHORTEST = 5  # letters of a word that still can be read with one of them wrong


def as_typed(random_: random.Random, text: str) -> str:
    """A well-written question as somebody would type it; it means the same."""
    text = text[:1].upper() + text[1:]
    if random_.random() < _SMALL:
        text = text.lower()
    if random_.random() < _BARE:
        text = text.rstrip(".?!")
    if random_.random() < _SLIP:
        for _ in range(random_.choice((1, 1, 2))):
            text = _slip(random_, text)
    return text


def _slip(random_: random.Random, text: str) -> str:
    """One word with two letters swapped, one lost, one twice, or one key beside it."""
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

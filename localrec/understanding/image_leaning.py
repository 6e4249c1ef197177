"""How the words of a question lean on the picture beside them.

The words must point at the picture before it changes anything: "like this" takes it as the example,
"that colour" asks for its look, "in this glass" for its container, "with these ingredients" for
what is in it, "what is this?" for its name. Words that do not point leave the picture beside them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from localrec.data.domains import AttributeRole, Domain
from localrec.data.query import Query
from localrec.foundation.text_matching import tokens
from localrec.understanding.language_words import english

ImageRole = Literal["name", "example", "look", "container", "component", "beside"]

_WORDS = english().picture
_PARTS = {name: getattr(_WORDS, name) for name in ("it", "this", "noun", "seen")}  # outer first


def _pattern(*told: str, kind: str = "") -> str:
    """One pattern of several, with its parts in their places."""
    pattern = "|".join(told)
    for name, part in {"kind": kind, **_PARTS}.items():
        pattern = pattern.replace(f"<{name}>", part)
    return pattern


_NAMING = re.compile(_pattern(*_WORDS.naming))
_LOOK = re.compile(_pattern(*_WORDS.looks))
_EXAMPLE = re.compile(_pattern(*_WORDS.example))
_HELD_LIKE = re.compile(_pattern(*_WORDS.held_like))
_NAMED = re.compile(_pattern(_WORDS.this, _WORDS.noun))


def image_leaning(text: str, intent: Query, domain: Domain) -> ImageRole:
    """Decide the role of the image for the text; a named example stays the example."""
    words = _words(text)
    if _of_its_parts(domain).search(words):
        return "component"
    if intent.target is None and _NAMING.search(words):
        return "name"
    if _LOOK.search(words):
        return "look"
    for role in ("container", "component"):
        if _pointing_at(domain, role).search(words):
            return role
    if intent.of_kind(domain.kind_of("container")) and _HELD_LIKE.search(words):
        return "container"  # "in a highball like this"
    if intent.anchor is None and (not words or _EXAMPLE.search(words)):
        seen = english().look - _WORDS.only_pictures
        return "look" if seen & {*words.split()} else "example"  # "as elegant as this"
    return "beside"


def only_names_the_picture(text: str) -> bool:
    """Whether the words for a look in a text name its picture and nothing else."""
    said = english().look & {*_words(text).split()}
    return bool(said) and said <= _WORDS.only_pictures


def names_the_picture(anchor: str) -> bool:
    """Whether what was typed as an example is the picture: "similar to this image"."""
    return _NAMED.fullmatch(_words(anchor)) is not None


def _words(text: str) -> str:
    return " ".join(token.word for token in tokens(text))


@lru_cache(maxsize=16)
def _pointing_at(domain: Domain, role: AttributeRole) -> re.Pattern[str]:
    """The words that point at a container or component of the picture; they match nothing without.

    "In this glass", "a glass like this", "the flute in the photo"; also "with these ingredients".
    """
    kind = domain.kind_of(role)
    if kind is None:
        return re.compile(r"(?!)")
    nouns = {*domain.attributes[kind].words, kind}
    if role == "container":
        nouns |= {name.split()[-1] for name in domain.taxonomy.get(kind, {})}
    noun = f"(?:{'|'.join(sorted(map(re.escape, nouns)))})(?:s|es)?"
    return re.compile(_pattern(*_WORDS.of_kind, kind=noun))


@lru_cache(maxsize=16)
def _of_its_parts(domain: Domain) -> re.Pattern[str]:
    """The words that ask for what else is made of the picture's components.

    "What else can I make from those ingredients", "together with the ones in this drink".
    """
    kind = domain.kind_of("component")
    if kind is None:
        return re.compile(r"(?!)")
    nouns = "|".join(sorted(map(re.escape, {*domain.attributes[kind].words, kind})))
    return re.compile(_pattern(*_WORDS.of_its_parts, kind=f"(?:{nouns})s?"))

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

_PICTURE = "(?:picture|photo|image|pic|photograph)"
_SHOWN = rf"(?:(?:in|on|from) (?:the|this|that|my) {_PICTURE}|pictured|shown|here)"
_ONE = rf"(?:one|drink|cocktail)(?: {_SHOWN})?"
_THIS = rf"(?:this|that|these|those|(?:the|this|that|my) (?:{_ONE}|{_PICTURE}))"
_IT = rf"(?:it|{_THIS})"
_NAMING = re.compile(
    rf"(?:what|which)(?: \w+){{0,2}}? (?:is|are|s|was|could|might|may|can) {_IT}(?! like| similar)"
    rf"|whats {_IT}(?! like| similar)"
    rf"|(?:name|identify|recogni[sz]e|know) {_IT}"
    r"|what (?:is|s|do you see)(?: shown)? (?:in|on) (?:this|the|my)"
    r"|whats (?:in|on) (?:this|the|my)|what am i (?:looking|drinking|holding|having)"
    r"|(?:its|it s|the) name\b"
)
_SEEN = r"(?:look|colou?r|shade|hue|tone|appearance|layer)s?"
_LOOK = re.compile(
    rf"(?:same|similar) (?:\w+ )?(?:{_SEEN}|style)"
    rf"|look(?:s|ing)? (?:just )?(?:the same|similar|alike|(?:like|as)(?: \w+ as)? {_IT})"
    rf"|(?:similar|like|this|that|these|those) (?:kind of |sort of )?{_SEEN}"
    rf"|{_SEEN} (?:like|as|of|similar to|close to|from|in|on)(?: in| on)? {_IT}"
    rf"|match(?:es|ing)? {_IT}"
    rf"|\bas \w+(?: and \w+)? as {_IT}"
)
_EXAMPLE = re.compile(
    rf"(?:like|as|than|instead of|without) {_IT}|^{_THIS}\b"
    r"|(?:close|closest|comparable|akin|equivalent|related|next|cousin|sibling)(?: \w+){0,4}"
    rf" (?:to|of) {_IT}"
    rf"|fav(?:ou?rite)?(?: \w+){{0,2}} is {_IT}"
    rf"|(?:style|vein|spirit|manner|lines|reminds? me|more) of {_IT}"
    rf"|(?:version|variation|variant|twist|take|spin|riff)s? (?:of|on) {_IT}"
    rf"|(?:replace|substitute)s? (?:for )?{_IT}"
    rf"|(?:love|adore|enjoy|like|had|tried)[ds]? (?:the \w+ (?:in|on|from) )?{_THIS}"
    rf"|of {_THIS} (?:kind|sort|type|style)|{_THIS} (?:but|with|without|only|just)"
    r"|(?:^|the )same (?:one|thing|kind|\w+)|similar|alternatives?"
)
_HELD_LIKE = re.compile(
    rf"\b(?:in|is there)(?: (?:a|an|the|my))?(?: \w+){{1,4}} (?:like|as)(?: (?:in|on|from))? {_IT}"
)
_ABOUT_PICTURES = frozenset({"picture", "photo", "instagram", "instagrammable"})


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
        seen = english().look - _ABOUT_PICTURES
        return "look" if seen & {*words.split()} else "example"  # "as elegant as this"
    return "beside"


def only_names_the_picture(text: str) -> bool:
    """Whether the words for a look in a text name its picture and nothing else."""
    said = english().look & {*_words(text).split()}
    return bool(said) and said <= _ABOUT_PICTURES


def names_the_picture(anchor: str) -> bool:
    """Whether what was typed as an example is the picture: "similar to this image"."""
    return re.fullmatch(rf"(?:{_THIS}|{_PICTURE})", _words(anchor)) is not None


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
    kinds = "(?:(?:kind|sort|type|style|shape) of )?"
    before = "this|that|these|those|same|similar|such|such an?"
    return re.compile(
        rf"(?:{before}) {kinds}(?:\w+ )?{noun}\b"
        rf"|{noun} (?:like|as|of|from|shown|pictured|seen|in|on)(?: in| on)? {_IT}\b(?! \w*look)"
        rf"|shaped? (?:like|as|of) {_IT}"
        rf"|{noun} (?:that )?(?:you (?:can )?see|i have|shown|pictured)(?: here)?\b"
    )


@lru_cache(maxsize=16)
def _of_its_parts(domain: Domain) -> re.Pattern[str]:
    """The words that ask for what else is made of the picture's components.

    "What else can I make from those ingredients", "together with the ones in this drink".
    """
    kind = domain.kind_of("component")
    if kind is None:
        return re.compile(r"(?!)")
    nouns = "|".join(sorted(map(re.escape, {*domain.attributes[kind].words, kind})))
    parts = rf"(?:those|these|them|the same|(?:those|these|the same) (?:{nouns})s?)"
    return re.compile(
        rf"\b(?:else|other|more)\b.*\b(?:with|from|of|use|uses|using|have|has) {parts}"
        rf"|\b(?:{nouns})s?\b.*\b(?:the ones|those|what is|whats) (?:in|inside) {_IT}"
        rf"|\b(?:{nouns}|stuff|things|bottles|spirits|fruit)s? (?:in|on|from|of) {_IT}"
        rf"|\bsame (?:{nouns})s?\b"
    )

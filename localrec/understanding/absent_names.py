"""Countries and languages that no item of a catalogue has, where others have such.

Who asks for a wine from Japan is told that there is none, rather than given whatever says "Japan".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Protocol

from localrec.data.domains import Domain
from localrec.foundation.text_matching import PhraseTable
from localrec.understanding.language_words import english
from localrec.understanding.meanings import Meaning

_SOME = 3  # countries or languages that make a kind one of places or of languages
_WORDS = english().absent_names
_SAME = tuple(tuple(group.split(", ")) for group in _WORDS.same)


class _Attribute(Protocol):
    @property
    def kind(self) -> str: ...

    @property
    def key(self) -> str: ...


def absent_places(
    attributes: Iterable[_Attribute], domain: Domain, names: PhraseTable[Meaning]
) -> Iterator[tuple[str, Meaning]]:
    """Names of places and languages with the meaning that they would have if an item had it.

    Args:
        attributes: The attributes of the items of a catalogue.
        domain: Its domain, which says what the kinds are for.
        names: Names that were found already; they are left out.
    """
    told = english().demonyms
    used: dict[tuple[bool, str], set[str]] = {}
    for one in attributes:
        if one.key in told:
            used.setdefault((_is_code(one.key), one.kind), set()).add(one.key)
    kind_of = {of_code: kind for (of_code, kind), keys in used.items() if len(keys) >= _SOME}
    present = {key for keys in used.values() for key in keys}
    for key, adjectives in told.items():
        is_code = _is_code(key)
        if key in present or is_code not in kind_of:
            continue
        if (had := _had_as(key, used)) is not None:
            kind, name = had
            if key not in _WORDS.not_alone and not names.get(key):  # "for us"
                yield key, Meaning(domain.attributes[kind].role, kind, name)
            continue
        kind = kind_of[is_code]
        role = domain.attributes[kind].role
        for name in (*(() if is_code else (key,)), *adjectives):
            if name not in _WORDS.said_otherwise and not names.get(name):
                yield name, Meaning(role, kind, name if is_code else key)


def _had_as(key: str, used: Mapping[tuple[bool, str], AbstractSet[str]]) -> tuple[str, str] | None:
    """The kind and the key under which a catalogue has a country by another of its names."""
    for group in _SAME:
        if key in group:
            for (_, kind), keys in used.items():
                for other in group:
                    if other in keys:
                        return kind, other
    return None


def _is_code(key: str) -> bool:
    """Whether a key is the code of a language ("spa")."""
    return len(key) < 4 and key not in _WORDS.country_codes

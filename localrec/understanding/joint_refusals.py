"""Refusals of what was named before: "pineapple bores us and coconut is sunscreen, so neither"."""

from __future__ import annotations

from collections.abc import Sequence

from localrec.understanding.vocabulary import Reading

_OF_THEM = frozenset({"those", "these", "them", "the", "which", "em", "either"})
_CLOSING = frozenset({"please", "thanks", "ta", "thank", "then", "for", "today", "tonight", "will"})

_EXCEPTING = frozenset("except excepting not bar but without minus skip besides no".split())
_SENTENCES = 3  # in which the two are looked for
_APPROVING = frozenset("ok okay fine allowed alright welcome good works instead".split())


def bar_both(reading: Reading, owner: Sequence[int], barred: list[bool]) -> None:
    """Bar the last two names before "neither" with nothing named behind it, or "except those two".

    They are looked for in its own sentence and then in those before, whichever names two.

    Args:
        reading: The question.
        owner: For each token the number of the mention it belongs to, -1 for none; numbers from
            `len(owner)` on are words that name nothing.
        barred: For each token whether it is refused; changed in place.
    """
    for place in range(len(reading.words)):
        if owner[place] < 0 and (
            _is_neither(reading, owner, place) or _is_those_two(reading, place)
        ):
            for mention in _last_two(reading, owner, place):
                for token, one in enumerate(owner):
                    barred[token] = barred[token] or one == mention


def bar_named_again(reading: Reading, owner: Sequence[int], barred: list[bool]) -> None:
    """Bar a name of a later sentence that holds a refused one: "no egg. Raw egg worries her"."""
    firsts = [
        place
        for place, one in enumerate(owner)
        if 0 <= one < len(owner) and owner.index(one) == place
    ]
    for first in firsts:
        roots = {reading.roots[place] for place, one in enumerate(owner) if one == owner[first]}
        refused_before = any(
            barred[other]
            and reading.roots[other] in roots
            and "." in reading.gaps[other + 1 : first + 1]
            for other in firsts
            if other < first and owner.count(owner[other]) == 1
        )
        behind = first + owner.count(owner[first])
        approved = _APPROVING & {*reading.words[behind : behind + 3]}
        if refused_before and len(roots) > 1 and not approved:
            for place, one in enumerate(owner):
                barred[place] = barred[place] or one == owner[first]


def _is_neither(reading: Reading, owner: Sequence[int], place: int) -> bool:
    """Whether a "neither" points back: nothing behind it in its clause is named."""
    if reading.words[place] != "neither":
        return False
    behind = place + 1
    if behind >= len(owner) or reading.gaps[behind]:
        return True
    if reading.words[behind] == "of" and reading.words[behind + 1 : behind + 2]:
        return reading.words[behind + 1] in _OF_THEM
    return reading.words[behind] in _CLOSING


def _is_those_two(reading: Reading, place: int) -> bool:
    """ "anything by him except those two"."""
    before = reading.words[max(0, place - 4) : place]
    return (
        reading.words[place] in ("two", "both", "2")
        and before[-1:] != ()
        and before[-1] in ("those", "these", "them")
        and bool(_EXCEPTING & {*before[:-1]})
    )


def _last_two(reading: Reading, owner: Sequence[int], place: int) -> tuple[int, ...]:
    for _ in range(_SENTENCES):
        begin = max(0, place - 1)
        while begin > 0 and reading.gaps[begin] != ".":
            begin -= 1
        told = (one for one in owner[begin:place] if 0 <= one < len(owner))
        named = tuple(dict.fromkeys(told))
        if len(named) > 1:
            return named[-2:]
        place = begin
    return ()

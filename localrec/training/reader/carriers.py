"""Carriers: questions with slots for names, from which training questions are composed.

A carrier is a line of JSON, `{"carrier": "No {barred:component}, please.", "domains": ["drinks"]}`.
A slot is `{role:type}`: what the name is there for, and from which list it is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from localrec.foundation.errors import InputError
from localrec.training.examples import question_templates
from localrec.understanding.language_words import english
from localrec.understanding.question_roles import ROLES, Role

_SLOT = re.compile(r"{(\w+)(?::(\w+))?}")
_BOUNDS = ("at_most", "at_least", "about")
_NAMED = ("component", "category", "creator", "look", "item", "series", "place", "decade")
_BOUNDED = (
    "under {at_most:price}", "{at_most:price} tops", "from {at_least:year} on",
    "before {at_most:year}",
    "for {about:players}", "{at_least:rating} or better", "not over {at_most:minutes} minutes",
    "no more than {at_most:pages} pages", "less than {at_most:price} dollars",
    "not before {at_least:year}",
)  # fmt: skip


class CarrierSlot(msgspec.Struct, frozen=True):
    """A place for a name of a type, and what the name is there for."""

    role: Role
    type: str


class Carrier(msgspec.Struct, frozen=True):
    """A question with slots; `domains` is empty where it fits all."""

    parts: tuple[str | CarrierSlot, ...]
    domains: tuple[str, ...] = ()

    @property
    def slots(self) -> tuple[CarrierSlot, ...]:
        """The slots, left to right."""
        return tuple(part for part in self.parts if isinstance(part, CarrierSlot))

    @property
    def text(self) -> str:
        """The words between the slots."""
        return " ".join(part for part in self.parts if isinstance(part, str))


class _Line(msgspec.Struct, frozen=True):
    carrier: str
    domains: tuple[str, ...] = ()


def read_carriers(paths: Iterable[Path]) -> list[Carrier]:
    """Read files of carriers.

    Raises:
        InputError: a file cannot be read, or a line is no carrier.
    """
    found: list[Carrier] = []
    for path in paths:
        try:
            lines = path.read_bytes().splitlines()
        except OSError as error:
            raise InputError(f"{path} cannot be read.", "Give files of carriers.") from error
        for number, line in enumerate(lines, 1):
            try:
                told = msgspec.json.decode(line, type=_Line)
                found.append(parse_carrier(told.carrier, told.domains))
            except (msgspec.MsgspecError, ValueError) as error:
                raise InputError(f"{path}, line {number}: {error}.", "Mend it.") from error
    return found


def parse_carrier(text: str, domains: tuple[str, ...] = ()) -> Carrier:
    """Cut a carrier into its words and slots.

    Raises:
        ValueError: a slot has a role that nobody knows.
    """
    parts: list[str | CarrierSlot] = []
    end = 0
    for match in _SLOT.finditer(text):
        role = "bound" if match[1] in _BOUNDS else match[1]
        if role not in ROLES:
            raise ValueError(f"the role {role!r} is none of {', '.join(ROLES)}")
        parts += [text[end : match.start()], CarrierSlot(role, match[2] or "component")]
        end = match.end()
    return Carrier(tuple(part for part in (*parts, text[end:]) if part), domains)


def plain_clauses() -> dict[Role, tuple[Carrier, ...]]:
    """Plain ways to tell one thing, by what its name is there for: our own, and the rules' phrases.

    What the rules hear beside a name, the network shall hear too.
    """
    told, cues = question_templates, english()
    wished = (told.INCLUDE, told.GENRE, told.LOOK, told.CREATOR, told.PERIOD)
    wanted = {one for wordings in wished for way in ("behind", "alone") for one in wordings[way]}
    refused = {*told.EXCLUDE["behind"], *told.EXCLUDE["alone"], *told.LOOSE["exclude"]}
    refused |= {f"{cue} {{x}}" for cue in (*cues.negation.before, *cues.negation.before_thing)}
    refused |= {f"I {cue} {{x}}" for cue in cues.negation.verbs}
    refused |= {f"{{x}} {cue}" for cue in cues.negation.behind}
    liked = {*told.LIKE, *told.LOOSE["like"], *(f"{cue} {{x}}" for cue in cues.example.before)}
    have = {one.replace("{xs}", "{x}") for one in told.AT_HAND}
    have |= {
        f"{{x}} {cue}" if cue.split()[0] in cues.mention.backward_have else f"{cue} {{x}}"
        for cue in cues.mention.have
    }
    return {
        "wanted": (*_bare("wanted", 40), *_filled({*wanted, *told.LOOSE["include"]}, "wanted")),
        "barred": _filled(refused, "barred"),
        "example": _filled(liked, "example", ("item",)),
        "at_hand": _filled(have, "at_hand", ("component",)),
        "aside": _filled({f"to {one} {{x}}" for one in cues.mention.beside}, "aside"),
        "bound": tuple(parse_carrier(one) for one in _BOUNDED),
    }


def _bare(role: Role, times: int) -> tuple[Carrier, ...]:
    """Names without a word around them, as often as the wordings are many."""
    return _filled(("{x}",) * times, role)


def _filled(
    wordings: Iterable[str], role: Role, types: tuple[str, ...] = _NAMED
) -> tuple[Carrier, ...]:
    return tuple(
        parse_carrier(wording.replace("{x}", f"{{{role}:{type_}}}").replace("{n}", "one"))
        for wording in sorted(wordings)
        for type_ in types
    )

"""Carriers: questions with slots for names, from which training questions are composed.

A carrier is a line of JSON, `{"carrier": "No {barred:component}, please.", "domains": ["drinks"]}`.
A slot is `{role:type}`: what the name is there for, and from which list it is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from localrec.foundation.errors import InputError
from localrec.training.examples import question_templates
from localrec.understanding.language_words import english
from localrec.understanding.question_roles import ROLES, Role

_SLOT = re.compile(r"{(\w+)(?::(\w+))?}")
_BOUNDS = ("at_most", "at_least", "about")
_PRONOUNS = ("it", "them", "that")
_REFUSED = ("component", "category", "creator", "look", "item", "series")


class Slot(msgspec.Struct, frozen=True):
    """A place for a name of a type, and what the name is there for."""

    role: Role
    type: str


class Carrier(msgspec.Struct, frozen=True):
    """A question with slots; `domains` is empty where it fits all."""

    parts: tuple[str | Slot, ...]
    domains: tuple[str, ...] = ()

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots, left to right."""
        return tuple(part for part in self.parts if isinstance(part, Slot))

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
    parts: list[str | Slot] = []
    end = 0
    for match in _SLOT.finditer(text):
        role = "bound" if match[1] in _BOUNDS else match[1]
        if role not in ROLES:
            raise ValueError(f"the role {role!r} is none of {', '.join(ROLES)}")
        parts += [text[end : match.start()], Slot(role, match[2] or "component")]
        end = match.end()
    return Carrier(tuple(part for part in (*parts, text[end:]) if part), domains)


class Clauses(msgspec.Struct, frozen=True):
    """Plain ways to tell one wish, of our own.

    Args:
        behind: Stand behind a noun ("without egg").
        alone: Sentences and scraps.
        cued: The phrases that the rules listen for, each beside a name.
    """

    behind: tuple[Carrier, ...]
    alone: tuple[Carrier, ...]
    cued: tuple[Carrier, ...]


def plain_clauses() -> Clauses:
    """The wordings that questions for the other adapters are composed of, as carriers."""
    told = question_templates
    pairs = (
        (told.INCLUDE, "wanted", ("component",)), (told.GENRE, "wanted", ("category",)),
        (told.LOOK, "wanted", ("look",)), (told.CREATOR, "wanted", ("creator",)),
        (told.PERIOD, "wanted", ("decade",)), (told.EXCLUDE, "barred", _REFUSED),
    )  # fmt: skip
    behind, alone = [], []
    for wordings, role, types in pairs:
        for type_ in types:
            slot = f"{{{role}:{type_}}}"
            behind += _filled(wordings["behind"], slot)
            alone += _filled(wordings["alone"], slot)
    for role, name, types in (("wanted", "include", ("component", "category", "look")),
                              ("barred", "exclude", _REFUSED)):  # fmt: skip
        for type_ in types:
            alone += _filled(told.LOOSE[name], f"{{{role}:{type_}}}")
    alone += _filled(told.LIKE, "{example:item}")
    alone += _filled(told.LOOSE["like"], "{example:item}")
    alone += _filled((one.replace("{xs}", "{x}") for one in told.AT_HAND), "{at_hand:component}")
    return Clauses(tuple(behind), tuple(alone), tuple(_cued()))


def _cued() -> Iterator[Carrier]:
    """The rules' own phrases beside names: what they hear, the network shall hear too."""
    negation, example, mention = english().negation, english().example, english().mention
    turns = {type_: f"{{barred:{type_}}}" for type_ in _REFUSED}
    for number, cue in enumerate((*negation.before, *negation.before_thing)):
        yield parse_carrier(f"{cue} {turns[_REFUSED[number % len(_REFUSED)]]}")
    for number, cue in enumerate(negation.verbs):
        slot = turns[_REFUSED[number % len(_REFUSED)]]
        yield parse_carrier(f"I {cue} {slot}")
        yield parse_carrier(f"she loves {slot}, I {cue} {_PRONOUNS[number % len(_PRONOUNS)]}")
    for number, cue in enumerate(negation.behind):
        yield parse_carrier(f"{turns[_REFUSED[number % len(_REFUSED)]]} {cue}")
    for cue in example.before:
        yield parse_carrier(f"{cue} {{example:item}}")
    for cue in mention.have:
        yield parse_carrier(
            f"{{at_hand:component}} {cue}"
            if cue.split()[0] in mention.backward_have
            else f"{cue} {{at_hand:component}}"
        )
    for cue in mention.beside:
        yield parse_carrier(f"to {cue} {{aside:component}}")


def _filled(wordings: Iterable[str], slot: str) -> Iterator[Carrier]:
    for wording in wordings:
        yield parse_carrier(wording.replace("{x}", slot).replace("{n}", "one"))

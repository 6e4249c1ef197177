"""Questions with the role of each letter, composed of carriers, names and noise, from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

import msgspec

from localrec.foundation.errors import InputError
from localrec.training.examples.names import Names, read_names
from localrec.training.examples.question_templates import LEADS, NOUNS, REQUESTS, TAILS
from localrec.training.examples.typo_augmentation import add_typos
from localrec.training.reader.carriers import Carrier, CarrierSlot, plain_clauses
from localrec.understanding.question_roles import Role
from localrec.understanding.spelling import english_words

Chosen = TypeVar("Chosen")
_Piece = tuple[str, Role]  # letters, and what they are there for

# Shares of the questions: carriers, a carrier and a plain clause; the others are plain clauses.
_CARRIERS, _BOTH = 0.4, 0.2
_NOUNLESS = 0.5  # of those without a carrier
_ROLES: Mapping[Role, float] = {  # of plain clauses
    "wanted": 0.5, "barred": 0.3, "example": 0.08, "at_hand": 0.04, "aside": 0.02, "bound": 0.06,
}  # fmt: skip
_STRANGE = 0.15  # of the names are any English words, so that the words around count
_PART = 0.1  # of the names of several words lack one
_SEVERAL = 0.22  # of the slots hold a list
_USUAL = 30_000  # the commonest words of English
_TWO = 0.3  # of the questions are two carriers
_LEAD, _TAIL = 0.12, 0.1
_JOINTS = (". ", " ", ", ", " but ", " and ", "; ", " - ", "\n", ", but ", ", and ", "! ", " also ")
_LISTS: Mapping[str, tuple[str, ...]] = {
    "one_of": (" or ", ", ", "/", " or maybe "),
    "barred": (" or ", ", ", " and ", ", and ", " nor ", "/", ", or ", " & "),
}
_ANY_LIST = (" and ", ", ", " & ", " plus ", ", and ")


class TaggedQuestion(msgspec.Struct, frozen=True):
    """A question, and the runs of letters that are there for something: start, end, role."""

    text: str
    spans: tuple[tuple[int, int, Role], ...]


class QuestionComposer:
    """Compose questions over all domains that a carrier fits.

    Args:
        carriers: Carrier questions by several authors.
        seed: Seed of every random choice.
        names: Names to use in place of those for training; the carriers then stay as they are,
            since they are scored without wordings of our own.

    Raises:
        InputError: no carrier fits any domain.
    """

    def __init__(self, carriers: Sequence[Carrier], seed: int, names: Names | None = None) -> None:
        self._random = random.Random(f"roles {seed}")
        self._names = names or read_names()
        self._is_held_out = names is not None
        self._of_domain = {
            domain: found
            for domain in sorted(self._names)
            if (found := [one for one in carriers if self._fits(one, domain)])
        }
        if not self._of_domain:
            raise InputError(
                "None of the carriers fits a domain that has names.",
                "Look at their domains and the types of their slots.",
            )
        self._domains = list(self._of_domain)
        plain = plain_clauses()
        self._plain = {
            domain: {
                role: [one for one in told if self._fits(one, domain)]
                for role, told in plain.items()
            }
            for domain in self._domains
        }

    def compose(self, count: int) -> Iterator[TaggedQuestion]:
        """So many different questions, by turns over the domains that the carriers fit."""
        seen: set[str] = set()
        while len(seen) < count:
            question = self._question(self._domains[len(seen) % len(self._domains)])
            if question.text not in seen:
                seen.add(question.text)
                yield question

    def _fits(self, carrier: Carrier, domain: str) -> bool:
        here = not carrier.domains or domain in carrier.domains
        return here and all(slot.type in self._names[domain] for slot in carrier.slots)

    def _question(self, domain: str) -> TaggedQuestion:
        draw = 0.0 if self._is_held_out else self._random.random()
        if draw < _CARRIERS:
            pieces = self._carrier(domain)
            if self._random.random() < _TWO:
                pieces = self._joined(pieces, self._carrier(domain))
        elif draw < _CARRIERS + _BOTH:
            both = [self._carrier(domain), self._clause(domain)]
            self._random.shuffle(both)
            pieces = self._joined(*both)
        else:
            pieces = self._clauses(domain)
        if self._random.random() < _LEAD:
            pieces = [(self._pick(LEADS) + " ", "other"), *pieces]
        if self._random.random() < _TAIL:
            pieces = [*pieces, (", " + self._pick(TAILS), "other")]
        return _with_noise(self._random, pieces)

    def _carrier(self, domain: str) -> list[_Piece]:
        return self._filled(self._pick(self._of_domain[domain]), domain)

    def _clause(self, domain: str) -> list[_Piece]:
        """A plain clause; what it is for is drawn first, so that wishes outnumber refusals."""
        roles, weights = zip(*_ROLES.items(), strict=True)
        role = self._random.choices(roles, weights)[0]
        return self._filled(self._pick(self._plain[domain][role]), domain)

    def _clauses(self, domain: str) -> list[_Piece]:
        """ "gin, not too sweet, under 20": what is wished for and refused, side by side."""
        names = self._names[domain]
        noun = self._pick(NOUNS).replace("{ns}", self._pick(names["nouns"]))
        pieces: list[_Piece] = [(noun.replace("{n}", self._pick(names["noun"])), "other")]
        if self._random.random() < _NOUNLESS:
            pieces = self._clause(domain)
        for _ in range(self._random.choice((1, 1, 2, 2, 3))):
            joint = self._pick((" ", ", ", ", ", " and ", " but ", ", but ", ". ", " yet "))
            pieces += [(joint, "other"), *self._clause(domain)]
        if self._random.random() < _NOUNLESS:
            return pieces
        before, _, behind = self._pick(REQUESTS).partition("{it}")
        return [(before, "other"), *pieces, (behind, "other")]

    def _joined(self, first: list[_Piece], second: list[_Piece]) -> list[_Piece]:
        joint = self._pick(_JOINTS)
        if not joint.startswith((".", "!", "\n")):
            text, role = first[-1]
            first = [*first[:-1], (text.rstrip(".?! ") or text, role)]
        return [*first, (joint, "other"), *second]

    def _filled(self, carrier: Carrier, domain: str) -> list[_Piece]:
        told: dict[tuple[str, str], str] = {}
        pieces: list[_Piece] = []
        for part in carrier.parts:
            if isinstance(part, str):
                pieces.append((part, "other"))
                continue
            again = told.get((part.role, part.type))
            if again and part.role == "example" and self._random.random() < 0.5:
                pieces.append((again, part.role))
            else:
                name = self._name(part, domain)
                told[part.role, part.type] = name
                pieces.append((name, part.role))
                pieces += self._more_of(part, domain)
        return pieces

    def _more_of(self, slot: CarrierSlot, domain: str) -> Iterator[_Piece]:
        """The rest of a list, where the slot holds one."""
        if slot.role in ("bound", "known", "example") or self._random.random() > _SEVERAL:
            return
        joints = _LISTS.get(slot.role, _ANY_LIST)
        last = self._pick(joints)
        extra = self._random.choice((1, 1, 2))
        for number in range(extra):
            yield (last if number == extra - 1 else ", ", "other")
            yield (self._name(slot, domain), slot.role)

    def _name(self, slot: CarrierSlot, domain: str) -> str:
        strange = 0.0 if self._is_held_out else _STRANGE
        if slot.role != "bound" and self._random.random() < strange:
            words = [self._pick(self._english) for _ in range(self._random.choice((1, 1, 2)))]
            name = " ".join(words)
            return name.title() if self._random.random() < 0.3 else name
        name = self._pick(self._names[domain][slot.type])
        words = name.split(" ")
        if len(words) > 1 and not self._is_held_out and self._random.random() < _PART:
            words.pop(self._random.randrange(len(words)))
        return " ".join(words)

    @cached_property
    def _english(self) -> tuple[str, ...]:
        return english_words().usual(_USUAL)

    def _pick(self, choices: Sequence[Chosen]) -> Chosen:
        return self._random.choice(choices)


def _with_noise(random_: random.Random, pieces: Sequence[_Piece]) -> TaggedQuestion:
    """Write the pieces as people type; a word that changes keeps what it is there for."""
    text = "".join(piece for piece, _ in pieces)
    roles: list[Role] = [role for piece, role in pieces for _ in piece]
    typed = add_typos(random_, text)
    before, after = text.split(" "), typed.split(" ")
    told: list[Role] = []
    place = 0
    for old, new in zip(before, after, strict=True):
        mine = roles[place : place + len(old)]
        if len(old) != len(new):
            named = [role for role in mine if role != "other"]
            mine = [named[0] if named else "other"] * len(new)
        told += [*mine, "other"]
        place += len(old) + 1
    for at in range(1, len(typed) - 1):
        if typed[at] == " " and told[at - 1] == told[at + 1]:
            told[at] = told[at - 1]  # a name of several words is one
    return TaggedQuestion(typed, tuple(_runs(told, typed)))


def _runs(roles: Sequence[Role], text: str) -> Iterator[tuple[int, int, Role]]:
    start = 0
    for place in range(1, len(text) + 1):
        if place == len(text) or roles[place] != roles[start]:
            if roles[start] != "other":
                yield start, place, roles[start]
            start = place

"""Read a question by a model that fills slots with names, which the catalogue then looks up.

The model is told which slots the question's names could fill, and answers with the names and the
slots that they do fill, in the order of the question and under a grammar that knows the slots but
no name:

    asked     like a daiquiri, rum or cachaca, no egg
              daiquiri: like; rum: with; cachaca: with; egg: with
    answered  daiquiri: like; rum / cachaca: either; egg: without

What a name means is looked up in the vocabulary, typos mended, as for any question; a name that is
nothing there is noted as unknown and demands nothing. The deterministic counterpart is
`query_parser.py`; its rules read ranges of numbers and comparatives here as well. It is for a model
with an adapter for this role: a bare one has not seen the form, examples of it would not fit into a
short prompt, and it gets the role only where it won it (`models bench --adopt`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from localrec.data.chat_message import Message
from localrec.data.query import Constraint, Query
from localrec.foundation.errors import ModelError
from localrec.foundation.text_matching import tokens
from localrec.understanding.known_names import describe_known_names, known_names
from localrec.understanding.meanings import Meaning
from localrec.understanding.number_ranges import parse_ranges
from localrec.understanding.superlatives import direction_of
from localrec.understanding.vocabulary import Vocabulary

if TYPE_CHECKING:
    from localrec.llm.chat_model import ChatModel

# Slot -> the role its names have in a catalogue; None for an item, "" for any role.
SLOTS: Mapping[str, str | None] = {
    "with": "component",
    "either": "component",
    "without": "",
    "vessel": "container",
    "colour": "colour",
    "look": "look",
    "kind": "category",
    "garnish": "garnish",
    "by": "creator",
    "must": "flag",
    "like": None,
}
EMPTY_SLOTS = "nothing"
# What a name can be -> the slot it fills where it is wanted. A comparative fills none.
_FILLS: Mapping[str, str] = {
    **{
        role: slot for slot, role in reversed(list(SLOTS.items())) if role
    },  # "with" before "either"
    "diet": "must",
    "item": "like",
}

_EITHER = " / "
_BETWEEN = "; "
_LONGEST_QUESTION = 600
_LONGEST_NAME = 48  # letters
_MOST_NAMES = 6  # of one slot
_MOST_SLOTS = 12
MOST_TOKENS = 96  # of an answer
_NAME = f"[a-z0-9] [a-z0-9 .%]{{0,{_LONGEST_NAME - 1}}}"


class Slot(msgspec.Struct, frozen=True):
    """A slot and the name that fills it, or several of which any will do."""

    name: str
    values: tuple[str, ...]


def slot_prompt(question: str, vocabulary: Vocabulary) -> tuple[Message, ...]:
    """Return the prompt: the question, and the slots that its names can fill."""
    asked = question[:_LONGEST_QUESTION]
    names = describe_known_names(
        known_names(asked, vocabulary), lambda sense: _FILLS.get(sense, "")
    )
    return (
        Message("system", f"List what is asked of a {vocabulary.domain.singular}."),
        Message("user", f"{asked}\n{names}".rstrip()),
    )


def plain_name(text: str) -> str:
    """Return a name as slots hold it: folded words and nothing else."""
    return " ".join(token.word for token in tokens(text))[:_LONGEST_NAME].rstrip()


def write_slots(slots: Sequence[Slot]) -> str:
    """Write slots as the line of an answer."""
    return _BETWEEN.join(f"{_EITHER.join(one.values)}: {one.name}" for one in slots) or EMPTY_SLOTS


def slots_grammar() -> str:
    """Return a grammar of known slots with any plain words as names."""
    slots = " | ".join(f'": {name}"' for name in SLOTS)
    return (
        f'root ::= "{EMPTY_SLOTS}" | slot ("{_BETWEEN}" slot){{0,{_MOST_SLOTS - 1}}}\n'
        f"slot ::= names ({slots})\n"
        f'names ::= name ("{_EITHER}" name){{0,{_MOST_NAMES - 1}}}\n'
        f"name ::= {_NAME}\n"
    )


def parse_slots(text: str) -> tuple[Slot, ...]:
    """Parse the slots of an answer, each once.

    Raises:
        ModelError: a part is no slot, a slot is unknown, or the answer is empty.
    """
    if text.strip() == EMPTY_SLOTS:
        return ()
    return tuple(dict.fromkeys(_parse_slot(part) for part in text.strip().split(_BETWEEN)))


def _parse_slot(part: str) -> Slot:
    told, colon, name = part.rpartition(": ")
    values = tuple(one.strip() for one in told.split(_EITHER))
    if name not in SLOTS or not colon or not all(one and one == plain_name(one) for one in values):
        raise _mismatch(part)
    return Slot(name, values)


def _mismatch(text: str) -> ModelError:
    return ModelError(f"The model wrote {text[:60]!r} where names and their slots were asked for.")


class SlotReader:
    """Read questions with a model that has an adapter for it."""

    def __init__(self, model: ChatModel, vocabulary: Vocabulary) -> None:
        self._model = model
        self._vocabulary = vocabulary
        self._grammar = slots_grammar()
        self.tokens = 0

    def read(self, question: str) -> Query:
        """Read what a question asks for, in the catalogue's keys.

        Raises:
            ModelError: the model failed, did not come to an end, or wrote something else.
        """
        wrote = self._model.generate(
            slot_prompt(question, self._vocabulary),
            grammar=self._grammar,
            max_tokens=MOST_TOKENS,
            fixed=1,
        )
        self.tokens += wrote.usage.prompt + wrote.usage.generated
        if not wrote.finished:
            raise _mismatch(wrote.text)
        return query_from_slots(parse_slots(wrote.text), question, self._vocabulary)


def query_from_slots(slots: Iterable[Slot], question: str, vocabulary: Vocabulary) -> Query:
    """Return the query that slots stand for; names are looked up and typos mended."""
    found = _Found(vocabulary)
    for slot in slots:
        found.take(slot.name, slot.values)
    return Query(
        constraints=tuple(dict.fromkeys(found.constraints)),
        flags=found.flags,
        ranges=() if found.target else parse_ranges(question, vocabulary.domain),
        target=found.target,
        anchor=found.anchor,
        exclude_items=tuple(found.exclude_items),
        order=_orders(question, vocabulary) if found.anchor else {},
        visual=any(slot.name in ("colour", "look") for slot in slots),
        unknown=tuple(dict.fromkeys(found.unknown)),
    )


class _Found:
    """The parts of a query, collected from slots and the names in them."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self.constraints: list[Constraint] = []
        self.flags: dict[str, str] = {}
        self.exclude_items: list[str] = []
        self.unknown: list[str] = []
        self.target: str | None = None
        self.anchor: str | None = None

    def take(self, slot: str, value: Sequence[str]) -> None:
        """One value of a slot: names of which any will do."""
        role, excluded = SLOTS[slot], slot == "without"
        if role is None:
            self._take_example(value[0])
            return
        meanings = [found for name in value if (found := self._meaning(name, role)) is not None]
        plain = [one for one in meanings if one.role not in ("flag", "diet", "order")]
        for meaning in meanings:
            if meaning.role == "flag":
                self._take_flag(meaning, excluded)
            elif meaning.role == "diet":
                self._take_diet(meaning)
        for kind in dict.fromkeys(one.kind for one in plain):
            keys = tuple(dict.fromkeys(one.key for one in plain if one.kind == kind))
            self.constraints.append(Constraint(kind=kind, any_of=keys, excluded=excluded))

    def _meaning(self, name: str, role: str) -> Meaning | None:
        """Look up a name, first in the slot's role and then in any role that items have."""
        reading = self._vocabulary.read(name)
        words = list(reading.roots)
        found = [
            meaning for match in self._vocabulary.names.find(words) for meaning in match.payloads
        ]
        if not found:
            self._take_strange(name, role)
            return None
        return min(found, key=lambda one: self._liking(one, role))

    def _liking(self, meaning: Meaning, role: str) -> tuple[int, bool]:
        """Rank meanings: the slot's role first; alcohol is excluded as a whole, as a flag."""
        wanted = (role,) if role else ("flag", "component")
        place = wanted.index(meaning.role) if meaning.role in wanted else len(wanted)
        return place, not self._vocabulary.is_usable(meaning)

    def _take_strange(self, name: str, role: str) -> None:
        item = self._vocabulary.nearest.item(name) if not role else None
        if item is not None:
            self.exclude_items.append(item)
        else:
            self.unknown.append(name)

    def _take_example(self, name: str) -> None:
        exact = self._vocabulary.items.get(name)
        self.anchor = name
        self.target = exact[0] if exact else self._vocabulary.nearest.item(name)

    def _take_flag(self, meaning: Meaning, excluded: bool) -> None:
        values = list(self._vocabulary.domain.flags[meaning.kind].values)
        others = [value for value in values if value != meaning.key]
        self.flags[meaning.kind] = others[0] if excluded and others else meaning.key

    def _take_diet(self, meaning: Meaning) -> None:
        component = self._vocabulary.domain.kind_of("component") or ""
        self.constraints += [
            Constraint(kind=component, any_of=(name,), excluded=True)
            for name in self._vocabulary.domain.diets[meaning.key]
        ]


def _orders(question: str, vocabulary: Vocabulary) -> dict[str, int]:
    """Comparatives beside an example: "lighter" is less of the strength."""
    words = list(vocabulary.read(question).roots)
    return {
        meaning.kind: direction_of(meaning.key)
        for match in vocabulary.names.find(words)
        for meaning in match.payloads
        if meaning.role == "order"
    }

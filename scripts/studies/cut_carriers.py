"""Cut carriers, questions with slots for names, from labelled questions of many hands.

Run:
    python scripts/studies/run.py cut_carriers --catalogues FOLDER --out carriers.jsonl FILE...

The vocabulary of a catalogue finds the names in a question, and the question's labels say what each
is there for. A name that no label speaks of stays as it was written. A question is left out where a
name of its labels was not found among its words, since a wish or a refusal would be taught as words
that say nothing. `localrec train reader` learns from what this writes.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from asked_catalogues import AskedCatalogue
from asked_judge import AskedQuestion, Label
from asked_questions import read_questions
from findings import Findings, add_folder

from localrec.data.arrays import Mask
from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.paths import make_private
from localrec.graph.catalogue import Catalogue
from localrec.understanding.meanings import Mention
from localrec.understanding.mentions import find_mentions
from localrec.understanding.question_roles import Role
from localrec.understanding.vocabulary import Vocabulary
from localrec.workspace.domain_context import DomainContext

_TYPES: Mapping[str, str] = {  # kind or role -> type of a slot, where they differ
    "colour": "look", "country": "place", "province": "place", "region": "place",
    "variety": "component", "mechanic": "component",
}  # fmt: skip
_SLOTS = frozenset(
    "component category creator look series place decade item garnish container language".split()
)
_ALIKE = 0.8  # of the items that a name means, or of those that a label means, are of the other too
_TOUCHED = 0.3  # of the items that a name means are the label's, where it holds all of those


class CutCarrier(msgspec.Struct, frozen=True):
    """A carrier, and the question that it was cut from."""

    carrier: str
    id: str


class LabelledNames:
    """Tells by the labels of a question what the names in it are there for.

    Args:
        catalogue: The items and attributes.
        rows: The row that each item was made of, in the catalogue's order.
    """

    def __init__(self, catalogue: Catalogue, rows: Sequence[dict[str, object]]) -> None:
        self._catalogue, self._rows = catalogue, rows
        self._of_label: dict[Label, Mask] = {}

    def role_of(self, mention: Mention, asked: AskedQuestion) -> Role:
        """What a name is there for; "other" where no label speaks of it."""
        if mention.item is not None and self._is_named(mention, asked.example or ""):
            return "example"
        if any(self.speaks_of(label, mention) for label in asked.must):
            return "wanted"
        if any(self.speaks_of(label, mention) for group in asked.any_of for label in group):
            return "one_of"
        return "barred" if any(self.speaks_of(one, mention) for one in asked.barred) else "other"

    def speaks_of(self, label: Label, mention: Mention) -> bool:
        """Whether a label has the name that is mentioned, or means much the same items."""
        values = (label.equals, label.has, *label.is_any_of)
        if any(self._is_named(mention, str(value)) for value in values if value):
            return True
        mine, told = self._items_of(mention), self._items_that_meet(label)
        if label.field == "state" or not is_named(label) or not mine.any() or not told.any():
            return False
        both = float((mine & told).sum())
        inside, reached = both / float(mine.sum()), both / float(told.sum())
        return inside >= _ALIKE or (reached >= _ALIKE and inside >= _TOUCHED)

    def _is_named(self, mention: Mention, name: str) -> bool:
        return self._name_of(mention).casefold() == name.casefold()

    def _name_of(self, mention: Mention) -> str:
        catalogue = self._catalogue
        if mention.item is not None:
            item = catalogue.item_index(mention.item)
            return "" if item is None else catalogue.names[item]
        meaning = mention.meaning
        index = None if meaning is None else catalogue.attribute_index(meaning.kind, meaning.key)
        return "" if index is None else catalogue.attributes[index].name

    def _items_of(self, mention: Mention) -> Mask:
        catalogue, found = self._catalogue, self._catalogue.none()
        if mention.item is not None:
            told = (catalogue.item_index(key) for key in (mention.item, *mention.others))
            found[[item for item in told if item is not None]] = True
        elif mention.meaning is not None:
            for key in (mention.meaning.key, *mention.others):
                index = catalogue.attribute_index(mention.meaning.kind, key)
                if index is not None:
                    found = found | catalogue.items_with(catalogue.below(index))
        return found

    def _items_that_meet(self, label: Label) -> Mask:
        if label not in self._of_label:
            self._of_label[label] = np.array([label.holds(row) for row in self._rows])
        return self._of_label[label]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command line takes."""
    parser.add_argument("files", type=Path, nargs="+", help="labelled questions that may be read")
    parser.add_argument("--catalogues", type=Path, required=True, help="folder of DOMAIN.jsonl")
    parser.add_argument("--out", type=Path, required=True, help="the carriers, one a line")
    add_folder(parser, "--state", "asked", "where the built workspaces stay")


def measure(asked: argparse.Namespace) -> Findings:
    """Cut the carriers and say how many there are."""
    questions = [one for one in read_questions(asked.files) if one.kind == "answer"]
    state = make_private(asked.state)
    found: list[CutCarrier] = []
    for domain in sorted({one.domain for one in questions}):
        catalogue = AskedCatalogue(domain, asked.catalogues / f"{domain}.jsonl", state)
        workspace, context = catalogue.open({})
        with workspace:
            mine = [one for one in questions if one.domain == domain]
            found += cut_all(mine, context, rows_of(catalogue, context))
    lines = [msgspec.json.encode(one) for one in found]
    write_atomically(asked.out, b"\n".join(lines) + b"\n")
    refusing = sum("{barred" in one.carrier for one in found)
    text = f"{len(found)} carriers of {len(questions)} questions; {refusing} refuse something."
    return Findings(text=text)


def rows_of(catalogue: AskedCatalogue, context: DomainContext) -> list[dict[str, object]]:
    """The row of each item of a catalogue."""
    told = zip(context.catalogue.keys, context.catalogue.names, strict=True)
    found = (catalogue.rows_named(catalogue.name_of(key, name)) for key, name in told)
    return [rows[0] if rows else {} for rows in found]


def cut_all(
    questions: Iterable[AskedQuestion], context: DomainContext, rows: Sequence[dict[str, object]]
) -> Iterator[CutCarrier]:
    """The carriers of those questions whose labels' names are all found."""
    names = LabelledNames(context.catalogue, rows)
    for asked in questions:
        reading = context.vocabulary.read(asked.query)
        mentions = find_mentions(reading, context.vocabulary)
        if _finds_all(asked, mentions, names):
            slots = [
                (reading.tokens[one.first].start, reading.tokens[one.last - 1].end, slot)
                for one in mentions
                if (slot := slot_of(one, names.role_of(one, asked), context.vocabulary))
            ]
            if slots:
                yield CutCarrier(carrier=with_slots(asked.query, slots), id=asked.id)


def _finds_all(asked: AskedQuestion, mentions: Sequence[Mention], names: LabelledNames) -> bool:
    """Whether each wish and, of what is refused, some name is among the mentions."""

    def is_found(labels: Iterable[Label]) -> bool:
        return any(names.speaks_of(label, one) for label in labels for one in mentions)

    wishes: list[tuple[Label, ...]] = [(label,) for label in asked.must if is_named(label)]
    wishes += [group for group in asked.any_of if all(map(is_named, group))]
    refused = [label for label in asked.barred if is_named(label)]
    return all(map(is_found, wishes)) and (not refused or is_found(refused))


def is_named(label: Label) -> bool:
    """Whether a label has a name, and not a number or a state."""
    if label.field == "state" or isinstance(label.equals, int | float):
        return False
    return bool(label.equals or label.has or label.is_any_of)


def slot_of(mention: Mention, role: Role, vocabulary: Vocabulary) -> str:
    """The slot for a name; empty for one that stays as written."""
    if role == "other":
        return ""
    if mention.meaning is None:
        return f"{{{role}:item}}"
    kind = mention.meaning.kind
    type_ = _TYPES.get(kind) or _TYPES.get(mention.meaning.role) or kind
    if type_ not in _SLOTS:
        type_ = mention.meaning.role
    return f"{{{role}:{type_}}}" if type_ in _SLOTS else ""


def with_slots(text: str, slots: Iterable[tuple[int, int, str]]) -> str:
    """A question with slots, (start, end, slot), in place of letters."""
    parts, last = [], 0
    for start, end, slot in sorted(slots):
        parts += [_without_braces(text[last:start]), slot]
        last = end
    return "".join([*parts, _without_braces(text[last:])])


def _without_braces(text: str) -> str:
    return text.replace("{", "(").replace("}", ")")

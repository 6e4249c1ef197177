"""The slot reader's examples: a composed question, and the line of its slots."""

from __future__ import annotations

from collections.abc import Sequence

from localrec.training.examples.constraint_sampling import SampledConstraint
from localrec.training.examples.example import Example, Examples, Half
from localrec.training.examples.lexicon import Lexicon
from localrec.training.examples.question_composer import ComposedQuestion, compose_questions
from localrec.understanding.slot_filling import Slot, plain_name, slot_prompt, write_slots

_SLOT_OF = {"include": "with", "container": "vessel", "category": "kind", "creator": "by"}
_SAME = ("either", "colour", "look", "garnish", "like")


def slot_examples(lexicons: Sequence[Lexicon], train: int, validation: int, seed: int) -> Examples:
    """Make questions for both halves, by turns over all lexicons."""

    def half(name: Half, count: int) -> tuple[Example, ...]:
        composed = compose_questions(lexicons, name, count, seed)
        return tuple(_example(lexicon, question) for lexicon, question in composed)

    return Examples(
        role="slots", train=half("train", train), validation=half("validation", validation)
    )


def _example(lexicon: Lexicon, question: ComposedQuestion) -> Example:
    return Example(
        messages=slot_prompt(question.text, lexicon.vocabulary),
        answer=write_slots(slots_of(question.demands)),
        split_keys=question.split_keys,
    )


def slots_of(demands: Sequence[SampledConstraint]) -> list[Slot]:
    """Write the slots of these constraints in their order, under the names of the question."""
    slots = []
    for demand in demands:
        spellings = tuple(dict.fromkeys(plain_name(one.spelling) for one in demand.names))
        if spellings:
            slots.append(Slot(_slot_of(demand, spellings), spellings))
    return list(dict.fromkeys(slots))


def _slot_of(demand: SampledConstraint, spellings: Sequence[str]) -> str:
    if demand.is_excluded:
        return "without"
    if demand.slot == "either" and len(spellings) == 1:
        return "with"
    if demand.slot == "flag":
        return "must"
    return demand.slot if demand.slot in _SAME else _SLOT_OF[demand.slot]

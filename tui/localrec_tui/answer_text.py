"""Formats the remarks below an answer: relaxed constraints, and the stages that answered."""

from __future__ import annotations

from collections.abc import Iterator

from localrec.data.answers import SHIPPED_NETWORK, Answer
from localrec.data.query import QueryImage, RoutedTask, TaskKind
from localrec.data.recommendations import Recommendations
from localrec.graph.domain_files import load_domain

_FAILED = "_failed"  # ends the name of a stage whose model did not answer
# What `Answer.answered_by` says of stages that asked no model.
_NO_MODEL = frozenset(
    {"rules", SHIPPED_NETWORK, "measured", "silent", "template", "vectors", "spelling"}
)
_NAMED = "names components: "
_ROUTING_REASONS = {  # of the router, as it stores them -> for the screen
    "asks what goes with its components": "you asked what goes with what you named",
    "bounds what is in it, names no example": "you said what may be in it, and named no example",
    "names nothing that the catalogue knows": "nothing in your words is known here",
    "says nothing that its picture does": "your words name nothing, so the picture counts",
}


def task_meaning(kind: TaskKind, domain_name: str) -> str:
    """Describe one of the four tasks in the words of a domain."""
    domain = load_domain(domain_name)
    return {
        TaskKind.C1: "how it looks",
        TaskKind.C2: f"by its {domain.kind_of('container') or 'container'}",
        TaskKind.C3: f"by its {domain.kind_of('component') or 'content'}",
        TaskKind.C4: f"like another {domain.singular}",
    }[kind]


def task_label(task: RoutedTask, domain_name: str) -> str:
    """Say as what kind of question it was read."""
    return task_meaning(task.kind, domain_name)


def task_reason(task: RoutedTask) -> str:
    """Say why it was read so, in plain words; the answer keeps the router's own."""
    if task.reason.startswith(_NAMED):
        return f"you named {task.reason.removeprefix(_NAMED)}"
    return _ROUTING_REASONS.get(task.reason, task.reason)


def answer_remarks(answer: Answer) -> list[str]:
    """List the constraints that were relaxed, and the words that were corrected or unknown."""
    intent = answer.intent
    read = ", ".join(f"{typed} → {meant}" for typed, meant in intent.corrected.items())
    unknown = ", ".join(intent.unknown)
    return [
        answer.message,
        f"Read as: {read}" if read else "",
        f"Not known here: {unknown}" if unknown else "",
        *(() if answer.seen is None else _image_remarks(answer.seen)),
    ]


def _image_remarks(seen: QueryImage) -> Iterator[str]:
    """Describe the attributes seen in the image, those that counted, and its limits."""
    words = [*seen.colours, seen.clarity, seen.foam, seen.ice, seen.glass, *seen.garnish]
    told = ", ".join(one.word for one in words if one is not None)
    counted = ", ".join(seen.counted) or "nothing"
    yield f"In the picture: {told or 'nothing that has a word'}. Counted: {counted}."
    yield from seen.notes


def list_remarks(found: Recommendations) -> list[str]:
    """Return the remarks below a list."""
    return [found.message, *found.notes]


def answer_provenance(answer: Answer, spent: float) -> str:
    """Say how long an answer took, and which models took part in it."""
    failed = {stage: told for stage, told in answer.answered_by.items() if stage.endswith(_FAILED)}
    models = [
        f"{stage}: {who}"
        for stage, who in answer.answered_by.items()
        if who not in _NO_MODEL and stage not in failed
    ]
    if SHIPPED_NETWORK in answer.answered_by.values():
        models.insert(0, f"and {SHIPPED_NETWORK}")
    told = f", {', '.join(models)}" if models else ", no model"
    faults = "".join(f" {fault.rstrip('.')}." for fault in dict.fromkeys(failed.values()))
    return f"{spent:.2f} s. By rules and counts{told}.{faults}"

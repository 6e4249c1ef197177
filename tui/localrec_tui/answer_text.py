"""The remarks below an answer: what was relaxed, and who answered."""

from __future__ import annotations

from collections.abc import Iterator

from localrec.data.answers import Answer
from localrec.data.query import QueryImage, TaskKind
from localrec.data.recommendations import Recommendations
from localrec.graph.domain_files import load_domain


def task_meaning(kind: TaskKind, domain_name: str) -> str:
    """What one of the four tasks asks for, in a domain's own words."""
    domain = load_domain(domain_name)
    return {
        TaskKind.C1: "how it looks",
        TaskKind.C2: f"by its {domain.kind_of('container') or 'container'}",
        TaskKind.C3: f"by its {domain.kind_of('component') or 'content'}",
        TaskKind.C4: f"like another {domain.singular}",
    }[kind]


def answer_remarks(answer: Answer) -> list[str]:
    """What was let go and misread, plainly."""
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
    """What was seen in the picture, what of it counted, and what limits it."""
    words = [*seen.colours, seen.clarity, seen.foam, seen.ice, seen.glass, *seen.garnish]
    told = ", ".join(one.word for one in words if one is not None)
    counted = ", ".join(seen.counted) or "nothing"
    yield f"In the picture: {told or 'nothing that has a word'}. Counted: {counted}."
    yield from seen.notes


def list_remarks(found: Recommendations) -> list[str]:
    """The remarks below a list."""
    return [found.message, *found.notes]


def answer_provenance(answer: Answer, spent: float) -> str:
    """Who answered, and how long it took."""
    who = ", ".join(f"{stage}: {spoke}" for stage, spoke in answer.spoke.items())
    return f"{spent:.2f} s. {who}"

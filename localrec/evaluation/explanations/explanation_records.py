"""Collect the explanations of a run's systems, and check them mechanically.

Answers to questions and rationales of ranked items become `ExplanationRecord`s, from which
`samples` draws. Where possible, each answer gets a twin: the same explanation with made-up claims,
in which false names replace those of the store's edges.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from localrec.data.answers import Answer
from localrec.data.recommendations import RecommendedItem
from localrec.evaluation.questions.answer_scoring import K
from localrec.evaluation.questions.claims import claims_of
from localrec.evaluation.questions.gold import GoldQuestion, violated_constraints
from localrec.evaluation.questions.store_truth import Node, StoreItem, StoreTruth
from localrec.evaluation.sampling import hash_rank
from localrec.foundation.jsonl_log import Record, read_records

GROUNDED = "grounded"
CONSTRAINTS = "constraints"
_FACTS = 12  # edges of an item that are shown
_LIKED = 10  # items that a person likes, as the asking side of a rationale


class ExplanationRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One explained recommendation.

    Args:
        id: The question's or request's, the same for all systems.
        system: Name of the system that recommended.
        request: The question, or what is known of the user's taste; `asked` in JSON.
        recommended: Names of the items.
        explanation: The system's words about the items.
        facts: The catalogue's facts about the items; may be empty.
        checks: Mechanical check -> share of 0..1 that held.
        group: Group that is resampled together, such as the user; "" for the id.
        invented: The explanation with claims that are not true; "" where none could be made.
        invented_grounded: Share of that one's claims that hold.
    """

    id: str
    system: str
    request: str = msgspec.field(name="asked")
    recommended: str
    explanation: str
    facts: str = ""
    checks: dict[str, float] = {}
    group: str = ""
    invented: str = ""
    invented_grounded: float = 0.0


class Rationale(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One line of a run's `rationales-SYSTEM.jsonl`: the reason for an item's place.

    Args:
        id: The request's, the same for all systems.
        user: The person's key.
        item: The item's key.
        rationale: The system's words.
        by: The writer, "model" or "template".
        ms: Milliseconds, with the time to find evidence again.
        calls: The number of calls of a model.
        tokens: Tokens that the model read and wrote.
        notes: Departures from the request, as sentences.
        error: The exception in words, where one was raised; there is no rationale then.
    """

    id: str
    user: str = msgspec.field(name="person")
    item: str
    rationale: str
    by: str = ""
    ms: float = 0.0
    calls: int = 0
    tokens: int = 0
    notes: tuple[str, ...] = ()
    error: str = ""


def read_run_records(folder: Path, what: str, shape: type[Record]) -> dict[str, list[Record]]:
    """Read the records of a run's files `WHAT-SYSTEM.jsonl` by system; {} where it has none.

    Raises:
        InputError: a line is something else; names it.
    """
    files = sorted(folder.glob(f"{what}-*.jsonl"), key=lambda path: path.stem)
    return {path.stem.removeprefix(f"{what}-"): read_records(path, shape) for path in files}


def explained_answers(
    system: str, answers: Sequence[Answer], gold: Sequence[GoldQuestion], truth: StoreTruth
) -> list[ExplanationRecord]:
    """Collect the explanations of a system's answers; answers without one are left out.

    Args:
        system: Name of the system that answered.
        answers: Its answers.
        gold: Gold questions; the constraints of a question among these are checked too.
        truth: The facts of the store.
    """
    written = _written_by_relation(truth)
    known = {(one.id, one.query): one for one in gold}
    parts = (
        _explained_answer(system, answer, known.get((answer.id, answer.query)), truth, written)
        for answer in answers
    )
    return [one for one in parts if one is not None]


def explained_rationales(
    system: str,
    rationales: Sequence[Rationale],
    likes: Callable[[str], Sequence[str]],
    truth: StoreTruth,
) -> list[ExplanationRecord]:
    """Collect the rationales of a ranking system; empty ones are left out.

    Args:
        system: Name of the system that ranked.
        rationales: The system's rationales.
        likes: Person -> keys of the items they like, best first.
        truth: The facts of the store. An item that it does not know goes by its key, without facts.
    """
    return [
        ExplanationRecord(
            id=one.id,
            system=system,
            request=_user_profile(one, likes, truth.items),
            recommended=truth.items[one.item].name if one.item in truth.items else one.item,
            explanation=one.rationale,
            facts=_facts_of(truth.items[one.item]) if one.item in truth.items else "",
            group=one.user,
        )
        for one in rationales
        if one.rationale.strip()
    ]


def _explained_answer(
    system: str,
    answer: Answer,
    question: GoldQuestion | None,
    truth: StoreTruth,
    written: Mapping[str, Mapping[str, Node]],
) -> ExplanationRecord | None:
    shown = msgspec.structs.replace(answer, items=answer.items[:K], near_misses=())
    explanation = _joined_reasons(shown)
    if not explanation:
        return None
    items = [truth.items.get(one.key) for one in shown.items]
    checks = {}
    if (grounded := _grounded(shown, truth)) is not None:
        checks[GROUNDED] = grounded
    if question is not None:
        held = [
            item is not None and not violated_constraints(question.gold, item, truth)
            for item in items
        ]
        checks[CONSTRAINTS] = sum(held) / len(held)
    invented, invented_grounded = _invention(shown, grounded, truth, written)
    return ExplanationRecord(
        id=answer.id,
        system=system,
        request=answer.query,
        recommended=", ".join(one.name for one in shown.items),
        explanation=explanation,
        facts=" ".join(_facts_of(item) for item in items if item is not None),
        checks=checks,
        invented=invented,
        invented_grounded=invented_grounded,
    )


def _joined_reasons(answer: Answer) -> str:
    return " ".join(one.reason for one in answer.items if one.reason)


def _grounded(answer: Answer, truth: StoreTruth) -> float | None:
    """Compute the share of an answer's claims that hold; None for an answer without claims."""
    claims = claims_of(answer, truth)
    return sum(claim.holds for claim in claims) / len(claims) if claims else None


def _invention(
    shown: Answer,
    grounded: float | None,
    truth: StoreTruth,
    written: Mapping[str, Mapping[str, Node]],
) -> tuple[str, float]:
    """Write the explanation with false claims and its share of true ones; ("", 0) for none.

    It is one only where fewer claims hold than of the genuine one, whose share is `grounded`.
    """
    made_up = msgspec.structs.replace(
        shown, items=tuple(_with_inventions(one, truth, written) for one in shown.items)
    )
    left = _grounded(made_up, truth)
    if grounded is None or left is None or left >= grounded:
        return "", 0.0
    return _joined_reasons(made_up), left


def _with_inventions(
    record: RecommendedItem, truth: StoreTruth, written: Mapping[str, Mapping[str, Node]]
) -> RecommendedItem:
    """Replace each name that a reason takes from an edge by a false one.

    False names come from other items' edges of the same relation; none of them is, or is under,
    anything that the item has.
    """
    item = truth.items.get(record.key)
    if item is None:
        return record
    true = truth.below(item.nodes)
    exchanged: dict[str, str] = {}
    for edge in record.evidence:
        others = [name for name, node in written.get(edge.relation, {}).items() if node not in true]
        if others:
            drawn = int(hash_rank(0, f"{record.key} {edge.target}"), 16) % len(others)
            exchanged[edge.target.casefold()] = others[drawn]
    if not exchanged:
        return record
    exchanged[item.name.casefold()] = item.name  # Blue Lagoon stays so, whatever its colour
    names = "|".join(re.escape(name) for name in sorted(exchanged, key=len, reverse=True))
    reason = re.sub(
        rf"\b(?:{names})\b",
        lambda found: exchanged[found.group().casefold()],
        record.reason,
        flags=re.IGNORECASE,
    )
    return msgspec.structs.replace(record, reason=reason)


def _written_by_relation(truth: StoreTruth) -> dict[str, dict[str, Node]]:
    """Collect relation -> name as the catalogue writes it -> the attribute, ordered by name."""
    written: dict[str, dict[str, Node]] = defaultdict(dict)
    for item in truth.items.values():
        for link in item.links:
            written[link.relation][link.written] = link.node
    return {relation: dict(sorted(names.items())) for relation, names in written.items()}


def _user_profile(
    one: Rationale, likes: Callable[[str], Sequence[str]], items: Mapping[str, StoreItem]
) -> str:
    """Describe a user's likes by names, without the item itself, which may be held out."""
    known = [items[key].name for key in likes(one.user) if key in items and key != one.item]
    if not known:
        return "something for a person of whom nothing is known"
    return f"something for a person who likes {', '.join(known[:_LIKED])}"


def _facts_of(item: StoreItem) -> str:
    written = dict.fromkeys(link.written for link in item.links[:_FACTS])
    return f"{item.name}: {', '.join(written)}."

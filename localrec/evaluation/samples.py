"""Recommendations with their explanations, as a judge or a person reads them, without a name on.

A sample keeps which system it is from and what the mechanical checks found, but shows neither.
Controls are samples with somebody else's explanation: whoever can judge scores them lower. They
are needed because a good system passes nearly every check, and figures that do not vary agree
with nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from localrec.errors import InputError
from localrec.evaluation.ledger import read_records
from localrec.evaluation.questions import Case
from localrec.evaluation.truth import Item
from localrec.types import Answer

OWN_EXPLANATION = "own explanation"  # the check that tells controls from the others
_FACTS = 12  # edges of an item that are shown


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """One recommendation to be judged.

    Args:
        id: Unique in its file.
        system: Who recommended; never shown.
        asked: The question, or what is known of the person's taste.
        recommended: Names of the items.
        explanation: What the system said about them.
        facts: What the catalogue holds about the items; may be empty.
        checks: Mechanical check -> share of 0..1 that held; never shown.
        control_of: The sample whose explanation was exchanged here; "" for a genuine one.
    """

    id: str
    system: str
    asked: str
    recommended: str
    explanation: str
    facts: str = ""
    checks: dict[str, float] = {}
    control_of: str = ""

    @property
    def digest(self) -> str:
        """Changes with anything that is shown: a score holds for the text that was read."""
        shown = msgspec.json.encode((self.asked, self.recommended, self.explanation, self.facts))
        return hashlib.sha256(shown).hexdigest()[:16]


def sample_of_answer(
    system: str, case: Case, answer: Answer, items: Mapping[str, Item]
) -> Sample | None:
    """An answer to a gold question as a sample; None where there is nothing to be judged.

    Args:
        system: Who answered.
        case: The answer held against gold and store (`questions.judge`).
        answer: What was answered.
        items: The store's items by key (`StoreTruth.items`).
    """
    told = answer.items[: max(1, len(case.broken))]
    explanation = " ".join(one.reason for one in told if one.reason)
    if not explanation:
        return None
    checks = {"constraints": case.holding / len(case.broken)} if case.broken else {}
    if case.claims:
        checks["grounded"] = sum(claim.holds for claim in case.claims) / len(case.claims)
    return Sample(
        id=f"{answer.id}/{system}",
        system=system,
        asked=answer.query,
        recommended=", ".join(one.name for one in told),
        explanation=explanation,
        facts=" ".join(_facts_of(items[one.key]) for one in told if one.key in items),
        checks=checks,
    )


def with_controls(samples: Sequence[Sample], share: float = 0.5, seed: int = 0) -> list[Sample]:
    """The samples, and for some of them a twin with the explanation of another one.

    Explanations go round among samples of one system, so that neither style nor length tells a
    control. Genuine samples and controls carry the check `OWN_EXPLANATION`, 1 and 0.

    Args:
        samples: Genuine ones.
        share: Of the samples that get a twin.
        seed: Decides which, and whose explanation.
    """
    random = np.random.default_rng(seed)
    genuine = [_checked(sample, own=True) for sample in samples]
    controls = []
    for system in dict.fromkeys(sample.system for sample in genuine):
        own = [sample for sample in genuine if sample.system == system]
        order = random.permutation(len(own))
        for place in order[: round(share * len(own))].tolist():
            others = [one for one in own if one.explanation != own[place].explanation]
            if others:
                other = others[int(random.integers(len(others)))]
                controls.append(_with_explanation_of(own[place], other))
    return genuine + controls


def read_samples(path: Path) -> list[Sample]:
    """The samples of a file of JSON lines.

    Raises:
        InputError: the file or a line cannot be read, it is empty, or an id comes twice.
    """
    samples = read_records(path, Sample)
    if not samples:
        raise InputError(f"{path} holds no sample.", "Make some: localrec evaluate run --help")
    seen: set[str] = set()
    for sample in samples:
        if sample.id in seen:
            raise InputError(f"{path}: the id {sample.id!r} comes twice.", "Change one.")
        seen.add(sample.id)
    return samples


def shuffled(samples: Sequence[Sample], seed: int) -> list[Sample]:
    """The samples in an order that tells nothing, the same for the same ids and seed.

    A sample's place depends on nothing but its id and the seed, so that adding some to the file
    does not mix up the order of those that are half done.
    """
    return sorted(samples, key=lambda one: hashlib.sha256(f"{seed}\0{one.id}".encode()).digest())


def _checked(sample: Sample, *, own: bool) -> Sample:
    checks = {**sample.checks, OWN_EXPLANATION: float(own)}
    return msgspec.structs.replace(sample, checks=checks)


def _with_explanation_of(sample: Sample, other: Sample) -> Sample:
    """A control; the checks of the items stay, those of the explanation do not hold for it."""
    kept = {name: share for name, share in sample.checks.items() if name == "constraints"}
    return msgspec.structs.replace(
        sample,
        id=f"{sample.id}/exchanged",
        explanation=other.explanation,
        checks={**kept, OWN_EXPLANATION: 0.0},
        control_of=sample.id,
    )


def _facts_of(item: Item) -> str:
    written = dict.fromkeys(link.written for link in item.links[:_FACTS])
    return f"{item.name}: {', '.join(written)}."

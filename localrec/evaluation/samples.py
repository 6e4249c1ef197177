"""Recommendations with their explanations, as a judge or a person reads them, without a name on.

What a run explained (answers to questions, rationales of ranked items) becomes `Explained`; drawn,
twinned with controls and blinded, it becomes `Sample`s. On disk `samples.jsonl` holds what is
shown, in an order that tells nothing, and the person whose taste that tells of, so that
`localrec forget` finds the line; `samples-key.jsonl` beside it says which system each one is of and
what the mechanical checks found.

Controls are twins that whoever can judge scores lower: one with somebody else's explanation, one
whose claims were made up. They are needed because a good system passes nearly every check, and
figures that do not vary agree with nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from localrec.errors import InputError
from localrec.evaluation.claims import claims_of
from localrec.evaluation.ledger import Record, read_records, write_records
from localrec.evaluation.questions import GoldQuestion, K, broken_demands
from localrec.evaluation.truth import Item, Node, StoreTruth
from localrec.types import Answer, RecommendedItem

OWN_EXPLANATION = "own explanation"  # the check that tells exchanged ones from the others
GROUNDED = "grounded"
CONSTRAINTS = "constraints"
_FACTS = 12  # edges of an item that are shown
_LIKED = 10  # items that a person likes, as the asking side of a rationale
_TWINNED = 0.5  # share of the genuine samples that get a twin of each kind

Control = Literal["", "exchanged", "invented"]


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """One recommendation that a system explained, whatever it was asked.

    Args:
        id: The question's or request's, the same for all systems.
        system: Who recommended.
        asked: The question, or what is known of the person's taste.
        recommended: Names of the items.
        explanation: What the system said about them.
        facts: What the catalogue holds about the items; may be empty.
        checks: Mechanical check -> share of 0..1 that held.
        group: What is resampled together, such as the person; "" where that is the id.
        invented: The explanation with claims that are not true; "" where none could be made.
        invented_grounded: Share of that one's claims that hold.
    """

    id: str
    system: str
    asked: str
    recommended: str
    explanation: str
    facts: str = ""
    checks: dict[str, float] = {}
    group: str = ""
    invented: str = ""
    invented_grounded: float = 0.0


class Rationale(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a run's `rationales-SYSTEM.jsonl`: why an item stands where it does.

    Args:
        id: The request's, the same for all systems.
        person: The person's key.
        item: The item's key.
        rationale: What the system said.
    """

    id: str
    person: str
    item: str
    rationale: str


class Sample(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One recommendation to be judged.

    Args:
        id: Unique in its file.
        asked: The question, or what is known of the person's taste.
        recommended: Names of the items.
        explanation: What the system said about them.
        facts: What the catalogue holds about the items; may be empty.
        system: Who recommended; never shown, as all that follows.
        group: What is resampled together; "" for the sample alone.
        checks: Mechanical check -> share of 0..1 that held.
        control: What was done to the explanation; "" for a genuine one.
        control_of: The genuine sample that a control is the twin of.
        quotes: Group of the sample whose explanation an exchanged one has: the line tells of that
            person too, so forgetting them must find it.
    """

    id: str
    asked: str
    recommended: str
    explanation: str
    facts: str = ""
    system: str = ""
    group: str = ""
    checks: dict[str, float] = {}
    control: Control = ""
    control_of: str = ""
    quotes: str = ""

    @property
    def digest(self) -> str:
        """Changes with anything that is shown: a score holds for the text that was read."""
        shown = msgspec.json.encode((self.asked, self.recommended, self.explanation, self.facts))
        return hashlib.sha256(shown).hexdigest()[:16]


class Key(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a sample does not show."""

    id: str
    system: str
    checks: dict[str, float] = {}
    control: Control = ""
    control_of: str = ""
    quotes: str = ""


def read_run(folder: Path, what: str, shape: type[Record]) -> dict[str, list[Record]]:
    """System -> the records of a run's files `WHAT-SYSTEM.jsonl`; {} where it has none.

    Raises:
        InputError: a line is something else; names it.
    """
    files = sorted(folder.glob(f"{what}-*.jsonl"), key=lambda path: path.stem)
    return {path.stem.removeprefix(f"{what}-"): read_records(path, shape) for path in files}


def explained_answers(
    system: str, answers: Sequence[Answer], gold: Sequence[GoldQuestion], truth: StoreTruth
) -> list[Explained]:
    """What a system's answers say of their first items; those that say nothing are left out.

    Args:
        system: Who answered.
        answers: Its answers.
        gold: Where id and text of a question are among these, its constraints are checked too.
        truth: What the store says.
    """
    written = _written_by_relation(truth)
    known = {(one.id, one.query): one for one in gold}
    told = (
        _explained_answer(system, answer, known.get((answer.id, answer.query)), truth, written)
        for answer in answers
    )
    return [one for one in told if one is not None]


def explained_rationales(
    system: str,
    rationales: Sequence[Rationale],
    likes: Callable[[str], Sequence[str]],
    truth: StoreTruth,
) -> list[Explained]:
    """A ranking system's rationales; empty ones are left out.

    Args:
        system: Who ranked.
        rationales: What it said.
        likes: Person -> keys of the items they like, best first.
        truth: What the store says. An item that it does not know goes by its key, without facts.
    """
    return [
        Explained(
            id=one.id,
            system=system,
            asked=_taste(one, likes, truth.items),
            recommended=truth.items[one.item].name if one.item in truth.items else one.item,
            explanation=one.rationale,
            facts=_facts_of(truth.items[one.item]) if one.item in truth.items else "",
            group=one.person,
        )
        for one in rationales
        if one.rationale.strip()
    ]


def samples_of(explained: Sequence[Explained], count: int, seed: int) -> list[Sample]:
    """Blind samples: of so many requests, what every system said, with controls, shuffled.

    A larger count takes the same requests and more; a sample's id depends on nothing but itself
    and the seed, so that a score that was given stays valid.

    Raises:
        InputError: there is no request for which every system explained something.
    """
    systems = dict.fromkeys(one.system for one in explained)
    shared = (
        set.intersection(
            *({one.id for one in explained if one.system == system} for system in systems)
        )
        if systems
        else set()
    )
    if not shared:
        raise InputError(
            f"Nothing was explained by all of: {', '.join(systems) or 'no system'}.",
            "Judge a run whose systems answered the same questions.",
        )
    drawn = sorted(shared, key=lambda id_: _lot(seed, id_))[:count]
    chosen = [one for one in explained if one.id in set(drawn)]
    genuine = [_sample(one) for one in chosen]
    return blinded([*with_controls(genuine, seed=seed), *_invented(chosen, seed)], seed)


def with_controls(
    samples: Sequence[Sample], share: float = _TWINNED, seed: int = 0
) -> list[Sample]:
    """The samples, and for some of them a twin with the explanation of another one.

    Explanations go round among samples of one system, so that neither style nor length tells a
    control. Genuine samples and controls carry the check `OWN_EXPLANATION`, 1 and 0; no other
    check holds of a control, for it was made of another explanation.

    Args:
        samples: Genuine ones.
        share: Of the samples that get a twin.
        seed: Decides which, and whose explanation.
    """
    genuine = [_checked(sample, own=True) for sample in samples]
    controls = []
    for system in dict.fromkeys(sample.system for sample in genuine):
        own = [sample for sample in genuine if sample.system == system]
        own.sort(key=lambda one: _lot(seed, f"exchanged {one.id}"))
        for sample in own[: round(share * len(own))]:
            others = [one for one in own if one.explanation != sample.explanation]
            if others:
                other = others[int(_lot(seed, sample.id), 16) % len(others)]
                twin = _twin(sample, "exchanged", other.explanation, {OWN_EXPLANATION: 0.0})
                controls.append(msgspec.structs.replace(twin, quotes=other.group))
    return genuine + controls


def blinded(samples: Sequence[Sample], seed: int) -> list[Sample]:
    """The samples under ids that tell nothing, in the order of these ids."""
    names = {one.id: _lot(seed, one.id)[:12] for one in samples}
    renamed = (
        msgspec.structs.replace(
            one, id=names[one.id], control_of=names[one.control_of] if one.control_of else ""
        )
        for one in samples
    )
    return sorted(renamed, key=lambda one: one.id)


def write_samples(path: Path, samples: Sequence[Sample]) -> None:
    """Write what is shown to `path`, and what is not to the key beside it."""
    keys = [Key(**{name: getattr(one, name) for name in Key.__struct_fields__}) for one in samples]
    write_records(_key_of(path), keys)
    nothing = Sample(id="", asked="", recommended="", explanation="")
    hidden = {name: getattr(nothing, name) for name in Key.__struct_fields__ if name != "id"}
    write_records(path, [msgspec.structs.replace(one, **hidden) for one in samples])


def read_samples(path: Path) -> list[Sample]:
    """The samples of a file of JSON lines, with what the key beside it says, where there is one.

    Raises:
        InputError: a file or a line cannot be read, it is empty, or an id comes twice.
    """
    samples = read_records(path, Sample)
    if not samples:
        raise InputError(f"{path} holds no sample.", "Make some: localrec evaluate judge --help")
    seen: set[str] = set()
    for sample in samples:
        if sample.id in seen:
            raise InputError(f"{path}: the id {sample.id!r} comes twice.", "Change one.")
        seen.add(sample.id)
    beside = _key_of(path)
    keys = {one.id: one for one in read_records(beside, Key)} if beside.is_file() else {}
    return [
        msgspec.structs.replace(one, **msgspec.structs.asdict(keys[one.id]))
        if one.id in keys
        else one
        for one in samples
    ]


def shuffled(samples: Sequence[Sample], seed: int) -> list[Sample]:
    """The samples in an order that tells nothing, the same for the same ids and seed.

    A sample's place depends on nothing but its id and the seed, so that adding some to the file
    does not mix up the order of those that are half done.
    """
    return sorted(samples, key=lambda one: _lot(seed, one.id))


def _explained_answer(
    system: str,
    answer: Answer,
    question: GoldQuestion | None,
    truth: StoreTruth,
    written: Mapping[str, Mapping[str, Node]],
) -> Explained | None:
    shown = msgspec.structs.replace(answer, items=answer.items[:K], near=())
    explanation = _joined_reasons(shown)
    if not explanation:
        return None
    items = [truth.items.get(one.key) for one in shown.items]
    checks = {}
    if (grounded := _grounded(shown, truth)) is not None:
        checks[GROUNDED] = grounded
    if question is not None:
        held = [
            item is not None and not broken_demands(question.gold, item, truth) for item in items
        ]
        checks[CONSTRAINTS] = sum(held) / len(held)
    made_up = msgspec.structs.replace(
        shown, items=tuple(_with_inventions(one, truth, written) for one in shown.items)
    )
    left = _grounded(made_up, truth)
    false = grounded is not None and left is not None and left < grounded
    return Explained(
        id=answer.id,
        system=system,
        asked=answer.query,
        recommended=", ".join(one.name for one in shown.items),
        explanation=explanation,
        facts=" ".join(_facts_of(item) for item in items if item is not None),
        checks=checks,
        invented=_joined_reasons(made_up) if false else "",
        invented_grounded=(left or 0.0) if false else 0.0,
    )


def _joined_reasons(answer: Answer) -> str:
    return " ".join(one.reason for one in answer.items if one.reason)


def _grounded(answer: Answer, truth: StoreTruth) -> float | None:
    """Share of an answer's claims that hold; None where it claims nothing."""
    claims = claims_of(answer, truth)
    return sum(claim.holds for claim in claims) / len(claims) if claims else None


def _with_inventions(
    told: RecommendedItem, truth: StoreTruth, written: Mapping[str, Mapping[str, Node]]
) -> RecommendedItem:
    """The item with each name that its reason takes from an edge exchanged for a false one.

    False names come from other items' edges of the same relation; none of them is, or is under,
    anything that the item has.
    """
    item = truth.items.get(told.key)
    if item is None:
        return told
    true = truth.below(item.nodes)
    swaps: dict[str, str] = {}
    for edge in told.evidence:
        false = [name for name, node in written.get(edge.relation, {}).items() if node not in true]
        if false:
            lot = int(_lot(0, f"{told.key} {edge.target}"), 16)
            swaps[edge.target.casefold()] = false[lot % len(false)]
    if not swaps:
        return told
    swaps[item.name.casefold()] = item.name  # Blue Lagoon stays what it is, whatever its colour
    names = "|".join(re.escape(name) for name in sorted(swaps, key=len, reverse=True))
    reason = re.sub(
        rf"\b(?:{names})\b",
        lambda found: swaps[found.group().casefold()],
        told.reason,
        flags=re.IGNORECASE,
    )
    return msgspec.structs.replace(told, reason=reason)


def _written_by_relation(truth: StoreTruth) -> dict[str, dict[str, Node]]:
    """Relation -> name as the catalogue writes it -> the attribute, in the order of the names."""
    written: dict[str, dict[str, Node]] = defaultdict(dict)
    for item in truth.items.values():
        for link in item.links:
            written[link.relation][link.written] = link.node
    return {relation: dict(sorted(names.items())) for relation, names in written.items()}


def _taste(one: Rationale, likes: Callable[[str], Sequence[str]], items: Mapping[str, Item]) -> str:
    """A person's taste in names; the item itself is left out, which may be what was held back."""
    known = [items[key].name for key in likes(one.person) if key in items and key != one.item]
    if not known:
        return "something for a person of whom nothing is known"
    return f"something for a person who likes {', '.join(known[:_LIKED])}"


def _sample(one: Explained) -> Sample:
    return Sample(
        id=f"{one.id}/{one.system}",
        asked=one.asked,
        recommended=one.recommended,
        explanation=one.explanation,
        facts=one.facts,
        system=one.system,
        group=one.group or one.id,
        checks=one.checks,
    )


def _invented(explained: Sequence[Explained], seed: int) -> list[Sample]:
    """Twins with made-up claims, for a share of what each system explained."""
    twins = []
    for system in dict.fromkeys(one.system for one in explained):
        able = [one for one in explained if one.system == system and one.invented]
        able.sort(key=lambda one: _lot(seed, f"invented {one.id}"))
        twins += [
            _twin(_sample(one), "invented", one.invented, {GROUNDED: one.invented_grounded})
            for one in able[: round(_TWINNED * len(able))]
        ]
    return twins


def _checked(sample: Sample, *, own: bool) -> Sample:
    checks = {**sample.checks, OWN_EXPLANATION: float(own)}
    return msgspec.structs.replace(sample, checks=checks)


def _twin(sample: Sample, control: Control, explanation: str, checks: dict[str, float]) -> Sample:
    return msgspec.structs.replace(
        sample,
        id=f"{sample.id}/{control}",
        explanation=explanation,
        checks=checks,
        control=control,
        control_of=sample.id,
    )


def _facts_of(item: Item) -> str:
    written = dict.fromkeys(link.written for link in item.links[:_FACTS])
    return f"{item.name}: {', '.join(written)}."


def _key_of(path: Path) -> Path:
    return path.with_name(f"{path.stem}-key.jsonl")


def _lot(seed: int, text: str) -> str:
    """A place in a draw that depends on nothing but the seed and the text, as hex digits."""
    return hashlib.sha256(f"{seed}\0{text}".encode()).hexdigest()

"""Gold questions: what each should find, and whether an answer's first three items hold it.

Whether an item holds the gold constraints is read from the store by `truth.py`, whatever the
system understood; a fault in understanding or retrieval counts against it here. Questions of the
test half are counted and never listed: what nobody has looked at cannot be tuned to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from localrec.domains import Role
from localrec.errors import InputError, UsageError
from localrec.evaluation.claims import Claim, claims_of
from localrec.evaluation.configs import Half
from localrec.evaluation.intervals import SEED, Measure, measure
from localrec.evaluation.truth import Item, StoreTruth, words_of
from localrec.types import Answer, IntentView, TaskKind

K = 3
Weighed = tuple[float, float]  # part and weight, as `intervals.measure` takes them
_PERCENTILES = (50, 95)


class Gold(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What an answer to a question must hold, in names of the taxonomy.

    Args:
        include: Components, every one of them.
        include_any: Groups of components (or of another kind: two colours), one of each group.
        exclude: What must not be in it, nor on it as a garnish.
        glass: Containers, one of them.
        colour: Colours, one of them.
        look: Looks, every one of them.
        category: Categories, one of them.
        alcohol: With or without, None where the question does not say.
        garnish: Garnishes, every one of them.
        target: The example, which is no answer itself.
    """

    include: tuple[str, ...] = ()
    include_any: tuple[tuple[str, ...], ...] = ()
    exclude: tuple[str, ...] = ()
    glass: tuple[str, ...] = ()
    colour: tuple[str, ...] = ()
    look: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    alcohol: Literal["non-alcoholic", "alcoholic"] | None = None
    garnish: tuple[str, ...] = ()
    target: str | None = None


class GoldQuestion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of the gold file; `possible` is its author's belief, which the store may refute."""

    id: str
    query: str
    half: Half
    task: TaskKind
    style: tuple[str, ...] = ()
    gold: Gold
    possible: bool


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One answer, judged.

    Args:
        question: What was asked.
        understood: What the system read in it.
        routed: The router's task; None where the system has no router.
        fitting: How many items of the catalogue hold the gold.
        broken: Per returned item of the first three: its name and the demands it breaks.
        own_target: The example came back as an alternative to itself.
        barred_served: An item has something excluded, or alcohol where none was wanted.
        relaxed: The answer says that it let something go.
        claims: What the answer claims, checked.
        spoke: Who played each role.
        timings_ms: Stage -> milliseconds.
        tokens: Stage -> tokens that its model read and wrote.
    """

    question: GoldQuestion
    understood: IntentView
    routed: TaskKind | None
    fitting: int
    broken: tuple[tuple[str, tuple[str, ...]], ...]
    own_target: bool
    barred_served: bool
    relaxed: bool
    claims: tuple[Claim, ...]
    spoke: dict[str, str]
    timings_ms: dict[str, float]
    tokens: dict[str, int]

    @property
    def ms(self) -> float:
        """Time of all stages."""
        return sum(self.timings_ms.values())

    @property
    def holding(self) -> int:
        """How many of the first three items hold everything."""
        return sum(not demands for _, demands in self.broken)


class CaseDetails(msgspec.Struct, frozen=True, kw_only=True):
    """What a judged answer says in words; see `Case`."""

    question: GoldQuestion
    understood: IntentView
    broken: tuple[tuple[str, tuple[str, ...]], ...]
    ungrounded: tuple[str, ...]


class CaseLine(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A judged answer as a line of a file of cases; of the test half without a word of it.

    Args:
        id: The question's.
        task: The gold task.
        routed: The router's; None where the system has none.
        parts: Figure name -> this question's part of it, and its weight there.
        ms: Time of all stages.
        tokens: What models read and wrote.
        details: Of the dev half only.
    """

    id: str
    task: TaskKind
    routed: TaskKind | None
    parts: dict[str, Weighed]
    ms: float
    tokens: int = 0
    details: CaseDetails | None = None


class StageCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a stage of a system costs: milliseconds and tokens, means over the questions."""

    ms: float
    tokens: float


class SystemReport(msgspec.Struct, frozen=True, kw_only=True):
    """One system's figures on one half; `failed` lists ids on the dev half and is None on test.

    Args:
        system: Its name.
        half: Which questions.
        questions: How many.
        seed: Of the bootstrap.
        measures: Figure name -> value and interval.
        confusion: Gold task -> routed task -> questions.
        by_task: Task -> figures.
        by_style: Style -> figures.
        failures: Figure name -> questions that fall short.
        failed: The same as ids.
        disagreements: Questions whose `possible` the store refutes.
        spoke: Role -> who played it -> questions.
        stages: Stage -> what it costs.
        percentiles_ms: Percentile -> time of an answer.
    """

    system: str
    half: Half
    questions: int
    seed: int
    measures: dict[str, Measure]
    confusion: dict[str, dict[str, int]]
    by_task: dict[str, dict[str, Measure]]
    by_style: dict[str, dict[str, Measure]]
    failures: dict[str, int]
    failed: dict[str, tuple[str, ...]] | None
    disagreements: int
    spoke: dict[str, dict[str, int]]
    stages: dict[str, StageCost] = {}
    percentiles_ms: dict[str, float] = {}


MEASURES: dict[str, Callable[[Case], Weighed]] = {
    "router_accuracy": lambda case: (
        case.routed == case.question.task,
        case.routed is not None,
    ),
    "satisfaction_at_3": lambda case: (case.holding / max(1, len(case.broken)), case.fitting > 0),
    "strict_satisfaction_at_3": lambda case: (
        case.holding / max(1, min(K, case.fitting)),
        case.fitting > 0,
    ),
    "answered": lambda case: (bool(case.broken), 1),
    "own_target": lambda case: (case.own_target, case.question.gold.target is not None),
    "barred_served": lambda case: (case.barred_served, _bars_something(case.question.gold)),
    "relaxed_wrongly": lambda case: (case.relaxed, case.fitting > 0),
    "impossible_admitted": lambda case: (case.relaxed or not case.broken, case.fitting == 0),
    "edges_real": lambda case: _share_held([one for one in case.claims if one.is_edge]),
    "words_carried": lambda case: _share_held([one for one in case.claims if not one.is_edge]),
    "claims_grounded": lambda case: _share_held(case.claims),
    "mean_ms": lambda case: (case.ms, 1),
    "mean_tokens": lambda case: (sum(case.tokens.values()), bool(case.tokens)),
}
FAULTS = frozenset({"own_target", "barred_served", "relaxed_wrongly"})  # the fewer the better
COSTS = frozenset({"mean_ms", "mean_tokens"})  # not judged, and never compared


def read_gold(path: Path, half: Half) -> list[GoldQuestion]:
    """The gold questions of one half.

    Raises:
        InputError: the file or a line cannot be read, or an id comes twice; names the line.
    """
    questions: dict[str, GoldQuestion] = {}
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            question = msgspec.json.decode(line, type=GoldQuestion)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(
                f"{path}, line {number} is no gold question: {error}.", "Mend the line."
            ) from error
        if question.id in questions:
            raise InputError(
                f"{path}, line {number}: the id {question.id!r} comes twice.", "Change one."
            )
        questions[question.id] = question
    return [question for question in questions.values() if question.half == half]


def unknown_names(questions: Iterable[GoldQuestion], truth: StoreTruth) -> Iterator[str]:
    """Names in gold constraints that stand for nothing in the store or the taxonomy."""
    for question in questions:
        gold = question.gold
        for name in (
            *gold.include,
            *(name for group in gold.include_any for name in group),
            *gold.exclude,
            *(name for _, names in _attributes_asked(gold) for name in names),
        ):
            if not truth.resolve(name.partition(": ")[2] or name):
                yield name
        if gold.target is not None and not truth.items_named(gold.target):
            yield gold.target


def broken_demands(gold: Gold, item: Item, truth: StoreTruth) -> tuple[str, ...]:
    """What an item breaks of the gold; () where it holds everything."""
    component = truth.domain.kind_of("component")
    broken = [
        f"has no {name}" for name in gold.include if not truth.has_any(item, component, (name,))
    ]
    broken += [
        f"has none of {', '.join(group)}"
        for group in gold.include_any
        if not truth.has_any(item, truth.kind_of_all(group), group)
    ]
    for role, names in _attributes_asked(gold):
        if names and not truth.has_any(item, truth.domain.kind_of(role), names):
            broken.append(f"{role} is not {' or '.join(names)}")
    if gold.target is not None and words_of(gold.target) == words_of(item.name):
        broken.append("is the example")
    return (*broken, *barred_in(gold, item, truth))


def barred_in(gold: Gold, item: Item, truth: StoreTruth) -> tuple[str, ...]:
    """What an item has that the gold bars, alcohol among it."""
    found = [f"has {name}" for name in gold.exclude if truth.has_barred(item, name)]
    if gold.alcohol is not None and item.properties.get("alcoholic") != gold.alcohol:
        found.append(f"is not {gold.alcohol}")
    return tuple(found)


def judge(question: GoldQuestion, answer: Answer, truth: StoreTruth) -> Case:
    """Hold one answer against the gold and the store.

    An item that the store does not know breaks everything.
    """
    gold = question.gold
    told = answer.items[:K]
    items = [truth.items[one.key] for one in told if one.key in truth.items]
    target = words_of(gold.target) if gold.target is not None else None
    return Case(
        question=question,
        understood=answer.intent,
        routed=answer.task.kind if "router" in answer.spoke else None,
        fitting=sum(not broken_demands(gold, item, truth) for item in truth.items.values()),
        broken=tuple(
            (one.name, broken_demands(gold, truth.items[one.key], truth))
            if one.key in truth.items
            else (one.name, ("is not in the catalogue",))
            for one in told
        ),
        own_target=any(words_of(item.name) == target for item in items),
        barred_served=any(barred_in(gold, item, truth) for item in items),
        relaxed=bool(answer.relaxed),
        claims=tuple(claims_of(answer, truth)),
        spoke=answer.spoke,
        timings_ms=answer.timings_ms,
        tokens=answer.tokens,
    )


def line_of(case: Case) -> CaseLine:
    """A judged answer as it is kept."""
    question = case.question
    details = CaseDetails(
        question=question,
        understood=case.understood,
        broken=case.broken,
        ungrounded=tuple(claim.text for claim in case.claims if not claim.holds),
    )
    return CaseLine(
        id=question.id,
        task=question.task,
        routed=case.routed,
        parts={
            name: (float(part), float(weight))
            for name, take in MEASURES.items()
            if name not in COSTS
            for part, weight in (take(case),)
        },
        ms=round(case.ms, 3),
        tokens=sum(case.tokens.values()),
        details=details if question.half == "dev" else None,
    )


def summarise(system: str, half: Half, cases: Sequence[Case], seed: int = SEED) -> SystemReport:
    """A system's figures over the judged answers of one half.

    Raises:
        UsageError: a case belongs to the other half.
    """
    if any(case.question.half != half for case in cases):
        raise UsageError(f"A question of another half is among those of {half}.")
    failed = {name: _failed(name, cases) for name in MEASURES if name not in COSTS}
    styles = sorted({style for case in cases for style in case.question.style})
    return SystemReport(
        system=system,
        half=half,
        questions=len(cases),
        seed=seed,
        measures=_measured(cases, seed),
        confusion={
            gold: dict(
                Counter(
                    case.routed.value
                    for case in cases
                    if case.question.task == gold and case.routed is not None
                )
            )
            for gold in TaskKind
        },
        by_task={
            task: _measured([case for case in cases if case.question.task == task], seed)
            for task in TaskKind
        },
        by_style={
            style: _measured([case for case in cases if style in case.question.style], seed)
            for style in styles
        },
        failures={name: len(ids) for name, ids in failed.items()},
        failed=failed if half == "dev" else None,
        disagreements=sum(case.question.possible != (case.fitting > 0) for case in cases),
        spoke=_who_spoke(cases),
        stages=_costs(cases),
        percentiles_ms=_percentiles([case.ms for case in cases]),
    )


def failures_to_show(cases: Sequence[Case]) -> list[tuple[Case, list[str]]]:
    """The cases that fall short of something, with the names of the figures; dev half only.

    Raises:
        UsageError: a case is of the test half, whose failures stay unread.
    """
    if any(case.question.half != "dev" for case in cases):
        raise UsageError(
            "Failures are shown for the dev half only; those of the test half stay unread.",
            "Use --half dev.",
        )
    named = ((case, [n for n in MEASURES if n not in COSTS and _fails(n, case)]) for case in cases)
    return [(case, names) for case, names in named if names]


def _measured(cases: Sequence[Case], seed: int) -> dict[str, Measure]:
    return {name: measure([take(case) for case in cases], seed) for name, take in MEASURES.items()}


def _failed(name: str, cases: Sequence[Case]) -> tuple[str, ...]:
    return tuple(case.question.id for case in cases if _fails(name, case))


def _fails(name: str, case: Case) -> bool:
    part, weight = MEASURES[name](case)
    return weight > 0 and bool(part > 0 if name in FAULTS else part < weight)


def _share_held(claims: Sequence[Claim]) -> Weighed:
    return sum(claim.holds for claim in claims), len(claims)


def _bars_something(gold: Gold) -> bool:
    return bool(gold.exclude) or gold.alcohol is not None


def _attributes_asked(gold: Gold) -> tuple[tuple[Role, tuple[str, ...]], ...]:
    """Demands on attributes that are no components; of each group one must be there."""
    return (
        ("container", gold.glass),
        ("colour", gold.colour),
        ("category", gold.category),
        *(("look", (name,)) for name in gold.look),
        *(("garnish", (name,)) for name in gold.garnish),
    )


def _costs(cases: Sequence[Case]) -> dict[str, StageCost]:
    stages = dict.fromkeys(name for case in cases for name in (*case.timings_ms, *case.tokens))
    return {
        name: StageCost(
            ms=round(sum(case.timings_ms.get(name, 0.0) for case in cases) / len(cases), 3),
            tokens=round(sum(case.tokens.get(name, 0) for case in cases) / len(cases), 1),
        )
        for name in stages
    }


def _percentiles(times_ms: Sequence[float]) -> dict[str, float]:
    if not times_ms:
        return {}
    values = np.percentile(times_ms, _PERCENTILES).tolist()
    return {str(name): round(ms, 3) for name, ms in zip(_PERCENTILES, values, strict=True)}


def _who_spoke(cases: Sequence[Case]) -> dict[str, dict[str, int]]:
    roles = dict.fromkeys(role for case in cases for role in case.spoke)
    return {role: dict(Counter(case.spoke.get(role, "") for case in cases)) for role in roles}

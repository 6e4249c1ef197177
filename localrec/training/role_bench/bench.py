"""Run the bench: ask a model and the rules the same cases, role by role.

`localrec models bench` runs it for any GGUF, with an adapter for each role that has one. Cases are
composed from the workspace's graph and its people with a fixed seed, and carry a fingerprint, so
that the figures of two models can be told to be of the same cases. What gold questions measure is
asked of those too, and decided by them alone (`gold_cases`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from localrec.evaluation.provenance import current_origin
from localrec.evaluation.statistics import compare, ratio_estimate
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.progress import Progress
from localrec.foundation.record_files import sha256_of
from localrec.foundation.settings import VISION, Settings
from localrec.images.analyzers import image_analyzer, vision_analyzer
from localrec.llm.model_process import ModelProcess
from localrec.llm.usage_tracker import UsageTracker
from localrec.training.role_bench.case_runner import ask_cases
from localrec.training.role_bench.gold_cases import GoldSet, no_gold, open_gold
from localrec.training.role_bench.picture_cases import IMAGE_WORDS, picture_cases
from localrec.training.role_bench.question_cases import reflector_cases, router_cases, slot_cases
from localrec.training.role_bench.records import (
    GOLD_ROLES,
    SEED,
    AskCase,
    BenchReport,
    EmptyRole,
    RoleCases,
    RoleLine,
    RoleResult,
    RoleSide,
)
from localrec.training.role_bench.user_cases import (
    HeldOutUsers,
    agent_cases,
    memory_cases,
    reranker_cases,
    rule_cases,
)
from localrec.training.role_bench.writing_cases import judge_cases, writer_cases
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_choice import domain_of_question
from localrec.workspace.domain_context import DomainContext

FEWEST = 2  # cases of a role
_PREFERRED = "cocktails"  # ships with localrec, so that everybody's cases are the same
_ITEM_CASES: Mapping[str, Callable[[DomainContext, int, int], RoleCases]] = {
    "router": router_cases,
    "slots": slot_cases,
    "reflector": reflector_cases,
    "writer": writer_cases,
    "judge": judge_cases,
}
_USER_CASES: Mapping[str, Callable[[HeldOutUsers, int], RoleCases]] = {
    "reranker": reranker_cases,
    "agent": agent_cases,
    "memory": memory_cases,
    "rules": rule_cases,
}
_EVERY = {"agent": 5, "rules": 20}  # one case in so many: theirs take longest
_BLIND = (
    "A model is asked for them once it sees: a GGUF with its projector, bound by `localrec models "
    "use vision MODEL.gguf --projector MMPROJ.gguf` and then benched; none comes with localrec."
)
_NO_PICTURES = (
    "Nothing here measures pictures of items; localrec datasets pull cocktails brings some."
)
ROLES = (
    *("router", "slots", "reflector", "writer", "reranker", "agent", "memory", "rules", "judge"),
    IMAGE_WORDS,
)


def bench_model(
    folder: Path,
    model: Path,
    adapters: Mapping[str, Path],
    roles: Sequence[str],
    count: int,
    progress: Progress,
    command: Sequence[str] = (),
    gold: Path | None = None,
) -> BenchReport:
    """Ask a model the cases of some roles.

    Args:
        folder: The workspace whose graph and people the cases are made of.
        model: A GGUF.
        adapters: Role -> the file of an adapter that was trained for it and for this model.
        roles: The roles, keys of `ROLES`.
        count: Cases of a role; slow roles have a part of them.
        progress: Called with each step and its progress.
        command: The arguments that decide the figures, for the record.
        gold: Gold questions about the own catalogue; None for those that ship.

    Raises:
        InputError: the gold questions cannot be read.
        UsageError: there is no such role.
        ModelError: a file cannot be used.
        WorkspaceError: there is no catalogue yet.
    """
    unknown = [role for role in roles if role not in ROLES]
    if unknown:
        raise UsageError(f"There is no role {unknown[0]!r}.", f"Roles: {', '.join(ROLES)}.")
    results, empty = list[RoleResult](), list[EmptyRole]()
    with OpenWorkspace(folder) as workspace, RoleComposer(workspace, progress, gold) as composer:
        for cases in (one for role in roles for one in composer.sets(role, count)):
            if isinstance(cases, EmptyRole):
                empty.append(cases)
                continue
            role = cases.role
            projector = _projector(workspace.settings, model) if role == IMAGE_WORDS else None
            if role == IMAGE_WORDS and projector is None:
                empty.append(
                    EmptyRole(role=role, reason=_BLIND, line=measure_line(cases, progress))
                )
                continue
            adapter, threads = adapters.get(role), workspace.settings.threads or None
            with ModelProcess(
                model, adapter=adapter, projector=projector, n_threads=threads
            ) as process:
                process.count_tokens("")  # a file that cannot be used is no wrong answer
                results.append(measure_role(cases, process, adapter is not None, progress))
    return BenchReport(
        model=model.stem,
        megabytes=round(model.stat().st_size / 1e6, 1),
        sha256=sha256_of(model),
        adapters={role: path.stem for role, path in adapters.items()},
        seed=SEED,
        results=tuple(results),
        empty=tuple(empty),
        origin=current_origin("-m localrec", ["models", "bench", *command]),
    )


class RoleComposer:
    """Make the cases of each role from one workspace.

    Args:
        workspace: Open as long as cases are asked.
        progress: Called with each step and its progress.
        gold: Gold questions about the own catalogue; None for those that ship.
    """

    def __init__(
        self, workspace: OpenWorkspace, progress: Progress, gold: Path | None = None
    ) -> None:
        self._workspace, self._progress, self._gold_file = workspace, progress, gold
        self._users: HeldOutUsers | EmptyRole | None = None

    def __enter__(self) -> RoleComposer:
        return self

    def __exit__(self, *raised: object) -> None:
        self._users = None

    def sets(self, role: str, count: int) -> Iterator[RoleCases | EmptyRole]:
        """Make all sets of cases of a role, its gold questions first."""
        if role in GOLD_ROLES:
            yield self._gold.cases(role) if self._gold else no_gold(role)
        yield self.cases(role, count)

    @cached_property
    def _gold(self) -> GoldSet | None:
        return open_gold(self._workspace, self._gold_file)

    def cases(self, role: str, count: int) -> RoleCases | EmptyRole:
        """Make the cases of a role that are no gold questions, or tell why it has none."""
        wanted = max(FEWEST, count // _EVERY.get(role, 1))
        if role == IMAGE_WORDS:
            return self._pictures(wanted)
        if role in _ITEM_CASES:
            context = self._workspace.context(self._domain_of_items())
            made = _ITEM_CASES[role](context, wanted, SEED)
        else:
            users = self._held_out()
            if isinstance(users, EmptyRole):
                return EmptyRole(role=role, reason=users.reason)
            made = _USER_CASES[role](users, wanted)
        if made.count < FEWEST:
            return EmptyRole(role=role, reason="The catalogue is too small to make cases of it.")
        return made

    def _pictures(self, count: int) -> RoleCases | EmptyRole:
        domain = self._workspace.context(self._domain_of_items()).domain
        measure, describe = image_analyzer(domain), vision_analyzer(domain)
        if measure is None or describe is None:
            return EmptyRole(role=IMAGE_WORDS, reason=_NO_PICTURES)
        return picture_cases(domain, measure, describe, count, SEED)

    def _domain_of_items(self) -> str:
        present = self._workspace.domains()
        wanted = _PREFERRED if _PREFERRED in present else None
        return domain_of_question(self._workspace, "", wanted)

    def _held_out(self) -> HeldOutUsers | EmptyRole:
        if self._users is None:
            self._users = self._opened_users()
        return self._users

    def _opened_users(self) -> HeldOutUsers | EmptyRole:
        rows = self._workspace.store.rows(
            "SELECT n.domain, count(*) FROM interaction i JOIN node n ON n.node_id = i.item_id "
            "GROUP BY ALL ORDER BY count(*) DESC, n.domain LIMIT 1"
        )
        reason = "Too few people chose anything here; localrec datasets pull ml-100k brings some."
        if not rows:
            return EmptyRole(role="", reason=reason)
        try:
            return HeldOutUsers(self._workspace, rows[0][0], SEED, self._progress)
        except (InputError, UsageError):
            return EmptyRole(role="", reason=reason)


def measure_line(cases: RoleCases, progress: Progress) -> RoleLine:
    """Ask all cases of a role without a model."""
    rules, _ = _evaluate_side(cases, cases.by_rules, None, cases.line, progress)
    return RoleLine(
        measure=cases.measure, cases=cases.count, fingerprint=cases.fingerprint, rules=rules
    )


def _projector(settings: Settings, model: Path) -> Path | None:
    """Return the projector that is bound beside a model that sees; None for any other."""
    bound = Path(settings.holder_of(VISION))
    sees = bool(settings.projector) and bound.is_file() and bound.samefile(model)
    return Path(settings.projector) if sees else None


def measure_role(
    cases: RoleCases, model: ModelProcess, adapted: bool, progress: Progress
) -> RoleResult:
    """Ask both sides all cases of a role.

    Raises:
        ModelCancelledError: the model was stopped.
        ModelError: the model could not be made ready.
    """
    tracked = UsageTracker(model)
    prepared = cases.prepare(tracked, adapted)
    tracked.taken()  # what making it ready cost is no case's
    rules, of_rules = _evaluate_side(cases, cases.by_rules, None, cases.line, progress)
    side, of_model = _evaluate_side(cases, prepared.ask, tracked, model.name, progress)
    return RoleResult(
        role=cases.role,
        measure=cases.measure,
        cases=cases.count,
        fingerprint=cases.fingerprint,
        rules=rules,
        model=side,
        difference=compare(of_model, of_rules),
        notes=prepared.notes,
        gold=cases.gold,
    )


def _evaluate_side(
    cases: RoleCases, ask: AskCase, tracked: UsageTracker | None, name: str, progress: Progress
) -> tuple[RoleSide, list[tuple[float, float]]]:
    """Ask one side all cases; one that comes to nothing scores 0."""
    answered = ask_cases(
        cases.count, ask, lambda done, total: progress(f"{cases.role}: {name}", done, total)
    )
    parts = [(0.0 if answer is None else answer.score, 1.0) for answer in answered.answers]
    shapes: set[str] | None = None
    if cases.shape is not None:
        texts = [
            (number, one.text) for number, one in enumerate(answered.answers) if one is not None
        ]
        shapes = {cases.shape(number, text) for number, text in texts if text}
    tokens = 0 if tracked is None else tracked.taken().tokens
    side = RoleSide(
        name=name,
        quality=ratio_estimate(parts),
        seconds=round(answered.median_s, 4),
        tokens=round(tokens / cases.count, 1),
        failed=answered.failed,
        shapes=None if shapes is None else len(shapes),
    )
    return side, parts

"""The folder of a run: its origin, every finished case, and the figures.

    config.toml  origin.json  cases-SYSTEM.jsonl  search-SYSTEM.json  metrics.json

A question run also keeps `answers-SYSTEM.jsonl`, as `ask --batch` writes them; systems that explain
keep `rationales-SYSTEM.jsonl`, agents their trajectories in `trajectories-SYSTEM.jsonl`.

The same command resumes a killed run: at most an incomplete last line is lost, and finished cases
are not asked again. A run resumes only with the same configuration, data and versions; otherwise
its halves would not belong together. Further systems may join; the figures of the others stay.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from localrec.data.trajectory import Trajectory
from localrec.evaluation.configs import Name, QuestionRunConfig, RunConfig
from localrec.evaluation.provenance import Origin
from localrec.evaluation.questions.answer_scoring import AnswerScoreRecord
from localrec.evaluation.questions.summaries import SystemReport
from localrec.evaluation.ranking.inference import CaseResult
from localrec.evaluation.ranking.leakage import Suspicion
from localrec.evaluation.statistics import IntervalEstimate
from localrec.foundation.atomic_files import sync
from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.jsonl_log import read_records, write_records
from localrec.foundation.paths import exclusive, make_private, owner_only
from localrec.foundation.record_files import Record, read_record, replace_file, write_record
from localrec.ranking.baselines.tuning import TuningResult
from localrec.ranking.recommender import SettingValue

_LINE_BEGINS = b'{"id":'
_Run = RunConfig | QuestionRunConfig


class RunOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """The record that is needed to repeat a run.

    Args:
        run: Configuration with every default.
        protocol: Protocol in words.
        fingerprint: Hash of the data.
        users: Number of users in the data.
        items: Number of items.
        interactions: Number of interactions.
        train: Interactions that systems were fitted on.
        validation: Cases they were tuned on.
        test: Cases they were tested on.
        made: Command, day, versions, machine.
        engine: Engine that ran the cases.
    """

    run: RunConfig
    protocol: str
    fingerprint: str
    users: int = msgspec.field(name="people")
    items: int
    interactions: int
    train: int
    validation: int
    test: int
    made: Origin
    engine: str


class QuestionRunOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """The record that is needed to repeat a question run.

    Args:
        run: Configuration with every default.
        fingerprint: Hash of the gold file and of the catalogue.
        questions: The number of questions in the half.
        unknown: Gold names that the catalogue does not know.
        items: The number of items in the catalogue.
        models: Role -> model, for the roles that a system leaves to a model; the embedder too.
        made: Command, day, versions, machine.
    """

    run: QuestionRunConfig
    fingerprint: str
    questions: int
    unknown: int
    items: int
    models: dict[str, str]
    made: Origin


class SystemResult(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of one system.

    Args:
        name: Name in the configuration.
        settings: Settings of the fit.
        fit_s: Seconds to fit; for a system that answers questions, to open it.
        spared_s: Seconds of `fit_s` that an earlier system of the run had spent on shared learning.
        score_s: Seconds for all answers.
        cases: Number of cases.
        metrics: Name -> figure with its interval; people, or questions, are resampled.
        faults: Kind of fault -> the number of answers that have it.
        failed: Reason why it was not measured; "" where it was.
        suspicions: Reasons not to believe the figures.
        search: Result of the tuning.
        per_case: File of its cases, beside this one.
        questions: All counts of a question run.
    """

    name: Name
    settings: dict[str, SettingValue]
    fit_s: float
    score_s: float
    cases: int
    metrics: dict[str, IntervalEstimate]
    faults: dict[str, int] = {}
    failed: str = ""
    suspicions: tuple[Suspicion, ...] = ()
    search: TuningResult | None = None
    per_case: str = ""
    questions: SystemReport | None = None
    spared_s: float = 0.0


class TrajectoryRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a run's `trajectories-SYSTEM.jsonl`: an agent's run for a case.

    Args:
        id: The case's.
        user: Key of the user; "person" in the file.
        items: Keys of all that it tells of by title, so that forgetting one of them finds it.
        trajectory: The whole trajectory.
    """

    id: str
    user: str = msgspec.field(name="person")
    items: tuple[str, ...]
    trajectory: Trajectory


class RunMetrics(msgspec.Struct, frozen=True, kw_only=True):
    """All figures of a run, in the order of its systems; `complete` once there are no more."""

    complete: bool
    systems: tuple[SystemResult, ...]


class _Begun(msgspec.Struct):
    run: dict[str, msgspec.Raw]


class RunFolder:
    """One run's files; `begin` makes the folder, or goes on with it.

    Example:
        `RunFolder(Path("runs/baselines")).metrics().systems[0].metrics` maps the name of each
        metric to its figure with an interval.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self, config: bytes, origin: RunOrigin | QuestionRunOrigin) -> None:
        """Write how the run began, or check that it is resumed the same way.

        A package that came or went since is no other way: a system that failed for want of torch
        is what a run is gone on with for. The origin then tells its version as well. Nor are
        further systems, which it is gone on with for too.

        Raises:
            UsageError: it was begun with another configuration, other data, models or versions.
        """
        make_private(self.path)
        if not (self.path / "origin.json").is_file():
            replace_file(self.path / "config.toml", config)
            self.write("origin.json", origin)  # last: it vouches for the rest
            return
        before = self.any_origin()
        then, now = before.made.versions, origin.made.versions
        both = then.keys() & now.keys()
        changed = [
            name
            for name, one, other in (
                ("configuration", before.run, _without_joined(origin.run, before.run)),
                ("data", before.fingerprint, origin.fingerprint),
                ("models", _models_of(before), _models_of(origin)),
                ("versions", {one: then[one] for one in both}, {one: now[one] for one in both}),
            )
            if one != other
        ]
        if changed:
            raise UsageError(
                f"{self.path} was begun with another state of: {', '.join(changed)}.",
                "Name another folder with --out.",
            )
        if before.run != origin.run:
            replace_file(self.path / "config.toml", config)
        if before.run != origin.run or len(both) < len(now):
            made = msgspec.structs.replace(before.made, versions={**then, **now})
            self.write("origin.json", msgspec.structs.replace(before, run=origin.run, made=made))

    def any_origin(self) -> RunOrigin | QuestionRunOrigin:
        """Read the origin of a run of either kind."""
        return self.question_origin() if self.asks_questions else self.origin()

    def origin(self) -> RunOrigin:
        """Read the origin of a ranking run."""
        return self.read("origin.json", RunOrigin)

    def question_origin(self) -> QuestionRunOrigin:
        """Read the origin of a question run."""
        return self.read("origin.json", QuestionRunOrigin)

    @property
    def asks_questions(self) -> bool:
        """Whether the run is one over questions; any other ranks."""
        return "questions" in self.read("origin.json", _Begun).run

    def metrics(self) -> RunMetrics:
        """Read the figures measured so far."""
        if not (self.path / "metrics.json").is_file():
            return RunMetrics(complete=False, systems=())
        return self.read("metrics.json", RunMetrics)

    def outcomes(self, system: str) -> list[CaseResult]:
        """Read the finished cases of a system, in the order of the file."""
        path = self.path / case_file(system)
        return read_records(path, CaseResult, skip_blank=False) if path.is_file() else []

    def case_lines(self, system: str) -> list[AnswerScoreRecord]:
        """Read the judged answers of a system in a question run; none where it has no file."""
        path = self.path / case_file(system)
        return read_records(path, AnswerScoreRecord) if path.is_file() else []

    def trajectories(self, system: str) -> list[TrajectoryRecord]:
        """Read the trajectories of an agent, case by case; none where it has no file."""
        path = self.path / trajectory_file(system)
        return read_records(path, TrajectoryRecord) if path.is_file() else []

    def mend(self, system: str) -> None:
        """Cut off a last line that a kill left incomplete, and trajectories without a case.

        Raises:
            InputError: the rest is no case that was torn.
        """
        self._mend_lines(self.path / case_file(system))
        self._mend_lines(self.path / trajectory_file(system))
        if acted := self.trajectories(system):
            done = {one.id for one in self.outcomes(system)}
            whole = [one for one in acted if one.id in done]
            write_records(self.path / trajectory_file(system), whole)

    def _mend_lines(self, path: Path) -> None:
        if not path.is_file():
            return
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        torn = content[whole:]
        if not torn:
            return
        if not (torn.startswith(_LINE_BEGINS) or _LINE_BEGINS.startswith(torn)):
            raise InputError(f"The last line of {path} is no case.", "Name another --out.")
        with path.open("r+b") as file:
            file.truncate(whole)
        sync(path)

    def append(self, system: str, outcomes: Sequence[CaseResult]) -> None:
        """Append cases; both they and their trajectories are on disk when this returns."""
        acted = [
            TrajectoryRecord(
                id=one.id, user=one.user, items=one.trajectory_items, trajectory=one.trajectory
            )
            for one in outcomes
            if one.trajectory is not None
        ]
        if acted:
            self._append(trajectory_file(system), acted)
        cases = [
            msgspec.structs.replace(one, trajectory=None, trajectory_items=()) for one in outcomes
        ]
        self._append(case_file(system), cases)

    def _append(self, name: str, records: Sequence[msgspec.Struct]) -> None:
        with owner_only(), (self.path / name).open("ab") as file:
            file.write(b"".join(msgspec.json.encode(one) + b"\n" for one in records))
            file.flush()
            os.fsync(file.fileno())

    def read(self, name: str, shape: type[Record]) -> Record:
        """Read one of the folder's JSON files.

        Raises:
            InputError: it is not there, or is something else.
        """
        remedy = "localrec evaluate list shows the runs."
        return read_record(self.path / name, shape, "a run", remedy)

    def write(self, name: str, record: msgspec.Struct) -> None:
        """Replace one of the folder's JSON files, whole or not at all."""
        write_record(self.path / name, record)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the folder against other processes inside the block.

        Raises:
            BusyError: somebody does.
        """
        make_private(self.path)
        with owner_only(), exclusive(self.path / "lock", of=self.path):
            yield


def case_file(system: str) -> str:
    """Name a system's file of cases."""
    return f"cases-{system}.jsonl"


def answer_file(system: str) -> str:
    """Name a system's file of answers to questions."""
    return f"answers-{system}.jsonl"


def rationale_file(system: str) -> str:
    """Name a system's file of rationales."""
    return f"rationales-{system}.jsonl"


def trajectory_file(system: str) -> str:
    """Name a system's file of trajectories."""
    return f"trajectories-{system}.jsonl"


def _without_joined(now: _Run, then: _Run) -> _Run:
    """Return a configuration with only the systems of an earlier one, in its order."""
    named = {one.name: one for one in now.systems}
    stayed = tuple(named[one.name] for one in then.systems if one.name in named)
    return msgspec.structs.replace(now, systems=stayed or now.systems)


def _models_of(origin: RunOrigin | QuestionRunOrigin) -> dict[str, str]:
    return origin.models if isinstance(origin, QuestionRunOrigin) else {}


def find_run(named: str, runs: Path) -> RunFolder:
    """Find a run by its folder, or by its name in a workspace's `runs/`.

    Raises:
        InputError: there is none.
    """
    for path in (Path(named), runs / named):
        if (path / "origin.json").is_file():
            return RunFolder(path)
    known = ", ".join(run.path.name for run in runs_in(runs)) or "none yet"
    raise InputError(f"There is no run {named!r}.", f"In {runs}: {known}.")


def runs_in(runs: Path) -> list[RunFolder]:
    """List the runs of a workspace, by name."""
    return [RunFolder(path.parent) for path in sorted(runs.glob("*/origin.json"))]

"""`Workspace.evaluate`: systems measured over the same cases, compared, judged, exchanged."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from localrec.api.call_group import CallGroup
from localrec.api.evaluation import RUNS, Evaluation
from localrec.api.records import RecordList
from localrec.api.session import WorkspaceSession
from localrec.foundation.errors import UsageError
from localrec.foundation.progress import Progress, no_progress

if TYPE_CHECKING:
    from localrec.evaluation.comparisons import SystemComparison
    from localrec.evaluation.configs import AnyRunConfig, RunConfig
    from localrec.evaluation.explanations.judge_reliability import JudgeSummary
    from localrec.evaluation.explanations.judged_run import Scales
    from localrec.evaluation.run_listing import ListedRun

_Files = list[Path]  # within the class, `list` is one of the calls


class EvaluateCalls(CallGroup):
    """Measure systems, compare what was measured: `workspace.evaluate("ml-100k-baselines-20")`."""

    def __call__(
        self,
        config: str | Path,
        *,
        systems: Sequence[str] | None = None,
        own: Mapping[str, object] | None = None,
        name: str | None = None,
        progress: Progress = no_progress,
    ) -> Evaluation:
        """Measure systems over the same cases; read the figures that are there already.

        Args:
            config: A ready configuration by name, a file, or a folder of data such as RecBole's.
            systems: Only these of its systems, by default all; for a folder, names of baselines,
                `auto` and `auto-counted`.
            own: Name -> a recommender of your own, as a class, a function or an object; docs/api.md
                describes its methods.
            name: Name of the run's folder in the workspace; by default that of the configuration,
                with a digest of the systems where you chose them.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.api.own_systems import OwnSystemFactory
        from localrec.evaluation.configs import RunConfig
        from localrec.evaluation.provenance import current_origin
        from localrec.evaluation.questions.question_harness import run_question_evaluation
        from localrec.evaluation.ranking.ranking_harness import run_ranking_evaluation
        from localrec.evaluation.ranking.system_factory import SystemFactory
        from localrec.evaluation.run_folder import RunFolder

        declared, text = _declared(str(config), systems)
        if isinstance(declared, RunConfig):
            declared = _with_chosen(declared, systems, own or {})
        elif own or systems:
            raise UsageError(
                f"{declared.name} measures answers to questions, by the systems that it names.",
                "Leave systems and own out, or name a configuration that measures rankings.",
            )
        folder = RunFolder(self._folder / RUNS / (name or _run_name(declared, systems, own)))
        made = current_origin("-c", ["Workspace().evaluate", Path(config).name])
        home = _data_of(self._session, Path(config), folder.path, progress)
        workbench = partial(OwnSystemFactory, own=own) if own else SystemFactory
        with home._warm.lease() as opened:
            if isinstance(declared, RunConfig):
                run_ranking_evaluation(
                    declared,
                    text,
                    opened,
                    folder,
                    made,
                    progress=progress,
                    workbench=workbench,
                )
            else:
                run_question_evaluation(
                    declared, text, self._folder, folder, made, progress=progress
                )
        return Evaluation(folder)

    def list(self) -> RecordList[ListedRun]:
        """List the runs of the workspace, and the configurations that are ready to run."""
        from localrec.evaluation.run_listing import listed_configs, listed_runs

        return RecordList([*listed_runs(self._folder / RUNS), *listed_configs()])

    def compare(self, ours: str, theirs: str) -> RecordList[SystemComparison]:
        """Say of each metric whether one run is better than another, or cannot be told apart.

        Args:
            ours: A run's name or folder, or RUN:SYSTEM.
            theirs: Against which.
        """
        from localrec.evaluation.run_listing import compare_named

        return RecordList(compare_named(ours, theirs, self._folder / RUNS))

    def merge(self, runs: Sequence[str], *, name: str = "joined") -> Evaluation:
        """Merge runs that measured different systems on the same cases.

        Args:
            runs: Their names or folders.
            name: Name of the new run.
        """
        from localrec.evaluation.merge import merge_runs
        from localrec.evaluation.run_folder import RunFolder, find_run

        into = RunFolder(self._folder / RUNS / name)
        merge_runs([find_run(run, self._folder / RUNS) for run in runs], into)
        return Evaluation(into)

    def export(self, run: str, out: str | Path) -> _Files:
        """Write what the systems of a run ranked as TREC runs and qrels; return the files."""
        from localrec.evaluation.run_folder import find_run

        return Evaluation(find_run(run, self._folder / RUNS)).to_trec(out)

    def judge(
        self,
        run: str,
        *,
        model: str | None = None,
        scales: Scales | None = None,
        samples: int = 30,
        seed: int = 7,
        gold: str | Path | None = None,
        domain: str | None = None,
        progress: Progress = no_progress,
    ) -> JudgeSummary:
        """Have a local model judge explanations without their systems' names; takes minutes.

        Args:
            run: A run's name or folder whose systems explained what they recommend.
            model: The judge: a chat model, or a GGUF file.
            scales: "marc" (for answers) or "memrec" (for rationales); by default those that fit the
                run.
            samples: The number of questions, drawn from those that all systems answered.
            seed: Seed of the draw; keep it to continue a judgement.
            gold: A file of gold questions; by default those that ship.
            domain: Domain of the items; by default the one that knows them.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.evaluation.explanations import judged_run

        folder = judged_run.explained_folder(run, self._folder / RUNS)
        family = scales or judged_run.scales_for(folder)
        file = None if gold is None else Path(gold).expanduser()
        with self._read() as opened:
            drawn = judged_run.samples_to_judge(opened, folder, family, domain, file, samples, seed)
        with self._store_closed() as opened:
            verdicts = judged_run.judge_drawn(opened, folder, drawn, family, seed, model, progress)
        told = [folder.name, "--scales", family, "--samples", str(samples), "--seed", str(seed)]
        return judged_run.keep_judgement(folder, drawn, verdicts, told)[0]


def _data_of(
    session: WorkspaceSession, config: Path, run: Path, progress: Progress
) -> WorkspaceSession:
    """Return the workspace to evaluate on: this one, or one that a folder is imported into."""
    from localrec.evaluation.data_folders import import_folder

    if not config.is_dir():
        return session
    import_folder(config, run / "data", progress)
    return WorkspaceSession(run / "data")


def _declared(config: str, systems: Sequence[str] | None) -> tuple[AnyRunConfig, bytes]:
    from localrec.evaluation.configs import load_config
    from localrec.evaluation.data_folders import SYSTEMS, folder_config

    if Path(config).is_dir():
        return folder_config(Path(config), systems=systems or SYSTEMS)
    return load_config(config)


def _run_name(
    config: AnyRunConfig, systems: Sequence[str] | None, own: Mapping[str, object] | None
) -> str:
    """The configuration's name; where systems were chosen, with a digest of them."""
    if not systems and not own:
        return config.name
    digest = hashlib.blake2b(msgspec.json.encode(config.systems), digest_size=4)
    return f"{config.name}-{digest.hexdigest()}"


def _with_chosen(
    config: RunConfig, systems: Sequence[str] | None, own: Mapping[str, object]
) -> RunConfig:
    """The configuration with the systems that are wanted, those of the user behind ours.

    Raises:
        UsageError: a name is not in the configuration, or stands for two systems.
    """
    from localrec.api.estimators import CODE, code_digest
    from localrec.evaluation.configs import SystemConfig

    there = {one.name: one for one in config.systems}
    if unknown := [one for one in systems or () if one not in there]:
        raise UsageError(
            f"{config.name} has no system {unknown[0]!r}.", f"It has: {', '.join(there)}."
        )
    kept = [one for one in config.systems if systems is None or one.name in systems]
    if taken := [one for one in own if one in there]:
        raise UsageError(
            f"{config.name} has a system {taken[0]!r} already.", "Give yours another name."
        )
    mine = [SystemConfig(name=one, settings={CODE: code_digest(it)}) for one, it in own.items()]
    return msgspec.structs.replace(config, systems=(*kept, *mine))

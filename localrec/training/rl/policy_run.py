"""Run the training of an agent from its preparation to its result.

`prepared` opens what both trainings need and refuses early what cannot work: a base too large, data
too small. The store is open only while requests are read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from localrec.agent.tools import TOOLS
from localrec.foundation.errors import UsageError
from localrec.foundation.machine import usable_cores
from localrec.foundation.progress import Progress
from localrec.foundation.settings import AGENT
from localrec.llm.adapter_files import fitting_adapter
from localrec.llm.chat_model import ChatModel
from localrec.llm.model_process import ModelProcess
from localrec.training.adapters.gguf_export import AdapterMetadata, write_adapter
from localrec.training.adapters.gguf_import import SUFFIX
from localrec.training.base_model.loading import Base, fingerprint_of, load_base
from localrec.training.examples.episodes import EpisodeSplit, open_episodes
from localrec.training.jobs.device_presets import DevicePreset, preset_for
from localrec.training.jobs.distributed import SINGLE_PROCESS, DistributedContext
from localrec.training.jobs.estimates import StepLoad, check_fits, estimate, shape_of
from localrec.training.jobs.run_start import available_memory, located
from localrec.training.jobs.training_runs import TrainingData, TrainingRun, versions_now
from localrec.training.libraries import training_libraries
from localrec.training.rl.policy_config import PolicyConfig, RefineConfig
from localrec.training.rl.preference_refinement import PairTask, mined_pairs
from localrec.training.rl.rollout_groups import RolloutCollector
from localrec.training.rl.rollout_workers import RolloutWorkers
from localrec.training.rl.tasks import TrainingTask

OpenModel = Callable[[Path | None], ChatModel]


class PolicyRunContext(msgspec.Struct, frozen=True, kw_only=True):
    """The opened inputs of a training.

    Args:
        config: Settings of the training.
        episodes: The requests.
        base: Loaded.
        serving: The GGUF that writes.
        preset: The batch sizes for the machine.
        distributed: Processes that train together.
    """

    config: PolicyConfig
    episodes: EpisodeSplit
    base: Base
    serving: Path
    preset: DevicePreset
    distributed: DistributedContext = SINGLE_PROCESS

    @property
    def workers(self) -> int:
        """Return the number of rollout processes."""
        size = self.distributed.size
        return self.config.workers or min(max(1, usable_cores() // size), self.config.groups)

    @property
    def data(self) -> TrainingData:
        """Describe the data, base and versions that the run is bound to."""
        of = (self.episodes.fingerprint, _mark(self.config.start), self.served_with)
        return TrainingData(
            fingerprint=hashlib.blake2b("\0".join(of).encode(), digest_size=16).hexdigest(),
            counts={
                "train": len(self.episodes.train),
                "validation": len(self.episodes.validation),
            },
            base=self.base.name,
            base_fingerprint=self.base.fingerprint,
            seeds={"episodes": self.config.episodes.seed, "training": self.config.seed},
            versions=versions_now(),
        )

    @property
    def trajectories(self) -> int:
        """Count the trajectories of this process in a step."""
        return self.config.groups * self.config.group_size // self.distributed.size

    @property
    def batched(self) -> DevicePreset:
        """Return the preset with all sequences of a step."""
        return self.preset.with_batch(self.trajectories)

    def open_model(self, adapter: Path | None) -> ModelProcess:
        """Open the model of one rollout process."""
        return ModelProcess(
            self.serving,
            n_ctx=self.preset.max_tokens,
            n_threads=max(1, usable_cores() // (self.workers * self.distributed.size)),
            adapter=adapter,
        )

    @property
    def served_with(self) -> str:
        """Hash the GGUF that writes rollouts."""
        same = self.serving == self.base.source
        return self.base.fingerprint if same else fingerprint_of(self.serving)


def prepared(
    folder: Path,
    config: PolicyConfig,
    progress: Progress,
    distributed: DistributedContext = SINGLE_PROCESS,
) -> PolicyRunContext:
    """Open the inputs of a training.

    Args:
        folder: The workspace.
        config: Settings of the training.
        progress: Called with each step and its progress.
        distributed: Processes that train together.

    Raises:
        UsageError: the machine cannot train this base, or a library is missing.
        ModelError: the base cannot be used.
        InputError: people did too little.
    """
    source = located(config.base)
    serving = located(config.serving) if config.serving else source
    if serving.is_dir():
        raise UsageError(
            f"{serving} is a folder, and trajectories are written by a GGUF.",
            "Name the GGUF of the same model: --rollout-model FILE",
        )
    preset = _preset(source, config)
    opened = open_episodes(folder, config.episodes, config.k, progress)
    progress("loading the base", 0, 0)
    base = load_base(source, device=distributed.device(config.device), dtype=preset.dtype)
    return PolicyRunContext(
        config=config,
        episodes=opened,
        base=base,
        serving=serving,
        preset=preset,
        distributed=distributed,
    )


def train(
    run: TrainingRun,
    made: PolicyRunContext,
    progress: Progress,
    open_model: OpenModel | None = None,
) -> None:
    """Train to the end; the result is in `run.adapter`.

    Args:
        run: Run of this training.
        made: Everything that the training needs.
        progress: Called with each step and its progress.
        open_model: Opens the model that writes; llama.cpp by default.

    Raises:
        BusyError: another process trains here.
        CutShortError: Ctrl+C; the run can be gone on with.
    """
    with training_libraries():
        from localrec.training.rl.grpo_trainer import PolicyTraining
    config = made.config
    with made.distributed.holding(run), _open_rollout_workers(made, open_model) as rollout_workers:
        task, k = _task(run, made, rollout_workers, progress)
        validated = RolloutCollector(
            made.episodes.validation, rollout_workers, made.base, config, config.k
        )
        PolicyTraining(
            run,
            made.base,
            made.serving,
            config,
            made.preset,
            rollout_workers,
            RolloutCollector(task, rollout_workers, made.base, config, k),
            (validated, config.episodes.validation),
            made.distributed,
        ).go(config.steps_over(len(task)), progress)


# --- what is opened ---


def _preset(source: Path, config: PolicyConfig) -> DevicePreset:
    shape = shape_of(source)
    memory = available_memory(config.device)
    on_gpu = config.device != "cpu"
    preset = preset_for(memory / 1e9 if on_gpu and memory else None, shape.parameters)
    preset = msgspec.structs.replace(preset, max_tokens=min(preset.max_tokens, config.max_tokens))
    check_fits(
        estimate(
            shape,
            config.adapter,
            StepLoad(steps=1, sequences=1, tokens=1, learnt=256, longest=preset.max_tokens),
            preset.with_batch(config.groups * config.group_size),
            available_bytes=memory,
        ),
        preset,
    )
    return preset


@contextmanager
def _open_rollout_workers(
    made: PolicyRunContext, open_model: OpenModel | None
) -> Iterator[RolloutWorkers]:
    tools = TOOLS if made.config.tools else ()
    with RolloutWorkers(open_model or made.open_model, made.workers, tools) as rollout_workers:
        yield rollout_workers


def _task(
    run: TrainingRun, made: PolicyRunContext, rollout_workers: RolloutWorkers, progress: Progress
) -> tuple[TrainingTask, int]:
    """Return the training task, and the count of numbers in an answer."""
    config = made.config
    if not isinstance(config, RefineConfig):
        return made.episodes.train, config.k
    path = run.path / "pairs.jsonl"
    if not made.distributed.is_main:
        made.distributed.wait()  # until the leader has found them
    elif not path.exists():
        progress("searching what the agent confuses", 0, 0)
        rollout_workers.adopt(_served_start(run, made))
    pairs = mined_pairs(made.episodes.train, rollout_workers, config, path)
    if made.distributed.is_main:
        made.distributed.wait()
    return PairTask(made.episodes.train, pairs, config), 1


def _served_start(run: TrainingRun, made: PolicyRunContext) -> Path | None:
    """Write the initial adapter in llama.cpp's format."""
    if not made.config.start:
        return None
    start = Path(made.config.start)
    if start.suffix == SUFFIX:
        return fitting_adapter(str(start), AGENT, made.serving)
    file = run.path / "start.gguf"
    card = AdapterMetadata(name="where a training starts", role=AGENT, licence="")
    write_adapter(start, made.base, made.serving, file, card)
    return file


def _mark(start: str) -> str:
    """Hash the initial adapter."""
    return fingerprint_of(Path(start)) if start else ""

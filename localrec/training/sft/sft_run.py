"""Run the training of a role's adapter from its preparation to its end.

The configuration of a run says how its examples were made, so a resumed run makes them again and
refuses if they differ, as after a change of the workspace's graph.
"""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from localrec.foundation.progress import Progress
from localrec.llm.gguf_header import read_header
from localrec.training.adapters.lora import attach, detach
from localrec.training.base_model.loading import Base, load_base
from localrec.training.examples.example import Examples
from localrec.training.examples.roles import ExampleConfig, examples_for
from localrec.training.jobs.device_presets import DevicePreset, preset_for
from localrec.training.jobs.distributed import SINGLE_PROCESS, DistributedContext
from localrec.training.jobs.estimates import (
    ResourceEstimate,
    TrainingSpeed,
    check_fits,
    estimate,
    shape_of,
)
from localrec.training.jobs.run_start import available_memory, continue_run, located
from localrec.training.jobs.training_runs import TrainingData, TrainingRun, open_run, runs_folder
from localrec.training.sft.sft_data import (
    SupervisedConfig,
    TokenizedDataset,
    load_of,
    tokenize_dataset,
    training_data,
)
from localrec.training.sft.sft_loss import accumulate_gradients
from localrec.training.sft.sft_trainer import (
    OpenScoring,
    SftOutcome,
    train_adapter,
    with_threads,
)

_TRIED = 4  # examples that the speed is measured by


class SftRunContext(msgspec.Struct, frozen=True, kw_only=True):
    """The opened inputs of a training.

    Args:
        config: Settings of the training.
        examples: The examples to learn.
        tokenized: The same as tokens.
        base: Loaded.
        preset: The batch sizes for the machine.
        distributed: Processes that train together.
    """

    config: SupervisedConfig
    examples: Examples
    tokenized: TokenizedDataset
    base: Base
    preset: DevicePreset
    distributed: DistributedContext = SINGLE_PROCESS

    @property
    def data(self) -> TrainingData:
        """Describe the data, base and versions that the run is bound to."""
        return training_data(self.config, self.base, self.examples)


def prepared(
    workspace: Path,
    config: SupervisedConfig,
    progress: Progress,
    distributed: DistributedContext = SINGLE_PROCESS,
) -> SftRunContext:
    """Make the examples and load the base.

    Raises:
        UsageError: there is no such role, or the machine is too small for this base.
        ModelError: the base cannot be used.
        WorkspaceError: there is no catalogue yet.
    """
    progress("making examples", 0, 0)
    serving = located(config.serving or config.base)
    wanted = ExampleConfig(
        train=config.train,
        validation=config.validation,
        seed=config.seed,
        supports_tools=not serving.is_dir() and read_header(serving).supports_tools,
    )
    examples = examples_for(config.role, workspace, wanted, progress)
    return prepared_on(examples, config, progress, distributed)


def prepared_on(
    examples: Examples,
    config: SupervisedConfig,
    progress: Progress,
    distributed: DistributedContext = SINGLE_PROCESS,
) -> SftRunContext:
    """Load the base for a training on examples.

    Raises:
        UsageError: the machine is too small for this base.
        ModelError: the base cannot be used.
    """
    source = located(config.base)
    memory = available_memory(config.device)
    gpu = memory / 1e9 if config.device != "cpu" and memory else None
    preset = preset_for(gpu, shape_of(source).parameters)
    progress("loading the base", 0, 0)
    base = load_base(source, device=distributed.device(config.device), dtype=preset.dtype)
    tokenized = tokenize_dataset(base, examples, preset)
    return SftRunContext(
        config=config,
        examples=examples,
        tokenized=tokenized,
        base=base,
        preset=preset,
        distributed=distributed,
    )


def estimated(made: SftRunContext) -> ResourceEstimate:
    """Estimate the memory and time of the training by a short trial step.

    Raises:
        UsageError: more memory than there is.
    """
    load = load_of(made.config, made.tokenized)
    load = msgspec.structs.replace(load, sequences=-(-load.sequences // made.distributed.size))
    at_once = max(1, made.preset.at_once // load.longest)
    found = estimate(
        shape_of(made.base.source),
        made.config.adapter,
        load,
        msgspec.structs.replace(made.preset, micro_batch=at_once),
        TrainingSpeed(learnt=_learnt_a_second(made)),
        available_memory(made.config.device, made.distributed.size),
    )
    check_fits(found, made.preset)
    return found


def resumed(
    workspace: Path, name: str, progress: Progress, distributed: DistributedContext = SINGLE_PROCESS
) -> tuple[TrainingRun, SftRunContext]:
    """Open an earlier run with everything that its training needs.

    Raises:
        InputError: there is none, or its examples would be others now.
    """
    config = open_run(runs_folder(workspace) / name).config(SupervisedConfig)
    made = prepared(workspace, config, progress, distributed)
    return continue_run(workspace, name, made), made


def train(
    run: TrainingRun,
    made: SftRunContext,
    progress: Progress,
    open_scoring: OpenScoring | None = None,
    start: Path | None = None,
) -> SftOutcome:
    """Train to the end; the best adapter is in `run.adapter`.

    Args:
        run: Its folder.
        made: Everything that the training needs.
        progress: Called with each step and its progress.
        open_scoring: Makes another scoring of answers than by their likelihood.
        start: Folder of the adapter to begin with; None: a fresh one.

    Raises:
        BusyError: another process trains here.
        CutShortError: Ctrl+C; the run can be gone on with.
    """
    return train_adapter(
        run,
        made.base,
        made.tokenized,
        made.config,
        made.preset,
        progress,
        made.distributed,
        open_scoring,
        start,
    )


def _learnt_a_second(made: SftRunContext) -> float:
    """Measure the tokens per second of a training step on examples of middle length."""
    middling = sorted(made.tokenized.train, key=lambda one: len(one.tokens))
    half = len(middling) // 2
    tried = middling[half : half + _TRIED] or middling[:_TRIED]
    model = attach(made.base, made.config.adapter)
    try:
        with with_threads(made.config.threads):
            for piece in (tried[:1], tried):  # the first warms up
                began = time.perf_counter()
                accumulate_gradients(model, piece, made.preset.at_once)
                seconds = time.perf_counter() - began
        return sum(len(one.tokens) for one in tried) / seconds
    finally:
        detach(model)

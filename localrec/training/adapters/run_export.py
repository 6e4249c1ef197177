"""Export a finished run's adapter with its model card.

The card lies beside the GGUF under the same name. It names the base by hash and not by its path.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from localrec.data.records import Record
from localrec.foundation.errors import UsageError
from localrec.foundation.record_files import read_record
from localrec.training.adapters.gguf_export import AdapterMetadata, LogitAgreement, export_adapter
from localrec.training.adapters.gguf_import import SUFFIX
from localrec.training.base_model.loading import fingerprint_of, load_base
from localrec.training.jobs.run_start import located
from localrec.training.jobs.training_runs import TrainingData, TrainingRun
from localrec.training.rl.from_default import FromDefaultConfig
from localrec.training.rl.policy_config import GrpoConfig, RefineConfig
from localrec.training.sft.sft_data import SupervisedConfig
from localrec.training.sft.sft_trainer import OUTCOME, SftOutcome

_LICENCE = "Apache-2.0"  # of an adapter whose base names no licence of its own
_AGENT = "agent"

AnyConfig = SupervisedConfig | FromDefaultConfig | GrpoConfig | RefineConfig


class AdapterModelCard(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The model card of an exported adapter.

    Args:
        name: Name of the adapter.
        role: The role that it was trained for.
        licence: Licence of the adapter.
        base: Name of the base.
        base_licence: Licence of the base's weights; "" where its file does not say.
        served_with: SHA-256 of the model file that it is used with.
        data: The data that it learnt from.
        settings: The settings of the training.
        trained: Result of a supervised training; None for any other.
        figures: Name -> first and last logged value.
        agreement: Distance of torch and llama.cpp with it.
    """

    name: str
    role: str
    licence: str
    base: str
    base_licence: str
    served_with: str
    data: TrainingData
    settings: AnyConfig
    trained: SftOutcome | None
    figures: dict[str, tuple[float, float]]
    agreement: LogitAgreement


def export_run(run: TrainingRun, out: Path) -> AdapterModelCard:
    """Write a finished run's adapter as GGUF, and its model card beside it.

    Args:
        run: A finished run of any kind of training.
        out: The file; its card gets the same name with `.json`.

    Raises:
        UsageError: the run is not finished.
        ModelError: torch and llama.cpp differ, or the base is another than at its beginning.
        InputError: the run's files are damaged.
    """
    if run.state.status != "finished":
        raise UsageError(
            f"{run.name} is not finished.", f"Go on with it: localrec train resume {run.name}"
        )
    config: AnyConfig = run.config(AnyConfig)  # type: ignore[arg-type]  # a union of structs
    role = config.role if isinstance(config, SupervisedConfig) else _AGENT
    source = located(config.base)
    serving = located(config.serving) if config.serving else source
    base = load_base(source)
    named = AdapterMetadata(name=out.stem, role=role, licence=base.licence or _LICENCE)
    agreement = export_adapter(run.adapter, base, serving, out, named)
    card = AdapterModelCard(
        name=out.stem,
        role=role,
        licence=named.licence,
        base=base.name,
        base_licence=base.licence,
        served_with=base.fingerprint if serving == source else fingerprint_of(serving),
        data=run.data,
        settings=_without_paths(config, base.name),
        trained=_trained(run),
        figures=_figures(run),
        agreement=agreement,
    )
    out.with_suffix(".json").write_bytes(
        msgspec.json.format(msgspec.json.encode(card), indent=1) + b"\n"
    )
    return card


def _without_paths(config: AnyConfig, base: str) -> AnyConfig:
    """Replace the paths of this machine in the settings by names."""
    if isinstance(config, SupervisedConfig):
        return msgspec.structs.replace(config, base=base, serving="")
    start = Path(config.start)
    named = start.stem if start.suffix == SUFFIX else start.parent.name
    return msgspec.structs.replace(config, base=base, serving="", start=named)


def _trained(run: TrainingRun) -> SftOutcome | None:
    path = run.path / OUTCOME
    if not path.is_file():
        return None
    return read_record(path, SftOutcome, "a training run", "Train anew.")


def _figures(run: TrainingRun) -> dict[str, tuple[float, float]]:
    """Return the first and the last value of every logged figure."""
    curves: dict[str, list[float]] = {}
    for record in run.records():
        for name, value in record.values.items():
            if value is not None:
                curves.setdefault(name, []).append(value)
    return {name: (values[0], values[-1]) for name, values in curves.items()}

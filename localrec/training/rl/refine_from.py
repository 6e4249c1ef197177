"""Configure a refinement from a finished GRPO run, here or elsewhere."""

from __future__ import annotations

from pathlib import Path

import msgspec

from localrec.foundation.errors import InputError, UsageError
from localrec.foundation.record_files import UNREADABLE
from localrec.llm.adapter_files import adapter_path, base_of, is_adapter
from localrec.training.adapters.run_export import AdapterModelCard
from localrec.training.jobs.training_runs import open_run, runs_folder
from localrec.training.rl.policy_config import GrpoConfig


def refine_config_from(workspace: Path, named: str) -> GrpoConfig:
    """Read the settings of a finished GRPO run, with its adapter as the initial one.

    Args:
        workspace: OpenWorkspace with the runs.
        named: A run, or an adapter that one was exported as: the name of one that ships, or a GGUF
            with its card beside it.

    Raises:
        UsageError: it is none of list-wise GRPO, or not finished.
        InputError: the run or the card is damaged.
        ModelError: its base is not in the catalogue.
    """
    folder = runs_folder(workspace) / named
    if not (folder / "config.json").exists() and is_adapter(named):
        return _from_card(named)
    run = open_run(folder)
    if run.kind != "grpo" or run.state.status != "finished":
        raise UsageError(
            f"{named} is no finished run of train grpo.",
            f"Finish it: localrec train resume {named}",
        )
    return msgspec.structs.replace(run.config(GrpoConfig), start=str(run.adapter.absolute()))


def _from_card(named: str) -> GrpoConfig:
    file = adapter_path(named).absolute()
    card = file.with_suffix(".json")
    try:
        settings = msgspec.json.decode(card.read_bytes(), type=AdapterModelCard).settings
    except (OSError, *UNREADABLE) as error:
        raise InputError(
            f"The card of {file.name} cannot be used: {error}.",
            "Put it beside the adapter, or refine a run.",
        ) from error
    if not isinstance(settings, GrpoConfig):
        raise UsageError(f"{named} was not trained by train grpo.", "Name one that was.")
    # A card comes from anywhere: what is loaded is named by the adapter's hash, and not by it.
    return msgspec.structs.replace(settings, base=base_of(named), serving="", start=str(file))

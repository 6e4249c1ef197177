"""Load the initial adapter of an agent's training: a run's, or an exported one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from localrec.llm.adapter_files import adapter_path, check_role
from localrec.training.adapters.gguf_import import SUFFIX, exported_config, load_exported
from localrec.training.adapters.lora import AdapterConfig, load_adapter, read_config
from localrec.training.base_model.loading import Base

if TYPE_CHECKING:
    from peft import PeftModel


def init_adapter_path(named: str) -> Path:
    """Find the folder or file of the initial adapter.

    Args:
        named: A folder, a GGUF, or the name of an adapter that ships.

    Raises:
        ModelError: there is none.
        UsageError: it plays another role than the agent's.
    """
    if Path(named).is_dir():
        return Path(named).absolute()
    check_role(named, "agent")
    return adapter_path(named).absolute()


def init_adapter_config(start: Path) -> AdapterConfig:
    """Read the settings of the initial adapter.

    Raises:
        ModelError: it is none that can be trained on.
    """
    return exported_config(start) if start.suffix == SUFFIX else read_config(start)


def load_init_adapter(base: Base, start: Path) -> PeftModel:
    """Attach the initial adapter to its base, for training.

    Raises:
        ModelError: it is none that can be trained on, or another base's.
    """
    load = load_exported if start.suffix == SUFFIX else load_adapter
    return load(base, start, trainable=True)

"""Import an exported adapter, so that training can continue from it.

This reverses `gguf_export.py`: float16 becomes float32, and llama's query and key rows get the
order of transformers. Our own parser checks the header before the gguf package sees the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from localrec.foundation.errors import ModelError, UsageError
from localrec.llm.gguf_header import read_header
from localrec.training.adapters.gguf_export import PEFT_PREFIX
from localrec.training.adapters.lora import LINEAR_LAYERS, AdapterConfig, with_weights
from localrec.training.base_model.gguf_layout import TensorLayout
from localrec.training.base_model.loading import Base
from localrec.training.libraries import training_libraries

if TYPE_CHECKING:
    from peft import PeftModel

SUFFIX = ".gguf"
_EXPORT_AGAIN = "Export it again: localrec train export RUN"
_SIDES = {"lora_a": "A", "lora_b": "B"}


def exported_config(file: Path) -> AdapterConfig:
    """Read the settings of an exported adapter; its layers are the usual ones.

    Raises:
        ModelError: the file is no adapter of ours.
    """
    return _config(_opened(file), file)


def load_exported(base: Base, file: Path, *, trainable: bool = False) -> PeftModel:
    """Put an exported adapter beside the layers of the base it was trained on.

    Raises:
        ModelError: the file is no adapter of ours, or one of another base.
        UsageError: the base has an adapter already.
    """
    reader = _opened(file)
    if _metadata(reader, "localrec.trained_on.sha256", file) != base.fingerprint:
        raise ModelError(
            f"{file} was trained on another model than {base.source}.",
            "Load the base that it was trained on.",
        )
    return with_weights(base, _config(reader, file), _weights(reader, base), file, trainable)


def _config(reader: Any, file: Path) -> AdapterConfig:
    ranks = {len(one.data) for one in reader.tensors if one.name.endswith(".lora_a")}
    if len(ranks) != 1:
        raise ModelError(f"{file} has layers of several ranks, or none.", _EXPORT_AGAIN)
    alpha = float(_metadata(reader, "adapter.lora.alpha", file))
    try:
        return AdapterConfig(rank=ranks.pop(), alpha=alpha)
    except UsageError as error:
        raise ModelError(f"{file} cannot be used: {error.message}", _EXPORT_AGAIN) from error


def _weights(reader: Any, base: Base) -> dict[str, Any]:
    """Read the matrices by PEFT's names, as float32."""
    import torch  # the base has brought it

    layout = TensorLayout.of(base.model.config)
    linear = [
        name for name, _ in base.model.named_modules() if name.rpartition(".")[2] in LINEAR_LAYERS
    ]
    modules = {llama_name: module for module, llama_name in layout.names(linear).items()}
    found = {}
    for tensor in reader.tensors:
        name, _, side = tensor.name.rpartition(".weight.")
        module, rows = modules.get(name), np.asarray(tensor.data, dtype=np.float32)
        if module is None or side not in _SIDES:
            continue  # what is missing then is told by name
        ordered = layout.to_transformers(module, rows) if side == "lora_b" else rows
        key = f"{PEFT_PREFIX}{module}.lora_{_SIDES[side]}.weight"
        found[key] = torch.from_numpy(np.ascontiguousarray(ordered))
    return found


def _opened(file: Path) -> Any:
    header = read_header(file)
    if header.kind != "adapter" or not header.role:
        raise ModelError(
            f"{file} is no adapter that was exported here.", "Name one: localrec train export RUN"
        )
    with training_libraries():
        import gguf
    return gguf.GGUFReader(file)


def _metadata(reader: Any, name: str, file: Path) -> Any:
    field = reader.get_field(name)
    if field is None:
        raise ModelError(f"{file} does not say {name}.", _EXPORT_AGAIN)
    return field.contents()

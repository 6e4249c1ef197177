"""LoRA adapters: small trained matrices beside the frozen layers of a base.

A folder holds an adapter as PEFT writes it, with `base.json` beside it: the base by hash. Only
plain LoRA is supported, since llama.cpp computes nothing else; settings that would load there with
another meaning are refused before training or export.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from localrec.foundation.atomic_files import write_atomically
from localrec.foundation.errors import ModelError, UsageError
from localrec.foundation.paths import make_private
from localrec.training.base_model.loading import Base
from localrec.training.libraries import training_libraries

if TYPE_CHECKING:
    import torch
    from peft import PeftModel

# In the order of the alphabet, since PEFT keeps a set of them.
LINEAR_LAYERS = ("down_proj", "gate_proj", "k_proj", "o_proj", "q_proj", "up_proj", "v_proj")
SETTINGS, WEIGHTS, BASE = "adapter_config.json", "adapter_model.safetensors", "base.json"

# Fields of PEFT's settings that change nothing in what is computed, or only with another field.
_WITHOUT_EFFECT = frozenset(
    {
        *("peft_type", "task_type", "peft_version", "auto_mapping", "inference_mode"),
        *("base_model_name_or_path", "revision", "runtime_config", "megatron_core"),
        *("qalora_group_size", "exclude_modules"),
    }
)
_OURS = frozenset({"r", "lora_alpha", "lora_dropout", "use_rslora", "target_modules"})
# Other ways to begin, such as PiSSA, change the base as well.
_BEGINNINGS = (True, False, None, "gaussian", "orthogonal", "eva")
_TRAIN_PLAIN = "Train a plain LoRA adapter: localrec train adapter ROLE"


class AdapterConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure an adapter's size and strength.

    Args:
        rank: Columns of the first matrix and rows of the second; the room to learn in.
        alpha: The adapter's part is multiplied by alpha / rank.
        dropout: Share of its inputs that are left out while training. On a CPU, drawing them takes
            as long as all else together.
        rslora: Multiply by alpha / sqrt(rank) instead, which keeps large ranks from going quiet.
        targets: The layers it stands beside; all linear ones of a block.

    Raises:
        UsageError: a number is out of range.
    """

    rank: int = 16
    alpha: float = 32.0
    dropout: float = 0.0
    rslora: bool = False
    targets: tuple[str, ...] = LINEAR_LAYERS

    def __post_init__(self) -> None:
        # llama.cpp takes an alpha of 0 for none at all, and would multiply by 1.
        if self.rank < 1 or self.alpha <= 0 or not 0 <= self.dropout < 1 or not self.targets:
            raise UsageError(
                f"An adapter cannot have rank {self.rank}, alpha {self.alpha:g}, dropout "
                f"{self.dropout:g} and {len(self.targets)} kinds of layers.",
                "Take a rank of 1 or more, an alpha above 0 and a dropout below 1.",
            )

    @property
    def scale(self) -> float:
        """Return the factor of the product of the two matrices."""
        return self.alpha / (self.rank**0.5 if self.rslora else self.rank)


class TrainedOn(msgspec.Struct, frozen=True, kw_only=True):
    """The base of an adapter, as `base.json` keeps it.

    Args:
        name: Its name for users.
        architecture: Name of the network.
        licence: Licence of its weights.
        fingerprint: The value of `Base.fingerprint`.
    """

    name: str
    architecture: str
    licence: str
    fingerprint: str


def attach(base: Base, config: AdapterConfig, seed: int = 0) -> PeftModel:
    """Attach a fresh adapter, which changes nothing yet, to a base.

    The base's network is changed in place until `detach`; its weights are frozen. The adapter's
    are float32, also beside a bfloat16 base.

    Raises:
        UsageError: the base has an adapter already.
    """
    with training_libraries():
        import torch
        from peft import LoraConfig, get_peft_model
    if base.is_adapted:
        raise UsageError(f"{base.name} has an adapter already.", "Detach that first.")
    settings = LoraConfig(
        task_type="CAUSAL_LM",
        r=config.rank,
        lora_alpha=config.alpha,  # type: ignore[arg-type]  # declared as int, only multiplied with
        lora_dropout=config.dropout,
        use_rslora=config.rslora,
        target_modules=list(config.targets),
    )
    with torch.random.fork_rng(), warnings.catch_warnings():
        torch.manual_seed(seed)
        # PEFT asks transformers for gradient checkpointing by its old name.
        warnings.simplefilter("ignore", FutureWarning)
        return get_peft_model(base.model, settings)


def detach(model: PeftModel) -> None:
    """Remove an adapter and restore the base's network."""
    model.unload()


def save_adapter(model: PeftModel, base: Base, folder: Path) -> None:
    """Save an adapter into a folder, in place of an older state.

    Raises:
        WorkspaceError: the folder cannot be made.
    """
    with training_libraries():
        from peft import get_peft_model_state_dict
        from safetensors.torch import save_file
    make_private(folder)
    settings = model.peft_config["default"].to_dict()
    # PEFT would note where the base lies on this machine.
    settings["base_model_name_or_path"] = base.name
    on = TrainedOn(
        name=base.name,
        architecture=base.architecture,
        licence=base.licence,
        fingerprint=base.fingerprint,
    )
    # "auto" would look whether the base's vocabulary grew, and ask the hub about it.
    weights = get_peft_model_state_dict(model, save_embedding_layers=False)
    rows = {name: one.contiguous().cpu() for name, one in weights.items()}
    (folder / SETTINGS).write_bytes(_json(settings))
    (folder / BASE).write_bytes(_json(msgspec.to_builtins(on)))
    write_atomically(folder / WEIGHTS, lambda beside: save_file(rows, beside))


def load_adapter(base: Base, folder: Path, *, trainable: bool = False) -> PeftModel:
    """Attach a saved adapter to the base that it was trained on.

    Raises:
        ModelError: the folder holds no plain LoRA adapter, or one of another base.
        UsageError: the base has an adapter already.
    """
    config = read_config(folder)
    on = trained_on(folder)
    if on.fingerprint != base.fingerprint:
        raise ModelError(
            f"{folder} was trained on {on.name} ({on.fingerprint[:12]}), and {base.source} is "
            f"another file ({base.fingerprint[:12]}).",
            "Load the base that it was trained on.",
        )
    return with_weights(base, config, read_weights(folder), folder, trainable)


def with_weights(
    base: Base,
    config: AdapterConfig,
    weights: dict[str, torch.Tensor],
    source: Path,
    trainable: bool,
) -> PeftModel:
    """Attach an adapter with these matrices, by PEFT's names, to a base.

    Args:
        base: The base that it was trained on.
        config: Size of the adapter.
        weights: Weights of all of its layers.
        source: File of the weights, for the error.
        trainable: Whether the weights will be trained further.

    Raises:
        ModelError: the matrices do not fit.
        UsageError: the base has an adapter already.
    """
    model = attach(base, config)
    try:
        _fill(model, weights, source)
    except ModelError:
        detach(model)
        raise
    for name, parameter in model.named_parameters():
        parameter.requires_grad = trainable and "lora_" in name
    return model.train(trainable)


@contextmanager
def adapted(base: Base, folder: Path) -> Iterator[PeftModel]:
    """Attach a saved adapter to a base inside the block; see `load_adapter`."""
    model = load_adapter(base, folder)
    try:
        yield model
    finally:
        detach(model)


def read_config(folder: Path) -> AdapterConfig:
    """Read the settings of a saved adapter.

    Raises:
        ModelError: they are missing, damaged, or of anything but plain LoRA.
    """
    settings = _read(folder, SETTINGS, dict[str, Any])
    _check_plain(folder, settings)
    try:
        return AdapterConfig(
            rank=int(settings["r"]),
            alpha=float(settings["lora_alpha"]),
            dropout=float(settings.get("lora_dropout", 0.0)),
            rslora=bool(settings.get("use_rslora", False)),
            targets=tuple(sorted(settings["target_modules"])),
        )
    except (KeyError, TypeError, ValueError, UsageError) as error:
        raise ModelError(
            f"{folder / SETTINGS} is not usable: {error}", "Save the adapter again."
        ) from error


def trained_on(folder: Path) -> TrainedOn:
    """Name the base of a saved adapter.

    Raises:
        ModelError: `base.json` is missing or damaged.
    """
    return _read(folder, BASE, TrainedOn)


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    """Read the matrices of a saved adapter by PEFT's names, on the CPU.

    Raises:
        ModelError: they are missing, damaged or pickled, or something else is among them.
    """
    with training_libraries():
        from safetensors import SafetensorError
        from safetensors.torch import load_file
    path = folder / WEIGHTS
    if not path.is_file() and (pickled := folder / "adapter_model.bin").exists():
        raise ModelError(
            f"{pickled} is a pickle, which can run code when it is loaded.",
            "Save the adapter as safetensors.",
        )
    try:
        weights = load_file(path)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"{path} cannot be read: {error}.", "Save the adapter again.") from error
    if not weights:
        raise ModelError(f"{path} holds no matrices.", "Save the adapter again.")
    if odd := sorted(name for name in weights if _partner(name) not in weights):
        raise ModelError(f"{path} holds {odd[0]}, which is not half of a LoRA pair.", _TRAIN_PLAIN)
    return weights


def _partner(name: str) -> str | None:
    """Name the other matrix of a pair; None for a name that is no LoRA matrix."""
    module, _, side = name.rpartition(".lora_")
    other = {"A.weight": "B", "B.weight": "A"}.get(side)
    return f"{module}.lora_{other}.weight" if other else None


def _check_plain(folder: Path, settings: dict[str, Any]) -> None:
    if settings.get("peft_type") != "LORA":
        raise ModelError(
            f"{folder} holds an adapter of type {settings.get('peft_type')!r} and not LORA.",
            _TRAIN_PLAIN,
        )
    if settings.get("use_dora"):
        raise ModelError(
            f"{folder} is a DoRA adapter: it scales the columns of the base as well, which "
            "llama.cpp cannot do.",
            _TRAIN_PLAIN,
        )
    if saved := settings.get("modules_to_save"):
        raise ModelError(
            f"{folder} brings whole layers along (modules_to_save: {', '.join(saved)}), which an "
            "adapter file of llama.cpp cannot hold.",
            _TRAIN_PLAIN,
        )
    if (beginning := settings.get("init_lora_weights", True)) not in _BEGINNINGS:
        raise ModelError(
            f"{folder} began as {beginning!r}, which changes the base's own weights.",
            _TRAIN_PLAIN,
        )
    if not isinstance(settings.get("target_modules"), list):
        raise ModelError(f"{folder / SETTINGS} does not list its target_modules.", _TRAIN_PLAIN)
    for key, value in settings.items():
        # What is new in PEFT is off by default: none, false, empty or "none".
        if key not in _WITHOUT_EFFECT | _OURS | {"init_lora_weights"} and value not in (
            *(None, False, "none"),
            *({}, [], ()),
        ):
            raise ModelError(
                f"{folder} sets {key} to {value!r}, which is more than plain LoRA.", _TRAIN_PLAIN
            )


def _fill(model: PeftModel, weights: dict[str, torch.Tensor], source: Path) -> None:
    from peft import set_peft_model_state_dict  # attach has imported it

    try:
        found: Any = set_peft_model_state_dict(model, weights)
    except RuntimeError as error:  # another size
        raise ModelError(
            f"The matrices in {source} do not fit their base.", "Save the adapter again."
        ) from error
    left = [name for name in found.missing_keys if "lora_" in name] + found.unexpected_keys
    if left:
        raise ModelError(
            f"The matrices in {source} do not fit its settings: {left[0]} is missing or too many.",
            "Save the adapter again.",
        )


_AnyRecord = TypeVar("_AnyRecord")


def _read(folder: Path, name: str, kind: type[_AnyRecord]) -> _AnyRecord:
    path = folder / name
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError as error:
        raise ModelError(
            f"{folder} is no adapter that was trained here: it has no {name}.",
            "Name the folder that holds adapter_config.json, base.json and the matrices.",
        ) from error
    except (OSError, msgspec.DecodeError) as error:
        raise ModelError(f"{path} cannot be read: {error}.", "Save the adapter again.") from error


def _json(record: dict[str, Any]) -> bytes:
    # PEFT's settings hold sets, whose order differs from run to run.
    plain = {key: sorted(one) if isinstance(one, set) else one for key, one in record.items()}
    return msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n"

"""Load the base of an adapter: the GGUF that serves, or a Hugging Face folder.

A base knows the hash of its files, which every adapter stores: on another base an adapter would
answer nonsense without an error. Nothing here asks a hub; weights come from safetensors or a GGUF,
which hold numbers, and never from a pickle, which may run code.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from localrec.data.chat_message import Message
from localrec.foundation.errors import ModelError, UsageError
from localrec.foundation.record_files import sha256_of
from localrec.llm.chat_template import ChatTemplate
from localrec.training.base_model.gguf_layout import (
    ARCHITECTURES,
    Architecture,
    architecture_of,
)
from localrec.training.base_model.gguf_weights import network_class, open_gguf
from localrec.training.base_model.tokenizer import tokenizer_of
from localrec.training.libraries import training_libraries

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerFast

Precision = Literal["float32", "bfloat16"]

_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.pkl")
_FINGERPRINTED = ("*.safetensors", "*.json", "*.jinja", "*.txt", "*.model")


class Base(msgspec.Struct, frozen=True, kw_only=True):
    """A loaded model with the tokeniser it was trained with.

    Args:
        name: Name for display: that of the file or of the folder.
        source: The GGUF or the folder.
        architecture: llama.cpp's name of the network.
        model: The network, in evaluation mode; attaching an adapter changes it in place.
        tokenizer: Cuts texts into tokens.
        template: Chat template, rendered as when the model serves.
        bos: The token that begins every prompt, where the model wants one.
        licence: SPDX name of the licence where the file has it; else empty.
        fingerprint: SHA-256 of the file; of a folder, of the names and hashes of all that counts.
    """

    name: str
    source: Path
    architecture: Architecture
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    template: ChatTemplate
    bos: int | None
    licence: str
    fingerprint: str

    @property
    def is_adapted(self) -> bool:
        """Whether an adapter is attached to the network."""
        return any("lora_" in name for name, _ in self.model.named_modules())


def load_base(source: Path, *, device: str = "cpu", dtype: Precision = "float32") -> Base:
    """Load a GGUF, its weights made floats again, or a local Hugging Face folder.

    Args:
        source: The file or the folder.
        device: The device of torch: `cpu`, `cuda` or `cuda:1`.
        dtype: Type of the weights; bfloat16 halves the memory and is for GPUs.

    Raises:
        ModelError: the files are missing, damaged, pickled, or of another architecture.
        UsageError: a library is not installed, or there is no such device.
    """
    with training_libraries():
        place = _place(device)
        if source.is_dir():
            return _from_folder(source, place, dtype)
        return _from_gguf(source, place, dtype)


def fingerprint_of(source: Path) -> str:
    """Hash a file by SHA-256; a folder by the names and hashes of its model files.

    Raises:
        ModelError: nothing is there, or it cannot be read.
    """
    try:
        if source.is_dir():
            lines = [f"{path.name} {sha256_of(path)}\n" for path in sorted(_that_counts(source))]
            return hashlib.sha256("".join(lines).encode()).hexdigest()
        return sha256_of(source)
    except OSError as error:
        raise ModelError(
            f"{source} cannot be read: {error.strerror or error}.", "Name a GGUF or a folder."
        ) from error


def prompt_tokens(base: Base, messages: Sequence[Message], answer: str = "") -> list[int]:
    """Tokenise a prompt and its answer as llama.cpp does when it serves.

    The template's own text may hold control tokens; contents and the answer are letters only.

    Raises:
        ModelError: the chat template refuses these messages.
    """
    tokens: list[int] = []
    for piece in base.template.render(messages):
        tokens += encode(base, piece.text, special=piece.trusted)
    if base.bos is not None and tokens[:1] != [base.bos]:
        tokens.insert(0, base.bos)
    if answer:
        tokens += encode(base, base.template.answer_lead() + answer)
    return tokens


def encode(base: Base, text: str, *, special: bool = False) -> list[int]:
    """Tokenise a stretch of text; control tokens are read in it only with `special`."""
    return base.tokenizer.encode(text, add_special_tokens=False, split_special_tokens=not special)


def _template(tokenizer: PreTrainedTokenizerFast) -> ChatTemplate:
    return ChatTemplate(
        str(tokenizer.chat_template),
        str(tokenizer.bos_token or ""),
        str(tokenizer.eos_token or ""),
    )


def _place(device: str) -> torch.device:
    import torch  # takes seconds

    try:
        place = torch.device(device)
    except RuntimeError as error:
        raise UsageError(f"There is no device {device!r}.", "Name cpu or cuda.") from error
    if place.type == "cuda" and (place.index or 0) >= torch.cuda.device_count():
        raise UsageError(
            f"torch finds no device {device!r} on this machine.",
            "Train on the CPU, or install a torch that was built for this GPU.",
        )
    return place


# --- from a GGUF ---


def _from_gguf(path: Path, device: torch.device, dtype: Precision) -> Base:
    opened = open_gguf(path)
    tokenizer, bos = tokenizer_of(opened)
    return Base(
        name=opened.text("general.name") or path.stem,
        source=path,
        architecture=opened.architecture,
        model=opened.network(device, dtype),
        tokenizer=tokenizer,
        template=_template(tokenizer),
        bos=bos,
        licence=opened.text("general.license"),
        fingerprint=fingerprint_of(path),
    )


# --- from a Hugging Face folder ---


def _from_folder(folder: Path, device: torch.device, dtype: Precision) -> Base:
    import transformers  # takes seconds

    architecture = _checked_folder(folder)
    # The bars of progress go to the terminal, which is not a library's.
    transformers.utils.logging.disable_progress_bar()
    try:
        model, found = network_class(architecture).from_pretrained(
            folder,
            dtype=dtype,
            local_files_only=True,
            use_safetensors=True,
            output_loading_info=True,
        )
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False
        )
    # What these loaders raise on damaged files is anything, safetensors' own errors included.
    except Exception as error:
        raise ModelError(
            f"transformers cannot load {folder}: {_first_line(error)}.", "Get the folder again."
        ) from error
    _check_complete(folder, found)
    if not isinstance(tokenizer.chat_template, str):  # some have several, by name
        raise ModelError(
            f"{folder} carries no chat template, or several, so questions cannot be put to it.",
            "Use an instruct or chat version of this model.",
        )
    return Base(
        name=folder.resolve().name,
        source=folder,
        architecture=architecture,
        model=model.to(device).eval(),
        tokenizer=tokenizer,
        template=_template(tokenizer),
        bos=_wanted_bos(tokenizer),
        licence="",
        fingerprint=fingerprint_of(folder),
    )


def _checked_folder(folder: Path) -> Architecture:
    """Check a folder before loading, and return its network."""
    settings = _settings(folder)
    kind = architecture_of(str(settings.get("model_type")))
    if kind is None:
        raise ModelError(
            f"{folder} holds a network of type {settings.get('model_type')!r}, and adapters are "
            f"trained for {', '.join(ARCHITECTURES)} only.",
            "Use a model such as SmolLM2 or Qwen3.",
        )
    if "quantization_config" in settings:
        raise ModelError(
            f"{folder} holds quantised weights, which transformers cannot make floats again.",
            "Use the folder of the unquantised model, or a GGUF.",
        )
    if not any(folder.glob("*.safetensors")):
        raise _no_weights(folder)
    if not (folder / "tokenizer.json").is_file():
        raise ModelError(
            f"{folder} has no tokenizer.json, so texts cannot be cut into tokens.",
            "Get the whole folder of the model.",
        )
    return kind


def _settings(folder: Path) -> dict[str, Any]:
    path = folder / "config.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except FileNotFoundError as error:
        raise ModelError(
            f"{folder} is no Hugging Face model: it has no config.json.",
            "Name the folder that holds config.json and model.safetensors, or a GGUF.",
        ) from error
    except (OSError, msgspec.DecodeError) as error:
        raise ModelError(f"{path} cannot be read: {error}.", "Get the folder again.") from error


def _no_weights(folder: Path) -> ModelError:
    pickled = next((path for pattern in _PICKLES for path in folder.glob(pattern)), None)
    if pickled is not None:
        return ModelError(
            f"{pickled} is a pickle, which can run code when it is loaded.",
            "Get the model's safetensors files instead.",
        )
    return ModelError(f"{folder} holds no *.safetensors files.", "Get the whole folder again.")


def _check_complete(folder: Path, found: Any) -> None:
    """Refuse missing weights, for which transformers only warns and draws random ones."""
    for kind in ("missing_keys", "mismatched_keys", "unexpected_keys"):
        if odd := sorted(map(str, found[kind])):
            raise ModelError(
                f"The weights in {folder} do not fit its config.json: {kind.replace('_', ' ')} "
                f"such as {odd[0]}.",
                "Get the whole folder again.",
            )


def _wanted_bos(tokenizer: PreTrainedTokenizerFast) -> int | None:
    """Return the opening token, where the tokeniser adds it by itself."""
    bos = tokenizer.bos_token_id
    return bos if isinstance(bos, int) and tokenizer.encode("a")[:1] == [bos] else None


def _that_counts(folder: Path) -> Iterator[Path]:
    return (path for pattern in _FINGERPRINTED for path in folder.glob(pattern) if path.is_file())


def _first_line(error: Exception) -> str:
    line = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {line}".rstrip(":. ")

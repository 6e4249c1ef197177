"""Check a GGUF's header before llama.cpp opens the file.

llama.cpp's loader is memory-unsafe on crafted files, and an adapter that does not fit crashes it
at the first decode. This parser reads the header and the tensor table with bounded counts, keeps
a few fields, never allocates by a number from the file, and needs no third package. It does not
look at the weights themselves.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from localrec.foundation.errors import ModelError

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MAX_KEYS = 65_536
_MAX_TENSORS = 262_144
_MAX_DIMENSIONS = 4
_MAX_NAME = 65_535
_MAX_STRING = 16 << 20
_MAX_ELEMENTS = 1 << 48

_STRING, _ARRAY = 8, 9
# GGUF value type -> struct code, little endian.
_SCALARS = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}

# ggml tensor type -> (elements per block, bytes per block), from ggml's type table.
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    9: (32, 40), 10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210),
    15: (256, 292), 16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18),
    21: (256, 110), 22: (256, 82), 23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4),
    27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66),
    39: (32, 17), 40: (64, 36), 41: (128, 18),
}  # fmt: skip

_KEPT = (
    "general.architecture",
    "general.type",
    "general.alignment",
    "tokenizer.chat_template",
    "clip.has_vision_encoder",
    ".context_length",
    ".pooling_type",
    "localrec.role",
    "localrec.base.sha256",
)
_PROJECTOR = "clip"  # llama.cpp's architecture of every mmproj
_TOOL_MARKS = ("<tools>", "<tool_call>", "arguments")
_PULL_AGAIN = "Get the file again: localrec models pull NAME."


class GgufHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The metadata of a GGUF.

    Args:
        architecture: llama.cpp's name of the network, such as `llama` or `bert`.
        kind: `general.type`: `model` or `adapter`.
        context_length: Tokens it was trained for; 0 where the file does not say.
        pooling: The pooling type an embedding model declares (1 mean, 2 first token, 3 last);
            None for a chat model.
        has_chat_template: Whether a chat prompt can be rendered at all.
        sees: Whether it is a projector (mmproj) for pictures.
        supports_tools: Whether that template shows tools and calls in the form of Hermes and Qwen:
            schemas within `<tools>`, JSON within `<tool_call>`.
        tensors: Name -> dimensions, fastest first, as ggml counts them.
        role: Role that an adapter of localrec was trained for; "" in any other file.
        made_for: SHA-256 of the model file that such an adapter is used with.
    """

    architecture: str
    kind: str
    context_length: int
    pooling: int | None
    has_chat_template: bool
    sees: bool
    supports_tools: bool
    tensors: dict[str, tuple[int, ...]]
    role: str = ""
    made_for: str = ""


class _Malformed(Exception):
    """The bytes are no GGUF that llama.cpp could load; the text says why."""


def read_header(path: Path) -> GgufHeader:
    """Read and check the header of a GGUF model or adapter.

    Raises:
        ModelError: the file is missing, unreadable, truncated or no GGUF.
    """
    if not path.exists():
        raise ModelError(f"There is no model file {path}.", _PULL_AGAIN)
    if not path.is_file():  # a pipe would block, a folder has its own error
        raise ModelError(f"{path} is not a file.", "Name a GGUF file.")
    try:
        with path.open("rb") as file:
            return _Parser(file, path.stat().st_size).parse()
    except OSError as error:
        raise ModelError(
            f"{path} cannot be read: {error.strerror or error}.",
            "Name a GGUF file that this account may read.",
        ) from error
    except _Malformed as error:
        raise ModelError(f"{path} is not a usable GGUF file: {error}.", _PULL_AGAIN) from error


def check_chat_model(path: Path, header: GgufHeader) -> None:
    """Refuse a model without chat: an adapter, or one without a chat template.

    Raises:
        ModelError: see above; a template is never guessed, since a wrong one silently spoils
            every answer.
    """
    check_model(path, header)
    if not header.has_chat_template:
        raise ModelError(
            f"{path} carries no chat template, so questions cannot be put to it.",
            "Use an instruct or chat version of this model.",
        )


def check_model(path: Path, header: GgufHeader) -> None:
    """Refuse an adapter or a projector given in a model's place.

    Raises:
        ModelError: the file is one of them.
    """
    if header.architecture == _PROJECTOR:
        raise ModelError(
            f"{path} is a projector (mmproj) and not a model.",
            "Name its model, and it with --projector.",
        )
    if header.kind == "adapter":
        raise ModelError(
            f"{path} is an adapter and not a model.", "Name its base model, and it as the adapter."
        )


def check_projector(path: Path, header: GgufHeader) -> None:
    """Refuse a file that is no image projector.

    Whether it was made for the model is for llama.cpp to say, which compares their sizes.

    Raises:
        ModelError: see above.
    """
    if not header.sees:
        raise ModelError(
            f"{path} is no projector for pictures (mmproj).",
            "Use the mmproj file that was published with the model.",
        )


def check_adapter(path: Path, adapter: GgufHeader, model: GgufHeader) -> None:
    """Refuse an adapter that does not fit `model`: another network, other layers, other sizes.

    Raises:
        ModelError: see above; llama.cpp would run on without it or crash at the first token.
    """
    hint = "Use the adapter with the base model it was trained on."
    if adapter.kind != "adapter":
        raise ModelError(f"{path} is a whole model and not an adapter.", hint)
    if adapter.architecture != model.architecture:
        raise ModelError(
            f"{path} adapts a {adapter.architecture!r} network, the model is "
            f"{model.architecture!r}.",
            hint,
        )
    misfit = _first_misfit(adapter.tensors, model.tensors)
    if misfit is not None:
        raise ModelError(f"{path} does not fit the model: {misfit}.", hint)


def _first_misfit(
    adapter: dict[str, tuple[int, ...]], model: dict[str, tuple[int, ...]]
) -> str | None:
    """Find the first tensor without a partner or room in the base; None when all fit."""
    if not adapter:
        return "it holds no tensors"
    for name, shape in adapter.items():
        base, _, side = name.rpartition(".lora_")
        if side not in ("a", "b") or f"{base}.lora_{'b' if side == 'a' else 'a'}" not in adapter:
            return f"tensor {name!r} is not half of a LoRA pair"
        if base not in model:
            return f"the model has no tensor {base!r}"
        # llama.cpp stores the token embedding's factors transposed; it checks those itself.
        edge = 0 if side == "a" else 1
        if base != "token_embd.weight" and shape[edge:][:1] != model[base][edge:][:1]:
            return f"{name!r} is {shape} where the model's tensor is {model[base]}"
    return None


class _Parser:
    """Walks through the header once; every read is bounded by the bytes that remain."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size

    def parse(self) -> GgufHeader:
        """Read the whole header and check that each tensor lies inside the file."""
        if self._take(4) != _MAGIC:
            raise _Malformed("it does not begin with the letters GGUF")
        version = self._number("I")
        if version not in _VERSIONS:
            raise _Malformed(f"its format version {version} is not 2 or 3 in little-endian order")
        tensor_count, key_count = self._number("Q"), self._number("Q")
        if key_count > _MAX_KEYS or tensor_count > _MAX_TENSORS:
            raise _Malformed(f"it claims {key_count} fields and {tensor_count} tensors")
        # Only what `_describe` needs is kept, so that a file full of long texts stays on disk.
        every_field = (self._field() for _ in range(key_count))
        fields = {key: value for key, value in every_field if key.endswith(_KEPT)}
        tensors = self._tensors(tensor_count, _alignment(fields))
        return _describe(fields, tensors)

    def _field(self) -> tuple[str, Any]:
        key = self._string(_MAX_NAME)
        return key, self._value(self._number("I"))

    def _value(self, kind: int) -> Any:
        """Read a scalar or a string; an array is skipped and gives None."""
        if kind in _SCALARS:
            return self._number(_SCALARS[kind])
        if kind == _STRING:
            return self._string(_MAX_STRING)
        if kind != _ARRAY:
            raise _Malformed(f"it holds a value of unknown type {kind}")
        self._skip_array()
        return None

    def _skip_array(self) -> None:
        kind, count = self._number("I"), self._number("Q")
        if kind in _SCALARS:
            self._skip(count * struct.calcsize(_SCALARS[kind]))
        elif kind == _STRING:
            # Each string costs 8 bytes at least, so a hostile count ends at the end of the file.
            for _ in range(count):
                self._skip(self._number("Q"))
        else:
            raise _Malformed(f"it holds an array of unknown type {kind}")

    def _tensors(self, count: int, alignment: int) -> dict[str, tuple[int, ...]]:
        table = [self._tensor() for _ in range(count)]
        start = -(-self._file.tell() // alignment) * alignment
        shapes: dict[str, tuple[int, ...]] = {}
        for name, shape, offset, size in table:
            if name in shapes:
                raise _Malformed(f"tensor {name!r} is there twice")
            if start + offset + size > self._size:
                raise _Malformed(
                    f"it is cut short: tensor {name!r} ends at byte {start + offset + size}, "
                    f"the file at {self._size}"
                )
            shapes[name] = shape
        return shapes

    def _tensor(self) -> tuple[str, tuple[int, ...], int, int]:
        """Name, dimensions, offset in the data section, bytes."""
        name = self._string(_MAX_NAME)
        dimensions = self._number("I")
        if dimensions > _MAX_DIMENSIONS:
            raise _Malformed(f"tensor {name!r} has {dimensions} dimensions")
        shape = tuple(self._number("Q") for _ in range(dimensions))
        kind, offset = self._number("I"), self._number("Q")
        elements = 1
        for extent in shape:
            elements *= extent
        if not 0 < elements <= _MAX_ELEMENTS:
            raise _Malformed(f"tensor {name!r} has the impossible shape {shape}")
        # A type newer than this table counts as one byte: llama.cpp knows better or refuses it.
        block, block_bytes = _BLOCKS.get(kind, (elements, 1))
        return name, shape, offset, -(-elements // block) * block_bytes

    def _number(self, code: str) -> Any:
        return struct.unpack(f"<{code}", self._take(struct.calcsize(code)))[0]

    def _string(self, longest: int) -> str:
        length = self._number("Q")
        if length > longest:
            raise _Malformed(f"it holds a text of {length} bytes")
        return self._take(length).decode("utf-8", "replace")

    def _take(self, count: int) -> bytes:
        taken = self._file.read(count)
        if len(taken) < count:
            raise _Malformed("it is cut short inside its header")
        return taken

    def _skip(self, count: int) -> None:
        # Short hops read on, since a seek would throw the read buffer away.
        if count <= 256:
            self._take(count)
        elif self._file.tell() + count > self._size:
            raise _Malformed("it is cut short inside its header")
        else:
            self._file.seek(count, 1)


def _alignment(fields: dict[str, Any]) -> int:
    alignment = fields.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1):
        raise _Malformed(f"its alignment {alignment!r} is not a power of two")
    return alignment


def _describe(fields: dict[str, Any], tensors: dict[str, tuple[int, ...]]) -> GgufHeader:
    def typed(key: str, kind: type, default: Any) -> Any:
        value = fields.get(key)
        return value if isinstance(value, kind) else default

    architecture = typed("general.architecture", str, "")
    if not architecture:
        raise _Malformed("it does not name its architecture")
    template = typed("tokenizer.chat_template", str, "")
    return GgufHeader(
        architecture=architecture,
        kind=typed("general.type", str, "model"),
        context_length=typed(f"{architecture}.context_length", int, 0),
        pooling=typed(f"{architecture}.pooling_type", int, None),
        has_chat_template=bool(template.strip()),
        sees=architecture == _PROJECTOR and typed("clip.has_vision_encoder", bool, False),
        # Some models of that family write calls as XML instead: `<function=name>`.
        supports_tools=all(mark in template for mark in _TOOL_MARKS)
        and "<function=" not in template,
        tensors=tensors,
        role=typed("localrec.role", str, ""),
        made_for=typed("localrec.base.sha256", str, ""),
    )

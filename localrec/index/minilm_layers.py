"""What lies inside the pulled MiniLM: the states in its middle, and the layers above them.

The file of the model names one output. A file of ONNX is a message of protocol buffers, whose parts
may be repeated and are then merged, so that an output more is a few bytes at its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from localrec.index.encoder_layers import EncoderLayer, Floats, Linear

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

MIDDLE = "layer_norm_6"  # the states behind the third of the six layers
UPPER = (3, 4, 5)
_HEADS = 12
_STATES = ("attention.output.LayerNorm", "output.LayerNorm")
# Matrices have numbers for names, the same distance apart in each layer.
_FIRST, _BETWEEN = 264, 71
_NUMBERS = {
    "attention.self.query": 0,
    "attention.self.key": 8,
    "attention.self.value": 16,
    "attention.output.dense": 54,
    "intermediate.dense": 58,
    "output.dense": 67,
}
_GRAPH, _OUTPUT, _NAME = b"\x3a", b"\x62", b"\x0a"  # fields 7, 12 and 1, each with a length


def with_outputs(model: bytes, names: Sequence[str]) -> bytes:
    """A model that tells further values of its graph too."""
    told = b"".join(_OUTPUT + _sized(_NAME + _sized(name.encode())) for name in names)
    return model + _GRAPH + _sized(told)


def upper_names() -> list[str]:
    """The names of all values that `upper_layers` wants."""
    return [name for layer in UPPER for name in _names_of(layer)]


def upper_layers(session: InferenceSession) -> tuple[EncoderLayer, ...]:
    """The layers above the middle, of a session with `upper_names` among its outputs."""
    one = np.ones((1, 1), dtype=np.int64)
    inputs = {"input_ids": one, "attention_mask": one, "token_type_ids": one - 1}
    names = upper_names()
    arrays = session.run(names, inputs)
    found = {
        name: np.asarray(array, dtype=np.float32) for name, array in zip(names, arrays, strict=True)
    }
    return tuple(_layer(found, layer) for layer in UPPER)


def read_upper_layers(model: Path) -> tuple[EncoderLayer, ...]:
    """The layers above the middle, out of the model's file.

    Raises:
        Exception: the file is no model, or another; onnxruntime's exceptions share no base.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    file = with_outputs(model.read_bytes(), upper_names())
    return upper_layers(
        onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    )


def _names_of(layer: int) -> list[str]:
    begin = f"inner.encoder.layer.{layer}."
    matrices = [_matrix(layer, part) for part in _NUMBERS]
    shifts = [f"{begin}{part}.bias" for part in _NUMBERS]
    norms = [f"{begin}{part}.{kind}" for part in _STATES for kind in ("weight", "bias")]
    return [*matrices, *shifts, *norms]


def _matrix(layer: int, part: str) -> str:
    return f"val_{_FIRST + _BETWEEN * (layer - UPPER[0]) + _NUMBERS[part]}"


def _layer(found: dict[str, Floats], layer: int) -> EncoderLayer:
    begin = f"inner.encoder.layer.{layer}."

    def linear(part: str) -> Linear:
        return found[_matrix(layer, part)], found[f"{begin}{part}.bias"]

    mixed = [linear(f"attention.self.{part}") for part in ("query", "key", "value")]
    norms = [
        np.stack([found[f"{begin}{part}.weight"], found[f"{begin}{part}.bias"]]) for part in _STATES
    ]
    return EncoderLayer(
        heads=_HEADS,
        mixed=(
            np.hstack([matrix for matrix, _ in mixed]),
            np.concatenate([shift for _, shift in mixed]),
        ),
        gathered=linear("attention.output.dense"),
        inner=linear("intermediate.dense"),
        outer=linear("output.dense"),
        norms=np.stack(norms),
    )


def _sized(content: bytes) -> bytes:
    """A field's length, seven bits a byte, and what it holds."""
    length, digits = len(content), bytearray()
    while length > 127:
        digits.append(length & 127 | 128)
        length >>= 7
    return bytes([*digits, length]) + content

"""What lies inside the pulled MiniLM: the states in its middle, and the layers above them.

The file of the model names one output. A file of ONNX is a message of protocol buffers, whose parts
may be repeated and are then merged, so that an output more is a few bytes at its end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from localrec.index.encoder_layers import EncoderLayer, Floats

MIDDLE = "layer_norm_6"  # the states behind the third of the six layers
UPPER = (3, 4, 5)
_HEADS = 12
_SIZE, _INNER = 384, 1_536
_SHAPES = (
    (_SIZE, 3 * _SIZE), (3 * _SIZE,), (_SIZE, _SIZE), (_SIZE,),
    (_SIZE, _INNER), (_INNER,), (_INNER, _SIZE), (_SIZE,), (2, 2, _SIZE),
)  # fmt: skip
SIZE_OF_UPPER = len(UPPER) * sum(map(math.prod, _SHAPES))
_NORMS = ("attention.output.LayerNorm", "output.LayerNorm")
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


def read_upper_layers(model: Path) -> Floats:
    """The weights of the layers above the middle out of the model's file, one behind the other.

    Raises:
        Exception: the file is no model, or another; onnxruntime's exceptions share no base.
    """
    import onnxruntime

    names = [name for layer in UPPER for name in _names_of(layer)]
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    file = with_outputs(model.read_bytes(), names)
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    one = np.ones((1, 1), dtype=np.int64)
    inputs = {"input_ids": one, "attention_mask": one, "token_type_ids": one - 1}
    told = dict(zip(names, session.run(names, inputs), strict=True))
    parts = [part for layer in UPPER for part in _parts(told, layer)]
    flat = np.concatenate([np.asarray(part, dtype=np.float32).ravel() for part in parts])
    if len(flat) != SIZE_OF_UPPER:
        raise ValueError(f"{model} has layers of other sizes.")
    return flat


def upper_layers(flat: Floats) -> tuple[EncoderLayer, ...]:
    """The layers out of what `read_upper_layers` gives.

    Raises:
        ValueError: it is of another size.
    """
    return tuple(_layer(one) for one in np.split(flat, len(UPPER)))


def _names_of(layer: int) -> list[str]:
    begin = f"inner.encoder.layer.{layer}."
    matrices = [_matrix(layer, part) for part in _NUMBERS]
    shifts = [f"{begin}{part}.bias" for part in _NUMBERS]
    norms = [f"{begin}{part}.{kind}" for part in _NORMS for kind in ("weight", "bias")]
    return [*matrices, *shifts, *norms]


def _matrix(layer: int, part: str) -> str:
    return f"val_{_FIRST + _BETWEEN * (layer - UPPER[0]) + _NUMBERS[part]}"


def _parts(found: Mapping[str, Floats], layer: int) -> Iterator[Floats]:
    """The arrays of one layer in the order of `_SHAPES`."""
    begin = f"inner.encoder.layer.{layer}."
    mixed = [f"attention.self.{part}" for part in ("query", "key", "value")]
    yield np.hstack([found[_matrix(layer, part)] for part in mixed])
    yield np.concatenate([found[f"{begin}{part}.bias"] for part in mixed])
    for part in ("attention.output.dense", "intermediate.dense", "output.dense"):
        yield found[_matrix(layer, part)]
        yield found[f"{begin}{part}.bias"]
    for part in _NORMS:
        yield found[f"{begin}{part}.weight"]
        yield found[f"{begin}{part}.bias"]


def _layer(flat: Floats) -> EncoderLayer:
    cuts = np.cumsum([math.prod(shape) for shape in _SHAPES])
    *parts, norms = (
        part.reshape(shape) for part, shape in zip(np.split(flat, cuts[:-1]), _SHAPES, strict=True)
    )
    mixed, gathered, inner, outer = zip(parts[::2], parts[1::2], strict=True)
    return EncoderLayer(_HEADS, mixed, gathered, inner, outer, norms)


def _sized(content: bytes) -> bytes:
    """A field's length, seven bits a byte, and what it holds."""
    length, digits = len(content), bytearray()
    while length > 127:
        digits.append(length & 127 | 128)
        length >>= 7
    return bytes([*digits, length]) + content

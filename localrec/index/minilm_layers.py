"""What lies inside the pulled MiniLM: the states in its middle, and the layers above them.

The file of the model names one output. A file of ONNX is a message of protocol buffers, whose parts
may be repeated and are then merged, so that an output more is a few bytes at its end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from localrec.index.encoder_layers import EncoderLayer, Floats
from localrec.index.onnx_writer import field

MIDDLE = "layer_norm_6"  # the states behind the third of the six layers
UPPER = (3, 4, 5)
HEADS = 12
SIZE, _INNER = 384, 1_536
_SHAPES = (
    (SIZE, 3 * SIZE), (3 * SIZE,), (SIZE, SIZE), (SIZE,),
    (SIZE, _INNER), (_INNER,), (_INNER, SIZE), (SIZE,), (2, 2, SIZE),
)  # fmt: skip
SIZE_OF_UPPER = len(UPPER) * sum(map(math.prod, _SHAPES))
NORMS = ("attention.output.LayerNorm", "output.LayerNorm")
# Matrices have numbers for names, the same distance apart in each layer but the lowest, where
# those of the attention come a little earlier.
_FIRST, _BETWEEN, _EARLIER = 264, 71, 2
_MIXED = ("attention.self.query", "attention.self.key", "attention.self.value")
_NUMBERS = {
    **dict(zip(_MIXED, (0, 8, 16), strict=True)),
    "attention.output.dense": 54,
    "intermediate.dense": 58,
    "output.dense": 67,
}
PARTS = tuple(_NUMBERS)
_GRAPH, _OUTPUT, _NAME = 7, 12, 1  # numbers of fields


def with_outputs(model: bytes, names: Sequence[str]) -> bytes:
    """A model that tells further values of its graph too."""
    told = b"".join(field(_OUTPUT, field(_NAME, name.encode())) for name in names)
    return model + field(_GRAPH, told)


def read_values(model: Path, names: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Constants of the model's graph out of its file, or what it makes of them.

    Raises:
        Exception: the file is no model, or another; onnxruntime's exceptions share no base.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    file = with_outputs(model.read_bytes(), names)
    session = onnxruntime.InferenceSession(file, options, providers=["CPUExecutionProvider"])
    one = np.ones((1, 1), dtype=np.int64)
    inputs = {"input_ids": one, "attention_mask": one, "token_type_ids": one - 1}
    return dict(zip(names, session.run(names, inputs), strict=True))


def read_upper_layers(model: Path) -> Floats:
    """The weights of the layers above the middle out of the model's file, one behind the other.

    Raises:
        Exception: the file is no model, or another; onnxruntime's exceptions share no base.
    """
    told = read_values(model, [name for layer in UPPER for name in _names_of(layer)])
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
    matrices = [matrix_name(layer, part) for part in _NUMBERS]
    shifts = [f"{begin}{part}.bias" for part in _NUMBERS]
    norms = [f"{begin}{part}.{kind}" for part in NORMS for kind in ("weight", "bias")]
    return [*matrices, *shifts, *norms]


def matrix_name(layer: int, part: str) -> str:
    """The name of a matrix among `PARTS` in the model's file."""
    earlier = _EARLIER if layer == 0 and part in _MIXED else 0
    return f"val_{_FIRST + _BETWEEN * (layer - UPPER[0]) + _NUMBERS[part] - earlier}"


def _parts(found: Mapping[str, NDArray[Any]], layer: int) -> Iterator[Floats]:
    """The arrays of one layer in the order of `_SHAPES`."""
    begin = f"inner.encoder.layer.{layer}."
    yield np.hstack([found[matrix_name(layer, part)] for part in _MIXED])
    yield np.concatenate([found[f"{begin}{part}.bias"] for part in _MIXED])
    for part in PARTS[len(_MIXED) :]:
        yield found[matrix_name(layer, part)]
        yield found[f"{begin}{part}.bias"]
    for part in NORMS:
        yield found[f"{begin}{part}.weight"]
        yield found[f"{begin}{part}.bias"]


def _layer(flat: Floats) -> EncoderLayer:
    cuts = np.cumsum([math.prod(shape) for shape in _SHAPES])
    *parts, norms = (
        part.reshape(shape) for part, shape in zip(np.split(flat, cuts[:-1]), _SHAPES, strict=True)
    )
    mixed, gathered, inner, outer = zip(parts[::2], parts[1::2], strict=True)
    return EncoderLayer(HEADS, mixed, gathered, inner, outer, norms)

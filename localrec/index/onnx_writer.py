"""Writes graphs of ONNX without ONNX's own library, which nobody needs to run them.

A file of ONNX is a message of protocol buffers: numbered fields, each a whole number, a float, or
bytes behind their length. The numbers of the fields are those of `onnx.proto3`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

MICROSOFT = "com.microsoft"  # the operators that onnxruntime adds to those of the standard
_IR_VERSION, _OPSETS = 8, (("", 17), (MICROSOFT, 1))
_TYPES = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7}
_FLOAT, _INT, _INTS = 1, 2, 7  # kinds of attributes
Attribute = int | float | Sequence[int]


class GraphWriter:
    """Collects constants and nodes; each is known by the name of the value that it makes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def constant(self, name: str, array: NDArray[Any]) -> str:
        """Add an array and return its name."""
        dims = b"".join(field(1, size) for size in array.shape)
        raw = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
        tensor = dims + field(2, _TYPES[array.dtype.name]) + field(8, name.encode())
        self._parts.append(field(5, tensor + field(9, raw.tobytes())))
        return name

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        *outputs: str,
        domain: str = "",
        **attributes: Attribute,
    ) -> str:
        """Add an operator and return the name of its first output.

        Args:
            operator: Such as `Gather`.
            inputs: Names of constants, inputs and outputs of earlier nodes; "" leaves one out.
            outputs: Names of what it makes.
            domain: `MICROSOFT` for an operator outside the standard.
            attributes: Of the operator.
        """
        named = [field(1, one.encode()) for one in inputs]
        named += [field(2, one.encode()) for one in outputs]
        told = [field(5, _attribute(name, value)) for name, value in attributes.items()]
        kind = field(4, operator.encode()) + field(7, domain.encode())
        self._parts.append(field(1, b"".join((*named, kind, *told))))
        return outputs[0]

    def model(
        self,
        inputs: Mapping[str, tuple[str, Sequence[str | int]]],
        outputs: Mapping[str, tuple[str, Sequence[str | int]]],
    ) -> bytes:
        """Finish the file.

        Args:
            inputs: Name -> type, such as `int64`, and dimensions, of which any may be a name.
            outputs: The same of what the model tells.
        """
        ends = [field(11, _value(name, *told)) for name, told in inputs.items()]
        ends += [field(12, _value(name, *told)) for name, told in outputs.items()]
        graph = b"".join((field(2, b"graph"), *self._parts, *ends))
        opsets = [field(8, field(1, name.encode()) + field(2, one)) for name, one in _OPSETS]
        return field(1, _IR_VERSION) + b"".join(opsets) + field(7, graph)


def field(number: int, content: bytes | int | float) -> bytes:
    """A field of a message: its number, and what it holds."""
    if isinstance(content, bytes):
        return _varint(number << 3 | 2) + _varint(len(content)) + content
    if isinstance(content, float):
        return _varint(number << 3 | 5) + struct.pack("<f", content)
    return _varint(number << 3) + _varint(content)


def _attribute(name: str, value: Attribute) -> bytes:
    begin = field(1, name.encode())
    if isinstance(value, float):
        return begin + field(2, value) + field(20, _FLOAT)
    if isinstance(value, int):
        return begin + field(3, value) + field(20, _INT)
    return begin + b"".join(field(8, one) for one in value) + field(20, _INTS)


def _value(name: str, kind: str, dims: Sequence[str | int]) -> bytes:
    sizes = (field(2, one.encode()) if isinstance(one, str) else field(1, one) for one in dims)
    shape = b"".join(field(1, size) for size in sizes)
    tensor = field(1, _TYPES[kind]) + field(2, shape)
    return field(1, name.encode()) + field(2, field(1, tensor))


def _varint(number: int) -> bytes:
    """A whole number from 0, seven bits a byte."""
    digits = bytearray()
    while number > 127:
        digits.append(number & 127 | 128)
        number >>= 7
    return bytes([*digits, number])

"""all-MiniLM-L6-v2 that computes in 8 bits: the pulled file's weights in another graph.

The pulled file keeps its matrices in 8 bits and multiplies them as floats. Here whole numbers are
multiplied, with the operators of onnxruntime that join several steps. The states of each token are
rounded to 8 bits by a scale of their own (per-token quantisation: Yao et al. 2022, ZeroQuant,
section 4.1), so that a text has one vector in whatever company it is embedded. onnxruntime's
`DynamicQuantizeMatMul` takes one scale for all tokens of a batch: a tenth faster, but a text came
out at a cosine of .98 to itself in other company, and of .994 to the floats' vector; here .998.

Processors without VNNI add pairs of products in 16 bits, which overflow where the states are
unsigned and the weights signed. Whether this one does is tried out, a millisecond once a process;
the weights are then kept unsigned too, which is slower there and gives the same whole numbers.
"""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from localrec.index.encoder_layers import EPSILON
from localrec.index.minilm_layers import (
    HEADS,
    MIDDLE,
    NORMS,
    PARTS,
    SIZE,
    UPPER,
    matrix_name,
    read_values,
)
from localrec.index.onnx_writer import MICROSOFT, GraphWriter
from localrec.index.prepared_models import GraphRewrite

_LAYERS = 6
_STATES = "last_hidden_state"
_EMBEDDED = "inner.embeddings."
_WORDS, _POSITIONS = f"{_EMBEDDED}word_embeddings.weight", f"{_EMBEDDED}position_embeddings.weight"
_KINDS, _NORM = f"{_EMBEDDED}token_type_embeddings.weight", f"{_EMBEDDED}LayerNorm"
_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_ZERO = 128  # the unsigned number that stands for 0
_STEPS = np.float32(127)  # on each side of it
_SMALLEST = np.float32(0.17)  # of a scale: no activation of GELU is below -0.17
Values = dict[str, NDArray[Any]]


def _rewritten(model: Path, *, unsigned: bool) -> bytes:
    """The graph of a pulled file that computes in 8 bits, as a file of ONNX.

    Raises:
        Exception: the file is no model, or another export; onnxruntime's exceptions share no base.
    """
    values = read_values(model, _names())
    return _Rewriter(values, unsigned=unsigned).model()


# By name, since processors that share a cache may differ: none runs what another one prepared.
SIGNED = GraphRewrite("int8-signed", partial(_rewritten, unsigned=False))
UNSIGNED = GraphRewrite("int8-unsigned", partial(_rewritten, unsigned=True))


@cache
def choose_rewrite() -> GraphRewrite:
    """Choose the graph that this processor computes rightly."""
    return UNSIGNED if overflows() else SIGNED


def overflows() -> bool:
    """Whether this processor multiplies unsigned by signed 8-bit numbers wrongly."""
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    size = 64
    graph = GraphWriter()
    states = graph.constant("states", np.full((size, size), 255, dtype=np.uint8))
    weights = graph.constant("weights", np.full((size, size), 127, dtype=np.int8))
    zero = graph.constant("zero", np.array(0, dtype=np.int32))
    summed = graph.node("MatMulInteger", [states, weights], "summed")
    graph.node("Add", [summed, zero], "told")
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1  # to start others would take longer than the product
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    model = graph.model({}, {"told": ("int32", (size, size))})
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    (told,) = session.run(None, {})
    return bool((np.asarray(told) != 255 * 127 * size).any())


def _names() -> list[str]:
    """The values of the pulled file that are read."""
    matrices = [matrix_name(layer, part) for layer in range(_LAYERS) for part in PARTS]
    scaled = [f"{one}{end}" for one in (_WORDS, _POSITIONS, *matrices) for end in ("_q", "_scale")]
    norms = [_NORM, *(f"{_layer(one)}{part}" for one in range(_LAYERS) for part in NORMS)]
    shifts = [f"{_layer(one)}{part}.bias" for one in range(_LAYERS) for part in PARTS]
    return [*scaled, *shifts, _KINDS, *(f"{one}.{end}" for one in norms for end in _OF_NORM)]


_OF_NORM = ("weight", "bias")


def _layer(number: int) -> str:
    return f"inner.encoder.layer.{number}."


class _Rewriter:
    """Writes the graph; inside, the tokens of all texts are the rows of one matrix.

    Args:
        values: Those of the pulled file.
        unsigned: Whether the weights are kept unsigned.
    """

    def __init__(self, values: Values, *, unsigned: bool) -> None:
        self._values, self._unsigned = values, unsigned
        self._graph = GraphWriter()

    def model(self) -> bytes:
        """Write the file."""
        graph = self._graph
        for name, array in (
            ("rows", np.array([-1, SIZE], dtype=np.int64)),
            ("column", np.array([-1, 1], dtype=np.int64)),
            ("thirds", np.array([SIZE] * 3, dtype=np.int64)),
            ("one", np.array(1, dtype=np.float32)),
            ("steps", np.array(1 / _STEPS, dtype=np.float32)),
            ("smallest", np.array(_SMALLEST / _STEPS, dtype=np.float32)),
            ("zero", np.array(_ZERO, dtype=np.uint8)),
            ("first", np.array([0], dtype=np.int64)),
        ):
            graph.constant(name, array)
        graph.node("Cast", ["attention_mask"], "mask", to=6)
        states = self._embeddings()
        for layer in range(_LAYERS):
            states = self._encoder_layer(layer, states)
            if layer + 1 == UPPER[0]:
                graph.node("Reshape", [states, "shape"], MIDDLE)
        graph.node("Reshape", [states, "shape"], _STATES)
        told = ("float32", ("texts", "tokens", SIZE))
        read = dict.fromkeys(_INPUTS, ("int64", ("texts", "tokens")))
        return graph.model(read, {_STATES: told, MIDDLE: told})

    def _embeddings(self) -> str:
        """Words, kinds and positions, added and normalised; words are scaled once looked up."""
        graph, values = self._graph, self._values
        words = graph.constant("words", values[f"{_WORDS}_q"])
        scales = graph.constant("word_scales", values[f"{_WORDS}_scale"])
        kinds = graph.constant("kinds", values[_KINDS])
        scaled = values[f"{_POSITIONS}_q"] * values[f"{_POSITIONS}_scale"]
        positions = graph.constant("positions", scaled.astype(np.float32))
        graph.node("Gather", [words, "input_ids"], "words_8")
        graph.node("Cast", ["words_8"], "words_32", to=1)
        graph.node("Gather", [scales, "input_ids"], "scale_of_each")
        graph.node("Mul", ["words_32", "scale_of_each"], "of_words")
        graph.node("Gather", [kinds, "token_type_ids"], "of_kinds")
        graph.node("Shape", ["input_ids"], "length", start=1, end=2)
        graph.node("Slice", [positions, "first", "length", "first"], "of_positions")
        graph.node("Add", ["of_words", "of_kinds"], "without_positions")
        graph.node("Add", ["without_positions", "of_positions"], "added")
        graph.node("Shape", ["added"], "shape")
        graph.node("Reshape", ["added", "rows"], "added_rows")
        norm = self._norm(_NORM)
        return graph.node(
            "LayerNormalization", ["added_rows", *norm], "embedded", epsilon=float(EPSILON)
        )

    def _encoder_layer(self, layer: int, states: str) -> str:
        graph, name = self._graph, f"layer{layer}"
        query, key, value, gathered, inner, outer = PARTS
        mixed = self._product(layer, (query, key, value), states)
        shift = self._shift(layer, query, key, value)
        cut = [f"{name}_{part}" for part in ("queries", "keys", "values")]
        graph.node("Split", [mixed, "thirds"], *(f"{one}_rows" for one in cut), axis=1)
        for one in cut:
            graph.node("Reshape", [f"{one}_rows", "shape"], one)
        inputs = [*cut, shift, "mask"]
        graph.node("MultiHeadAttention", inputs, f"{name}_heads", domain=MICROSOFT, num_heads=HEADS)
        heads = graph.node("Reshape", [f"{name}_heads", "rows"], f"{name}_joined")
        states = self._added(layer, gathered, NORMS[0], heads, states)
        inside = self._product(layer, (inner,), states)
        shift = self._shift(layer, inner)
        inside = graph.node("BiasGelu", [inside, shift], f"{name}_inside", domain=MICROSOFT)
        return self._added(layer, outer, NORMS[1], inside, states)

    def _added(self, layer: int, part: str, norm: str, inputs: str, states: str) -> str:
        """The product of one matrix added to the states, normalised."""
        made = self._product(layer, (part,), inputs)
        norms = self._norm(f"{_layer(layer)}{norm}")
        return self._graph.node(
            "SkipLayerNormalization",
            [made, states, *norms, self._shift(layer, part)],
            f"{made}_added",
            domain=MICROSOFT,
            epsilon=float(EPSILON),
        )

    def _product(self, layer: int, parts: tuple[str, ...], inputs: str) -> str:
        """Rows of 32 bits times the matrices of some parts side by side, without their shift."""
        graph, name = self._graph, f"layer{layer}_{parts[0]}"
        names = [matrix_name(layer, part) for part in parts]
        weights = np.hstack([self._values[f"{one}_q"] for one in names])
        scales = np.concatenate([self._values[f"{one}_scale"].ravel() for one in names])
        rows, scale = self._rounded(name, inputs, of_gelu=parts == (PARTS[-1],))
        matrix = [rows, self._weights(name, weights), "one", graph.constant(f"{name}_s", scales)]
        zeros = ["zero", "zero"] if self._unsigned else ["zero"]
        graph.node("MatMulIntegerToFloat", [*matrix, *zeros], f"{name}_whole", domain=MICROSOFT)
        return graph.node("Mul", [f"{name}_whole", scale], f"{name}_made")

    def _rounded(self, name: str, inputs: str, *, of_gelu: bool) -> tuple[str, str]:
        """Rows in 8 bits around `zero`, and the scale of each as a column."""
        graph = self._graph
        # The largest of what GELU made is positive, or below the smallest scale.
        sizes = inputs if of_gelu else graph.node("Abs", [inputs], f"{name}_sizes")
        graph.node("ReduceMax", [sizes], f"{name}_largest", axes=[1], keepdims=0)
        graph.node("Mul", [f"{name}_largest", "steps"], f"{name}_step")
        scale = graph.node("Max", [f"{name}_step", "smallest"], f"{name}_scale")
        graph.node("Shape", [scale], f"{name}_count")
        zeros = graph.node("Expand", ["zero", f"{name}_count"], f"{name}_zeros")
        rows = graph.node("QuantizeLinear", [inputs, scale, zeros], f"{name}_8", axis=0)
        return rows, graph.node("Reshape", [scale, "column"], f"{name}_column")

    def _weights(self, name: str, weights: NDArray[Any]) -> str:
        if self._unsigned:
            weights = (weights.astype(np.int16) + _ZERO).astype(np.uint8)
        return self._graph.constant(f"{name}_w", weights)

    def _shift(self, layer: int, *parts: str) -> str:
        shifts = [self._values[f"{_layer(layer)}{part}.bias"] for part in parts]
        return self._graph.constant(f"layer{layer}_{parts[0]}_b", np.concatenate(shifts))

    def _norm(self, name: str) -> tuple[str, str]:
        weight, bias = (f"{name}.{end}" for end in _OF_NORM)
        constant = self._graph.constant
        return constant(weight, self._values[weight]), constant(bias, self._values[bias])

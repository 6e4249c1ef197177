"""A tiny real picture model: two ONNX encoders that know red, green and blue, and a tokenizer.

The vision encoder averages a picture's colours; the text encoder adds up what its words mean. Both
are files that onnxruntime runs, so that loading, embedding and searching are not imitated.
"""

import json

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save_model
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

SIDE = 32
CONTEXT = 8
# How a plain picture of the colour comes out of preprocessing with mean and deviation of one half.
MEANINGS = {
    "[PAD]": (0, 0, 0),
    "[UNK]": (0, 0, 0),
    "red": (1, -1, -1),
    "green": (-1, 1, -1),
    "blue": (-1, -1, 1),
    "purple": (1, -1, 1),
}
WORDS = list(MEANINGS)


def write_pair(
    folder,
    *,
    size=4,
    text_size=None,
    channels=3,
    mask=False,
    batch="batch",
    side=SIDE,
    context="sequence",
    outputs=("image_embeds", "text_embeds"),
    more_inputs=(),
):
    """Write the four files of a pair into a folder, faulty where a test asks for it."""
    folder.mkdir(parents=True, exist_ok=True)
    _save(folder / "vision_model.onnx", *_vision(size, channels, batch, side, outputs[0]))
    text = _text(text_size or size, mask, batch, context, outputs[1], more_inputs)
    _save(folder / "text_model.onnx", *text)
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    write_json(
        folder / "preprocessor_config.json",
        size={"shortest_edge": SIDE},
        crop_size={"height": SIDE, "width": SIDE},
        do_center_crop=True,
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
    )
    write_json(folder / "config.json", text_config={"max_position_embeddings": CONTEXT})
    return folder


def write_json(path, **fields):
    """Write one small JSON file."""
    path.write_text(json.dumps(fields), encoding="utf-8")


def _vision(size, channels, batch, side, output):
    """pixel_values (batch, channels, side, side) -> means of the colours, filled up to `size`."""
    weights = np.eye(channels if isinstance(channels, int) else 3, size, dtype=np.float32)
    nodes = [
        helper.make_node("GlobalAveragePool", ["pixel_values"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["means"]),
        helper.make_node("MatMul", ["means", "weights"], [output]),
    ]
    shape = [batch, channels, side, side]
    inputs = [helper.make_tensor_value_info("pixel_values", TensorProto.FLOAT, shape)]
    return nodes, inputs, output, [batch, size], {"weights": weights}


def _text(size, mask, batch, context, output, more_inputs):
    """input_ids (batch, context) -> the sum of what the words mean, (batch, size)."""
    table = np.zeros((len(WORDS), size), dtype=np.float32)
    table[:, :3] = list(MEANINGS.values())
    names = ["input_ids", *(["attention_mask"] if mask else []), *more_inputs]
    nodes = [helper.make_node("Gather", ["table", "input_ids"], ["states"])]
    last = "states"
    if mask:
        nodes += [
            helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
            helper.make_node("Unsqueeze", ["mask", "last_axis"], ["column"]),
            helper.make_node("Mul", ["states", "column"], ["masked"]),
        ]
        last = "masked"
    nodes.append(helper.make_node("ReduceSum", [last, "over_words"], [output], keepdims=0))
    constants = {
        "table": table,
        "over_words": np.array([1], dtype=np.int64),
        "last_axis": np.array([2], dtype=np.int64),
    }
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, [batch, context]) for name in names
    ]
    return nodes, inputs, output, [batch, size], constants


def _save(path, nodes, inputs, output, shape, constants):
    graph = helper.make_graph(
        nodes,
        "tiny",
        inputs,
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, shape)],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    # Older than the newest, so that every onnxruntime that localrec takes can read it.
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(model)
    save_model(model, str(path))

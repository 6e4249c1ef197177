"""The two ONNX encoders of a picture model: what they take is read from the files themselves.

A vision encoder takes one batch of frames and nothing else; a text encoder takes `input_ids`, with
or without an `attention_mask`. Each gives one vector for each thing. What takes or gives anything
else is refused in one sentence, and never guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.errors import ModelError
from localrec.images.framing import Resampling, frame_image
from localrec.images.opening import DecodedImage
from localrec.index.protocols import Vectors

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

REMEDY = "docs/pictures.md says what such a folder holds and which models fit."
_CONTEXT = 77  # tokens, of CLIP; where neither the encoder nor config.json says another number
_LONGEST_CONTEXT = 1_024
_SIDES = (32, 1_024)  # pixels of a frame
_INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_PILLOW: dict[int, Resampling] = {1: "lanczos", 2: "bilinear", 3: "bicubic"}
_Size = int | dict[str, int]


class Preprocessing(msgspec.Struct, frozen=True):
    """The fields that are read of `preprocessor_config.json`; CLIP's own numbers by default."""

    size: _Size = 224
    crop_size: _Size | None = None
    do_center_crop: bool = False
    do_normalize: bool = True
    image_mean: tuple[float, float, float] = (0.48145466, 0.4578275, 0.40821073)
    image_std: tuple[float, float, float] = (0.26862954, 0.26130258, 0.27577711)
    rescale_factor: float = 1 / 255
    resample: int = 3


class TextFacts(msgspec.Struct, frozen=True):
    """The fields of the text encoder that are read of `config.json`."""

    max_position_embeddings: int = _CONTEXT
    pad_token_id: int = 0


class VisionEncoder:
    """Pictures -> vectors; the frame it takes is read from the file."""

    def __init__(self, session: InferenceSession, preprocessing: Preprocessing) -> None:
        self._session = session
        self._preprocessing = preprocessing
        self._output = _output_of(session, "image_embeds")
        inputs = session.get_inputs()
        extents = inputs[0].shape if len(inputs) == 1 else []
        channels = extents[1] if len(extents) == 4 else 0  # a name where the file leaves it open
        if inputs[0].type != "tensor(float)" or (isinstance(channels, int) and channels != 3):
            _misfit("vision", "takes something else than one batch of pictures in RGB")
        self._name = inputs[0].name
        if min(preprocessing.image_std) <= 0:
            _misfit("vision", "is said to divide colours by nothing (image_std)")
        self._one_by_one = extents[0] == 1
        self._frame = _frame(extents[2:], preprocessing)
        self._cut_from = _cut_from(self._frame, preprocessing)

    def run(self, pictures: Sequence[DecodedImage]) -> Vectors:
        """(n, size), not yet of unit length."""
        frames = np.stack([self._prepared(one) for one in pictures])
        return _run(self._session, self._output, {self._name: frames}, self._one_by_one)

    def _prepared(self, picture: DecodedImage) -> Vectors:
        """One picture as (3, height, width), as the model's own preprocessing has it."""
        facts = self._preprocessing
        pixels = frame_image(
            picture,
            *self._frame,
            cut_from=self._cut_from,
            resampling=_PILLOW.get(facts.resample, "bicubic"),
        )
        scaled = pixels.astype(np.float32) * np.float32(facts.rescale_factor)
        if facts.do_normalize:
            mean = np.array(facts.image_mean, dtype=np.float32)
            spread = np.array(facts.image_std, dtype=np.float32)
            scaled = (scaled - mean) / spread
        return np.ascontiguousarray(scaled.transpose(2, 0, 1))


class TextEncoder:
    """Tokens -> vectors; how many tokens, of which type and with which mask the file says."""

    def __init__(self, session: InferenceSession, facts: TextFacts) -> None:
        self._session = session
        self._output = _output_of(session, "text_embeds")
        self._types: dict[str, type] = {}
        for one in session.get_inputs():
            kind = _INTEGERS.get(one.type)
            if one.name not in ("input_ids", "attention_mask") or kind is None:
                _misfit("text", f"takes {one.name!r} of {one.type}, which nobody here can give it")
            self._types[one.name] = kind
        if "input_ids" not in self._types:
            _misfit("text", "takes no input_ids")
        shape = next(one.shape for one in session.get_inputs() if one.name == "input_ids")
        fixed = shape[1] if len(shape) == 2 and isinstance(shape[1], int) else None
        self._one_by_one = len(shape) == 2 and shape[0] == 1
        self.context = fixed or facts.max_position_embeddings
        if len(shape) != 2 or not 2 <= self.context <= _LONGEST_CONTEXT:
            _misfit("text", f"takes texts of {self.context} tokens")

    def run(self, tokens: Sequence[Sequence[int]], pad: int) -> Vectors:
        """(n, size), not yet of unit length; every text is filled up to the context."""
        ids = np.full((len(tokens), self.context), pad, dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, of_text in enumerate(tokens):
            ids[row, : len(of_text)] = of_text
            mask[row, : len(of_text)] = 1
        given = {"input_ids": ids, "attention_mask": mask}
        inputs: dict[str, NDArray[Any]] = {
            name: given[name].astype(kind) for name, kind in self._types.items()
        }
        return _run(self._session, self._output, inputs, self._one_by_one)


def _run(
    session: InferenceSession, output: str, inputs: dict[str, NDArray[Any]], one_by_one: bool
) -> Vectors:
    """One output for all rows of the inputs; some encoders take one row at a time."""
    count = len(next(iter(inputs.values())))
    portions = [slice(row, row + 1) for row in range(count)] if one_by_one else [slice(count)]
    try:
        given = [
            session.run([output], {k: v[rows] for k, v in inputs.items()}) for rows in portions
        ]
    except Exception as error:  # onnxruntime's exceptions share no narrower base
        raise ModelError("The picture model failed while it was asked.", REMEDY) from error
    return np.concatenate([np.asarray(vectors, dtype=np.float32) for (vectors,) in given])


def _output_of(session: InferenceSession, wanted: str) -> str:
    """The output with one vector for each thing: by its name, else the only one of that shape."""
    outputs = {one.name: one.shape for one in session.get_outputs()}
    for name in (wanted, "pooler_output"):
        if name in outputs:
            return name
    flat = [name for name, shape in outputs.items() if len(shape) == 2]
    if len(flat) != 1:
        _misfit("vision" if wanted.startswith("image") else "text", f"has no output {wanted}")
    return flat[0]


def _frame(extents: Sequence[Any], preprocessing: Preprocessing) -> tuple[int, int]:
    """Height and width in pixels: as the encoder has them, else as the preprocessing says."""
    wanted = preprocessing.size
    if preprocessing.do_center_crop and preprocessing.crop_size is not None:
        wanted = preprocessing.crop_size
    said = _sides(wanted)
    frame = tuple(
        fixed if isinstance(fixed, int) else side for fixed, side in zip(extents, said, strict=True)
    )
    if not all(_SIDES[0] <= side <= _SIDES[1] for side in frame):
        _misfit("vision", f"takes frames of {frame[0]} by {frame[1]} pixels")
    return frame[0], frame[1]


def _cut_from(frame: tuple[int, int], preprocessing: Preprocessing) -> int | None:
    """Return the length of the shorter side before the frame is cut out; None without a cut."""
    if not preprocessing.do_center_crop:
        return None
    longest = max(*frame, min(_sides(preprocessing.size)))
    if longest > _SIDES[1]:
        _misfit("vision", f"takes frames out of pictures of {longest} pixels")
    return longest


def _sides(size: _Size) -> tuple[int, int]:
    if isinstance(size, int):
        return size, size
    shortest = size.get("shortest_edge", 0)
    return size.get("height", shortest), size.get("width", shortest)


def _misfit(encoder: str, what: str) -> NoReturn:
    raise ModelError(f"The picture model's {encoder} encoder {what}.", REMEDY)

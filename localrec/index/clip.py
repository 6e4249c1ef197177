"""Pictures and texts as vectors of one space: a CLIP-family pair of ONNX encoders in a folder.

The folder is as such models are exported: a vision and a text encoder (in the folder or its
`onnx/`), `tokenizer.json` and `preprocessor_config.json`. What the encoders take is read from the
files themselves and must be what is known here; anything else is refused in one sentence, and never
guessed. CLIP (arXiv 2103.00020) fits, and SigLIP (arXiv 2303.15343) where its `config.json` states
context and padding: every text is filled up to the context that the encoder was trained with.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec
import numpy as np

from localrec.foundation.atomic_files import file_checksum, short_digest
from localrec.foundation.errors import ModelError
from localrec.foundation.paths import pulled
from localrec.images.opening import DecodedImage
from localrec.index.clip_encoders import (
    REMEDY,
    Preprocessing,
    TextEncoder,
    TextFacts,
    VisionEncoder,
)
from localrec.index.onnx_files import encodable, open_session, open_tokenizer
from localrec.index.protocols import Vectors
from localrec.index.vectors import unit_rows

# Smaller files first: on a CPU they are also the faster ones.
_VISION = ("vision_model_quantized.onnx", "vision_model_int8.onnx", "vision_model.onnx")
_TEXT = ("text_model_quantized.onnx", "text_model_int8.onnx", "text_model.onnx")
_BATCH = 16


class _ModelFacts(msgspec.Struct, frozen=True):
    """The fields that are read of `config.json`."""

    text_config: TextFacts = TextFacts()


class ClipPair:
    """Two encoders whose vectors can be compared.

    Args:
        folder: Folder of the files.
        threads: Threads for one call; None leaves it to onnxruntime (one per physical core).

    Raises:
        ModelError: a file is missing, damaged, or not what an encoder of this kind is.
    """

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        self._folder = folder
        vision, text = _find(folder, _VISION), _find(folder, _TEXT)
        tokenizer, preprocessing = folder / "tokenizer.json", folder / "preprocessor_config.json"
        self._preprocessing = _read(preprocessing, Preprocessing)
        facts = _read(folder / "config.json", _ModelFacts, or_else=_ModelFacts()).text_config
        self._vision = VisionEncoder(open_session(vision, threads, REMEDY), self._preprocessing)
        self._text = TextEncoder(open_session(text, threads, REMEDY), facts)
        self._tokenizer = open_tokenizer(tokenizer, self._text.context, REMEDY)
        padding = self._tokenizer.padding
        self._pad = facts.pad_token_id if padding is None else int(padding["pad_id"])
        self._tokenizer.no_padding()
        self.size = self._probed()
        files = (vision, text, tokenizer, preprocessing)
        self.name = f"clip:{folder.resolve().name}:{short_digest(*map(file_checksum, files))}"

    def embed_pictures(self, pictures: Sequence[DecodedImage]) -> Vectors:
        """Unit rows of n pictures, (n, size)."""
        return self._in_batches(pictures, lambda batch: self._vision.run(batch))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit rows of n texts, (n, size); long texts are cut, blank ones give zeros."""
        vectors = np.zeros((len(texts), self.size), dtype=np.float32)
        places = [place for place, text in enumerate(texts) if text.strip()]
        visible = [encodable(texts[place]) for place in places]
        vectors[places] = self._in_batches(visible, self._encode)
        return vectors

    def _encode(self, texts: Sequence[str]) -> Vectors:
        tokens = [one.ids for one in self._tokenizer.encode_batch(list(texts))]
        return self._text.run(tokens, self._pad)

    def _in_batches(self, inputs: Sequence[Any], run: Any) -> Vectors:
        vectors = np.zeros((len(inputs), self.size), dtype=np.float32)
        for start in range(0, len(inputs), _BATCH):
            batch = inputs[start : start + _BATCH]
            vectors[start : start + len(batch)] = run(batch)
        return unit_rows(vectors)

    def _probed(self) -> int:
        """The size of the vectors, from one picture and one text that go through.

        Raises:
            ModelError: the two differ, or an encoder gives no vectors.
        """
        grey = np.full((64, 64, 3), 128, dtype=np.uint8)
        picture = DecodedImage(pixels=grey, size=(64, 64), format="PNG")
        seen, read = self._vision.run([picture]), self._encode(["a drink"])
        for vectors in (seen, read):
            if vectors.ndim != 2 or len(vectors) != 1 or not np.isfinite(vectors).all():
                self._refuse("gives no vector for each picture and text")
        if seen.shape != read.shape:
            self._refuse(
                f"has pictures of {seen.shape[1]} and texts of {read.shape[1]} numbers, which "
                "cannot be compared"
            )
        return int(seen.shape[1])

    def _refuse(self, what: str) -> NoReturn:
        raise ModelError(f"The picture model {self._folder} {what}.", REMEDY)


def open_image_model(name: str, threads: int | None = None) -> ClipPair:
    """The pair that a setting names: an absolute folder, or a model of the catalogue as pulled.

    Raises:
        ModelError: it is not there, or does not fit.
    """
    return ClipPair(pulled("models") / name, threads)  # an absolute path stays what it is


def _find(folder: Path, names: Sequence[str]) -> Path:
    if not folder.is_dir():
        raise ModelError(f"There is no folder {folder} with a picture model.", REMEDY)
    for place in (folder, folder / "onnx"):
        for name in names:
            if (place / name).is_file():
                return place / name
    raise ModelError(f"The picture model {folder} has no {names[-1]}.", REMEDY)


def _read(path: Path, shape: type[Any], or_else: Any = None) -> Any:
    """A small JSON file of the folder; `or_else` where it may be missing."""
    if or_else is not None and not path.is_file():
        return or_else
    try:
        return msgspec.json.decode(path.read_bytes(), type=shape)
    except FileNotFoundError as error:
        raise ModelError(f"The picture model has no {path.name}.", REMEDY) from error
    except (OSError, msgspec.DecodeError) as error:
        raise ModelError(f"{path} cannot be used: {error}.", REMEDY) from error

"""What makes vectors: MiniLM in ONNX by default, any sentence-transformers folder, a GGUF.

Every embedder gives rows of unit length, and zeros for a text without a visible character.
`name` goes into the store with each vector, so a different model gets a different name.
`HashingEmbedder` knows spelling and no meaning: it is for tests and benchmarks.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.errors import ModelError, UsageError
from localrec.foundation.paths import pulled
from localrec.index import minilm_layers
from localrec.index.embedder_names import MINILM
from localrec.index.embedder_self_test import require_meaning
from localrec.index.encoder_layers import EncoderLayer
from localrec.index.minilm_int8 import choose_rewrite
from localrec.index.onnx_files import encodable, open_session, open_tokenizer, require_file
from localrec.index.prepared_models import AS_PULLED, prepared_array
from localrec.index.protocols import Embedder, Vectors
from localrec.index.vectors import unit_rows

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

DEFAULT_EMBEDDER = "minilm-int8"
_PULL = "localrec models pull minilm-int8"
_OTHER = "Compare its files with their source, or name another embedder in settings.toml."
_WORDS = "tokenizer.json"

# Read once, when the library is imported: the folder stays the only place that is asked, and
# nothing is drawn over the screen.
_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}


class ReadTokens(msgspec.Struct, frozen=True):
    """A text as the model reads it.

    Args:
        ids: Numbers of its tokens, those that begin and end it included, (n,).
        spans: Span of each token in the text; (0, 0) of one that is no text.
        states: Last state of each token, (n, 384).
        middle: State of each token in the middle of the layers, (n, 384); where the file does not
            give it, the same as `states`, and `upper_layers` raises.
    """

    ids: NDArray[np.int64]
    spans: tuple[tuple[int, int], ...]
    states: Vectors
    middle: Vectors


class MiniLmEmbedder:
    """all-MiniLM-L6-v2 in 8 bits: mean over the tokens' states, 384 numbers, 256 tokens read.

    The pulled file is run with its numbers of 8 bits (`minilm_int8.py`); another export of the
    model, whose graph is not known, is run as it is.

    Args:
        folder: Folder of `model.onnx` and `tokenizer.json`.
        threads: Threads for one call; None leaves it to onnxruntime (one per physical core).

    Raises:
        ModelError: a file is missing.
    """

    name = MINILM
    size = 384

    MAX_TOKENS = 256
    BATCH = 8  # what its layers make of it stays in the cache: a fifth less time than with 32
    MEANINGS = 5  # texts that the self-test wants right; the pulled files have seven
    REMEMBERED = 64  # single texts, which are questions, asked again at each step of one answer

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        self._model, self._words, self._threads = folder / "model.onnx", folder / _WORDS, threads
        for path in (self._model, self._words):
            require_file(path, _PULL)
        self.read = lru_cache(self.REMEMBERED)(self._read)

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = open_tokenizer(self._words, self.MAX_TOKENS, _PULL)
        # The file asks for 128 always; a batch is padded to its own longest.
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _session(self) -> InferenceSession:
        open_model = partial(open_session, self._model, self._threads, _PULL)
        rewrite = choose_rewrite()
        try:
            session = open_model(rewrite=rewrite)
        except ModelError:  # another export of the model, which names its values otherwise
            rewrite = AS_PULLED
            session = open_model(rewrite=rewrite)
        if "last_hidden_state" not in {output.name for output in session.get_outputs()}:
            raise ModelError(f"{self._model} is another model than all-MiniLM-L6-v2.", _PULL)
        embed = partial(self._embed_many, session=session)
        files = (self._model, self._words)
        computed = f"{self.name} {rewrite.name}"
        require_meaning(files, embed, _PULL, self.MEANINGS, computed=computed)
        return session

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed n texts as unit rows, shape (n, 384); long texts are cut, blank ones give zeros.

        Raises:
            ModelError: a file is damaged, or of another kind; it is opened by the first text.
        """
        if len(texts) == 1 and texts[0].strip():
            states = self.read(texts[0]).states[None]
            return unit_rows(_summed(states, np.ones(states.shape[:2], dtype=np.int64)))
        return self._embed_many(texts)

    def read_many(self, texts: Sequence[str]) -> list[ReadTokens]:
        """The token states of many texts, about a third faster than one by one."""
        encoded = self._tokenizer.encode_batch([encodable(text) for text in texts])
        found: dict[int, ReadTokens] = {}
        by_length = sorted(range(len(texts)), key=lambda one: len(encoded[one].ids))
        for start in range(0, len(by_length), self.BATCH):
            batch = by_length[start : start + self.BATCH]
            ids, mask = _padded([encoded[one].ids for one in batch])
            told = self._states(ids, mask, *(one.name for one in self._session.get_outputs()))
            for one, row, states, middle in zip(batch, ids, told[0], told[-1], strict=True):
                count = len(encoded[one].ids)
                spans = tuple(encoded[one].offsets)
                found[one] = ReadTokens(
                    row[:count], spans, states[:count].copy(), middle[:count].copy()
                )
        return [found[one] for one in range(len(texts))]

    def upper_layers(self) -> tuple[EncoderLayer, ...]:
        """The layers that make `states` out of `middle`.

        Raises:
            ModelError: the file is damaged, or of another kind.
        """
        read, size = minilm_layers.read_upper_layers, minilm_layers.SIZE_OF_UPPER
        try:
            flat = prepared_array(self._model, choose_rewrite(), "upper", size, read)
            return minilm_layers.upper_layers(flat)
        except Exception as error:  # onnxruntime's exceptions share no narrower base
            raise ModelError(f"{self._model} is not a model that can be read.", _PULL) from error

    def _read(self, text: str) -> ReadTokens:
        return self.read_many([text])[0]

    def _embed_many(self, texts: Sequence[str], session: InferenceSession | None = None) -> Vectors:
        vectors = np.zeros((len(texts), self.size), dtype=np.float32)
        places = [place for place, text in enumerate(texts) if text.strip()]
        encoded = self._tokenizer.encode_batch([encodable(texts[place]) for place in places])
        tokens = [encoding.ids for encoding in encoded]
        by_length = sorted(range(len(tokens)), key=lambda one: len(tokens[one]))
        for start in range(0, len(by_length), self.BATCH):
            batch = by_length[start : start + self.BATCH]
            rows = self._run([tokens[one] for one in batch], session)
            vectors[[places[one] for one in batch]] = rows
        return unit_rows(vectors)

    def _run(self, tokens: list[list[int]], session: InferenceSession | None) -> Vectors:
        ids, mask = _padded(tokens)
        (states,) = self._states(ids, mask, "last_hidden_state", session=session)
        return _summed(states, mask)

    def _states(
        self,
        ids: NDArray[np.int64],
        mask: NDArray[np.int64],
        *outputs: str,
        session: InferenceSession | None = None,
    ) -> list[Vectors]:
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        told = (session or self._session).run(outputs, inputs)
        return [np.asarray(states, dtype=np.float32) for states in told]


class SentenceTransformerEmbedder:
    """A sentence-transformers model in a local folder; nothing is looked up anywhere else.

    Args:
        folder: The model as `SentenceTransformer.save` writes it.
        device: Such as `cpu` or `cuda:0`; None takes CUDA where there is one.

    Raises:
        ModelError: the folder holds no such model, or the library is not installed.
    """

    BATCH = 32

    def __init__(self, folder: Path, device: str | None = None) -> None:
        if not (folder / "modules.json").is_file():
            raise ModelError(
                f"{folder} is not a sentence-transformers model: it has no modules.json.",
                "Give the folder that SentenceTransformer.save wrote.",
            )
        self._model = _open_sentence_transformer(folder, device)
        self.name = f"st:{folder.resolve().name}:{_digest_of(folder)}"
        self.size = int(self._encode(["size"]).shape[1])  # the getter's name varies by release

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed n texts as unit rows, shape (n, size); blank ones give zeros."""
        return _embed_visible(texts, self.size, self._encode)

    def _encode(self, texts: list[str]) -> Vectors:
        return self._model.encode(
            texts, batch_size=self.BATCH, convert_to_numpy=True, show_progress_bar=False
        )


class VectorSource(Protocol):
    """A reader of embedding GGUFs; `name` tells one model file from another."""

    name: str

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]] | Vectors:
        """One vector of any length per text, all of one size."""
        ...


class GgufEmbedder:
    """An embedding GGUF, run by a llama.cpp process that somebody else owns and closes.

    Raises:
        ModelError: the model gives no vector for a text, so it is no embedding model.
    """

    def __init__(self, model: VectorSource) -> None:
        self._model = model
        self.name = f"gguf:{model.name}"
        probe = np.asarray(model.embed(["size"]), dtype=np.float32)
        if probe.ndim != 2 or len(probe) != 1 or not probe.any():
            raise ModelError(
                f"{model.name} does not give one vector per text.", "Choose an embedding model."
            )
        self.size = int(probe.shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed n texts as unit rows, shape (n, size); blank ones give zeros."""
        return _embed_visible(texts, self.size, self._model.embed)


class HashingEmbedder:
    """Not a model: hashed character trigrams, for unit tests and benchmarks without weights.

    Texts spelt alike come out alike, on every platform; synonyms do not.
    """

    def __init__(self, size: int = 64, seed: int = 0) -> None:
        self.size = size
        self.name = f"hashing-{size}-{seed}"
        # An array, for on scalars NumPy warns of the overflow that is meant here.
        self._offset = np.array([seed], dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed n texts as unit rows, shape (n, size); blank ones give zeros."""
        return _embed_visible(texts, self.size, self._hash_all)

    def _hash_all(self, texts: list[str]) -> Vectors:
        return np.stack([self._hash(f" {text.casefold()} ") for text in texts])

    def _hash(self, text: str) -> Vectors:
        codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4").astype(np.uint64)
        trigrams = (codes[:-2] << np.uint64(42)) ^ (codes[1:-1] << np.uint64(21)) ^ codes[2:]
        mixed = _mixed(trigrams + self._offset)
        places = (mixed % np.uint64(self.size)).astype(np.int64)
        signs = np.where(mixed >> np.uint64(63), 1.0, -1.0)
        counts = np.bincount(places, weights=signs, minlength=self.size)
        counts[places[0]] += 0.5  # whole numbers alone could cancel out to zeros
        return counts.astype(np.float32)


def open_embedder(
    name: str = DEFAULT_EMBEDDER,
    *,
    threads: int | None = None,
    device: str | None = None,
    open_gguf: Callable[[Path], VectorSource] | None = None,
) -> Embedder:
    """Open the embedder that a setting names.

    Args:
        name: `minilm-int8`, `st:/folder`, `gguf:/file`, or `hashing` (spelling only).
        threads: For MiniLM.
        device: For sentence-transformers.
        open_gguf: Starts the process that runs a GGUF; the caller owns and closes it.

    Raises:
        UsageError: no such embedder.
        ModelError: its files are missing or damaged, or its library is not installed.
    """
    kind, _, place = name.partition(":")
    if name == DEFAULT_EMBEDDER:
        return MiniLmEmbedder(pulled("models") / DEFAULT_EMBEDDER, threads)
    if name == "hashing":
        return HashingEmbedder()
    if kind == "st" and place:
        folder = Path(place).expanduser()
        trained = SentenceTransformerEmbedder(folder, device)
        require_meaning(sorted(folder.rglob("*")), trained.embed, _OTHER)
        return trained
    if kind == "gguf" and place:
        if open_gguf is None:
            raise ModelError(
                f"{place} needs llama.cpp, which is not at hand.", "pip install 'localrec[llm]'"
            )
        file = Path(place).expanduser()
        run = GgufEmbedder(open_gguf(file))
        require_meaning([file], run.embed, _OTHER)
        return run
    raise UsageError(
        f"There is no embedder named {name!r}.",
        f"Known: {DEFAULT_EMBEDDER}, st:/folder, gguf:/file, hashing.",
    )


def known_embedder_name(setting: str) -> str | None:
    """The name on an embedder's vectors where it is known without opening the model, else None.

    What only reads vectors (a list for a person) needs no model, not even its file.
    """
    if setting == DEFAULT_EMBEDDER:
        return MiniLmEmbedder.name
    return HashingEmbedder().name if setting == "hashing" else None


def _padded(tokens: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers of tokens and which of them are some, both (n, longest)."""
    ids = np.zeros((len(tokens), max(map(len, tokens))), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, of_text in enumerate(tokens):
        ids[row, : len(of_text)] = of_text
        mask[row, : len(of_text)] = 1
    return ids, mask


def _summed(states: Vectors, mask: NDArray[np.int64]) -> Vectors:
    """The sum over real tokens, (n, size) from (n, tokens, size); `unit_rows` makes it the mean."""
    return np.einsum("nts,nt->ns", states, mask.astype(np.float32))


def _embed_visible(
    texts: Sequence[str],
    size: int,
    embed: Callable[[list[str]], Sequence[Sequence[float]] | Vectors],
) -> Vectors:
    vectors = np.zeros((len(texts), size), dtype=np.float32)
    places = [place for place, text in enumerate(texts) if text.strip()]
    if places:
        vectors[places] = embed([encodable(texts[place]) for place in places])
    return unit_rows(vectors)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of splitmix64: near numbers come out far apart."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def _open_sentence_transformer(folder: Path, device: str | None) -> Any:
    os.environ.update(_OFFLINE)
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        import sentence_transformers  # brings torch: seconds to import, and an optional extra
    except ImportError as error:
        raise ModelError(
            f"{folder} needs sentence-transformers, which is not installed.",
            "pip install 'localrec[sentence-transformers]'",
        ) from error
    try:
        return sentence_transformers.SentenceTransformer(
            str(folder), device=device, local_files_only=True, trust_remote_code=False
        )
    except Exception as error:  # whatever torch, transformers and the file formats raise
        raise ModelError(
            f"{folder} is not a sentence-transformers model that can be read: {error}.",
            "Copy the model's folder anew.",
        ) from error


def _digest_of(folder: Path) -> str:
    """Eight digits over every file, so that a model trained further in place has a new name."""
    digest = hashlib.blake2b(digest_size=4)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, hashlib.blake2b).digest())
    return digest.hexdigest()

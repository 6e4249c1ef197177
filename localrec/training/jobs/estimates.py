"""Estimate the memory and time of a training before it starts.

Estimates read only the header of the model's file, so that nothing is loaded to find out that it
does not fit. The memory of a training with LoRA beside frozen weights is

    weights     parameters x bytes of their type
    adapter     16 bytes a weight: itself, its gradient, Adam's two moments, all float32
    activations per token and block, what the backward pass needs; with gradient checkpointing the
                input of each block, and all of one block
    scores      the logits of the vocabulary, for each token that is learnt
    serving     the GGUF that writes the rollouts, and its attention memory

and its time is the arithmetic of each token: a multiplication and an addition a weight forward, the
same backward, and forward once more with checkpointing. One short step measures the machine's
speed; without it the speed is guessed low.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

import msgspec

from localrec.foundation.errors import ModelError, UsageError
from localrec.foundation.machine import usable_cores
from localrec.llm.gguf_header import read_header
from localrec.training.adapters.lora import AdapterConfig
from localrec.training.jobs.device_presets import DevicePreset

_BYTES = {"float32": 4, "bfloat16": 2}
_ADAM = 16  # bytes of a trained weight: see above
_KEPT_OF_HIDDEN = 14  # values of a block's width that its backward pass needs, attention's too
_KEPT_OF_INNER = 4  # of its feed-forward's width
_SCORE_BYTES = 10  # of one token's score: as computed, as float32, and its gradient
_RUNTIME = {"cpu": 400 << 20, "cuda": 1200 << 20}  # of the libraries, with nothing loaded
_HEADROOM = 0.9  # of a memory: allocators leave gaps
_GUESSED = {"cpu": 8e9, "cuda": 2e13}  # operations a second of one core, and of one GPU
_READING = {"cpu": 5e9, "cuda": 4e11}  # bytes of weights a second, while one server writes
_MOST_WRITTEN = 200  # tokens a second, however small the model: grammar and sampling take theirs
_BLOCK = re.compile(r"blk\.([0-9]+)\.")


class BaseShape(msgspec.Struct, frozen=True, kw_only=True):
    """The size of a base.

    Args:
        parameters: Weights.
        layers: Blocks.
        hidden: Width of a block.
        inner: Width of its feed-forward part.
        vocabulary: Tokens.
        keys: Width of a block's keys, and of its values, all heads together.
        file_bytes: Size of the file, which is the memory that it takes to serve it.
    """

    parameters: int
    layers: int
    hidden: int
    inner: int
    vocabulary: int
    keys: int
    file_bytes: int


class StepLoad(msgspec.Struct, frozen=True, kw_only=True):
    """The work of a training step.

    Args:
        steps: Steps of the optimiser in the whole training.
        sequences: In each of them.
        tokens: Average tokens of a sequence, prompt and answer.
        learnt: Number of these tokens that are scored.
        longest: Tokens of the longest sequence.
        written: Tokens that a model has to write first for each sequence; 0 where they are given.
        servers: Processes that write at the same time.
    """

    steps: int
    sequences: int
    tokens: int
    learnt: int
    longest: int
    written: int = 0
    servers: int = 0


class TrainingSpeed(msgspec.Struct, frozen=True, kw_only=True):
    """The speed of a machine in tokens per second.

    Args:
        learnt: Tokens, forwards and backwards.
        written: Tokens that all servers write together.
        is_measured: By a short step, or guessed.
    """

    learnt: float
    written: float = math.inf
    is_measured: bool = True


class ResourceEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """The memory and time that a training takes.

    Args:
        memory_bytes: At its highest, of the device that trains.
        available_bytes: Memory of the device; None where unknown.
        seconds_per_step: Time of one step of the optimiser.
        total_seconds: Time of all steps.
        is_measured: Whether the times rest on a step that was really done.
    """

    memory_bytes: int
    available_bytes: int | None
    seconds_per_step: float
    total_seconds: float
    is_measured: bool

    @property
    def fits(self) -> bool:
        """Whether the memory suffices, as far as it is known."""
        return self.available_bytes is None or (
            self.memory_bytes <= _HEADROOM * self.available_bytes
        )


def shape_of(source: Path) -> BaseShape:
    """Read the size of a base from the header of a GGUF or a folder's config.json.

    Raises:
        ModelError: it cannot be read, or is no network of attention blocks.
    """
    return _shape_of_folder(source) if source.is_dir() else _shape_of_gguf(source)


def estimate(
    shape: BaseShape,
    adapter: AdapterConfig,
    load: StepLoad,
    preset: DevicePreset,
    speed: TrainingSpeed | None = None,
    available_bytes: int | None = None,
) -> ResourceEstimate:
    """Estimate the memory and time of a training.

    Args:
        shape: Size of the base.
        adapter: Settings of the trained adapter.
        load: Work of each step.
        preset: The batch sizes for the machine.
        speed: Measured on this machine; None to guess it.
        available_bytes: Memory of the device; None where it is not known.
    """
    known = speed or guessed_speed(shape, preset, load)
    learning = load.sequences * load.tokens / known.learnt
    writing = load.sequences * load.written / known.written if load.written else 0.0
    return ResourceEstimate(
        memory_bytes=memory_bytes(shape, adapter, load, preset),
        available_bytes=available_bytes,
        seconds_per_step=learning + writing,
        total_seconds=load.steps * (learning + writing),
        is_measured=known.is_measured,
    )


def check_fits(found: ResourceEstimate, preset: DevicePreset) -> None:
    """Refuse a training that clearly does not fit.

    Raises:
        UsageError: see above.
    """
    if not found.fits:
        has = (found.available_bytes or 0) / 1e9
        raise UsageError(
            f"This training needs about {found.memory_bytes / 1e9:.1f} GB, and the machine has "
            f"{has:.1f} GB ({preset.name}).",
            "Train a smaller base, shorter sequences (--max-tool-calls), "
            "or fewer servers (--workers).",
        )


def memory_bytes(
    shape: BaseShape, adapter: AdapterConfig, load: StepLoad, preset: DevicePreset
) -> int:
    """Estimate the peak memory of the training device; see the head of this module."""
    place = "cpu" if preset.dtype == "float32" else "cuda"
    at_once = preset.micro_batch * load.longest
    learnt = preset.micro_batch * min(load.longest, math.ceil(1.5 * load.learnt))
    serving = load.servers * (shape.file_bytes + _attention_bytes(shape, load.longest))
    return int(
        _RUNTIME[place]
        + shape.parameters * _BYTES[preset.dtype]
        + _ADAM * adapter_parameters(shape, adapter)
        + at_once * _activation_bytes(shape, preset)
        + learnt * shape.vocabulary * _SCORE_BYTES
        + serving
    )


def adapter_parameters(shape: BaseShape, adapter: AdapterConfig) -> int:
    """Count the weights of an adapter: rank x (inputs + outputs) of each adapted layer."""
    ends = {
        "q_proj": 2 * shape.hidden,
        "o_proj": 2 * shape.hidden,
        "k_proj": shape.hidden + shape.keys,
        "v_proj": shape.hidden + shape.keys,
        **dict.fromkeys(("gate_proj", "up_proj", "down_proj"), shape.hidden + shape.inner),
    }
    return adapter.rank * shape.layers * sum(ends.get(one, 0) for one in adapter.targets)


def guessed_speed(shape: BaseShape, preset: DevicePreset, load: StepLoad) -> TrainingSpeed:
    """Guess the speed as half of the speed that similar machines reached."""
    place = "cpu" if preset.dtype == "float32" else "cuda"
    per_token = (6 if preset.gradient_checkpointing else 4) * shape.parameters
    power = _GUESSED[place] * (usable_cores() if place == "cpu" else 1)
    # Writing reads every weight once a token, however few operations that are.
    written = load.servers * min(_MOST_WRITTEN, _READING[place] / shape.file_bytes)
    return TrainingSpeed(learnt=power / per_token, written=written or math.inf, is_measured=False)


def main_memory() -> int | None:
    """Return the main memory that is free now; None where the system does not report it."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    found = re.search(r"MemAvailable:\s+([0-9]+) kB", text)
    limit = _container_limit()
    free = int(found[1]) * 1024 if found else None
    return min(filter(None, (free, limit)), default=None)


def _container_limit() -> int | None:
    try:
        text = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
    except OSError:
        return None
    return int(text) if text.isdigit() else None


def _activation_bytes(shape: BaseShape, preset: DevicePreset) -> int:
    """Estimate the activation memory of one token in all blocks."""
    size = _BYTES[preset.dtype]
    block = size * (_KEPT_OF_HIDDEN * shape.hidden + _KEPT_OF_INNER * shape.inner)
    if preset.gradient_checkpointing:
        return block + shape.layers * shape.hidden * size
    return block * shape.layers


def _attention_bytes(shape: BaseShape, tokens: int) -> int:
    """Estimate the memory of keys and values in llama.cpp, as float16."""
    return 2 * 2 * shape.layers * shape.keys * tokens


def _shape_of_gguf(path: Path) -> BaseShape:
    tensors = read_header(path).tensors
    try:
        hidden, vocabulary = tensors["token_embd.weight"]
        return BaseShape(
            parameters=sum(math.prod(dimensions) for dimensions in tensors.values()),
            layers=1 + max(int(found[1]) for found in map(_BLOCK.match, tensors) if found),
            hidden=hidden,
            inner=tensors["blk.0.ffn_up.weight"][1],
            vocabulary=vocabulary,
            keys=tensors["blk.0.attn_k.weight"][1],
            file_bytes=path.stat().st_size,
        )
    except (KeyError, ValueError, IndexError) as error:
        raise ModelError(
            f"{path} holds no network of attention blocks, so nothing can be trained on it.",
            "Use a model such as SmolLM2 or Qwen3.",
        ) from error


def _shape_of_folder(folder: Path) -> BaseShape:
    try:
        config = msgspec.json.decode((folder / "config.json").read_bytes(), type=_FolderConfig)
        size = sum(path.stat().st_size for path in folder.glob("*.safetensors"))
    except (OSError, msgspec.DecodeError) as error:
        raise ModelError(
            f"{folder} is no Hugging Face model: {error}.", "Name a folder with config.json."
        ) from error
    return config.shape(size)


class _FolderConfig(msgspec.Struct, frozen=True):
    """The settings in config.json of a transformer network."""

    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    vocab_size: int
    num_key_value_heads: int | None = None
    head_dim: int | None = None
    tie_word_embeddings: bool = False

    def shape(self, file_bytes: int) -> BaseShape:
        """Return the shape; the file may hold its weights in any type."""
        head = self.head_dim or self.hidden_size // self.num_attention_heads
        keys = head * (self.num_key_value_heads or self.num_attention_heads)
        queries = head * self.num_attention_heads
        block = 2 * self.hidden_size * (queries + keys) + 3 * (
            self.hidden_size * self.intermediate_size
        )
        words = self.vocab_size * self.hidden_size * (1 if self.tie_word_embeddings else 2)
        return BaseShape(
            parameters=self.num_hidden_layers * block + words,
            layers=self.num_hidden_layers,
            hidden=self.hidden_size,
            inner=self.intermediate_size,
            vocabulary=self.vocab_size,
            keys=keys,
            file_bytes=file_bytes,
        )

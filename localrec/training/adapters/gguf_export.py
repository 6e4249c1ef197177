"""Export an adapter as a GGUF for llama.cpp, and prove that it computes the same.

The matrices keep their values. The order of llama's query and key rows differs, and so does the
scale: llama.cpp multiplies by alpha / rank, so for rsLoRA, which needs alpha / sqrt(rank), another
alpha is written. An error in either would load and answer something else, so both sides are asked
the same prompts before the file gets its name.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np

from localrec.data.chat_message import Message
from localrec.foundation.atomic_files import atomic_file
from localrec.foundation.errors import ModelError
from localrec.foundation.paths import make_private
from localrec.llm.model_process import ModelProcess
from localrec.training.adapters.lora import (
    AdapterConfig,
    TrainedOn,
    adapted,
    read_config,
    read_weights,
    trained_on,
)
from localrec.training.base_model.gguf_layout import TensorLayout
from localrec.training.base_model.loading import Base, fingerprint_of, prompt_tokens
from localrec.training.libraries import training_libraries

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

PEFT_PREFIX = "base_model.model."
_ROWS = 8  # positions of each probe that are compared: its last ones

# A quantised base alone parts the two sides by some hundredths of the logits' spread, in which the
# error of an adapter that was trained for a minute would drown; turned up it does not.
_SEEN = 0.5  # of the spread: an adapter that does less is turned up until it does as much

# How far the two sides may be apart.
_SAME_MODEL = 0.5  # of the spread, without the adapter
_NOISE = 1.5  # of the gap without it
_STRAY = 0.1  # of the adapter's effect


class AdapterMetadata(msgspec.Struct, frozen=True, kw_only=True):
    """The metadata of an adapter file.

    Args:
        name: The adapter's name for users.
        role: The role that it was trained for, such as `router`.
        licence: Licence of the adapter, as an SPDX name.
    """

    name: str
    role: str
    licence: str


class Probe(NamedTuple):
    """A prompt that both sides are asked, with an answer begun."""

    messages: tuple[Message, ...]
    answer: str


PROBES = (
    Probe((Message("user", "Which drinks have gin in them, but no lemon?"),), "There are two: a"),
    Probe(
        (
            Message("system", "You sort questions into four kinds and answer with a number."),
            Message("user", "a black-and-white thriller from 1947, not too long"),
        ),
        '{"kind": 2, "include": ["thriller"], "year": 194',
    ),
    Probe((Message("user", "Comme Amélie, mais plus drôle 🎬 <|im_end|>"),), "Rank: [3, 12, 7"),
)


class LogitAgreement(msgspec.Struct, frozen=True, kw_only=True):
    """The distance between the logits of torch and llama.cpp, all in units of logits.

    Each number is a root of a mean of squares over positions and vocabulary. The logits of a
    position are taken about their mean, which no probability depends on.

    Args:
        positions: The number of positions compared.
        strength: Factor that the adapter was turned up by on both sides, to be visible.
        spread: Spread of the bare base's logits: the scale of the other figures.
        base_gap: Distance of both sides without the adapter: rounding and quantised arithmetic.
        gap: Distance of both sides with it.
        effect: Change of the logits by the adapter, in torch.
        same_best: Share of the positions where both sides, with it, hold the same token likeliest.
    """

    positions: int
    strength: float
    spread: float
    base_gap: float
    gap: float
    effect: float
    same_best: float


def export_adapter(
    folder: Path,
    base: Base,
    serving: Path,
    out: Path,
    card: AdapterMetadata,
    probes: Sequence[Probe] = PROBES,
) -> LogitAgreement:
    """Write a saved adapter as GGUF, after comparing torch's and llama.cpp's logits.

    Args:
        folder: The adapter, as `save_adapter` wrote it.
        base: The base that it was trained on, without an adapter.
        serving: The GGUF that llama.cpp shall use it with: that base, or a quantised copy of it.
        out: The file to write; one that is there is replaced at the end, or not at all.
        card: The metadata to write.
        probes: The prompts to compare on.

    Raises:
        ModelError: the adapter is none that llama.cpp can compute, or belongs to another base, or
            the two sides differ; `out` is as it was.
        WorkspaceError: the folder of `out` cannot be made.
    """
    make_private(out.parent)
    with atomic_file(out, private=False) as part:  # to be handed on, like any model
        write_adapter(folder, base, serving, part, card)
        agreement = compare_logits(folder, base, serving, part, probes)
        check_agreement(agreement, serving)
    return agreement


# --- the file ---


def write_adapter(
    folder: Path, base: Base, serving: Path, out: Path, card: AdapterMetadata
) -> None:
    """Write a saved adapter as GGUF, without comparing it with llama.cpp.

    The matrices are float16, which halves the file and rounds by a two-thousandth at most.

    Raises:
        ModelError: the adapter is none that llama.cpp can compute, or a file cannot be read.
    """
    with training_libraries():
        import gguf
    config, on = read_config(folder), trained_on(folder)
    tensors = _tensors(folder, TensorLayout.of(base.model.config))
    writer = gguf.GGUFWriter(out, base.architecture)
    try:
        # A training writes an adapter at each step, and hashing a base takes seconds.
        served_with = base.fingerprint if serving == base.source else fingerprint_of(serving)
        _describe(writer, card, on, served_with)
        writer.add_string("adapter.type", "lora")
        writer.add_float32("adapter.lora.alpha", _alpha_of_llama_cpp(config))
        for name, rows in sorted(tensors.items()):
            writer.add_tensor(name, rows.astype(np.float16))
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
    finally:
        writer.close()


def _describe(writer: Any, card: AdapterMetadata, on: TrainedOn, served_with: str) -> None:
    writer.add_type("adapter")
    writer.add_name(card.name)
    writer.add_license(card.licence)
    writer.add_base_model_count(1)
    writer.add_base_model_name(0, on.name)
    writer.add_string("localrec.role", card.role)
    writer.add_string("localrec.base.sha256", served_with)
    writer.add_string("localrec.base.licence", on.licence)
    writer.add_string("localrec.trained_on.sha256", on.fingerprint)


def _alpha_of_llama_cpp(config: AdapterConfig) -> float:
    """Return the alpha that, divided by the rank, gives the scale of the adapter."""
    return config.scale * config.rank


def _tensors(folder: Path, layout: TensorLayout) -> dict[str, Floats]:
    """Name and order the matrices as llama.cpp does.

    `lora_a` has shape (rank, inputs), `lora_b` (outputs, rank).
    """
    weights = read_weights(folder)
    suffix = ".lora_A.weight"
    modules = {
        name.removeprefix(PEFT_PREFIX).removesuffix(suffix): name.removesuffix(suffix)
        for name in weights
        if name.endswith(suffix)
    }
    tensors = {}
    for module, name in layout.names(sorted(modules)).items():
        first, second = (
            weights[f"{modules[module]}.lora_{side}.weight"].float().numpy() for side in "AB"
        )
        # Only the rows of the second are outputs, and have llama.cpp's order.
        first, second = _balanced(first, layout.to_llama_cpp(module, second))
        tensors[f"{name}.weight.lora_a"] = first
        tensors[f"{name}.weight.lora_b"] = second
    return tensors


def _balanced(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Rescale two matrices with the same product, so that float16 keeps the smaller one.

    The second begins as zeros and may stay tiny. A power of two loses nothing.
    """
    sizes = [float(np.abs(one).max(initial=0.0)) for one in (first, second)]
    if not all(sizes):
        return first, second
    shift = round(math.log2(sizes[0] / sizes[1]) / 2)
    return np.ldexp(first, -shift), np.ldexp(second, shift)


# --- the proof ---


def compare_logits(
    folder: Path, base: Base, serving: Path, adapter: Path, probes: Sequence[Probe] = PROBES
) -> LogitAgreement:
    """Ask torch and llama.cpp the same, each with and without the adapter.

    Args:
        folder: The adapter, for torch.
        base: The base that it was trained on, without an adapter.
        serving: The base, for llama.cpp.
        adapter: The adapter, for llama.cpp.
        probes: The prompts.

    Raises:
        ModelError: a file cannot be used, or the two sides cut a probe into other tokens.
    """
    with ModelProcess(serving) as process:
        probed = [_same_tokens(base, process, probe) for probe in probes]
        bare = _asked_of_llama_cpp(process, probed)
    with adapted(base, folder) as model:
        with model.disable_adapter():
            torch_bare = _asked_of_torch(model, probed)
        if bare.shape != torch_bare.shape:
            raise ModelError(
                f"{serving} has {bare.shape[1]} tokens, and {base.source} {torch_bare.shape[1]}.",
                "Serve the adapter with the base it was trained on.",
            )
        strength = _strength(_asked_of_torch(model, probed) - torch_bare, torch_bare)
        _turn_up(model, strength)
        torch_adapted = _asked_of_torch(model, probed)
    with ModelProcess(serving, adapter=adapter, adapter_scale=strength) as process:
        native_adapted = _asked_of_llama_cpp(process, probed)
    return LogitAgreement(
        positions=len(bare),
        strength=strength,
        spread=_size(torch_bare),
        base_gap=_size(bare - torch_bare),
        gap=_size(native_adapted - torch_adapted),
        effect=_size(torch_adapted - torch_bare),
        same_best=float(np.mean(native_adapted.argmax(1) == torch_adapted.argmax(1))),
    )


def check_agreement(agreement: LogitAgreement, serving: Path) -> None:
    """Refuse a gap larger than rounding and quantised arithmetic explain.

    Raises:
        ModelError: see above.
    """
    if agreement.base_gap > _SAME_MODEL * agreement.spread:
        raise ModelError(
            f"{serving} computes something else than the base of the adapter, also without it: "
            f"their logits are {agreement.base_gap:.2f} apart, and {agreement.spread:.2f} wide.",
            "Serve the adapter with the base it was trained on.",
        )
    allowed = math.hypot(_NOISE * agreement.base_gap, _STRAY * agreement.effect)
    if not agreement.gap <= allowed:  # no number at all is refused too
        raise ModelError(
            f"The exported adapter does something else in llama.cpp than in torch: it moves logits "
            f"by {agreement.effect:.3f} and leaves them {agreement.gap:.3f} apart, where "
            f"{allowed:.3f} would be explained.",
            "This is a fault in localrec; the adapter was not written.",
        )


def _same_tokens(base: Base, process: ModelProcess, probe: Probe) -> list[int]:
    tokens = prompt_tokens(base, probe.messages, probe.answer)
    if tuple(tokens) != process.tokenise(probe.messages, probe.answer):
        raise ModelError(
            f"{base.source} cuts a text into other tokens than llama.cpp does when it serves.",
            "Train on the GGUF that serves.",
        )
    return tokens


def _asked_of_llama_cpp(process: ModelProcess, probed: Sequence[list[int]]) -> Floats:
    return np.concatenate([process.score(tokens, _rows(tokens)) for tokens in probed])


def _asked_of_torch(model: Any, probed: Sequence[list[int]]) -> Floats:
    import torch  # the base has brought it

    scores = []
    with torch.inference_mode():
        for tokens in probed:
            ids = torch.tensor([tokens], device=model.device)
            reply = model(input_ids=ids, logits_to_keep=_rows(tokens), use_cache=False)
            scores.append(reply.logits[0].float().cpu().numpy())
    return np.concatenate(scores)


def _strength(change: Floats, bare: Floats) -> float:
    """Choose a scale for an adapter that changes logits by `change`, so that it is measurable."""
    effect, wanted = _size(change), _SEEN * _size(bare)
    return max(1.0, wanted / effect) if effect else 1.0


def _turn_up(model: Any, strength: float) -> None:
    from peft.tuners.lora import LoraLayer  # adapted has imported it

    for module in model.modules():
        if isinstance(module, LoraLayer):
            module.scale_layer(strength)


def _rows(tokens: Sequence[int]) -> int:
    return min(_ROWS, len(tokens))


def _size(logits: Floats) -> float:
    about_mean = logits - logits.mean(axis=1, keepdims=True)
    return float(np.sqrt(np.mean(np.square(about_mean, dtype=np.float64))))

"""Choose batch sizes by the memory of the GPU.

An optimiser's step is the same for any micro-batch: gradients of the parts are added up. So a
preset changes speed and memory, and not the result. The table was computed by
`localrec.training.jobs.estimates` for plain LoRA of rank 16 beside bfloat16 weights and leaves a
tenth of the memory free; a test computes it again.
"""

from __future__ import annotations

import msgspec

from localrec.foundation.errors import UsageError
from localrec.training.base_model.loading import Precision

COMPLETIONS_PER_STEP = 64  # AgenticRec, appendix F: eight groups of eight
_TOLERANCE = 0.95  # a card of "24 GB" shows a little less


class DevicePreset(msgspec.Struct, frozen=True, kw_only=True):
    """The batch settings of a machine.

    Args:
        name: For people.
        micro_batch: Sequences in one forward and backward pass.
        accumulation: Such passes in one step of the optimiser.
        gradient_checkpointing: Compute activations a second time instead of keeping them.
        dtype: Type of the base's weights and of the arithmetic.
        max_tokens: Longest sequence, prompt and answer.
        at_once: Tokens in one pass where sequences are shorter than that, padding and all.
    """

    name: str
    micro_batch: int
    accumulation: int
    gradient_checkpointing: bool
    dtype: Precision
    max_tokens: int
    at_once: int

    def with_batch(self, sequences: int) -> DevicePreset:
        """Return the preset with this number of sequences in a step of the optimiser.

        The micro-batch is the largest one of the preset that divides them.
        """
        micro = next(size for size in range(self.micro_batch, 0, -1) if sequences % size == 0)
        return msgspec.structs.replace(self, micro_batch=micro, accumulation=sequences // micro)


# GB of the GPU -> (largest base in billions of parameters, micro-batch, checkpointing, tokens).
_ON_GPU: dict[int, tuple[tuple[float, int, bool, int], ...]] = {
    8: ((0.2, 4, True, 4096), (0.7, 1, True, 4096), (2.1, 1, True, 1024)),
    16: ((0.2, 8, True, 4096), (0.7, 4, True, 3072), (2.1, 2, True, 3072), (4.5, 1, True, 1024)),
    24: ((0.2, 8, True, 8192), (0.7, 4, True, 6144), (2.1, 2, True, 6144), (4.5, 1, True, 4096)),
    48: (
        *((0.2, 16, True, 8192), (0.7, 8, True, 6144), (2.1, 4, True, 8192)),
        *((4.5, 2, True, 8192), (9.0, 1, True, 8192)),
    ),
    80: (
        *((0.2, 32, True, 8192), (0.7, 8, True, 8192), (2.1, 8, True, 8192)),
        *((4.5, 4, True, 8192), (9.0, 2, True, 8192)),
    ),
}
# Caches are small: four sequences of 600 tokens take twice as long side by side as one by one.
_ON_CPU = DevicePreset(
    name="CPU",
    micro_batch=1,
    accumulation=COMPLETIONS_PER_STEP,
    gradient_checkpointing=False,
    dtype="float32",
    max_tokens=4096,
    at_once=1024,
)


def preset_for(device_memory_gb: float | None, base_parameters: int) -> DevicePreset:
    """Choose the preset of a machine for a base.

    Args:
        device_memory_gb: Memory of the GPU; None to train on the CPU.
        base_parameters: The number of weights of the base.

    Raises:
        UsageError: the GPU is too small for this base.
    """
    if device_memory_gb is None:
        return _ON_CPU
    billions = base_parameters / 1e9
    fitting = [size for size in _ON_GPU if size * _TOLERANCE <= device_memory_gb]
    rows = _ON_GPU[max(fitting)] if fitting else ()
    for most, micro, checkpointing, tokens in rows:
        if billions <= most:
            return DevicePreset(
                name=f"{max(fitting)} GB",
                micro_batch=micro,
                accumulation=COMPLETIONS_PER_STEP // micro,
                gradient_checkpointing=checkpointing,
                dtype="bfloat16",
                max_tokens=tokens,
                at_once=micro * tokens,
            )
    largest = f"{rows[-1][0]:g} billion" if rows else "none"
    raise UsageError(
        f"A base of {billions:.1f} billion weights cannot be trained in {device_memory_gb:.0f} GB; "
        f"the largest that fits there has {largest}.",
        "Train a smaller base, or on the CPU: --device cpu",
    )


def every_preset() -> list[tuple[int, float, DevicePreset]]:
    """List all presets: GB of the GPU, largest base in billions of weights, preset."""
    return [
        (size, most, preset_for(size, round(most * 1e9)))
        for size, rows in _ON_GPU.items()
        for most, *_ in rows
    ]

"""Train an adapter in the upper layers alone; what lies below is computed once for each prompt.

    tokens -- lower layers, frozen, without an adapter -- states, kept
                                                            |
                              upper layers with the adapter -+- hidden states

Nothing changes below the first trained layer, so its states stay the same in every pass, for every
seed and for every adapter of the same base. Networks whose layers differ by their place, as those
of Gemma 3, are refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from localrec.foundation.errors import UsageError

if TYPE_CHECKING:
    from peft import PeftModel

States = dict[tuple[int, ...], torch.Tensor]  # tokens -> states below the upper layers, (t, size)

_LAYER = re.compile(r"\.layers\.(\d+)\.")
_AT_ONCE = 2048  # tokens, padding and all, that the lower layers read


class UpperLayers:
    """The upper layers of an adapted network, and the states below them.

    Args:
        model: A base with an adapter; its matrices below the upper layers are frozen here.
        count: Number of upper layers.
        states: States that were computed before; new ones are added.

    Raises:
        UsageError: the network has fewer layers, or layers of several kinds.
    """

    def __init__(self, model: PeftModel, count: int, states: States | None = None) -> None:
        network: Any = model.get_base_model()
        self._model, self._inner = model, network.model
        self._layers = self._inner.layers
        self._first = len(self._layers) - count
        if count < 1 or self._first < 1:
            raise UsageError(
                f"Of {len(self._layers)} layers {count} upper ones cannot be trained alone.",
                "Name at least one, and fewer than all.",
            )
        if len(set(getattr(self._inner.config, "layer_types", None) or ())) > 1:
            raise UsageError(
                "The layers of this network differ, so that the upper ones cannot run alone.",
                "Train another base: localrec models list",
            )
        self._states: States = {} if states is None else states
        for name, parameter in model.named_parameters():
            layer = _LAYER.search(name)
            if layer is not None and int(layer[1]) < self._first:
                parameter.requires_grad = False

    def hidden(self, sequences: Sequence[tuple[int, ...]]) -> torch.Tensor:
        """Compute the last hidden states of sequences, padded at their end, (b, t, size)."""
        self.read(sequences)
        below = torch.nn.utils.rnn.pad_sequence(
            [self._states[one] for one in sequences], batch_first=True
        )
        return self._run(self._layers[self._first :], self._inner.norm, inputs_embeds=below)

    def read(self, sequences: Sequence[tuple[int, ...]]) -> None:
        """Compute and keep the states of sequences that were not read before."""
        new = sorted({one for one in sequences if one not in self._states}, key=len)
        while new:
            fit = max(1, _AT_ONCE // len(new[min(len(new), 8) - 1]))
            piece, new = new[:fit], new[fit:]
            tokens = torch.zeros(len(piece), len(piece[-1]), dtype=torch.long)
            for row, one in enumerate(piece):
                tokens[row, : len(one)] = torch.tensor(one)
            with torch.no_grad(), self._model.disable_adapter():
                states = self._run(
                    self._layers[: self._first],
                    torch.nn.Identity(),
                    input_ids=tokens.to(self._model.device),
                ).float()
            for one, found in zip(piece, states, strict=True):
                self._states[one] = found[: len(one)].clone()

    def _run(self, layers: Any, norm: torch.nn.Module, **inputs: torch.Tensor) -> torch.Tensor:
        """Run some of the layers in place of all."""
        whole = self._inner.layers, self._inner.norm
        self._inner.layers, self._inner.norm = layers, norm
        try:
            found: torch.Tensor = self._inner(use_cache=False, **inputs).last_hidden_state
            return found
        finally:
            self._inner.layers, self._inner.norm = whole

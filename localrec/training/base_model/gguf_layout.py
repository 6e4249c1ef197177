"""Map transformers' tensor names, row orders and norms to llama.cpp's.

llama.cpp turns neighbouring pairs of a head's rows in the rotary embedding where transformers
turns the two halves of the head against each other. For architecture `llama` its files therefore
hold the rows of the query and key projections in another order; `qwen3` and `gemma3` are computed
as transformers does it and keep them. Norms of `gemma3` multiply by one plus their weight in
transformers, and by their weight in llama.cpp. Either mistake loads without any error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from localrec.foundation.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Architecture = Literal["llama", "qwen3", "gemma3"]
ARCHITECTURES: tuple[Architecture, ...] = ("llama", "qwen3", "gemma3")
_OTHERWISE_NAMED = {"gemma3_text": "gemma3"}  # in transformers, where gemma3 sees as well


def architecture_of(model_type: str) -> Architecture | None:
    """Return llama.cpp's name of a network of transformers; None where it cannot be trained."""
    named = _OTHERWISE_NAMED.get(model_type, model_type)
    return next((one for one in ARCHITECTURES if one == named), None)


class TensorLayout(msgspec.Struct, frozen=True, kw_only=True):
    """Names and row orders of one network.

    Args:
        architecture: llama.cpp's name of the network.
        layers: The number of layers.
        heads: Number of query heads.
        key_heads: Number of key heads, which several queries may share.
    """

    architecture: Architecture
    layers: int
    heads: int
    key_heads: int

    @classmethod
    def of(cls, config: Any) -> TensorLayout:
        """Make the layout of a network with these transformers settings.

        Raises:
            ModelError: there is none of such a network.
        """
        architecture = architecture_of(config.model_type)
        if architecture is None:
            raise ModelError(f"A {config.model_type} network has no layout in llama.cpp here.")
        return cls(
            architecture=architecture,
            layers=config.num_hidden_layers,
            heads=config.num_attention_heads,
            key_heads=config.num_key_value_heads,
        )

    def names(self, modules: list[str]) -> dict[str, str]:
        """transformers' name of each module -> llama.cpp's, both without `.weight`.

        Raises:
            ModelError: llama.cpp has no such module.
        """
        import gguf  # an extra's

        known = gguf.get_tensor_name_map(_number_of(self.architecture), self.layers)
        names = {module: known.get_name(module) for module in modules}
        if strange := [module for module, name in names.items() if name is None]:
            raise ModelError(
                f"llama.cpp's {self.architecture} network has nothing called {strange[0]}.",
                "Train the linear layers of the blocks only.",
            )
        return {module: name for module, name in names.items() if name is not None}

    def to_llama_cpp(self, module: str, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Turn a module's tensor from transformers' form into llama.cpp's."""
        heads = self._turned_heads(module)
        if heads is None:
            return rows + 1 if self._is_shifted(module) else rows
        halves = rows.reshape(heads, 2, -1, *rows.shape[1:])
        return halves.swapaxes(1, 2).reshape(rows.shape)

    def to_transformers(self, module: str, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Turn a module's tensor from llama.cpp's form into transformers'."""
        heads = self._turned_heads(module)
        if heads is None:
            return rows - 1 if self._is_shifted(module) else rows
        pairs = rows.reshape(heads, -1, 2, *rows.shape[1:])
        return pairs.swapaxes(1, 2).reshape(rows.shape)

    def _is_shifted(self, module: str) -> bool:
        """Whether a module is a norm whose weights differ by one."""
        return self.architecture == "gemma3" and module.endswith("norm")

    def _turned_heads(self, module: str) -> int | None:
        """Count the heads whose rows are reordered; None where both orders are equal."""
        if self.architecture != "llama":
            return None
        counts = {"q_proj": self.heads, "k_proj": self.key_heads}
        return counts.get(module.rpartition(".")[2])


def _number_of(architecture: str) -> Any:
    """Find the constant of the gguf package for an architecture."""
    import gguf  # see Layout.names

    return next(one for one, name in gguf.MODEL_ARCH_NAMES.items() if name == architecture)

"""Load the weights of a GGUF and of an adapter, and make contexts over them."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llama_cpp.llama_cpp as native

from localrec.foundation.errors import ModelError
from localrec.foundation.machine import usable_cores
from localrec.llm.native_log import cause, complaints, log


class NativeWeights:
    """A loaded model with its adapter.

    Args:
        path: The model file, its header already checked.
        n_threads: CPU threads; None takes all that this process may use.
        repack: Let llama.cpp rearrange the weights for this CPU's matrix instructions; off where
            these are announced but trap (AMX, see `model_process`).
        adapter: LoRA file, its header already checked, or None.
        adapter_scale: Strength of the adapter.
        moved: Called again and again while the file is loaded.

    Raises:
        ModelError: llama.cpp does not take the model or the adapter.
    """

    def __init__(
        self,
        path: Path,
        n_threads: int | None,
        repack: bool,
        adapter: Path | None,
        adapter_scale: float,
        moved: Callable[[], object],
    ) -> None:
        native.llama_log_set(log, None)
        self._moved = native.llama_progress_callback(lambda *_: (moved(), True)[1])
        native.llama_backend_init()
        self.path = path
        self.threads = n_threads or usable_cores()
        self.model = self._load(path, repack)
        self.vocab = native.llama_model_get_vocab(self.model)
        self._adapter = self._load_adapter(adapter) if adapter else None
        self._adapter_scale = adapter_scale

    def _load(self, path: Path, repack: bool) -> Any:
        parameters = native.llama_model_default_params()
        parameters.use_extra_bufts = repack
        parameters.progress_callback = self._moved
        model = native.llama_model_load_from_file(os.fsencode(path), parameters)
        if not model:
            raise ModelError(
                f"llama.cpp cannot load {path}: {cause()}.",
                "Check the file: localrec models check.",
            )
        return model

    def _load_adapter(self, path: Path) -> Any:
        adapter = native.llama_adapter_lora_init(self.model, os.fsencode(path))
        if not adapter:
            raise ModelError(
                f"llama.cpp cannot load the adapter {path}: {cause()}.",
                "Use the adapter with the base model it was trained on.",
            )
        return adapter

    def parameters(self, n_ctx: int) -> Any:
        """Return the parameters of a context, to be completed by its maker."""
        parameters = native.llama_context_default_params()
        parameters.n_ctx = n_ctx
        parameters.n_threads = parameters.n_threads_batch = self.threads
        if not native.llama_supports_gpu_offload():
            # On a CPU it halves the speed of writing behind 1,500 tokens, and gains reading 15%.
            parameters.flash_attn_type = native.LLAMA_FLASH_ATTN_TYPE_DISABLED
        return parameters

    def new_context(self, parameters: Any, *, with_adapter: bool = True) -> Any:
        """Make a context, with the adapter applied unless that is not wanted.

        Raises:
            ModelError: llama.cpp lacks the memory, or does not take the adapter.
        """
        complaints.clear()
        context = native.llama_init_from_model(self.model, parameters)
        if not context:
            raise ModelError(
                f"llama.cpp cannot make a context of {parameters.n_ctx} tokens for {self.path}: "
                f"{cause()}.",
                "A smaller context needs less memory.",
            )
        if self._adapter and with_adapter:
            adapters = (native.llama_adapter_lora_p_ctypes * 1)(self._adapter)
            scales = (ctypes.c_float * 1)(self._adapter_scale)
            if native.llama_set_adapters_lora(context, adapters, 1, scales):
                raise ModelError(f"llama.cpp cannot apply the adapter to {self.path}.")
        return context

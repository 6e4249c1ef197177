"""A llama.cpp grammar sampler that checks its pointers before it is used."""

from __future__ import annotations

import ctypes
from typing import Any

import llama_cpp.llama_cpp as native
import numpy as np


class Grammar:
    """The position of an answer in its grammar; made by `NativeModel.grammar`."""

    def __init__(self, sampler: Any) -> None:
        self._sampler = sampler

    def allows(self, tokens: np.ndarray) -> np.ndarray:
        """Mark which of `tokens` (ids, shape (n,)) may come next."""
        entries = np.zeros(len(tokens), dtype=_TOKEN_DATA)
        entries["id"] = tokens
        candidates = native.llama_token_data_array(
            data=entries.ctypes.data_as(native.llama_token_data_p),
            size=len(entries),
            selected=-1,
            sorted=False,
        )
        native.llama_sampler_apply(self._sampler, ctypes.byref(candidates))
        return entries["logit"] > -np.inf

    def accept(self, token: int) -> None:
        """Move on by a token that `allows` let pass; another one would end the process."""
        native.llama_sampler_accept(self._sampler, token)


_TOKEN_DATA = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])

"""Saved states of prompt prefixes, so that instructions are evaluated once.

A state is the attention memory (KV) that llama.cpp holds after the tokens of a prefix. States stay
in memory and die with the model's process: they contain what was said in the prompt.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

Tokens = tuple[int, ...]


class PrefixStates:
    """States by the exact token ids of their prefix, least recently used out first.

    One instance belongs to one model, adapter and context size, so those are not in the key.

    Args:
        budget_bytes: All states together stay below this; a larger one is not kept.
    """

    def __init__(self, budget_bytes: int) -> None:
        self._budget = budget_bytes
        self._held = 0
        self._states: OrderedDict[Tokens, bytearray] = OrderedDict()

    def __contains__(self, prefix: Tokens) -> bool:
        return prefix in self._states

    def has_room_for(self, size: int) -> bool:
        """Whether a state of `size` bytes can be kept at all."""
        return size <= self._budget

    def longest(self, tokens: Tokens) -> tuple[Tokens, bytearray] | None:
        """Find the longest kept prefix of `tokens`, and its state."""
        best: Tokens = ()
        for held in self._states:
            if len(best) < len(held) and tokens[: len(held)] == held:
                best = held
        if not best:
            return None
        self._states.move_to_end(best)
        return best, self._states[best]

    def keep(self, prefix: Tokens, state: bytearray) -> None:
        """Keep a state, dropping those unused for longest until all fit the budget."""
        if not self.has_room_for(len(state)):
            return
        self._held += len(state) - len(self._states.pop(prefix, ()))
        self._states[prefix] = state
        while self._held > self._budget:
            _, dropped = self._states.popitem(last=False)
            self._held -= len(dropped)


def common_length(left: Sequence[int], right: Sequence[int]) -> int:
    """Count the leading tokens that two sequences share."""
    for position, (one, other) in enumerate(zip(left, right, strict=False)):
        if one != other:
            return position
    return min(len(left), len(right))

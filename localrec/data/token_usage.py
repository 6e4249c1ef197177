"""Count the tokens and calls of a model."""

from __future__ import annotations

import msgspec


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens and time of one call: prompt tokens, cached ones among them, new tokens."""

    prompt: int
    cached: int
    generated: int
    model_ms: float


class TokenUsage(msgspec.Struct, frozen=True, kw_only=True):
    """The number of calls of a model, and their tokens.

    Args:
        calls: The number of answered calls.
        prompt_tokens: Tokens read, those from a cached prefix too.
        cached_tokens: Prompt tokens that came from a cached prefix.
        new_tokens: Tokens written.
        model_ms: Milliseconds within the model.
    """

    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    new_tokens: int = 0
    model_ms: float = 0.0

    @property
    def tokens(self) -> int:
        """The tokens read and written."""
        return self.prompt_tokens + self.new_tokens

    def and_for(self, usage: Usage) -> TokenUsage:
        """Add one more call."""
        return TokenUsage(
            calls=self.calls + 1,
            prompt_tokens=self.prompt_tokens + usage.prompt,
            cached_tokens=self.cached_tokens + usage.cached,
            new_tokens=self.new_tokens + usage.generated,
            model_ms=self.model_ms + usage.model_ms,
        )

    def __add__(self, other: TokenUsage) -> TokenUsage:
        """Add the calls and tokens of both."""
        return TokenUsage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            new_tokens=self.new_tokens + other.new_tokens,
            model_ms=self.model_ms + other.model_ms,
        )

"""Choose and generate with a loaded model: prompt, prefix reuse, decoding.

It runs in the model's process on top of `NativeModel`. A prompt with fixed leading messages starts
from their saved state; a prompt without them starts from its common prefix with the previous
prompt, which is as fast but lets the last digits of probabilities vary. A prompt that continues the
previous conversation starts at its end, and repeats exactly if no other caller asks in between.
"""

from __future__ import annotations

import codecs
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

import numpy as np

from localrec.data.chat_message import Message
from localrec.data.token_usage import Usage
from localrec.foundation.errors import ContextError, ModelError
from localrec.llm.chat_model import (
    Bitmap,
    GenerateOptions,
    Generation,
    LabelProbabilities,
    ignore_chunk,
)
from localrec.llm.chat_template import ChatTemplate
from localrec.llm.native_grammar import Grammar
from localrec.llm.native_model import NativeModel
from localrec.llm.prefix_states import PrefixStates, common_length

if TYPE_CHECKING:
    from localrec.llm.projector import Projector

OnChunk = Callable[[str], None]  # pieces of an answer while it is written
_PREFIX_BUDGET_BYTES = 256 << 20
_SHORTLIST = 64  # likeliest tokens shown to a grammar before it must judge the whole vocabulary


class ChatSession:
    """The context of one loaded model; every call leaves it usable, even after an error.

    Args:
        model: A loaded model with a chat template.
        prefix_budget_bytes: Room for the states of fixed prefixes.
    """

    def __init__(self, model: NativeModel, prefix_budget_bytes: int = _PREFIX_BUDGET_BYTES) -> None:
        self._model = model
        self._template = ChatTemplate(
            model.chat_template, model.special_text("bos"), model.special_text("eos")
        )
        self._states = PrefixStates(prefix_budget_bytes)
        self._prompt_before: list[int] = []  # the prompt before, up to where the assistant spoke

    def choose(
        self, messages: Sequence[Message], labels: Sequence[str], fixed: int
    ) -> LabelProbabilities:
        """Take the softmax over the first token of each label, after one evaluation of the prompt.

        Raises:
            ModelError: two labels begin with the same token.
            ContextError: the prompt does not fit.
        """
        started = time.perf_counter()
        first_tokens = self._first_tokens(labels)
        prompt, cached = self._evaluate_prompt(messages, fixed)
        scores = self._model.logits()[first_tokens].astype(np.float64)
        weights = np.exp(scores - scores.max())
        return LabelProbabilities(
            probabilities=tuple((weights / weights.sum()).tolist()),
            usage=_usage(prompt, cached, 0, started),
        )

    def generate(self, messages: Sequence[Message], options: GenerateOptions) -> Generation:
        """Write an answer token by token; greedy at temperature 0, else sampled by the seed.

        Raises:
            ModelError: the grammar is invalid.
            ContextError: the prompt does not fit.
            ModelCancelledError: the call was stopped.
        """
        begun = self._begun(options.prefix)
        with self._rules(options.grammar) as rules:
            decoder = _Decoder(options.temperature, options.seed, rules)
            started = time.perf_counter()
            is_sampled = options.temperature > 0
            prompt, cached = self._evaluate_prompt(messages, options.fixed, begun, is_sampled)
            return self._write(decoder, options.max_tokens, prompt, cached, started)

    def describe(
        self,
        projector: Projector,
        bitmap: Bitmap,
        messages: Sequence[Message],
        *,
        grammar: str | None,
        max_tokens: int,
        on_chunk: OnChunk,
    ) -> Generation:
        """Write about an image, which stands before the text of the last message; greedily.

        Raises:
            ModelError: the picture or the grammar cannot be used.
            ContextError: picture and prompt do not fit.
            ModelCancelledError: the call was stopped.
        """
        with self._rules(grammar) as rules:
            started = time.perf_counter()
            self._model.forget()
            try:
                prompt = self._evaluate_picture(projector, bitmap, messages)
                decoder = _Decoder(0.0, 0, rules)
                return self._write(decoder, max_tokens, prompt, 0, started, on_chunk)
            finally:
                self._model.forget()

    def _evaluate_picture(
        self, projector: Projector, bitmap: Bitmap, messages: Sequence[Message]
    ) -> int:
        """Evaluate prompt and image; return the number of their tokens."""
        before, prompt_tokens = self._around_last(messages)
        self._check_fit(len(before) + len(prompt_tokens))
        self._model.evaluate(before)
        shown = projector.show(bitmap)
        self._check_fit(self._model.position + len(prompt_tokens))
        self._model.evaluate(prompt_tokens)
        return len(before) + shown + len(prompt_tokens)

    def _around_last(self, messages: Sequence[Message]) -> tuple[list[int], list[int]]:
        """Split the tokens of the prompt before the text of the last message."""
        tokens, ends = self._tokens_and_ends(messages)
        return tokens[: ends[-3]], tokens[ends[-3] :]

    def _rules(self, grammar: str | None) -> AbstractContextManager[Grammar | None]:
        return nullcontext() if grammar is None else self._model.grammar(grammar)

    def tokenise(self, messages: Sequence[Message], prefix: str) -> list[int]:
        """Return the tokens that `generate` would evaluate: of the prompt and of the prefix."""
        return [*self._tokenise(messages, 0)[0], *self._begun(prefix)]

    def score(self, tokens: Sequence[int], rows: int) -> np.ndarray:
        """Compute the logits of each next token after each of the last `rows` of `tokens`.

        Float32 of shape (rows, vocabulary). The last ones are evaluated one by one, as when an
        answer is written.

        Raises:
            ModelError: there are fewer tokens than rows, or one is not in the vocabulary.
            ContextError: the tokens do not fit.
        """
        if not 0 < rows <= len(tokens):
            raise ModelError(f"{len(tokens)} tokens cannot give {rows} rows of scores.")
        self._check_fit(len(tokens))
        self._model.check_tokens(tokens)
        self._model.keep_first(0)
        self._model.evaluate(tokens[: len(tokens) - rows])
        scores = []
        for token in tokens[len(tokens) - rows :]:
            self._model.evaluate([token])
            scores.append(self._model.logits().copy())
        return np.stack(scores)

    def _begun(self, prefix: str) -> list[int]:
        """Return the tokens of an answer's prefix."""
        return self._model.tokens_of(self._template.answer_lead() + prefix) if prefix else []

    def _write(
        self,
        decoder: _Decoder,
        max_tokens: int,
        prompt: int,
        cached: int,
        started: float,
        on_chunk: OnChunk = ignore_chunk,
    ) -> Generation:
        """Generate after a prompt with this many tokens, some of them cached."""
        limit = min(max_tokens, self._model.n_ctx - prompt)
        spoken = codecs.getincrementaldecoder("utf-8")("replace")
        raw, written, finished = b"", 0, False
        while written < limit:
            token = decoder.next_token(self._model)
            finished = token is not None and self._model.is_end(token)
            if token is None or finished:
                break
            piece = self._model.bytes_of(token)
            raw += piece
            on_chunk(spoken.decode(piece))
            written += 1
            if written < limit:
                decoder.accept(token)
                self._model.evaluate([token])
        # An answer that was cut off may end inside a character; that piece is left out.
        text = codecs.getincrementaldecoder("utf-8")("replace").decode(raw, final=finished)
        return Generation(
            text=text, finished=finished, usage=_usage(prompt, cached, written, started)
        )

    def _first_tokens(self, labels: Sequence[str]) -> list[int]:
        lead = self._template.answer_lead()
        seen: dict[int, str] = {}
        for label in labels:
            ids = self._model.tokens_of(lead + label)
            if not ids:
                raise ModelError("An empty label cannot be chosen.")
            if ids[0] in seen:
                raise ModelError(
                    f"The labels {seen[ids[0]]!r} and {label!r} begin with the same token.",
                    "Use labels that differ from their first letter on, such as digits.",
                )
            seen[ids[0]] = label
        if len(seen) < 2:
            raise ModelError("A choice needs at least two labels.")
        return list(seen)

    def _evaluate_prompt(
        self,
        messages: Sequence[Message],
        fixed: int,
        begun: Sequence[int] = (),
        is_sampled: bool = False,
    ) -> tuple[int, int]:
        """Evaluate the prompt and a begun answer.

        Of a prompt that is sampled from, the last token is evaluated by itself, as it is where the
        rest is there from the call before: rounding depends on how tokens are cut into batches,
        and a seed shall give the same answer twice. So a further sample of the same prompt costs
        the answer alone.

        Returns how many tokens they have, and how many of these were there.
        """
        prompt_tokens, prefix_length = self._tokenise(messages, fixed)
        prompt = [*prompt_tokens, *begun]
        self._check_fit(len(prompt))
        if not prefix_length or self._goes_on(prompt, is_sampled):
            cached = self._model.keep_first(common_length(self._model.live, prompt[:-1]))
            begin = cached
        else:
            cached = self._bring_prefix(tuple(prompt[:prefix_length]))
            begin = prefix_length
        last = max(begin, len(prompt) - is_sampled)
        self._model.evaluate(prompt[begin:last])
        self._model.evaluate(prompt[last:])
        self._prompt_before = prompt_tokens
        return len(prompt), cached

    def _check_fit(self, length: int) -> None:
        if length >= self._model.n_ctx:
            raise ContextError(
                f"The prompt has {length} tokens, the model's context {self._model.n_ctx}.",
                "Ask with less text, or open the model with a larger context.",
            )

    def _goes_on(self, prompt: list[int], is_sampled: bool) -> bool:
        """Whether a prompt begins with the whole previous one, which is still in the context.

        One that is sampled from may also be the previous one.

        The one before ended with the template's mark of the assistant, so what comes behind it
        belongs to the same conversation.
        """
        before = self._prompt_before
        return (
            0 < len(before) < len(prompt) + is_sampled
            and prompt[: len(before)] == before
            and self._model.live[: len(before)] == before
        )

    def _bring_prefix(self, prefix: tuple[int, ...]) -> int:
        """Make `prefix` the whole context; return the number of cached tokens.

        The state is always the one that was saved, or grown from a saved one: what happened to be
        live beyond it is dropped. Rounding depends on how a prompt is cut into batches, so that
        the same question would otherwise get other probabilities depending on the one before.
        """
        is_live = prefix in self._states and tuple(self._model.live[: len(prefix)]) == prefix
        if is_live and self._model.keep_first(len(prefix)):
            return len(prefix)
        saved = self._states.longest(prefix)
        if saved is not None and self._model.load_state(saved[0], saved[1]):
            known = len(saved[0])
        else:
            known = self._model.keep_first(0)
        if known < len(prefix):
            self._model.evaluate(prefix[known:])
            self._save(prefix)
        return known

    def _save(self, prefix: tuple[int, ...]) -> None:
        if self._states.has_room_for(self._model.state_size()):
            state = self._model.save_state()
            if state is not None:
                self._states.keep(prefix, state)

    def _tokenise(self, messages: Sequence[Message], fixed: int) -> tuple[list[int], int]:
        """Tokenise the prompt, and count the tokens of the first `fixed` messages.

        The pieces are tokenised one by one, so a prefix ends on a token boundary.
        """
        if not 0 <= fixed <= len(messages):
            raise ModelError(f"{fixed} of {len(messages)} messages cannot be fixed.")
        tokens, ends = self._tokens_and_ends(messages)
        prefix_length = ends[2 * fixed - 1] if fixed else 0
        # One token must be left to evaluate: the logits come from it.
        return tokens, min(prefix_length, len(tokens) - 1)

    def _tokens_and_ends(self, messages: Sequence[Message]) -> tuple[list[int], list[int]]:
        """Tokens of the prompt, and how many there are at the end of each piece of the template."""
        bos = self._model.bos
        tokens: list[int] = []
        ends: list[int] = []
        for position, piece in enumerate(self._template.render(messages)):
            ids = self._model.tokens_of(piece.text, special=piece.trusted)
            if position == 0 and bos is not None and ids[:1] != [bos]:
                tokens.append(bos)
            tokens.extend(ids)
            ends.append(len(tokens))
        return tokens, ends


class _Decoder:
    """Select one token after the other, under a grammar where there is one.

    Sampling adds Gumbel noise to the logits and takes the highest: that draws from their softmax,
    and from the softmax over the allowed ones when the grammar strikes some out, without ever
    normalising.
    """

    def __init__(self, temperature: float, seed: int, grammar: Grammar | None) -> None:
        self._temperature = temperature
        self._random = np.random.default_rng(seed)
        self._grammar = grammar

    def next_token(self, model: NativeModel) -> int | None:
        """Return the best token, or None at a dead end of the grammar."""
        scores = model.logits()
        if self._temperature > 0:
            scores = scores / self._temperature + self._random.gumbel(size=scores.size)
        if self._grammar is None:
            return int(scores.argmax())
        # The grammar takes some 40 ms for a whole vocabulary and nearly none for a few tokens;
        # the highest allowed of the shortlist is the highest allowed of all.
        shortlist = np.argpartition(scores, -_SHORTLIST)[-_SHORTLIST:]
        token = _best_allowed(scores, shortlist, self._grammar)
        if token is None:
            token = _best_allowed(scores, np.arange(scores.size), self._grammar)
        return token

    def accept(self, token: int) -> None:
        """Take note of a token that became part of the answer."""
        if self._grammar is not None:
            self._grammar.accept(token)


def _best_allowed(scores: np.ndarray, tokens: np.ndarray, grammar: Grammar) -> int | None:
    allowed = tokens[grammar.allows(tokens)]
    return int(allowed[scores[allowed].argmax()]) if allowed.size else None


def _usage(prompt: int, cached: int, generated: int, started: float) -> Usage:
    elapsed_ms = (time.perf_counter() - started) * 1000
    return Usage(prompt=prompt, cached=cached, generated=generated, model_ms=elapsed_ms)

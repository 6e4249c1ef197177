"""Ways of writing with llama.cpp that the bench of inference compares.

One after the other as localrec does it, with drafted tokens that are looked up in prompt and
answer, and several answers at once in one context.
"""

from __future__ import annotations

import codecs
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import llama_cpp.llama_cpp as native
import msgspec
import numpy as np

from localrec.data.chat_message import Message
from localrec.llm.chat_model import GenerateOptions, Generation, ignore_chunk
from localrec.llm.native_model import BATCH, NativeModel
from localrec.llm.native_weights import NativeWeights
from localrec.llm.prefix_states import common_length
from localrec.llm.session import ChatSession, OnChunk, _Decoder, _usage

SIZES = (3, 2)  # tokens at the end that are looked up, the longest first
CONTEXT = 4_096
_Entry = tuple[int, int, int, bool]  # token, position, sequence, whether its logits are wanted


class Prompt(msgspec.Struct, frozen=True):
    """One call of a role."""

    messages: tuple[Message, ...]
    options: GenerateOptions


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """One answer and its cost.

    Args:
        text: The answer.
        read: Tokens of the prompt that were evaluated.
        tokens: Tokens of the answer.
        read_s: Processor seconds of reading.
        write_s: Processor seconds of writing.
        drafted: Tokens that were drafted.
        accepted: Those among them that the model chose.
    """

    text: str
    read: int
    tokens: int
    read_s: float
    write_s: float
    drafted: int = 0
    accepted: int = 0

    @property
    def seconds(self) -> float:
        """Processor seconds of the answer."""
        return self.read_s + self.write_s


class NgramDrafts:
    """Guesses what follows by what followed the same tokens before.

    Args:
        tokens: The prompt.
    """

    def __init__(self, tokens: Iterable[int]) -> None:
        self._tokens: list[int] = []
        self._behind: dict[tuple[int, ...], int] = {}  # some tokens -> where what follows stands
        for token in tokens:
            self.add(token)

    def add(self, token: int) -> None:
        """Append a token."""
        for size in SIZES:
            if len(self._tokens) >= size:
                self._behind[tuple(self._tokens[-size:])] = len(self._tokens)
        self._tokens.append(token)

    def next_tokens(self, most: int) -> list[int]:
        """Guess at most so many next tokens; none where the last ones are new."""
        for size in SIZES:
            start = self._behind.get(tuple(self._tokens[-size:]))
            if start is not None:
                return self._tokens[start : start + most]
        return []


class TimedSession(ChatSession):
    """A session in this process that counts its costs, and drafts where that is wanted.

    Args:
        model: The loaded model.
        draft: Most tokens to draft at a time; 0 writes as localrec does.
    """

    def __init__(self, model: NativeModel, draft: int = 0) -> None:
        super().__init__(model)
        self._draft = draft
        self._write_s, self._drafted, self._accepted = 0.0, 0, 0

    def ask(self, prompt: Prompt) -> Written:
        """Write one answer."""
        self._drafted = self._accepted = 0
        began = time.process_time()
        answer = self.last = self.generate(prompt.messages, prompt.options)
        return Written(
            text=answer.text,
            read=answer.usage.prompt - answer.usage.cached,
            tokens=answer.usage.generated,
            read_s=time.process_time() - began - self._write_s,
            write_s=self._write_s,
            drafted=self._drafted,
            accepted=self._accepted,
        )

    def forget_prompt(self) -> None:
        """Take the next prompt for a new one, so that only its fixed messages are kept."""
        self._prompt_before = []

    def _write(
        self,
        decoder: _Decoder,
        max_tokens: int,
        prompt: int,
        cached: int,
        started: float,
        on_chunk: OnChunk = ignore_chunk,
    ) -> Generation:
        write = self._write_drafted if self._draft else super()._write
        began = time.process_time()
        answer = write(decoder, max_tokens, prompt, cached, started, on_chunk)
        self._write_s = time.process_time() - began
        return answer

    def _write_drafted(
        self,
        decoder: _Decoder,
        max_tokens: int,
        prompt: int,
        cached: int,
        started: float,
        on_chunk: OnChunk,
    ) -> Generation:
        """Write as the plain way does, but evaluate guessed tokens together with a chosen one."""
        model, drafts = self._model, NgramDrafts(self._model.live)
        ended = _Answer(model, min(max_tokens, model.n_ctx - prompt))
        guessed: list[int] = []
        place = -1
        while (token := ended.add(decoder.next_token(_Scores(model.context, place)))) >= 0:
            decoder.accept(token)
            drafts.add(token)
            if guessed[:1] == [token]:
                guessed.pop(0)
                place += 1
                self._accepted += 1
            else:
                model.keep_first(len(model.live) - len(guessed))
                guessed = drafts.next_tokens(min(self._draft, ended.room))
                self._drafted += len(guessed)
                _evaluate_each(model, [token, *guessed])
                place = 0
        model.keep_first(len(model.live) - len(guessed))
        return ended.generation(prompt, cached, started)


class _Answer:
    """The answer so far."""

    def __init__(self, model: NativeModel, limit: int) -> None:
        self._model, self._limit = model, limit
        self._raw, self.tokens, self._finished = b"", 0, False

    @property
    def room(self) -> int:
        """Tokens that may still come."""
        return self._limit - self.tokens

    @property
    def text(self) -> str:
        """The text, without a character that was cut."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        return decoder.decode(self._raw, final=self._finished)

    def add(self, token: int | None) -> int:
        """Append a token; return it, or -1 where the answer is at its end."""
        self._finished = token is not None and self._model.is_end(token)
        if token is None or self._finished:
            return -1
        self._raw += self._model.bytes_of(token)
        self.tokens += 1
        return token if self.room > 0 else -1

    def generation(self, prompt: int, cached: int, started: float) -> Generation:
        """The answer as a session returns it."""
        usage = _usage(prompt, cached, self.tokens, started)
        return Generation(text=self.text, finished=self._finished, usage=usage)


class Together:
    """Writes several answers at once, each a sequence of one context.

    Args:
        path: The model.
        adapter: Its adapter, or None.
        threads: CPU threads.
        most: Answers at once.
        repack: Let llama.cpp rearrange the weights.
    """

    def __init__(
        self, path: Path, adapter: Path | None, threads: int, most: int, repack: bool
    ) -> None:
        weights = NativeWeights(path, threads, repack, adapter, 1.0, lambda: None)
        parameters = weights.parameters(CONTEXT)
        parameters.n_batch = parameters.n_ubatch = BATCH
        parameters.n_seq_max = most + 1  # and one that holds what all share
        parameters.kv_unified = True
        self._context = weights.new_context(parameters)
        self._memory = native.llama_get_memory(self._context)

    def write(
        self, model: NativeModel, session: TimedSession, prompts: Sequence[Prompt]
    ) -> list[Written]:
        """Write the answers; the cost is shared out evenly. The fixed messages are read before.

        Args:
            model: Knows the tokens and the grammars.
            session: Knows the template.
            prompts: With the same fixed messages.
        """
        asked = [session.tokenise(one.messages, one.options.prefix) for one in prompts]
        first = prompts[0]
        fixed = session._tokenise(first.messages, first.options.fixed)[1]
        native.llama_memory_clear(self._memory, True)
        self._decode([(token, at, 0, False) for at, token in enumerate(asked[0][:fixed])])
        with ExitStack() as opened:
            decoders = [_decoder(model, opened, one.options) for one in prompts]
            answers = [_Answer(model, one.options.max_tokens) for one in prompts]
            began = time.process_time()
            rows = self._read(asked, fixed)
            read_s = time.process_time() - began
            self._go_on(model, decoders, answers, rows, [len(one) for one in asked])
            write_s = time.process_time() - began - read_s
        count = len(prompts)
        return [
            Written(
                text=answer.text,
                read=len(tokens) - fixed,
                tokens=answer.tokens,
                read_s=read_s / count,
                write_s=write_s / count,
            )
            for answer, tokens in zip(answers, asked, strict=True)
        ]

    def _read(self, asked: Sequence[Sequence[int]], fixed: int) -> list[Any]:
        """Read what all share once and the rests together; the scores behind each prompt."""
        shared = min(common_length(asked[0], one[:-1]) for one in asked)
        entries = [(token, fixed + at, 0, False) for at, token in enumerate(asked[0][fixed:shared])]
        self._decode(entries)
        for number in range(1, len(asked) + 1):
            native.llama_memory_seq_cp(self._memory, 0, number, 0, -1)
        rests = [
            [
                (token, shared + at, number, shared + at == len(one) - 1)
                for at, token in enumerate(one[shared:])
            ]
            for number, one in enumerate(asked, 1)
        ]
        return self._decode([entry for rest in rests for entry in rest])

    def _go_on(
        self,
        model: NativeModel,
        decoders: Sequence[_Decoder],
        answers: Sequence[_Answer],
        rows: list[Any],
        positions: list[int],
    ) -> None:
        """Write one token of each answer at a time, until all are at their end."""
        running = list(range(len(answers)))
        while running:
            chosen: list[tuple[int, int]] = []
            for number, row in zip(running, rows, strict=True):
                token = answers[number].add(decoders[number].next_token(row))
                if token >= 0:
                    decoders[number].accept(token)
                    chosen.append((number, token))
            rows = self._decode([(token, positions[at], at + 1, True) for at, token in chosen])
            running = [number for number, _ in chosen]
            for number in running:
                positions[number] += 1

    def _decode(self, entries: Sequence[_Entry]) -> list[Any]:
        """Evaluate tokens; copies of the scores that are wanted, in their order."""
        rows: list[Any] = []
        for start in range(0, len(entries), BATCH):
            piece = entries[start : start + BATCH]
            decode(self._context, piece)
            rows += [_Scores(self._context, at) for at, (*_, wanted) in enumerate(piece) if wanted]
        return rows


class _Scores:
    """Copied scores, where a decoder looks for a model's."""

    def __init__(self, context: Any, place: int) -> None:
        vocab = native.llama_model_get_vocab(native.llama_get_model(context))
        row = native.llama_get_logits_ith(context, place)
        self._scores = np.ctypeslib.as_array(row, (native.llama_vocab_n_tokens(vocab),)).copy()

    def logits(self) -> np.ndarray:
        """Float32 of shape (vocabulary,)."""
        return self._scores


def _decoder(model: NativeModel, opened: ExitStack, options: GenerateOptions) -> _Decoder:
    rules = options.grammar and opened.enter_context(model.grammar(options.grammar))
    return _Decoder(options.temperature, options.seed, rules or None)


def _evaluate_each(model: NativeModel, tokens: Sequence[int]) -> None:
    """Append tokens to the context of a model; the scores behind each are readable."""
    begin = len(model.live)
    decode(model.context, [(token, begin + at, 0, True) for at, token in enumerate(tokens)])
    model.live.extend(tokens)


def decode(context: Any, entries: Sequence[_Entry]) -> None:
    """Evaluate tokens of any sequences in one batch."""
    if not entries:
        return
    batch = native.llama_batch_init(len(entries), 0, 1)
    try:
        for at, (token, position, sequence, wanted) in enumerate(entries):
            batch.token[at], batch.pos[at] = token, position
            batch.n_seq_id[at], batch.seq_id[at][0] = 1, sequence
            batch.logits[at] = wanted
        batch.n_tokens = len(entries)
        if native.llama_decode(context, batch):
            raise RuntimeError("llama.cpp failed to evaluate a batch")
    finally:
        native.llama_batch_free(batch)

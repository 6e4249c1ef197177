"""The messages between a model's process and its client, and their framing.

A frame is a length (4 bytes, big endian) and that many bytes of MessagePack holding one of the
structs below. Requests flow one way, exactly one reply per call the other way; where an answer is
streamed, its `TextChunk`s come before the reply, and `MovedReply`s do during long work. Only
`CancelRequest` comes out of order, from any thread that wants to end the running call.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from localrec.data.chat_message import Message
from localrec.llm.chat_model import Bitmap, GenerateOptions, Generation, LabelProbabilities

LENGTH_BYTES = 4
_MAX_FRAME = 256 << 20


class OpenRequest(msgspec.Struct, frozen=True, tag=True):
    """Load the model; the first request, sent once."""

    path: str
    n_ctx: int
    n_threads: int | None
    embedding_context: int
    pooling: int | None
    repack: bool
    adapter: str | None
    adapter_scale: float
    projector: str | None
    self_test: bool
    template: str = ""


class ChooseRequest(msgspec.Struct, frozen=True, tag=True):
    """Score labels."""

    call: int
    messages: tuple[Message, ...]
    labels: tuple[str, ...]
    fixed: int


class GenerateRequest(msgspec.Struct, frozen=True, tag=True):
    """Write an answer."""

    call: int
    messages: tuple[Message, ...]
    options: GenerateOptions


class DescribeRequest(msgspec.Struct, frozen=True, tag=True):
    """Write about an image; chunks come as `TextChunk` before the reply."""

    call: int
    bitmap: Bitmap
    messages: tuple[Message, ...]
    grammar: str | None
    max_tokens: int


class CountRequest(msgspec.Struct, frozen=True, tag=True):
    """Count the tokens of a text."""

    call: int
    text: str


class EmbedRequest(msgspec.Struct, frozen=True, tag=True):
    """Embed texts."""

    call: int
    texts: tuple[str, ...]


class TokenizeRequest(msgspec.Struct, frozen=True, tag=True):
    """Tokenise a prompt and a begun answer."""

    call: int
    messages: tuple[Message, ...]
    prefix: str


class LogitsRequest(msgspec.Struct, frozen=True, tag=True):
    """Compute the logits of each next token after each of the last `rows` of `tokens`."""

    call: int
    tokens: tuple[int, ...]
    rows: int


class CancelRequest(msgspec.Struct, frozen=True, tag=True):
    """End call number `call`, if it is still running."""

    call: int


class OpenReply(msgspec.Struct, frozen=True, tag=True):
    """The model is loaded; `nats` is its cross-entropy on a plain text, where a self-test ran."""

    nats: float | None


class MovedReply(msgspec.Struct, frozen=True, tag=True):
    """The process still works on its call; the reply follows later."""


class ChooseReply(msgspec.Struct, frozen=True, tag=True):
    """Reply to `ChooseRequest`."""

    choice: LabelProbabilities


class GenerateReply(msgspec.Struct, frozen=True, tag=True):
    """Reply to `GenerateRequest`."""

    generation: Generation


class TextChunk(msgspec.Struct, frozen=True, tag=True):
    """A chunk of an answer that is still being written; the reply follows later."""

    text: str


class CountReply(msgspec.Struct, frozen=True, tag=True):
    """Reply to `CountRequest`."""

    tokens: int


class EmbedReply(msgspec.Struct, frozen=True, tag=True):
    """Reply to `EmbedRequest`: float32 rows of length `size`, in the machine's byte order."""

    rows: bytes
    size: int


class TokenizeReply(msgspec.Struct, frozen=True, tag=True):
    """Reply to `TokenizeRequest`."""

    tokens: tuple[int, ...]


class LogitsReply(msgspec.Struct, frozen=True, tag=True):
    """Reply to `LogitsRequest`: float32 rows, in the machine's byte order."""

    rows: bytes


class ErrorReply(msgspec.Struct, frozen=True, tag=True):
    """A failed call that leaves the model usable."""

    kind: Literal["model", "context", "cancelled"]
    message: str
    hint: str


CallRequest = (
    ChooseRequest
    | GenerateRequest
    | DescribeRequest
    | CountRequest
    | EmbedRequest
    | TokenizeRequest
    | LogitsRequest
)
Request = OpenRequest | CallRequest | CancelRequest
Reply = (
    OpenReply
    | MovedReply
    | ChooseReply
    | GenerateReply
    | TextChunk
    | CountReply
    | EmbedReply
    | TokenizeReply
    | LogitsReply
    | ErrorReply
)

_encoder = msgspec.msgpack.Encoder()
_requests: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_replies: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def encode_frame(body: Request | Reply) -> bytes:
    """Encode a struct as one frame."""
    encoded = _encoder.encode(body)
    return len(encoded).to_bytes(LENGTH_BYTES, "big") + encoded


def body_length(prefix: bytes) -> int:
    """Read the length of the body from the first bytes of a frame.

    Raises:
        ValueError: no frame of ours is that long; the stream is out of step.
    """
    length = int.from_bytes(prefix, "big")
    if length > _MAX_FRAME:
        raise ValueError(f"a frame of {length} bytes")
    return length


def decode_request(body: bytes) -> Request:
    """Decode a request from the body of a frame (`msgspec.DecodeError` for anything else)."""
    return _requests.decode(body)


def decode_reply(body: bytes) -> Reply:
    """Decode a reply from the body of a frame (`msgspec.DecodeError` for anything else)."""
    return _replies.decode(body)

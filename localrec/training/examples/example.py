"""Training examples: prompts with answers, in two halves with different wordings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeVar

import msgspec

from localrec.data.chat_message import Message

Half = Literal["train", "validation"]

OPEN_ROLES = frozenset({"writer", "memory"})  # one prompt has many right answers
_EVERY = 4  # one of so many wordings is kept for the validation half
_One = TypeVar("_One")


class Example(msgspec.Struct, frozen=True, kw_only=True):
    """One prompt and its answer; or a conversation, whose end is the answer.

    Args:
        messages: The prompt, exactly as the role asks it when it serves.
        answer: The right answer.
        prompt_messages: Messages before the first turn of a conversation; the model's turns after
            them are learnt too. 0 where only the answer is learnt.
        labels: The words it chooses among, where the role reads the probabilities of first tokens;
            () where it writes. What is written ends the turn, what is chosen does not.
        split_keys: The frame and phrases that made the prompt; none of them is in both halves.
    """

    messages: tuple[Message, ...]
    answer: str
    # The fingerprint of examples hashes JSON names; runs that were begun under them resume.
    prompt_messages: int = msgspec.field(default=0, name="opening")
    labels: tuple[str, ...] = ()
    split_keys: tuple[str, ...] = msgspec.field(default=(), name="wording")


class Examples(msgspec.Struct, frozen=True, kw_only=True):
    """All examples of a role.

    Args:
        role: Role that learns from them.
        train: Examples to learn from.
        validation: Other wordings, to stop by.
    """

    role: str
    train: tuple[Example, ...]
    validation: tuple[Example, ...]

    @property
    def fingerprint(self) -> str:
        """Hash every prompt and answer in order with BLAKE2."""
        digest = hashlib.blake2b(digest_size=16)
        for half in (self.train, self.validation):
            digest.update(msgspec.json.encode(half))
        return digest.hexdigest()


def half_of(alternatives: Sequence[_One], half: Half) -> list[_One]:
    """Return the alternatives of one half: every fourth is for validation, the others train.

    Raises:
        ValueError: there are too few to split.
    """
    if len(alternatives) < _EVERY:
        raise ValueError(f"{len(alternatives)} alternatives cannot be split")
    mine = half == "validation"
    return [one for at, one in enumerate(alternatives) if (at % _EVERY == _EVERY - 1) == mine]


def by_turns(sources: Sequence[Iterable[_One]]) -> Iterator[_One]:
    """Take one of each source by turns, until all are at an end."""
    left = [iter(one) for one in sources]
    while left:
        for one in tuple(left):
            try:
                yield next(one)
            except StopIteration:
                left.remove(one)

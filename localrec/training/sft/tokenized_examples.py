"""Tokenise examples, and put them in batches.

A prompt is tokenised as it is when the role serves. Of a choice only the answer's first token
counts, since the role reads only the probabilities there; a written answer ends with the token that
ends a turn, so that the model learns to stop.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import msgspec
import numpy as np

from localrec.data.chat_message import Message
from localrec.data.trajectory import AgentTurn
from localrec.training.base_model.loading import Base, encode, prompt_tokens
from localrec.training.base_model.tokenized_rollout import tokenize_rollout
from localrec.training.examples.example import Example

_WORTH = 4  # an opening is computed by itself where that spares 1 in so many tokens
_SORTED_TOGETHER = 8  # batches: little padding, and yet other company in each pass


class TokenizedExample(msgspec.Struct, frozen=True):
    """An example as tokens.

    Args:
        tokens: Prompt and answer, but for the last token, behind which nothing is asked.
        targets: Tokens of the answer, in order.
        places: Place in `tokens` behind which each target is predicted.
        choices: First tokens of the labels, where the answer is a choice; else ().
    """

    tokens: tuple[int, ...]
    targets: tuple[int, ...]
    places: tuple[int, ...]
    choices: tuple[int, ...] = ()

    @property
    def prompt(self) -> tuple[int, ...]:
        """The tokens before the first target."""
        return self.tokens[: self.places[0] + 1]

    def behind(self, prefix_length: int) -> TokenizedExample:
        """Return the example without its first tokens."""
        places = tuple(place - prefix_length for place in self.places)
        return TokenizedExample(self.tokens[prefix_length:], self.targets, places, self.choices)


def tokenize_example(base: Base, example: Example) -> TokenizedExample:
    """Tokenise an example.

    Raises:
        ModelError: the chat template refuses its messages.
    """
    if example.prompt_messages:
        return _conversation(base, example)
    prompt = prompt_tokens(base, example.messages)
    lead = base.template.answer_lead()
    answer = encode(base, lead + example.answer)
    if example.labels:
        choices = tuple(encode(base, lead + label)[0] for label in example.labels)
        return TokenizedExample(tuple(prompt), (answer[0],), (len(prompt) - 1,), choices)
    targets = (*answer, *_end(base))
    tokens = (*prompt, *targets[:-1])
    return TokenizedExample(tokens, targets, tuple(range(len(prompt) - 1, len(tokens))))


def _conversation(base: Base, example: Example) -> TokenizedExample:
    """Tokenise the model's turns in a conversation, each with its end token."""
    said = (*example.messages, Message("assistant", example.answer))
    turns = [
        AgentTurn(text=one.content, own=one.role == "assistant")
        for one in said[example.prompt_messages :]
    ]
    rollout = tokenize_rollout(base, said, turns)
    end = _end(base)
    tokens = [*rollout.prompt, *rollout.completion, *end]
    own = [*[0] * len(rollout.prompt), *rollout.loss_mask, *[0] * len(end)]
    places = [
        place
        for place in range(len(tokens) - 1)
        if own[place + 1] or (own[place] and [tokens[place + 1]] == end)
    ]
    return TokenizedExample(
        tuple(tokens[:-1]), tuple(tokens[one + 1] for one in places), tuple(places)
    )


def _end(base: Base) -> list[int]:
    """Return the token that ends a turn, where there is one."""
    end = base.tokenizer.eos_token_id
    return [end] if isinstance(end, int) else []


def batches_of(
    examples: Sequence[TokenizedExample], size: int, seed: int, epoch: int
) -> list[list[TokenizedExample]]:
    """Batch all examples by similar length, in another order each pass.

    Those of one prompt stay beside each other, and so mostly in one batch.

    Args:
        examples: Those of one prompt stand behind each other.
        size: Size of a batch; the last may be smaller.
        seed: Seed of the training.
        epoch: Number of the pass, from 0.
    """
    random = np.random.default_rng([seed, epoch])
    families = [list(family) for _, family in groupby(examples, key=lambda one: one.prompt)]
    order = random.permutation(len(families)).tolist()
    pool = size * _SORTED_TOGETHER
    row: list[TokenizedExample] = []
    for begin in range(0, len(order), pool):
        drawn = sorted(
            order[begin : begin + pool], key=lambda at: (len(families[at][0].tokens), at)
        )
        row += [one for at in drawn for one in families[at]]
    batches = [row[at : at + size] for at in range(0, len(row), size)]
    return [batches[at] for at in random.permutation(len(batches)).tolist()]


def group_by_prompt(examples: Sequence[TokenizedExample]) -> list[list[TokenizedExample]]:
    """Group the examples with the same prompt; the others form one group."""
    families: dict[tuple[int, ...], list[TokenizedExample]] = {}
    for one in examples:
        families.setdefault(one.prompt, []).append(one)
    alone = [family[0] for family in families.values() if len(family) == 1]
    shared = [family for family in families.values() if len(family) > 1]
    return [*shared, alone] if alone else shared


def common_prefix_length(examples: Sequence[TokenizedExample]) -> int:
    """Count the common prompt tokens of some examples, all but the last one at most.

    0 where computing them once would not spare a quarter of all tokens: a pass of its own for a few
    takes longer than it spares.
    """
    first, last = min(one.tokens for one in examples), max(one.tokens for one in examples)
    alike = next(
        (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other),
        min(len(first), len(last)),
    )
    prefix_length = min(alike, *(one.places[0] for one in examples))
    spared = prefix_length * (len(examples) - 1)
    return prefix_length if spared * _WORTH >= sum(len(one.tokens) for one in examples) else 0


def micro_batches(
    examples: Sequence[TokenizedExample], most_tokens: int, prefix_length: int = 0
) -> list[list[TokenizedExample]]:
    """Split a batch into pieces of limited padded tokens, with at least one example each.

    Shortest first, so that little is padded.

    Args:
        examples: Examples of the batch.
        most_tokens: Most tokens of a piece.
        prefix_length: Tokens before each; they count too, since each attends to them.
    """
    pieces: list[list[TokenizedExample]] = []
    for one in sorted(examples, key=lambda one: len(one.tokens)):
        if pieces and (len(pieces[-1]) + 1) * (prefix_length + len(one.tokens)) <= most_tokens:
            pieces[-1].append(one)
        else:
            pieces.append([one])
    return pieces

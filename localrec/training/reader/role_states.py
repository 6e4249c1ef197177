"""Composed questions as the encoder reads them: token states with the role of each token."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.foundation.progress import Progress
from localrec.training.reader.carriers import Carrier
from localrec.training.reader.role_questions import TaggedQuestion
from localrec.understanding.question_roles import PLACE, RoleNetwork, StateReader, TokenStates

NO_LABEL = -1  # of tokens that are no text
_CUE_CARRIERS = 2  # that must share a token for it to have a vector of its own
_AT_ONCE = 512  # questions
_VOCABULARY = 30_522  # tokens that MiniLM knows


class RoleConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of a training.

    Args:
        questions: The number of questions to compose and learn from.
        epochs: Passes over the questions.
        size: Size of a token's state inside the network.
        layers: The number of layers of attention.
        heads: The number of heads of each layer.
        learning_rate: Highest learning rate.
        rank: Rank of the LoRA weights on the encoder's upper layers; 0 leaves it as it is.
        batch_size: Questions in one step.
        dropout: Dropout of states and attention.
        other_weight: Weight of a word that is no name, against 1 of a word of a name.
        seed: Seed of questions and weights.
    """

    questions: int = 30_000
    epochs: int = 3
    size: int = 128
    layers: int = 2
    heads: int = 4
    learning_rate: float = 1.5e-3
    rank: int = 16
    batch_size: int = 32
    dropout: float = 0.15
    other_weight: float = 0.5
    seed: int = 0


def sized_like(network: RoleNetwork, config: RoleConfig) -> RoleConfig:
    """The settings with the sizes of a network that is to be trained further."""
    return msgspec.structs.replace(
        config,
        size=network.first[0].shape[1],
        layers=len(network.layers),
        heads=len(network.layers[0].distances),
        rank=rank_of(network) or config.rank,
    )


def rank_of(network: RoleNetwork) -> int:
    """The rank of a network's LoRA weights; 0 without any."""
    return next((len(low.up) for lora in network.lora for low in lora.values()), 0)


class ReadQuestions(msgspec.Struct, frozen=True):
    """Questions as the encoder reads them, one behind the other.

    Args:
        ids: Tokens of all, (tokens,).
        labels: Role of each, -1 of one that is no text.
        states: States of each token that the network reads, (tokens, size), in half precision:
            those before the encoder's upper layers where these get LoRA weights, else those at its
            end.
        starts: Offset of each question, and the end, (questions + 1,).
    """

    ids: NDArray[np.int32]
    labels: NDArray[np.int8]
    states: NDArray[np.float16]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1


def read_questions(
    questions: Sequence[TaggedQuestion],
    encoder: StateReader,
    progress: Progress,
    *,
    to_middle: bool = False,
) -> ReadQuestions:
    """Have the encoder read questions, to its middle or to its end, and label its tokens."""
    ids, labels, states, starts = [], [], [], [0]
    for done in range(0, len(questions), _AT_ONCE):
        some = questions[done : done + _AT_ONCE]
        token_states = encoder.read_many([question.text for question in some])
        for question, one in zip(some, token_states, strict=True):
            ids.append(one.ids.astype(np.int32))
            labels.append(labels_of(question, one))
            read = one.middle if to_middle else one.states
            states.append(read.astype(np.float16))
            starts.append(starts[-1] + len(one.ids))
        progress("reading questions", min(done + _AT_ONCE, len(questions)), len(questions))
    return ReadQuestions(
        np.concatenate(ids), np.concatenate(labels), np.concatenate(states), np.array(starts)
    )


def labels_of(question: TaggedQuestion, token_states: TokenStates) -> NDArray[np.int8]:
    """The role of each token; -1 of one that is no text."""
    spans = np.asarray(token_states.spans).reshape(-1, 2)
    labels = np.full(len(spans), PLACE["other"], dtype=np.int8)
    for start, end, role in question.spans:
        labels[(spans[:, 0] < end) & (spans[:, 1] > start)] = PLACE[role]
    labels[spans[:, 0] == spans[:, 1]] = NO_LABEL
    return labels


def cue_rows(carriers: Sequence[Carrier], encoder: StateReader) -> NDArray[np.int32]:
    """A row for each token that several carriers have outside their slots, 0 for the others."""
    used: Counter[int] = Counter()
    for carrier in carriers:
        used.update(set(encoder.read(carrier.text).ids.tolist()))
    rows = np.zeros(_VOCABULARY, dtype=np.int32)
    known = sorted(token for token, count in used.items() if count >= _CUE_CARRIERS)
    rows[known] = np.arange(1, len(known) + 1)
    return rows

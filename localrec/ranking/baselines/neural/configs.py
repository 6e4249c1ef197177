"""The settings of the neural baselines, free of torch so that a catalogue can list them.

SASRec's batch size, negatives, dropout and learning rate were compared on MovieLens 100K, by the
validation items; the other two took over what served it, and were not searched any further.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

Count = Annotated[int, msgspec.Meta(ge=1)]
CountOrNone = Annotated[int, msgspec.Meta(ge=0)]
Positive = Annotated[float, msgspec.Meta(gt=0.0)]
NotNegative = Annotated[float, msgspec.Meta(ge=0.0)]
Share = Annotated[float, msgspec.Meta(ge=0.0, lt=1.0)]


class NeuralConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The settings of all three.

    Args:
        embedding_size: Numbers that stand for an item.
        negatives: Items drawn for each batch as negatives; all items where this is 0, or no fewer
            than the items.
        epochs: Passes over the training data at most; the learning rate falls to 0 by the last.
        batch_size: Sequences (LightGCN: interactions) between two steps.
        learning_rate: The highest one, reached after `warm_up`.
        warm_up: Share of all steps in which the learning rate rises.
        weight_decay: AdamW's pull of the weights to 0.
        patience: Epochs without a better validation after which it stops.
        validation_people: At most so many users have their last item kept back for validation.
        threads: Threads of torch on a CPU. Another number rounds sums differently; and two are
            slower than one where another process wants a core.
    """

    embedding_size: Count = 64
    negatives: CountOrNone = 2_048
    epochs: Count = 10
    batch_size: Count = 16
    learning_rate: Positive = 0.005
    warm_up: Share = 0.15
    weight_decay: NotNegative = 0.01
    patience: Count = 5
    validation_people: CountOrNone = 5_000
    threads: Count = 1


class SASRecConfig(NeuralConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure SASRec.

    Args:
        length: Newest items of a history that are looked at.
        layers: Blocks of attention and feed-forward.
        heads: Attentions in each block; must divide `embedding_size`.
        dropout: Share of the numbers that are left out in training, of embeddings and updates.
    """

    length: Count = 50
    layers: Count = 2
    heads: Count = 2
    dropout: Share = 0.3


class GRU4RecConfig(NeuralConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure GRU4Rec.

    Args:
        length: Newest items of a history that are looked at.
        layers: Gated recurrent units on top of each other.
        state_size: Numbers that each of them remembers.
        dropout: Share of the numbers that are left out in training, of embeddings and states.
    """

    epochs: Count = 12
    length: Count = 50
    layers: Count = 1
    state_size: Count = 128
    dropout: Share = 0.3


class LightGCNConfig(NeuralConfig, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure LightGCN.

    Args:
        layers: Steps along the graph.
        temperature: Divisor of cosines before the softmax; a low one looks at hard negatives.
    """

    negatives: CountOrNone = 256
    epochs: Count = 20
    batch_size: Count = 2_048
    layers: Count = 2
    temperature: Positive = 0.15

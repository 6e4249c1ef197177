"""Score the answers of requests by the gain in NDCG over the default.

Each answer of a request names the candidate to put first, or keeps the default's. A request may
show six candidates, or the two of a confused pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from localrec.memory.first_place import PLACES
from localrec.training.rl.rewards import answer_gains
from localrec.training.sft.sft_loss import Scoring, answer_scores, upper_scores
from localrec.training.sft.tokenized_examples import TokenizedExample

if TYPE_CHECKING:
    import torch
    from peft import PeftModel

    from localrec.training.base_model.upper_layers import States

_READ_AT_ONCE = 8  # prompts

Floats = NDArray[np.float64]


def gain_scoring(
    model: PeftModel,
    upper_layers: int,
    states: States,
    entropy: float = 0.0,
    temperature: float = 1.0,
) -> Scoring:
    """Score answers by their expected gain and entropy, in all layers or in the upper ones."""
    from localrec.training.base_model.upper_layers import UpperLayers

    upper = UpperLayers(model, upper_layers, states) if upper_layers else None
    losses = partial(gain_losses, entropy=entropy, temperature=temperature)
    return Scoring(losses, upper)


def gain_losses(
    scores: torch.Tensor,
    examples: Sequence[TokenizedExample],
    entropy: float = 0.0,
    temperature: float = 1.0,
) -> tuple[torch.Tensor, int]:
    """Sum the expected gains with the weighted entropies, negated, and count the best answers.

    Args:
        scores: Logits behind each prompt, (b, vocabulary).
        examples: Choices among labels, each with one target.
        entropy: Weight of the entropy in nats, in units of NDCG.
        temperature: The logits are divided by.
    """
    losses, right = [], 0
    for row, one in zip(scores, examples, strict=True):
        gains = row.new_tensor(answer_gains(_choice(one), len(one.choices)))
        logits = row[list(one.choices)]
        chances = (logits / temperature).log_softmax(dim=0)
        losses.append(-(chances.exp() * (gains - entropy * chances)).sum())
        right += int(logits.argmax()) == _choice(one)
    return sum(losses), right


def answer_probabilities(
    model: PeftModel, examples: Sequence[TokenizedExample], scoring: Scoring
) -> Floats:
    """Compute the probabilities of the answers of examples, keeping in front, (b, s).

    Fewer than the most answers are filled up with 0.
    """
    import torch  # the model has brought it

    found = np.zeros((len(examples), len(PLACES)))
    model.eval()
    with torch.inference_mode():
        for begin in range(0, len(examples), _READ_AT_ONCE):
            piece = examples[begin : begin + _READ_AT_ONCE]
            for row, logits in enumerate(scored(piece, model, scoring), start=begin):
                choices = list(examples[row].choices)
                found[row, : len(choices)] = logits[choices].softmax(dim=0).cpu().numpy()
    return found


def scored(
    examples: Sequence[TokenizedExample], model: PeftModel, scoring: Scoring
) -> torch.Tensor:
    """Compute the logits behind prompts, in all layers or in the upper ones."""
    if scoring.upper is not None:
        return upper_scores(model, examples, scoring.upper)
    return answer_scores(model, examples)


def choices_of(examples: Sequence[TokenizedExample]) -> NDArray[np.intp]:
    """Return the place of the chosen candidate of each example, (b,)."""
    return np.array([_choice(one) for one in examples], dtype=np.intp)


def _choice(example: TokenizedExample) -> int:
    return example.choices.index(example.targets[0])

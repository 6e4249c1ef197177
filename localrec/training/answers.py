"""What a network says to exercises: the vocabulary's scores where an answer stands, and their loss.

Sequences are padded behind their end. Attention looks backwards only, so what stands there changes
nothing before it, and no mask is needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from localrec.training.exercises import Exercise

if TYPE_CHECKING:
    import torch
    from peft import PeftModel


def answer_scores(model: PeftModel, exercises: Sequence[Exercise]) -> torch.Tensor:
    """The scores behind which each token of each answer stands, float32, (targets, vocabulary)."""
    import torch  # the model has brought it

    longest = max(len(one.tokens) for one in exercises)
    tokens = torch.zeros(len(exercises), longest, dtype=torch.long)
    for line, one in enumerate(exercises):
        tokens[line, : len(one.tokens)] = torch.tensor(one.tokens)
    lines = [line for line, one in enumerate(exercises) for _ in one.targets]
    places = [place for one in exercises for place in one.places]
    network: Any = model.get_base_model()  # its parts are declared as tensors
    hidden = network.model(input_ids=tokens.to(model.device), use_cache=False).last_hidden_state
    return network.lm_head(hidden[lines, places]).float()


def judged_answers(scores: torch.Tensor, exercises: Sequence[Exercise]) -> tuple[torch.Tensor, int]:
    """The sum of the targets' losses, and how many answers are right to the last token.

    Args:
        scores: As `answer_scores` gives them.
        exercises: The same.
    """
    import torch

    wanted = torch.tensor([token for one in exercises for token in one.targets]).to(scores.device)
    loss = torch.nn.functional.cross_entropy(scores, wanted, reduction="sum")
    right, begin = 0, 0
    for one in exercises:
        behind = scores[begin : begin + len(one.targets)].detach()
        said = _said(behind, one)
        right += said == list(one.targets)
        begin += len(one.targets)
    return loss, right


def _said(scores: torch.Tensor, exercise: Exercise) -> list[int]:
    """The likeliest tokens; of a choice the likeliest label's."""
    if exercise.choices:
        best = int(scores[0, list(exercise.choices)].argmax())
        return [exercise.choices[best]]
    said: list[int] = scores.argmax(dim=1).tolist()
    return said

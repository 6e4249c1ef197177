"""Compute the logits and losses of answers in tokenised examples.

Sequences are padded at their end. Attention looks backward only, so padding changes nothing before
it, and no mask is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from localrec.training.sft.tokenized_examples import (
    TokenizedExample,
    common_prefix_length,
    group_by_prompt,
    micro_batches,
)

if TYPE_CHECKING:
    import torch
    from peft import PeftModel

    from localrec.training.base_model.prefix_cache import PrefixCache
    from localrec.training.base_model.upper_layers import UpperLayers


class Scoring(msgspec.Struct, frozen=True):
    """How answers are scored.

    Args:
        losses: Takes the logits and the examples; returns the sum of their losses, and how many
            are right.
        upper: Upper layers that the adapter is trained in; None: it is trained in all layers.
    """

    losses: Callable[[Any, Sequence[TokenizedExample]], tuple[Any, int]]
    upper: UpperLayers | None = None


def accumulate_gradients(
    model: PeftModel,
    examples: Sequence[TokenizedExample],
    most_tokens: int,
    *,
    targets: int = 0,
    share: bool = True,
    scoring: Scoring | None = None,
) -> tuple[float, int]:
    """Add up the gradient of the targets' mean loss.

    Args:
        model: A base with an adapter that is trained.
        examples: Examples of one step, or this process's share of them, which may be none.
        most_tokens: Most tokens of the sequences that are computed at once, padding and all.
        targets: The number of targets of the whole step; 0 where these are all.
        share: Whether a common opening may be computed once; not where layers are checkpointed,
            which let no keys and values out.
        scoring: How answers are scored; None: by their likelihood, in all layers.

    Returns:
        The sum of the targets' losses, and the number of answers that are right to the last token.
    """
    targets = targets or sum(len(one.targets) for one in examples)
    total, right = 0.0, 0
    for loss, so_many in _scored_pieces(model, examples, most_tokens, share, scoring):
        (loss / targets).backward()
        total, right = total + float(loss.detach()), right + so_many
    return total, right


def evaluate_answers(
    model: PeftModel,
    examples: Sequence[TokenizedExample],
    most_tokens: int,
    scoring: Scoring | None = None,
) -> tuple[float, int]:
    """Compute the same losses and answers without gradients."""
    import torch  # the model has brought it

    with torch.inference_mode():
        scored = list(_scored_pieces(model, examples, most_tokens, True, scoring))
        return sum(float(loss) for loss, _ in scored), sum(right for _, right in scored)


def answer_scores(
    model: PeftModel, examples: Sequence[TokenizedExample], prefix: PrefixCache | None = None
) -> torch.Tensor:
    """Compute the logits that predict each token of each answer, (targets, vocabulary).

    Args:
        model: A network with an adapter.
        examples: The tokens after the prefix in each.
        prefix: The prefix that all begin with.
    """
    import torch

    from localrec.training.base_model.prefix_cache import cache_argument

    longest = max(len(one.tokens) for one in examples)
    tokens = torch.zeros(len(examples), longest, dtype=torch.long)
    for line, one in enumerate(examples):
        tokens[line, : len(one.tokens)] = torch.tensor(one.tokens)
    lines = [line for line, one in enumerate(examples) for _ in one.targets]
    places = [place for one in examples for place in one.places]
    network: Any = model.get_base_model()  # its parts are declared as tensors
    behind = {cache_argument(network): prefix.before(len(examples))} if prefix is not None else {}
    hidden = network.model(
        input_ids=tokens.to(model.device), use_cache=prefix is not None, **behind
    ).last_hidden_state
    return network.lm_head(hidden[lines, places]).float()


def upper_scores(
    model: PeftModel, examples: Sequence[TokenizedExample], upper: UpperLayers
) -> torch.Tensor:
    """Compute the same logits where only the upper layers have an adapter."""
    lines = [line for line, one in enumerate(examples) for _ in one.targets]
    places = [place for one in examples for place in one.places]
    network: Any = model.get_base_model()
    hidden = upper.hidden([one.tokens for one in examples])
    return network.lm_head(hidden[lines, places]).float()


def _scored_pieces(
    model: PeftModel,
    examples: Sequence[TokenizedExample],
    most_tokens: int,
    share: bool,
    scoring: Scoring | None,
) -> Iterator[tuple[torch.Tensor, int]]:
    """Evaluate as many examples at once as fit; the prefix gets its gradient after the last."""
    scoring = scoring or Scoring(answer_losses)
    if scoring.upper is not None:
        for piece in micro_batches(examples, most_tokens):
            yield scoring.losses(upper_scores(model, piece, scoring.upper), piece)
        return
    for family in group_by_prompt(examples) if share else [examples]:
        prefix, rests = _opened(model, family, share=share)
        for piece in micro_batches(rests, most_tokens, 0 if prefix is None else len(prefix)):
            yield scoring.losses(answer_scores(model, piece, prefix), piece)
        if prefix is not None:
            prefix.learn()


def _opened(
    model: PeftModel, examples: Sequence[TokenizedExample], *, share: bool
) -> tuple[PrefixCache | None, Sequence[TokenizedExample]]:
    """Compute a common prefix where it is worthwhile, and return the rest of each example."""
    from localrec.training.base_model.prefix_cache import PrefixCache

    length = common_prefix_length(examples) if share else 0
    if not length:
        return None, examples
    prefix = PrefixCache(model.get_base_model(), examples[0].tokens[:length])
    return prefix, [one.behind(length) for one in examples]


def answer_losses(
    scores: torch.Tensor, examples: Sequence[TokenizedExample]
) -> tuple[torch.Tensor, int]:
    """Sum the losses of the targets, and count the answers that are right to the last token.

    Args:
        scores: As `answer_scores` gives them.
        examples: The same.
    """
    import torch

    wanted = torch.tensor([token for one in examples for token in one.targets]).to(scores.device)
    loss = torch.nn.functional.cross_entropy(scores, wanted, reduction="sum")
    right, begin = 0, 0
    for one in examples:
        behind = scores[begin : begin + len(one.targets)].detach()
        predicted = _predicted_tokens(behind, one)
        right += predicted == list(one.targets)
        begin += len(one.targets)
    return loss, right


def _predicted_tokens(scores: torch.Tensor, example: TokenizedExample) -> list[int]:
    """Return the likeliest tokens; of a choice the likeliest label's."""
    if example.choices:
        best = int(scores[0, list(example.choices)].argmax())
        return [example.choices[best]]
    predicted: list[int] = scores.argmax(dim=1).tolist()
    return predicted

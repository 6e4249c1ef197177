"""Stage-ReRank from the default's order: which of the first candidates to put first.

A model that was trained for the role starts from what the default ranking knows. It reads the first
candidates in the default's order, each with its share of the chances among them, and answers
"keep", or the letter of another that should stand first. One question covers all of them, and its
probabilities are scores; how much they count beside the default's is learnt (`reranker_share.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import Scores
from localrec.memory.rerank_stage import RerankCandidate, RerankContext, RerankScores

if TYPE_CHECKING:
    from localrec.data.chat_message import Message
    from localrec.llm.chat_model import ChatModel

KEEP = "keep"
PLACES = (KEEP, "B", "C", "D", "E", "F")  # the label of each shown candidate
_LETTERS = ("A", *PLACES[1:])
_LONGEST_LINE = 40  # letters of a candidate's memory
_LEAST = 1e-6


def rerank_first(
    model: ChatModel,
    context: RerankContext,
    candidates: Sequence[RerankCandidate],
    default: Scores,
    *,
    singular: str,
) -> RerankScores:
    """Ask which of the default's first candidates to put first; the others get 0.

    Args:
        model: Asked once.
        context: The facts about the user.
        candidates: In any order; of equal scores the earlier one stands higher.
        default: The default's scores, logarithms of chances, (c,).
        singular: The singular noun for a candidate.

    Raises:
        ModelError: the model cannot be used.
    """
    if not candidates:  # who only wants a reason asks for no order
        return RerankScores(scores=np.zeros(0), answered_by="model", calls=0)
    first = first_places(default)
    prompt = first_place_prompt(
        context, [candidates[place] for place in first], default[first], singular
    )
    choice = model.choose(prompt, PLACES[: len(first)], fixed=1)
    scores = np.zeros(len(candidates))
    # Logarithms, as the default's scores are, brought to 0..1.
    likely = np.log10(np.clip(choice.probabilities, _LEAST, 1.0))
    scores[first] = 1.0 - likely / np.log10(_LEAST)
    return RerankScores(
        scores=scores,
        answered_by="model",
        calls=1,
        prompt_tokens=choice.usage.prompt,
        cached_tokens=choice.usage.cached,
    )


def first_places(default: Scores) -> NDArray[np.intp]:
    """Return the places of the shown candidates among all, best first."""
    return np.argsort(-default, kind="stable")[: len(PLACES)]


def first_place_prompt(
    context: RerankContext,
    candidates: Sequence[RerankCandidate],
    default: Scores,
    singular: str,
) -> tuple[Message, ...]:
    """Write the prompt; adapters for the role are trained on the same prompt.

    Args:
        context: The facts about the user.
        candidates: The shown candidates, best first.
        default: The default's scores of these, logarithms of chances, (s,).
        singular: The singular noun for a candidate.
    """
    from localrec.data.chat_message import Message

    chances = np.exp(default - default.max())
    percents = np.round(100 * chances / chances.sum()).astype(int).tolist()
    told = [
        f"{letter}. {percent}% {_line(candidate)}"
        for letter, percent, candidate in zip(_LETTERS, percents, candidates, strict=False)
    ]
    return (
        Message(
            "system",
            f"Which {singular} does the person choose next? "
            f"Answer {KEEP} for A, or a letter to put first.",
        ),
        Message("user", "\n".join([*context.lines, *told])),
    )


def _line(candidate: RerankCandidate) -> str:
    title = " ".join(candidate.title.split())
    known = " ".join(candidate.memory.split())[:_LONGEST_LINE]
    return f"{title}. {known}" if known else title

"""Stage-ReRank: score each candidate in 0..1 from an instruction, facets and memories.

Two variants give the same record (MemRec, equation 4):

    vector   similarity of a candidate's memory to the user's memory and the facets, as in the
             paper's Vector configuration
    model    one question for each candidate, "would they choose this?", answered by the
             probability of "yes"; nothing is generated

The paper lets the model write all scores in one answer. A small model copies the order of the
candidates, or gives all the same score; a candidate that is asked about alone has no position. The
common part of all prompts is evaluated once and cached, so a candidate costs the tokens of its own
line. `calibrated` divides by the model's probability of "yes" for a blank candidate.

A third variant, fused, is a weighted sum of kinds of evidence, these two among them (`fusion.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from localrec.data.arrays import unit_vectors
from localrec.data.token_usage import Usage

if TYPE_CHECKING:
    from localrec.data.chat_message import Message
    from localrec.llm.chat_model import ChatModel

Scores = NDArray[np.float64]
Vectors = NDArray[np.float32]

ANSWERS = ("yes", "no")  # that a candidate would be chosen, and that it would not
_BLANK = "N/A"
_LEAST = 1e-6
_LONGEST_LINE = 160  # letters of a candidate's memory
_LONGEST_INSTRUCTION = 400


class RerankCandidate(msgspec.Struct, frozen=True):
    """A candidate as a model reads it: its title and its memory."""

    title: str
    memory: str = ""


class RerankScores(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of candidates in the given order, and their cost.

    Args:
        scores: 0 to 1, higher is better, (c,).
        answered_by: "vector" or "model".
        calls: The number of calls of a model.
        prompt_tokens: Tokens that it read, those from a cached prefix too.
        cached_tokens: Prompt tokens that came from a cached prefix.
        new_tokens: Tokens that it wrote.
        notes: Departures from the request, as sentences.
    """

    scores: Scores
    answered_by: str
    calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    new_tokens: int = 0
    notes: tuple[str, ...] = ()

    def after(self, usage: Usage | None, notes: tuple[str, ...] = ()) -> RerankScores:
        """Return the scores with the cost of one earlier call added; None adds nothing."""
        if usage is None:
            return msgspec.structs.replace(self, notes=(*notes, *self.notes))
        return msgspec.structs.replace(
            self,
            calls=self.calls + 1,
            prompt_tokens=self.prompt_tokens + usage.prompt,
            cached_tokens=self.cached_tokens + usage.cached,
            new_tokens=self.new_tokens + usage.generated,
            notes=(*notes, *self.notes),
        )


class RerankContext(msgspec.Struct, frozen=True, kw_only=True):
    """The facts about the user for whom candidates are scored.

    Args:
        memory: The user's own memory, in words.
        facets: Texts of the facets, surest first.
        confidences: Confidence of each facet, 0 to 1.
        instruction: The user's request in words; "" without one.
    """

    memory: str = ""
    facets: Sequence[str] = ()
    confidences: Sequence[float] = ()
    instruction: str = ""

    @property
    def lines(self) -> list[str]:
        """Write the facts as lines for a model."""
        told = [f"About the person: {self.memory}"] if self.memory else []
        if self.facets:
            told.append("People of a similar taste like:")
            told += [f"- {facet}" for facet in self.facets]
        if self.instruction:
            told.append(f"They ask: {self.instruction[:_LONGEST_INSTRUCTION]}")
        return told


def rerank_by_vectors(
    wanted: Vectors, weights: Sequence[float], candidates: Vectors
) -> RerankScores:
    """Average the weighted cosines to all wanted texts, scaled to 0..1.

    Args:
        wanted: Vectors of the person's memory, the facets, the instruction, (w, size); lines of
            zeros say nothing.
        weights: Weight of each text, (w,).
        candidates: Vectors of the candidates' memories, (c, size); zeros: nothing is known.
    """
    counts = np.asarray(weights, dtype=np.float64) * wanted.any(axis=1)
    near = unit_vectors(candidates) @ unit_vectors(wanted).T  # (c, w)
    mean = near @ counts / counts.sum() if counts.sum() > 0 else np.zeros(len(candidates))
    # A cosine may lie beyond 1 in its last digit.
    return RerankScores(scores=np.clip((1.0 + mean) / 2.0, 0.0, 1.0), answered_by="vector")


def rerank_by_model(
    model: ChatModel,
    context: RerankContext,
    candidates: Sequence[RerankCandidate],
    *,
    singular: str,
    calibrated: bool = True,
) -> RerankScores:
    """Ask for the probability of "yes" for each candidate, one by one.

    Args:
        model: Asked once for each candidate, and once more where it is calibrated.
        context: Shared by all questions.
        candidates: In any order; it makes no difference.
        singular: The singular noun for a candidate.
        calibrated: Divide out the answer to a blank.

    Raises:
        ModelError: the model cannot be used.
    """
    asked = [*candidates, RerankCandidate(_BLANK)] if calibrated else list(candidates)
    prompts = [rerank_prompt(context, one, singular) for one in asked]
    choices = [model.choose(prompt, ANSWERS, fixed=len(prompt) - 1) for prompt in prompts]
    odds = np.array([_log_odds(choice.probabilities[0]) for choice in choices])
    if calibrated:
        odds = odds[:-1] - odds[-1]
    return RerankScores(
        scores=1.0 / (1.0 + np.exp(-odds)),
        answered_by="model",
        calls=len(choices),
        prompt_tokens=sum(choice.usage.prompt for choice in choices),
        cached_tokens=sum(choice.usage.cached for choice in choices),
    )


def rerank_prompt(
    context: RerankContext, candidate: RerankCandidate, singular: str
) -> tuple[Message, ...]:
    """Write the prompt of one candidate; adapters for it are trained on the same prompt.

    All messages but the last are those of every candidate.

    Args:
        context: The facts about the user.
        candidate: The candidate to score.
        singular: The singular noun for a candidate.
    """
    from localrec.data.chat_message import Message

    return (
        Message(
            "system",
            f"You judge whether a person would choose a {singular} next. Answer yes or no.",
        ),
        Message("user", "\n".join(context.lines) or "Nothing is known of the person."),
        Message("assistant", f"Which {singular} shall I judge?"),
        _question(candidate),
    )


def _question(candidate: RerankCandidate) -> Message:
    from localrec.data.chat_message import Message

    """The candidate and nothing else: what every question would repeat is in the lead."""
    title = " ".join(candidate.title.split())
    known = " ".join(candidate.memory.split())[:_LONGEST_LINE]
    return Message("user", f"{title}. {known}" if known else title)


def _log_odds(yes: float) -> float:
    likely = min(max(yes, _LEAST), 1.0 - _LEAST)
    return float(np.log(likely / (1.0 - likely)))

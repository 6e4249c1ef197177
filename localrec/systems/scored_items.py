"""The scores of a system for one user, and the records that a list shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from localrec.data.arrays import Scores
from localrec.data.evidence import evidence_of
from localrec.data.reasons import Reason, Reasons
from localrec.data.recommendations import MemorySummary, RecommendedItem
from localrec.data.token_usage import TokenUsage
from localrec.explanation.reason_builder import ReasonBuilder
from localrec.graph.catalogue import Catalogue
from localrec.graph.user_profile import UserProfile

if TYPE_CHECKING:  # only an agent leaves one
    from localrec.data.trajectory import Trajectory


class ScoredItems(msgspec.Struct, frozen=True):
    """The scores of all items for one user, and their origin.

    Args:
        scores: Higher is better, (n,).
        user_profile: The person's.
        reason_builder: States reasons.
        answered_by: Kind of evidence -> "measured", or "silent" where it had nothing to say; where
            candidates were reranked, "rerank" -> by whom.
        memory: The summary of the shared memory, where it took part.
        spent: Stage -> what a model was asked for it.
        notes: Departures from the request, as sentences.
        known: Lines about the user for a model that writes reasons; None: the template writes them.
        trajectory: The agent's steps, where one ranked.
    """

    scores: Scores
    user_profile: UserProfile
    reason_builder: ReasonBuilder
    answered_by: dict[str, str] = {}
    memory: MemorySummary | None = None
    spent: dict[str, TokenUsage] = {}
    notes: tuple[str, ...] = ()
    known: tuple[str, ...] | None = None
    trajectory: Trajectory | None = None


def components_of(fit: ScoredItems) -> dict[str, str]:
    """Return the components of a ranking; of evidence, only whether a memory took part."""
    if fit.answered_by.get("rerank", "silent") != "silent":
        return fit.answered_by
    return {} if fit.memory is None else {"memory": fit.answered_by["memory"]}


def reason_writers(fit: ScoredItems, reasons: Reasons) -> dict[str, str]:
    """Count the reasons of each writer, where a model may write."""
    reranked = fit.answered_by.get("rerank", "silent") != "silent"
    return {"rationales": reasons.written_by} if reranked else {}


def model_tokens(fit: ScoredItems, reasons: Reasons) -> dict[str, int]:
    """Return the tokens of each stage that asked a model."""
    spent = fit.spent | {"rationales": reasons.spent}
    return {stage: one.tokens for stage, one in spent.items() if one.calls}


def trajectory_fields(trajectory: Trajectory | None) -> dict[str, Any] | None:
    """Return an agent's trajectory as fields."""
    return None if trajectory is None else msgspec.to_builtins(trajectory)


def model_calls(fit: ScoredItems, reasons: Reasons) -> int:
    """Return the number of calls of a model."""
    return sum(one.calls for one in fit.spent.values()) + reasons.spent.calls


def recommended_item(
    catalogue: Catalogue, fit: ScoredItems, rank: int, item: int, reason: Reason
) -> RecommendedItem:
    """Return an item of a list with its reason."""
    return RecommendedItem(
        rank=rank,
        key=catalogue.keys[item],
        name=catalogue.names[item],
        score=round(float(fit.scores[item]), 4),
        satisfies=True,
        evidence=evidence_of(reason.facts),
        reason=reason.text,
    )


def list_message(
    catalogue: Catalogue, has_likes: bool, user: str, user_profile: UserProfile, count: int
) -> str:
    """Return the message of a list of `count` items, where items or evidence are missing."""
    domain = catalogue.domain
    if not count:
        return (
            f"You have met every {domain.singular} that is here ({len(catalogue):,}). "
            "Bring in a catalogue: localrec import --help, or localrec datasets list"
        )
    if not (user_profile.strengths != 0).any():
        known = "what most people like" if has_likes else "the catalogue's own order"
        return (
            f"Nothing is known of the taste of {user} in {domain.plural} yet, so this is "
            f'{known}. Rate a few: localrec feedback --user {user} --item "NAME" --like'
        )
    return ""

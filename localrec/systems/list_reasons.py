"""Combine the scores and reasons of several users, and mark items of a want-to list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from localrec.data.arrays import Scores
from localrec.data.evidence import Evidence, Fact
from localrec.data.reasons import Reason, Reasons
from localrec.data.token_usage import TokenUsage
from localrec.foundation.prose import join_words
from localrec.graph.catalogue import Catalogue
from localrec.graph.user_profile import UserProfile
from localrec.systems.scored_items import ScoredItems


def combine_fits(fits: Sequence[ScoredItems], scores: Scores, rule: str) -> ScoredItems:
    """Combine the scored items of several users."""
    if len(fits) == 1:
        return fits[0]
    answered_by: dict[str, str] = {}
    spent: dict[str, TokenUsage] = {}
    for fit in fits:
        answered_by |= {
            kind: who
            for kind, who in fit.answered_by.items()
            if answered_by.get(kind) in (None, "silent")
        }
        for stage, usage in fit.spent.items():
            spent[stage] = spent[stage] + usage if stage in spent else usage
    return ScoredItems(
        scores=scores,
        user_profile=fits[0].user_profile,
        reason_builder=fits[0].reason_builder,
        answered_by=answered_by | {"together": rule},
        spent=spent,
        notes=tuple(dict.fromkeys(note for fit in fits for note in fit.notes)),
    )


def combine_reasons(
    users: Sequence[str], fits: Sequence[ScoredItems], reasons: Sequence[Reasons], items: list[int]
) -> Reasons:
    """Combine the reasons of each user, and name the user of each history."""
    if len(users) == 1:
        return reasons[0]
    said = []
    for place, item in enumerate(items):
        each = [one.reasons[place] for one in reasons]
        told = {
            user: reason
            for user, fit, reason in zip(users, fits, each, strict=True)
            if reason.text and list(reason.facts) != fit.reason_builder.by_popularity(item)
        }
        texts = [f"With the history of {user}: {reason.text}" for user, reason in told.items()]
        facts = [fact for reason in told.values() for fact in reason.facts]
        by_model = any(reason.by == "model" for reason in told.values())
        said.append(
            Reason(facts=tuple(facts), text=" ".join(texts), by="model" if by_model else "template")
            if told
            else each[0]
        )
    spent = reasons[0].spent
    for one in reasons[1:]:
        spent = spent + one.spent
    notes = tuple(dict.fromkeys(note for one in reasons for note in one.notes))
    return Reasons(reasons=tuple(said), spent=spent, notes=notes)


def mark_wanted(
    users: Mapping[str, UserProfile], catalogue: Catalogue, reasons: Reasons, items: list[int]
) -> Reasons:
    """Add to the reason of each item on a want-to list that it is there, and whose list it is."""
    said = []
    for item, reason in zip(items, reasons.reasons, strict=True):
        who = [
            user for user, one in users.items() if one.wanted is not None and bool(one.wanted[item])
        ]
        if who:
            edges = tuple(
                Evidence(source=user, relation="WANTED", target=catalogue.names[item])
                for user in who
            )
            fact = Fact(f"it is on the want-to list of {join_words(who)}", edges)
            text = f"It is on the want-to list of {join_words(who)}. {reason.text}".rstrip()
            reason = Reason(facts=(fact, *reason.facts), text=text, by=reason.by)
        said.append(reason)
    return Reasons(reasons=tuple(said), spent=reasons.spent, notes=reasons.notes)

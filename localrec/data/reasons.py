"""Records of the reasons for items, and reasons that need no model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from localrec.data.evidence import Fact, fact_sentences
from localrec.data.token_usage import TokenUsage

ReasonWriter = Literal["model", "template"]


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """The reason for one item.

    Args:
        facts: The facts in favour of it, most telling first.
        text: The same in words; "" where nothing speaks for it.
        by: Author of the words.
    """

    facts: tuple[Fact, ...] = ()
    text: str = ""
    by: ReasonWriter = "template"


class Reasons(msgspec.Struct, frozen=True, kw_only=True):
    """The reasons for some items.

    Args:
        reasons: The reason of each item, in the order of the items.
        spent: The model's calls and tokens for the reasons.
        notes: Departures from the request, as sentences.
    """

    reasons: tuple[Reason, ...]
    spent: TokenUsage = TokenUsage()
    notes: tuple[str, ...] = ()

    @property
    def written_by(self) -> str:
        """Count the reasons of each writer, such as "model 2, template 1"; "silent" without any."""
        written = [one.by for one in self.reasons if one.text]
        speakers: tuple[ReasonWriter, ...] = ("model", "template")
        counted = [f"{who} {written.count(who)}" for who in speakers if who in written]
        return ", ".join(counted) or "silent"


def template_reasons(facts: Iterable[Sequence[Fact]]) -> Reasons:
    """Join the facts of each item into sentences by the template."""
    return Reasons(
        reasons=tuple(Reason(facts=tuple(some), text=fact_sentences(some)) for some in facts)
    )

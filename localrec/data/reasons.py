"""Why items stand where they do, as records; and the reasons that need no model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from localrec.data.evidence import Fact, fact_sentences
from localrec.data.token_usage import TokenUsage

ReasonWriter = Literal["model", "template"]


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """Why one item stands where it does.

    Args:
        facts: What speaks for it, most telling first.
        text: The same in words; "" where nothing speaks for it.
        by: Whose words.
    """

    facts: tuple[Fact, ...] = ()
    text: str = ""
    by: ReasonWriter = "template"


class Reasons(msgspec.Struct, frozen=True, kw_only=True):
    """Why some items stand where they do.

    Args:
        said: Of each item, in their order.
        spent: What a model was asked for them.
        notes: What went otherwise than was asked for, as sentences.
    """

    said: tuple[Reason, ...]
    spent: TokenUsage = TokenUsage()
    notes: tuple[str, ...] = ()

    @property
    def spoke(self) -> str:
        """Who wrote how many, such as "model 2, template 1"; "silent" where there is none."""
        written = [one.by for one in self.said if one.text]
        speakers: tuple[ReasonWriter, ...] = ("model", "template")
        counted = [f"{who} {written.count(who)}" for who in speakers if who in written]
        return ", ".join(counted) or "silent"


def template_reasons(facts: Iterable[Sequence[Fact]]) -> Reasons:
    """The facts of each item as sentences of the template."""
    return Reasons(
        said=tuple(Reason(facts=tuple(some), text=fact_sentences(some)) for some in facts)
    )

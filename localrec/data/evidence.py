"""The edges and facts that support an answer."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Fact(msgspec.Struct, frozen=True):
    """A statement about an item, without its subject ("has mezcal, which is smoky")."""

    text: str
    evidence: tuple[Evidence, ...]
    is_direct: bool = True  # answers the question itself, rather than giving background


def evidence_of(facts: Sequence[Fact]) -> tuple[Evidence, ...]:
    """List the edges of some facts, each once, in order."""
    return tuple(dict.fromkeys(edge for fact in facts for edge in fact.evidence))


class Evidence(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One edge of the graph, as the catalogue writes it: `source -relation-> target`.

    `value` is the edge's own detail where it has one, such as a measure.
    """

    source: str
    relation: str
    target: str
    value: str | None = None


def fact_sentences(facts: Sequence[Fact]) -> str:
    """Join the facts as sentences."""
    return " ".join(f"{fact.text[0].upper()}{fact.text[1:]}." for fact in facts)

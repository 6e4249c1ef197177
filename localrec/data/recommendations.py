"""Records of recommended items and rankings."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from localrec.data.evidence import Evidence
from localrec.data.records import Record, TableRows


class RecommendedItem(msgspec.Struct, Record, frozen=True, kw_only=True):
    """A recommended item, whether it meets every hard constraint, and its evidence path."""

    rank: int
    key: str
    name: str
    score: float
    satisfies: bool
    evidence: tuple[Evidence, ...]
    reason: str
    missing: tuple[str, ...] = ()


class ItemListRecord(Record, TableRows):
    """A result with a list of items, best first."""

    __slots__ = ()

    @property
    def listed(self) -> tuple[RecommendedItem, ...]:
        """The items of the list."""
        raise NotImplementedError

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one dictionary an item: rank, key, name, score, satisfies, reason, missing."""
        columns = ("rank", "key", "name", "score", "satisfies", "reason")
        return [
            {**{name: getattr(one, name) for name in columns}, "missing": list(one.missing)}
            for one in self.listed
        ]


class MemoryFacet(msgspec.Struct, frozen=True, kw_only=True):
    """A preference that neighbours share, and the numbers of these neighbours, from 1."""

    text: str
    confidence: float
    supporters: tuple[int, ...]


class MemorySummary(msgspec.Struct, frozen=True, kw_only=True):
    """The shared memory's summary for one user; neighbours are numbers here, never keys.

    Args:
        neighbours: Kind ("people", "items") -> the number of neighbours that were used.
        facets: Facets that those share, surest first.
    """

    neighbours: dict[str, int]
    facets: tuple[MemoryFacet, ...]


class Recommendations(
    msgspec.Struct, ItemListRecord, frozen=True, kw_only=True, omit_defaults=True
):
    """A list for one user, as `recommend --json` prints it.

    Args:
        user: The user's key; for several users that of the first.
        users: The keys of all, where the list is for several.
        domain: Name of the domain that the items belong to.
        items: Best first; each with its reason in terms of the user's own history.
        history: The number of items of the history that the catalogue knows.
        message: A message about the list as a whole; may be empty.
        answered_by: Kind of evidence -> its state ("measured", "silent", ...); `spoke` in JSON.
        timings_ms: Stage -> milliseconds.
        memory: The summary of the shared memory, where it took part.
        tokens: Stage -> tokens that a model read and wrote for it.
        calls: The number of calls of a model.
        notes: Departures from the request, as sentences.
        trajectory: The agent's steps, where one ranked: the fields of `agent.trajectory`.
        profile: The agent's proposal for the user's profile, where it was to make one.
    """

    user: str
    users: tuple[str, ...] = ()
    domain: str
    items: tuple[RecommendedItem, ...]
    history: int
    message: str
    answered_by: dict[str, str] = msgspec.field(name="spoke")
    timings_ms: dict[str, float]
    memory: MemorySummary | None = None
    tokens: dict[str, int] = {}
    calls: int = 0
    notes: tuple[str, ...] = ()
    trajectory: dict[str, Any] | None = None
    profile: Literal["kept", "refined"] | None = None

    @property
    def listed(self) -> tuple[RecommendedItem, ...]:
        """The items of the list."""
        return self.items

    @property
    def spoke(self) -> dict[str, str]:
        """The old name of `answered_by`."""
        return self.answered_by


class Ranking(msgspec.Struct, Record, frozen=True, kw_only=True, omit_defaults=True):
    """The order of given candidates, as a line of `rank --batch`.

    Args:
        id: The request's.
        ranking: Every candidate once, best first.
        scores: Candidate -> score, for those that the catalogue knows.
        rationales: Candidate -> why it stands where it does, for the first few.
        answered_by: "memory" -> "measured" where the shared memory took part; where candidates were
            reranked, which component did it, and which ones wrote facets and rationales. It is
            called `spoke` in JSON.
        tokens: Stage -> tokens that a model read and wrote for it.
        calls: The number of calls of a model.
        notes: Departures from the request, as sentences.
        trajectory: The agent's steps, where one ranked: the fields of `agent.trajectory`. Its
            numbers count the candidates that the catalogue knows, in the order of the request.
    """

    id: str
    ranking: tuple[str, ...]
    scores: dict[str, float] = {}
    rationales: dict[str, str] = {}
    answered_by: dict[str, str] = msgspec.field(default_factory=dict, name="spoke")
    tokens: dict[str, int] = {}
    calls: int = 0
    notes: tuple[str, ...] = ()
    trajectory: dict[str, Any] | None = None

    @property
    def spoke(self) -> dict[str, str]:
        """The old name of `answered_by`."""
        return self.answered_by


def to_json(record: Any) -> bytes:
    """Encode a record as one line of JSON (UTF-8, no line break)."""
    return msgspec.json.encode(record)

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
        neighbours: How many of each kind ("people", "items") were listened to.
        facets: What those have in common, surest first.
    """

    neighbours: dict[str, int]
    facets: tuple[MemoryFacet, ...]


class Recommendations(
    msgspec.Struct, ItemListRecord, frozen=True, kw_only=True, omit_defaults=True
):
    """A list for one user, as `recommend --json` prints it.

    Args:
        user: The user's key; of several users that of the first.
        users: The keys of all, where the list is for several.
        domain: What the items belong to.
        items: Best first; each with its reason in terms of the person's own history.
        history: How many items of the history the catalogue knows.
        message: What the person should know about the list as a whole; may be empty.
        spoke: Kind of evidence -> how it came to be ("store", "nobody", ...).
        timings_ms: Stage -> milliseconds.
        memory: What the shared memory said, where it took part.
        tokens: Stage -> tokens that a model read and wrote for it.
        calls: Of a model.
        notes: What went otherwise than was asked for, as sentences.
        trajectory: What an agent did, where one ranked: the fields of `agent.trajectory`.
        profile: What became of the person's profile, where an agent was to think of it.
    """

    user: str
    users: tuple[str, ...] = ()
    domain: str
    items: tuple[RecommendedItem, ...]
    history: int
    message: str
    spoke: dict[str, str]
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


class Ranking(msgspec.Struct, Record, frozen=True, kw_only=True, omit_defaults=True):
    """The order of given candidates, as a line of `rank --batch`.

    Args:
        id: The request's.
        ranking: Every candidate once, best first.
        scores: Candidate -> score, for those that the catalogue knows.
        rationales: Candidate -> why it stands where it does, for the first few.
        spoke: "memory" -> "measured" where the shared memory took part; where candidates were
            judged, by whom, and who wrote facets and rationales.
        tokens: Stage -> tokens that a model read and wrote for it.
        calls: Of a model.
        notes: What went otherwise than was asked for, as sentences.
        trajectory: What an agent did, where one ranked: the fields of `agent.trajectory`. Its
            numbers count the candidates that the catalogue knows, in the order of the request.
    """

    id: str
    ranking: tuple[str, ...]
    scores: dict[str, float] = {}
    rationales: dict[str, str] = {}
    spoke: dict[str, str] = {}
    tokens: dict[str, int] = {}
    calls: int = 0
    notes: tuple[str, ...] = ()
    trajectory: dict[str, Any] | None = None


def to_json(record: Any) -> bytes:
    """Encode a record as one line of JSON (UTF-8, no line break)."""
    return msgspec.json.encode(record)

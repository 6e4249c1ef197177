"""Named configurations of MemRec and of its ablations."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from localrec.memory.collaborative_memory import COLLABORATIVE_KINDS, OWN_KINDS, EvidenceKind
from localrec.memory.prompt_packer import TOKEN_BUDGET

Share = Annotated[float, msgspec.Meta(ge=0.0, le=1.0)]


Count = Annotated[int, msgspec.Meta(ge=1)]


class MemRecConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Select the parts of a MemRec system.

    Args:
        read: Look at neighbours at all; without, popularity and the person's own memory are left.
        popularity: Count how many like an item; an isolated memory does not.
        rules: Curate by the domain's rules; without, by the weight of the edges.
        write: Keep the shared memory up to date; without, it stays as it was half-way.
        neighbours: The number of neighbours kept (k of the paper).
        facets: The most facets (N_f of the paper).
    """

    read: bool = True
    popularity: bool = True
    rules: bool = True
    write: bool = True
    neighbours: Count = 16
    facets: Count = 7

    @property
    def kinds(self) -> tuple[EvidenceKind, ...]:
        """The kinds of evidence in use."""
        shared: tuple[EvidenceKind, ...] = ("popularity",) if self.popularity else ()
        return (*shared, *(COLLABORATIVE_KINDS if self.read else ()), *OWN_KINDS)


MEMREC: dict[str, MemRecConfig] = {
    "memrec": MemRecConfig(),
    "memrec-no-read": MemRecConfig(read=False),
    "memrec-no-rules": MemRecConfig(rules=False),
    "memrec-no-write": MemRecConfig(write=False),
    "isolated-memory": MemRecConfig(read=False, popularity=False),
}


class MemRecVectorConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure the comparison of memories as vectors; chosen on MovieLens 100K's validation items.

    Args:
        rules: As in `MemRecConfig`.
        write: As in `MemRecConfig`.
        neighbours: As in `MemRecConfig`.
        facets: As in `MemRecConfig`.
        moved: Distance that an item's memory moves from its text towards its users, 0 to 1.
        fading: Worth of each older item in the user's memory.
        facets_worth: Weight of a facet of confidence 1 beside the user's memory.
    """

    rules: bool = True
    write: bool = True
    neighbours: Count = 16
    facets: Count = 7
    moved: Share = 0.8
    fading: Share = 0.8
    facets_worth: Share = 0.1


class MemRecModelConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Configure the model that scores candidates, and the texts that it reads about the user.

    Args:
        synthesis: Author of the facets that neighbours share: the "model" itself, "counted"
            attributes; or "none", where no other user is looked at and candidates are told by their
            attributes.
        rules: As in `MemRecConfig`.
        write: As in `MemRecConfig`.
        neighbours: As in `MemRecConfig`.
        facets: As in `MemRecConfig`.
        token_budget: Tokens of the neighbours that a model is shown.
    """

    synthesis: Literal["model", "counted", "none"] = "model"
    rules: bool = True
    write: bool = True
    neighbours: Count = 16
    facets: Count = 7
    token_budget: Annotated[int, msgspec.Meta(ge=64)] = TOKEN_BUDGET


MEMREC_VECTOR: dict[str, MemRecVectorConfig] = {"memrec-vector": MemRecVectorConfig()}


MEMREC_MODELS: dict[str, MemRecModelConfig] = {
    "memrec-model": MemRecModelConfig(),
    "memrec-model-counted": MemRecModelConfig(synthesis="counted"),
    "isolated-agent": MemRecModelConfig(synthesis="none"),
}


class MemoryPlan(msgspec.Struct, frozen=True):
    """State when the shared memory takes part.

    Args:
        memory: The parts of MemRec that count.
        min_users: The number of users with likes from which on a memory can teach anything.
        lists_from: Liked items from which on lists follow the memory; None: never.
        ranks_from: The same for the order of given candidates.
    """

    memory: MemRecConfig
    min_users: int = 0
    lists_from: int | None = 0
    ranks_from: int = 0

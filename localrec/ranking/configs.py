"""Named configurations of the preference features that make a list."""

from __future__ import annotations

import msgspec


class EvidenceConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Select the kinds of evidence; without any, the catalogue's own order stands.

    Neighbours say how odds change, so they need the odds that popularity gives to start from.
    """

    popularity: bool = True
    neighbours: bool = True
    attributes: bool = True
    content_similarity: bool = True


_NOTHING = EvidenceConfig(
    popularity=False, neighbours=False, attributes=False, content_similarity=False
)


RANKERS: dict[str, EvidenceConfig] = {
    "auto": EvidenceConfig(),
    "popularity": msgspec.structs.replace(_NOTHING, popularity=True),
    "neighbours": msgspec.structs.replace(_NOTHING, popularity=True, neighbours=True),
    "attributes": msgspec.structs.replace(_NOTHING, attributes=True),
    "nearness": msgspec.structs.replace(_NOTHING, content_similarity=True),
    "auto-no-popularity": EvidenceConfig(popularity=False),
    "auto-no-neighbours": EvidenceConfig(neighbours=False),
    "auto-no-attributes": EvidenceConfig(attributes=False),
    "auto-no-nearness": EvidenceConfig(content_similarity=False),
}

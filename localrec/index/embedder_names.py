"""The names of embedders that changed while what they make stayed nearly the same."""

from __future__ import annotations

MINILM = "minilm-l6-v2-w8a8"
# Name -> that of the same weights before they were computed with whole numbers: the cosine of a
# text's two vectors is .998.
EARLIER = {MINILM: "minilm-l6-v2-int8"}


def fits(trained_on: str, embedder: str) -> bool:
    """Whether weights that were trained on the vectors of one name read those of another."""
    return trained_on in (embedder, EARLIER.get(embedder))

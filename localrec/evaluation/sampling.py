"""Draws by lot that depend on nothing but a seed and a text, whatever else is drawn."""

from __future__ import annotations

import hashlib


def hash_rank(seed: int, text: str) -> str:
    """A place in a draw that depends on nothing but the seed and the text, as hex digits."""
    return hashlib.sha256(f"{seed}\0{text}".encode()).hexdigest()

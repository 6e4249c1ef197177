"""Sample by hashes, so that a draw depends on a seed and a text alone."""

from __future__ import annotations

import hashlib


def hash_rank(seed: int, text: str) -> str:
    """Hash a text and a seed to hex digits that order a draw."""
    return hashlib.sha256(f"{seed}\0{text}".encode()).hexdigest()

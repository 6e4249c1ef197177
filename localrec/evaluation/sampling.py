"""Draws by lot that depend on nothing but a seed and a text, whatever else is drawn."""

from __future__ import annotations

import hashlib


def hash_rank(seed: int, text: str) -> str:
    """Hash a text and a seed to hex digits that order a draw."""
    return hashlib.sha256(f"{seed}\0{text}".encode()).hexdigest()

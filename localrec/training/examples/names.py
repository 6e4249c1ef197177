"""Names that training texts are composed of, by domain and type."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

NAMES = Path(__file__).parent / "names.toml"
Names = Mapping[str, Mapping[str, tuple[str, ...]]]


def read_names(path: Path = NAMES) -> Names:
    """The names by domain and type; a type that a domain lacks is "any" domain's."""
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    cut = {
        domain: {type_: tuple(one.split(" | ")) for type_, one in types.items()}
        for domain, types in told.items()
    }
    anywhere = cut.pop("any")
    return {domain: {**anywhere, **types} for domain, types in cut.items()}

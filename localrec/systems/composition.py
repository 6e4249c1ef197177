"""Which of MARC's stages a system has, and who plays them.

Apart from `marc.py`, so that a system can be named without loading all that it is made of.
"""

from __future__ import annotations

import msgspec

from localrec.settings import RULES


class MarcConfig(msgspec.Struct, frozen=True, kw_only=True):
    """One composition of MARC's stages.

    Args:
        graph: Retrieve through the graph; without it by vectors alone.
        reflection: Up to three rounds; without it one.
        router: "rules" or "model".
        critic: "measured" or "model".
        writer: "template" or "model".
    """

    graph: bool = True
    reflection: bool = True
    router: str = RULES
    critic: str = "measured"
    writer: str = "template"

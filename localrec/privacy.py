"""The switches that keep libraries from talking to a network or reporting their use.

Set before any of those libraries is imported; what a person has set already stays. Nothing in
localrec needs the network but `models pull` and `datasets pull`, which run pip in a process of
its own.
"""

from __future__ import annotations

import os

SWITCHES: dict[str, str] = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "ORT_DISABLE_TELEMETRY": "1",
    "ANONYMIZED_TELEMETRY": "False",
}


def switch_off_telemetry() -> None:
    """Set every switch in this process and those it starts."""
    for name, value in SWITCHES.items():
        os.environ.setdefault(name, value)

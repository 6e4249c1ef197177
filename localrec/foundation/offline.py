"""Switch off the telemetry and downloads of every library, before it is imported."""

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
    "RAY_USAGE_STATS_ENABLED": "0",
    "OTEL_SDK_DISABLED": "true",
}


def switch_off_telemetry() -> None:
    """Set every switch in this process and those it starts."""
    for name, value in SWITCHES.items():
        os.environ.setdefault(name, value)

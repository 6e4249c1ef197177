"""Switch off the telemetry and downloads of every library, before it is imported.

Telemetry goes off with the first import of anything of localrec, whoever imports it: onnxruntime
1.32 looks up its maker's collector and keeps a database of events in ~/.cache, unless the variable
is set before it is loaded. Its function `disable_telemetry_events` comes too late for that. The
program switches downloads off as well, which a host program of the library may want for itself.
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
    "RAY_USAGE_STATS_ENABLED": "0",
    "OTEL_SDK_DISABLED": "true",
}
TELEMETRY = {
    name: SWITCHES[name]
    for name in (
        "HF_HUB_DISABLE_TELEMETRY",
        "DO_NOT_TRACK",
        "ORT_DISABLE_TELEMETRY",
        "ANONYMIZED_TELEMETRY",
        "RAY_USAGE_STATS_ENABLED",
    )
}


def switch_off_telemetry() -> None:
    """Set the switches of telemetry in this process and those it starts."""
    _set(TELEMETRY)


def switch_off_network() -> None:
    """Set every switch in this process and those it starts."""
    _set(SWITCHES)


def _set(switches: dict[str, str]) -> None:
    for name, value in switches.items():
        os.environ.setdefault(name, value)

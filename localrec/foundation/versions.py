"""The versions that figures may depend on."""

from __future__ import annotations

import platform

from localrec.foundation.record_files import installed_versions

# Several are extras, and none is imported to be asked.
_PACKAGES = (
    *("localrec", "duckdb", "hnswlib", "onnxruntime", "llama-cpp-python", "numpy"),
    *("scipy", "implicit", "torch"),
)


def versions_behind_figures() -> dict[str, str]:
    """Look up the versions of Python and of all packages that compute figures."""
    return {"Python": platform.python_version(), **installed_versions(_PACKAGES)}

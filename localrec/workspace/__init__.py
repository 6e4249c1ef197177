"""One folder with its store, indexes and settings, opened for questions or for imports."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from localrec.workspace.workspace import OpenWorkspace as OpenWorkspace

__all__ = ["OpenWorkspace"]


def __getattr__(name: str) -> object:
    """Load `OpenWorkspace` at its first use: the app draws its first screen before DuckDB loads."""
    if name != "OpenWorkspace":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from localrec.workspace.workspace import OpenWorkspace

    return OpenWorkspace

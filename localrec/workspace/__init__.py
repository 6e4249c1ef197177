"""One folder with its store, indexes and settings, opened for questions or for imports."""

from localrec.workspace.workspace import OpenWorkspace

__all__ = ["OpenWorkspace"]

"""One folder with its store, indexes and settings, opened for questions or for imports."""

from localrec.workspace.workspace import Workspace

__all__ = ["Workspace"]

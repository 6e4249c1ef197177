"""localrec: a private recommender that keeps everything on one machine.

    from localrec import Workspace

Importing the package loads nothing heavy; each name is loaded when it is first used. docs/api.md
documents what is exported here, and nothing else is public.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from localrec.foundation.offline import switch_off_telemetry

if TYPE_CHECKING:
    __version__: str
    from localrec.api.async_workspace import AsyncWorkspace as AsyncWorkspace
    from localrec.api.estimators import Baseline as Baseline
    from localrec.api.evaluation import Evaluation as Evaluation
    from localrec.api.exchange import InteractionTable as InteractionTable
    from localrec.api.records import HistoryEntry as HistoryEntry
    from localrec.api.records import ItemRecord as ItemRecord
    from localrec.api.workspace import Workspace as Workspace
    from localrec.data.answers import Answer as Answer
    from localrec.data.questions import RankRequest as RankRequest
    from localrec.data.recommendations import Ranking as Ranking
    from localrec.data.recommendations import Recommendations as Recommendations
    from localrec.data.recommendations import RecommendedItem as RecommendedItem
    from localrec.data.rows import ImportReport as ImportReport
    from localrec.foundation.errors import BusyError as BusyError
    from localrec.foundation.errors import InputError as InputError
    from localrec.foundation.errors import LocalrecError as LocalrecError
    from localrec.foundation.errors import ModelError as ModelError
    from localrec.foundation.errors import UsageError as UsageError
    from localrec.foundation.errors import WorkspaceError as WorkspaceError
    from localrec.graph.interactions import FeedbackRecord as FeedbackRecord
    from localrec.privacy.forget import ForgetReceipt as ForgetReceipt

switch_off_telemetry()  # before any library is loaded that could send some

# Name -> the module that has it.
_PUBLIC = {
    "Answer": "localrec.data.answers",
    "AsyncWorkspace": "localrec.api.async_workspace",
    "Baseline": "localrec.api.estimators",
    "BusyError": "localrec.foundation.errors",
    "Evaluation": "localrec.api.evaluation",
    "FeedbackRecord": "localrec.graph.interactions",
    "ForgetReceipt": "localrec.privacy.forget",
    "HistoryEntry": "localrec.api.records",
    "ImportReport": "localrec.data.rows",
    "InputError": "localrec.foundation.errors",
    "InteractionTable": "localrec.api.exchange",
    "ItemRecord": "localrec.api.records",
    "LocalrecError": "localrec.foundation.errors",
    "ModelError": "localrec.foundation.errors",
    "RankRequest": "localrec.data.questions",
    "Ranking": "localrec.data.recommendations",
    "RecommendedItem": "localrec.data.recommendations",
    "Recommendations": "localrec.data.recommendations",
    "UsageError": "localrec.foundation.errors",
    "Workspace": "localrec.api.workspace",
    "WorkspaceError": "localrec.foundation.errors",
}

__all__ = sorted(_PUBLIC)


def __getattr__(name: str) -> object:
    """Load a public name, or `__version__`, at its first use."""
    if name == "__version__":
        return _installed_version()
    if name not in _PUBLIC:
        raise AttributeError(f"module 'localrec' has no attribute {name!r}")
    found: object = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = found
    return found


def _installed_version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # 20 ms

    try:
        return version("localrec")
    except PackageNotFoundError:  # a checkout that was never installed
        return "0+unknown"


def __dir__() -> list[str]:
    """List the public names."""
    return sorted({*globals(), *_PUBLIC})

"""Neural baselines; this module and `configs` import no torch, the others do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from localrec.foundation.errors import UsageError
from localrec.ranking.baselines.neural.configs import GRU4RecConfig, LightGCNConfig, SASRecConfig

if TYPE_CHECKING:
    from localrec.ranking.baselines.neural.gru4rec import GRU4Rec
    from localrec.ranking.baselines.neural.lightgcn import LightGCN
    from localrec.ranking.baselines.neural.sasrec import SASRec

# The modules are imported when one of their baselines is made: torch takes seconds to load.


def make_sasrec(config: SASRecConfig) -> SASRec:
    """Make SASRec: self-attention over a history.

    Raises:
        UsageError: torch is not installed, or the sizes do not go together.
    """
    with _torch():
        from localrec.ranking.baselines.neural.sasrec import SASRec
    return SASRec(config)


def make_gru4rec(config: GRU4RecConfig) -> GRU4Rec:
    """Make GRU4Rec: a recurrent network over a history.

    Raises:
        UsageError: torch is not installed.
    """
    with _torch():
        from localrec.ranking.baselines.neural.gru4rec import GRU4Rec
    return GRU4Rec(config)


def make_lightgcn(config: LightGCNConfig) -> LightGCN:
    """Make LightGCN: embeddings propagated over the interaction graph.

    Raises:
        UsageError: torch is not installed.
    """
    with _torch():
        from localrec.ranking.baselines.neural.lightgcn import LightGCN
    return LightGCN(config)


@contextmanager
def _torch() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "torch":
            raise
        raise UsageError(
            "The neural baselines need torch, which is not installed.",
            "Install it with: pip install 'localrec[training]'",
        ) from error

"""Work that workers do out of a workspace: requests ranked, texts embedded.

What a worker is given names the workspace by its folder, which each opens once, for reading. On a
cluster the folder has to lie under the same path on every machine. Nothing is written by a worker.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from localrec.engines.execution import chunks_of
from localrec.engines.protocol import Engine
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.workspace.workspace import OpenWorkspace

if TYPE_CHECKING:
    from localrec.data.questions import RankRequest
    from localrec.data.recommendations import Ranking
    from localrec.index.protocols import Embedder, Vectors
    from localrec.systems.item_recommender import ItemRecommender

_TEXTS = 32  # for a worker at a time: some tenths of a second of MiniLM


class _WorkspaceWork:
    """Opens its workspace where it works; a copy for another process takes the folder along.

    Args:
        opened: The workspace; its folder is what a copy knows of it.
    """

    def __init__(self, opened: OpenWorkspace) -> None:
        self._folder: Path = opened.folder.absolute()
        self._opened = opened

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_opened"}

    @cached_property
    def _opened(self) -> OpenWorkspace:
        return OpenWorkspace(self._folder)  # until the worker ends


class RankWork(_WorkspaceWork):
    """Orders the candidates of requests, with what is stored of their users.

    Args:
        opened: The workspace.
        domain: The domain of the items.
        system: The name of the system that ranks.
    """

    def __init__(self, opened: OpenWorkspace, domain: str, system: str) -> None:
        super().__init__(opened)
        self._domain, self._system = domain, system

    def __call__(self, requests: Sequence[RankRequest]) -> list[Ranking]:
        """Rank one request after the other."""
        return [self.rank(request) for request in requests]

    def rank(self, request: RankRequest) -> Ranking:
        """Rank one request."""
        seen = self._opened.context(self._domain, request.user)
        stored = seen.user_profile(request.user) if request.user else None
        return self.recommender(request.user).rank(request, stored)

    def recommender(self, user: str | None = None) -> ItemRecommender:
        """Make the system once for the domain as its user sees it.

        Raises:
            UsageError: there is no such system.
            ModelError: it asks a model that is not here, or does not start.
        """
        seen = self._opened.context(self._domain, user)
        return seen.once("ranker", lambda: SYSTEM_REGISTRY.recommender(seen, self._system))


class EmbedWork(_WorkspaceWork):
    """Embeds texts by the embedder that the settings of the workspace name."""

    def __call__(self, texts: Sequence[str]) -> Vectors:
        """Embed n texts as unit rows, shape (n, size)."""
        return self._opened.models.embedder.embed(list(texts))


class SharedEmbedder:
    """An `Embedder` whose texts are shared out among the workers of an engine.

    By the shipped embedder a text's vector does not depend on the texts beside it, so that the
    vectors are those of one process.

    Args:
        opened: The workspace whose embedder is meant.
        engine: Shares out the texts.
    """

    def __init__(self, opened: OpenWorkspace, engine: Engine) -> None:
        embedder: Embedder = opened.models.embedder
        self.name, self.size = embedder.name, embedder.size
        self._work, self._engine = EmbedWork(opened), engine

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder`."""
        parts = list(self._engine.map(self._work, chunks_of(texts, _TEXTS)))
        return np.concatenate(parts) if parts else np.zeros((0, self.size), dtype=np.float32)

"""Planted domains, and the real MovieLens file where it was pulled."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from localrec.data.domains import Domain
from localrec.foundation.paths import pulled
from localrec.graph.domain_files import load_domain


@pytest.fixture
def films_domain() -> Domain:
    return load_domain("movies")


@pytest.fixture
def movielens() -> Path:
    path = pulled("datasets") / "ml-100k" / "ml-100k.item"
    if not path.is_file():
        reason = "ml-100k is not here; `localrec datasets pull ml-100k` fetches it"
        if os.environ.get("LOCALREC_REQUIRE_MODELS"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path

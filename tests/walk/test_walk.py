"""Three hundred random steps over a workspace, each held against a model of the store."""

from __future__ import annotations

import pytest


@pytest.mark.timeout(900)
def test_after_each_of_300_steps_the_store_is_what_the_model_says(walk, take_walks):
    take_walks(6)
    assert any(kind.endswith("killed") for kind in walk.counts)

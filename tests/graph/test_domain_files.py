"""Where a domain is found by its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from localrec.graph import domain_files
from localrec.graph.domain_files import is_known_domain, load_domain, use_domains_of


@pytest.fixture
def used(monkeypatch):
    """The workspaces of this process, as if there were none yet."""
    monkeypatch.setattr(domain_files, "_used", [])


def test_a_workspace_that_may_not_be_looked_into_hides_no_domain(used, monkeypatch, tmp_path):
    use_domains_of(tmp_path)
    stat = Path.stat

    def refuse(path, **how):
        if path.is_relative_to(tmp_path):
            raise PermissionError(13, "Permission denied")
        return stat(path, **how)

    monkeypatch.setattr(Path, "stat", refuse)
    assert load_domain("cocktails").name == "cocktails"
    assert not is_known_domain("wines")

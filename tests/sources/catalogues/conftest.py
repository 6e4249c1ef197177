"""What the tests of catalogues share: a table written, a domain proposed for it, its items."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from localrec.data.domains import Domain
from localrec.data.rows import CatalogueRows
from localrec.sources.catalogues.catalogue_source import CatalogueSource
from localrec.sources.catalogues.proposal import propose_domain
from localrec.sources.catalogues.records import open_records

Read = Callable[..., tuple[Domain, CatalogueRows]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Writes a table and reads it into the domain that is proposed for it."""

    def read_table(
        text: str, name: str = "things", file: str = "table.csv"
    ) -> tuple[Domain, CatalogueRows]:
        path = tmp_path / file
        path.write_text(text, encoding="utf-8")
        domain = propose_domain(name, open_records(path)).domain
        return domain, CatalogueSource().read(path, domain)

    return read_table

from collections.abc import Iterator

import pytest

from localrec.workspace.domain_context import DomainContext
from tests.planted import planted_stages, planted_store


@pytest.fixture(scope="session")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DomainContext]:
    folder = tmp_path_factory.mktemp("bar")
    with planted_store(folder) as store:
        yield planted_stages(store, folder / "indexes")

from collections.abc import Callable, Iterator

import pytest

from localrec.data.query import Query
from localrec.understanding.query_parser import parse_query
from localrec.understanding.vocabulary import Vocabulary
from localrec.workspace.domain_context import DomainContext
from tests.planted import planted_stages, planted_store

from .records import planted_records


@pytest.fixture(scope="session")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DomainContext]:
    folder = tmp_path_factory.mktemp("bar")
    with planted_store(folder) as store:
        yield planted_stages(store, folder / "indexes")


@pytest.fixture
def read(bar: DomainContext) -> Callable[[str], Query]:
    return lambda question: parse_query(question, bar.vocabulary)


@pytest.fixture(scope="session")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Vocabulary]:
    """Of the records in `records.py`."""
    with planted_records(tmp_path_factory.mktemp("records")) as planted:
        yield planted


@pytest.fixture
def ask(vocabulary: Vocabulary) -> Callable[[str], Query]:
    """Reads a question about these records."""
    return lambda question: parse_query(question, vocabulary)

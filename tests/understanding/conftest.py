from collections.abc import Callable, Iterator

import pytest

from localrec.data.query import Query
from localrec.systems.question_context import QuestionContext
from localrec.understanding.query_parser import parse_query
from tests.planted import planted_stages, planted_store


@pytest.fixture(scope="package")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuestionContext]:
    folder = tmp_path_factory.mktemp("bar")
    with planted_store(folder) as store:
        yield planted_stages(store, folder / "indexes")


@pytest.fixture
def read(bar: QuestionContext) -> Callable[[str], Query]:
    return lambda question: parse_query(question, bar.vocabulary)

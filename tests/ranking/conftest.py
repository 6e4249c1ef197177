from collections.abc import Iterator

import pytest

from localrec.systems.question_context import QuestionContext
from tests.planted import planted_stages, planted_store


@pytest.fixture(scope="package")
def bar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QuestionContext]:
    folder = tmp_path_factory.mktemp("bar")
    with planted_store(folder) as store:
        yield planted_stages(store, folder / "indexes")

"""The adapter that ships for the writer, with the real model."""

import pytest

from localrec.data.query import TaskKind
from localrec.explanation.graph_facts import question_facts
from localrec.explanation.writer import AdapterWriter
from localrec.llm.adapter_files import fitting_adapter
from localrec.llm.model_catalog import model_path
from localrec.llm.model_process import ModelProcess
from localrec.retrieval.candidates import build_candidates
from localrec.understanding.query_parser import parse_query

ASKED = {"gimlet": "gin and lime juice without cream", "daiquiri": "with rum", "mai-tai": "rum"}


@pytest.fixture(scope="module")
def smollm2(require_model):
    require_model("smollm2-135m")
    return model_path("smollm2-135m")


@pytest.mark.real
def test_tells_all_facts_in_its_own_words_and_the_same_ones_again(bar, smollm2):
    told = []
    with ModelProcess(
        smollm2, adapter=fitting_adapter("sentence-writer", "writer", smollm2), n_threads=1
    ) as process:
        for key, question in ASKED.items():
            item = bar.catalogue.item_index(key)
            if item is None:
                continue
            intent = parse_query(question, bar.vocabulary)
            pool = build_candidates(intent, bar.catalogue, TaskKind.C3)
            links = bar.catalogue.details([item])
            facts = question_facts(bar.search_query(question, intent), pool, item, links)
            name = bar.catalogue.names[item]
            writer = AdapterWriter(process)
            first = writer.write(name, facts, intent, bar.vocabulary)
            assert name in first
            assert AdapterWriter(process).write(name, facts, intent, bar.vocabulary) == first
            told.append((first, writer.dropped))
    assert len(told) > 1
    assert any(not dropped for _, dropped in told)

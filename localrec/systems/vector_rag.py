"""Vector-only RAG for questions: a local model selects among the nearest texts.

This is the baseline of MARC, without a graph, constraints or reflection. The question is embedded
as it stands, the items with the nearest descriptions become numbered passages, and the model
writes the numbers of those that fit. Where it fails, the nearest texts stand as they are, and the
answer says so. The only evidence of an item is its own text.

`marc-no-graph-no-reflection` does the same without a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from localrec.data.answers import Answer, ReflectionRecord
from localrec.data.evidence import Evidence
from localrec.data.query import Query, RoutedTask, TaskKind
from localrec.data.questions import Question
from localrec.data.recommendations import RecommendedItem
from localrec.foundation.errors import UsageError
from localrec.foundation.run_trace import RunTrace
from localrec.foundation.text import clean_text
from localrec.ranking.passage_selection import RetrievedPassage, select_passages
from localrec.retrieval.search_query import SearchQuery
from localrec.systems.configs import RagConfig
from localrec.understanding.query_parser import LONGEST_QUESTION, query_view
from localrec.workspace.domain_context import DomainContext


class VectorRag:
    """Answer questions about one domain from the texts of its items alone.

    Example:
        `VectorRag(context, RagConfig()).answer(Question(query="something smoky"), 5)`
    """

    def __init__(self, context: DomainContext, config: RagConfig) -> None:
        self._context = context
        self._config = config

    def answer(self, question: Question, k: int) -> Answer:
        """Answer one question with at most k items; no text of a question makes it fail.

        Raises:
            UsageError: the question has an image, and this system compares texts alone.
        """
        if question.image is not None:
            raise UsageError(
                "vector-rag answers by texts alone and takes no picture.",
                "Ask another system, such as marc.",
            )
        trace = RunTrace()
        text = clean_text(question.query, LONGEST_QUESTION)
        query = self._context.search_query(text, Query())
        with trace.timed("embedding"):
            _ = query.vector
        with trace.timed("retrieval"):
            near = self._nearest(query, max(k, self._config.passages))
        with trace.timed("selection"):
            domain, passages = query.catalogue.domain, near[: self._config.passages]
            chosen = select_passages(
                partial(self._context.models.open, "selector"), domain, text, passages, k, trace
            )
        rest = [passage for passage in near if passage not in chosen]
        return Answer(
            id=question.id,
            query=text,
            task=RoutedTask(kind=TaskKind.C3, confidence=0.0, reason="questions are not routed"),
            intent=query_view(query.intent, self._context.vocabulary),
            items=_items([*chosen, *rest][:k], query, self._field),
            near_misses=(),
            relaxed=(),
            message="These are the nearest texts; nothing was held against the catalogue.",
            reflection=ReflectionRecord(rounds=0, scores=(), chosen=0),
            answered_by=trace.answered_by,
            timings_ms=trace.rounded_ms(),
            tokens=trace.tokens,
        )

    @property
    def _field(self) -> str:
        """Name the text that describes an item, else its name."""
        return "description" if "description" in self._context.fields else "name"

    def _nearest(self, query: SearchQuery, count: int) -> list[RetrievedPassage]:
        catalogue, field = query.catalogue, self._field
        items = query.nearest(count, field)
        texts = catalogue.texts(items.tolist(), catalogue.domain.texts[field])
        scores = query.similarity(items, field)
        return [
            RetrievedPassage(item, catalogue.names[item], text, score)
            for item, text, score in zip(items.tolist(), texts, scores.tolist(), strict=True)
        ]


def _items(
    passages: Sequence[RetrievedPassage], query: SearchQuery, field: str
) -> tuple[RecommendedItem, ...]:
    return tuple(
        RecommendedItem(
            rank=rank,
            key=query.catalogue.keys[one.item],
            name=one.name,
            score=round(one.score, 4),
            satisfies=True,  # no constraint was read, so none is broken
            evidence=(Evidence(source=one.name, relation=field, target=one.text),) * bool(one.text),
            reason=one.text,
        )
        for rank, one in enumerate(passages, 1)
    )

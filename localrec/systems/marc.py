"""MARC (arXiv 2511.08181): router, graph retrieval, reflection, explained answer.

A question becomes a query and the query a task. The task's algorithm ranks the items that meet
every hard constraint, reflection keeps the best set, and the edges of each item explain it. Two
switches make the paper's ablations: vector search without the graph, one round of reflection.
"""

from __future__ import annotations

import msgspec

from localrec.data.answers import Answer
from localrec.data.query import Query, TaskKind
from localrec.data.questions import Question
from localrec.explanation.answer_items import ItemExplainer, OnItems, ignore_items
from localrec.explanation.answer_message import answer_message
from localrec.explanation.writer import open_writer, record_writer
from localrec.foundation.run_trace import RunTrace
from localrec.foundation.settings import RULES
from localrec.foundation.text import clean_text
from localrec.ranking.reflection import ROUNDS, ReflectionResult, Reflector
from localrec.retrieval.near_misses import near_misses
from localrec.retrieval.personalize import personalize
from localrec.retrieval.retrievers import retrieve_by_description, retriever_of
from localrec.systems.answer_request import LIST, AnswerRequest, ChosenItems, model_opener, prepare
from localrec.systems.configs import TAGGER, MarcConfig
from localrec.systems.declined import declined_answer, unused_of, with_topic
from localrec.understanding.query_parser import LONGEST_QUESTION, query_view
from localrec.understanding.question_reader import QuestionReader
from localrec.understanding.router import Router
from localrec.workspace.domain_context import DomainContext


class Marc:
    """Answer questions about one domain.

    Example:
        `Marc(context, MarcConfig()).answer(Question(query="gin, but no egg"), 5)`
    """

    def __init__(self, context: DomainContext, config: MarcConfig) -> None:
        self._context, self._config = context, config
        self._reader = QuestionReader(
            context.catalogue,
            context.vocabulary,
            context.shelf,
            open_slot_model=model_opener(context, "slots", config.reader),
            open_vision=context.models.open_vision if config.vision == "model" else None,
            open_pictures=context.item_images,
            open_tagger=context.role_tagger if config.reader == TAGGER else None,
        )
        router = model_opener(context, "router", config.router)
        self._router = Router(router, context.vocabulary, config.router == "adapter")
        critic = model_opener(context, "reflector", config.critic)
        trained_on = context.vocabulary if config.critic == "adapter" else None
        self._reflector = Reflector(critic, ROUNDS if config.reflection else 1, trained_on)
        self._writer_model = model_opener(context, "writer", config.writer)

    def answer(self, question: Question, k: int) -> Answer:
        """Answer one question with at most k items; no text of a question makes it fail.

        Raises:
            InputError: the image of the question cannot be read.
            UsageError: the question has an image, but the domain does not say how items look.
        """
        trace = RunTrace(understanding=RULES)
        with trace.timed("understanding"):
            text = clean_text(question.query, LONGEST_QUESTION + 1)  # 1 more tells that it is cut
            question = msgspec.structs.replace(question, query=text)
            query = self.understand(question, trace)
        return self.answer_query(question, query, k, trace)

    def understand(self, question: Question, trace: RunTrace | None = None) -> Query:
        """Read what a question asks for; raises as `answer` does."""
        return with_topic(self._context, question, self._reader.read(question, trace or RunTrace()))

    def answer_query(
        self,
        question: Question,
        query: Query,
        k: int,
        trace: RunTrace | None = None,
        *,
        task: TaskKind | None = None,
        on_items: OnItems = ignore_items,
    ) -> Answer:
        """Answer a query that was read, and perhaps corrected, before.

        Args:
            question: The question, whose text still ranks the items.
            query: Its meaning.
            k: The largest number of items.
            trace: The record that reading the question began.
            task: The task that the user names; None: the router guesses.
            on_items: Called with all items, then with each again once it has its reason.
        """
        trace = trace or RunTrace(understanding=RULES)
        if query.is_declined:
            return declined_answer(self._context, question, query, trace)
        routed = self._router.route(question.query, query, trace, task)
        graph = self._config.graph
        request = prepare(self._context, question, query, routed, k, trace, personal=graph)
        chosen = self._choose(request)
        pool, fit, vocabulary = request.pool, request.fit, self._context.vocabulary
        with trace.timed("retrieval"):
            places = k - len(chosen.found.items) if graph else 0
            near = near_misses(request.search, pool, places, request.profile)
        with trace.timed("explanation"):
            explainer = ItemExplainer(request.search, pool, vocabulary, (chosen.found, near))
            writer = open_writer(self._writer_model, trace, self._config.writer)
            reasons = None if fit is None else fit.reason_builder
            items = explainer.explain(chosen.found, writer, on_items, reasons)
            close_calls = explainer.explain(near)
        record_writer(writer, len(items), trace)
        unused = unused_of(query, vocabulary, user=question.user)
        message = answer_message(request.search, pool, items, unused, request.profile)
        return Answer(
            id=question.id,
            query=question.query[:LONGEST_QUESTION],
            task=request.task,
            intent=query_view(query, vocabulary),
            items=items,
            near_misses=close_calls,
            relaxed=pool.relaxed if graph else (),
            message=" ".join(filter(None, (message, *chosen.notes))),
            reflection=chosen.reflection,
            answered_by=trace.answered_by,
            timings_ms=trace.rounded_ms(),
            tokens=trace.tokens,
            memory=None if fit is None else fit.memory,
            trajectory=chosen.trajectory,
            seen=query.seen,
            unused=unused,
        )

    def _choose(self, request: AnswerRequest) -> ChosenItems:
        """Choose at most k candidates; a system with another order overrides this."""
        reflected = self._reflect(request, LIST)
        further = self._reflect(request, request.k).chosen if request.k > LIST else None
        found = reflected.chosen.first(request.k, further)
        return ChosenItems(found=found, reflection=reflected.record)

    def _reflect(self, request: AnswerRequest, k: int) -> ReflectionResult:
        """Retrieve with the algorithm of the task and keep the best set of k."""
        retriever, pool = retriever_of(request.task.kind), request.pool
        if not self._config.graph:
            retriever, pool = retrieve_by_description, pool.without_constraints()
        if request.fit is not None:
            retriever = personalize(retriever, request.fit.scores)
        return self._reflector.choose(request.search, pool, retriever, k, request.trace)

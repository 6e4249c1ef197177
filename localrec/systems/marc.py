"""MARC (arXiv 2511.08181): router, graph retrieval, reflection, explained answer.

A question becomes an intent, the intent a task, the task's algorithm ranks the pool of items that
hold every hard constraint, reflection keeps the best set, each item is explained by its edges.
The two ablations of the paper's Table 2 are switches here: without the graph retrieval is a plain
vector search over descriptions, without reflection a single round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from localrec.data.answers import Answer, ReflectionRecord
from localrec.data.arrays import Mask
from localrec.data.evidence import evidence_of, fact_sentences
from localrec.data.query import Intent, RoutedTask, TaskKind
from localrec.data.questions import Question
from localrec.data.recommendations import RecommendedItem
from localrec.explanation.graph_facts import example_index, question_facts
from localrec.explanation.writer import ModelWriter, TemplateWriter, Writer
from localrec.foundation.run_trace import RunTrace
from localrec.foundation.settings import RULES
from localrec.foundation.text import clean_text
from localrec.graph.catalogue import LinkDetail
from localrec.ranking.critics import Critic, MeasuredCritic, ModelCritic
from localrec.ranking.reflection import ROUNDS, ReflectionResult, reflect
from localrec.retrieval.candidates import CandidateSet, build_candidates
from localrec.retrieval.expansion import missing_components
from localrec.retrieval.personalize import disliked_mask, exclude_disliked, personalize
from localrec.retrieval.retrievers import retriever_of
from localrec.retrieval.search_query import RankedItems, SearchParams, SearchQuery
from localrec.systems.auto import ScoredItems
from localrec.systems.configs import MarcConfig
from localrec.systems.question_context import QuestionContext
from localrec.understanding.image_query import analyze_image
from localrec.understanding.image_wishes import add_image, check_images_supported, describe_seen
from localrec.understanding.query_parser import LONGEST_QUESTION, add_shelf, parse_query, query_view
from localrec.understanding.router import AdapterRouter, ModelRouter, route_by_rules
from localrec.understanding.shelf_reader import asks_for_shelf
from localrec.understanding.slot_filling import SlotReader

OnItems = Callable[[tuple[RecommendedItem, ...]], None]  # items as far as they are known by now


def _ignore_items(items: tuple[RecommendedItem, ...]) -> None:
    """Nobody waits for anything but the whole answer."""


class ChosenItems(msgspec.Struct, frozen=True, kw_only=True):
    """The items of an answer, and how they came to be these.

    Args:
        found: The items, best first.
        reflection: What reflection did for it.
        notes: What the person should know of it, as sentences.
        trajectory: What an agent did, as fields.
    """

    found: RankedItems
    reflection: ReflectionRecord
    notes: tuple[str, ...] = ()
    trajectory: dict[str, Any] | None = None


class Marc:
    """Answers questions about one domain."""

    def __init__(self, stages: QuestionContext, config: MarcConfig) -> None:
        self._stages = stages
        self._config = config

    def answer(self, question: Question, k: int) -> Answer:
        """Answer one question with at most k items; never raises for what a question says.

        Raises:
            InputError: the picture of the question cannot be read.
            UsageError: it has one, and nothing in the domain says what items look like.
        """
        work = RunTrace(understanding=RULES)
        with work.timed("understanding"):
            # One character more than is read, so that the intent still knows it was cut.
            text = clean_text(question.query, LONGEST_QUESTION + 1)
            question = msgspec.structs.replace(question, query=text)
            intent = self.understand(question, work)
        return self.answer_intent(question, intent, k, work)

    def understand(self, question: Question, work: RunTrace | None = None) -> Intent:
        """What a question asks for, with its picture and with what is at hand of whoever asks.

        Raises:
            InputError: its picture cannot be read.
            UsageError: it has one, and nothing in the domain says what items look like.
        """
        intent = self._read(question.query, work or RunTrace())
        if question.have:
            intent = add_shelf(intent, question.have, self._stages.vocabulary)
        elif question.user and not intent.have and asks_for_shelf(question.query):
            shelf = self._stages.shelf_of(question.user)
            intent = msgspec.structs.replace(intent, have=shelf)
        if question.image is None:
            return intent
        return self._with_picture(question, question.image, intent, work or RunTrace())

    def _read(self, text: str, work: RunTrace) -> Intent:
        """What the words of a question ask for."""

        def by_model() -> Intent:
            reader = self._slot_reader
            before = reader.tokens
            intent = reader.read(text)
            work.tokens["understanding"] = reader.tokens - before
            return intent

        if self._config.reader == "adapter":
            intent = work.played_by_model("understanding", by_model)
            if intent is not None:
                return intent
        return parse_query(text, self._stages.vocabulary)

    @cached_property
    def _slot_reader(self) -> SlotReader:
        return SlotReader(self._stages.open_model("slots"), self._stages.vocabulary)

    def _with_picture(
        self, question: Question, image: str, intent: Intent, work: RunTrace
    ) -> Intent:
        domain = self._stages.catalogue.domain
        check_images_supported(domain)
        open_vision = self._stages.open_vision if self._config.vision == "model" else None
        looked = analyze_image(Path(image), domain, work, open_vision, self._stages.open_pictures)
        return add_image(
            intent,
            question.query,
            looked.sight,
            by=looked.by,
            witness=looked.witness,
            near=[(one.node_id, one.similarity) for one in looked.near],
            vocabulary=self._stages.vocabulary,
            catalogue=self._stages.catalogue,
        )

    def answer_intent(
        self,
        question: Question,
        intent: Intent,
        k: int,
        work: RunTrace | None = None,
        *,
        task: TaskKind | None = None,
        on_items: OnItems = _ignore_items,
    ) -> Answer:
        """Answer an intent that was read (or corrected) before; the text still ranks.

        Args:
            question: What was asked, as cleaned text.
            intent: What it means.
            k: At most so many items.
            work: What was done for it already.
            task: What it is a question of, where a person says so and no router has to guess.
            heard: Told the items as soon as they are chosen, without reasons, and then each again
                with its reason, which a model takes a while to write.
        """
        work = work or RunTrace(understanding=RULES)
        routed = self._route(question.query, intent, work) if task is None else _told(task, work)
        query = self._stages.query(question.query[:LONGEST_QUESTION], intent)
        with work.timed("embedding"):
            _ = query.vector
        fit = self._fit(question, work)
        with work.timed("retrieval"):
            pool = build_candidates(intent, self._stages.catalogue, routed.kind)
            if fit is not None:
                kept = exclude_disliked(fit.user_profile, pool.items)
                pool = msgspec.structs.replace(pool, items=kept)
        chosen = self._choose(question, query, pool, routed, k, fit, work)
        with work.timed("retrieval"):
            near = self._near(query, pool, k - len(chosen.found.items), fit)
        with work.timed("explanation"):
            links = self._links(query, chosen.found, near)
            writer = self._writer(work)
            items = self._explain(query, pool, chosen.found, links, writer, on_items)
            if fit is not None:
                items = tuple(self._with_personal_reason(item, fit) for item in items)
            close_calls = self._explain(query, pool, near, links, TemplateWriter())
        work.spoke["writer"] = _writer_label(writer, len(items))
        if writer.tokens:
            work.tokens["writer"] = writer.tokens
        return Answer(
            id=question.id,
            query=question.query[:LONGEST_QUESTION],
            task=routed,
            intent=query_view(intent, self._stages.vocabulary),
            items=items,
            near=close_calls,
            relaxed=pool.relaxed if self._config.graph else (),
            message=" ".join(filter(None, (self._message(query, pool, items, fit), *chosen.notes))),
            reflection=chosen.reflection,
            spoke=work.spoke,
            timings_ms={name: round(ms, 3) for name, ms in work.timings_ms.items()},
            tokens=work.tokens,
            memory=None if fit is None else fit.memory,
            trajectory=chosen.trajectory,
            seen=intent.seen,
        )

    def _route(self, text: str, intent: Intent, work: RunTrace) -> RoutedTask:
        def by_model() -> RoutedTask:
            router = self._model_router
            before = router.tokens
            task = router.route(text)
            work.tokens["router"] = router.tokens - before
            return task

        with work.timed("router"):
            # What a question is about that leans on its picture, its words alone do not tell.
            leans = intent.seen is not None and intent.seen.leans != "beside"
            if self._config.router != RULES and not leans:
                task = work.played_by_model("router", by_model)
                if task is not None:
                    return task
            work.spoke["router"] = RULES
            return route_by_rules(intent, self._stages.catalogue.domain)

    @cached_property
    def _model_router(self) -> ModelRouter | AdapterRouter:
        model = self._stages.open_model("router")
        if self._config.router == "adapter":
            return AdapterRouter(model, self._stages.vocabulary)
        return ModelRouter(model, self._stages.catalogue.domain)

    def _fit(self, question: Question, work: RunTrace) -> ScoredItems | None:
        """How items fit the person who asks; None where nobody is named or nothing is known."""
        if not question.user or not self._config.graph:
            return None
        with work.timed("memory"):
            fit = self._stages.fit_of(question.user)
        work.spoke["history"] = "measured" if len(fit.user_profile) else "silent"
        work.spoke["memory"] = "silent" if fit.memory is None else "measured"
        return fit if len(fit.user_profile) or fit.user_profile.hidden.any() else None

    def _with_personal_reason(self, item: RecommendedItem, fit: ScoredItems) -> RecommendedItem:
        """An item of the answer with what speaks for it in the person's own history."""
        place = self._stages.catalogue.item_index(item.key)
        facts = [] if place is None else fit.reason_builder.from_history(place)
        if not facts:
            return item
        return msgspec.structs.replace(
            item,
            evidence=tuple(dict.fromkeys((*item.evidence, *evidence_of(facts)))),
            reason=f"{item.reason} {fact_sentences(facts)}".strip(),
        )

    def _choose(
        self,
        question: Question,
        query: SearchQuery,
        pool: CandidateSet,
        task: RoutedTask,
        k: int,
        fit: ScoredItems | None,
        work: RunTrace,
    ) -> ChosenItems:
        """At most k items of the pool; a system in which somebody else orders them begins here."""
        reflected = self._reflect(query, pool, task, k, fit, work)
        return ChosenItems(found=reflected.chosen, reflection=reflected.record)

    def _reflect(
        self,
        query: SearchQuery,
        pool: CandidateSet,
        task: RoutedTask,
        k: int,
        fit: ScoredItems | None,
        work: RunTrace,
    ) -> ReflectionResult:
        retriever = retriever_of(task.kind) if self._config.graph else _by_description
        if fit is not None:
            retriever = personalize(retriever, fit.scores)
        judged = pool if self._config.graph else _open_to_all(pool)
        rounds = ROUNDS if self._config.reflection else 1

        def reflected_by(critic: Critic) -> ReflectionResult:
            return reflect(query, judged, retriever, critic, k, rounds=rounds)

        def by_model() -> ReflectionResult:
            critic = ModelCritic(self._stages.open_model("reflector"))
            reflected = reflected_by(critic)
            work.tokens["reflection"] = critic.tokens
            return reflected

        with work.timed("reflection"):
            if self._config.critic == "model":
                reflected = work.played_by_model("reflection", by_model)
                if reflected is not None:
                    return reflected
            work.spoke["reflection"] = MeasuredCritic.spoke
            return reflected_by(MeasuredCritic())

    def _links(self, query: SearchQuery, *found: RankedItems) -> dict[int, list[LinkDetail]]:
        """The edges of all items to be explained, and of the example, in one query."""
        wanted = [int(item) for one in found for item in one.items]
        example = example_index(query)
        return query.catalogue.details([*wanted, *([] if example is None else [example])])

    def _explain(
        self,
        query: SearchQuery,
        pool: CandidateSet,
        found: RankedItems,
        links: Mapping[int, Sequence[LinkDetail]],
        writer: Writer,
        on_items: OnItems = _ignore_items,
    ) -> tuple[RecommendedItem, ...]:
        catalogue = query.catalogue
        drafts, known = [], []
        for rank, (place, score) in enumerate(zip(found.items, found.scores, strict=True), 1):
            item = int(place)
            facts = question_facts(query, pool, item, links)
            known.append(facts)
            drafts.append(
                RecommendedItem(
                    rank=rank,
                    key=catalogue.keys[item],
                    name=catalogue.names[item],
                    score=round(float(score), 4),
                    satisfies=bool(pool.satisfying[item]),
                    evidence=evidence_of(facts),
                    reason="",
                    missing=missing_components(query, item) if query.intent.have else (),
                )
            )
        on_items(tuple(drafts))
        told = []
        for draft, facts in zip(drafts, known, strict=True):
            reason = writer.write(draft.name, facts, query.intent, self._stages.vocabulary)
            told.append(msgspec.structs.replace(draft, reason=reason))
            on_items((told[-1],))
        return tuple(told)

    def _writer(self, work: RunTrace) -> Writer:
        if self._config.writer == "model":
            writer = work.played_by_model(
                "writer", lambda: ModelWriter(self._stages.open_model("writer"))
            )
            if writer is not None:
                return writer
        return TemplateWriter()

    def _near(
        self, query: SearchQuery, pool: CandidateSet, wanted: int, fit: ScoredItems | None
    ) -> RankedItems:
        """Allowed items that miss exactly one demand, where the answer has places left."""
        empty = RankedItems(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.float32))
        if wanted <= 0 or not pool.demands or not self._config.graph:
            return empty
        missed = np.sum([~demand.mask for demand in pool.demands], axis=0)
        close = pool.allowed & (missed == 1) & ~pool.items
        if fit is not None:
            close &= ~disliked_mask(fit.user_profile)
        if not close.any():
            return empty
        items = np.flatnonzero(close).astype(np.int32)
        scores = query.similarity(items)
        best = np.argsort(-scores, kind="stable")[:wanted]
        return RankedItems(items[best], scores[best])

    def _message(
        self,
        query: SearchQuery,
        pool: CandidateSet,
        items: tuple[RecommendedItem, ...],
        fit: ScoredItems | None,
    ) -> str:
        domain, intent = query.catalogue.domain, query.intent
        said = []
        if intent.cut:
            said.append("Your question is very long; only its first 2,000 characters were read.")
        if intent.seen is not None:
            said += describe_seen(intent.seen, query.catalogue)
        if intent.target:
            index = query.catalogue.item_index(intent.target)
            if index is not None:
                said.append(f"Taking {query.catalogue.names[index]} as the example.")
        elif intent.anchor:
            said.append(f"“{intent.anchor}” is not in the catalogue; going by its name.")
        if not items:
            said.append(
                "Nothing is left: everything in the catalogue is barred by "
                f"“{_excluded_text(intent)}”."
            )
        elif intent.is_empty and domain.staples and asks_for_shelf(query.text):
            said.append(
                "I do not know what you have at hand, so these are only the nearest texts. "
                'Say it with --have "A, B", or keep a shelf: localrec shelf --help'
            )
        elif intent.is_empty and not intent.visual and not intent.pictured:
            example = f" Try: “{domain.examples[0]}”." if domain.examples else ""
            found = (
                f"nothing about {domain.plural} in that" if query.text.strip() else "no question"
            )
            said.append(f"I found {found}, so these are only the nearest texts.{example}")
        elif pool.relaxed:
            lost = "; ".join(f"{one.value} ({one.reason})" for one in pool.relaxed)
            said.append(f"No {domain.singular} has it all. Let go: {lost}.")
        if items and fit is not None and (pool.items & disliked_mask(fit.user_profile)).any():
            said.append("All that fits is what you dislike or put off.")
        return " ".join(said)


def _told(task: TaskKind, work: RunTrace) -> RoutedTask:
    """The task that a person names instead of the router."""
    work.spoke["router"] = "person"
    return RoutedTask(kind=task, confidence=1.0, reason="you say so")


def _by_description(query: SearchQuery, pool: Mask, setting: SearchParams) -> RankedItems:
    """Vector-only retrieval, the paper's "w/o Graph": nearest descriptions, nothing held."""
    field = "description" if "description" in query.fields else query.visual_field
    items = query.nearest(setting.k, field)
    return RankedItems(items, query.similarity(items, field))


def _open_to_all(pool: CandidateSet) -> CandidateSet:
    return msgspec.structs.replace(pool, items=np.ones_like(pool.items), relaxed=())


def _excluded_text(intent: Intent) -> str:
    barred = [key for one in intent.constraints if one.barred for key in one.any_of]
    return ", ".join([*(f"no {key}" for key in barred), *intent.flags.values()])


def _writer_label(writer: Writer, sentences: int) -> str:
    if not isinstance(writer, ModelWriter) or writer.dropped == 0:
        return writer.spoke
    return "template" if writer.dropped == sentences else f"model, template for {writer.dropped}"

"""Cases of the roles that write about answers, or judge what was written: writer and judge."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from localrec.data.evidence import Fact, evidence_of
from localrec.data.query import Query
from localrec.evaluation.explanations.llm_judge import judge_sample
from localrec.evaluation.explanations.samples import Sample
from localrec.evaluation.explanations.scales import MARC
from localrec.explanation.graph_facts import question_facts
from localrec.explanation.grounding import is_grounded
from localrec.explanation.writer import AdapterWriter, ModelWriter, TemplateWriter
from localrec.explanation.written_sentences import sentence_shape
from localrec.foundation.errors import ModelError
from localrec.index.pending_vectors import QUICK
from localrec.llm.chat_model import ChatModel
from localrec.retrieval.candidates import build_candidates
from localrec.retrieval.search_query import SearchQuery
from localrec.training.examples.lexicon import lexicon_of
from localrec.training.examples.question_composer import compose_questions
from localrec.training.examples.reflector import intent_of
from localrec.training.role_bench.question_cases import fingerprint_of
from localrec.training.role_bench.records import PreparedModel, RoleAnswer, RoleCases
from localrec.workspace.domain_context import DomainContext

_DRAWS = 20  # questions that may be drawn for each case
_SCALES = tuple(scale for scale in MARC if scale.name == "accuracy")


class ExplainedItem(msgspec.Struct, frozen=True):
    """An item that answers a question, with the facts about it."""

    question: str
    intent: Query
    item: str
    facts: tuple[Fact, ...]

    def shape(self, text: str) -> str:
        """A sentence about it without its names."""
        return sentence_shape(text, self._names())

    def _names(self) -> Iterator[str]:
        """List the item's name, and those of its facts and the wishes."""
        yield self.item
        for edge in evidence_of(self.facts):
            yield from (edge.source, edge.target, edge.value or "")
        for constraint in self.intent.constraints:
            yield from constraint.any_of


def writer_cases(context: DomainContext, count: int, seed: int) -> RoleCases:
    """Make items with facts, about which one grounded sentence is to be written."""
    explained = draw_explained(context, count, seed)
    template = TemplateWriter()

    def by_rules(number: int) -> RoleAnswer:
        one = explained[number]
        text = template.write(one.item, one.facts, one.intent, context.vocabulary)
        return RoleAnswer(float(bool(text)), text)

    def prepare(model: ChatModel, adapted: bool) -> PreparedModel:
        def ask(number: int) -> RoleAnswer:
            one, writer = explained[number], (AdapterWriter if adapted else ModelWriter)(model)
            text = writer.write(one.item, one.facts, one.intent, context.vocabulary)
            return RoleAnswer(0.0) if writer.dropped else RoleAnswer(1.0, text)

        return PreparedModel(ask)

    return RoleCases(
        role="writer",
        measure="the sentence is about the item and holds nothing but its facts",
        line="templates",
        count=len(explained),
        fingerprint=_fingerprint("writer", explained),
        by_rules=by_rules,
        prepare=prepare,
        shape=lambda number, text: explained[number].shape(text),
    )


def judge_cases(context: DomainContext, count: int, seed: int) -> RoleCases:
    """Make explanations in pairs with the explanation of something else."""
    explained = draw_explained(context, count, seed)
    vocabulary, template = context.vocabulary, TemplateWriter()
    texts = [template.write(one.item, one.facts, one.intent, vocabulary) for one in explained]
    others = [_another(texts, number) for number in range(len(texts))]

    def by_rules(number: int) -> RoleAnswer:
        one = explained[number]
        own, other = (
            is_grounded(text, evidence_of(one.facts), one.intent, vocabulary)
            for text in (texts[number], others[number])
        )
        return RoleAnswer(0.5 if own == other else float(own))

    def prepare(model: ChatModel, adapted: bool) -> PreparedModel:
        def score(number: int, text: str) -> float:
            one = explained[number]
            facts = " ".join(f"{one.item} {fact.text}." for fact in one.facts)
            sample = Sample(
                id=str(number),
                request=one.question,
                recommended=one.item,
                explanation=text,
                facts=facts,
            )
            verdict = judge_sample(model, sample, _SCALES)
            if verdict.failed:
                raise ModelError(verdict.failed)
            return verdict.scores[_SCALES[0].name]

        def ask(number: int) -> RoleAnswer:
            own, other = score(number, texts[number]), score(number, others[number])
            return RoleAnswer(0.5 if own == other else float(own > other))

        return PreparedModel(ask)

    return RoleCases(
        role="judge",
        measure="the own explanation is rated above that of something else; a tie counts half",
        line="checks of the graph",
        count=len(explained),
        fingerprint=_fingerprint("judge", explained),
        by_rules=by_rules,
        prepare=prepare,
    )


def _another(texts: list[str], number: int) -> str:
    """Return the next explanation that says something else."""
    turned = [*texts[number + 1 :], *texts[:number]]
    return next((text for text in turned if text != texts[number]), "")


def draw_explained(context: DomainContext, count: int, seed: int) -> list[ExplainedItem]:
    """Draw an item that answers each question, until enough have facts."""
    catalogue, found = context.catalogue, list[ExplainedItem]()
    generator = np.random.default_rng(seed)
    lexicon = lexicon_of(catalogue)
    for _, question in compose_questions([lexicon], "validation", count * _DRAWS, seed):
        intent = intent_of(question.demands, catalogue)
        pool = build_candidates(intent, catalogue, question.task)
        fitting = np.flatnonzero(pool.satisfying)
        if not len(fitting):
            continue
        item = int(generator.choice(fitting))
        example = catalogue.item_index(intent.target) if intent.target else None
        query = SearchQuery(question.text, intent, catalogue, QUICK, {})  # facts need no vectors
        links = catalogue.details([item, *([] if example is None else [example])])
        facts = question_facts(query, pool, item, links)
        if any(fact.is_direct for fact in facts):
            found.append(ExplainedItem(question.text, intent, catalogue.names[item], tuple(facts)))
        if len(found) == count:
            break
    return found


def _fingerprint(role: str, explained: list[ExplainedItem]) -> str:
    return fingerprint_of(
        role, [(one.question, one.item, [fact.text for fact in one.facts]) for one in explained]
    )

"""Answer questions, or parts of them, that items cannot answer."""

from __future__ import annotations

import msgspec

from localrec.data.answers import Answer, ReflectionRecord, UnusedPhrase
from localrec.data.domains import Domain
from localrec.data.query import Query, RoutedTask, TaskKind
from localrec.data.questions import Question
from localrec.foundation.run_trace import RunTrace
from localrec.index.embedder_names import fits
from localrec.understanding.absent_things import with_absent_things
from localrec.understanding.query_parser import LONGEST_QUESTION, query_view
from localrec.understanding.topics import (
    TopicPrototypes,
    is_small_talk,
    off_topic_threshold,
    topic_of,
    topic_prototypes,
    topic_score,
    topic_weights,
)
from localrec.understanding.vocabulary import Vocabulary
from localrec.workspace.domain_context import DomainContext

_NEAREST = 2
_UNREAD = 0.2  # threshold below which little was read


def with_topic(context: DomainContext, question: Question, query: Query) -> Query:
    """Return the query with its topic, or with what it wishes for and nobody here has."""
    told = _tell_topic(context, question, query)
    return with_absent_things(question.query, told, context.domain)


def _tell_topic(context: DomainContext, question: Question, query: Query) -> Query:
    domain, text = context.domain, question.query
    if question.image is not None or question.have is not None or query.is_declined:
        return query
    if not text.strip():
        return query
    if is_small_talk(text, query, domain):
        return msgspec.structs.replace(query, topic="small talk")
    threshold = off_topic_threshold(text, query, domain)
    if threshold is None:
        return query
    embedder = context.models.embedder
    search = context.search_query(text, query)
    if search.embedder is not embedder:
        return query  # vectors by spelling, until the real ones are made, know no topics
    weights = topic_weights()
    if fits(weights.embedder, embedder.name):
        is_other = topic_score(search.vector, text, weights) > threshold
    else:
        prototypes: TopicPrototypes = context.once(
            "topic prototypes", lambda: topic_prototypes(domain, embedder.embed)
        )
        is_other = threshold < _UNREAD and topic_of(search.vector, prototypes) == "other"
    return msgspec.structs.replace(query, topic="other") if is_other else query


def declined_answer(
    context: DomainContext, question: Question, query: Query, trace: RunTrace
) -> Answer:
    """Answer a question that asks for no items: a sentence, two examples, no items."""
    return Answer(
        id=question.id,
        query=question.query[:LONGEST_QUESTION],
        task=RoutedTask(kind=TaskKind.C3, confidence=0.0, reason="asks for nothing that is here"),
        intent=query_view(query, context.vocabulary),
        items=(),
        near_misses=(),
        relaxed=(),
        message=declined_message(query, context.domain),
        reflection=ReflectionRecord(rounds=0, scores=(), chosen=0),
        answered_by=trace.answered_by,
        timings_ms=trace.rounded_ms(),
        tokens=trace.tokens,
        topic="" if query.topic == "wish" else query.topic,
        language=query.language,
    )


def declined_message(query: Query, domain: Domain) -> str:
    """Say why there are no items, and how one can ask."""
    if query.language:
        from localrec.understanding.foreign_questions import language_name

        why = f"This looks like {language_name(query.language)}; I read English only."
    elif query.topic == "small talk":
        why = f"Nice to hear from you. I find {domain.plural}."
    else:
        why = f"I find {domain.plural}, and this seems to be about something else."
    examples = " or ".join(f"“{one}”" for one in domain.examples[:2])
    return f"{why} Ask for example: {examples}." if examples else why


def unused_of(
    query: Query, vocabulary: Vocabulary, *, user: str | None
) -> tuple[UnusedPhrase, ...]:
    """List the phrases of a question without effect, each with the nearest known names."""
    told = [
        UnusedPhrase(words=words, nearest=vocabulary.nearest.names_like(words, _NEAREST))
        for words in query.unused
    ]
    if user is None and (query.met is not None or query.on_list is not None):
        told.append(UnusedPhrase(words="what you had or put on your list"))
    return tuple(told)

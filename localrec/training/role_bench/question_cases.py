"""Cases of the roles that read questions or judge lists of items: router, slots, reflector.

Questions are composed from the graph in the wordings of the validation half, which no adapter
learns from; so their tasks and demands are true by construction.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from localrec.data.arrays import Indexes
from localrec.data.query import Query, TaskKind
from localrec.llm.chat_model import ChatModel
from localrec.ranking.critics import share_of_constraints_met
from localrec.ranking.pair_critic import QuestionFacts, probability_of_first
from localrec.retrieval.candidates import CandidateSet, build_candidates
from localrec.training.examples.lexicon import lexicon_of
from localrec.training.examples.question_composer import ComposedQuestion, compose_questions
from localrec.training.examples.reflector import intent_of
from localrec.training.role_bench.records import PreparedModel, RoleAnswer, RoleCases
from localrec.understanding.query_parser import parse_query
from localrec.understanding.router import AdapterRouter, ModelRouter, route_by_rules
from localrec.understanding.slot_filling import SlotReader
from localrec.workspace.domain_context import DomainContext

LISTED = 3  # items of a list that is judged
_APART = 0.3  # least difference between the measured shares of a pair
_DRAWS = 40  # questions that may be drawn for each pair


def router_cases(context: DomainContext, count: int, seed: int) -> RoleCases:
    """Make questions whose task is known."""
    return routed_cases(context, [(one.text, one.task) for one in _questions(context, count, seed)])


def routed_cases(
    context: DomainContext, questions: Sequence[tuple[str, TaskKind]], *, gold: bool = False
) -> RoleCases:
    """Turn questions with their tasks into cases of the router; `gold` ones people wrote."""
    vocabulary = context.vocabulary

    def score(number: int, kind: TaskKind) -> RoleAnswer:
        return RoleAnswer(float(kind == questions[number][1]))

    def by_rules(number: int) -> RoleAnswer:
        query = read_by_rules(context, questions[number][0])
        return score(number, route_by_rules(query, context.domain).kind)

    def prepare(model: ChatModel, adapted: bool) -> PreparedModel:
        router = AdapterRouter(model, vocabulary) if adapted else ModelRouter(model, context.domain)
        return PreparedModel(lambda number: score(number, router.route(questions[number][0]).kind))

    return RoleCases(
        role="router",
        measure="the task of a question is recognised",
        line="rules",
        count=len(questions),
        fingerprint=fingerprint_of("router", questions),
        by_rules=by_rules,
        prepare=prepare,
        gold=gold,
    )


def slot_cases(context: DomainContext, count: int, seed: int) -> RoleCases:
    """Make questions whose demands are known: a reading is right where the same items meet it."""
    questions = _questions(context, count, seed)

    def is_right(number: int, query: Query) -> bool:
        question = questions[number]
        wanted = intent_of(question.demands, context.catalogue)
        return query.target == wanted.target and np.array_equal(
            _allowed(context, query, question.task), _allowed(context, wanted, question.task)
        )

    return read_cases(context, [one.text for one in questions], is_right)


def read_cases(
    context: DomainContext,
    texts: Sequence[str],
    is_right: Callable[[int, Query], bool],
    *,
    gold: bool = False,
) -> RoleCases:
    """Turn questions into cases of the slots; `is_right` is told a case and how it was read."""

    def score(number: int, query: Query) -> RoleAnswer:
        return RoleAnswer(float(is_right(number, query)))

    def prepare(model: ChatModel, adapted: bool) -> PreparedModel:
        reader = SlotReader(model, context.vocabulary)
        return PreparedModel(lambda number: score(number, reader.read(texts[number])))

    return RoleCases(
        role="slots",
        measure="a question is read as exactly what it demands",
        line="rules and tagger",
        count=len(texts),
        fingerprint=fingerprint_of("slots", texts),
        by_rules=lambda number: score(number, read_by_rules(context, texts[number])),
        prepare=prepare,
        gold=gold,
    )


class ListPair(msgspec.Struct, frozen=True):
    """A question with two lists, the first of which meets more of it."""

    text: str
    task: TaskKind
    better: Indexes
    worse: Indexes


def reflector_cases(context: DomainContext, count: int, seed: int) -> RoleCases:
    """Make pairs of lists, one of which measurably meets more of a question."""
    return paired_cases(context, _pairs(context, count, seed))


def paired_cases(
    context: DomainContext, pairs: Sequence[ListPair], *, gold: bool = False
) -> RoleCases:
    """Turn pairs of lists into cases of the reflector."""
    catalogue = context.catalogue

    def by_rules(number: int) -> RoleAnswer:
        pair = pairs[number]
        pool = build_candidates(read_by_rules(context, pair.text), catalogue, pair.task)
        return _preferred(_met(pool, pair.better), _met(pool, pair.worse))

    def prepare(model: ChatModel, adapted: bool) -> PreparedModel:
        def ask(number: int) -> RoleAnswer:
            pair = pairs[number]
            first, _ = probability_of_first(
                model, pair.text, context.vocabulary, catalogue, (pair.better, pair.worse)
            )
            return _preferred(first, 1 - first)

        return PreparedModel(ask, (_counted_note(context, pairs),))

    return RoleCases(
        role="reflector",
        measure="the list that meets more of the question is preferred; a tie counts half",
        line="rules, counted",
        count=len(pairs),
        fingerprint=fingerprint_of(
            "reflector", [(one.text, one.better.tolist(), one.worse.tolist()) for one in pairs]
        ),
        by_rules=by_rules,
        prepare=prepare,
        gold=gold,
    )


def fingerprint_of(role: str, cases: Sequence[object]) -> str:
    """Hash the cases of a role."""
    return hashlib.blake2b(msgspec.json.encode([role, cases]), digest_size=8).hexdigest()


def _questions(context: DomainContext, count: int, seed: int) -> list[ComposedQuestion]:
    lexicon = lexicon_of(context.catalogue)
    return [one for _, one in compose_questions([lexicon], "validation", count, seed)]


def read_by_rules(context: DomainContext, text: str) -> Query:
    """Read a question as `ask` does where no model reads it."""
    return parse_query(text, context.vocabulary, context.role_tagger())


def _allowed(context: DomainContext, query: Query, task: TaskKind) -> np.ndarray:
    return build_candidates(query, context.catalogue, task).satisfying


def _pairs(context: DomainContext, count: int, seed: int) -> list[ListPair]:
    """Draw two lists for each question until enough pairs are measurably apart."""
    random_ = random.Random(f"{seed} pairs")
    catalogue, pairs = context.catalogue, list[ListPair]()
    lexicon = lexicon_of(catalogue)
    drawn = compose_questions([lexicon], "validation", count * _DRAWS, seed)
    for _, question in drawn:
        pool = build_candidates(intent_of(question.demands, catalogue), catalogue, question.task)
        fitting, others = np.flatnonzero(pool.items), np.flatnonzero(~pool.items)
        if not pool.demands or len(fitting) < LISTED or len(others) < LISTED:
            continue
        better = sampled(random_, fitting.tolist())
        worse = sampled(random_, others.tolist())
        if _met(pool, better) - _met(pool, worse) >= _APART:
            pairs.append(ListPair(question.text, question.task, better, worse))
        if len(pairs) == count:
            break
    return pairs


def sampled(random_: random.Random, items: Sequence[int]) -> Indexes:
    """Draw a list of items to be judged."""
    return np.array(random_.sample(items, LISTED), dtype=np.int32)


def _counted_note(context: DomainContext, pairs: Sequence[ListPair]) -> str:
    """Tell how far the facts in the prompt lead without the question."""
    facts = [QuestionFacts(one.text, context.vocabulary, context.catalogue) for one in pairs]
    right = [
        _preferred(told.balance(one.better, one.worse), 0).score
        for told, one in zip(facts, pairs, strict=True)
    ]
    return f"Counting names, wanted or refused, is right in {np.mean(right):.3f} of the pairs."


def _met(pool: CandidateSet, items: Indexes) -> float:
    return share_of_constraints_met(pool, items)


def _preferred(better: float, worse: float) -> RoleAnswer:
    return RoleAnswer(0.5 if better == worse else float(better > worse))

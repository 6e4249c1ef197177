"""Build the items of an answer, each with its evidence and its sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from localrec.data.evidence import Fact, evidence_of, fact_sentences
from localrec.data.recommendations import RecommendedItem
from localrec.explanation.graph_facts import example_index, question_facts
from localrec.explanation.reason_builder import ReasonBuilder
from localrec.explanation.writer import TemplateWriter, Writer
from localrec.graph.catalogue import LinkDetail
from localrec.retrieval.candidates import CandidateSet
from localrec.retrieval.expansion import missing_components
from localrec.retrieval.search_query import RankedItems, SearchQuery
from localrec.understanding.vocabulary import Vocabulary

OnItems = Callable[[tuple[RecommendedItem, ...]], None]  # called with the items known so far


def ignore_items(items: tuple[RecommendedItem, ...]) -> None:
    """Do nothing with the items known so far: the caller waits for the whole answer."""


class ItemExplainer:
    """Explain the items of one answer; the edges of all of them are read in one query.

    Args:
        query: The question.
        pool: The candidates, with the constraints that they hold.
        vocabulary: The names that a written sentence is checked against.
        chosen: All lists of items that will be explained.
    """

    def __init__(
        self,
        query: SearchQuery,
        pool: CandidateSet,
        vocabulary: Vocabulary,
        chosen: Sequence[RankedItems],
    ) -> None:
        self._query, self._pool, self._vocabulary = query, pool, vocabulary
        wanted = [int(item) for found in chosen for item in found.items]
        example = example_index(query)
        self._links: Mapping[int, Sequence[LinkDetail]] = query.catalogue.details(
            [*wanted, *([] if example is None else [example])]
        )

    def explain(
        self,
        found: RankedItems,
        writer: Writer | None = None,
        on_items: OnItems = ignore_items,
        reason_builder: ReasonBuilder | None = None,
    ) -> tuple[RecommendedItem, ...]:
        """Return the items with their evidence and reasons.

        Args:
            found: The items, best first.
            writer: Writes the reasons; by default the template.
            on_items: Called with all items before the reasons are written, then with each again.
            reason_builder: Adds what speaks for an item in the user's own history.
        """
        writer = writer or TemplateWriter()
        query = self._query
        drafts, known = [], []
        for rank, (place, score) in enumerate(zip(found.items, found.scores, strict=True), 1):
            item = int(place)
            facts = question_facts(query, self._pool, item, self._links)
            known.append(facts)
            drafts.append(
                RecommendedItem(
                    rank=rank,
                    key=query.catalogue.keys[item],
                    name=query.catalogue.names[item],
                    score=round(float(score), 4),
                    satisfies=bool(self._pool.satisfying[item]),
                    evidence=evidence_of(facts),
                    reason="",
                    missing=missing_components(query, item) if query.intent.have else (),
                )
            )
        on_items(tuple(drafts))
        explained = []
        for draft, facts in zip(drafts, known, strict=True):
            reason = writer.write(draft.name, facts, query.intent, self._vocabulary)
            explained.append(msgspec.structs.replace(draft, reason=reason))
            on_items((explained[-1],))
        if reason_builder is None:
            return tuple(explained)
        return tuple(
            _add_history(item, reason_builder.from_history(int(place)))
            for item, place in zip(explained, found.items, strict=True)
        )


def _add_history(item: RecommendedItem, facts: Sequence[Fact]) -> RecommendedItem:
    if not facts:
        return item
    return msgspec.structs.replace(
        item,
        evidence=tuple(dict.fromkeys((*item.evidence, *evidence_of(facts)))),
        reason=f"{item.reason} {fact_sentences(facts)}".strip(),
    )

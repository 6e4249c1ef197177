"""Vector-only RAG for questions: the nearest texts are put to a local model, which picks.

What MARC is compared with. There is no graph in it, no constraint is held and nothing reflects: a
question is embedded as it stands, the items with the nearest descriptions become numbered
passages, and the model writes the numbers of those that fit, under a grammar that lets it write
nothing else. Where it names a passage twice, or fails, the nearest texts stand as they are, and
the answer says so. An item's own text is all the evidence that there is.

Without a model nothing is left but the vectors: that is `marc-no-graph-no-reflection`.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from localrec.data.answers import Answer, ReflectionRecord
from localrec.data.domains import Domain
from localrec.data.evidence import Evidence
from localrec.data.query import Intent, RoutedTask, TaskKind
from localrec.data.questions import Question
from localrec.data.recommendations import RecommendedItem
from localrec.foundation.errors import UsageError
from localrec.foundation.run_trace import RunTrace
from localrec.foundation.text import clean_text
from localrec.llm.chat_model import Message
from localrec.llm.structured_output import numbers_grammar, parse_numbers
from localrec.retrieval.search_query import SearchQuery
from localrec.systems.configs import RagConfig
from localrec.systems.question_context import QuestionContext
from localrec.understanding.query_parser import LONGEST_QUESTION, query_view

_LONGEST_ASKED = 400  # characters of the question, and of a passage, that the model reads
_LONGEST_PASSAGE = 240


class RetrievedPassage(msgspec.Struct, frozen=True):
    """An item with its own text, and how near that is to the question."""

    item: int
    name: str
    text: str
    score: float


class VectorRag:
    """Answers questions about one domain from the texts of its items alone."""

    def __init__(self, stages: QuestionContext, config: RagConfig) -> None:
        self._stages = stages
        self._config = config

    def answer(self, question: Question, k: int) -> Answer:
        """Answer one question with at most k items; never raises for what a question says.

        Raises:
            UsageError: the question has a picture: there is nothing here but texts.
        """
        if question.image is not None:
            raise UsageError(
                "vector-rag answers by texts alone and takes no picture.",
                "Ask another system, such as marc.",
            )
        work = RunTrace()
        text = clean_text(question.query, LONGEST_QUESTION)
        query = self._stages.query(text, Intent())
        with work.timed("embedding"):
            _ = query.vector
        with work.timed("retrieval"):
            near = self._nearest(query, max(k, self._config.passages))
        with work.timed("selection"):
            chosen = self._select(text, near[: self._config.passages], k, work)
        rest = [passage for passage in near if passage not in chosen]
        return Answer(
            id=question.id,
            query=text,
            task=RoutedTask(kind=TaskKind.C3, confidence=0.0, reason="questions are not routed"),
            intent=query_view(query.intent, self._stages.vocabulary),
            items=_told([*chosen, *rest][:k], query, self._field),
            near=(),
            relaxed=(),
            message="These are the nearest texts; nothing was held against the catalogue.",
            reflection=ReflectionRecord(rounds=0, scores=(), chosen=0),
            spoke=work.spoke,
            timings_ms={name: round(ms, 3) for name, ms in work.timings_ms.items()},
            tokens=work.tokens,
        )

    @property
    def _field(self) -> str:
        """The text that describes an item, else its name."""
        return "description" if "description" in self._stages.fields else "name"

    def _nearest(self, query: SearchQuery, count: int) -> list[RetrievedPassage]:
        catalogue, field = query.catalogue, self._field
        items = query.nearest(count, field)
        texts = catalogue.texts(items.tolist(), catalogue.domain.texts[field])
        scores = query.similarity(items, field)
        return [
            RetrievedPassage(item, catalogue.names[item], text, score)
            for item, text, score in zip(items.tolist(), texts, scores.tolist(), strict=True)
        ]

    def _select(
        self, question: str, passages: Sequence[RetrievedPassage], k: int, work: RunTrace
    ) -> list[RetrievedPassage]:
        """What the model picks, best first; nothing where it fails."""
        wanted = min(k, len(passages))
        if not wanted:
            return []

        def by_model() -> tuple[int, ...]:
            model = self._stages.open_model("selector")
            messages = _messages(self._stages.catalogue.domain, question, passages, wanted)
            generation = model.generate(
                messages,
                grammar=numbers_grammar(1, len(passages), wanted, wanted),
                max_tokens=4 * wanted + 4,
                fixed=len(messages) - 1,
            )
            work.tokens["selection"] = generation.usage.prompt + generation.usage.generated
            return parse_numbers(generation.text, 1, len(passages), wanted, wanted)

        numbers = work.played_by_model("selection", by_model)
        if numbers is None:
            work.spoke["selection"] = "vectors"
        return [passages[number - 1] for number in numbers or ()]


def _told(
    passages: Sequence[RetrievedPassage], query: SearchQuery, field: str
) -> tuple[RecommendedItem, ...]:
    return tuple(
        RecommendedItem(
            rank=rank,
            key=query.catalogue.keys[one.item],
            name=one.name,
            score=round(one.score, 4),
            satisfies=True,  # of the demands that were understood, for there are none
            evidence=(Evidence(source=one.name, relation=field, target=one.text),) * bool(one.text),
            reason=one.text,
        )
        for rank, one in enumerate(passages, 1)
    )


# Without an example: SmolLM2 135M copies the numbers of one, and without it mostly counts from one,
# which is at least the order of the vectors.
def _messages(
    domain: Domain, question: str, passages: Sequence[RetrievedPassage], wanted: int
) -> list[Message]:
    system = (
        f"You choose {domain.plural} for a question. Read the numbered {domain.plural} and answer "
        f"with the numbers of the {wanted} that fit the question best, the best one first."
    )
    listed = "\n".join(
        f"{number}. {one.name}: {one.text[:_LONGEST_PASSAGE]}"
        for number, one in enumerate(passages, 1)
    )
    asked = f"Question: {question[:_LONGEST_ASKED]}\nNumbers of the {wanted} that fit best:"
    return [Message("system", system), Message("user", f"{listed}\n\n{asked}")]

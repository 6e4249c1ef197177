"""A critic that was trained on pairs: which of two lists meets more of a question?

A model that gives one list points has no scale to give them by. Of two lists it needs to say one
letter. Like the router's adapter, it is told what the catalogue knows of the question's names:
which list has more items of each name. What the question wants with a name, or refuses, the model
has to read.

Scores in the answer's record are those of the measured critic; the model chooses between sets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from localrec.data.arrays import Indexes, Mask
from localrec.data.chat_message import Message
from localrec.data.query import Constraint, Query
from localrec.graph.catalogue import Catalogue
from localrec.ranking.critics import Assessment, MeasuredCritic, ScoredList
from localrec.retrieval.candidates import CandidateSet, allowed_items, mask_of
from localrec.retrieval.search_query import SearchQuery
from localrec.understanding.meanings import Meaning
from localrec.understanding.mentions import find_mentions
from localrec.understanding.vocabulary import Vocabulary

if TYPE_CHECKING:
    from localrec.llm.chat_model import ChatModel

LISTS = ("A", "B")  # labels of the two lists
_LONGEST = 400  # letters of a question that a model reads


class PairCritic:
    """Choose between two lists by a model that was trained on pairs.

    Args:
        model: A model with an adapter for the role.
        vocabulary: The names of the domain.
    """

    answered_by = "model"

    def __init__(self, model: ChatModel, vocabulary: Vocabulary) -> None:
        self._model, self._vocabulary = model, vocabulary
        self._measured = MeasuredCritic()
        self.tokens = 0

    def assess(self, query: SearchQuery, pool: CandidateSet, items: Indexes, k: int) -> Assessment:
        """Measure one list, for the record and for the end of the rounds."""
        return self._measured.assess(query, pool, items, k)

    def prefers(self, query: SearchQuery, challenger: ScoredList, champion: ScoredList) -> bool:
        """Ask whether the challenger meets more of the question, unless it is the same set.

        Raises:
            ModelError: the model failed.
        """
        if set(challenger.found.items.tolist()) == set(champion.found.items.tolist()):
            return False
        probability, tokens = probability_of_first(
            self._model, query.text, self._vocabulary, query.catalogue,
            (challenger.found.items, champion.found.items),
        )  # fmt: skip
        self.tokens += tokens
        return probability > 0.5


def probability_of_first(
    model: ChatModel,
    question: str,
    vocabulary: Vocabulary,
    catalogue: Catalogue,
    lists: tuple[Indexes, Indexes],
) -> tuple[float, int]:
    """Ask which of two lists meets more of a question, in both orders, and average.

    Args:
        model: The model that is asked.
        question: As typed.
        vocabulary: The names of the domain.
        catalogue: The catalogue of the items.
        lists: The two lists.

    Returns:
        The probability of the first list, 0.5 where nothing tells them apart, and the tokens read.

    Raises:
        ModelError: the model failed.
    """
    first, second = lists
    told = QuestionFacts(question, vocabulary, catalogue)
    forward = model.choose(told.prompt(first, second), LISTS, fixed=1)
    backward = model.choose(told.prompt(second, first), LISTS, fixed=1)
    probability = (forward.probabilities[0] + backward.probabilities[1]) / 2
    return probability, forward.usage.prompt + backward.usage.prompt


class QuestionFacts:
    """The names in a question, and the items of a catalogue that have each.

    Args:
        question: As typed.
        vocabulary: The names of the domain; typos are mended by it.
        catalogue: The catalogue of the items.
    """

    def __init__(self, question: str, vocabulary: Vocabulary, catalogue: Catalogue) -> None:
        self._question, self._domain = question[:_LONGEST], catalogue.domain
        reading = vocabulary.read(self._question)
        self._masks: dict[str, Mask] = {}
        for mention in find_mentions(reading, vocabulary):
            mask = _items_of(mention.meaning, catalogue) if mention.meaning else None
            if mask is not None:
                words = " ".join(reading.words[mention.first : mention.last])
                self._masks.setdefault(words, mask)

    def prompt(self, first: Indexes, second: Indexes) -> tuple[Message, ...]:
        """Write the prompt about two lists; adapters are trained on the same prompt."""
        system = f"A or B: which list of {self._domain.plural} meets more of the question?"
        return (
            Message("system", system),
            Message("user", "\n".join([self._question, *self.compared(first, second)])),
        )

    def compared(self, first: Indexes, second: Indexes) -> list[str]:
        """Tell for each name which list has more items with it, and how many more."""
        more = self._surplus(first, second).items()
        return [f"{words}: {LISTS[by < 0]} +{abs(by)}" for words, by in more if by]

    def balance(self, first: Indexes, second: Indexes) -> int:
        """Count how many more names the first list has, whether they are wanted or refused."""
        return sum(self._surplus(first, second).values())

    def _surplus(self, first: Indexes, second: Indexes) -> dict[str, int]:
        return {
            words: int(mask[first].sum()) - int(mask[second].sum())
            for words, mask in self._masks.items()
        }


def _items_of(meaning: Meaning, catalogue: Catalogue) -> Mask | None:
    """Mark the items that a name is true of; None where the graph does not tell."""
    domain = catalogue.domain
    if meaning.kind in domain.attributes:
        return mask_of(Constraint(kind=meaning.kind, any_of=(meaning.key,)), catalogue)
    if meaning.role == "flag":
        return allowed_items(Query(flags={meaning.kind: meaning.key}), catalogue)
    if meaning.role == "diet":
        component = domain.kind_of("component") or ""
        barred = Constraint(kind=component, any_of=domain.diets[meaning.key], excluded=True)
        return allowed_items(Query(constraints=(barred,)), catalogue)
    return None

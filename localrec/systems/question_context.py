"""What a system works with: one domain's catalogue, its vectors, a model if there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec
import numpy as np

from localrec.data.arrays import Scores
from localrec.data.query import Query
from localrec.graph.catalogue import Catalogue
from localrec.index.embedded_fields import EmbeddedField
from localrec.index.image_index import ImageIndex
from localrec.index.protocols import Embedder
from localrec.llm.chat_model import ChatModel, VisionModel
from localrec.retrieval.search_query import SearchQuery
from localrec.retrieval.user_profile import UserProfile
from localrec.systems.auto import EvidenceRecommender, ScoredItems
from localrec.understanding.image_wishes import appearance_text
from localrec.understanding.vocabulary import Vocabulary


@dataclass(frozen=True)
class QuestionContext:
    """The opened parts of a workspace for one domain.

    Args:
        catalogue: Items and attributes as arrays.
        vocabulary: Their names, for reading questions.
        embedder: Embeds questions with the model that embedded the texts.
        fields: Field name -> its vectors.
        open_model: Role -> the model that plays it; raises ModelError where there is none.
        fit_of: A person's key -> how well all items fit them, those they have met too.
        shelf_of: A person's key -> keys of the components on their stored shelf.
        open_vision: The model that looks at pictures; raises ModelError where there is none.
        open_pictures: The items' own pictures; None where there are none, or nothing compares them.
    """

    catalogue: Catalogue
    vocabulary: Vocabulary
    embedder: Embedder
    fields: Mapping[str, EmbeddedField]
    open_model: Callable[[str], ChatModel]
    fit_of: Callable[[str], ScoredItems]
    shelf_of: Callable[[str], tuple[str, ...]]
    open_vision: Callable[[], VisionModel]
    open_pictures: Callable[[], ImageIndex | None] = lambda: None

    def query(self, text: str, intent: Query) -> SearchQuery:
        """A question ready for retrieval."""
        seen, singular = intent.seen, self.catalogue.domain.singular
        look = "" if seen is None else appearance_text(seen, singular)
        return SearchQuery(text, intent, self.catalogue, self.embedder, self.fields, look)


def score_for_question(
    ranker: EvidenceRecommender, user: str, user_profile: UserProfile
) -> ScoredItems:
    """How well all items fit a person who asks a question.

    Other than a list, an answer may bring back what the person has met, of which the shared memory
    only knows that it is no news; there the person's own verdict decides.

    Args:
        ranker: With or without a shared memory.
        user: The person's key.
        taste: Their history.
    """
    fit = ranker.fit(user, user_profile)
    if fit.memory is None:
        return fit
    return msgspec.structs.replace(fit, scores=_with_verdicts(fit.scores, user_profile))


def _with_verdicts(scores: Scores, user_profile: UserProfile) -> Scores:
    """Scores in which each item of a history stands among the others as high as it is liked, (n,).

    The best loved stands with the best of them, what cannot be stood with the worst.
    """
    unmet = np.delete(scores, user_profile.items)
    if not len(unmet):
        return scores
    judged = scores.copy()
    judged[user_profile.items] = np.quantile(unmet, (1.0 + user_profile.strengths) / 2)
    return judged

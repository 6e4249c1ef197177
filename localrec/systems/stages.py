"""What a system works with: one domain's catalogue, its vectors, a model if there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec
import numpy as np

from localrec.errors import ModelError
from localrec.graph.catalogue import Catalogue
from localrec.index.base import Embedder
from localrec.index.build import EmbeddedField
from localrec.index.pictures import PictureIndex
from localrec.llm.base import ChatModel, VisionModel
from localrec.retrieval.base import Query, Scores
from localrec.retrieval.taste import Taste
from localrec.systems.personal import Fit, Personal
from localrec.types import Intent
from localrec.understanding.pictured import look_of
from localrec.understanding.vocabulary import Vocabulary


def no_vision() -> VisionModel:
    """Stands where no model was bound to look at pictures.

    Raises:
        ModelError: always.
    """
    raise ModelError(
        "No model looks at pictures here.", "Name one: localrec models use vision MODEL.gguf"
    )


@dataclass(frozen=True)
class Stages:
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
    fit_of: Callable[[str], Fit]
    shelf_of: Callable[[str], tuple[str, ...]]
    open_vision: Callable[[], VisionModel] = no_vision
    open_pictures: Callable[[], PictureIndex | None] = lambda: None

    def query(self, text: str, intent: Intent) -> Query:
        """A question ready for retrieval."""
        seen, singular = intent.seen, self.catalogue.domain.singular
        look = "" if seen is None else look_of(seen, singular)
        return Query(text, intent, self.catalogue, self.embedder, self.fields, look)


def fit_to_question(ranker: Personal, user: str, taste: Taste) -> Fit:
    """How well all items fit a person who asks a question.

    Other than a list, an answer may bring back what the person has met, of which the shared memory
    only knows that it is no news; there the person's own verdict decides.

    Args:
        ranker: With or without a shared memory.
        user: The person's key.
        taste: Their history.
    """
    fit = ranker.fit(user, taste)
    if fit.memory is None:
        return fit
    return msgspec.structs.replace(fit, scores=_with_verdicts(fit.scores, taste))


def _with_verdicts(scores: Scores, taste: Taste) -> Scores:
    """Scores in which each item of a history stands among the others as high as it is liked, (n,).

    The best loved stands with the best of them, what cannot be stood with the worst.
    """
    unmet = np.delete(scores, taste.items)
    if not len(unmet):
        return scores
    judged = scores.copy()
    judged[taste.items] = np.quantile(unmet, (1.0 + taste.strengths) / 2)
    return judged

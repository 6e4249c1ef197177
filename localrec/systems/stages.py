"""What a system works with: one domain's catalogue, its vectors, a model if there is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from localrec.graph.catalogue import Catalogue
from localrec.index.base import Embedder
from localrec.index.build import EmbeddedField
from localrec.llm.base import ChatModel
from localrec.retrieval.base import Query
from localrec.systems.personal import Fit
from localrec.types import Intent
from localrec.understanding.vocabulary import Vocabulary


@dataclass(frozen=True)
class Stages:
    """The opened parts of a workspace for one domain.

    Args:
        catalogue: Items and attributes as arrays.
        vocabulary: Their names, for reading questions.
        embedder: Embeds questions with the model that embedded the texts.
        fields: Field name -> its vectors.
        open_model: Role -> the model that plays it; raises ModelError where there is none.
        fit_of: A person's key -> how well all items fit them.
        shelf_of: A person's key -> keys of the components on their stored shelf.
    """

    catalogue: Catalogue
    vocabulary: Vocabulary
    embedder: Embedder
    fields: Mapping[str, EmbeddedField]
    open_model: Callable[[str], ChatModel]
    fit_of: Callable[[str], Fit]
    shelf_of: Callable[[str], tuple[str, ...]]

    def query(self, text: str, intent: Intent) -> Query:
        """A question ready for retrieval."""
        return Query(text, intent, self.catalogue, self.embedder, self.fields)

"""Read a whole question: its words, the shelf it names or the user keeps, and its image.

The words are read by rules, with a small network where they say more than names, or by a model with
an adapter for it; where that model fails, the rules read them. The trace says who read, and why.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from localrec.data.query import Query
from localrec.data.questions import Question
from localrec.foundation.errors import ModelError
from localrec.foundation.run_trace import RunTrace
from localrec.graph.catalogue import Catalogue
from localrec.understanding.example_values import with_values_of_example
from localrec.understanding.foreign_questions import foreign_language
from localrec.understanding.query_parser import add_shelf, parse_query
from localrec.understanding.shelf_reader import asks_for_shelf
from localrec.understanding.slot_filling import SlotReader
from localrec.understanding.text_wishes import find_in_texts
from localrec.understanding.vocabulary import Vocabulary

if TYPE_CHECKING:
    from localrec.index.image_index import ImageIndex
    from localrec.llm.chat_model import ChatModel, VisionModel
    from localrec.understanding.question_roles import RoleTagger


class QuestionReader:
    """Turn questions about one domain into queries.

    Args:
        catalogue: The items and attributes of the domain.
        vocabulary: Their names.
        shelf_of: Returns the keys on a user's stored shelf.
        open_slot_model: Opens the model that reads the words; None: rules read them.
        open_vision: Opens the model that describes an image; None: the image is only measured.
        open_pictures: Opens the items' own images to compare with; returns None without any.
        open_tagger: Opens the tagger that tells what names are there for, None where its models are
            missing; None: rules alone tell it.

    Example:
        `QuestionReader(catalogue, vocabulary, shelf_of).read(Question(query="gin, no egg"), trace)`
    """

    def __init__(
        self,
        catalogue: Catalogue,
        vocabulary: Vocabulary,
        shelf_of: Callable[[str], tuple[str, ...]],
        *,
        open_slot_model: Callable[[], ChatModel] | None = None,
        open_vision: Callable[[], VisionModel] | None = None,
        open_pictures: Callable[[], ImageIndex | None] = lambda: None,
        open_tagger: Callable[[], RoleTagger | None] | None = None,
    ) -> None:
        self._catalogue = catalogue
        self._vocabulary = vocabulary
        self._shelf_of = shelf_of
        self._open_slot_model = open_slot_model
        self._open_vision = open_vision
        self._open_pictures = open_pictures
        self._open_tagger = open_tagger

    def read(self, question: Question, trace: RunTrace) -> Query:
        """Read a question with its image and its shelf.

        Raises:
            InputError: the image cannot be read.
            UsageError: the question has an image, but the domain does not say how items look.
        """
        language = foreign_language(question.query, self._vocabulary)
        if language and question.image is None:
            return Query(language=language)
        query = self._read_words(question.query, trace)
        query = with_values_of_example(question.query, query, self._catalogue)
        query = find_in_texts(query, self._catalogue)
        if question.have:
            query = add_shelf(query, question.have, self._vocabulary)
        elif question.user and not query.have and asks_for_shelf(question.query):
            query = msgspec.structs.replace(query, have=self._shelf_of(question.user))
        if question.image is None:
            return query
        return self._add_image(question.query, question.image, query, trace)

    def _read_words(self, text: str, trace: RunTrace) -> Query:
        def by_model() -> Query:
            before = self._slot_reader.tokens
            query = self._slot_reader.read(text)
            trace.tokens["understanding"] = self._slot_reader.tokens - before
            return query

        if self._open_slot_model is not None:
            query = trace.played_by_model("understanding", by_model)
            if query is not None:
                return query
        tagger = self._open_tagger() if self._open_tagger else None
        try:
            return parse_query(text, self._vocabulary, tagger, trace)
        except ModelError:  # its embedder's file is damaged: the rules need none
            return parse_query(text, self._vocabulary)

    @cached_property
    def _slot_reader(self) -> SlotReader:
        assert self._open_slot_model is not None
        return SlotReader(self._open_slot_model(), self._vocabulary)

    def _add_image(self, text: str, image: str, query: Query, trace: RunTrace) -> Query:
        from localrec.understanding.image_query import analyze_image
        from localrec.understanding.image_wishes import add_image, check_images_supported

        domain = self._catalogue.domain
        check_images_supported(domain)
        looked = analyze_image(Path(image), domain, trace, self._open_vision, self._open_pictures)
        return add_image(
            query,
            text,
            looked.sight,
            by=looked.by,
            witness=looked.witness,
            near=[(one.node_id, one.similarity) for one in looked.near],
            vocabulary=self._vocabulary,
            catalogue=self._catalogue,
        )

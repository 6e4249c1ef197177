"""The router's examples: a composed question, and the word for its task."""

from __future__ import annotations

from collections.abc import Sequence

from localrec.data.query import TaskKind
from localrec.training.examples.example import Example, Examples, Half
from localrec.training.examples.lexicon import Lexicon
from localrec.training.examples.question_composer import ComposedQuestion, compose_questions
from localrec.understanding.router import topic_labels, topic_prompt


def router_examples(
    lexicons: Sequence[Lexicon], train: int, validation: int, seed: int
) -> Examples:
    """Make questions for both halves, by turns over all lexicons."""

    def half(name: Half, count: int) -> tuple[Example, ...]:
        composed = compose_questions(lexicons, name, count, seed)
        return tuple(_example(lexicon, question) for lexicon, question in composed)

    return Examples(
        role="router", train=half("train", train), validation=half("validation", validation)
    )


def _example(lexicon: Lexicon, question: ComposedQuestion) -> Example:
    labels = topic_labels(lexicon.domain)
    return Example(
        messages=topic_prompt(question.text, lexicon.vocabulary),
        answer=labels[list(TaskKind).index(question.task)],
        labels=labels,
        split_keys=question.split_keys,
    )

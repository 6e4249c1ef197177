"""Sentences about an item, made of its facts: by template, or by a local model that is checked.

The model gets numbered facts and writes one sentence under a grammar. A sentence that claims
anything outside the facts' evidence is dropped, and the template speaks instead; the answer says
who spoke.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from localrec.errors import ModelError
from localrec.explanation.evidence import Fact, evidence_of
from localrec.explanation.grounding import is_grounded
from localrec.llm.base import ChatModel, Message
from localrec.llm.structured import parse_sentence, sentence_grammar
from localrec.types import Intent
from localrec.understanding.vocabulary import Vocabulary

_LONGEST = 220  # characters of a model's sentence
_MOST_FACTS = 5


class Writer(Protocol):
    """Turns facts into a sentence; `spoke` counts who wrote how many."""

    spoke: str
    tokens: int

    def write(
        self, name: str, facts: Sequence[Fact], intent: Intent, vocabulary: Vocabulary
    ) -> str:
        """One or two sentences about the item `name`."""
        ...


class TemplateWriter:
    """Sentences put together from the facts as they stand."""

    spoke = "template"
    tokens = 0

    def write(
        self, name: str, facts: Sequence[Fact], intent: Intent, vocabulary: Vocabulary
    ) -> str:
        """The leading facts in one sentence; facts that would not pass the check are left out."""
        told = [
            fact.text
            for fact in facts
            if fact.leads and is_grounded(fact.text, fact.evidence, intent, vocabulary)
        ]
        return f"{name} {_joined(told[:_MOST_FACTS])}." if told else ""


class ModelWriter:
    """One sentence by a local model, checked against the facts; else the template's."""

    spoke = "model"

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._template = TemplateWriter()
        self.tokens = 0
        self.dropped = 0

    def write(
        self, name: str, facts: Sequence[Fact], intent: Intent, vocabulary: Vocabulary
    ) -> str:
        """The model's sentence if all it names is in the evidence."""
        leading = [fact for fact in facts if fact.leads][:_MOST_FACTS]
        try:
            sentence = self._ask(name, leading)
        except ModelError:
            sentence = ""
        if sentence and is_grounded(sentence, evidence_of(leading), intent, vocabulary):
            return sentence
        self.dropped += 1
        return self._template.write(name, facts, intent, vocabulary)

    def _ask(self, name: str, facts: Sequence[Fact]) -> str:
        system = (
            "You tell a guest in one short sentence why a recommendation fits. Use only the "
            "numbered facts. Add nothing that is not in them."
        )
        listed = "\n".join(f"{number}. {fact.text}" for number, fact in enumerate(facts, 1))
        generation = self._model.generate(
            [Message("system", system), Message("user", f"{name}:\n{listed}\nSentence:")],
            grammar=sentence_grammar(_LONGEST),
            max_tokens=72,
            fixed=1,
        )
        self.tokens += generation.usage.prompt + generation.usage.generated
        return parse_sentence(generation.text.strip(), _LONGEST)


def _joined(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{'; '.join(parts[:-1])}; and it {parts[-1]}" if len(parts) > 2 else " and ".join(parts)

"""Write sentences about an item from its facts, by a template or by a local model.

The model reads numbered facts and writes one sentence under a grammar. A sentence with a claim
outside the evidence is dropped and the template writes one instead; the answer says who wrote.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol
from zlib import crc32

import msgspec

from localrec.data.chat_message import Message
from localrec.data.domains import AttributeRole, Domain
from localrec.data.evidence import Fact, evidence_of
from localrec.data.query import Query
from localrec.data.token_usage import Usage
from localrec.explanation.grounding import is_grounded
from localrec.explanation.written_sentences import StatedFact, reads_as_written
from localrec.foundation.errors import ContextError, ModelError
from localrec.foundation.prose import with_article
from localrec.foundation.run_trace import RunTrace
from localrec.foundation.text import clean_text
from localrec.llm.structured_output import parse_sentence, sentence_grammar
from localrec.understanding.vocabulary import Vocabulary

if TYPE_CHECKING:
    from localrec.llm.chat_model import ChatModel

LONGEST_SENTENCE = 220  # characters of a model's sentence
_TOKENS = 72
_MOST_FACTS = 5
_TRIES = 4  # sentences that a trained writer may need
_TEMPERATURE = 0.3
_SEEDS = 2**31
_PLACES_OF_ROLES: Mapping[str, AttributeRole] = {"color": "colour", "look": "look"}
_ARTICLE = re.compile(r"\b(a|an|A|An) (\w+)")


class Writer(Protocol):
    """Turn facts into a sentence; `answered_by` names the writer, `tokens` counts its cost."""

    answered_by: str
    tokens: int

    def write(self, name: str, facts: Sequence[Fact], intent: Query, vocabulary: Vocabulary) -> str:
        """Write one or two sentences about the item `name`."""
        ...


class TemplateWriter:
    """Join the facts into sentences by a template."""

    answered_by = "template"
    tokens = 0

    def write(self, name: str, facts: Sequence[Fact], intent: Query, vocabulary: Vocabulary) -> str:
        """Write the leading facts in one sentence; facts that fail the check are left out."""
        told = [
            fact.text
            for fact in facts
            if fact.is_direct and is_grounded(fact.text, fact.evidence, intent, vocabulary)
        ]
        return f"{name} {_joined(told[:_MOST_FACTS])}." if told else ""


class Sentence(msgspec.Struct, frozen=True):
    """A model's sentence and its tokens; "" where the answer was not one plain sentence."""

    text: str
    usage: Usage


def ask_sentence(
    model: ChatModel,
    examples: Sequence[Message],
    name: str,
    facts: Sequence[str],
    *,
    temperature: float = 0.0,
    seed: int = 0,
) -> Sentence:
    """Ask a model for one sentence about numbered facts; the sentence is not checked here.

    Args:
        model: A chat model; it is asked once.
        examples: The task and worked examples, the same for all items of a job.
        name: Untrusted, as the facts are: neither can end the line that it stands in.
        facts: Statements without their subject.
        temperature: 0 takes the likeliest sentence; above 0 one is sampled.
        seed: Seed of the sampling.

    Raises:
        ModelError: the model cannot be used.
    """
    written = model.generate(
        [*examples, Message("user", numbered_facts(name, facts))],
        grammar=sentence_grammar(LONGEST_SENTENCE),
        max_tokens=_TOKENS,
        fixed=len(examples),
        temperature=temperature,
        seed=seed,
    )
    try:
        text = parse_sentence(written.text.strip(), LONGEST_SENTENCE)
    except ModelError:  # it is an answer that costs what it cost
        text = ""
    return Sentence(text, written.usage)


def numbered_facts(name: str, facts: Sequence[str]) -> str:
    """Number facts about an item for a prompt, one per line."""
    listed = "\n".join(f"{number}. {clean_text(fact)}" for number, fact in enumerate(facts, 1))
    return f"{clean_text(name)}:\n{listed}\nSentence:"


class ModelWriter:
    """Let a local model write one sentence, checked against the facts; else use the template."""

    answered_by = "model"

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self._template = TemplateWriter()
        self.tokens = 0
        self.dropped = 0
        self.failed = ""  # why the model cannot be used, once it has failed

    def write(self, name: str, facts: Sequence[Fact], intent: Query, vocabulary: Vocabulary) -> str:
        """Write the model's sentence if the evidence holds every name in it.

        A model that fails is not asked again; `failed` says why.
        """
        direct = [fact for fact in facts if fact.is_direct][:_MOST_FACTS]
        domain = vocabulary.domain
        if not self.failed:
            try:
                for sentence in self._sentences(name, direct, domain):
                    if self._reads_well(sentence, name, direct, domain) and is_grounded(
                        sentence, evidence_of(direct), intent, vocabulary
                    ):
                        return sentence
            except ContextError:
                pass  # of this item alone: its facts are longer than the prompt may be
            except ModelError as error:
                self.failed = error.message
        self.dropped += 1
        return self._template.write(name, facts, intent, vocabulary)

    def _sentences(self, name: str, facts: Sequence[Fact], domain: Domain) -> Iterator[str]:
        """Ask for sentences, one after the other, for as long as none is accepted."""
        yield self._ask(_worked_examples(domain), name, facts)

    def _ask(
        self,
        examples: Sequence[Message],
        name: str,
        facts: Sequence[Fact],
        temperature: float = 0.0,
        seed: int = 0,
    ) -> str:
        told = [fact.text for fact in facts]
        sentence = ask_sentence(
            self._model, examples, name, told, temperature=temperature, seed=seed
        )
        self.tokens += sentence.usage.prompt + sentence.usage.generated
        return sentence.text

    def _reads_well(self, sentence: str, name: str, facts: Sequence[Fact], domain: Domain) -> bool:
        """Whether a sentence is about the item; what it claims is checked besides."""
        return name in sentence


class AdapterWriter(ModelWriter):
    """Let a model that was trained to write do it: sentences are sampled until one is accepted.

    Sampling lets items with the same facts have sentences of different shapes; the seeds follow
    from the item and its facts, so the same answer is written the same way again. Since there is a
    second try, more is asked of a sentence: it tells every fact, none twice, and goes from word to
    word as written sentences do.
    """

    def _sentences(self, name: str, facts: Sequence[Fact], domain: Domain) -> Iterator[str]:
        task = sentence_task(domain.singular)
        first = crc32("\n".join((name, *(fact.text for fact in facts))).encode())
        for number in range(_TRIES):
            told = self._ask(task, name, facts, _TEMPERATURE, (first + number) % _SEEDS)
            yield _with_fitting_articles(told, "\n".join((name, *(one.text for one in facts))))

    def _reads_well(self, sentence: str, name: str, facts: Sequence[Fact], domain: Domain) -> bool:
        """Whether a sentence tells each fact once and nothing else, as written ones do."""
        return reads_as_written(sentence, name, [_stated(fact, domain) for fact in facts])


def _stated(fact: Fact, domain: Domain) -> StatedFact:
    """Tell what "is" says of an item, by the edge that shows it."""
    relations = {edge.relation for edge in fact.evidence[:1]}
    for place, role in _PLACES_OF_ROLES.items():
        spec = domain.attributes.get(domain.kind_of(role) or "")
        if spec is not None and spec.edge in relations:
            return StatedFact(fact.text, place)
    return StatedFact(fact.text, "strength" if relations & domain.flags.keys() else "")


def _with_fitting_articles(sentence: str, given: str) -> str:
    """Make "a" and "an" fit the words behind them, but for those that stand so in what is given."""

    def put(article: re.Match[str]) -> str:
        if article[0] in given:
            return article[0]
        told = with_article(article[2])
        return f"{told[:1].upper()}{told[1:]}" if article[1][0] == "A" else told

    return _ARTICLE.sub(put, sentence)


def sentence_task(noun: str) -> tuple[Message, ...]:
    """Return the task as a trained writer knows it, for items of a domain's `noun`."""
    return (Message("system", f"Tell the facts about this {clean_text(noun)} in one sentence."),)


def open_writer(
    open_model: Callable[[], ChatModel] | None, trace: RunTrace, player: str = "model"
) -> Writer:
    """Open the model that writes; return the template where there is none.

    Args:
        open_model: Opens the model; None where the role has none.
        trace: Told who writes, or why the model cannot.
        player: "adapter" where the model was trained for it.
    """
    if open_model is not None:
        kind = AdapterWriter if player == "adapter" else ModelWriter
        writer = trace.played_by_model("writer", lambda: kind(open_model()))
        if writer is not None:
            return writer
    return TemplateWriter()


def record_writer(writer: Writer, sentences: int, trace: RunTrace) -> None:
    """Record the writer of an answer's sentences, and the tokens used."""
    label = writer.answered_by
    if isinstance(writer, ModelWriter) and writer.dropped:
        label = f"model, template for {writer.dropped}"
        if writer.dropped == sentences:
            label = TemplateWriter.answered_by
        if writer.failed:
            trace.answered_by["writer_failed"] = writer.failed
    trace.answered_by["writer"] = label
    if writer.tokens:
        trace.tokens["writer"] = writer.tokens


def _worked_examples(domain: Domain) -> list[Message]:
    """Return the task and two worked examples in the words of the domain."""
    messages = [
        Message(
            "system",
            "Say in one short sentence why a recommendation fits. Use only the numbered facts.",
        )
    ]
    says = [spec.says for spec in domain.attributes.values()]
    names = [next(iter(domain.taxonomy.get(kind, {})), kind) for kind in domain.attributes]
    facts = [form.format(name=name) for form, name in zip(says, names, strict=True)]
    for label, picked in (("First", facts[:2]), ("Second", facts[1:3] or facts[:1])):
        messages += [
            Message("user", numbered_facts(label, picked)),
            Message("assistant", f"{label} {' and '.join(picked)}."),
        ]
    return messages


def _joined(parts: Sequence[str]) -> str:
    """List what is said of an item; parts that hold commas themselves are parted by semicolons."""
    if len(parts) < 3:
        return " and ".join(parts)
    if any("," in part for part in parts):
        return f"{'; '.join(parts[:-1])}; and it {parts[-1]}"
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"

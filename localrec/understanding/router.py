"""MARC's task recognition router (paper section 3.2): which of C1..C4 a question is.

Three routers return the same record. The rules read the query by the definition in docs/papers.md:
components to expand from are C3, a named example is C4, a container C2 unless a look is asked for
and no component, a look C1, else components C3, else kinds and bounds C1. A model
chooses one of four words by the probabilities of its first token; it generates nothing. A bare
model sees worked questions, and its probabilities are corrected for the words it favours. A model
with an adapter for this role was trained on its own prompt and needs neither.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from localrec.data.chat_message import Message
from localrec.data.domains import AttributeRole, Domain
from localrec.data.query import Constraint, Query, RoutedTask, TaskKind
from localrec.foundation.run_trace import RunTrace
from localrec.foundation.settings import RULES
from localrec.understanding.known_names import Sense, describe_known_names, known_names
from localrec.understanding.vocabulary import Vocabulary

if TYPE_CHECKING:
    from localrec.llm.chat_model import ChatModel

_WITHOUT_CONTENT = ("N/A", "...", "something")
_LONGEST = 600  # letters of a question that a model reads
# How a question leans on its picture -> its task, where the text names no example of its own.
_BY_PICTURE: dict[str, RoutedTask] = {
    "name": RoutedTask(kind=TaskKind.C1, confidence=0.9, reason="asks what the picture shows"),
    "look": RoutedTask(kind=TaskKind.C1, confidence=0.9, reason="asks for the look of the picture"),
    "example": RoutedTask(
        kind=TaskKind.C4, confidence=0.9, reason="takes the picture as its example"
    ),
    "container": RoutedTask(
        kind=TaskKind.C2, confidence=0.9, reason="asks for what holds it in the picture"
    ),
    "component": RoutedTask(
        kind=TaskKind.C3, confidence=0.7, reason="asks what goes with what is in the picture"
    ),
}


def route_by_rules(intent: Query, domain: Domain) -> RoutedTask:
    """Return the task of a query; its confidence is high where the question names the task."""
    components = [one for one in intent.constraints if one.kind == domain.kind_of("component")]
    has_components = bool(intent.have) or any(not one.excluded for one in components)
    if intent.expands and has_components and intent.anchor is None:
        return RoutedTask(
            kind=TaskKind.C3, confidence=0.95, reason="asks what goes with its components"
        )
    container, leans = domain.kind_of("container"), intent.seen.leans if intent.seen else "beside"
    looks = _looks(intent, domain, with_garnish=not components)
    held_leads = has_components or intent.served or not (looks or intent.visual)
    if leans in _BY_PICTURE and intent.anchor is None and (leans != "container" or held_leads):
        return _BY_PICTURE[leans]
    if intent.anchor is not None:
        sure = 0.99 if intent.target else 0.85
        return RoutedTask(
            kind=TaskKind.C4, confidence=sure, reason=f"takes “{intent.anchor}” as its example"
        )
    held = [one for one in intent.constraints if one.kind == container and not one.soft]
    if held and (has_components or intent.served or not looks):
        name = held[0].any_of[0]
        return RoutedTask(
            kind=TaskKind.C2, confidence=0.98, reason=f"names the {container} “{name}”"
        )
    if looks:
        name = looks[0].any_of[0]
        return RoutedTask(kind=TaskKind.C1, confidence=0.97, reason=f"asks for a look: “{name}”")
    if intent.visual:
        return RoutedTask(kind=TaskKind.C1, confidence=0.8, reason="asks for how it looks")
    if intent.seen is not None and intent.is_empty:
        return RoutedTask(
            kind=TaskKind.C1, confidence=0.5, reason="says nothing that its picture does"
        )
    if components or intent.have:
        names = ", ".join(
            dict.fromkeys((*(key for one in components for key in one.any_of), *intent.have))
        )
        return RoutedTask(kind=TaskKind.C3, confidence=0.95, reason=f"names components: {names}")
    named = [one for one in intent.constraints if not one.excluded]
    if not components and (intent.flags or intent.ranges or named):
        return RoutedTask(
            kind=TaskKind.C1, confidence=0.7, reason="asks for what an item is, not what is in it"
        )
    if intent.constraints or intent.exclude_items:
        return RoutedTask(
            kind=TaskKind.C3, confidence=0.75, reason="bounds what is in it, names no example"
        )
    return RoutedTask(
        kind=TaskKind.C3, confidence=0.4, reason="names nothing that the catalogue knows"
    )


def _looks(intent: Query, domain: Domain, *, with_garnish: bool) -> list[Constraint]:
    """The wishes for what is seen; how an item is made ("frozen") is not."""
    roles: tuple[AttributeRole, ...] = ("colour", "look", *(("garnish",) if with_garnish else ()))
    kinds = {domain.kind_of(role) for role in roles}
    return [
        one
        for one in intent.constraints
        if one.kind in kinds
        and not one.excluded
        and not domain.words.prepared.issuperset(one.any_of)
    ]


class ModelRouter:
    """Ask a local model for the label, corrected for the labels that it favours anyway.

    The labels are words, since a small model knows what a glass is but not what C2 means. Whatever
    it is asked, it favours some of them; its probabilities are therefore divided by those it gives
    for questions without content (contextual calibration, Zhao et al. 2021), which the cached
    prefix makes a matter of a few tokens, once per router.
    """

    def __init__(self, model: ChatModel, domain: Domain) -> None:
        self._model = model
        self._labels = topic_labels(domain)
        self._messages = _instructions(domain, self._labels)
        self._prior: list[float] = []
        self.tokens = 0

    def route(self, question: str) -> RoutedTask:
        """Return the task by the model's first-token probabilities.

        Raises:
            ModelError: the model could not answer.
        """
        if not self._prior:
            empty = [self._ask(text) for text in _WITHOUT_CONTENT]
            self._prior = [
                max(sum(column) / len(empty), 1e-6) for column in zip(*empty, strict=True)
            ]
        ratios = [p / q for p, q in zip(self._ask(question[:_LONGEST]), self._prior, strict=True)]
        return _likeliest(ratios, self._labels)

    def _ask(self, question: str) -> tuple[float, ...]:
        choice = self._model.choose(
            [*self._messages, Message("user", _asked(question))],
            self._labels,
            fixed=len(self._messages),
        )
        self.tokens += choice.usage.prompt
        return choice.probabilities


class AdapterRouter:
    """Ask a model with an adapter for routing, by the short prompt it was trained on."""

    def __init__(self, model: ChatModel, vocabulary: Vocabulary) -> None:
        self._model = model
        self._vocabulary = vocabulary
        self.tokens = 0

    def route(self, question: str) -> RoutedTask:
        """Return the task by the model's first-token probabilities, uncorrected.

        Raises:
            ModelError: the model could not answer.
        """
        labels = topic_labels(self._vocabulary.domain)
        choice = self._model.choose(topic_prompt(question, self._vocabulary), labels, fixed=1)
        self.tokens += choice.usage.prompt
        return _likeliest(choice.probabilities, labels)


class Router:
    """Route questions by rules, or by a model with the rules where it fails.

    Args:
        open_model: Opens the model, or raises ModelError; None: the rules route.
        vocabulary: The names of the domain.
        trained: The model has an adapter for routing.
    """

    def __init__(
        self,
        open_model: Callable[[], ChatModel] | None,
        vocabulary: Vocabulary,
        trained: bool = False,
    ) -> None:
        self._open_model = open_model
        self._vocabulary = vocabulary
        self._trained = trained

    def route(
        self, text: str, query: Query, trace: RunTrace, named: TaskKind | None = None
    ) -> RoutedTask:
        """Return the task of a question, or the one that its user named.

        The trace says who routed it.
        """
        if named is not None:
            trace.answered_by["router"] = "person"
            return RoutedTask(kind=named, confidence=1.0, reason="you say so")

        def by_model() -> RoutedTask:
            before = self._model_router.tokens
            task = self._model_router.route(text)
            trace.tokens["router"] = self._model_router.tokens - before
            return task

        with trace.timed("router"):
            # The words alone do not tell the task of a question about its image.
            about_image = query.seen is not None and query.seen.leans != "beside"
            if self._open_model is not None and not about_image:
                task = trace.played_by_model("router", by_model)
                if task is not None:
                    return task
            trace.answered_by["router"] = RULES
            return route_by_rules(query, self._vocabulary.domain)

    @cached_property
    def _model_router(self) -> ModelRouter | AdapterRouter:
        assert self._open_model is not None
        if self._trained:
            return AdapterRouter(self._open_model(), self._vocabulary)
        return ModelRouter(self._open_model(), self._vocabulary.domain)


def topic_prompt(question: str, vocabulary: Vocabulary) -> tuple[Message, ...]:
    """Return the prompt that an adapter for routing is trained on and asked.

    It holds four words to choose from, the question, and the kinds of its names.
    """
    domain, asked = vocabulary.domain, question[:_LONGEST]
    topics = f"{domain.plural}: {', '.join(topic_labels(domain))}?"
    names = describe_known_names(
        known_names(asked, vocabulary), lambda sense: _called(sense, domain)
    )
    return (Message("system", topics), Message("user", f"{asked}\n{names}".rstrip()))


def _called(sense: Sense, domain: Domain) -> str:
    """Return a domain's word for a sense: "glass", "ingredient", "drink"; a wish keeps its own."""
    if sense == "item":
        return domain.singular
    if sense == "flag" or sense == "diet" or sense == "order":
        return sense
    return domain.kind_of(sense) or sense


def topic_labels(domain: Domain) -> tuple[str, ...]:
    """Return one word per task, C1 to C4, in the domain's own terms."""
    return (
        domain.kind_of("colour") or "look",
        domain.kind_of("container") or "container",
        domain.kind_of("component") or "content",
        "similar",
    )


def _likeliest(weights: Sequence[float], labels: Sequence[str]) -> RoutedTask:
    """The task with the largest of four weights; its share of them is the confidence."""
    best = max(range(len(weights)), key=weights.__getitem__)
    return RoutedTask(
        kind=list(TaskKind)[best],
        confidence=weights[best] / sum(weights),
        reason=f"the model's first choice of four: {labels[best]}",
    )


def _asked(question: str) -> str:
    return f"Question: {question}\nTopic:"


def _instructions(domain: Domain, labels: tuple[str, ...]) -> list[Message]:
    look, container, component, similar = labels
    system = (
        f"Say what a question about {domain.plural} is mainly about: {look} (how it looks), "
        f"{container} (it names one), {component} (what is in it or must not be in it), "
        f"{similar} (like another {domain.singular})."
    )
    messages = [Message("system", system)]
    for question, label in _examples(domain, labels):
        messages += [Message("user", _asked(question)), Message("assistant", label)]
    return messages


def _examples(domain: Domain, labels: tuple[str, ...]) -> list[tuple[str, str]]:
    """Two worked questions per task, in the domain's own words, no task twice in a row."""
    look, container, component, similar = labels
    one, other = _two_names(domain, "component")
    here, there = _two_names(domain, "container")
    bright, dark = _two_names(domain, "colour")
    return [
        (f"like a well-known {domain.singular} but lighter", similar),
        (f"{one} but no {other} please", component),
        (f"something {bright} that looks striking", look),
        (f"what comes in a {here} with {one}", container),
        (f"without {one}, with {other}", component),
        (f"alternatives to a classic {domain.singular}", similar),
        (f"a {there} with {other}", container),
        (f"a pretty {dark} {domain.singular}", look),
    ]


def _two_names(domain: Domain, role: AttributeRole) -> tuple[str, str]:
    names = [*domain.taxonomy.get(domain.kind_of(role) or "", {}), role, role]
    return names[0], names[1]

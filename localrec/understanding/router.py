"""MARC's task recognition router (paper section 3.2): which of C1..C4 a question is.

Two routers with one outcome. The rules read the intent: a named example is C4, else a named
container C2, else a colour or a look C1, else components C3. The model is asked for the label
itself and answers with the probabilities of its first token; nothing is generated.
"""

from __future__ import annotations

from localrec.domains import Domain
from localrec.llm.base import ChatModel, Message
from localrec.types import Intent, Task, TaskKind

# "C1" and "C2" begin with the same token, so the model is offered the digits.
_LABELS = tuple(kind.value[1:] for kind in TaskKind)


def route_by_rules(intent: Intent, domain: Domain) -> Task:
    """The task by what the intent holds; sure where the question names it, unsure where not."""
    components = [one for one in intent.constraints if one.kind == domain.kind_of("component")]
    if intent.anchor is not None:
        sure = 0.99 if intent.target else 0.85
        return Task(
            kind=TaskKind.C4, confidence=sure, reason=f"takes “{intent.anchor}” as its example"
        )
    container = domain.kind_of("container")
    held = [one for one in intent.of_kind(container) if not one.soft]
    if held:
        name = held[0].any_of[0]
        return Task(kind=TaskKind.C2, confidence=0.98, reason=f"names the {container} “{name}”")
    looks = [
        one
        for role in ("colour", "look", *(() if components else ("garnish",)))
        for one in intent.of_kind(domain.kind_of(role))
    ]
    if looks:
        name = looks[0].any_of[0]
        return Task(kind=TaskKind.C1, confidence=0.97, reason=f"asks for a look: “{name}”")
    if intent.visual:
        return Task(kind=TaskKind.C1, confidence=0.8, reason="asks for how it looks")
    if components or intent.have:
        names = ", ".join(
            dict.fromkeys((*(key for one in components for key in one.any_of), *intent.have))
        )
        return Task(kind=TaskKind.C3, confidence=0.95, reason=f"names components: {names}")
    if intent.flags or intent.constraints or intent.ranges or intent.exclude_items:
        return Task(
            kind=TaskKind.C3, confidence=0.75, reason="bounds what is in it, names no example"
        )
    return Task(kind=TaskKind.C3, confidence=0.4, reason="names nothing that the catalogue knows")


def route_by_model(question: str, model: ChatModel, domain: Domain) -> tuple[Task, int]:
    """The task by the model's first-token probabilities; also the tokens it read.

    Raises:
        ModelError: the model could not answer.
    """
    choice = model.choose(
        [*_instructions(domain), Message("user", f"Question: {question[:600]}\nTask:")],
        _LABELS,
        fixed=1 + 2 * len(_examples(domain)),
    )
    best = max(range(len(_LABELS)), key=choice.probabilities.__getitem__)
    task = Task(
        kind=TaskKind(f"C{_LABELS[best]}"),
        confidence=choice.probabilities[best],
        reason="the model's first choice among the four labels",
    )
    return task, choice.usage.prompt


def _instructions(domain: Domain) -> list[Message]:
    container = domain.kind_of("container") or "container"
    component = domain.kind_of("component") or "component"
    system = (
        f"You sort questions about {domain.plural} into four tasks.\n"
        f"1: the question is about a colour or how the {domain.singular} looks.\n"
        f"2: the question names a {container}.\n"
        f"3: the question only names what it should contain or avoid ({component}).\n"
        f"4: the question names one {domain.singular} and wants others like it.\n"
        "Answer with the number alone."
    )
    messages = [Message("system", system)]
    for question, label in _examples(domain):
        messages.append(Message("user", f"Question: {question}\nTask:"))
        messages.append(Message("assistant", label))
    return messages


def _examples(domain: Domain) -> list[tuple[str, str]]:
    """One worked question per task, in the domain's own words."""
    names = {
        role: next(iter(domain.taxonomy.get(domain.kind_of(role) or "", {})), role)
        for role in ("component", "container", "colour")
    }
    example = domain.singular
    return [
        (f"something {names['colour']} that looks striking", "1"),
        (f"what is there in a {names['container']} with {names['component']}", "2"),
        (f"with {names['component']} but nothing too heavy", "3"),
        (f"a {example} similar to the famous one, but simpler", "4"),
    ]

"""Ask an adapter and its bare base the same question, for a user to compare.

`adapter_eval` counts right answers; here the right answer is unknown. Both sides are asked as the
role asks when it serves with an adapter: a router and a slot reader get the question and the
catalogue's words for it, a reflector compares the first items of an answer without a model with the
next ones, and an agent orders the candidates of such an answer, as `ask --system agenticrec` does
without a user.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import numpy as np

from localrec.data.answers import Answer
from localrec.data.questions import Question
from localrec.data.records import Record
from localrec.explanation.writer import TemplateWriter
from localrec.foundation.errors import ModelCancelledError, ModelError, UsageError
from localrec.foundation.progress import Progress
from localrec.foundation.settings import load_settings
from localrec.foundation.text import clean_text
from localrec.llm.chat_model import ChatModel
from localrec.llm.model_process import ModelProcess
from localrec.ranking.pair_critic import probability_of_first
from localrec.systems.configs import MarcConfig
from localrec.systems.marc import Marc
from localrec.systems.registry import SYSTEM_REGISTRY
from localrec.systems.shipped_systems import AGENTICREC, MARC
from localrec.training.adapters.adapter_eval import answer_of
from localrec.training.examples.example import Example
from localrec.understanding.query_parser import LONGEST_QUESTION
from localrec.understanding.router import topic_labels, topic_prompt
from localrec.understanding.slot_filling import parse_slots, slot_prompt, slots_grammar, write_slots
from localrec.understanding.vocabulary import Vocabulary
from localrec.workspace import OpenWorkspace
from localrec.workspace.domain_choice import domain_of_question
from localrec.workspace.model_pool import FixedModels, ModelPool

_JUDGED = 3  # items of a list that a reflector judges
_RANKED = 10  # items that an agent puts in order
_NOTHING = "Nothing here answers the question, so there is nothing to judge."
_NOT_KEPT = "No sentence passed the checks, so the template would write."


class AdapterAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of one side.

    Args:
        name: Name of the model with its adapter.
        figures: A router's labels, or a reflector's two lists, with their probabilities; {} where
            it writes.
        lines: A slot reader's constraints, or the names of the items that an agent ranked, best
            first.
        fault: Reason why it came to no answer, as a sentence; "" where it came to one.
        ms: Milliseconds, with the whole prompt read anew.
    """

    name: str
    figures: dict[str, float] = {}
    lines: tuple[str, ...] = ()
    fault: str = ""
    ms: float = 0.0


class AdapterComparison(msgspec.Struct, Record, frozen=True, kw_only=True):
    """One question, and both answers.

    Args:
        role: The role that was tried.
        question: As it was asked, cleaned.
        domain: The domain that the question was taken to be about.
        bare: The base alone.
        adapted: The base with the adapter.
    """

    role: str
    question: str
    domain: str
    bare: AdapterAnswer
    adapted: AdapterAnswer


def compare_adapter(
    folder: Path, role: str, model: Path, adapter: Path, question: str, progress: Progress
) -> AdapterComparison:
    """Ask both sides a question.

    Args:
        folder: The workspace, whose catalogue it is about.
        role: The role that the adapter was trained for.
        model: The GGUF of its base.
        adapter: Its GGUF.
        question: In a person's words.
        progress: Called with each step and its progress.

    Raises:
        UsageError: nothing is asked, or this role answers no questions.
        ModelError: a file cannot be used.
        WorkspaceError: there is no catalogue yet, or, for a set of items, no vectors.
    """
    asked = clean_text(question, LONGEST_QUESTION)
    if not asked:
        raise UsageError("Nothing is asked.", 'Give a question: --question "no cream, with gin"')
    sides: list[AdapterAnswer] = []
    with OpenWorkspace(folder) as workspace:
        domain = domain_of_question(workspace, asked)
    for number, beside in enumerate((None, adapter)):
        with (
            ModelProcess(model, adapter=beside) as process,
            single_model_workspace(folder, process) as workspace,
        ):
            process.count_tokens("")  # a file that cannot be used is no answer
            progress(f"asking {process.name}", number, 2)
            sides.append(answer_in_role(workspace, role, domain, asked))
    bare, adapted = sides
    return AdapterComparison(role=role, question=asked, domain=domain, bare=bare, adapted=adapted)


def single_model_workspace(folder: Path, model: ChatModel) -> OpenWorkspace:
    """Open a workspace in which one model plays every role; its opener closes the model."""
    others = ModelPool(load_settings(folder))
    return OpenWorkspace(folder, models=FixedModels(others, lambda role: model))


def answer_in_role(
    workspace: OpenWorkspace, role: str, domain: str, question: str
) -> AdapterAnswer:
    """Answer a question in a role by the workspace's model.

    Raises:
        UsageError: this role answers no questions.
        ModelCancelledError: it was stopped.
        WorkspaceError: a set of items is needed, and there are no vectors.
    """
    if role not in _ROLES:
        raise UsageError(
            f"Nobody asks a {role} a question.", "Try it on cases: localrec models try ADAPTER"
        )
    began = time.perf_counter()
    try:
        said = _ROLES[role](workspace, domain, question)
    except ModelCancelledError:
        raise
    except ModelError as error:
        said = AdapterAnswer(name=workspace.models.open(role).name, fault=error.message)
    return msgspec.structs.replace(said, ms=1000 * (time.perf_counter() - began))


def _router(workspace: OpenWorkspace, domain: str, question: str) -> AdapterAnswer:
    model, vocabulary = (
        workspace.models.open("router"),
        Vocabulary(workspace.context(domain).catalogue),
    )
    labels = topic_labels(vocabulary.domain)
    choice = model.choose(topic_prompt(question, vocabulary), labels, fixed=1)
    return AdapterAnswer(
        name=model.name, figures=dict(zip(labels, choice.probabilities, strict=True))
    )


def _slots(workspace: OpenWorkspace, domain: str, question: str) -> AdapterAnswer:
    model = workspace.models.open("slots")
    case = Example(
        messages=slot_prompt(question, Vocabulary(workspace.context(domain).catalogue)), answer=""
    )
    wrote = answer_of(model, case, slots_grammar())
    slots = parse_slots(wrote)  # raises where it was cut short
    return AdapterAnswer(name=model.name, lines=tuple(write_slots([one]) for one in slots))


def _reflector(workspace: OpenWorkspace, domain: str, question: str) -> AdapterAnswer:
    model, context = workspace.models.open("reflector"), workspace.context(domain)
    answer = _answered(workspace, domain, question, 2 * _JUDGED, without_model=True)
    found = [context.catalogue.item_index(item.key) for item in answer.items]
    items = np.array([index for index in found if index is not None], dtype=np.int32)
    if len(items) < 2:
        raise ModelError(_NOTHING)
    half = min(_JUDGED, len(items) // 2)
    lists = (items[:half], items[half : 2 * half])
    names = Vocabulary(context.catalogue)
    first, _ = probability_of_first(model, question, names, context.catalogue, lists)
    return AdapterAnswer(name=model.name, figures={"first": first, "next": 1.0 - first})


def _writer(workspace: OpenWorkspace, domain: str, question: str) -> AdapterAnswer:
    marc = Marc(workspace.context(domain), MarcConfig(writer="adapter"))  # both by its prompt
    answer = marc.answer(Question(query=question), _JUDGED)
    name = workspace.models.open("writer").name
    if not answer.items:
        return AdapterAnswer(name=name, fault=_NOTHING)
    if answer.answered_by["writer"] == TemplateWriter.answered_by:
        return AdapterAnswer(name=name, fault=answer.answered_by.get("writer_failed", _NOT_KEPT))
    return AdapterAnswer(name=name, lines=tuple(item.reason for item in answer.items))


def _agent(workspace: OpenWorkspace, domain: str, question: str) -> AdapterAnswer:
    answer = _answered(workspace, domain, question, _RANKED, system=AGENTICREC)
    if answer.answered_by["rerank"] != "agent":
        fault = answer.answered_by.get("rerank_failed", _NOTHING)
        return AdapterAnswer(name=workspace.models.open("agent").name, fault=fault)
    names = tuple(clean_text(item.name) for item in answer.items)
    return AdapterAnswer(name=workspace.models.open("agent").name, lines=names)


def _answered(
    workspace: OpenWorkspace,
    domain: str,
    question: str,
    k: int,
    *,
    system: str = MARC,
    without_model: bool = False,
) -> Answer:
    answerer = SYSTEM_REGISTRY.answerer(
        workspace.context(domain), system, without_model=without_model
    )
    return answerer.answer(Question(query=question), k)


_ROLES: Mapping[str, Callable[[OpenWorkspace, str, str], AdapterAnswer]] = {
    "router": _router,
    "slots": _slots,
    "reflector": _reflector,
    "agent": _agent,
    "writer": _writer,
}

"""`localrec ask`: one question, or a batch of them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import (
    DomainOption,
    command_context,
    console,
    note,
    note_unknown,
    print_line,
    progress,
    read_piped,
    refuse_unknown,
    resumable,
    user_key,
)
from localrec.foundation.errors import UsageError
from localrec.foundation.prose import count_of

if TYPE_CHECKING:
    from localrec.data.answers import Answer, QuestionAnswerer
    from localrec.data.model_calls import ModelCall
    from localrec.data.questions import Question
    from localrec.workspace import OpenWorkspace
    from localrec.workspace.domain_context import SharedIndexes

EXAMPLES = """
Examples:\n\n
  localrec ask "a smoky drink without whiskey"\n\n
  localrec ask "what can I make" --have "gin, campari, sweet vermouth, lemon"\n\n
  localrec ask "like a Negroni but lighter" -k 5 --explain\n\n
  localrec ask "a red drink with gin" --user anna --system agenticrec --explain\n\n
  localrec ask "the same look without vodka" --image drink.jpg\n\n
  localrec ask --plain --user anna\n\n
  echo "a drink for a secret guest" | localrec ask -\n\n
  localrec ask --batch questions.jsonl --out answers.jsonl\n\n
  echo '{"id": 1, "query": "a sour"}' | localrec ask --batch - --out - | jq .items[0].name
"""


def _known_systems() -> list[str]:
    from localrec.systems.registry import SYSTEM_REGISTRY

    return SYSTEM_REGISTRY.names("answerer")


_Batch = Annotated[
    Path | None,
    typer.Option(
        metavar="QUESTIONS.jsonl",
        help="Answer a file of questions; - reads stdin, a question a line.",
    ),
]
_Out = Annotated[
    Path | None,
    typer.Option(
        metavar="ANSWERS.jsonl",
        help="File for the answers of a batch; run again with the same options to go on. "
        "- writes each answer to stdout as soon as it is there.",
    ),
]
_Image = Annotated[
    Path | None,
    typer.Option(
        metavar="PICTURE", help="A photo the question is about: PNG, JPEG or WebP, a file."
    ),
]
_Have = Annotated[
    str | None,
    typer.Option(
        metavar='"a, b"',
        help="Ingredients that you have; all others count as missing, except staples such as water "
        "and what yours give, as lemons give lemon juice.",
    ),
]
_User = Annotated[
    str | None,
    typer.Option(
        metavar="KEY",
        help="The person who asks; their history orders items.",
        callback=user_key,
    ),
]
_Count = Annotated[int, typer.Option("-k", min=1, max=100, help="The number of items.")]
_System = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="The system that answers: marc, marc-rules, which reads by rules alone, "
        "marc-model with a local model in each of its roles, "
        "or marc-no-graph, marc-no-reflection, marc-no-graph-no-reflection; vector-rag, by "
        "texts alone; or what marc finds in the order of an agent that asks tools: agenticrec, "
        "agenticrec-scripted with fixed calls, agenticrec-reasoning without tools, "
        "agenticrec-fused without a model.",
        autocompletion=_known_systems,
    ),
]
_Explain = Annotated[
    bool,
    typer.Option(
        "--explain",
        help="Show paths, scores, times, who spoke, what an agent did, and all that a model or "
        "the memory saw.",
    ),
]


def ask(
    question: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", show_default=False, help="The question; - reads stdin."),
    ] = None,
    batch: _Batch = None,
    out: _Out = None,
    image: _Image = None,
    have: _Have = None,
    user: _User = None,
    k: _Count = 3,
    system: _System = "marc",
    no_model: Annotated[
        bool, typer.Option("--no-model", help="Use no language model for anything.")
    ] = False,
    explain: _Explain = False,
    plain: Annotated[
        bool, typer.Option("--plain", help="Talk line by line, as a screen reader reads it.")
    ] = False,
    domain: DomainOption = None,
) -> None:
    """Ask for a recommendation in plain language."""
    context = command_context()
    if plain:
        from localrec.cli.plain_chat import ChatOptions, converse

        if context.as_json or explain or batch is not None:
            raise UsageError("--plain goes with neither --json nor --explain nor --batch.")
        options = ChatOptions(
            workspace=context.workspace,
            user=user,
            have=have,
            image=image,
            k=k,
            system=system,
            no_model=no_model,
            domain=domain,
        )
        converse(options, question)
        return
    _refuse_what_does_not_go_together(question, batch, out, image, explain=explain)
    question = _typed_or_piped(question)
    with context.open_workspace() as opened:
        if batch is not None and out is not None:
            _answer_batch(opened, batch, out, k, system, no_model, domain)
            return
        answer, asked_domain = _answer_one(
            opened, question or "", have, user, k, system, no_model, domain, image, explain=explain
        )
    if context.print_json(answer):
        return
    from localrec.cli.render import render_answer

    render_answer(answer, console(), domain=asked_domain, user=user, explain=explain)


def _refuse_what_does_not_go_together(
    question: str | None, batch: Path | None, out: Path | None, image: Path | None, *, explain: bool
) -> None:
    if (question is None) == (batch is None):
        raise UsageError("Give one question, or --batch with a file.", 'localrec ask "TEXT"')
    if batch is not None and image is not None:
        raise UsageError(
            "--image goes with one question.", 'A batch names a picture a line: "image": "a.jpg".'
        )
    if batch is not None and explain:
        raise UsageError("--explain tells of one question; a batch has its reasons in the file.")
    if (batch is None) != (out is None):
        raise UsageError("--batch and --out belong together.", "Name both files.")


def _typed_or_piped(question: str | None) -> str | None:
    """A question as it was typed; "-" reads stdin, since command lines show in process lists."""
    if question != "-":
        return question
    return read_piped('echo "TEXT" | localrec ask -')


def _answer_one(
    workspace: OpenWorkspace,
    text: str,
    have: str | None,
    user: str | None,
    k: int,
    system: str,
    no_model: bool,
    domain: str | None,
    image: Path | None,
    *,
    explain: bool,
) -> tuple[Answer, str]:
    """Answer a question; return the domain that it was put to as well."""
    import msgspec

    from localrec.data.questions import Question
    from localrec.systems.registry import SYSTEM_REGISTRY
    from localrec.workspace.domain_choice import domain_of_question

    refuse_unknown(workspace.store, [user])
    asked = Question(query=text, have=have, user=user, image=None if image is None else str(image))
    words = text if have is None else f"{text} with {have}"
    chosen = domain_of_question(workspace, words, domain, user=user, with_image=image is not None)
    calls: list[ModelCall] | None = [] if explain else None
    answerer = SYSTEM_REGISTRY.answerer(
        workspace.context(chosen, user), system, without_model=no_model, calls=calls
    )
    answer = answerer.answer(asked, k)
    _tell_comparison(workspace.context(chosen, user).indexes)
    for sentence in _failed_roles(answer):
        note(sentence)
    if calls is not None:
        answer = msgspec.structs.replace(answer, model_saw=tuple(calls))
    return answer, chosen


def _failed_roles(answer: Answer) -> Iterator[str]:
    """A sentence for each step that ran without its model, unless the answer says so itself."""
    for role, why in answer.answered_by.items():
        if role.endswith("_failed") and why.rstrip(".") not in answer.message:
            yield f"The step '{role.removesuffix('_failed')}' ran without its model: {why}"


def _tell_comparison(indexes: SharedIndexes) -> None:
    """Say where texts were compared by spelling, since their vectors are not complete."""
    if indexes.has_outdated_vectors:
        note(
            f"The vectors of {indexes.domain.name} come from an older embedder and stay in use "
            "until you run: localrec index"
        )
    elif indexes.pending is not None:
        note(f"{indexes.pending.as_sentence()} Until then texts are compared by spelling.")
    elif indexes.lacks_vectors:
        note(
            f"{indexes.missing_vectors().message} localrec index makes them; until then texts are "
            "compared by spelling."
        )


class _CountingFailures:
    """Answer by another system, and count the steps that ran without their model."""

    def __init__(self, answerer: QuestionAnswerer, failed: Counter[str]) -> None:
        self._answerer, self._failed = answerer, failed

    def answer(self, question: Question, k: int) -> Answer:
        """Answer one question."""
        answer = self._answerer.answer(question, k)
        self._failed.update(_failed_roles(answer))
        return answer


def _note_counted(failed: Counter[str]) -> None:
    """Say once for each step how many answers ran without its model, and why."""
    for sentence, count in failed.items():
        note(f"In {count_of(count, 'answer')}: {sentence}")


def _answer_batch(
    workspace: OpenWorkspace,
    batch: Path,
    out: Path,
    k: int,
    system: str,
    no_model: bool,
    domain: str | None,
) -> None:
    from localrec.data.recommendations import to_json
    from localrec.systems.registry import SYSTEM_REGISTRY
    from localrec.workspace.batch_runs import (
        PIPE,
        RunOptions,
        answer_batch,
        read_questions,
        stream_questions,
    )
    from localrec.workspace.domain_choice import domain_of_question

    failed: Counter[str] = Counter()

    def system_for(question: Question) -> QuestionAnswerer:
        user, with_image = question.user, question.image is not None
        chosen = domain_of_question(
            workspace, question.query, domain, user=user, with_image=with_image
        )
        context = workspace.context(chosen, user)
        answerer = SYSTEM_REGISTRY.answerer(context, system, without_model=no_model)
        return _CountingFailures(answerer, failed)

    if out == PIPE:
        asked = stream_questions(sys.stdin.buffer) if batch == PIPE else read_questions(batch)
        for question in asked:
            print_line(to_json(system_for(question).answer(question, k)))
        _note_counted(failed)
        return
    questions = read_questions(batch)
    note_unknown(workspace.store, (question.user for question in questions))
    with resumable(out), progress() as steps:
        summary = answer_batch(
            system_for,
            questions,
            out,
            k,
            lambda done, total: steps("answering", done, total),
            RunOptions(command="ask", system=system, domain=domain, k=k, no_model=no_model),
        )
    _note_counted(failed)
    if not command_context().print_json(summary):
        note(f"{summary.answered} answered, {summary.resumed} were there already, in {out}.")

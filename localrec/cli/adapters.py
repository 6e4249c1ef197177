"""`localrec models try`: an adapter against its bare model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import command_context, console, progress

if TYPE_CHECKING:
    from localrec.evaluation.statistics import IntervalEstimate
    from localrec.training.adapters.adapter_compare import AdapterAnswer, AdapterComparison
    from localrec.training.adapters.adapter_eval import AdapterEvaluation, EvaluatedSide
    from localrec.training.role_bench.records import RoleResult

TRY_EXAMPLES = """
Examples:\n\n
  localrec models try router.gguf\n\n
  localrec models try router.gguf --cases 200 --json\n\n
  localrec models try both.gguf --role slots\n\n
  localrec models try router.gguf --question "like a Negroni but lighter"
"""


def _known_adapters() -> list[str]:
    from localrec.llm.adapter_files import shipped_adapters

    return list(shipped_adapters())


def try_(
    adapter: Annotated[
        str,
        typer.Argument(
            metavar="ADAPTER",
            help="An adapter that ships, or a GGUF of localrec train export.",
            autocompletion=_known_adapters,
        ),
    ],
    role: Annotated[
        str | None,
        typer.Option(metavar="ROLE", help="One of the roles that it plays; the first if left out."),
    ] = None,
    cases: Annotated[int, typer.Option(min=2, metavar="N", help="The number of cases.")] = 120,
    model: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Its base model, where the catalogue does not have it."),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Ask both this question instead, and show both answers."),
    ] = None,
    gold: Annotated[
        Path | None,
        typer.Option(
            metavar="GOLD.jsonl", help="Gold questions about your catalogue; else those that ship."
        ),
    ] = None,
) -> None:
    """Ask an adapter and its bare model the same cases: who is right how often, and how fast.

    The cases are composed from this workspace's graph, in wordings that no adapter learns from. A
    router, a slot reader and a reflector are held against the rules on gold questions too.
    """
    from localrec.training.adapters.adapter_eval import AdapterEvaluation
    from localrec.training.adapters.adapter_trial import try_adapter

    context = command_context()
    with progress() as steps:
        tried = try_adapter(context.workspace, adapter, role, cases, model, question, steps, gold)
    if not context.print_json(tried):
        if isinstance(tried, AdapterEvaluation):
            console().print(_trial_text(tried))
        else:
            console().print(_answers_text(tried))


def _trial_text(trial: AdapterEvaluation) -> str:
    lines = [_side(side) for side in (trial.bare, trial.adapted)]
    verdict = trial.difference.verdict
    kind = "composed cases" if trial.gold or trial.no_gold else "cases"
    lines = [f"{trial.cases} {kind} of a {trial.role}.", *lines, f"The adapter: {verdict}."]
    return "\n".join([*lines, *_gold_lines(trial.gold), *filter(None, [trial.no_gold])])


def _gold_lines(gold: RoleResult | None) -> Iterator[str]:
    if gold is not None:
        yield f"{gold.cases} gold questions."
        for side in (gold.rules, gold.model):
            yield f"{side.name}: {_share(side.quality)} right, {1000 * side.seconds:.0f} ms a case"
        yield f"The adapter against the {gold.rules.name}: {gold.difference.verdict}."


def _side(side: EvaluatedSide) -> str:
    failed = f", {side.failed} without an answer" if side.failed else ""
    return f"{side.name}: {_share(side.accuracy)} right, {side.ms:.0f} ms a case{failed}"


def _share(found: IntervalEstimate) -> str:
    if found.value is None or found.low is None or found.high is None:
        return "nothing"
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"


def _answers_text(both: AdapterComparison) -> str:
    said = [_answer_lines(side) for side in (both.bare, both.adapted)]
    return "\n".join([f"{both.question} (about {both.domain}, a {both.role})", *said])


def _answer_lines(answer: AdapterAnswer) -> str:
    figures = (f"  {value:.3g} {name}" for name, value in answer.figures.items())
    lines = (f"  {line}" for line in (*answer.lines, *filter(None, [answer.fault])))
    return "\n".join([f"{answer.name}, {answer.ms:,.0f} ms:", *figures, *lines])

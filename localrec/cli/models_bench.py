"""`localrec models bench`: a model against the rules, role by role, on the same cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli.context import command_context, console, note, progress

if TYPE_CHECKING:
    from localrec.training.role_bench.records import BenchReport, RoleSide

EXAMPLES = """
Examples:\n\n
  localrec models bench smollm2-135m\n\n
  localrec models bench smollm2-135m --adapter router=question-router --roles router --cases 200\n\n
  localrec models bench my-model.gguf --adopt\n\n
  localrec models bench my-model.gguf --page docs/results/models.md
"""


def _known_models() -> list[str]:
    from localrec.llm.model_catalog import load_catalog

    return [name for name, model in load_catalog().items() if model.kind == "chat"]


def bench(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="A chat model of the catalogue, or a GGUF.",
            autocompletion=_known_models,
        ),
    ],
    adapter: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=ADAPTER", help="Ask a role with an adapter; repeatable."),
    ] = None,
    roles: Annotated[
        str | None,
        typer.Option(metavar="A,B", help="Only these roles; by default those of the adapters."),
    ] = None,
    cases: Annotated[
        int,
        typer.Option(
            min=2,
            metavar="N",
            help="The number of cases of a role; slow roles take a part of them.",
        ),
    ] = 60,
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Give the model each role here that it won.")
    ] = False,
    gold: Annotated[
        Path | None,
        typer.Option(
            metavar="GOLD.jsonl", help="Gold questions about your catalogue; else those that ship."
        ),
    ] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE.md", help="Add its rows to this page of results.")
    ] = None,
) -> None:
    """Ask a model and the rules the same cases of each role: quality, seconds, tokens.

    The cases are composed from this workspace's graph and from what its people chose last, in
    wordings and rows that no adapter learns from. Router, slots and reflector are asked gold
    questions too, all of them, which people wrote: those alone decide. The model wins a role where
    it is better by more than chance.
    """
    from localrec.training.role_bench.model_bench import adopt_won, bench_named

    context, named = command_context(), adapter or []
    asked = [role.strip() for role in (roles or "").split(",") if role.strip()]
    with progress() as steps:
        report = bench_named(context.workspace, model, named, asked, cases, steps, gold)
    if page is not None:
        from localrec.training.role_bench.page import add_to_page

        add_to_page(page, report)
    adopted = adopt_won(context.workspace, report, model, named) if adopt else []
    if not context.print_json({"report": report, "adopted": adopted}):
        console().print(_as_text(report), soft_wrap=True)
        _note_adopted(model, adopted, adopt)


def _note_adopted(model: str, adopted: list[str], wanted: bool) -> None:
    for role in adopted:
        note(f"{role} is played by {model} from now on.")
    if wanted and not adopted:
        note("It won no role, so that nothing was changed.")


def _as_text(report: BenchReport) -> str:
    lines = [f"{report.model}, {report.megabytes:.0f} MB"]
    for one in report.results:
        cases = f"{one.cases} {one.kind} questions" if one.kind else f"{one.cases} cases"
        lines.append(f"{one.role}: {one.measure} ({cases})")
        lines += [_side_text(side) for side in (one.rules, one.model)]
        decided = "" if one.decides else ", which decides nothing: gold questions do"
        lines.append(f"  The model: {one.difference.verdict}{decided}.")
        lines += [f"  {sentence}" for sentence in one.notes]
    for empty in report.empty:
        if empty.line is None:
            lines.append(f"{empty.role}: no cases. {empty.reason}")
        else:
            head = f"{empty.role}: {empty.line.measure} ({empty.line.cases} cases)"
            lines += [head, _side_text(empty.line.rules), f"  {empty.reason}"]
    return "\n".join(lines)


def _side_text(side: RoleSide) -> str:
    from localrec.evaluation.reporting.number_format import with_interval

    failed = f", {side.failed} without an answer" if side.failed else ""
    shapes = "" if side.shapes is None else f", {side.shapes} shapes of sentences"
    return (
        f"  {side.name}: {with_interval(side.quality, 3)}, {side.seconds:.3g} s and "
        f"{side.tokens:,.0f} tokens a case{failed}{shapes}"
    )

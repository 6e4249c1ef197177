"""`localrec models bench`: a model against the rules, role by role, on the same cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from localrec.cli.context import command_context, console, note, progress

if TYPE_CHECKING:
    from collections.abc import Mapping

    from localrec.training.role_bench.records import BenchReport, RoleResult

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
        typer.Option(
            metavar="A,B", help="Only these; those of the adapters, where some are named."
        ),
    ] = None,
    cases: Annotated[
        int, typer.Option(min=2, metavar="N", help="Of a role; slow roles take a part of them.")
    ] = 60,
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Give it each role here that it won.")
    ] = False,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE.md", help="Add its rows to this page of results.")
    ] = None,
) -> None:
    """Ask a model and the rules the same cases of each role: quality, seconds, tokens.

    The cases are composed from this workspace's graph and from what its people chose last, in
    wordings and rows that no adapter learns from. The model wins a role where it is better by
    more than chance.
    """
    context, named = command_context(), adapter or []
    report = _measure(context.workspace, model, named, roles, cases)
    if page is not None:
        from localrec.training.role_bench.page import add_to_page

        add_to_page(page, report)
    adopted = _adopt(context.workspace, report, model, named) if adopt else []
    if context.print_json({"report": report, "adopted": adopted}):
        return
    console().print(_as_text(report), soft_wrap=True)
    for role in adopted:
        note(f"{role} is played by {model} from now on.")
    if adopt and not adopted:
        note("It won no role, so that nothing was changed.")


def _measure(
    folder: Path, model: str, adapters: list[str], roles: str | None, cases: int
) -> BenchReport:
    from localrec.llm.gguf_header import check_model, read_header
    from localrec.llm.model_catalog import model_file
    from localrec.training.role_bench.bench import ROLES, bench_model
    from localrec.workspace.model_roles import adapters_of_roles

    file = model_file(model)
    check_model(file, read_header(file))
    beside = adapters_of_roles(adapters, file)
    asked = [role.strip() for role in roles.split(",")] if roles else list(beside) or list(ROLES)
    arguments = _arguments(model, adapters, roles, cases)
    with progress() as steps:
        return bench_model(folder, file, beside, asked, cases, steps, arguments)


def _arguments(model: str, adapters: list[str], roles: str | None, cases: int) -> list[str]:
    """The arguments that decide the figures, without folders."""
    beside = [Path(one).name if "/" in one else one for one in adapters]
    return [
        Path(model).name,
        *(part for one in beside for part in ("--adapter", one)),
        *(["--roles", roles] if roles else []),
        *("--cases", str(cases)),
    ]


def _adopt(folder: Path, report: BenchReport, model: str, adapters: list[str]) -> list[str]:
    """Bind each role that was won, with its figure; a role that nobody can bind is passed over."""
    from localrec.foundation.paths import make_private
    from localrec.foundation.settings import (
        SLOTS,
        ModelRole,
        bind_role,
        load_settings,
        save_settings,
        with_figure,
    )
    from localrec.workspace.model_roles import with_adapter_bound

    settings = load_settings(folder)
    name = str(Path(model).resolve()) if model.endswith(".gguf") else model
    beside: Mapping[str, str] = {one.partition("=")[0]: one.partition("=")[2] for one in adapters}
    adopted = []
    for result in report.results:
        role = result.role
        bindable = role in get_args(ModelRole) and (role != SLOTS or role in beside)
        if not result.is_won or not bindable:
            continue
        settings = bind_role(settings, role, name)
        if role in beside:
            settings = with_adapter_bound(settings, role, beside[role])
        settings = with_figure(settings, role, _figure(result))  # type: ignore[arg-type]
        adopted.append(role)
    if adopted:
        make_private(folder)
        save_settings(folder, settings)
    return adopted


def _figure(result: RoleResult) -> str:
    model, rules = result.model.quality.value, result.rules.quality.value
    return f"{model:.3f} against {rules:.3f} of the {result.rules.name}, {result.cases} cases"


def _as_text(report: BenchReport) -> str:
    from localrec.evaluation.reporting.number_format import with_interval

    lines = [f"{report.model}, {report.megabytes:.0f} MB"]
    for one in report.results:
        lines.append(f"{one.role}: {one.measure} ({one.cases} cases)")
        for side in (one.rules, one.model):
            failed = f", {side.failed} without an answer" if side.failed else ""
            shapes = "" if side.shapes is None else f", {side.shapes} shapes of sentences"
            lines.append(
                f"  {side.name}: {with_interval(side.quality, 3)}, {side.seconds:.3g} s and "
                f"{side.tokens:,.0f} tokens a case{failed}{shapes}"
            )
        lines.append(f"  The model: {one.difference.verdict}.")
        lines += [f"  {sentence}" for sentence in one.notes]
    lines += [f"{one.role}: no cases. {one.reason}" for one in report.empty]
    return "\n".join(lines)

"""A model by its name against the rules, and the roles that it won bound to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, get_args

from localrec.foundation.progress import Progress

if TYPE_CHECKING:
    from localrec.training.role_bench.records import BenchReport, RoleResult


def bench_named(
    folder: Path,
    model: str,
    adapters: Sequence[str],
    roles: Sequence[str],
    cases: int,
    progress: Progress,
    gold: Path | None = None,
) -> BenchReport:
    """Ask a model and the rules the same cases of each role.

    Args:
        folder: The workspace.
        model: A chat model of the catalogue, or a GGUF.
        adapters: "ROLE=ADAPTER" texts: roles that are asked with an adapter.
        roles: Only these roles; none for those of the adapters, or all.
        cases: The number of cases of a role; slow roles take a part of them.
        progress: Called with the step, how much of it is done, and of how much.
        gold: Gold questions about the own catalogue; None for those that ship.

    Raises:
        InputError: the gold questions cannot be read.
        UsageError: there is no such role, or an adapter is for another one.
        ModelError: the model or an adapter is not here.
    """
    from localrec.llm.gguf_header import check_model, read_header
    from localrec.llm.model_catalog import model_file
    from localrec.training.role_bench.bench import ROLES, bench_model
    from localrec.workspace.model_roles import adapters_of_roles

    file = model_file(model)
    check_model(file, read_header(file))
    beside = adapters_of_roles(adapters, file)
    asked = list(roles) or list(beside) or list(ROLES)
    arguments = shown_arguments(model, adapters, roles, cases, gold)
    return bench_model(folder, file, beside, asked, cases, progress, arguments, gold)


def shown_arguments(
    model: str,
    adapters: Sequence[str],
    roles: Sequence[str],
    cases: int,
    gold: Path | None = None,
) -> list[str]:
    """The arguments that decide the figures, files without their folders."""
    beside = []
    for one in adapters:
        role, _, adapter = one.partition("=")
        beside += ["--adapter", f"{role}={Path(adapter).name}"]
    return [
        *(Path(model).name, *beside),
        *(["--roles", quote(",".join(roles))] if roles else []),
        *("--cases", str(cases)),
        *(["--gold", gold.name] if gold else []),
    ]


def adopt_won(folder: Path, report: BenchReport, model: str, adapters: Sequence[str]) -> list[str]:
    """Bind each role that was won, with its figure; a role that nobody can bind is passed over.

    Composed questions bind nobody where gold ones are what decides (`RoleResult.decides`).
    """
    from localrec.foundation.paths import make_private
    from localrec.foundation.settings import (
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
        if not (result.is_won and result.decides) or role not in get_args(ModelRole):
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
    cases = f"{result.cases} {'gold questions' if result.gold else 'cases'}"
    return f"{model:.3f} against {rules:.3f} of the {result.rules.name}, {cases}"

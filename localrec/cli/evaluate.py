"""`localrec evaluate`: run a configuration, compare two runs, list both."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from localrec.cli import judge, rate
from localrec.cli.context import Commands, command_context, console, note, progress, resumable
from localrec.cli.engine_options import (
    AddressOption,
    EngineOption,
    WorkersOption,
    note_redone,
)
from localrec.foundation.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from localrec.evaluation.comparisons import SystemComparison
    from localrec.evaluation.configs import AnyRunConfig
    from localrec.evaluation.run_folder import RunMetrics, SystemResult
    from localrec.evaluation.statistics import IntervalEstimate

EXAMPLES = """
Examples:\n\n
  localrec datasets pull ml-100k\n\n
  localrec evaluate run ml-100k-baselines-full\n\n
  localrec evaluate run ml-100k-baselines-full --engine ray --workers 4\n\n
  localrec evaluate compare ml-100k-baselines-full:ease ml-100k-baselines-full:popularity\n\n
  localrec evaluate run ../data/beauty --candidates 100 --system auto --system ease\n\n
  localrec datasets pull cocktails && localrec evaluate run marc-ablation
"""
_LEADING = ("H", "NDCG")  # at the longest list of the run
_RUNS = "runs"

app = Commands(help="Measure systems, compare what was measured.", no_args_is_help=True)

RunSystemArgument = Annotated[
    str, typer.Argument(metavar="RUN[:SYSTEM]", help="A run's name or folder, and a system of it.")
]


def _known_configs() -> list[str]:
    from localrec.evaluation.configs import ready_configs

    return list(ready_configs())


_Config = Annotated[
    str,
    typer.Argument(
        metavar="CONFIG.toml",
        help="A file, a ready one, or a folder of data that localrec import reads.",
        autocompletion=_known_configs,
    ),
]
_Out = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="FOLDER", help="Folder of the run; else runs/NAME in the workspace."
    ),
]
_Candidates = Annotated[
    int | None, typer.Option(min=2, metavar="N", help="For a folder: rank N drawn items, not all.")
]
_Negatives = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="For a folder: rank given negatives, USER ITEM ITEM ... a line."
    ),
]
_Systems = Annotated[
    list[str] | None,
    typer.Option("--system", metavar="NAME", help="For a folder: a system to measure; repeatable."),
]


def run(
    config: _Config,
    out: _Out = None,
    engine: EngineOption = "local",
    workers: WorkersOption = None,
    address: AddressOption = None,
    candidates: _Candidates = None,
    negatives: _Negatives = None,
    systems: _Systems = None,
) -> None:
    """Measure the systems of a configuration; run it again to go on after an interruption.

    A folder of data, such as RecBole's files, is imported into the folder of the run. The last
    item of each user is asked for from the baselines and auto, or from the systems that you name.
    """
    from localrec.engines.execution import open_engine
    from localrec.evaluation.configs import QuestionRunConfig
    from localrec.evaluation.provenance import current_origin
    from localrec.evaluation.questions import question_harness
    from localrec.evaluation.ranking import ranking_harness
    from localrec.evaluation.run_folder import RunFolder
    from localrec.evaluation.run_report import write_run_report
    from localrec.workspace import OpenWorkspace

    context = command_context()
    declared, text = _declared(config, candidates, negatives, systems)
    if isinstance(declared, QuestionRunConfig) and engine != "local":
        raise UsageError(
            f"{declared.name} asks questions one by one, to be timed: no engine shares them out.",
            "Leave --engine out.",
        )
    folder = RunFolder(out or context.workspace / _RUNS / declared.name)
    made = current_origin("-m localrec", ["evaluate", "run", Path(config).name])
    home = _data_of(config, folder.path, context.workspace)
    with (
        OpenWorkspace(home) as opened,
        resumable(folder.path),
        open_engine(engine, workers, address) as chosen,
        progress() as steps,
    ):
        if isinstance(declared, QuestionRunConfig):
            home = context.workspace
            found = question_harness.run_question_evaluation(
                declared, text, home, folder, made, progress=steps
            )
        else:
            found = ranking_harness.run_ranking_evaluation(
                declared, text, opened, folder, made, engine=chosen, progress=steps
            )
    note_redone(chosen)
    page, _, _ = write_run_report(folder)
    if context.print_json(found):
        return
    _render(found)
    note(f"{folder.path} holds every case and the figures; {page.name} shows them.")


def _declared(
    config: str, candidates: int | None, negatives: Path | None, systems: list[str] | None
) -> tuple[AnyRunConfig, bytes]:
    """Read a configuration file, or make one for a folder of data from the options."""
    from localrec.evaluation.configs import load_config
    from localrec.evaluation.data_folders import SYSTEMS, folder_config

    if Path(config).is_dir():
        chosen = systems or SYSTEMS
        return folder_config(
            Path(config), candidates=candidates, negatives=negatives, systems=chosen
        )
    if candidates or negatives or systems:
        raise UsageError(
            "--candidates, --negatives and --system are for folders of data.",
            "A file declares them itself: localrec help evaluation",
        )
    return load_config(config)


def _data_of(config: str, run_folder: Path, workspace: Path) -> Path:
    """The workspace that is evaluated on: this one, or one that a folder is imported into."""
    from localrec.evaluation.data_folders import import_folder

    if not Path(config).is_dir():
        return workspace
    home = run_folder / "data"
    with progress() as steps:
        import_folder(Path(config), home, steps)
    return home


def compare(ours: RunSystemArgument, theirs: RunSystemArgument) -> None:
    """Say of each metric whether the first run is better, worse, or cannot be told apart."""
    from localrec.evaluation.run_listing import compare_named

    context = command_context()
    found = compare_named(ours, theirs, context.workspace / _RUNS)
    if context.print_json(found):
        return
    for one in found:
        _render_comparison(one)


def list_() -> None:
    """List the runs of the workspace, and the configurations that are ready to run."""
    from localrec.evaluation.run_listing import listed_configs, listed_runs

    context = command_context()
    runs, ready = listed_runs(context.workspace / _RUNS), listed_configs()
    if context.print_json({"runs": runs, "configs": ready}):
        return
    from rich.table import Table

    table = Table(box=None)
    for title in ("name", "state", "systems", "what"):
        table.add_column(title, no_wrap=title == "name")
    for one in (*runs, *ready):
        table.add_row(one.name, one.state, ", ".join(one.systems), one.title)
    console().print(table)


def _render(found: RunMetrics) -> None:
    """The leading figures, and milliseconds for each case; metrics.json has all of them."""
    measured = [one for one in found.systems if not one.failed]
    asks_questions = any(one.questions for one in measured)
    console().print(_of_questions(measured) if asks_questions else _of_rankings(measured))
    for one in found.systems:
        if one.failed:
            note(f"{one.name} was not measured: {one.failed}")
        for doubt in one.suspicions:
            note(f"{one.name}: {doubt.kind}. {doubt.detail}")
        if one.faults:
            counts = ", ".join(f"{kind} {count}" for kind, count in one.faults.items())
            note(f"{one.name}: invalid answers of {one.cases}: {counts}.")


def _of_rankings(measured: Sequence[SystemResult]) -> Table:
    titles = [_longest(measured[0].metrics, name) for name in _LEADING] if measured else []
    table = _table("system", *titles, "faulty", "fit s", "ms")
    for one in measured:
        table.add_row(
            one.name,
            *(_figure_text(one.metrics[name]) for name in titles),
            _figure_text(one.metrics["invalid"], alone=True),
            f"{one.fit_s:.2f}",
            f"{one.metrics['ms'].value:.2f}",
        )
    return table


def _of_questions(measured: Sequence[SystemResult]) -> Table:
    table = _table("system", "constraints held", "router", "grounded", "asked", "ms")
    for one in measured:
        table.add_row(
            one.name,
            _figure_text(one.metrics["satisfaction_at_3"]),
            _figure_text(one.metrics["router_accuracy"], alone=True),
            _figure_text(one.metrics["claims_grounded"], alone=True),
            f"{one.cases}",
            f"{one.metrics['mean_ms'].value:.0f}",
        )
    return table


def _table(*titles: str) -> Table:
    from rich.table import Table

    table = Table(box=None)
    for title in titles:
        table.add_column(title, no_wrap=True)
    return table


def _render_comparison(one: SystemComparison) -> None:
    from rich.table import Table

    console().print(f"{one.ours} against {one.theirs}, {one.cases:,} cases")
    table = Table("metric", "ours", "theirs", "difference", "p", "verdict", box=None)
    for line in one.metrics:
        p = line.compared.p_adjusted
        table.add_row(
            line.metric,
            _figure_text(line.ours, alone=True),
            _figure_text(line.theirs, alone=True),
            _figure_text(line.compared.difference, sign="+"),
            "-" if p is None else f"{p:.4f}",
            line.compared.verdict,
        )
    console().print(table)


def _longest(metrics: dict[str, IntervalEstimate], name: str) -> str:
    """The metric at the longest list: H@10 for H; at 1 the hit rate is the NDCG as well."""
    lengths = [int(one.partition("@")[2]) for one in metrics if one.startswith(f"{name}@")]
    return f"{name}@{max(lengths)}" if lengths else "H@1"


def _figure_text(one: IntervalEstimate, *, sign: str = "", alone: bool = False) -> str:
    """A figure, with its interval unless it stands alone."""
    if one.value is None:
        return "-"
    if alone or one.low is None or one.high is None:
        return f"{one.value:{sign}.3f}"
    return f"{one.value:{sign}.3f} [{one.low:{sign}.3f}, {one.high:{sign}.3f}]"


MERGE_EXAMPLES = """
Examples:\n\n
  localrec evaluate run first-half.toml & localrec evaluate run second-half.toml\n\n
  localrec evaluate merge first-half second-half --out runs/both\n\n
  localrec evaluate merge first-half ~/from-the-other-desk/second-half
"""


def merge(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="Names or folders of runs, begun alike.")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FOLDER",
            help="Folder of the new run; else runs/joined in the workspace.",
        ),
    ] = None,
) -> None:
    """Merge runs that measured different systems on the same cases.

    Data, protocol, seed and versions have to be the same; what one of them has not measured to its
    end is left out.
    """
    from localrec.evaluation.merge import merge_runs
    from localrec.evaluation.run_folder import RunFolder, find_run
    from localrec.evaluation.run_report import write_run_report

    context = command_context()
    known = context.workspace / "runs"
    into = RunFolder(out or known / "joined")
    found = merge_runs([find_run(run, known) for run in runs], into)
    page, *_ = write_run_report(into)
    if context.print_json(found):
        return
    console().print(", ".join(one.name for one in found.systems), markup=False, soft_wrap=True)
    note(f"{into.path} holds them as a run; {page.name} shows it.")


TREC_EXAMPLES = """
Examples:\n\n
  localrec evaluate export ml-100k-baselines-full --out trec\n\n
  localrec evaluate import-run ml-100k-baselines-full theirs.run\n\n
  localrec evaluate compare theirs:theirs ml-100k-baselines-full:ease
"""


RunArgument = Annotated[str, typer.Argument(metavar="RUN", help="A run's name or folder.")]


def export_run(
    run: RunArgument,
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="FOLDER", help="The folder to write qrels and a file per system to."
        ),
    ],
) -> None:
    """Write what the systems of a run ranked as TREC files, for any evaluator to read."""
    from localrec.evaluation.ranking.trec_exchange import export_trec
    from localrec.evaluation.run_folder import find_run

    context = command_context()
    files = export_trec(find_run(run, context.workspace / "runs"), out)
    if context.print_json({"files": [str(file) for file in files]}):
        return
    for file in files:
        console().print(str(file), markup=False, soft_wrap=True)


def import_run(
    run: RunArgument,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.run", help="A TREC run file; its topics are ids of the run's cases."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FOLDER",
            help="Folder of the new run; else runs/FILE in the workspace.",
        ),
    ] = None,
) -> None:
    """Judge another program's rankings by the cases of a run, to compare with ours."""
    from localrec.evaluation.provenance import current_origin
    from localrec.evaluation.ranking.trec_exchange import import_trec_run
    from localrec.evaluation.run_folder import RunFolder, find_run
    from localrec.evaluation.run_report import write_run_report

    context = command_context()
    runs = context.workspace / "runs"
    folder = RunFolder(out or runs / file.name.partition(".")[0])
    made = current_origin("-m localrec", ["evaluate", "take-in", Path(run).name, file.name])
    found = import_trec_run(find_run(run, runs), file, folder, made)
    page, *_ = write_run_report(folder)
    if context.print_json(found):
        return
    for one in found.systems:
        told = ", ".join(f"{name} {figure.value:.3f}" for name, figure in one.metrics.items())
        console().print(f"{one.name}: {told}", markup=False, soft_wrap=True)
    note(f"{folder.path} holds it as a run; {page.name} shows it.")


app.command("judge", epilog=judge.EXAMPLES)(judge.judge)
app.command("merge", epilog=MERGE_EXAMPLES)(merge)
app.command("join", epilog=MERGE_EXAMPLES, hidden=True)(merge)  # the old name
app.command("export", epilog=TREC_EXAMPLES)(export_run)
app.command("import-run", epilog=TREC_EXAMPLES)(import_run)
app.command("take-in", epilog=TREC_EXAMPLES, hidden=True)(import_run)  # the old name
app.command("rate", epilog=rate.EXAMPLES)(rate.rate)
app.command("run", epilog=EXAMPLES)(run)
app.command("compare", epilog=EXAMPLES)(compare)
app.command("list")(list_)

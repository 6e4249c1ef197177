"""`localrec evaluate judge`: a local model judges what the systems of a run said, blind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from localrec.cli.context import DomainOption, command_context, console, note, progress, resumable
from localrec.foundation.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from localrec.evaluation.explanations.explanation_records import ExplanationRecord
    from localrec.evaluation.explanations.llm_judge import JudgeVerdict
    from localrec.evaluation.explanations.samples import Sample
    from localrec.evaluation.questions.gold import GoldQuestion
    from localrec.workspace import OpenWorkspace

EXAMPLES = """
Examples:\n\n
  localrec evaluate judge questions\n\n
  localrec evaluate judge RUN --model smollm2-135m --samples 12\n\n
  localrec evaluate rate RUN/samples.jsonl --out RUN/ratings.jsonl
"""
_ANSWERS, _RATIONALES = "answers", "rationales"


def judge(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="A run's name or folder, with answers-SYSTEM.jsonl or rationales-SYSTEM.jsonl.",
        ),
    ],
    model: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who judges: a chat model, or a GGUF file.")
    ] = None,
    scales: Annotated[
        Literal["marc", "memrec"] | None,
        typer.Option(help="MARC's four (of answers), or MemRec's three (of rationales)."),
    ] = None,
    samples: Annotated[
        int, typer.Option(min=1, metavar="N", help="Questions, drawn from those all answered.")
    ] = 30,
    seed: Annotated[int, typer.Option(metavar="S", help="Of the draw; keep it to go on.")] = 7,
    gold: Annotated[
        Path | None,
        typer.Option(metavar="GOLD.jsonl", help="Gold questions, where not those that ship."),
    ] = None,
    domain: DomainOption = None,
) -> None:
    """Have explanations judged without their systems' names, and see what the judge is worth."""
    from localrec.evaluation.explanations.llm_judge import judge_samples
    from localrec.evaluation.explanations.samples import samples_of, write_samples
    from localrec.evaluation.explanations.scales import scales_of

    context = command_context()
    folder = _folder_of(run, context.workspace / "runs")
    family = scales or ("marc" if any(folder.glob(f"{_ANSWERS}-*.jsonl")) else "memrec")
    with context.open_workspace() as opened:
        explained = _explained(opened, folder, family, domain, gold)
    to_judge = samples_of(explained, samples, seed)
    write_samples(folder / "samples.jsonl", to_judge)
    # Opened anew and without its store, so that others may write while the model is at work.
    with context.open_workspace() as opened, resumable(folder), progress() as steps:
        verdicts = judge_samples(
            opened.models.open("judge", model or ""),
            to_judge,
            folder / "verdicts.jsonl",
            scales=scales_of(family),
            seed=seed,
            progress=lambda done, total: steps("judging", done, total),
        )
    arguments = [folder.name, "--scales", family, "--samples", str(samples), "--seed", str(seed)]
    _report(folder, to_judge, verdicts, arguments)


def _folder_of(named: str, runs: Path) -> Path:
    """The folder of a run that explained something; it need not be one of `evaluate run`.

    Raises:
        InputError: there is no such run, or nothing to judge in it.
    """
    from localrec.evaluation.run_folder import find_run

    for path in (Path(named), runs / named):
        if any(True for what in (_ANSWERS, _RATIONALES) for _ in path.glob(f"{what}-*.jsonl")):
            return path
    folder = find_run(named, runs).path
    raise InputError(
        f"{folder} holds neither answers-SYSTEM.jsonl nor rationales-SYSTEM.jsonl.",
        "Judge a run whose systems explain what they recommend.",
    )


def _explained(
    workspace: OpenWorkspace, folder: Path, family: str, domain: str | None, gold: Path | None
) -> list[ExplanationRecord]:
    """What the run's systems explained: rationales for MemRec's scales, else answers."""
    from localrec.data.answers import Answer
    from localrec.evaluation.explanations import explanation_records
    from localrec.evaluation.questions.store_truth import StoreTruth
    from localrec.graph.domain_files import load_domain
    from localrec.workspace.domain_choice import domain_of_items

    rationales = explanation_records.read_run_records(
        folder, _RATIONALES, explanation_records.Rationale
    )
    answers = explanation_records.read_run_records(folder, _ANSWERS, Answer)
    if rationales and (family == "memrec" or not answers):
        keys = [one.item for said in rationales.values() for one in said]
        about = domain_of_items(workspace, keys, domain)
        truth = StoreTruth(workspace.store, load_domain(about))
        return [
            one
            for system, said in rationales.items()
            for one in explanation_records.explained_rationales(
                system, said, lambda user: _likes(workspace, about, user), truth
            )
        ]
    keys = [item.key for said in answers.values() for one in said for item in one.items]
    about = domain_of_items(workspace, keys, domain)
    truth = StoreTruth(workspace.store, load_domain(about))
    questions = _gold_questions(gold, about)
    return [
        one
        for system, said in answers.items()
        for one in explanation_records.explained_answers(system, said, questions, truth)
    ]


def _gold_questions(named: Path | None, domain: str) -> list[GoldQuestion]:
    """Those of the file, else those that ship with the domain, of both halves."""
    from localrec.evaluation.questions.gold import read_gold
    from localrec.foundation.paths import shipped

    path = named or shipped("datasets") / domain / "questions.jsonl"
    if named is None and not path.is_file():
        return []
    return [*read_gold(path, "dev"), *read_gold(path, "test")]


def _likes(workspace: OpenWorkspace, domain: str, user: str) -> list[str]:
    """Keys of the items that a person likes, best first."""
    liked = workspace.context(domain).user_profile(user).liked
    keys = workspace.context(domain).catalogue.keys
    return [keys[place] for place in (-liked).argsort(kind="stable") if liked[place] > 0]


def _report(
    folder: Path,
    samples: Sequence[Sample],
    verdicts: Sequence[JudgeVerdict],
    arguments: Sequence[str],
) -> None:
    """Write `judged.json` and `judged.md`, bring a run's report up to date, print."""
    from localrec.evaluation.explanations.judge_reliability import summarize_judge
    from localrec.evaluation.explanations.judge_report import judged_report
    from localrec.evaluation.provenance import current_origin
    from localrec.evaluation.reporting.rendering import as_markdown
    from localrec.evaluation.run_folder import RunFolder
    from localrec.evaluation.run_report import write_run_report
    from localrec.foundation.paths import owner_only

    origin = current_origin("-m localrec", ["evaluate", "judge", *arguments])
    judged = summarize_judge(samples, verdicts, origin)
    told = as_markdown(judged_report(judged, samples, verdicts))
    RunFolder(folder).write("judged.json", judged)
    with owner_only():
        (folder / "judged.md").write_text(told, encoding="utf-8")
    if (folder / "origin.json").is_file():
        write_run_report(RunFolder(folder))
    if not command_context().print_json(judged):
        console().print(told, soft_wrap=True)
    note(f"{folder} holds samples, verdicts, judged.json and judged.md.")

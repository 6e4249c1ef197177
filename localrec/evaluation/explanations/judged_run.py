"""What the systems of a run said, drawn blind and judged by a local model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from localrec.foundation.errors import InputError
from localrec.foundation.progress import Progress

if TYPE_CHECKING:
    from localrec.evaluation.explanations.explanation_records import ExplanationRecord
    from localrec.evaluation.explanations.judge_reliability import JudgeSummary
    from localrec.evaluation.explanations.llm_judge import JudgeVerdict
    from localrec.evaluation.explanations.samples import Sample
    from localrec.evaluation.questions.gold import GoldQuestion
    from localrec.workspace import OpenWorkspace

Scales = Literal["marc", "memrec"]
_ANSWERS, _RATIONALES = "answers", "rationales"


def scales_for(folder: Path) -> Scales:
    """Return the scales that fit a run: MARC's for answers, else MemRec's for rationales."""
    return "marc" if any(folder.glob(f"{_ANSWERS}-*.jsonl")) else "memrec"


def samples_to_judge(
    opened: OpenWorkspace,
    folder: Path,
    scales: Scales,
    domain: str | None,
    gold: Path | None,
    count: int,
    seed: int,
) -> Sequence[Sample]:
    """Draw what is judged, without the systems' names, and write it beside the run.

    Args:
        opened: The workspace that the run was measured on.
        folder: The run.
        scales: The scales of the judgement.
        domain: Domain of the items; by default the one that knows them.
        gold: A file of gold questions; None for those that ship.
        count: The number of questions, drawn from those that all systems answered.
        seed: Seed of the draw.
    """
    from localrec.evaluation.explanations.samples import samples_of, write_samples

    drawn = samples_of(_explained(opened, folder, scales, domain, gold), count, seed)
    write_samples(folder / "samples.jsonl", drawn)
    return drawn


def judge_drawn(
    opened: OpenWorkspace,
    folder: Path,
    samples: Sequence[Sample],
    scales: Scales,
    seed: int,
    model: str | None,
    progress: Progress,
) -> Sequence[JudgeVerdict]:
    """Have a model judge samples; what it judged before is read from the run's folder.

    Args:
        opened: The workspace, whose store may stay closed.
        folder: The run.
        samples: The explanations to judge.
        scales: The scales to judge them on.
        seed: Seed of the draw.
        model: A chat model or a GGUF file; by default the settings' judge.
        progress: Called with the step, how much of it is done, and of how much.
    """
    from localrec.evaluation.explanations.llm_judge import judge_samples
    from localrec.evaluation.explanations.scales import scales_of

    return judge_samples(
        opened.models.open("judge", model or ""),
        samples,
        folder / "verdicts.jsonl",
        scales=scales_of(scales),
        seed=seed,
        progress=lambda done, total: progress("judging", done, total),
    )


def keep_judgement(
    folder: Path,
    samples: Sequence[Sample],
    verdicts: Sequence[JudgeVerdict],
    arguments: Sequence[str],
) -> tuple[JudgeSummary, str]:
    """Write `judged.json` and `judged.md`, and bring the run's report up to date.

    Args:
        folder: The run.
        samples: The judged samples.
        verdicts: The judge's verdicts.
        arguments: Arguments of the command that repeats the judgement.

    Returns:
        The figures, and the page.
    """
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
    return judged, told


def explained_folder(named: str, runs: Path) -> Path:
    """Return the folder of a run that explained something; it need not be one of `evaluate run`.

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
    opened: OpenWorkspace, folder: Path, family: str, domain: str | None, gold: Path | None
) -> list[ExplanationRecord]:
    """Read the run's explanations: rationales for MemRec's scales, else answers."""
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
        about = domain_of_items(opened, keys, domain)
        truth = StoreTruth(opened.store, load_domain(about))
        return [
            one
            for system, said in rationales.items()
            for one in explanation_records.explained_rationales(
                system, said, lambda user: _likes(opened, about, user), truth
            )
        ]
    keys = [item.key for said in answers.values() for one in said for item in one.items]
    about = domain_of_items(opened, keys, domain)
    truth = StoreTruth(opened.store, load_domain(about))
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


def _likes(opened: OpenWorkspace, domain: str, user: str) -> list[str]:
    """Keys of the items that a person likes, best first."""
    liked = opened.context(domain).user_profile(user).liked
    keys = opened.context(domain).catalogue.keys
    return [keys[place] for place in (-liked).argsort(kind="stable") if liked[place] > 0]

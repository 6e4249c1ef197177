"""`localrec evaluate rate`: a person rates the judge's samples, blind, with one key each."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from localrec.cli.context import command_context, console, note, resumable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from localrec.evaluation.explanations.human_rating import RatingPrompt, RatingSession
    from localrec.evaluation.explanations.judge_reliability import RaterAgreement
    from localrec.evaluation.explanations.samples import Sample

EXAMPLES = """
Examples:\n\n
  localrec evaluate judge RUN\n\n
  localrec evaluate rate RUN/samples.jsonl --out RUN/ratings.jsonl\n\n
  localrec evaluate rate RUN/samples.jsonl --out mine.jsonl --scales all --judge RUN/verdicts.jsonl
"""
_KEYS = "1 to 5, s skip, u undo, q quit"


def rate(
    samples: Annotated[
        Path, typer.Argument(metavar="SAMPLES.jsonl", help="The explanations to rate.")
    ],
    out: Annotated[
        Path,
        typer.Option(metavar="RATINGS.jsonl", help="File for your scores; run again to go on."),
    ],
    scales: Annotated[
        Literal["marc", "memrec", "all"], typer.Option(help="MARC's four, MemRec's three, or all.")
    ] = "marc",
    judge: Annotated[
        Path | None,
        typer.Option(
            metavar="VERDICTS.jsonl", help="A judge's verdicts; by default those beside SAMPLES."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the order; keep it to go on.")] = 0,
) -> None:
    """Rate explanations without knowing whose they are, and see how far the judge agrees."""
    from localrec.evaluation.explanations.human_rating import HumanRating, RatingSession
    from localrec.evaluation.explanations.samples import read_samples
    from localrec.evaluation.explanations.scales import scales_of
    from localrec.foundation.jsonl_log import JsonlLog

    context = command_context()
    to_rate = read_samples(samples)
    with JsonlLog(out, HumanRating) as log, resumable(out):
        session = RatingSession(to_rate, scales_of(scales), log, seed)
        _ask(session, console(to_stderr=True))
    found = _agreements(session, to_rate, judge or samples.with_name("verdicts.jsonl"), bool(judge))
    if not context.print_json(_outcome(session, to_rate, found)):
        _render(session, to_rate, found, console())
    if session.left:
        note(f"{session.left} are left; run the same command again to go on.")


def _ask(session: RatingSession, out: Console) -> None:
    """Show one after the other and take a key for each, until nothing is left or `q`."""
    shown, keys = "", _keys()
    while (asked := session.current) is not None:
        if asked.sample.id != shown:
            _show_sample(asked, out)
            shown = asked.sample.id
        out.print(f"{asked.number} of {asked.total}. {asked.scale.statement}", style="bold")
        out.print(f"   1: {asked.scale.worst}; 5: {asked.scale.best}", style="dim")
        key = next(keys, "q")
        while not _handle_key(key, session, out):
            if key == "q":
                return
            out.print(f"   That key means nothing here: {_KEYS}.", style="yellow")
            key = next(keys, "q")


def _handle_key(key: str, session: RatingSession, out: Console) -> bool:
    """Do what a key says; False where it says to quit, or nothing."""
    if key in {"1", "2", "3", "4", "5"}:
        session.rate(int(key))
        out.print(f"   {key}")
    elif key == "s":
        session.rate(None)
        out.print("   skipped")
    elif key == "u":
        out.print("   taken back" if session.undo() else "   There is nothing to take back.")
    else:
        return False
    return True


def _keys() -> Iterator[str]:
    """Keys as they are pressed; where no terminal is, the first letter of each line."""
    if sys.stdin.isatty():
        while True:
            try:
                yield typer.getchar().lower()
            except EOFError:  # Ctrl+D
                return
    for line in sys.stdin:
        if line.strip():
            yield line.strip()[0].lower()


def _show_sample(prompt: RatingPrompt, out: Console) -> None:
    from localrec.foundation.text import clean_text

    sample = prompt.sample
    parts = {
        "Asked for": sample.request,
        "Recommended": sample.recommended,
        "The catalogue says": sample.facts,
        "Explanation": sample.explanation,
    }
    out.print()
    for title, text in parts.items():
        if text:
            out.print(f"{title}: {clean_text(text)}")
    out.print(f"(Keys: {_KEYS})", style="dim")
    out.print()


def _agreements(
    session: RatingSession, samples: Sequence[Sample], judge: Path, asked_for: bool
) -> list[RaterAgreement]:
    """The person against the checks, and against the judge where one has been at work."""
    from localrec.evaluation.explanations.judge_reliability import (
        agreement_between,
        agreement_with_checks,
        scores_of_judge,
        scores_of_user,
    )
    from localrec.evaluation.explanations.llm_judge import JudgeVerdict
    from localrec.foundation.jsonl_log import read_records

    given = scores_of_user(session.ratings)
    found = []
    if asked_for or judge.is_file():
        texts = {(sample.id, sample.digest) for sample in samples}
        verdicts = [one for one in read_records(judge, JudgeVerdict) if (one.id, one.of) in texts]
        for name in dict.fromkeys(one.judge for one in verdicts):
            scores = scores_of_judge(one for one in verdicts if one.judge == name)
            found += agreement_between(given, scores, name, samples)
    return found + agreement_with_checks(given, samples)


def _outcome(
    session: RatingSession, samples: Sequence[Sample], found: Sequence[RaterAgreement]
) -> dict[str, Any]:
    """Build the output of --json; it names the systems once no sample is left to be rated."""
    from localrec.evaluation.explanations.judge_reliability import means_by_system, scores_of_user

    ratings = session.ratings
    return {
        "rated": sum(one.score is not None for one in ratings),
        "skipped": sum(one.score is None for one in ratings),
        "left": session.left,
        "agreement": found,
        "systems": None if session.left else means_by_system(scores_of_user(ratings), samples),
    }


def _render(
    session: RatingSession, samples: Sequence[Sample], found: Sequence[RaterAgreement], out: Console
) -> None:
    from localrec.evaluation.reporting.number_format import with_interval

    outcome = _outcome(session, samples, found)
    out.print(
        f"{outcome['rated']} rated, {outcome['skipped']} skipped, {outcome['left']} left.",
        style="bold",
    )
    known = [one for one in found if one.spearman.value is not None]
    for one in known:
        figures = f"Spearman {with_interval(one.spearman, 2)}"
        figures += f", weighted kappa {with_interval(one.kappa, 2)}"
        out.print(f"{one.scale}, you and {one.other}: {one.says} ({figures})")
    if not known:
        out.print("Too little was rated yet, or too much alike, to tell an agreement.")
    for system, means in (outcome["systems"] or {}).items():
        told = ", ".join(
            f"{scale} {with_interval(one, 2)}" for scale, one in means.items() if one.n
        )
        out.print(f"{system}: {told}")

"""An answer as a person reads it: the items on top, then why, then (if asked) how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from localrec.sources.text import clean_text

if TYPE_CHECKING:
    from rich.console import Console

    from localrec.types import Answer, Evidence, Recommendations, RecommendedItem


def render_answer(answer: Answer, out: Console, *, explain: bool) -> None:
    """Print an answer; colour only adds to what the words say."""
    if answer.message:
        out.print(Text(clean_text(answer.message), style="yellow"))
        out.print()
    for item in answer.items:
        _render_item(item, out, explain=explain)
    if answer.near:
        out.print(Text("Close, but missing something:", style="bold"))
        for item in answer.near:
            out.print(Text(f"   {item.name}", style="bold").append(f"  {item.reason}", "dim"))
        out.print()
    if answer.intent.corrected:
        read = ", ".join(f"{typed} → {meant}" for typed, meant in answer.intent.corrected.items())
        out.print(Text(clean_text(f"Read as: {read}"), style="dim"))
    if explain:
        _render_how(answer, out)


def render_recommendations(found: Recommendations, out: Console, *, explain: bool) -> None:
    """Print a person's list: the items on top of their reasons."""
    if found.message:
        out.print(Text(clean_text(found.message), style="yellow"))
        out.print()
    for item in found.items:
        _render_item(item, out, explain=explain)
    if explain:
        spoke = ", ".join(f"{kind}: {who}" for kind, who in found.spoke.items())
        times = ", ".join(f"{stage} {ms:.1f} ms" for stage, ms in found.timings_ms.items())
        out.print(Text(f"From {found.history} items of {found.user}'s history. {spoke}", "dim"))
        out.print(Text(f"Times: {times}", "dim"))


def _render_item(item: RecommendedItem, out: Console, *, explain: bool) -> None:
    mark = "" if item.satisfies else "  (not all you asked for)"
    out.print(Text(f"{item.rank:>2}  ", "dim").append(item.name, "bold green").append(mark))
    if item.reason:
        out.print(Text(f"    {item.reason}"))
    parts = [_part(edge) for edge in item.evidence if edge.source == item.name and edge.value]
    if parts:
        out.print(Text(f"    {' · '.join(dict.fromkeys(parts))}", style="dim"))
    if item.missing:
        out.print(Text(f"    missing: {', '.join(item.missing)}", style="yellow"))
    if explain:
        for edge in item.evidence:
            value = f"  [{edge.value}]" if edge.value else ""
            line = f"      {edge.source} —{edge.relation}→ {edge.target}{value}"
            out.print(Text(line, style="cyan"))
    out.print()


def _part(edge: Evidence) -> str:
    return f"{edge.target} {edge.value}"


def _render_how(answer: Answer, out: Console) -> None:
    task = answer.task
    out.print(
        Text(f"Task {task.kind.value} ({task.confidence:.2f}): {clean_text(task.reason)}", "dim")
    )
    for number, scores in enumerate(answer.reflection.scores, 1):
        chosen = " (chosen)" if number == answer.reflection.chosen else ""
        told = ", ".join(f"{name} {value:g}" for name, value in scores.items())
        out.print(Text(f"Round {number}{chosen}: {told}", "dim"))
    spoke = ", ".join(f"{stage}: {who}" for stage, who in answer.spoke.items())
    times = ", ".join(f"{stage} {ms:.1f} ms" for stage, ms in answer.timings_ms.items())
    out.print(Text(f"Who spoke: {spoke}", "dim"))
    out.print(Text(f"Times: {times}", "dim"))
    if answer.tokens:
        tokens = ", ".join(f"{stage} {count}" for stage, count in answer.tokens.items())
        out.print(Text(f"Tokens: {tokens}", "dim"))

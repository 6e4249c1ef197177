"""An answer as a person reads it: the items on top, then why, then (if asked) how.

Lists are told in the same words. Whatever a person, a catalogue or a model wrote is cleaned, so
that nothing of it moves a cursor.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import msgspec
from rich.padding import Padding
from rich.text import Text

from localrec.foundation.prose import join_words
from localrec.foundation.text import clean_text
from localrec.graph.edge_phrases import edge_phrase

if TYPE_CHECKING:
    from rich.console import Console

    from localrec.data.answers import Answer
    from localrec.data.evidence import Evidence
    from localrec.data.model_calls import ChatTurn, ModelCall
    from localrec.data.query import ImageWord, QueryImage
    from localrec.data.recommendations import MemorySummary, Recommendations, RecommendedItem

_INDENT = 4  # columns
_NARROWEST = 20  # columns of an indented text in any terminal
_LEANS = {
    "name": "asked what it shows",
    "example": "taken as the example",
    "look": "taken for its look",
    "container": "taken for what holds it",
    "component": "asked what is in it",
    "beside": "beside the question",
}
_SPEAKER = 11  # columns of who speaks: "assistant:" and a space


def render_answer(
    answer: Answer, out: Console, *, domain: str, user: str | None, explain: bool
) -> None:
    """Print an answer; colour only adds to what the words say.

    Args:
        answer: To one question.
        out: The console to print on.
        domain: Name of the domain that was asked.
        user: The person who asked.
        explain: Show how it came about.
    """
    if answer.message:
        out.print(Text(clean_text(answer.message), style="yellow"))
        out.print()
    _render_items(answer.items, domain, out, explain=explain)
    if answer.near_misses:
        out.print(Text("Close, but missing something:", style="bold"))
        for item in answer.near_misses:
            told = Text(f"{item.name}", style="bold").append(f"  {item.reason}", "dim")
            _print_indented(out, told, indent=3)
        out.print()
    if answer.intent.corrected:
        read = ", ".join(f"{typed} → {meant}" for typed, meant in answer.intent.corrected.items())
        out.print(Text(clean_text(f"Read as: {read}"), style="dim"))
    if answer.memory is not None:
        _render_memory(answer.memory, user or "", out, explain=explain)
    if explain and answer.seen is not None:
        _render_seen(answer.seen, out)
    if explain:
        _render_how(answer, out)
        if answer.trajectory is not None:
            render_trajectory(answer.trajectory, out)
        _render_model_saw(answer.model_saw or (), out)


def render_recommendations(found: Recommendations, out: Console, *, explain: bool) -> None:
    """Print a person's list: the items on top of their reasons."""
    if found.message:
        out.print(Text(clean_text(found.message), style="yellow"))
        out.print()
    _render_items(found.items, found.domain, out, explain=explain)
    if found.memory is not None:
        _render_memory(found.memory, found.user, out, explain=explain)
    if explain:
        components = ", ".join(f"{kind}: {who}" for kind, who in found.answered_by.items())
        times = ", ".join(f"{stage} {ms:.1f} ms" for stage, ms in found.timings_ms.items())
        whose = join_words(found.users or (found.user,))
        out.print(Text(f"From {found.history} items of {whose}'s history. {components}", "dim"))
        out.print(Text(f"Times: {times}", "dim"))
    if explain and found.trajectory is not None:
        render_trajectory(found.trajectory, out)


def render_trajectory(acted: Mapping[str, Any], out: Console, *, of: str = "") -> None:
    """Print what an agent did, thought by thought.

    Args:
        acted: The fields of an `agent.trajectory.Trajectory`.
        out: The console to print on.
        of: Name at the head of the lines; "" for "The agent".
    """
    from localrec.data.trajectory import FAULTS, Trajectory

    trajectory = msgspec.convert(acted, Trajectory)
    who = clean_text(trajectory.model) or "no model"
    out.print(Text(f"{clean_text(of) or 'The agent'}: {trajectory.agent}, {who}", "bold"))
    for number, step in enumerate(trajectory.steps, 1):
        thought = f" {clean_text(step.thought)}" if step.thought else ""
        out.print(Text(f"{number:>3}.{thought}"))
        if step.call is not None:
            arguments = ", ".join(clean_text(str(one)) for one in step.call.arguments.values())
            out.print(Text(f"     asks {step.call.tool}({arguments})", style="cyan"))
            for line in step.observation.split("\n"):
                out.print(Text(f"       {clean_text(line)}", style="dim"))
    if trajectory.fault is not None:
        out.print(Text(f"     {FAULTS[trajectory.fault]}", style="yellow"))
    else:
        first = ", ".join(map(str, trajectory.ranking or ()))
        out.print(Text(f"     ranks {first}", style="green"))
    cost = trajectory.cost
    out.print(
        Text(
            f"     {trajectory.tool_calls} calls of tools, {cost.calls} of the model, "
            f"{cost.prompt_tokens:,} tokens read, {cost.new_tokens:,} written, "
            f"{trajectory.ms:,.0f} ms",
            style="dim",
        )
    )
    out.print()


def _render_items(
    items: Sequence[RecommendedItem], domain: str, out: Console, *, explain: bool
) -> None:
    for item in items:
        _render_item(item, out)
        for edge in item.evidence if explain else ():
            value = f"  [{edge.value}]" if edge.value else ""
            phrase = edge_phrase(edge.relation, domain)
            out.print(Text(f"      {edge.source} —{phrase}→ {edge.target}{value}", style="cyan"))
        out.print()


def _render_item(item: RecommendedItem, out: Console) -> None:
    mark = "" if item.satisfies else "  (not all you asked for)"
    out.print(Text(f"{item.rank:>2}  ", "dim").append(item.name, "bold green").append(mark))
    if item.reason:
        _print_indented(out, Text(item.reason))
    parts = [_edge_text(edge) for edge in item.evidence if edge.source == item.name and edge.value]
    for line in _lines_of(list(dict.fromkeys(parts)), out.width - _INDENT):
        _print_indented(out, Text(line, style="dim"))
    if item.missing:
        _print_indented(out, Text(f"missing: {', '.join(item.missing)}", style="yellow"))


def _edge_text(edge: Evidence) -> str:
    return f"{edge.target} {edge.value}"


def _lines_of(parts: Sequence[str], width: int) -> list[str]:
    """Parts side by side, no part on two lines that fits on one; a dot shows that more follows."""
    lines: list[str] = []
    for part in parts:
        if lines and len(f"{lines[-1]} · {part} ·") <= width:
            lines[-1] += f" · {part}"
        else:
            lines.append(part)
    return [f"{line} ·" for line in lines[:-1]] + lines[-1:]


def _print_indented(out: Console, text: Text, *, indent: int = _INDENT) -> None:
    """Print a text whose every line stands as far from the edge."""
    for line in text.wrap(out, max(_NARROWEST, out.width - indent)):
        line.rstrip()
        out.print(Text(" " * indent).append_text(line))


def _render_how(answer: Answer, out: Console) -> None:
    task = answer.task
    out.print(
        Text(f"Task {task.kind.value} ({task.confidence:.2f}): {clean_text(task.reason)}", "dim")
    )
    for number, scores in enumerate(answer.reflection.scores, 1):
        chosen = " (chosen)" if number == answer.reflection.chosen else ""
        told = ", ".join(f"{name} {value:g}" for name, value in scores.items())
        out.print(Text(f"Round {number}{chosen}: {told}", "dim"))
    components = ", ".join(f"{stage}: {who}" for stage, who in answer.answered_by.items())
    times = ", ".join(f"{stage} {ms:.1f} ms" for stage, ms in answer.timings_ms.items())
    out.print(Text(f"Who spoke: {components}", "dim"))
    out.print(Text(f"Times: {times}", "dim"))
    if answer.tokens:
        tokens = ", ".join(f"{stage} {count}" for stage, count in answer.tokens.items())
        out.print(Text(f"Tokens: {tokens}", "dim"))


def _render_memory(memory: MemorySummary, user: str, out: Console, *, explain: bool) -> None:
    """Mark what memory took part in; then tell what the neighbours, by number, have in common."""
    users = _many(memory.neighbours["people"], "person", "people")
    items = _many(memory.neighbours["items"], "item", "items")
    mark = f"Memory took part: {users} and {items} nearest to {user}'s taste."
    out.print(Text(clean_text(mark), "dim"))
    for facet in memory.facets if explain else ():
        numbers = ", ".join(map(str, facet.supporters))
        told = clean_text(f"{facet.text}: {facet.confidence:.2f}, neighbours {numbers}")
        out.print(Text(f"  {told}", "dim"))


def _render_seen(seen: QueryImage, out: Console) -> None:
    """All that was seen in the picture, how sure it is, and what of it counted."""
    out.print(Text(clean_text(f"In the picture, by {seen.by} ({_LEANS[seen.leans]}):"), "dim"))
    told = {
        "colours": seen.colours,
        "looks": [one for one in (seen.clarity, seen.foam, seen.ice) if one is not None],
        "glass": [] if seen.glass is None else [seen.glass],
        "garnish": seen.garnish,
    }
    lines = {what: ", ".join(map(_seen_word, words)) for what, words in told.items()}
    lines["layers"] = ", ".join(seen.layers)
    lines["texture"] = seen.texture
    lines["guesses"] = ", ".join(
        guess.name if guess.key else f"{guess.name} (not in the catalogue)"
        for guess in seen.guesses
    )
    lines["counted"] = ", ".join(seen.counted) or "nothing"
    for what, line in lines.items():
        if line:
            out.print(Text(f"{'':<{_INDENT}}{what}: {clean_text(line)}", "dim"))


def _seen_word(one: ImageWord) -> str:
    share = "" if one.share is None or one.share == 1 else f" of {one.share:.0%}"
    return f"{one.word}{share} ({one.confidence:.2f})"


def _many(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"


def _render_model_saw(calls: Sequence[ModelCall], out: Console) -> None:
    """All that a model read and replied; a beginning that it read before is not shown again."""
    if not calls:
        out.print(Text("No model was asked.", "dim"))
    read: dict[str, tuple[ChatTurn, ...]] = {}
    for call in calls:
        before = read.get(call.role, ())
        out.print(Text(clean_text(f"What {call.model} saw as {call.role}:"), "dim"))
        again = _common(before, call.saw)
        if again:
            shown = _many(again, "turn", "turns")
            out.print(Text(f"{'':<{_INDENT}}{shown} as before, then", "dim"))
        for turn in call.saw[again:]:
            _render_said(turn.role, turn.text, out)
        _render_said("reply", _reply(call), out)
        read[call.role] = call.saw


def _common(before: Sequence[ChatTurn], now: Sequence[ChatTurn]) -> int:
    """Count the turns that both conversations begin with."""
    pairs = zip(before, now, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def _reply(call: ModelCall) -> str:
    if call.choice is not None:
        return ", ".join(f"{label} {chance:.2f}" for label, chance in call.choice.items())
    return f"none: {call.failed}" if call.reply is None else call.reply


def _render_said(who: str, text: str, out: Console) -> None:
    """Print the speaker, then the words, line under line."""
    for number, line in enumerate(text.splitlines() or [""]):
        label = f"{who}:" if number == 0 else ""
        said = Text(f"{label:<{_SPEAKER}}{clean_text(line)}", "dim")
        out.print(Padding(said, (0, 0, 0, _INDENT), expand=False))

"""`localrec memory`: what is remembered of people and items, and the jobs that keep it current."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from localrec.cli.context import (
    CommandContext,
    Commands,
    DomainOption,
    command_context,
    console,
    note,
    progress,
    read_piped,
    user_key,
)
from localrec.foundation.errors import InputError

if TYPE_CHECKING:
    from localrec.graph.store import Store
    from localrec.memory.job_queue import JobRow
    from localrec.memory.rebuild import RebuildReport
    from localrec.memory.records import Memory
    from localrec.workspace.memories import MemoryOwner

EXAMPLES = """
Examples:\n\n
  localrec memory show --user anna\n\n
  localrec memory history --item "Negroni"\n\n
  localrec memory edit --user anna --text "Likes it bitter, and never too sweet."\n\n
  localrec memory pin --user anna\n\n
  localrec memory jobs\n\n
  localrec memory run --model\n\n
  localrec memory rebuild --domain movies
"""

app = Commands(
    help="Memories of people and items: read, change and pin them.",
    epilog=EXAMPLES,
    no_args_is_help=True,
)

UserOption = Annotated[
    str | None, typer.Option("--user", metavar="KEY", help="A person's memory.", callback=user_key)
]
ItemOption = Annotated[
    str | None, typer.Option("--item", metavar="KEY", help="An item's memory: its key or name.")
]


_Outcome = TypeVar("_Outcome")


def _owner_json(owner: MemoryOwner, **memories: Any) -> dict[str, Any]:
    """Return what JSON says of the owner, and of their memories."""
    return {"name": owner.name, "domain": owner.domain, **memories}


@app.command("show", epilog=EXAMPLES)
def show(user: UserOption = None, item: ItemOption = None, domain: DomainOption = None) -> None:
    """Show the newest memory: its words, what supports them, and where they came from."""
    from localrec.memory.records import memory_of

    context, owner, memory = _with_memory(user, item, domain, memory_of)
    if context.print_json(_owner_json(owner, memory=memory)):
        return
    if memory is None:
        console().print(f"Nothing is remembered of {owner.name} yet.")
        note("What was said is worked into memories by: localrec memory run")
    else:
        _render(memory, facets=True)


@app.command("history", epilog=EXAMPLES)
def history(user: UserOption = None, item: ItemOption = None, domain: DomainOption = None) -> None:
    """List all versions of a memory, the newest first."""
    from localrec.memory.records import history_of

    context, owner, versions = _with_memory(user, item, domain, history_of)
    if context.print_json(_owner_json(owner, versions=versions)):
        return
    if not versions:
        console().print(f"Nothing is remembered of {owner.name} yet.")
    for memory in versions:
        _render(memory)


@app.command("edit", epilog=EXAMPLES)
def edit(
    user: UserOption = None,
    item: ItemOption = None,
    text: Annotated[
        str | None,
        typer.Option("--text", metavar="TEXT", help="The new words; else they come from stdin."),
    ] = None,
    domain: DomainOption = None,
) -> None:
    """Put a memory in your own words; it is pinned, so nothing overwrites them."""
    from localrec.memory.records import edit_memory

    words = text if text is not None else read_piped("Give --text, or pipe the words in.")
    context, owner, memory = _with_memory(
        user, item, domain, lambda store, node_id: edit_memory(store, node_id, words), changes=True
    )
    if not context.print_json(_owner_json(owner, memory=memory)):
        _render(memory)
        note(f"Let it be brought up to date again: localrec memory unpin {owner.option}")


@app.command("pin", epilog=EXAMPLES)
def pin(user: UserOption = None, item: ItemOption = None, domain: DomainOption = None) -> None:
    """Keep a memory as it is, until you edit, unpin or forget it."""
    _pin(user, item, domain, pinned=True)


@app.command("unpin", epilog=EXAMPLES)
def unpin(user: UserOption = None, item: ItemOption = None, domain: DomainOption = None) -> None:
    """Let a memory be brought up to date again; the version it has now stays in its history."""
    _pin(user, item, domain, pinned=False)


@app.command("jobs", epilog=EXAMPLES)
def jobs(
    pause: Annotated[bool, typer.Option("--pause", help="Let jobs wait from now on.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Let them be worked again.")] = False,
    retry: Annotated[bool, typer.Option("--retry", help="Let failed jobs wait again.")] = False,
    k: Annotated[int, typer.Option("-k", min=1, max=1000, help="The number of jobs to list.")] = 10,
) -> None:
    """List the jobs that update memories: those that wait, are done, or failed and why."""
    from localrec.memory.report import count_noun
    from localrec.workspace.memories import change_queue, queue_report

    context = command_context()
    if not (context.workspace / "store.duckdb").is_file():
        raise InputError(
            f"There is nothing in the workspace {context.workspace} yet.",
            "Put a catalogue in: localrec datasets pull cocktails",
        )
    with context.open_workspace(writable=pause or resume or retry) as opened:
        retried = change_queue(opened.store, pause=pause, resume=resume, retry=retry)
        found = queue_report(opened.store, k, retried)
    if context.print_json(found):
        return
    out = console()
    out.print(", ".join(f"{count:,} {state}" for state, count in found.counts.items()))
    if found.events:
        did, calls = count_noun(found.events, "thing"), count_noun(found.calls, "call")
        out.print(f"{did} people did took {calls} to work in.")
    if retry:
        out.print(f"{count_noun(retried, 'failed job')} to be tried again.")
    if found.paused:
        out.print("Jobs are paused: localrec memory jobs --resume", style="yellow")
    _render_jobs(found.jobs)


@app.command("run", epilog=EXAMPLES)
def run(
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=1, help="Stop after so many jobs.")
    ] = None,
    use_model: Annotated[
        bool | None,
        typer.Option(
            "--model/--no-model",
            help="Let a model word memories, one call a job; else what models use says.",
        ),
    ] = None,
) -> int:
    """Work all that waits into memories now; several things that one person did are one job.

    Exits with 1 when a job failed; it waits for another run, three times at most.
    """
    from localrec.memory.report import work_summary
    from localrec.workspace.memories import work_queue

    context = command_context()
    with context.open_workspace() as opened, progress() as steps:
        report = work_queue(opened, limit, use_model, steps)
    if not context.print_json(report):
        console().print(work_summary(report))
    return int(report.failed > 0)


@app.command("rebuild", epilog=EXAMPLES)
def rebuild(domain: DomainOption = None) -> None:
    """Count the memories of all people and items anew, without a model, as after an import.

    Of all domains, or of one. What is pinned stays; what is interrupted goes on the next time.
    """
    from localrec.workspace.domain_choice import domain_of_question
    from localrec.workspace.memories import rebuild_memories

    context = command_context()
    with context.open_workspace() as opened:
        domains = [domain_of_question(opened, "", domain)] if domain else opened.domains()
    with context.open_workspace() as opened, progress() as steps:
        reports = rebuild_memories(opened, domains, steps)
    if context.print_json({"domains": reports}):
        return
    for report in reports:
        console().print(_rebuild_text(report))


def _pin(user: str | None, item: str | None, domain: str | None, *, pinned: bool) -> None:
    from localrec.memory.records import pin_memory
    from localrec.workspace.memories import nothing_remembered

    context, owner, memory = _with_memory(
        user, item, domain, lambda store, node_id: pin_memory(store, node_id, pinned), changes=True
    )
    if memory is None:
        raise nothing_remembered(owner)
    if not context.print_json(_owner_json(owner, memory=memory)):
        _render(memory)


def _with_memory(
    user: str | None,
    item: str | None,
    domain: str | None,
    act: Callable[[Store, int], _Outcome],
    *,
    changes: bool = False,
) -> tuple[CommandContext, MemoryOwner, _Outcome]:
    """Find the owner of a memory and act on their node in the store."""
    from localrec.workspace.memories import memory_owner

    context = command_context()
    with context.open_workspace(writable=changes) as opened:
        owner = memory_owner(opened, user, item, domain)
        return context, owner, act(opened.store, owner.node_id)


def _render(memory: Memory, *, facets: bool = False) -> None:
    from rich.text import Text

    from localrec.memory.report import SOURCE_LABELS

    out = console()
    pinned = ", pinned" if memory.pinned else ""
    source = SOURCE_LABELS[memory.source]
    head = f"Version {memory.version}, {source}{pinned}, {memory.at:%Y-%m-%d %H:%M}"
    out.print(Text(head, "dim"))
    out.print(Text(memory.text or "(nothing)"))
    for facet in memory.facets if facets else ():
        support = f"{len(facet.supporters)} in support" if facet.supporters else ""
        out.print(Text(f"  {facet.confidence:.2f}  {facet.text}  ").append(support, "dim"))


def _render_jobs(rows: Sequence[JobRow]) -> None:
    from rich.text import Text

    from localrec.memory.job_queue import MOST_FAILURES

    out = console()
    for row in rows:
        line = Text(f"{row.job_id:>6}  {row.state:<8}", "bold")
        line.append(f"{row.user} {row.event} {row.item}", "not bold")
        if row.skipped:
            line.append(f"  ({len(row.skipped)} pinned left as they are)", "not bold dim")
        out.print(line)
        if row.error:
            tries = f" ({row.failures} of {MOST_FAILURES} tries)" if row.failures else ""
            out.print(Text(f"        {row.error}{tries}", "yellow"))


def _rebuild_text(report: RebuildReport) -> str:
    from localrec.memory.report import count_noun

    parts = [
        f"{report.domain}: {count_noun(report.users, 'person', 'people')} and "
        f"{count_noun(report.items, 'item')} remembered anew"
        + (", where an earlier run had stopped" if report.resumed else ""),
        f"new versions of memories: {report.written:,}",
    ]
    if report.skipped:
        parts.append(f"pinned and left as they are: {report.skipped:,}")
    return "; ".join(parts) + "."

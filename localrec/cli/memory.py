"""`localrec memory`: what is remembered of people and items, and the jobs that keep it current."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

import typer

from localrec.cli.context import (
    CommandContext,
    Commands,
    DomainOption,
    command_context,
    console,
    note,
    print_json,
    progress,
    read_piped,
    user_key,
)
from localrec.foundation.errors import CutShortError, InputError, UsageError

if TYPE_CHECKING:
    from localrec.graph.store import Store
    from localrec.memory.job_queue import JobRow
    from localrec.memory.rebuild import RebuildReport
    from localrec.memory.records import Memory
    from localrec.workspace import OpenWorkspace

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
    help="What is remembered of people and items; yours to read, to change and to pin.",
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


class _MemoryOwner(NamedTuple):
    """The user or item that a memory belongs to."""

    node_id: int
    domain: str
    name: str
    option: str  # as it is typed, for hints

    def told(self, **memories: Any) -> dict[str, Any]:
        """Return what JSON says of the owner, and of their memories."""
        return {"name": self.name, "domain": self.domain, **memories}


@app.command("show", epilog=EXAMPLES)
def show(user: UserOption = None, item: ItemOption = None, domain: DomainOption = None) -> None:
    """What is remembered now: the words, what supports them, and where they came from."""
    from localrec.memory.records import memory_of

    context, owner, memory = _with_memory(user, item, domain, memory_of)
    if context.print_json(owner.told(memory=memory)):
        return
    if memory is None:
        console().print(f"Nothing is remembered of {owner.name} yet.")
        note("What was said is worked into memories by: localrec memory run")
    else:
        _render(memory, facets=True)


@app.command("history", epilog=EXAMPLES)
def history(user: UserOption = None, item: ItemOption = None, domain: DomainOption = None) -> None:
    """All versions of a memory, the newest first."""
    from localrec.memory.records import history_of

    context, owner, versions = _with_memory(user, item, domain, history_of)
    if context.print_json(owner.told(versions=versions)):
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
    if not context.print_json(owner.told(memory=memory)):
        _render(memory)
        note(f"Let it be brought up to date again: localrec memory unpin {owner.option}")


@app.command("pin", epilog=EXAMPLES)
def pin(user: UserOption = None, item: ItemOption = None, domain: DomainOption = None) -> None:
    """Keep a memory as it is, whatever happens."""
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
    k: Annotated[int, typer.Option("-k", min=1, max=1000, help="How many to list.")] = 10,
) -> None:
    """What waits to be worked into memories, what was, and what failed and why."""
    from localrec.memory import job_queue
    from localrec.memory.report import count_noun

    context = command_context()
    if pause + resume + retry > 1:
        raise UsageError("Say one of --pause, --resume and --retry.", "localrec memory jobs --help")
    if not (context.workspace / "store.duckdb").is_file():
        raise InputError(
            f"There is nothing in the workspace {context.workspace} yet.",
            "Put a catalogue in: localrec datasets pull cocktails",
        )
    with context.open_workspace(writable=pause or resume or retry) as opened:
        store = opened.store
        if pause:
            job_queue.pause(store)
        if resume:
            job_queue.resume(store)
        retried = job_queue.retry_failed(store) if retry else 0
        counts, paused = job_queue.counts_of(store), job_queue.is_paused(store)
        calls, deeds = job_queue.calls_of(store)
        rows = job_queue.jobs_of(store, k)
    if context.as_json:
        told = {"counts": counts, "paused": paused, "retried": retried, "calls": calls}
        print_json({**told, "deeds": deeds, "jobs": rows})
        return
    out = console()
    out.print(", ".join(f"{count:,} {state}" for state, count in counts.items()))
    if deeds:
        out.print(
            f"{count_noun(deeds, 'thing')} people did took {count_noun(calls, 'call')} to work in."
        )
    if retry:
        out.print(f"{count_noun(retried, 'failed job')} to be tried again.")
    if paused:
        out.print("Jobs are paused: localrec memory jobs --resume", style="yellow")
    _render_jobs(rows)


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
    """Work what waits into memories, now; what several things one person did is one job.

    Exits with 1 when a job failed; it waits for another run, three times at most.
    """
    from localrec.graph.journal import open_settled
    from localrec.memory.job_queue import is_paused
    from localrec.memory.report import work_summary
    from localrec.memory.updaters import memory_worker, open_memory_model

    context = command_context()
    with open_settled(context.workspace, read_only=True) as store:
        if is_paused(store):
            raise InputError(
                "Jobs are paused.", "Let them be worked: localrec memory jobs --resume"
            )
    # The workspace keeps its store closed: the worker opens it for moments, between thoughts.
    with context.open_workspace() as opened, progress() as steps:
        model = open_memory_model(opened.settings, opened.models.open, use_model)
        worker = memory_worker(
            opened.updater_parts, partial(open_settled, context.workspace), model
        )
        try:
            report = worker.run_pending(limit, steps)
        except KeyboardInterrupt as stop:
            raise CutShortError(
                f"interrupted; {worker.report.deeds:,} things were worked in, the rest waits.",
                "Go on: localrec memory run",
            ) from stop
    if not context.print_json(report):
        console().print(work_summary(report))
    return int(report.failed > 0)


@app.command("rebuild", epilog=EXAMPLES)
def rebuild(domain: DomainOption = None) -> None:
    """Count the memories of all people and items anew, without a model, as after an import.

    Of all domains, or of one. What is pinned stays; what is interrupted goes on the next time.
    """
    from localrec.graph.domain_files import load_domain
    from localrec.graph.journal import open_settled
    from localrec.memory.rebuild import Rebuild
    from localrec.memory.updaters import open_update_contexts
    from localrec.memory.worker import LOCK
    from localrec.workspace.domain_choice import domain_of_question

    context = command_context()
    with context.open_workspace() as opened:
        domains = [domain_of_question(opened, "", domain)] if domain else opened.domains()
    reports = []
    with context.open_workspace() as opened, progress() as steps:
        for chosen in map(load_domain, domains):
            work = Rebuild(
                partial(open_settled, context.workspace),
                chosen,
                open_update_contexts(opened.updater_parts, chosen),
                context.workspace / LOCK,
            )
            try:
                reports.append(work.run(steps))
            except KeyboardInterrupt as stop:
                done = work.report.people + work.report.items
                raise CutShortError(
                    f"interrupted; {done:,} memories of {chosen.name} were counted anew.",
                    "Go on: localrec memory rebuild",
                ) from stop
    if context.print_json({"domains": reports}):
        return
    for report in reports:
        console().print(_rebuild_text(report))


def _pin(user: str | None, item: str | None, domain: str | None, *, pinned: bool) -> None:
    from localrec.memory.records import pin_memory

    context, owner, memory = _with_memory(
        user, item, domain, lambda store, node_id: pin_memory(store, node_id, pinned), changes=True
    )
    if memory is None:
        raise InputError(
            f"Nothing is remembered of {owner.name} yet.",
            f'Write it yourself: localrec memory edit {owner.option} --text "..."',
        )
    if not context.print_json(owner.told(memory=memory)):
        _render(memory)


def _with_memory(
    user: str | None,
    item: str | None,
    domain: str | None,
    act: Callable[[Store, int], _Outcome],
    *,
    changes: bool = False,
) -> tuple[CommandContext, _MemoryOwner, _Outcome]:
    """Find the owner of a memory and act on their node in the store."""
    context = command_context()
    with context.open_workspace(writable=changes) as opened:
        owner = _memory_owner(opened, user, item, domain)
        return context, owner, act(opened.store, owner.node_id)


def _memory_owner(
    opened: OpenWorkspace,
    user: str | None,
    item: str | None,
    domain: str | None,
) -> _MemoryOwner:
    """Find the owner of a memory by a user's key, or by an item's key or name.

    Raises:
        UsageError: neither or both are named, or the item or the user is unknown.
    """
    from localrec.graph.interactions import user_node
    from localrec.graph.item_lookup import nobody_called
    from localrec.workspace.domain_choice import domain_of_user, find_item

    if (user is None) == (item is None):
        raise UsageError("Name one: --user KEY or --item KEY.", "localrec memory show --user anna")
    if item is not None:
        chosen, node_id, name = find_item(opened, item, domain)
        return _MemoryOwner(node_id, chosen, name, f'--item "{name}"')
    person = user or ""
    chosen = domain_of_user(opened, person, domain)
    found = user_node(opened.store, chosen, person)
    if found is None:
        begin = f'Begin with: localrec feedback --user "{person}" --item NAME --like'
        raise nobody_called(opened.store, person, chosen, otherwise=begin)
    return _MemoryOwner(found, chosen, person, f'--user "{person}"')


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
        f"{report.domain}: {count_noun(report.people, 'person', 'people')} and "
        f"{count_noun(report.items, 'item')} remembered anew"
        + (", where an earlier run had stopped" if report.resumed else ""),
        f"new versions of memories: {report.written:,}",
    ]
    if report.skipped:
        parts.append(f"pinned and left as they are: {report.skipped:,}")
    return "; ".join(parts) + "."

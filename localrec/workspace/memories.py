"""Memories of a workspace: whose they are, the queue that keeps them current, their rules."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from localrec.data.records import Record
from localrec.foundation.errors import CutShortError, InputError, UsageError
from localrec.foundation.progress import Progress

if TYPE_CHECKING:
    from localrec.graph.store import Store
    from localrec.memory.job_queue import JobRow
    from localrec.memory.rebuild import RebuildReport
    from localrec.memory.rules import RuleSet
    from localrec.memory.worker import WorkReport
    from localrec.workspace import OpenWorkspace


class MemoryOwner(NamedTuple):
    """The user or item that a memory belongs to; `option` names it as it is typed, for hints."""

    node_id: int
    domain: str
    name: str
    option: str


class QueueReport(msgspec.Struct, Record, frozen=True, kw_only=True):
    """The state of the jobs that update memories.

    Args:
        counts: State of a job -> the number of jobs in it.
        paused: Whether jobs wait until they are resumed.
        retried: The number of failed jobs that wait again by this call.
        calls: The number of memories that the finished jobs asked a model for.
        events: Events of users that the finished jobs worked in; `deeds` in JSON.
        jobs: The newest rows of the queue.
    """

    counts: dict[str, int]
    paused: bool
    retried: int
    calls: int
    events: int = msgspec.field(name="deeds")
    jobs: tuple[JobRow, ...]

    @property
    def deeds(self) -> int:
        """The old name of `events`."""
        return self.events


def memory_owner(
    opened: OpenWorkspace, user: str | None, item: str | None, domain: str | None
) -> MemoryOwner:
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
        return MemoryOwner(node_id, chosen, name, f'--item "{name}"')
    key = user or ""
    chosen = domain_of_user(opened, key, domain)
    found = user_node(opened.store, chosen, key)
    if found is None:
        begin = f'Begin with: localrec feedback --user "{key}" --item NAME --like'
        raise nobody_called(opened.store, key, chosen, otherwise=begin)
    return MemoryOwner(found, chosen, key, f'--user "{key}"')


def nothing_remembered(owner: MemoryOwner) -> InputError:
    """Make the refusal to pin a memory that does not exist."""
    return InputError(
        f"Nothing is remembered of {owner.name} yet.",
        f'Write it yourself: localrec memory edit {owner.option} --text "..."',
    )


def change_queue(
    store: Store, *, pause: bool = False, resume: bool = False, retry: bool = False
) -> int:
    """Let the jobs of a store wait, go on, or be tried again; return how many failed ones are.

    Raises:
        UsageError: more than one of them is asked for.
    """
    from localrec.memory import job_queue

    if pause + resume + retry > 1:
        raise UsageError("Say one of --pause, --resume and --retry.", "localrec memory jobs --help")
    if pause:
        job_queue.pause(store)
    if resume:
        job_queue.resume(store)
    return job_queue.retry_failed(store) if retry else 0


def queue_report(store: Store, k: int, retried: int = 0) -> QueueReport:
    """Read the queue: its counts and its k newest rows."""
    from localrec.memory import job_queue

    calls, events = job_queue.calls_of(store)
    return QueueReport(
        counts={str(state): count for state, count in job_queue.counts_of(store).items()},
        paused=job_queue.is_paused(store),
        retried=retried,
        calls=calls,
        events=events,
        jobs=tuple(job_queue.jobs_of(store, k)),
    )


def work_queue(
    opened: OpenWorkspace, limit: int | None, use_model: bool | None, progress: Progress
) -> WorkReport:
    """Work all that waits into memories; several things that one user did are one job.

    The store of `opened` stays closed: the worker opens it for moments, between thoughts.

    Args:
        opened: The workspace.
        limit: Stop after so many jobs; None for none left.
        use_model: Whether a model words memories; None for what the settings say.
        progress: Called with the step, how much of it is done, and of how much.

    Raises:
        InputError: the jobs are paused.
        CutShortError: Ctrl+C; what was worked in stays.
    """
    from localrec.graph.journal import open_settled
    from localrec.memory.job_queue import is_paused
    from localrec.memory.updaters import memory_worker, open_memory_model

    folder = opened.folder
    with open_settled(folder, read_only=True) as store:
        if is_paused(store):
            raise InputError(
                "Jobs are paused.", "Let them be worked: localrec memory jobs --resume"
            )
    model = open_memory_model(opened.settings, opened.models.open, use_model)
    worker = memory_worker(opened.updater_parts, partial(open_settled, folder), model)
    try:
        return worker.run_pending(limit, progress)
    except KeyboardInterrupt as stop:
        raise CutShortError(
            f"interrupted; {worker.report.events:,} things were worked in, the rest waits.",
            "Go on: localrec memory run",
        ) from stop


def rebuild_memories(
    opened: OpenWorkspace, domains: Sequence[str], progress: Progress
) -> list[RebuildReport]:
    """Count the memories of all users and items of some domains anew, without a model.

    The store of `opened` stays closed, as in `work_queue`.

    Raises:
        CutShortError: Ctrl+C; the next call goes on.
    """
    from localrec.graph.domain_files import load_domain
    from localrec.graph.journal import open_settled
    from localrec.memory.rebuild import Rebuild
    from localrec.memory.updaters import open_update_contexts
    from localrec.memory.worker import LOCK

    reports = []
    for chosen in map(load_domain, domains):
        work = Rebuild(
            partial(open_settled, opened.folder),
            chosen,
            open_update_contexts(opened.updater_parts, chosen),
            opened.folder / LOCK,
        )
        try:
            reports.append(work.run(progress))
        except KeyboardInterrupt as stop:
            done = work.report.users + work.report.items
            raise CutShortError(
                f"interrupted; {done:,} memories of {chosen.name} were counted anew.",
                "Go on: localrec memory rebuild",
            ) from stop
    return reports


def put_rules(opened: OpenWorkspace, text: str, domain: str | None, where: str) -> RuleSet:
    """Put a user's rules in force as a new version; all of them, or none where one is wrong.

    Args:
        opened: The workspace, open for writing.
        text: The rules, in the form in which they are shown.
        domain: The domain; by default the one that the text names.
        where: Name of the text in a message.

    Raises:
        InputError: a rule is wrong; the message says which and why.
    """
    from localrec.memory.rule_text import parse_rules
    from localrec.memory.rule_versions import save_rules
    from localrec.workspace.domain_choice import domain_of_question

    rules = parse_rules(text, where=where)
    chosen = domain_of_question(opened, "", domain or rules.domain)
    return save_rules(opened.store, chosen, rules)


def model_rules(folder: Path, domain: str | None, seed: int, progress: Progress) -> RuleSet:
    """Let the local model write rules from a domain's statistics, as a new version in force.

    The model thinks for a while; meanwhile the store is open to others.

    Raises:
        ModelError: no model is here, or it writes nothing that can be read.
    """
    from localrec.graph.domain_files import load_domain
    from localrec.memory.domain_statistics import domain_statistics
    from localrec.memory.rule_generation import generate_rules
    from localrec.memory.rule_versions import save_rules
    from localrec.workspace import OpenWorkspace
    from localrec.workspace.domain_choice import domain_of_question

    with OpenWorkspace(folder) as opened:
        chosen = domain_of_question(opened, "", domain)
        statistics = domain_statistics(opened.store, load_domain(chosen))
    with OpenWorkspace(folder) as opened:
        progress("the model writes rules", 0, 0)
        rules = generate_rules(opened.models.open("memory"), statistics, seed)
    with OpenWorkspace(folder, writable=True) as opened:
        return save_rules(opened.store, chosen, rules)

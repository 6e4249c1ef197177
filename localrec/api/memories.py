"""`Workspace.memory`: what is remembered of users and items, and what keeps it current."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from localrec.api.call_group import CallGroup
from localrec.api.records import RecordList
from localrec.foundation.progress import Progress, no_progress

if TYPE_CHECKING:
    from localrec.graph.store import Store
    from localrec.memory.rebuild import RebuildReport
    from localrec.memory.records import Memory
    from localrec.memory.rules import RuleSet
    from localrec.memory.worker import WorkReport
    from localrec.workspace.memories import QueueReport

_Outcome = TypeVar("_Outcome")


class MemoryCalls(CallGroup):
    """Read and change memories: `workspace.memory("anna")` reads one.

    `workspace.memory.edit(text, user="anna")` changes it. A memory is that of a `user`, by their
    key, or of an `item`, by its key or name.
    """

    def __call__(self, user: str, *, domain: str | None = None) -> str:
        """Read what is remembered of a user's taste; "" where nothing is yet."""
        with self._session._user_context([user], domain) as context:
            return context.memory_text(user)

    @cached_property
    def rules(self) -> RuleCalls:
        """The rules by which neighbours count."""
        return RuleCalls(self._session)

    def show(
        self, *, user: str | None = None, item: str | None = None, domain: str | None = None
    ) -> Memory | None:
        """Read a memory: the words, what supports them, and where they came from."""
        from localrec.memory.records import memory_of

        return self._act(user, item, domain, memory_of)

    def history(
        self, *, user: str | None = None, item: str | None = None, domain: str | None = None
    ) -> RecordList[Memory]:
        """Read all versions of a memory, the newest first."""
        from localrec.memory.records import history_of

        return RecordList(self._act(user, item, domain, history_of))

    def edit(
        self,
        text: str,
        *,
        user: str | None = None,
        item: str | None = None,
        domain: str | None = None,
    ) -> Memory:
        """Put a memory in your own words; it is pinned, so nothing overwrites them."""
        from localrec.memory.records import edit_memory

        return self._act(
            user, item, domain, lambda store, node: edit_memory(store, node, text), writable=True
        )

    def pin(
        self, *, user: str | None = None, item: str | None = None, domain: str | None = None
    ) -> Memory:
        """Keep a memory as it is, until you edit, unpin or forget it.

        Raises:
            InputError: nothing is remembered yet.
        """
        return self._pin(user, item, domain, pinned=True)

    def unpin(
        self, *, user: str | None = None, item: str | None = None, domain: str | None = None
    ) -> Memory:
        """Let a memory be brought up to date again.

        Raises:
            InputError: nothing is remembered yet.
        """
        return self._pin(user, item, domain, pinned=False)

    def jobs(
        self, *, pause: bool = False, resume: bool = False, retry: bool = False, k: int = 10
    ) -> QueueReport:
        """Say what waits to be worked into memories, what was, and what failed and why.

        Args:
            pause: Let jobs wait from now on.
            resume: Let them be worked again.
            retry: Let failed jobs wait again.
            k: The number of rows of the queue to list.
        """
        from localrec.workspace.memories import change_queue, queue_report

        with self._write() if pause or resume or retry else self._read() as opened:
            retried = change_queue(opened.store, pause=pause, resume=resume, retry=retry)
            return queue_report(opened.store, k, retried)

    def run(
        self,
        *,
        limit: int | None = None,
        use_model: bool | None = None,
        progress: Progress = no_progress,
    ) -> WorkReport:
        """Work all that waits into memories now; several things that one user did are one job.

        Args:
            limit: Stop after so many jobs.
            use_model: Whether a model words memories; by default what the settings say.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.workspace.memories import work_queue

        with self._store_closed() as opened:
            return work_queue(opened, limit, use_model, progress)

    def rebuild(
        self, *, domain: str | None = None, progress: Progress = no_progress
    ) -> RecordList[RebuildReport]:
        """Count the memories of all users and items anew, without a model, as after an import.

        Args:
            domain: Only there; everywhere by default.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.workspace.domain_choice import domain_of_question
        from localrec.workspace.memories import rebuild_memories

        with self._read() as opened:
            chosen = [domain_of_question(opened, "", domain)] if domain else opened.domains()
        with self._store_closed() as opened:
            return RecordList(rebuild_memories(opened, chosen, progress))

    def _pin(
        self, user: str | None, item: str | None, domain: str | None, *, pinned: bool
    ) -> Memory:
        from localrec.memory.records import pin_memory
        from localrec.workspace.memories import memory_owner, nothing_remembered

        with self._write() as opened:
            owner = memory_owner(opened, user, item, domain)
            memory = pin_memory(opened.store, owner.node_id, pinned)
        if memory is None:
            raise nothing_remembered(owner)
        return memory

    def _act(
        self,
        user: str | None,
        item: str | None,
        domain: str | None,
        act: Callable[[Store, int], _Outcome],
        *,
        writable: bool = False,
    ) -> _Outcome:
        from localrec.workspace.memories import memory_owner

        with self._write() if writable else self._read() as opened:
            return act(opened.store, memory_owner(opened, user, item, domain).node_id)


class RuleCalls(CallGroup):
    """Read and change the rules by which neighbours count: `workspace.memory.rules.show()`."""

    def show(self, *, domain: str | None = None) -> RuleSet:
        """Read the rules that hold now."""
        from localrec.memory.rule_versions import rules_of

        with self._in_domain(domain) as (opened, about):
            return rules_of(opened.store, about.name)

    def text(self, *, domain: str | None = None) -> str:
        """Read the rules that hold now in the form in which `edit` takes them."""
        from localrec.memory.rule_text import format_rules

        return format_rules(self.show(domain=domain))

    def edit(self, text: str, *, domain: str | None = None) -> RuleSet:
        """Put rules of your own in force as a new version; all, or none where one is wrong.

        Args:
            text: The rules, as `text` returns them.
            domain: By default the one that the text names.
        """
        from localrec.workspace.memories import put_rules

        with self._write() as opened:
            return put_rules(opened, text, domain, "The text")

    def generate(
        self, *, seed: int = 0, domain: str | None = None, progress: Progress = no_progress
    ) -> RuleSet:
        """Let the local model write rules from the domain's statistics; they hold at once.

        Args:
            seed: Another seed, other rules.
            domain: By default the largest.
            progress: Called with the step, how much of it is done, and of how much.
        """
        from localrec.workspace.memories import model_rules

        with self._session._warm.released():
            return model_rules(self._folder, domain, seed, progress)

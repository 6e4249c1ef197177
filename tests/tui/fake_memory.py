"""Memories of one person that are known by heart, and a queue that can be moved."""

from __future__ import annotations

from datetime import datetime

import msgspec

from localrec.foundation.progress import Progress
from localrec.memory.job_queue import JobRow
from localrec.memory.worker import WorkReport
from localrec.privacy.forget import ForgetReceipt, LeakScanReport
from localrec.privacy.sweep import FileAction
from localrec_tui.services.memory import (
    FacetSummary,
    MemoryVersion,
    NeighbourScore,
    QueueSnapshot,
    RulesText,
    UserMemory,
)
from localrec_tui.services.records import RequestHandle

from .recorder import Recorder

AT = datetime(2026, 11, 1, 12, 0)
OLDER = MemoryVersion(
    number=1,
    text="Likes gin and things that are sweet.",
    facets=(),
    source="counted",
    by="counts",
    pinned=False,
    at=AT,
)
NEWER = MemoryVersion(
    number=2,
    text="Likes gin and things that are bitter.",
    facets=(
        FacetSummary(text="likes it bitter", confidence=0.5, supporters=("Negroni", "Gimlet")),
    ),
    source="counted",
    by="counts",
    pinned=False,
    at=AT,
    users=("bert",),
    items=("Negroni", "Gimlet"),
)
NEAR = NeighbourScore(
    name="bert",
    is_user=True,
    score=0.8,
    edge_weight=0.7,
    shared=3,
    overlap=0.6,
    similarity=0.5,
    days=12,
)
FAILED = JobRow(
    job_id=7,
    user="anna",
    item="Negroni",
    domain="cocktails",
    event="liked",
    at=AT,
    state="failed",
    attempts=3,
    failures=3,
    calls=3,
    error="The model wrote no sentence.",
    skipped=(),
    ended=None,
)
FORESEEN = ForgetReceipt(
    dry_run=True,
    rows={"node": 5, "edge": 1, "embedding": 3, "import_receipt": 1, "interaction": 9, "memory": 2},
    files=(
        FileAction(path="asked.jsonl", action="rewritten", bytes=90, lines=1),
        FileAction(path="person.jsonl", action="rewritten", bytes=90, lines=1),
        FileAction(path="indexes/names", action="removed", bytes=90),
    ),
    undated=0,
    searched=None,
    found=(),
    namesakes=(),
    adapters=(),
    store_bytes=(9_000, 9_000),
    disk_bytes=0,
    seconds=0.1,
)
FORGOTTEN = msgspec.structs.replace(
    FORESEEN,
    dry_run=False,
    searched=LeakScanReport(
        keys=1, keys_in_quotes=1, texts=1, columns=30, files=4, bytes=9_000, unread=()
    ),
    store_bytes=(9_000, 8_000),
)


class FakeMemoryService(Recorder):
    """Remembers something of anna alone.

    Attributes:
        versions: Of anna's memory, the newest first.
        domains: That anna did something in.
        waiting: Jobs that wait.
        paused: They are on hold.
    """

    def __init__(self) -> None:
        super().__init__()
        self.versions: tuple[MemoryVersion, ...] = (NEWER, OLDER)
        self.domains: tuple[str, ...] = ("cocktails",)
        self.rows: tuple[JobRow, ...] = (FAILED,)
        self.waiting = 2
        self.paused = False

    def user_memory(self, user: str, domain: str | None) -> UserMemory:
        self._trip()
        if user != "anna":
            return UserMemory(user=user, domain="", domains=(), versions=())
        chosen = domain or self.domains[0]
        return UserMemory(user=user, domain=chosen, domains=self.domains, versions=self.versions)

    def neighbours(self, user: str, domain: str) -> tuple[NeighbourScore, ...]:
        return (NEAR,)

    def rules(self, domain: str) -> RulesText:
        text = 'rules "planted" for "cocktails"\n'
        return RulesText(domain=domain, version=0, source="shipped", text=text)

    def edit(self, user: str, domain: str, text: str) -> None:
        self._trip()
        self.told.append(("edit", user, domain, text))
        own = msgspec.structs.replace(
            NEWER, number=3, text=text, facets=(), source="in your words", by="", pinned=True
        )
        self.versions = (own, *self.versions)

    def pin(self, user: str, domain: str, pinned: bool) -> None:
        self.told.append(("pin", user, domain, pinned))
        newest = msgspec.structs.replace(self.versions[0], pinned=pinned)
        self.versions = (newest, *self.versions[1:])

    def preview_forget(self, user: str, since: str, domain: str | None) -> ForgetReceipt:
        self._trip()
        self.told.append(("foresee", user, since, domain))
        return FORESEEN

    def forget(
        self, user: str, since: str, domain: str | None, progress: Progress
    ) -> ForgetReceipt:
        progress("looking through files", 0, 0)
        self.goes_on.wait(10)
        self._trip()
        self.told.append(("forget", user, since, domain))
        self.versions = ()
        return FORGOTTEN

    def jobs(self, seen: object = None) -> QueueSnapshot | None:
        mark = (self.waiting, self.paused, self.rows)
        if mark == seen:
            return None
        counts = {"waiting": self.waiting, "running": 0, "done": 4, "failed": len(self.rows)}
        return QueueSnapshot(mark=mark, counts=counts, paused=self.paused, rows=self.rows)

    def set_paused(self, paused: bool) -> None:
        self.paused = paused

    def retry(self) -> int:
        self.waiting += len(self.rows)
        failed, self.rows = self.rows, ()
        return len(failed)

    def work(self, request: RequestHandle, progress: Progress) -> WorkReport:
        self._trip()
        progress("working off jobs", 1, self.waiting)
        self.goes_on.wait(10)
        if request.stopped.is_set():
            return WorkReport(calls=1, jobs=1, events=1, written=1, waiting=self.waiting - 1)
        done, self.waiting = self.waiting, 0
        return WorkReport(calls=1, jobs=1, events=done, written=1)
